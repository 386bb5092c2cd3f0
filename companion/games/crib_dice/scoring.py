"""The scoring chart of Crib Dice: what a set of equal dice scores. docs/reference/rules.md, "Crib Dice".

After changing the chart, run `make solve`: every stored table in `odds/` follows from it. A test says if
`SURE_STOP_POINTS` in `odds/turn_value.py` is too small for it.
"""

from __future__ import annotations


def set_score(count: int, value: int) -> int:
    """Return the points of a set of frozen dice: 2 for a pair, else the value of a die times the dice beyond two.

    Args:
        count: Number of dice in the set, 2 to 7.
        value: Value of each die, 1 to 6.

    >>> set_score(2, 5), set_score(4, 5), set_score(7, 6)
    (2, 10, 30)
    """
    return 2 if count == 2 else (count - 2) * value


MAX_SET_SCORE = max(set_score(count, value) for count in range(2, 8) for value in range(1, 7))
"""Points of the highest set of Crib Dice; a point moves a peg by one hole. Solvers extend their arrays by two such
sets: one that rolls over and the next. Lower: indices run past the end. Higher: unused entries."""
MIN_ROLLOVER = min(set_score(count, value) for count in range(5, 8) for value in range(1, 7))
"""Points of the lowest set that allows a rollover (docs/reference/rules.md), which takes five dice or more.

A rollover leads at least this many holes on, so backward induction solves that many at once. A larger block would need
holes that are not solved yet; a smaller one is slower."""
