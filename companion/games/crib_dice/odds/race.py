"""The chance to win a game of Crib Dice, by the race of the pegs: for more than two sides, or where none is stored.

Where no peg can move another, sides race apart from each other. Each later turn is taken to be played for the most turn
points; then a turn banks so many points with a fixed chance, or wipes out. How many banks a peg needs and how many
turns they take are worked out apart from each other: only a fuchle joins them, and after it the way begins anew. The
turn that is on is played for the win: its worths are exact for it, given how all later turns are played. A shared win
counts as its share.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from companion.games.advice.stored import floats
from companion.games.crib_dice.odds.backward_induction import fresh_throws
from companion.games.crib_dice.odds.turn_value import TurnWorth
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.scoring import MAX_SET_SCORE

Floats = npt.NDArray[np.float64]
BANKS = "banks.f8"
ROUNDS = 192
"""From then on who is still under way finishes in each turn with the same chance: to ten digits."""
NEGLIGIBLE = 1e-12  # chances below this are left out
TIES = ((0.5, 8 / 18), (0.5 - 0.15**0.5, 5 / 18), (0.5 + 0.15**0.5, 5 / 18))
"""A win shared with k others counts 1 / (k + 1), the integral of x**k from 0 to 1: its points and weights by Gauss's
rule, exact for up to five others."""
ALONE = 262_144
"""Multiplications of a product of matrices that NumPy's library does without waking other threads: waking them costs
more than they bring."""


@cache
def banks(piddle_points: bool) -> tuple[float, ...]:
    """The chance that a turn played for the most turn points banks 0, 1, 2, ...; what is missing to 1 wipes out."""
    stored = floats(__package__, BANKS)
    half = len(stored) // 2
    return stored[half:] if piddle_points else stored[:half]


class Course:
    """A track, and the chance to come along it.

    Args:
        chances: That a turn banks 0, 1, 2, ... points.
        holes: Of the track.
        fuchle: So many wipe-outs in a row are one.

    Attributes:
        past: The most holes past the last one that are told apart.
    """

    def __init__(self, chances: Floats, holes: int, fuchle: int) -> None:
        self.holes, self.fuchle, self.past = holes, fuchle, len(chances) - 1
        self._wiped_out = 1 - float(chances.sum())
        # By how far it is to the last hole, and how far past it the bank leads.
        self._leap = sliding_window_view(np.append(chances[1:], np.zeros(self.past - 1)), self.past).copy()
        self._reached = self._banked(chances)  # by number of banks, and points; with none missing after so many
        self._still = self._reached.cumsum(axis=1)
        self._width = holes + self.past
        self._reaching = np.fft.rfft(self._reached, self._width)
        self._timed = [self._times(wipeouts) for wipeouts in range(fuchle)]
        own, fuchled = self._until_fuchle(0, 0)
        self._anew = own
        for turn in range(1, ROUNDS):
            own[turn] += fuchled[turn - 1 :: -1] @ own[:turn]

    def _banked(self, chances: Floats) -> Floats:
        found = [np.append(1.0, np.zeros(self.holes))]
        turns = (1 - self._wiped_out**self.fuchle) / (1 - self._wiped_out)  # all ways to wipe out before each bank
        while found[-1].sum() * turns ** len(found) > NEGLIGIBLE:
            found.append(np.convolve(found[-1], chances)[: self.holes + 1])
        return np.array(found)

    def _times(self, wipeouts: int) -> tuple[Floats, Floats]:
        """The chances of the wipe-outs by which the next bank, or a fuchle, comes in that turn; by banks before."""
        count, most = len(self._reached), self.fuchle
        waits = self._wiped_out ** np.arange(most)
        bank, fuchled = np.zeros((count, ROUNDS)), np.zeros((count, ROUNDS))
        bank[0, : most - wipeouts] = waits[: most - wipeouts]
        fuchled[0, most - wipeouts - 1] = self._wiped_out ** (most - wipeouts)
        for number in range(1, count):
            bank[number, 1:] = np.convolve(bank[number - 1], waits)[: ROUNDS - 1]
            fuchled[number, most:] = bank[number - 1, :-most] * self._wiped_out**most
        return bank, fuchled

    def _crossed(self, hole: int) -> Floats:
        """The chance that the bank after so many others is the one that leads past the last hole, and how far."""
        missing = self.holes - hole
        short = np.pad(self._reached, ((0, 0), (self.past, 0)))[:, missing + 1 : missing + 1 + self.past]
        return _product(short[:, ::-1], self._leap)

    def _until_fuchle(self, wipeouts: int, hole: int) -> tuple[Floats, Floats]:
        bank, fuchled = self._timed[wipeouts]
        return _product(bank.T, self._crossed(hole)), self._still[:, self.holes - hole] @ fuchled

    def finishes(self, wipeouts: int, hole: int) -> Floats:
        """The chance to finish in each turn from the next one on, so far past the last hole; shape (ROUNDS, past)."""
        own, fuchled = self._until_fuchle(wipeouts, hole)
        return own + _product(_later(fuchled), self._anew)

    def sums(self, weights: Floats, wipeouts: int, hole: int) -> tuple[Floats, float]:
        """What finishing brings, each chance times its weight: from each hole with no wipe-outs; and from that place.

        Args:
            weights: Of finishing in each turn so far past the last hole, shape (turns, past); of later turns 0.
            wipeouts: In a row, of that place.
            hole: Of that place.
        """
        turns = len(weights)
        apart = _product(self._anew[:turns], weights.T)
        apart = np.hstack([apart, np.zeros_like(apart)])
        row, column = apart.strides
        anew = as_strided(apart, (turns, turns), (row + column, column)).sum(axis=0)  # by when the way begins anew
        bank, fuchled = (timed[:, :turns] for timed in self._timed[0])
        brought = np.fft.rfft(_product(_product(bank, weights), self._leap), self._width)
        found = np.fft.irfft((brought * self._reaching).sum(axis=0), self._width)[: self.holes + 1]
        found += (fuchled[:, :-1] @ anew[1:]) @ self._still
        bank, fuchled = (timed[:, :turns] for timed in self._timed[wipeouts])
        place = float((_product(bank, weights) * self._crossed(hole)).sum())
        place += float((fuchled[:, :-1] @ anew[1:]) @ self._still[:, self.holes - hole])
        return found[::-1], place


def _later(chances: Floats) -> Floats:
    """By turn: the chance that the way began anew so many turns before; from turn to turn, shape (ROUNDS, ROUNDS)."""
    return sliding_window_view(np.append(np.zeros(ROUNDS), chances[:-1]), ROUNDS)[:, ::-1]


def _product(one: Floats, other: Floats) -> Floats:
    """The product of two matrices, in parts of `ALONE`."""
    rows = max(1, ALONE // other.size)
    return np.concatenate([one[begin : begin + rows] @ other for begin in range(0, len(one), rows)])


@lru_cache(maxsize=4)
def course(piddle_points: bool, holes: int, fuchle: int) -> Course:
    """The course under those rules, remembered."""
    return Course(np.trim_zeros(np.array(banks(piddle_points)), "b"), holes, fuchle)


@lru_cache(maxsize=32)
def finishes(piddle_points: bool, holes: int, fuchle: int, wipeouts: int, hole: int) -> tuple[Floats, Floats]:
    """`Course.finishes`, remembered, and the chance to be still under way after each turn, shape (ROUNDS,)."""
    found = course(piddle_points, holes, fuchle).finishes(wipeouts, hole)
    return found, 1 - found.sum(axis=1).cumsum()


class Race:
    """The race from a board on that no rule bars (see `duel`). Rounds are counted from 0, the one that is on."""

    def __init__(self, board: CribbageBoard) -> None:
        self._board, self._piddle_points = board, bool(board.header.rules["piddle_points"])
        self._rules = self._piddle_points, board.holes, board.fuchle_at
        self._course = course(*self._rules)
        self._past = max(self._course.past, *(peg - board.holes for peg in board.pegs))

    def turn_worth(self) -> TurnWorth:
        """The share of the win that the turn that is on can bring, when it is played for that."""
        side, board = self._board.side, self._board
        peg, (won, late) = board.pegs[side], self._won(side)
        wipeouts = (board.wipeouts[side] + 1) % board.fuchle_at
        later, lost = self._course.sums(won[1:, : self._course.past] - late, wipeouts, peg if wipeouts else 0)
        # The further past the end the better, until nobody can be level any more.
        settled = int(np.searchsorted(won[0], won[0].max() - NEGLIGIBLE)) + board.holes + 1
        reached = np.pad(np.append(later + late, won[0])[: settled + 1], (0, 2 * MAX_SET_SCORE), "edge")
        fresh = fresh_throws(self._piddle_points, reached, lost + late, peg).tolist()
        bank = reached.tolist()

        def banked(points: int) -> float:
            return float(bank[min(peg + points, len(bank) - 1)])

        return TurnWorth(self._piddle_points, banked, lost + late, banked, fresh)

    def _of(self, side: int) -> tuple[Floats, Floats]:
        """The chance to finish in each round so far past the last hole, and to be under way after it.

        Shapes (ROUNDS, holes past) and (ROUNDS,).
        """
        board, peg = self._board, self._board.pegs[side]
        finishing, on = np.zeros((ROUNDS, self._past)), np.zeros(ROUNDS)
        if peg > board.holes:
            finishing[0, peg - board.holes - 1] = 1.0
            return finishing, on
        found, still = finishes(*self._rules, board.wipeouts[side], peg)
        played = int(self._place(side) < board.turn % len(board.sides))
        finishing[played:, : self._course.past] = found[: ROUNDS - played]
        on[:played], on[played:] = 1.0, still[: ROUNDS - played]
        return finishing, on

    def _won(self, side: int) -> tuple[Floats, float]:
        """By round and holes past the last one: the chance that no other ends the race before, and this side's share.

        Its share, that is, when it finishes there in that round. Shape (rounds, holes past + 1), of as many rounds as
        the others may need; and what it is worth to be under way after them.
        """
        others = [self._of(other) for other in range(len(self._board.sides)) if other != side]
        under_way = np.prod([on for _, on in others], axis=0)
        rounds = int(np.count_nonzero(under_way > NEGLIGIBLE)) + 2
        won = self._shares(side, [(finishing[:rounds], on[:rounds]) for finishing, on in others])
        # From then on everybody finishes in each round with the same chance.
        found, still = finishes(*self._rules, 0, 0)
        finishing, stays = found[-1:] / still[-2], still[-1] / still[-2]
        once = float(finishing[0] @ self._shares(side, [(finishing, np.array([stays]))] * len(others))[0, :-1])
        return won, float(under_way[-1] * once / (1 - stays ** len(self._board.sides)))

    def _shares(self, side: int, others: list[tuple[Floats, Floats]]) -> Floats:
        if not self._board.header.rules["find_a_loser"]:
            return _shares(others)
        # The first of two to finish ends the game at once.
        ((finishing, on),) = others
        before = on if self._place(side) else np.append(1.0, on[:-1])
        return np.repeat(before[:, np.newaxis], finishing.shape[1] + 1, axis=1)

    def _place(self, side: int) -> int:
        """In the order of the round, from 0."""
        return (side - self._board.first) % len(self._board.sides)


def _shares(others: list[tuple[Floats, Floats]]) -> Floats:
    """By round and holes past: the chance that no other ends the race before, or further past, each tie by its share.

    Shape (rounds, holes past + 1).
    """
    levels = [np.pad(finishing, ((0, 0), (0, 1))) for finishing, _ in others]
    belows = [level.cumsum(axis=1) - level + on[:, np.newaxis] for level, (_, on) in zip(levels, others, strict=True)]
    found: Floats = np.zeros_like(levels[0])
    for x, weight in TIES:
        found += weight * np.prod([x * level + below for level, below in zip(levels, belows, strict=True)], axis=0)
    return found
