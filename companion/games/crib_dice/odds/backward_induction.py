"""Many turns of Crib Dice at once, played for any aim: what each brings at best, and what it then banks how often.

A turn is known by its state (a column here), which says where its peg starts, what each hole is worth to bank at and
what a wipe-out is worth. It is worked back from so far along the track that it always stops there. A throw of seven
offers many choices of a set; as a further hole is never worse to bank at, of sets as large the higher value is never
worse either, and far fewer offers need to be weighed.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from companion.games.crib_dice.odds.turn_value import first_throws, piddle_ends, roll_ends
from companion.games.crib_dice.scoring import MAX_SET_SCORE, MIN_ROLLOVER, set_score

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

# Rows of the worth of each set: row 0 is a wipe-out's; then by frozen dice, the value from 1 to 6 within.
ROW = {5: 1, 6: 7, 7: 13, 4: 19, 3: 25, 2: 31}
ROWS = 37
AT_ONCE = 24


@cache
def offers() -> tuple[tuple[tuple[int, ...], float], ...]:
    """The one or two rows that a throw of seven lets one choose from, of sets as large the highest; and the chance."""
    chances: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for offer, chance in first_throws():
        sets = dict(sorted(offer))
        chances[tuple(sorted(ROW[frozen] + value - 1 for frozen, value in sets.items()))] += chance
    return tuple(sorted(chances.items(), key=lambda each: len(each[0])))


@cache
def roll_matrix(frozen: int) -> Floats:
    """What a roll with so many frozen brings, thrown again while only 1s keep it safe: by value, shape (6, rows)."""
    matrix = np.zeros((6, ROW[frozen]))
    for value in range(1, 7):
        for hits, chance in roll_ends(frozen, value):
            matrix[value - 1, ROW[frozen + hits] + value - 1] = chance
        matrix[value - 1, 0] = 1.0 - float(matrix[value - 1].sum())
    return matrix


@cache
def stops_of(frozen: int) -> npt.NDArray[np.int64]:
    """What a set of so many scores, by value."""
    return np.array([set_score(frozen, value) for value in range(1, 7)])


@cache
def _all_stops() -> npt.NDArray[np.int64]:
    """What each set scores, by its row from 1 on."""
    return np.concatenate([stops_of(frozen) for frozen in ROW])


@cache
def _pairs() -> tuple[npt.NDArray[np.int64], Floats]:
    """The offers as one table of rows, one that is alone twice, shape (2, offers); and their chances."""
    table = [(rows[0], rows[-1]) for rows, _ in offers()]
    return np.array(table).T, np.array([chance for _, chance in offers()])


@cache
def _alone() -> Floats:
    """The chance that a throw offers one set alone, by its row, shape (ROWS,)."""
    chances = np.zeros(ROWS)
    for rows, chance in offers():
        if len(rows) == 1:
            chances[rows[0]] += chance
    return chances


class Turns:
    """Turns of a batch of states, worked back hole by hole; whoever asks for a hole has asked for all further ones.

    Args:
        piddle_points: The house rule.
        bank: Value of banking at each hole, non-decreasing along the track, shape (holes + MAX_SET_SCORE, columns).
            Its dtype is used throughout.
        lost: What a wipe-out is worth, shape (columns,).

    Attributes:
        fresh: What a throw of seven brings by hole, shape (holes, columns), as far as it has been asked for.
        sets: What each set was worth at the hole that was asked for last, shape (ROWS, columns).
    """

    def __init__(self, piddle_points: bool, bank: Floats, lost: Floats) -> None:
        holes, columns, kind = len(bank) - MAX_SET_SCORE, len(lost), bank.dtype
        self.bank, self.lost = bank, lost
        self.fresh = np.full((holes, columns), np.nan, kind)
        self._ends = piddle_ends(piddle_points)
        self._lost_piddle = 1 - sum(chance for _, chance in self._ends)
        self._rolls = [(ROW[frozen], roll_matrix(frozen).astype(kind)) for frozen in (4, 3, 2)]
        self._throws = [
            (
                np.concatenate([stops_of(min(7, frozen + hits)) for frozen in (5, 6, 7)]),
                np.array([chance] * 12 + [0.0 if hits else 1.0] * 6, kind)[:, np.newaxis],
            )
            for hits, chance in self._ends
        ]
        risk = np.array([self._lost_piddle] * 12 + [0.0] * 6, kind)
        self._risked = risk[:, np.newaxis] * lost
        self.sets = np.empty((ROWS, columns), kind)
        self.sets[0] = lost
        self._best = np.empty((AT_ONCE, columns), kind)

    def stop(self, hole: int, some: slice) -> None:
        """Turns of those columns that have come so far stop with the first set they name."""
        self.sets[1:, some] = self.bank[hole + _all_stops(), some]
        self._choose(hole, some)

    def play(self, hole: int, some: slice) -> None:
        """Turns of those columns that have come so far go on or stop, whichever is better."""
        self.weigh(hole, some)
        self._choose(hole, some)

    def weigh(self, hole: int, some: slice) -> None:
        """Fills in what each set is worth with so much gathered."""
        sets, stops, thrown = self.sets[:, some], self.bank[hole + _all_stops(), some], self._risked[:, some]
        for after, chance in self._throws:
            thrown = thrown + chance * self.fresh[hole + after, some]
        np.maximum(thrown, stops[: len(thrown)], out=sets[1 : 1 + len(thrown)])
        for row, matrix in self._rolls:
            np.maximum(matrix @ sets[:row], stops[row - 1 : row + 5], out=sets[row : row + 6])

    def _choose(self, hole: int, some: slice) -> None:
        """What a throw of seven is worth there: of each offer the best set."""
        sets, fresh = self.sets[:, some], self.fresh[hole, some]
        rows, chances = _pairs()  # those of one set come first
        if len(fresh) < AT_ONCE:  # few states: fewer calls are better than fewer copies
            fresh[:] = chances @ sets[rows].max(axis=0)
            return
        alone = _alone()
        np.matmul(alone.astype(sets.dtype), sets, out=fresh)
        for begin in range(np.count_nonzero(alone), len(chances), AT_ONCE):
            offered = slice(begin, begin + AT_ONCE)
            best = self._best[: len(chances[offered]), : len(fresh)]
            for place, (one, other) in enumerate(rows[:, offered].T.tolist()):
                np.maximum(sets[one], sets[other], out=best[place])
            fresh += chances[offered].astype(sets.dtype) @ best


def worked_back(turns: Turns, starts: Indices) -> Turns:
    """The same turns, worked back from hole to hole.

    Args:
        turns: Not evaluated yet. Their `bank` reaches `2 * MAX_SET_SCORE` beyond the hole from which every turn stops.
        starts: The hole that each column starts at, ascending: it is worked back to there.
    """
    top = len(turns.bank) - 2 * MAX_SET_SCORE - 1
    for hole in reversed(range(top, top + MAX_SET_SCORE + 1)):
        turns.stop(hole, slice(None))
    for hole in reversed(range(top)):
        turns.play(hole, slice(int(np.searchsorted(starts, hole, "right"))))
    return turns


def fresh_throws(piddle_points: bool, bank: Floats, lost: float, bottom: int) -> Floats:
    """What a throw of seven brings in one turn, by hole from `bottom` on; a further hole is never worse to bank at.

    The same as `worked_back` of one column, in fewer calls: a phone waits for it.

    Args:
        piddle_points: The house rule.
        bank: What it is worth to bank at each hole, to `2 * MAX_SET_SCORE` beyond that from which the turn stops.
        lost: What a wipe-out is worth.
        bottom: The lowest hole that matters.
    """
    rows, chances = _pairs()
    known = np.arange(bottom, len(bank) - MAX_SET_SCORE)
    stops = np.full((ROWS, len(known)), lost)
    stops[1:] = bank[_all_stops()[:, np.newaxis] + known]
    fresh, top = np.full(len(known), np.nan), len(known) - MAX_SET_SCORE - 1
    fresh[top:] = chances @ stops[:, top:][rows].max(axis=0)
    rollovers, lost_piddle = _rollovers(piddle_points)
    risked = lost * lost_piddle[:, np.newaxis]
    further = sliding_window_view(fresh, MAX_SET_SCORE - MIN_ROLLOVER + 1)[MIN_ROLLOVER:]  # by hole
    rolled = [(slice(row), roll_matrix(frozen), slice(row, row + 6)) for frozen, row in ROW.items() if frozen < 5]
    for end in range(top, 0, -MIN_ROLLOVER):
        holes = slice(max(0, end - MIN_ROLLOVER), end)
        sets = stops[:, holes].copy()
        np.maximum(sets[1:19], rollovers @ further[holes].T + risked, out=sets[1:19])
        for before, matrix, row in rolled:
            np.maximum(sets[row], matrix @ sets[before], out=sets[row])
        fresh[holes] = chances @ sets[rows].max(axis=0)
    return fresh


@cache
def _rollovers(piddle_points: bool) -> tuple[Floats, Floats]:
    """Chance of each rollover score with five or more dice frozen, and the chance of losing the throw.

    Rows from 1 on. Columns from `MIN_ROLLOVER` points on. Shapes (18, MAX_SET_SCORE - MIN_ROLLOVER + 1) and (18,).
    """
    ends = piddle_ends(piddle_points)
    found, lost = np.zeros((18, MAX_SET_SCORE - MIN_ROLLOVER + 1)), np.zeros(18)
    for row in range(18):
        frozen, value = (5, 6, 7)[row // 6], row % 6 + 1
        for hits, chance in ends if frozen < 7 else ((0, 1.0),):
            found[row, set_score(min(7, frozen + hits), value) - MIN_ROLLOVER] += chance
        lost[row] = 1 - found[row].sum()
    return found, lost
