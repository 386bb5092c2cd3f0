"""Backward induction over the turns of a batch of states of Crib Dice, for any objective.

Each column of the arrays is one state: the value of banking at each hole, of a wipe-out and of a bomb. The induction
starts so far along the track that every turn stops there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from companion.games.crib_dice.odds.turn_value import NO_BOMBS, first_throws, piddle_ends, roll_ends
from companion.games.crib_dice.scoring import MAX_SET_SCORE, MIN_ROLLOVER, set_score

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

ROW = {5: 1, 6: 7, 7: 13, 4: 19, 3: 25, 2: 31}
"""First row of each number of frozen dice in a table of sets; rows of the values 1 to 6 follow. Row 0 is the
wipe-out."""
ROWS = 37
"""Rows of a table of sets: the wipe-out, and six values of 2 to 7 frozen dice."""
BOMBS = (ROW[5], ROW[6], ROW[7])
"""Rows of five, six and seven 1s: the sets that may bomb."""
BATCH_SIZE = 24
"""Offers evaluated per matrix product, and the number of states from which batching pays."""


@cache
def offers() -> tuple[tuple[tuple[int, ...], float], ...]:
    """Return every offer of a throw of seven: the table rows of its one to three sets, and its probability. Cached.

    Offers of one set come first, then those of two.
    """
    rows = [(tuple(ROW[frozen] + value - 1 for frozen, value in offer), chance) for offer, chance in first_throws()]
    return tuple(sorted(rows, key=lambda each: len(each[0])))


@cache
def roll_matrix(frozen: int) -> Floats:
    """Return the transition matrix of a roll with 2 to 4 dice frozen, re-thrown while only 1s keep it safe.

    Returns:
        (6, ROW[frozen]) probability of each row of the table of sets after the roll, by value of the frozen dice.
            Column
        0 is the wipe-out.
    """
    matrix = np.zeros((6, ROW[frozen]))
    for value in range(1, 7):
        for hits, chance in roll_ends(frozen, value):
            matrix[value - 1, ROW[frozen + hits] + value - 1] = chance
        matrix[value - 1, 0] = 1.0 - float(matrix[value - 1].sum())
    return matrix


@cache
def stops_of(frozen: int) -> npt.NDArray[np.int64]:
    """Return the (6,) scores of sets of `frozen` dice with the values 1 to 6."""
    return np.array([set_score(frozen, value) for value in range(1, 7)])


@cache
def _all_stops() -> npt.NDArray[np.int64]:
    """Return the (ROWS - 1,) score of each set, by its row from 1 on."""
    return np.concatenate([stops_of(frozen) for frozen in ROW])


@cache
def _offered() -> tuple[npt.NDArray[np.int64], Floats]:
    """Return `offers` as arrays: (3, offers) rows, the last set repeated as padding, and (offers,) probabilities."""
    table = [(rows + rows[-1:] * 2)[:3] for rows, _ in offers()]
    return np.array(table).T, np.array([chance for _, chance in offers()])


@cache
def _counts() -> tuple[int, int]:
    """Return the number of offers of one set, and of at most two sets; they come first in `offers`."""
    sizes = [len(rows) for rows, _ in offers()]
    return sizes.count(1), sizes.count(1) + sizes.count(2)


@cache
def _alone() -> Floats:
    """Return the (ROWS,) probability, by row, that a throw of seven offers that set alone."""
    chances = np.zeros(ROWS)
    for rows, chance in offers():
        if len(rows) == 1:
            chances[rows[0]] += chance
    return chances


class Turns:
    """Backward induction over the holes for a batch of states. Holes must be evaluated from the far end down.

    Args:
        piddle_points: Whether the house rule `piddle_points` is on.
        bank: Value of banking at each hole, shape (holes + MAX_SET_SCORE, columns). Its dtype is used throughout.
        lost: (columns,) value of a wipe-out.
        bombs: (3, columns) value of bombing with five, six and seven 1s; `-inf` where it is not allowed. None: never.

    Attributes:
        fresh: (holes, columns) value of a throw of seven by hole; NaN where it is not evaluated yet.
        sets: (ROWS, columns) value of each set at the hole evaluated last.
    """

    def __init__(self, piddle_points: bool, bank: Floats, lost: Floats, bombs: Floats | None = None) -> None:
        holes, columns, kind = len(bank) - MAX_SET_SCORE, len(lost), bank.dtype
        self.bank, self.lost, self.bombs = bank, lost, bombs
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
        self._best = np.empty((BATCH_SIZE, columns), kind)

    def solve_terminal(self, hole: int, some: slice) -> None:
        """Evaluate a hole in the columns `some`, where every turn stops with its first set (a terminal state)."""
        self.sets[1:, some] = self.bank[hole + _all_stops(), some]
        self._choose(hole, some)

    def solve(self, hole: int, some: slice) -> None:
        """Evaluate a hole in the columns `some`, where a turn stops, bombs or throws on, whichever is worth most."""
        self.solve_sets(hole, some)
        self._choose(hole, some)

    def solve_sets(self, hole: int, some: slice) -> None:
        """Fill the columns `some` of `sets` with the value of each set at `hole`: stop, bomb or throw on."""
        sets, stops, thrown = self.sets[:, some], self.bank[hole + _all_stops(), some], self._risked[:, some]
        for after, chance in self._throws:
            thrown = thrown + chance * self.fresh[hole + after, some]
        np.maximum(thrown, stops[: len(thrown)], out=sets[1 : 1 + len(thrown)])
        if self.bombs is not None:
            for row, bombed in zip(BOMBS, self.bombs, strict=True):
                np.maximum(sets[row], bombed[some], out=sets[row])
        for row, matrix in self._rolls:
            np.maximum(matrix @ sets[:row], stops[row - 1 : row + 5], out=sets[row : row + 6])

    def _choose(self, hole: int, some: slice) -> None:
        """Fill the columns `some` of `fresh` at `hole`: the expected value of the best set of each offer."""
        sets, fresh = self.sets[:, some], self.fresh[hole, some]
        rows, chances = _offered()
        if len(fresh) < BATCH_SIZE:  # few states: fewer calls beat fewer copies
            fresh[:] = chances @ sets[rows].max(axis=0)
            return
        alone, (single, double) = _alone(), _counts()
        np.matmul(alone.astype(sets.dtype), sets, out=fresh)
        for begin in range(single, len(chances), BATCH_SIZE):
            offered = slice(begin, begin + BATCH_SIZE)
            best = self._best[: len(chances[offered]), : len(fresh)]
            for place, (one, other, third) in enumerate(rows[:, offered].T.tolist()):
                np.maximum(sets[one], sets[other], out=best[place])
                if begin + place >= double:
                    np.maximum(best[place], sets[third], out=best[place])
            fresh += chances[offered].astype(sets.dtype) @ best


def evaluate(turns: Turns, starts: Indices) -> Turns:
    """Run the backward induction of a batch of turns over the holes, from the last down. Fills `turns` and returns it.

    Args:
        turns: Batch with one column a turn. Its `bank` holds the value of stopping at each hole and reaches
            `2 * MAX_SET_SCORE` beyond the hole from which every turn stops.
        starts: (columns,) hole at which each turn starts, ascending; holes before it are not evaluated.
    """
    top = len(turns.bank) - 2 * MAX_SET_SCORE - 1
    for hole in reversed(range(top, top + MAX_SET_SCORE + 1)):
        turns.solve_terminal(hole, slice(None))
    for hole in reversed(range(top)):
        turns.solve(hole, slice(int(np.searchsorted(starts, hole, "right"))))
    return turns


def fresh_throws(
    piddle_points: bool, bank: Floats, lost: float, bottom: int, bombs: Sequence[float] = NO_BOMBS
) -> Floats:
    """Return the value of a throw of seven at each hole from `bottom` on, for a single state.

    The result equals that of `evaluate` for one column. It takes fewer calls, because a phone waits for it.

    Args:
        piddle_points: Whether the house rule `piddle_points` is on.
        bank: Value of banking at each hole, up to `2 * MAX_SET_SCORE` beyond the hole at which the turn stops.
        lost: Value of a wipe-out.
        bottom: Lowest hole to evaluate.
        bombs: Value of bombing with five, six and seven 1s; `-inf` where it is not allowed.
    """
    rows, chances = _offered()
    known = np.arange(bottom, len(bank) - MAX_SET_SCORE)
    stops = np.full((ROWS, len(known)), lost)
    stops[1:] = bank[_all_stops()[:, np.newaxis] + known]
    stops[list(BOMBS)] = np.maximum(stops[list(BOMBS)], np.array(bombs)[:, np.newaxis])
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
    """Return the transition probabilities of throwing on with five, six or seven dice frozen.

    Returns:
        (18, scores) probability of a rollover with each score from MIN_ROLLOVER to MAX_SET_SCORE, and (18,) probability
        of losing the piddle. Rows are those of a table of sets, from row 1 on.
    """
    ends = piddle_ends(piddle_points)
    found, lost = np.zeros((18, MAX_SET_SCORE - MIN_ROLLOVER + 1)), np.zeros(18)
    for row in range(18):
        frozen, value = (5, 6, 7)[row // 6], row % 6 + 1
        for hits, chance in ends if frozen < 7 else ((0, 1.0),):
            found[row, set_score(min(7, frozen + hits), value) - MIN_ROLLOVER] += chance
        lost[row] = 1 - found[row].sum()
    return found, lost
