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


class Prospects:
    """What sheets still bring, played for the final total: worked out as far as it is asked for.

    Args:
        strict: The house rule `thirteen_without_double`.
    """

    def __init__(self, strict: bool) -> None:
        self.points = np.array([points_table(strict)[dice] for dice in LYING])
        self._worth = np.array(sheets(strict))
        self._known = np.zeros(FULL + 1, dtype=bool)
        self._known[FULL] = True
        self._chances = np.zeros((FULL + 1, TOTALS))
        self._chances[FULL, 0] = 1.0

    def of(self, filled: int) -> Floats:
        """The chance of each number of points to come, shape (TOTALS,)."""
        if not self._known[filled]:
            all_masks = np.arange(FULL + 1)
            missing = all_masks[(all_masks & filled == filled) & ~self._known]
            sizes = np.array([int(mask).bit_count() for mask in missing])
            for size in sorted(set(sizes.tolist()), reverse=True):
                self._work_out(missing[sizes == size])
        chances: Floats = self._chances[filled]
        return chances

    def _work_out(self, masks: npt.NDArray[np.int64]) -> None:
        """Sheets with as many filled as each other, from those with one more."""
        entered = np.full((len(masks), len(LYING), len(CATEGORIES)), -np.inf)
        for place in PLACES:
            unused = (masks >> place & 1) == 0
            entered[unused, :, place] = self.points[:, place] + self._worth[masks[unused] | 1 << place, np.newaxis]
        where = entered.argmax(axis=2)
        kept = entered.max(axis=2) @ after_keeps().T
        taken = kept[:, choices()].argmax(axis=2)
        keeps = np.zeros((len(masks), len(KEEPS)))
        for throw, chance in enumerate(after_keeps()[KEEPS.index(())]):
            keeps[np.arange(len(masks)), choices()[throw, taken[:, throw]]] += chance
        lying = keeps @ after_keeps()
        for dice in range(len(LYING)):
            for place in set(where[:, dice].tolist()):
                rows = np.flatnonzero(where[:, dice] == place)
                scored = int(self.points[dice, place])
                later = self._chances[masks[rows] | 1 << place, : TOTALS - scored]
                self._chances[masks[rows], scored:] += lying[rows, dice, np.newaxis] * later
        self._known[masks] = True


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
