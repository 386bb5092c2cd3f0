"""Sentences of the rules of Crapola that can be read in two ways, and how they are read here."""

from __future__ import annotations

from companion.games.engine.rulebook import DoubtfulSentence

DOUBTFUL = (
    DoubtfulSentence(
        "Every other player has 1 more turn to try and beat their score.",
        "Spending is allowed as that turn. On a tie the one who reached the target first wins.",
        'Spending stands "instead of rolling during a turn", and nothing excludes the last one. A tie '
        "does not beat a score.",
    ),
    DoubtfulSentence(
        "Spend up to 1000 of their points",
        "It is the whole turn.",
        '"Instead of rolling" leaves nothing else to do.',
    ),
    DoubtfulSentence(
        "May roll the extra 6 sided die until his score is no longer 5000 behind.",
        "Decided at the first throw, for the whole turn; hot dice give seven again.",
        "His score changes only when he banks, so it can't end in mid-turn.",
    ),
    DoubtfulSentence(
        "This does not count during a last roll after someone else has gone out.",
        "The seventh die is not used in the last round.",
        "The last roll is the turn after somebody reached the target.",
    ),
    DoubtfulSentence(
        "3 pairs of two",
        "Four alike and a pair count as three pairs; so do six alike.",
        "They can be laid out as three pairs. The best partition counts, so six alike score more anyway.",
    ),
    DoubtfulSentence(
        "... etc. ... for up to 6 of each",
        "Seven alike score five times three alike.",
        "The chart grows by one step a die; the text forgets the seventh die here.",
    ),
    DoubtfulSentence(
        "Play reverses.",
        "The direction stays reversed until it happens again.",
        "The text names no end.",
    ),
)
"""Doubtful sentences, in the order of the original; docs/reference/rules.md has the same table."""
