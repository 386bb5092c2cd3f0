"""The chance to win a game of Crib Dice, by the race of the pegs: for more than two sides, or where none is stored.

Where no peg can move another, sides race apart from each other. Each later turn is taken to be played for the most turn
points; then a turn banks so many points with a fixed chance, and the whole race can be worked out. The turn that is on
is played for the win: its worths are exact for it, given how all later turns are played. A shared win counts as its
share.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from companion.games.crib_dice import duel
from companion.games.crib_dice.odds import (
    TurnWorth,
    first_throws,
    piddle_ends,
    roll_ends,
    set_score,
    turn_worth,
)
from companion.games.crib_dice.pegs import CribbageBoard

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
NEGLIGIBLE = 1e-10  # chances below this are left out: what is told is right to eight digits
Chances = defaultdict[T, float]


@cache
def banks(piddle_points: bool) -> tuple[float, ...]:
    """The chance that a turn played for the most turn points banks 0, 1, 2, ...; what is missing to 1 wipes out."""
    worth = turn_worth(piddle_points)
    fresh, banked = Chances[int](float, {0: 1.0}), Chances[int](float)
    while fresh:
        gathered = min(fresh)
        chance = fresh.pop(gathered)
        if chance > NEGLIGIBLE:
            _play_on(worth, piddle_points, gathered, chance, fresh, banked)
    return tuple(banked[points] for points in range(max(banked) + 1))


def _play_on(
    worth: TurnWorth,
    piddle_points: bool,
    gathered: int,
    chance: float,
    fresh: Chances[int],
    banked: Chances[int],
) -> None:
    """From a throw of seven on to the stop, the wipe-out or the next throw of seven."""
    held = Chances[tuple[int, int]](float)
    for offer, share in first_throws():
        held[max(offer, key=lambda one: worth.held(gathered, *one))] += chance * share
    while held:
        frozen, point = min(held)
        chance = held.pop((frozen, point))
        stop = gathered + set_score(frozen, point)
        if frozen == 7:
            fresh[stop] += chance
        elif worth.thrown(gathered, frozen, point) <= stop:
            banked[stop] += chance
        elif frozen >= 5:
            for hits, share in piddle_ends(piddle_points):
                fresh[gathered + set_score(min(7, frozen + hits), point)] += chance * share
        else:
            for hits, share in roll_ends(frozen, point):
                held[frozen + hits, point] += chance * share


class Race:
    """The race from a board on that no rule bars (see `duel`). Rounds are counted from 0, the one that is on."""

    def __init__(self, board: CribbageBoard) -> None:
        self._board, self._piddle_points = board, bool(board.header.rules["piddle_points"])
        self._moves = moves(self._piddle_points, board.holes)
        self._wiped_out = 1 - sum(banks(self._piddle_points))
        self._fuchle = board.fuchle_at
        self._raced()

    def shares(self) -> tuple[float, ...]:
        """For each side its share of the win when every turn is played for its points."""
        return tuple(self._share(side) for side in range(len(self._board.sides)))

    def turn_worth(self) -> TurnWorth:
        """The share of the win that the turn that is on can bring, when it is played for that."""
        from companion.games.crib_dice.turns import fresh_throws

        side, board = self._board.side, self._board
        later, peg, won = self._chances(side, 1), board.pegs[side], self._won(side)[0]
        # The further past the end the better, until nobody can be level any more.
        settled = int(np.searchsorted(won, won[-1] - NEGLIGIBLE)) + board.holes + 1
        reached = np.concatenate([later[0], won, np.full(2 * duel.REACH + 1, won[-1])])[: settled + 2 * duel.REACH + 1]
        hole, wipeouts = (0, 0) if board.wipeouts[side] + 1 == self._fuchle else (peg, board.wipeouts[side] + 1)
        lost = float(later[wipeouts, hole])
        fresh = fresh_throws(self._piddle_points, reached, lost, settled, peg).tolist()
        bank = reached.tolist()

        def banked(points: int) -> float:
            return float(bank[min(peg + points, len(bank) - 1)])

        return TurnWorth(self._piddle_points, banked, lost, banked, fresh)

    def _share(self, side: int) -> float:
        board = self._board
        peg, wipeouts = board.pegs[side], board.wipeouts[side]
        if peg > board.holes:
            return float(self._won(side)[0, peg - board.holes - 1])
        return float(self._chances(side, int(self._has_played(side)))[wipeouts, peg])

    def _has_played(self, side: int) -> bool:
        count = len(self._board.sides)
        return (side - self._board.first) % count < self._board.turn % count

    def _raced(self) -> None:
        """Every side's chances, round by round, for as many rounds as anybody may have to play.

        `_finishes`: of finishing in that round so far past the last hole, the nearest first, shape (rounds, sides,
        holes past); `_races_on`: of not having finished by its end, shape (rounds, sides).
        """
        board, holes = self._board, self._board.holes
        sides = range(len(board.sides))
        at = np.zeros((len(sides), self._fuchle, holes + 1))
        past = max(self._moves.shape[1] - holes - 1, *(peg - holes for peg in board.pegs))
        first = np.zeros((len(sides), past))
        for side, (peg, wipeouts) in enumerate(zip(board.pegs, board.wipeouts, strict=True)):
            if peg > holes:
                first[side, peg - holes - 1] = 1.0
            else:
                at[side, wipeouts, peg] = 1.0
        due = [side for side in sides if board.pegs[side] <= holes and not self._has_played(side)]
        at[due], first[due] = self._after_turn(at[due], past)
        finishes, races_on = [first], [at.sum(axis=(1, 2))]
        while races_on[-1].prod() > NEGLIGIBLE:
            at, finishing = self._after_turn(at, past)
            finishes.append(finishing)
            races_on.append(at.sum(axis=(1, 2)))
        self._finishes, self._races_on = np.array(finishes), np.array(races_on)

    def _after_turn(self, at: Floats, past: int) -> tuple[Floats, Floats]:
        """Where sides are after a turn, shape (sides, wipe-outs, holes), and how far past the end, (sides, past)."""
        holes = at.shape[2]
        moved = at.sum(axis=1) @ self._moves
        after = np.empty_like(at)
        after[:, 0] = moved[:, :holes]
        np.multiply(at[:, :-1], self._wiped_out, out=after[:, 1:])
        after[:, 0, 0] += self._wiped_out * at[:, -1].sum(axis=1)
        finishing = np.zeros((len(at), past))
        finishing[:, : moved.shape[1] - holes] = moved[:, holes:]
        return after, finishing

    def _chances(self, side: int, first: int) -> Floats:
        """By wipe-outs and hole: the chance that nobody else ends the race before round `first`, and this side wins."""
        holes, won = self._board.holes + 1, self._won(side)
        chances = np.zeros((self._fuchle, holes))
        for number in reversed(range(first, len(won))):
            reached = np.concatenate([chances[0], won[number, : self._moves.shape[1] - holes]])
            after = np.empty_like(chances)
            after[:-1] = chances[1:]
            after[-1] = chances[0, 0]
            chances = self._moves @ reached + self._wiped_out * after
        return chances

    def _won(self, side: int) -> Floats:
        """By round and holes past the last one: the chance that no other ends the race before, and this side's share.

        Its share, that is, when it finishes there in that round. Shape (rounds, holes past + 1).
        """
        level = np.pad(np.delete(self._finishes, side, axis=1), ((0, 0), (0, 0), (0, 1)))
        below = np.delete(self._races_on, side, axis=1)[..., np.newaxis] + level.cumsum(axis=2) - level
        by_level = np.zeros((level.shape[1] + 1, len(level), level.shape[2]))  # by how many are level
        by_level[0] = 1.0
        for other in range(level.shape[1]):
            more = by_level[:-1] * level[:, other]
            by_level *= below[:, other]
            by_level[1:] += more
        shares: Floats = np.tensordot(1 / np.arange(1.0, len(by_level) + 1), by_level, 1)
        return shares


@cache
def moves(piddle_points: bool, holes: int) -> Floats:
    """The chance to come from one hole to another in a turn that banks, shape (holes + 1, holes + len(banks))."""
    chances = np.array(banks(piddle_points))
    found = np.zeros((holes + 1, holes + len(chances)))
    for hole in range(holes + 1):
        found[hole, hole : hole + len(chances)] = chances
    return found
