"""English texts of Crib Dice for the page and `pegpip rules`: rules, house rules, doubtful sentences and credits."""

from __future__ import annotations

from companion.games.engine.game import Picture, Switch
from companion.games.engine.rulebook import DoubtfulSentence

CREDITS = (
    "Crib Dice is a game by Howard Fosdick (rules V 2.1, licensed CC BY-ND), published at BestFreeNewGames.com. "
    "The words here are this project's own; where they and the original differ, the original is the game."
)

_MEANINGS = {
    "piddle_points": ("Piddle points", "Piddle dice that show the point raise the set, up to seven."),
    "bomb": ("The bomb", "Six 1s as the point, or five and a lucky announced piddle, swap your peg with the leader's."),
    "double_fuchle": (
        "Double fuchle",
        "Two more wipe-outs in a row after a fuchle, before scoring, and you are out of the game.",
    ),
    "skunk": (
        "Skunks",
        "A loser at half way or less loses two games; off the board through a fuchle, or eliminated, four.",
    ),
    "bumping": ("One peg per hole", "Landing on a peg sends it back five holes, and so on down the track."),
    "find_a_loser": (
        "Find a loser",
        "A player who finishes is safe and leaves; play goes on until one is left, and only that one loses.",
    ),
    "long_game": ("The long game", "Down the board and back again: 240 holes, and skunks up to hole 121."),
    "partners": ("Partners", "Four or six play as teams of two: one peg a team, partners throw in turn."),
    "pandemonium": ("Pandemonium", "With the bomb, five 1s go off at once; a fuchle takes four wipe-outs in a row."),
}
SWITCHES = tuple(Switch(key, False, title, meaning) for key, (title, meaning) in _MEANINGS.items())
"""House rules of Crib Dice, in the order of the settings form: key, default and English texts of each (`Switch`)."""

PICTURES = (
    Picture("rules.crib_pick", (4, 4, 4, 4, 1, 2, 6)),
    Picture("rules.crib_pair", (4, 4)),
    Picture("rules.crib_set", (4, 4, 4, 4)),
    Picture("rules.crib_on", (4, 1, 2)),
    Picture("rules.crib_lost", (2, 3, 6)),
    Picture("rules.crib_piddle", (2, 5)),
    Picture("rules.crib_double", (3, 3)),
    Picture("rules.crib_end"),
)
"""Rows of the rules in pictures, in the order of the help page. Each has the key of its text in the catalogue, and the
dice drawn beside it, if any."""

IN_WORDS = """\
A race round a cribbage board of 120 holes with seven dice. The longer you throw, the further your peg may go, and the
likelier it is that the turn brings nothing.

Players. Two to five, each with a peg; or four or six as partners. Two dice each show who starts; then clockwise.

First throw. Throw all seven. Some value shows at least twice: choose one that does as your point. All dice showing it
are frozen.

Going on. With two, three or four frozen, stop and bank, or throw the dice that are not frozen. Any die that shows your
point is frozen too. No point but a 1 keeps you safe and freezes nothing. Neither point nor 1 is a wipe-out: the turn
ends and everything gathered in it is lost.

Piddle. With five or six frozen, stop or throw two dice. Two different values win: the set's score is kept and you throw
seven fresh dice, a rollover, with a point of your choice. A double of another value ends the turn with nothing and is a
wipe-out. A double of your point says nothing: throw the two again.

Seven frozen roll over by themselves: bank at once, or throw seven fresh dice. A stop banks everything since the turn
began; a wipe-out loses all of it. There is no limit to rollovers.

Scores. A pair is worth 2 whatever it shows. Three or more: leave two of them out and add up the rest, so four 5s are 10
and seven 6s are 30.

Fuchle. Three wipe-outs in a row send your peg back to the start. A stop sets the count back to nothing.

The end. Once a stop takes a peg past hole 120 the round is played to its end. The peg furthest along wins.

Leaving. Whoever leaves is out, the peg back at the start; a partner who is left plays on for the team. The last one
left wins at once.

Advanced rules, each on its own or all together:

Piddle points. Each die of a won piddle that shows the point counts for the set, up to seven.

The bomb. With 1 as the point and six or seven of them frozen you may bomb instead of stopping: your peg and that of the
leader change places, and the turn's points are gone. With five you may announce the bomb and then throw two dice; any 1
sets it off, none is a wipe-out. Whoever leads, if only equally, can't bomb; pegs that have finished can't be hit.

Double fuchle. Two more wipe-outs in a row after a fuchle, before scoring again, and you are out. The last one in wins.

Skunks. A loser no further than half way loses two games, one whose peg a fuchle holds off the board, or who is out,
four; the others lose one.

One peg per hole. Land on a peg and it goes back five holes, bumping whatever it lands on in turn.

Alternate rules:

Find a loser. A player who finishes is safe and leaves. Play goes on until one is left; that one loses, and nobody
else but those who are out.

The long game. Twice the way: 240 holes, and skunks up to hole 121.

Partners. Teams of two sit alternately, with one peg and one count of wipe-outs a team, and throw in turn.

Pandemonium. Five 1s bomb at once, where bombs are played, and a fuchle takes four wipe-outs in a row.
"""

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

WHY = {
    "First throw": ("choose_point", "illegal_hold"),
    "Going on": ("count", "decide_first", "freeze"),
}
"""Codes of tray notices that a paragraph of `IN_WORDS` explains, by the paragraph's heading."""
