"""English texts of Crapola for the page and `pegpip rules`: rules, house rules, doubtful sentences and credits."""

from __future__ import annotations

from companion.games.engine.game import Picture, Switch
from companion.games.engine.rulebook import DoubtfulSentence

CREDITS = "Crapola v.2 is a family's game, published by its author for everyone to play. The words here are our own."

SWITCHES = (
    Switch("entry", 1000, "On the board", "Points of one turn that each player's first bank takes.", minimum=0),
    Switch("target", 15000, "Target", "The player who banks to this total or more starts the last round.", minimum=1),
    Switch("reversal", True, "Reversal", "A crap-out on the first throw of a turn turns the direction of play."),
    Switch("spend", True, "Spending", "Instead of throwing, give up points to take as many off another player."),
    Switch("seventh_die", True, "Seventh die", "More than 5,000 behind the leader, you may throw seven dice."),
)
"""House rules of Crapola, in the order of the settings form: key, default and English texts of each (`Switch`)."""

PICTURES = (
    Picture("rules.crapola_turn"),
    Picture("rules.crapola_one", (1,)),
    Picture("rules.crapola_five", (5,)),
    Picture("rules.crapola_three", (2, 2, 2)),
    Picture("rules.crapola_ones", (1, 1, 1)),
    Picture("rules.crapola_pairs", (2, 2, 3, 3, 6, 6)),
    Picture("rules.crapola_straight", (1, 2, 3, 4, 5, 6)),
    Picture("rules.crapola_lost", (2, 3, 3, 4, 6, 6)),
    Picture("rules.crapola_end"),
)
"""Rows of the rules in pictures, in the order of the help page. Each has the key of its text in the catalogue, and the
dice drawn beside it, if any."""

IN_WORDS = """\
Six dice, two to ten players, and 15,000 points to reach.

Your turn. Throw the six dice and set at least one aside that scores. Then stop and bank the turn's points, or throw the
dice that are left. A throw in which nothing scores is a crap-out: the turn ends with nothing. With every die set aside
you have hot dice: bank, or throw all of them afresh and go on adding.

What scores. A 1 is 100, a 5 is 50. Three alike are a hundred times their value, three 1s a thousand; four, five and six
alike are two, three and four times as much as three. Three pairs (four alike are two of them) are 500, the straight
from 1 to 6 is 1,000. Only dice of one throw make a combination, and each die you set aside must be part of one.

Getting on the board. Your first bank must be worth 1,000 in one turn; from then on anything can be banked.

Reversal. Whoever craps out on the first throw of a turn turns the direction of play until it happens again.

Spending. Instead of throwing you may give up 1 to 1,000 of your points; somebody of your choice loses as many. Nobody
goes below zero.

The seventh die. More than 5,000 behind the leader you may play the whole turn with seven dice; not in the last round.

The end. When somebody banks to the target everybody else has one more turn. The highest total wins; of equals the one
who reached the target first, else they share.

Leaving. Whoever leaves is passed over and can't win; the points stand and nobody can spend against them. The last one
left wins at once.
"""

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

WHY = {
    "Your turn": ("count", "decide_first"),
    "What scores": ("illegal_hold",),
    "Getting on the board": ("hold_on",),
}
"""Codes of the tray's notices, by the heading of the paragraph of IN_WORDS that explains them. The link "why" beside a
notice on the scoreboard opens that paragraph on the help page."""
