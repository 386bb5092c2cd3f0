"""The scoring chart of Crag: the categories of its sheet and what three dice score in each.

Rules: docs/reference/rules.md, "Crag". After changing the chart run `make solve`: the stored tables follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.games.engine.dice import in_order

NUMBERS: Mapping[str, int] = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
"""Value of each category of Crag that scores the sum of the dice showing this value. Fixed by the rules."""
STRAIGHTS: Mapping[str, tuple[int, ...]] = {
    "odd_straight": (1, 3, 5),
    "even_straight": (2, 4, 6),
    "low_straight": (1, 2, 3),
    "high_straight": (4, 5, 6),
}
"""The three dice of each straight in Crag, which scores 20 points for exactly these and 0 for any others. Fixed by the
rules."""
BEST = 50
"""Points of a crag, a total of 13 with a pair: fixed by the rules, and the most that a turn scores."""
CATEGORIES = (*NUMBERS, *STRAIGHTS, "three_of_a_kind", "thirteen", "crag")
"""All categories in the order of the sheet. Stored tables index sheets by it."""


def points_for(category: str, dice: tuple[int, ...], thirteen_without_double: bool = False) -> int:
    """Return the points that three dice score in a category of Crag: 0 if they do not fit it.

    With the house rule `thirteen_without_double`, the category `thirteen` needs three different values.

    >>> points_for("thirteen", (2, 5, 6)), points_for("crag", (2, 5, 6)), points_for("crag", (1, 6, 6))
    (26, 0, 50)
    """
    if category in NUMBERS:
        return sum(die for die in dice if die == NUMBERS[category])
    if category in STRAIGHTS:
        return 20 if in_order(dice) == STRAIGHTS[category] else 0
    different = len(set(dice))
    if category == "three_of_a_kind":
        return 25 if different == 1 else 0
    if sum(dice) != 13:
        return 0
    if category == "thirteen":
        return 0 if thirteen_without_double and different < 3 else 26
    return BEST if different == 2 else 0
