"""A turn of Crag as arrays: what can lie there after each keep, and which keeps there are."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from companion.games.crag.odds.turn_value import KEEPS, LYING, lying_after
from companion.games.engine.dice import handfuls, throws_of

Floats = npt.NDArray[np.float64]


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
    places = [[KEEPS.index(kept) for kept in handfuls(dice)] for dice, _ in throws_of(3)]
    return np.array([row + row[-1:] * (8 - len(row)) for row in places])
