"""Sentences of the rules of Crib Dice that can be read in two ways, and how they are read here."""

from __future__ import annotations

from companion.games.engine.rulebook import DoubtfulSentence

DOUBTFUL = (
    DoubtfulSentence(
        "Two or more matching dice the player selects",
        "The player selects the value; all dice that show it are frozen.",
        "A frozen die always scores at least as much as one that is thrown again.",
    ),
    DoubtfulSentence(
        "Roll two dice. Highest total goes first.",
        "The roll-off is optional; the host may choose who starts.",
        "Many groups have an order of their own. It changes nothing else.",
    ),
    DoubtfulSentence(
        "Doubles that match his point value: no result. Roll again.",
        "He must throw the two again, and can't stop in between.",
        '"No result" leaves the piddle open; a stop would make it free.',
    ),
    DoubtfulSentence(
        "May exchange his peg with the leading peg on the board",
        "The leading peg among the others. The turn's own points are lost. A leader, alone or equal, can't bomb.",
        "A swap with oneself or backwards is no gain; the text names the swap and no points.",
    ),
    DoubtfulSentence(
        "Any player whose peg is off the board (fuchled)",
        "Is double-skunked only through a fuchle, or eliminated. A player who never scored, or was bumped or bombed "
        "to 0, is skunked.",
        "The word in brackets says which way of being off the board is meant.",
    ),
    DoubtfulSentence(
        "Move the previous occupant 5 holes back",
        "A bumped peg bumps in turn.",
        "Otherwise two pegs would share a hole, against the rule's own name.",
    ),
    DoubtfulSentence(
        "Wipes out 2 more times while off the board",
        "Two in a row, before scoring.",
        "Scoring puts the peg on the board again, and ends the count.",
    ),
    DoubtfulSentence(
        "Continues until only one player is left on the board",
        "Finishers are safe at once; the round is not completed.",
        "The goal is the last one left, not the furthest.",
    ),
    DoubtfulSentence(
        "Win the sitting by winning the most games.",
        "Most games won; then fewest games lost; then shared.",
        "The sentence is plain. Games lost, which skunks multiply, decide equal wins.",
    ),
)
"""Sentences of the original rules that can be read in two ways, in their order there. `pegpip rules` prints them;
docs/reference/rules.md has the same table."""
