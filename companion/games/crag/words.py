"""English texts of Crag for the page and `pegpip rules`: rules, house rules and credits."""

from __future__ import annotations

from companion.games.engine.game import Picture, Switch

CREDITS = "Crag is a traditional game, told in print since 1940 (Wood and Goddard, Complete Book of Games)."

SWITCHES = (
    Switch(
        "thirteen_without_double",
        False,
        "Thirteen without a double",
        "The category Thirteen takes only 2-5-6 and 3-4-6; a pair that totals 13 fits Crag alone.",
    ),
)
"""House rules of Crag, in the order of the settings form: key, default and English texts of each (`Switch`)."""

PICTURES = (
    Picture("rules.crag_turn"),
    Picture("rules.crag_best", (1, 6, 6)),
    Picture("rules.crag_thirteen", (2, 5, 6)),
    Picture("rules.crag_alike", (4, 4, 4)),
    Picture("rules.crag_straight", (1, 3, 5)),
    Picture("rules.crag_number", (6, 6, 2)),
    Picture("rules.crag_end"),
)
"""Rows of the rules in pictures, in the order of the help page. Each has the key of its text in the catalogue, and the
dice drawn beside it, if any."""

IN_WORDS = """\
Three dice, a sheet with thirteen categories, thirteen rounds, any number of players.

Your turn. Throw the three dice. Once, you may throw one, two or all of them again. Then enter what lies there in a
category that you have not used; where it doesn't fit it scores nothing, but some category must be filled every turn.

Ones to sixes score the sum of the dice of that value. The straights 1-3-5, 2-4-6, 1-2-3 and 4-5-6 score 20 each, three
alike 25, a total of 13 scores 26, and Crag, a total of 13 with a pair, 50.

The end. When every sheet is full the highest total wins; equal totals share. No sheet can hold more than 244.

Leaving. Whoever leaves keeps the sheet as it stands, is passed over and can't win. The last one left wins at once.
"""

WHY = {"Your turn": ("count", "decide_first", "illegal_hold")}
"""Codes of tray notices, by the heading of the paragraph of IN_WORDS that explains them. The link "why?" of such a
notice on the scoreboard opens that paragraph."""
