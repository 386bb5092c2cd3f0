"""A turn of Crag as arrays: the transition probabilities after each keep, and the keeps that a throw allows."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from companion.games.crag.odds.turn_value import KEEPS, RESULTS, results_after
from companion.games.engine.dice import subsets, throws_of

Floats = npt.NDArray[np.float64]


@cache
def after_keeps() -> Floats:
    """Return the probability of each result of three dice after keeping some and throwing the rest. Cached.

    Shape (len(KEEPS), len(RESULTS)): row i is for the kept dice `KEEPS[i]`, column j for the result `RESULTS[j]`. Each
    row adds up to 1.
    """
    chances = np.zeros((len(KEEPS), len(RESULTS)))
    for place, kept in enumerate(KEEPS):
        missing = 3 - len(kept)
        for lying, ways in results_after(kept):
            chances[place, RESULTS.index(lying)] += ways / 6**missing
    return chances


@cache
def choices() -> npt.NDArray[np.int64]:
    """Return which dice may be kept of each throw of three dice in Crag, as indices in `KEEPS`. Cached.

    Shape (len(RESULTS), 8): row i is for the throw `RESULTS[i]`, with its choices from no dice to all three. A row with
    fewer than eight choices repeats its last one as padding.
    """
    places = [[KEEPS.index(kept) for kept in subsets(dice)] for dice, _ in throws_of(3)]
    return np.array([row + row[-1:] * (8 - len(row)) for row in places])
