"""The chance to win Crag: this turn is played for it, all later ones, by everyone, for the final total.

Played so, what a sheet will still bring has a fixed distribution for each set of filled categories. Sheets don't touch
one another, so the chance to be ahead of all others at the end is exact, given how later turns are played; in the last
round, where totals are given, it is the chance with best play. A shared win counts as its share.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import cache

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from companion.errors import RulesError
from companion.games.advice.stored import stored
from companion.games.crag.odds.backward_induction import Floats, after_keeps, choices
from companion.games.crag.odds.turn_value import FULL, KEEPS, LYING, SHEETS, filled_of, points_table
from companion.games.crag.scoring import BEST, CATEGORIES
from companion.games.crag.state import Crag
from companion.games.engine.game import Action, Enter, Keep, State

TOTALS = 245  # no sheet holds more than 244
PLACES = range(len(CATEGORIES))
PLAYS = "plays.u2z"
OPENINGS = "openings.u4z"
OPENING = 2  # categories filled at most, of the sheets in that table
LATE = 7
"""Categories filled at least, of the sheets that are worked out at once when the tables are loaded."""
AT_ONCE = 128
"""So many sheets lie in a processor's cache together."""
UNIT = 2.0**-32
TURNS = 6**6  # the first throw and the second: chances of a turn are so manieth parts
Masks = npt.NDArray[np.int64]


@cache
def _filled() -> Masks:
    """How many categories of each sheet are filled."""
    return np.array([mask.bit_count() for mask in range(SHEETS)])


@cache
def openings() -> Masks:
    """The sheets whose prospects are stored, ascending."""
    found: Masks = np.flatnonzero(_filled() <= OPENING)
    return found


@cache
def enterable() -> tuple[tuple[int, int], ...]:
    """All that can be entered: the place in the sheet, and the points there, ascending."""
    return tuple((place, points) for place in PLACES for points in sorted({row[place] for row in _points()}))


def _points() -> tuple[tuple[int, ...], ...]:
    return tuple(points_table(False)[dice] for dice in LYING)


MOST = tuple(map(max, zip(*_points(), strict=True)))  # that each category brings


class Prospects:
    """What sheets still bring, played for the final total, worked out for those that are asked for.

    Args:
        plays: How often a turn on each sheet ends in each of `enterable`, in `TURNS`, shape (sheets, entries).
        opening: The chances of each number of points to come, of `openings`, shape (len(openings), TOTALS).
    """

    def __init__(self, plays: npt.NDArray[np.uint16], opening: Floats) -> None:
        self._later = np.zeros((AT_ONCE, BEST + TOTALS))
        self._ends = [self._ends_in(place, plays) for place in PLACES]
        self._chances = np.zeros((SHEETS, TOTALS))
        self._chances[FULL, 0] = 1.0
        self._chances[openings()[: len(opening)]] = opening
        self._known = np.zeros(SHEETS, dtype=bool)
        self._known[[FULL, *openings()[: len(opening)]]] = True

    def _ends_in(self, place: int, plays: npt.NDArray[np.uint16]) -> tuple[Floats, Floats]:
        """The chances of each entry there, shape (sheets, entries), and `_later` moved on by the points of each."""
        columns = [column for column, (where, _) in enumerate(enterable()) if where == place]
        step = enterable()[columns[1]][1]  # the points of a category are 0 and multiples of that
        row, point = self._later.strides
        strides = row, -step * point, point
        return plays[:, columns] / TURNS, as_strided(self._later[:, BEST:], (AT_ONCE, len(columns), TOTALS), strides)

    def of(self, filled: int) -> Floats:
        """The chance of each number of points to come, shape (TOTALS,)."""
        if not self._known[filled]:
            self.prepare([filled])
        chances: Floats = self._chances[filled]
        return chances

    def prepare(self, sheets: Iterable[int]) -> None:
        """Works out those sheets and all that they can become."""
        every, some = np.arange(SHEETS), np.zeros(SHEETS, dtype=bool)
        for sheet in sheets:
            some |= every & sheet == sheet
        self.work_out(np.flatnonzero(some))

    def work_out(self, sheets: Masks) -> None:
        """Those sheets, from the full one back, as many filled at once; all that they can become are among them."""
        missing = sheets[~self._known[sheets]]
        for size in reversed(PLACES):
            self._spread(missing[_filled()[missing] == size], 1 + sum(sorted(MOST)[size - len(PLACES) :]))
        self._known[missing] = True

    def _spread(self, sheets: Masks, most: int) -> None:
        """Those sheets, with as many filled, when all they can become next are known; what is to come is under most."""
        found = np.zeros((len(sheets), most))
        for place in PLACES:
            unfilled = np.flatnonzero(sheets >> place & 1 == 0)
            for begin in range(0, len(unfilled), AT_ONCE):
                some = unfilled[begin : begin + AT_ONCE]
                found[some] += self._entered(sheets[some], place, most)
        self._chances[sheets, :most] = found

    def _entered(self, sheets: Masks, place: int, most: int) -> Floats:
        """What those sheets bring when that place is filled next, in at most so many points."""
        chances, moved = self._ends[place]
        self._later[: len(sheets), BEST : BEST + most] = self._chances[sheets | 1 << place, :most]
        found: Floats = np.einsum("sc,sct->st", chances[sheets], moved[: len(sheets), :, :most])
        return found


@cache
def prospects(strict: bool) -> Prospects:
    """Those under the house rule `thirteen_without_double`, remembered from call to call."""
    plays = np.frombuffer(zlib.decompress(stored(__package__, PLAYS)), "<u2").reshape(2, len(enterable()), SHEETS)
    opening = np.frombuffer(zlib.decompress(stored(__package__, OPENINGS)), "<u4").reshape(2, len(openings()), TOTALS)
    found = Prospects(np.ascontiguousarray(plays[int(strict)].T), opening[int(strict)] * UNIT)
    found.work_out(np.flatnonzero(_filled() >= LATE))
    return found


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
    strict = bool(state.header.rules["thirteen_without_double"])
    sheet, points = prospects(strict), [points_table(strict)[dice] for dice in LYING]
    filled, total = filled_of(dict(state.sheets[state.seat])), state.scores[state.seat]
    sheet.prepare(filled_of(dict(entered)) for entered in state.sheets)
    share = np.pad(_shares(state, sheet), (0, TOTALS))
    found = {}
    for category in state.unused:
        place = CATEGORIES.index(category)
        later = sheet.of(filled | 1 << place)
        by_score = {
            scored: float(later @ share[total + scored :][:TOTALS]) for where, scored in enterable() if where == place
        }
        found[category] = np.array([by_score[row[place]] for row in points])
    return found


def _shares(state: Crag, sheet: Prospects) -> Floats:
    """The player's share of the win by his final total, shape (TOTALS,)."""
    # By how many others are level with him, each other being below or level.
    by_level = np.zeros((len(state.sheets), TOTALS))
    by_level[0] = 1.0
    for seat, entered in enumerate(state.sheets):
        if seat == state.seat or seat in state.left:
            continue
        level = np.zeros(TOTALS)
        total = state.scores[seat]
        level[total:] = sheet.of(filled_of(dict(entered)))[: TOTALS - total]
        below = np.cumsum(level) - level
        fewer = by_level[:-1] * level
        by_level *= below
        by_level[1:] += fewer
    shares: Floats = (1 / np.arange(1.0, len(by_level) + 1)) @ by_level
    return shares
