"""A turn of Crag as arrays: the transition probabilities of each keep, and the keeps that a throw allows."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from companion.games.crag.odds.turn_value import KEEPS, LYING, lying_after
from companion.games.engine.dice import subsets, throws_of

Floats = npt.NDArray[np.float64]


@cache
def after_keeps() -> Floats:
    """Return the (keeps, dice) probability of each three dice after keeping some and throwing the others. Cached.

    Rows are indices in `KEEPS`, columns in `LYING`.
    """
    chances = np.zeros((len(KEEPS), len(LYING)))
    for place, kept in enumerate(KEEPS):
        missing = 3 - len(kept)
        for lying, ways in lying_after(kept):
            chances[place, LYING.index(lying)] += ways / 6**missing
    return chances


@cache
def choices() -> npt.NDArray[np.int64]:
    """Return the (dice, 8) indices in `KEEPS` of all keeps that each first throw allows. Cached.

    Shorter rows repeat their last index as padding.
    """
    places = [[KEEPS.index(kept) for kept in subsets(dice)] for dice, _ in throws_of(3)]
    return np.array([row + row[-1:] * (8 - len(row)) for row in places])
