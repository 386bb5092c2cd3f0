"""The scoring chart of Crib Dice: what a set of equal dice scores. docs/reference/rules.md, "Crib Dice".

After changing the chart, run `make solve`: every stored table in `odds/` follows from it. Then check `RICH` in
`odds/turn_value.py`; a test compares it with the chart.
"""

from __future__ import annotations


def set_score(count: int, value: int) -> int:
    """Return the score of a set: a pair scores 2, a larger set the sum of all dice but two.

    Args:
        count: Number of dice in the set, 2 to 7.
        value: Value of each die, 1 to 6.

    >>> set_score(2, 5), set_score(4, 5), set_score(7, 6)
    (2, 10, 30)
    """
    return 2 if count == 2 else (count - 2) * value


MAX_SET_SCORE = set_score(7, 6)
"""Points of the highest set, seven 6s. Solvers extend the track by this many holes, so that a bank never leaves it."""
MIN_ROLLOVER = set_score(5, 1)
"""Points of the lowest set that rolls over, five 1s. Backward induction solves blocks of this many holes at once."""
