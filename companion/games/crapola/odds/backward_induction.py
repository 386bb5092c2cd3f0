"""A whole turn of Crapola at once, played for any aim: what each throw in it brings at best, worked back with NumPy."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from companion.games.crapola.odds.offers import STEP, offers_of

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
MOST_AT_ONCE = 100  # steps of the best single throw


def thrown(size: int, bank: Floats, least: int, hot: float = 0.0) -> Floats:
    """What throws bring, shape (deep, size): by steps (of `STEP` points) so far and dice - 1.

    Args:
        size: Dice of the turn.
        bank: What it brings to bank so many steps, to `MOST_AT_ONCE` beyond those (`deep`) from which the turn stops;
            a crap-out brings 0.
        least: Steps below which a stop is not allowed.
        hot: What hot dice of seven, which can't fail, add from there on.
    """
    keeps, chances = _offers(size)
    deep = len(bank) - MOST_AT_ONCE - 1
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
    """Of throws of one to so many dice: where each keep leads, and the chances by dice thrown.

    Shapes (most keeps, offers), the last keep repeated, and (size, offers). A keep leads so many places on in a table
    by steps and dice - 1.
    """
    offers = [(dice, offer, chance) for dice in range(1, size + 1) for offer, chance in offers_of(dice)]
    width = max(len(offer) for _, offer, _ in offers)
    padded = [offer + offer[-1:] * (width - len(offer)) for _, offer, _ in offers]
    keeps = [[points // STEP * size + (left or size) - 1 for left, points in offer] for offer in padded]
    chances = np.zeros((size, len(offers)))
    for place, (dice, _, chance) in enumerate(offers):
        chances[dice - 1, place] = chance
    return np.ascontiguousarray(np.array(keeps).T), chances
