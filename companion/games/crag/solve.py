"""Crag solved: the expected final total of one sheet with best play, for every set of filled categories.

Worked back from the full sheet, all sheets with the same number filled at once. `make solve` stores it.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from companion.games.crag.odds import FULL, KEEPS, LYING, TABLE, keeps_of, lying_after, points_table
from companion.games.crag.sheet import CATEGORIES
from companion.games.dice import throws_of

Floats = npt.NDArray[np.float64]


def solved(strict: bool) -> Floats:
    """What is still expected, by the categories that are filled.

    Args:
        strict: The house rule `thirteen_without_double`.

    Returns:
        Shape (8192,), points; the index has bit i set where category i of the sheet is filled.
    """
    points = np.array([points_table(strict)[dice] for dice in LYING], dtype=np.float64)
    throws = after_keeps()
    first = throws[KEEPS.index(())]
    kept_of = choices()
    worth: Floats = np.zeros(FULL + 1)
    filled = np.array([mask.bit_count() for mask in range(FULL + 1)])
    for count in reversed(range(len(CATEGORIES))):
        masks = np.flatnonzero(filled == count)
        entered = np.full((len(masks), len(LYING)), -np.inf)
        for place in range(len(CATEGORIES)):
            unused = (masks >> place & 1) == 0
            following = points[:, place] + worth[masks[unused] | 1 << place, np.newaxis]
            entered[unused] = np.maximum(entered[unused], following)
        thrown_again = entered @ throws.T
        worth[masks] = thrown_again[:, kept_of].max(axis=2) @ first
    return worth


def tables() -> dict[str, bytes]:
    """The stored table: without and with `thirteen_without_double`, little-endian float64."""
    return {TABLE: b"".join(solved(strict).astype("<f8").tobytes() for strict in (False, True))}


@cache
def after_keeps() -> Floats:
    """By what was kept (all three: no throw): the chance of each three dice lying there, shape (keeps, dice)."""
    chances = np.zeros((len(KEEPS), len(LYING)))
    for place, kept in enumerate(KEEPS):
        missing = 3 - len(kept)
        for lying, ways in lying_after(kept):
            chances[place, LYING.index(lying)] += ways / 6**missing
    return chances


@cache
def choices() -> npt.NDArray[np.int64]:
    """By what lies there after the first throw: the places of all keeps, the last one repeated, shape (dice, 8)."""
    places = [[KEEPS.index(kept) for kept in keeps_of(dice)] for dice, _ in throws_of(3)]
    return np.array([row + row[-1:] * (8 - len(row)) for row in places])
