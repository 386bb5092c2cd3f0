"""The chance to win Crag: this turn is played for it, all later ones, by everyone, for the final total.

Played so, what a sheet will still bring has a fixed distribution for each set of filled categories. Sheets don't touch
one another, so the chance to be ahead of all others at the end is exact, given how later turns are played; in the last
round, where totals are given, it is the chance with best play. A shared win counts as its share.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from companion.errors import RulesError
from companion.games.crag.odds import FULL, KEEPS, LYING, filled_of, points_table, sheets
from companion.games.crag.sheet import CATEGORIES
from companion.games.crag.solve import Floats, after_keeps, choices
from companion.games.crag.state import Crag
from companion.games.game import Action, Enter, Keep, State

TOTALS = 245  # no sheet holds more than 244
PLACES = range(len(CATEGORIES))
AT_ONCE = 256
"""So many sheets lie in a processor's cache together."""
Masks = npt.NDArray[np.int64]


class Prospects:
    """What sheets still bring, played for the final total: all of them, worked out when it is made.

    Args:
        strict: The house rule `thirteen_without_double`.
    """

    def __init__(self, strict: bool) -> None:
        self.points = np.array([points_table(strict)[dice] for dice in LYING])
        self._worth = np.array(sheets(strict))
        self._chances = np.zeros((FULL + 1, TOTALS))
        self._chances[FULL, 0] = 1.0
        # What may be entered where, numbered through: dice that score alike lead to the same sheets.
        pairs = [(place, int(scored)) for place in PLACES for scored in np.unique(self.points[:, place])]
        self._pair_of = np.array([[pairs.index((place, int(dice[place]))) for dice in self.points] for place in PLACES])
        self._scores = [
            [(at, scored) for at, (where, scored) in enumerate(pairs) if where == place] for place in PLACES
        ]
        # The most that so many empty rows bring.
        self._most = [0, *np.cumsum(np.sort(self.points.max(axis=0))[::-1]).tolist()]
        filled = np.array([mask.bit_count() for mask in range(FULL + 1)])
        for size in reversed(PLACES):
            masks = np.flatnonzero(filled == size)
            for begin in range(0, len(masks), AT_ONCE):
                some = masks[begin : begin + AT_ONCE]
                self._chances[some] = self._spread(some, self._weights(some))

    def of(self, filled: int) -> Floats:
        """The chance of each number of points to come, shape (TOTALS,)."""
        chances: Floats = self._chances[filled]
        return chances

    def _weights(self, masks: Masks) -> Floats:
        """The chance of each that may be entered, of sheets with as many filled as each other, shape (masks, pairs)."""
        worth, where = self._entries(masks)
        pairs, count = self._pair_of[where, np.arange(len(LYING))[:, np.newaxis]], int(self._pair_of.max()) + 1
        at = pairs + np.arange(len(masks)) * count
        weights = np.bincount(at.ravel(), self._lying(worth).ravel(), len(masks) * count)
        return weights.astype(np.float64).reshape(len(masks), -1)

    def _spread(self, masks: Masks, weights: Floats) -> Floats:
        """The chance of each number of points, by the chances of what is entered where, shape (masks, TOTALS)."""
        most = self._most[len(CATEGORIES) - int(masks[0]).bit_count()] + 1
        found = np.zeros((len(masks), TOTALS))
        part = np.empty((len(masks), most))
        for place, scores in enumerate(self._scores):
            later = self._chances[masks | 1 << place, :most]  # zero where the place is filled: no weight falls on it
            for column, scored in scores:
                np.multiply(later[:, : most - scored], weights[:, column, np.newaxis], out=part[:, : most - scored])
                found[:, scored:most] += part[:, : most - scored]
        return found

    def _entries(self, masks: Masks) -> tuple[Floats, Masks]:
        """By three dice the most that the rest of the sheet brings, and where to enter them; shape (dice, masks)."""
        best = np.full((len(LYING), len(masks)), -np.inf)
        where = np.zeros(best.shape, dtype=np.int64)
        for place in PLACES:
            worth = np.where(masks >> place & 1, -np.inf, self._worth[masks | 1 << place])
            entered = self.points[:, place, np.newaxis] + worth
            np.copyto(where, place, where=entered > best)
            np.maximum(best, entered, out=best)
        return best, where

    def _lying(self, worth: Floats) -> Floats:
        """The chance that each three dice are entered, of turns that keep what is worth most, shape (dice, masks)."""
        kept = after_keeps() @ worth
        first, *others = choices().T
        best, taken = kept[first], np.repeat(first[:, np.newaxis], worth.shape[1], axis=1)
        for keep in others:
            more = kept[keep]
            np.copyto(taken, keep[:, np.newaxis], where=more > best)
            np.maximum(best, more, out=best)
        at = taken * worth.shape[1] + np.arange(worth.shape[1])
        thrown = np.broadcast_to(after_keeps()[KEEPS.index(())][:, np.newaxis], at.shape)
        keeps = np.bincount(at.ravel(), thrown.ravel(), kept.size).astype(np.float64).reshape(kept.shape)
        lying: Floats = after_keeps().T @ keeps
        return lying


@cache
def prospects(strict: bool) -> Prospects:
    """Those under that rule, remembered from call to call."""
    return Prospects(strict)


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """The chance to win with each option. Raises RulesError in the roll-off."""
    if not isinstance(state, Crag):
        raise RulesError("The chance to win is worked out once the roll-off is over.")
    if state.over:
        return ()
    entries = _entries(state)
    best = np.max(list(entries.values()), axis=0)
    kept = dict(zip(KEEPS, after_keeps() @ best, strict=True))
    if state.phase == "fresh":
        throws = after_keeps()[KEEPS.index(())]
        values = np.array(list(kept.values()))[choices()].max(axis=1)
        return ((3, float(throws @ values)),)
    thrown = tuple((dice, float(kept[state.dice])) for dice in state.throw_sizes)
    return thrown + tuple((option, _worth(state, option, entries, kept)) for option in state.options())


def _worth(state: Crag, option: Action, entries: dict[str, Floats], kept: dict[tuple[int, ...], float]) -> float:
    if isinstance(option, Keep):
        return float(kept[option.dice])
    assert isinstance(option, Enter), "there are no other decisions"
    return float(entries[option.category][LYING.index(state.dice)])


def _entries(state: Crag) -> dict[str, Floats]:
    """The chance to win with each three dice entered in each category that is unused, shape (dice,) each."""
    sheet = prospects(bool(state.header.rules["thirteen_without_double"]))
    filled, total = filled_of(dict(state.sheets[state.seat])), state.scores[state.seat]
    share = np.pad(_shares(state, sheet), (0, TOTALS))
    found = {}
    for category in state.unused:
        place = CATEGORIES.index(category)
        later = sheet.of(filled | 1 << place)
        by_score = {
            int(scored): float(later @ share[total + scored : total + scored + TOTALS])
            for scored in set(sheet.points[:, place].tolist())
        }
        found[category] = np.array([by_score[int(scored)] for scored in sheet.points[:, place]])
    return found


def _shares(state: Crag, sheet: Prospects) -> Floats:
    """The player's share of the win by his final total, shape (TOTALS,)."""
    by_level = [np.ones(TOTALS)]  # by how many others are level
    for seat, entered in enumerate(state.sheets):
        if seat == state.seat or seat in state.left:
            continue
        final = np.zeros(TOTALS)
        total = state.scores[seat]
        final[total:] = sheet.of(filled_of(dict(entered)))[: TOTALS - total]
        below = np.concatenate([[0.0], np.cumsum(final)[:-1]])
        zero = [np.zeros(TOTALS)]
        by_level = [
            below * fewer + final * more for fewer, more in zip([*by_level, *zero], [*zero, *by_level], strict=True)
        ]
    shares: Floats = np.sum([chances / (1 + level) for level, chances in enumerate(by_level)], axis=0)
    return shares
