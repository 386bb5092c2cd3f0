"""Many turns of Crib Dice at once, played for any aim: what each brings at best, and what it then banks how often.

A turn is known by its state (a column here), which says where its peg starts, what each hole is worth to bank at and
what a wipe-out is worth. It is worked back from so far along the track that it always stops there. A throw of seven
offers many choices of a set; where a further hole is never worse, of sets as large the higher value is never worse
either, and far fewer offers need to be weighed.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import numpy as np
import numpy.typing as npt

from companion.games.crib_dice.duel import REACH
from companion.games.crib_dice.odds import first_throws, piddle_ends, rolls, set_score

Floats = npt.NDArray[np.float64]

# Rows of the worth of each set: row 0 is a wipe-out's; then by frozen dice, the value from 1 to 6 within.
ROW = {5: 1, 6: 7, 7: 13, 4: 19, 3: 25, 2: 31}
ROWS = 37
AT_ONCE = 24


@cache
def offers(monotone: bool) -> tuple[tuple[tuple[int, ...], float], ...]:
    """The rows that a throw of seven lets one choose from, and the chance of that.

    Args:
        monotone: Whether a further hole is never worse: then of sets as large only the highest value is listed.
    """
    chances: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for offer, chance in first_throws():
        best = dict(sorted(offer)) if monotone else None
        sets = tuple(best.items()) if best else offer
        chances[tuple(sorted(ROW[frozen] + value - 1 for frozen, value in sets))] += chance
    return tuple(sorted(chances.items(), key=lambda each: (len(each[0]), each[0])))


@cache
def roll_matrix(frozen: int) -> Floats:
    """What a roll with so many frozen brings, thrown again while only 1s keep it safe: by value, shape (6, rows)."""
    matrix = np.zeros((6, ROW[frozen]))
    for value in range(1, 7):
        changes, unchanged = rolls(frozen, value)
        for hits, chance in changes:
            matrix[value - 1, ROW[frozen + hits] + value - 1] = chance / (1 - unchanged)
        matrix[value - 1, 0] = 1.0 - float(matrix[value - 1].sum())
    return matrix


@cache
def _stops(frozen: int) -> npt.NDArray[np.int64]:
    """What a set of so many scores, by value."""
    return np.array([set_score(frozen, value) for value in range(1, 7)])


@cache
def _all_stops() -> npt.NDArray[np.int64]:
    """What each set scores, by its row from 1 on."""
    return np.concatenate([_stops(frozen) for frozen in ROW])


@cache
def _padded(monotone: bool) -> tuple[npt.NDArray[np.int64], Floats]:
    """The offers as one table of rows, the last row repeated, shape (width, offers); and their chances."""
    width = max(len(rows) for rows, _ in offers(monotone))
    table = [rows + rows[-1:] * (width - len(rows)) for rows, _ in offers(monotone)]
    return np.array(table).T, np.array([chance for _, chance in offers(monotone)])


@cache
def _alone(monotone: bool) -> Floats:
    """The chance that a throw offers one set alone, by its row, shape (ROWS,)."""
    chances = np.zeros(ROWS)
    for rows, chance in offers(monotone):
        if len(rows) == 1:
            chances[rows[0]] += chance
    return chances


class Turns:
    """Turns of a batch of states, worked back.

    Args:
        piddle_points: The house rule.
        bank: What it is worth to bank at each hole, shape (top + 2 * REACH + 1, columns); its dtype is used throughout.
        lost: What a wipe-out is worth, shape (columns,).
        block: How many columns start at each hole: the first so many at hole 0, and so on.
        top: The hole from which every turn stops.
        bottom: The lowest hole that matters.
        monotone: Whether `bank` never falls from hole to hole.

    Attributes:
        fresh: What a throw of seven brings by hole, valid in the columns that start there or before.
    """

    def __init__(
        self,
        piddle_points: bool,
        bank: Floats,
        lost: Floats,
        block: int,
        top: int,
        *,
        bottom: int = 0,
        monotone: bool = True,
    ) -> None:
        columns = len(lost)
        self.bank, self.lost, self.block, self.top = bank, lost, block, top
        self._precision = bank.dtype
        self.fresh = np.empty((top + REACH + 1, columns), self._precision)
        self._ends, self._monotone = piddle_ends(piddle_points), monotone
        self._lost_piddle = 1 - sum(chance for _, chance in self._ends)
        self._rolls = [(ROW[frozen], roll_matrix(frozen).astype(self._precision)) for frozen in (4, 3, 2)]
        self._throws = [
            (
                np.concatenate([_stops(min(7, frozen + hits)) for frozen in (5, 6, 7)]),
                np.array([chance] * 12 + [0.0 if hits else 1.0] * 6, self._precision)[:, np.newaxis],
            )
            for hits, chance in self._ends
        ]
        risk = np.array([self._lost_piddle] * 12 + [0.0] * 6, self._precision)
        self._risked = risk[:, np.newaxis] * lost
        self._sets = np.empty((ROWS, columns), self._precision)
        self._sets[0] = lost
        self._best = np.empty((AT_ONCE, columns), self._precision)
        for hole in range(top + REACH, top - 1, -1):
            self._sets[1:] = bank[hole + _all_stops()]
            self._choose(hole, columns)
        for hole in range(top - 1, bottom - 1, -1):
            self._choose(hole, self._weigh(hole))

    def worth(self) -> Floats:
        """What each turn brings, shape (columns,)."""
        starts = np.arange(len(self.lost)) // self.block
        worth: Floats = self.fresh[starts, np.arange(len(self.lost))]
        return worth

    def outcomes(self, holes: int) -> tuple[Floats, Floats]:
        """How often each turn banks at each hole, shape (holes, columns), and how often it wipes out on them."""
        columns = len(self.lost)
        banked, wiped = np.zeros((holes + REACH, columns), self._precision), np.zeros(columns, self._precision)
        reached = np.zeros_like(banked)
        reached[np.arange(columns) // self.block, np.arange(columns)] = 1.0
        for hole in range(holes):
            count = self._weigh(hole)
            chosen = self._chosen(reached[hole, :count], count)
            for frozen, (_, matrix) in zip((2, 3, 4), reversed(self._rolls), strict=True):
                throwing = self._stopped(hole, frozen, matrix @ self._sets[: ROW[frozen], :count], chosen, banked)
                chosen[: ROW[frozen]] += matrix.T @ throwing
            for frozen in (5, 6):
                throwing = self._stopped(hole, frozen, self._piddle(hole, frozen, count), chosen, banked)
                chosen[0] += self._lost_piddle * throwing.sum(axis=0)
                for hits, chance in self._ends:
                    for value, after in enumerate(hole + _stops(min(7, frozen + hits))):
                        reached[after, :count] += chance * throwing[value]
            throwing = self._stopped(hole, 7, self.fresh[hole + _stops(7), :count], chosen, banked)
            for value, after in enumerate(hole + _stops(7)):
                reached[after, :count] += throwing[value]
            wiped[:count] += chosen[0]
        return banked[:holes], wiped

    def _stopped(self, hole: int, frozen: int, thrown: Floats, chosen: Floats, banked: Floats) -> Floats:
        """The chance of going on with each value; that of stopping is added to what is banked."""
        count, here = chosen.shape[1], chosen[ROW[frozen] : ROW[frozen] + 6]
        stopping = np.where(thrown <= self.bank[hole + _stops(frozen), :count], here, 0.0)
        for value, stop in enumerate(hole + _stops(frozen)):
            banked[stop, :count] += stopping[value]
        throwing: Floats = here - stopping
        return throwing

    def _piddle(self, hole: int, frozen: int, count: int) -> Floats:
        """What a piddle with so many frozen brings, by value."""
        worth = np.tile(self._lost_piddle * self.lost[:count], (6, 1))
        for hits, chance in self._ends:
            worth += chance * self.fresh[hole + _stops(min(7, frozen + hits)), :count]
        return worth

    def _weigh(self, hole: int) -> int:
        """Fills in what each set is worth with so much gathered; how many columns that is for."""
        count = min((hole + 1) * self.block, len(self.lost))
        sets, stops = self._sets[:, :count], self.bank[hole + _all_stops(), :count]
        thrown = self._risked[:, :count]
        for after, chance in self._throws:
            thrown = thrown + chance * self.fresh[hole + after, :count]
        np.maximum(thrown, stops[: len(thrown)], out=sets[1 : 1 + len(thrown)])
        for row, matrix in self._rolls:
            np.maximum(matrix @ sets[:row], stops[row - 1 : row + 5], out=sets[row : row + 6])
        return count

    def _choose(self, hole: int, count: int) -> None:
        """What a throw of seven is worth there: of each offer the best set."""
        sets, fresh = self._sets[:, :count], self.fresh[hole, :count]
        rows, chances = _padded(self._monotone)  # those of one set come first
        if count < AT_ONCE:  # few states: fewer calls are better than fewer copies
            fresh[:] = chances @ sets[rows].max(axis=0)
            return
        alone = _alone(self._monotone)
        np.matmul(alone.astype(self._precision), sets, out=fresh)
        for begin in range(np.count_nonzero(alone), len(chances), AT_ONCE):
            some = slice(begin, begin + AT_ONCE)
            best = self._best[: len(chances[some]), :count]
            for place, (first, *others) in enumerate(rows[:, some].T.tolist()):
                np.maximum(sets[first], sets[others[0]], out=best[place])
                for other in others[1:]:
                    np.maximum(best[place], sets[other], out=best[place])
            fresh += chances[some].astype(self._precision) @ best

    def _chosen(self, reached: Floats, count: int) -> Floats:
        """The chance that each set is named, of that of being there, shape (ROWS, count)."""
        sets = self._sets[:, :count]
        chosen = np.zeros((ROWS, count), self._precision)
        for rows, chance in offers(self._monotone):
            if len(rows) == 1:
                chosen[rows[0]] += chance * reached
            elif len(rows) == 2:
                share = chance * reached
                first = share * (sets[rows[0]] >= sets[rows[1]])
                chosen[rows[0]] += first
                chosen[rows[1]] += share - first
            else:
                best = sets[list(rows)].argmax(axis=0)
                for place, row in enumerate(rows):
                    chosen[row] += chance * reached * (best == place)
        return chosen
