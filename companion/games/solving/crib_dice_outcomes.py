"""Outcome distributions of optimal Crib Dice turns: forward propagation after backward induction."""

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
from companion.games.crib_dice.odds.turn_value import ANNOUNCED, piddle_ends
from companion.games.crib_dice.scoring import MAX_SET_SCORE


class Outcomes:
    """Probabilities of how the turns of a batch end.

    Args:
        piddle_points: Whether the house rule `piddle_points` is on.
        turns: The batch, evaluated from `starts` on.
        starts: (columns,) hole at which each column starts, ascending.
        holes: Number of holes covered. A turn that reaches a further hole counts as neither banked nor wiped out.

    Attributes:
        banked: (holes, columns) probability that a turn banks at each hole.
        wiped: (columns,) probability of a wipe-out.
        bombed: (columns,) probability of a successful bomb.
    """

    def __init__(self, piddle_points: bool, turns: Turns, starts: Indices, holes: int) -> None:
        self._turns, self._ends = turns, piddle_ends(piddle_points)
        columns = len(starts)
        banked = np.zeros((holes + MAX_SET_SCORE, columns), turns.bank.dtype)
        self.wiped, self.bombed = np.zeros((2, columns), turns.bank.dtype)
        reached = np.zeros_like(banked)
        reached[starts, np.arange(columns)] = 1.0
        for hole in range(holes):
            some = slice(int(np.searchsorted(starts, hole, "right")))
            self._play_on(hole, some, reached, banked)
        self.banked = banked[:holes]

    def _play_on(self, hole: int, some: slice, reached: Floats, banked: Floats) -> None:
        """Propagate the probability of throws of seven at a hole to stops, rollovers and wipe-outs.

        Args:
            hole: Hole at which the turns throw seven dice.
            some: Columns that start at this hole or before.
            reached: (holes, columns) probability of a throw of seven at each hole; later holes are added to.
            banked: (holes, columns) probability of a stop at each hole; added to.
        """
        turns, lost_piddle = self._turns, 1 - sum(chance for _, chance in self._ends)
        turns.solve_sets(hole, some)
        chosen = self._chosen(reached[hole, some], some)
        for frozen in (2, 3, 4):
            matrix = roll_matrix(frozen)
            throwing = self._stopped(hole, frozen, matrix @ turns.sets[: ROW[frozen], some], chosen, banked[:, some])
            chosen[: ROW[frozen]] += matrix.T @ throwing
        for frozen in (5, 6, 7):
            worth = turns.fresh[hole + stops_of(7), some] if frozen == 7 else self._piddle(hole, frozen, some)
            if turns.bombs is not None:
                self._bomb(hole, frozen, some, worth[0], chosen)
            throwing = self._stopped(hole, frozen, worth, chosen, banked[:, some])
            if frozen < 7:
                chosen[0] += lost_piddle * throwing.sum(axis=0)
            for hits, chance in self._ends if frozen < 7 else ((0, 1.0),):
                for value, after in enumerate(hole + stops_of(min(7, frozen + hits))):
                    reached[after, some] += chance * throwing[value]
        self.wiped[some] += chosen[0]

    def _bomb(self, hole: int, frozen: int, some: slice, thrown: Floats, chosen: Floats) -> None:
        """Move the probability of a bomb out of `chosen`, where bombing is worth more than a stop and a throw.

        Args:
            hole: Hole before the turn's set.
            frozen: Number of frozen 1s, 5 to 7.
            some: Columns concerned.
            thrown: (columns,) value of throwing on.
            chosen: (ROWS, columns) probability of holding each set; changed in place.
        """
        turns, row = self._turns, ROW[frozen]
        assert turns.bombs is not None, "the rule is on"
        stop = turns.bank[hole + stops_of(frozen)[0], some]
        bombing = np.where(turns.bombs[frozen - 5][some] > np.maximum(thrown, stop), chosen[row], 0.0)
        success = ANNOUNCED if frozen == 5 else 1.0
        self.bombed[some] += success * bombing
        chosen[0] += (1 - success) * bombing
        chosen[row] -= bombing

    def _stopped(self, hole: int, frozen: int, thrown: Floats, chosen: Floats, banked: Floats) -> Floats:
        """Split the probability of holding `frozen` equal dice into stopping and throwing on, as the policy decides.

        Args:
            hole: Hole that the turn's earlier points have reached; this set's points are added.
            frozen: Number of frozen dice.
            thrown: (6, columns) value of throwing on, by face value of the dice. A column is one turn of the batch.
            chosen: (ROWS, columns) probability of holding each set of equal dice.
            banked: (holes, columns) probability of stopping at each hole; this function adds to it.

        Returns:
            (6, columns) probability of throwing on, by face value.
        """
        columns, here = chosen.shape[1], chosen[ROW[frozen] : ROW[frozen] + 6]
        stopping = np.where(thrown <= self._turns.bank[hole + stops_of(frozen), :columns], here, 0.0)
        for value, stop in enumerate(hole + stops_of(frozen)):
            banked[stop] += stopping[value]
        throwing: Floats = here - stopping
        return throwing

    def _piddle(self, hole: int, frozen: int, some: slice) -> Floats:
        """Return the (6, columns) value of a piddle with `frozen` dice, by their value."""
        won = [chance * self._turns.fresh[hole + stops_of(min(7, frozen + hits)), some] for hits, chance in self._ends]
        worth: Floats = sum(won) + (1 - sum(chance for _, chance in self._ends)) * self._turns.lost[some]
        return worth

    def _chosen(self, reached: Floats, some: slice) -> Floats:
        """Return the (ROWS, columns) probability that each set is named after a throw of seven.

        Args:
            reached: (columns,) probability of the throw.
            some: Columns concerned.
        """
        sets = self._turns.sets[:, some]
        chosen = np.zeros((ROWS, len(reached)), sets.dtype)
        for rows, chance in offers():
            best = sets[list(rows)].argmax(axis=0) if len(rows) > 1 else 0
            for place, row in enumerate(rows):
                chosen[row] += chance * reached * (best == place)
        return chosen
