"""Backward induction over one turn of Crapola, for any objective, with NumPy."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from companion.games.crapola.odds.offers import STEP, offers_of

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
MAX_THROW_STEPS = 100
"""Steps of the best single throw, seven 1s. Arrays extend that far beyond the points at which a turn stops."""


def thrown(size: int, bank: Floats, least: int, hot: float = 0.0) -> Floats:
    """Return the value of each throw of a turn with best play; a crap-out has the value 0.

    Args:
        size: Dice of the turn, 6 or 7.
        bank: Value of banking each number of steps (of `STEP` points), up to `MAX_THROW_STEPS` beyond the number from
            which the turn stops.
        least: Steps below which a stop is not allowed.
        hot: Value added to banking after hot dice where the turn else stops: seven dice cannot fail, so it throws on.

    Returns:
        (steps, size) value by steps so far and by dice thrown minus one.
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
    """Tabulate the offers of throws of 1 to `size` dice as arrays. Cached.

    Returns:
        (keeps, offers) distance in a flattened table of (steps, dice - 1) to the state after each keep, the last keep
        repeated as padding. And (size, offers) probability of each offer by dice thrown.
    """
    offers = [(dice, offer, chance) for dice in range(1, size + 1) for offer, chance in offers_of(dice)]
    width = max(len(offer) for _, offer, _ in offers)
    padded = [offer + offer[-1:] * (width - len(offer)) for _, offer, _ in offers]
    keeps = [[points // STEP * size + (left or size) - 1 for left, points in offer] for offer in padded]
    chances = np.zeros((size, len(offers)))
    for place, (dice, _, chance) in enumerate(offers):
        chances[dice - 1, place] = chance
    return np.ascontiguousarray(np.array(keeps).T), chances
