"""Outcomes of Crag turns under the policy that maximises the expected final total.

All probabilities are multiples of 1 / `win.TURNS`, so the tables hold integers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from companion.games.crag.odds.backward_induction import Floats, after_keeps, choices
from companion.games.crag.odds.turn_value import FULL, KEEPS, RESULTS, SHEETS, points_table
from companion.games.crag.odds.win import PLACES, TURNS, enterable

Masks = npt.NDArray[np.int64]
TIE_POINTS = 1e-9
"""Difference in expected points up to which two options are tied; the first one is taken. Higher: more ties.

Processors round the last digits differently. Ties make all machines choose the same policy. Much higher: worse options
are taken."""


def plays(later: Floats, thirteen_without_double: bool) -> npt.NDArray[np.uint16]:
    """Return how often a Crag turn on each sheet ends with each entry, if play maximises the expected final total.

    A sheet is the set of its filled categories. An entry is a category and the points written there.

    Args:
        later: (SHEETS,) expected remaining points of each sheet.
        thirteen_without_double: Whether this house rule is on.

    Returns:
        (SHEETS, entries) number of turns, out of the 6**6 equally likely ones, that end with each entry of
        `enterable`. A full sheet has no turn: its numbers are 0.
    """
    points = np.array([points_table(thirteen_without_double)[dice] for dice in RESULTS])
    numbered = {entry: number for number, entry in enumerate(enterable())}
    entry_of = np.array([[numbered[place, int(dice[place])] for dice in points] for place in PLACES])
    masks = np.arange(FULL)
    worth, where = _entered(masks, points, later)
    ended, count = entry_of[where, np.arange(len(RESULTS))[:, np.newaxis]], len(enterable())
    at = ended + masks * count
    found = np.zeros((SHEETS, count))
    found[:FULL] = np.bincount(at.ravel(), _final_results(worth).ravel(), FULL * count).reshape(FULL, count)
    return np.rint(found * TURNS).astype(np.uint16)


def _entered(masks: Masks, points: Masks, later: Floats) -> tuple[Floats, Masks]:
    """Return the best entry of each result of three dice on each sheet: its value and the index of its category.

    Both are (results, sheets) arrays. The value is the points of the entry and the expected points after it. Filled
    categories are skipped; the lowest index wins a tie.

    Args:
        masks: (sheets,) indices of the sheets that are not full; bit k is set if category k is filled.
        points: (results, categories) points of each result of three dice in each category.
        later: (SHEETS,) expected remaining points of each sheet.
    """
    best = np.full((len(RESULTS), len(masks)), -np.inf)
    where = np.zeros(best.shape, dtype=np.int64)
    for place in PLACES:
        worth = np.where(masks >> place & 1, -np.inf, later[masks | 1 << place])
        entered = points[:, place, np.newaxis] + worth
        np.copyto(where, place, where=entered > best + TIE_POINTS)
        np.maximum(best, entered, out=best)
    return best, where


def _final_results(worth: Floats) -> Floats:
    """Return the probability of each final result of three dice in a Crag turn, before the first of its two throws.

    After the first throw the player keeps the dice that maximise the expected `worth` of the second, on each sheet. Of
    options tied within TIE_POINTS the first one is taken.

    Args:
        worth: (results, sheets) value of the best entry of each result on each sheet.

    Returns:
        (results, sheets) probability; the column of each sheet adds up to 1.
    """
    kept = after_keeps() @ worth
    ways = kept[choices()]
    best = (ways >= ways.max(axis=1, keepdims=True) - TIE_POINTS).argmax(axis=1)
    taken = np.take_along_axis(choices(), best, axis=1)  # by first throw and mask
    at = taken * worth.shape[1] + np.arange(worth.shape[1])
    thrown = np.broadcast_to(after_keeps()[KEEPS.index(())][:, np.newaxis], at.shape)
    keeps = np.bincount(at.ravel(), thrown.ravel(), kept.size).reshape(kept.shape)
    lying: Floats = after_keeps().T @ keeps
    return lying
