"""Crib Dice between two sides in NumPy, apart from the solver: the Bellman operator.

The solver evaluates one state at a time in compiled loops. Here the turns of a thousand states are evaluated side by
side. Both take the same probabilities of throws from `companion.games.crib_dice.odds`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

import numpy as np

from companion.games.advice.stored import numbers
from companion.games.crib_dice import odds
from companion.games.crib_dice.odds.backward_induction import (
    BOMBS,
    ROW,
    Floats,
    Indices,
    offers,
    roll_matrix,
    rollover_matrix,
    set_scores,
)
from companion.games.crib_dice.odds.turn_value import ANNOUNCED
from companion.games.crib_dice.odds.two_sides import (
    BEYOND,
    FUCHLE,
    FUCHLED,
    HOLE,
    PEG_HOLES,
    PLACES,
    SHAPE,
    TABLES,
    TOP,
    DuelRules,
)
from companion.games.crib_dice.scoring import MAX_SET_SCORE, MIN_ROLLOVER

HOLES = np.array(HOLE)
TOPS = (TOP, PEG_HOLES)
"""Hole from which every turn stops, by order of the mover in the round."""
BY_HOLE = sorted(range(PLACES), key=lambda place: HOLE[place])
"""Places by their hole: the columns of a batch are sorted by where their turns start."""


def stored_equities(rules: DuelRules) -> tuple[Floats, Floats]:
    """Return all stored equities of Crib Dice between two sides as two arrays, in games for the side to move.

    Returns:
        Equities before ordinary turns, with the axes of `SHAPE`. Then equities before last turns, which follow the
        other side's finish, of shape (PLACES, FUCHLE, BEYOND): the mover's place, its wipe-outs in a row, and the holes
        that the other side is past 121, the first hole beyond the track.
    """
    equities = rules.stake * (np.array(numbers(odds.__name__, TABLES[rules]), np.float64) * 2.0**-31 - 1.0)
    return equities[: prod(SHAPE)].reshape(SHAPE), equities[prod(SHAPE) :].reshape(PLACES, FUCHLE, BEYOND)


class Turns:
    """Best turns of many states, one a column.

    Args:
        piddle_points: Whether the house rule of this name is on.
        bank: (holes, columns) value of stopping at each hole, to `2 * MAX_SET_SCORE` past where every turn stops.
        lost: (columns,) value of a wipe-out.
        starts: (columns,) hole at which each turn starts, ascending.
        bombs: (3, columns) value of bombing with five, six and seven 1s; None for never.
    """

    def __init__(
        self, piddle_points: bool, bank: Floats, lost: Floats, starts: Indices, bombs: Floats | None = None
    ) -> None:
        self._bank, self._lost, self._bombs, self._starts = bank, lost, bombs, starts
        self._rollovers, self._lost_piddle = rollover_matrix(piddle_points)
        self._top = len(bank) - 2 * MAX_SET_SCORE - 1
        self.fresh: Floats = np.full((self._top + MAX_SET_SCORE + 1, len(lost)), np.nan)
        """(holes, columns) value of a throw of seven at each hole; NaN before a column's start."""
        (first, other, third), chances = offers()
        for hole in reversed(range(len(self.fresh))):
            sets = self._sets(hole)
            best = np.maximum(np.maximum(sets[first], sets[other]), sets[third])
            self.fresh[hole, : sets.shape[1]] = chances @ best

    @property
    def values(self) -> Floats:
        """(columns,) value of each turn before its first throw."""
        found: Floats = self.fresh[self._starts, np.arange(len(self._starts))]
        return found

    def _sets(self, hole: int) -> Floats:
        """Return the value of every set at a hole: a table of sets with a column for each turn that starts before."""
        some = slice(int(np.searchsorted(self._starts, hole, "right")))
        lost = self._lost[some]
        sets = np.vstack([lost, self._bank[hole + set_scores(), some]])
        if hole < self._top:
            further = self.fresh[hole + MIN_ROLLOVER : hole + MAX_SET_SCORE + 1, some]
            thrown = self._rollovers @ further + self._lost_piddle[:, np.newaxis] * lost
            np.maximum(sets[1:19], thrown, out=sets[1:19])
            if self._bombs is not None:
                sets[list(BOMBS)] = np.maximum(sets[list(BOMBS)], self._bombs[:, some])
            for frozen in (4, 3, 2):
                row = slice(ROW[frozen], ROW[frozen] + 6)
                np.maximum(sets[row], roll_matrix(frozen) @ sets[: ROW[frozen]], out=sets[row])
        return sets


class Duel:
    """Turns between two sides with the values of one stored table.

    Args:
        rules: Rules of the table.

    Attributes:
        values: Equity of the mover by order, mover's place, other's place, mover's and other's wipe-outs.
        last: Equity of a last turn by mover's place, its wipe-outs, and the holes by which the other has finished.
    """

    def __init__(self, rules: DuelRules) -> None:
        self.rules = rules
        self.values, self.last = stored_equities(rules)

    @cached_property
    def stakes(self) -> Floats:
        """Games that a loser at each place loses."""
        return np.array([float(self.rules.games_lost(place)) for place in range(PLACES)])

    def turns(self, order: int, other: int, movers: Sequence[int] = BY_HOLE) -> Turns:
        """Return the turns of movers at some places against a side at one place.

        Columns go by the places, sorted by their holes, then by the mover's and by the other's wipe-outs.
        """
        after, there = -self.values[1 - order], HOLES[other]
        bank = np.empty((TOPS[order] + 2 * MAX_SET_SCORE + 1, FUCHLE))
        bank[:PEG_HOLES] = after[other, :PEG_HOLES, :, 0]
        if self.rules.bumping and there > 0:
            bank[there] = after[max(there - 5, 0), there, :, 0]
        bank[PEG_HOLES:] = self.stakes[other] if order == 1 else -self.last[other].T[: len(bank) - PEG_HOLES]
        lost = np.concatenate([after[other, :, :, 1:], after[other, [FUCHLED] * PLACES, :, :1]], axis=2)
        lost = lost.transpose(0, 2, 1)  # the mover's place and wipe-outs, the other's wipe-outs
        if self.rules.double_fuchle:
            lost[FUCHLED, 1:] = -self.stakes[FUCHLED]
        bombs = None
        if self.rules.bomb:
            swapped = np.where(HOLES[:, np.newaxis] < there, after[HOLES, there, :, 0], -np.inf)
            swapped = np.broadcast_to(swapped[:, np.newaxis], lost.shape)
            announced = ANNOUNCED * swapped + (1 - ANNOUNCED) * lost
            bombs = np.stack([each[movers].ravel() for each in (announced, swapped, swapped)])
        starts = np.repeat(HOLES[movers], FUCHLE**2)
        tiled = np.tile(bank, len(movers) * FUCHLE)
        return Turns(self.rules.piddle_points, tiled, lost[movers].ravel(), starts, bombs)

    def residual(self) -> float:
        """Return the greatest Bellman residual over all states: stored value against the value of the best turn."""
        greatest = 0.0
        for order in (0, 1):
            for other in range(PLACES):
                best = self.turns(order, other).values.reshape(PLACES, FUCHLE, FUCHLE)
                greatest = max(greatest, float(np.abs(best - self.values[order, BY_HOLE, other]).max()))
        return greatest

    def last_residual(self) -> float:
        """Return the greatest difference between the stored equities of last turns and their best turns."""
        holes = np.arange(PEG_HOLES + BEYOND + 2 * MAX_SET_SCORE + 1)
        stakes = np.array([self.rules.games_lost(hole if hole < PEG_HOLES else FUCHLED + 1) for hole in holes.tolist()])
        starts = np.repeat(HOLES[BY_HOLE], FUCHLE)
        lost = [-self.rules.lost_last(place, count) for place in BY_HOLE for count in range(FUCHLE)]
        greatest = 0.0
        for past in range(BEYOND):
            bank = np.where(holes > PEG_HOLES + past, 1.0, np.where(holes == PEG_HOLES + past, 0.0, -stakes))
            tiled = np.repeat(bank[:, np.newaxis], len(starts), axis=1)
            best = Turns(self.rules.piddle_points, tiled, np.array(lost, float), starts).values
            greatest = max(greatest, float(np.abs(best.reshape(PLACES, FUCHLE) - self.last[BY_HOLE, :, past]).max()))
        return greatest
