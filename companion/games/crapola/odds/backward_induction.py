"""Backward induction over one turn of Crapola, for any objective, with NumPy."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from companion.games.crapola.odds.offers import STEP, offers_of
from companion.games.crapola.scoring import points_of

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
MAX_THROW_STEPS = (points_of((1,) * 7) or 0) // STEP
"""Points of the highest throw, seven 1s, in steps of STEP points. Arrays of bank values extend this far beyond the
deepest throw of a turn, to hold what it may add. Lower: values after a high throw are wrong; higher: unused entries."""


def values_before_throw(size: int, bank: Floats, least: int, hot: float = 0.0) -> Floats:
    """Return the value before each throw of a Crapola turn with best play, by backward induction over turn points.

    A step is `STEP` points. From `deep` steps on, the player is assumed to stop. A crap-out has the value 0.

    Args:
        size: Dice of the turn, 6 or 7.
        bank: (deep + MAX_THROW_STEPS + 1,) value of banking 0, 1, 2, ... steps. Its length determines `deep`.
        least: Steps of turn points below which a stop is not allowed.
        hot: For a turn of seven: value of the extra throw after all seven dice were kept, which cannot fail. It is
            added to `bank` from `deep` steps on. Unused for a turn of six.

    Returns:
        (deep, size) value by steps of turn points before the throw, and by dice thrown minus 1.
    """
    keeps, chances = _offers(size)
    deep = len(bank) - MAX_THROW_STEPS - 1
    choosing = np.repeat(bank[:, np.newaxis], size, axis=1)
    if size == 7:
        choosing[deep:, 6] += hot
    found = np.full((deep, size), np.nan)
    worth, best = np.empty(keeps.shape), np.empty(keeps.shape[1])
    flat = choosing.ravel()
    for steps in range(deep - 1, -1, -1):
        np.take(flat[steps * size :], keeps, out=worth, mode="clip")
        np.maximum.reduce(worth, axis=0, out=best)
        np.dot(chances, best, out=found[steps])
        choosing[steps] = found[steps] if steps < least else np.maximum(bank[steps], found[steps])
    return found


@cache
def _offers(size: int) -> tuple[Indices, Floats]:
    """Return the offers of Crapola throws of 1 to `size` dice as arrays for backward induction. Cached.

    An offer is what a throw lets the player keep. For each number of dice that can be left over, it has the keep with
    the most points. A crap-out has no offer. Raises RulesError if the stored table of offers is missing.

    Keeps are indices into a flattened table of values, with a row for each `STEP` turn points. Its `size` columns are
    the dice to throw next, minus 1. Index 0 is the start of the row of the turn points before the throw.

    Returns:
        (keeps, offers) index of the state after each keep. A keep of all dice is followed by a throw of `size`
            dice. An offer with fewer keeps repeats its last one.
        (size, offers) probability of each offer, by dice thrown minus 1; 0 for an offer of another number of dice.
            A row's sum falls short of 1 by the chance of a crap-out.
    """
    offers = [(dice, offer, chance) for dice in range(1, size + 1) for offer, chance in offers_of(dice)]
    width = max(len(offer) for _, offer, _ in offers)
    padded = [offer + offer[-1:] * (width - len(offer)) for _, offer, _ in offers]
    keeps = [[points // STEP * size + (left or size) - 1 for left, points in offer] for offer in padded]
    chances = np.zeros((size, len(offers)))
    for place, (dice, _, chance) in enumerate(offers):
        chances[dice - 1, place] = chance
    return np.ascontiguousarray(np.array(keeps).T), chances
