"""Turns of Crib Dice that `turns` has worked back, played forward: where they bank, and how often they wipe out."""

from __future__ import annotations

import numpy as np

from companion.games.crib_dice.odds.backward_induction import (
    ROW,
    ROWS,
    Floats,
    Indices,
    Turns,
    offers,
    roll_matrix,
    stops_of,
)
from companion.games.crib_dice.odds.turn_value import piddle_ends
from companion.games.crib_dice.scoring import MAX_SET_SCORE


class Outcomes:
    """The chances of how turns end.

    Args:
        piddle_points: The house rule.
        turns: Worked back, from `starts` on.
        starts: The hole that each column starts at, ascending.
        holes: Those that are looked at: a turn that comes further is still on.

    Attributes:
        banked: How often each turn banks at each hole, shape (holes, columns).
        wiped: How often it wipes out, shape (columns,).
    """

    def __init__(self, piddle_points: bool, turns: Turns, starts: Indices, holes: int) -> None:
        self._turns, self._ends = turns, piddle_ends(piddle_points)
        columns = len(starts)
        banked = np.zeros((holes + MAX_SET_SCORE, columns), turns.bank.dtype)
        self.wiped = np.zeros(columns, turns.bank.dtype)
        reached = np.zeros_like(banked)
        reached[starts, np.arange(columns)] = 1.0
        for hole in range(holes):
            some = slice(int(np.searchsorted(starts, hole, "right")))
            self._play_on(hole, some, reached, banked)
        self.banked = banked[:holes]

    def _play_on(self, hole: int, some: slice, reached: Floats, banked: Floats) -> None:
        turns, lost_piddle = self._turns, 1 - sum(chance for _, chance in self._ends)
        turns.weigh(hole, some)
        chosen = self._chosen(reached[hole, some], some)
        for frozen in (2, 3, 4):
            matrix = roll_matrix(frozen)
            throwing = self._stopped(hole, frozen, matrix @ turns.sets[: ROW[frozen], some], chosen, banked[:, some])
            chosen[: ROW[frozen]] += matrix.T @ throwing
        for frozen in (5, 6):
            throwing = self._stopped(hole, frozen, self._piddle(hole, frozen, some), chosen, banked[:, some])
            chosen[0] += lost_piddle * throwing.sum(axis=0)
            for hits, chance in self._ends:
                for value, after in enumerate(hole + stops_of(min(7, frozen + hits))):
                    reached[after, some] += chance * throwing[value]
        throwing = self._stopped(hole, 7, turns.fresh[hole + stops_of(7), some], chosen, banked[:, some])
        for value, after in enumerate(hole + stops_of(7)):
            reached[after, some] += throwing[value]
        self.wiped[some] += chosen[0]

    def _stopped(self, hole: int, frozen: int, thrown: Floats, chosen: Floats, banked: Floats) -> Floats:
        """The chance of going on with each value; that of stopping is added to what is banked."""
        columns, here = chosen.shape[1], chosen[ROW[frozen] : ROW[frozen] + 6]
        stopping = np.where(thrown <= self._turns.bank[hole + stops_of(frozen), :columns], here, 0.0)
        for value, stop in enumerate(hole + stops_of(frozen)):
            banked[stop] += stopping[value]
        throwing: Floats = here - stopping
        return throwing

    def _piddle(self, hole: int, frozen: int, some: slice) -> Floats:
        """What a piddle with so many frozen brings, by value."""
        won = [chance * self._turns.fresh[hole + stops_of(min(7, frozen + hits)), some] for hits, chance in self._ends]
        worth: Floats = sum(won) + (1 - sum(chance for _, chance in self._ends)) * self._turns.lost[some]
        return worth

    def _chosen(self, reached: Floats, some: slice) -> Floats:
        """The chance that each set is named, of that of being there, shape (ROWS, columns)."""
        sets = self._turns.sets[:, some]
        chosen = np.zeros((ROWS, len(reached)), sets.dtype)
        for rows, chance in offers():
            share = chance * reached
            if len(rows) == 1:
                chosen[rows[0]] += share
            else:
                first = share * (sets[rows[0]] >= sets[rows[1]])
                chosen[rows[0]] += first
                chosen[rows[1]] += share - first
        return chosen
