"""Win probabilities of Crib Dice from independent races of the pegs: more than two sides, or rules without a table.

Where no side can move another's peg, the sides race independently. Later turns are assumed to be played for the most
points. Then each turn banks points from a fixed distribution or wipes out. The number of banks that a peg needs and
the number of turns that they take are independent, except that a fuchle restarts the race. The current turn is played
to win; its values are exact under this policy. A shared win counts as its share.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from companion.games.advice.stored import numbers
from companion.games.crib_dice.odds.backward_induction import fresh_throws
from companion.games.crib_dice.odds.turn_value import TurnValues
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.scoring import MAX_SET_SCORE

Floats = npt.NDArray[np.float64]
BANKS = "banks.f8"
"""File of the probabilities of banking 0, 1, 2, ... points in a turn of Crib Dice, as float64. Its first half is
without the house rule `piddle_points`, its second half with it. `banks` reads it."""
ROUNDS = 192
"""Rounds for which the probability that a peg finishes is computed one by one. Higher: larger arrays, slower.

Later rounds get the last one's conditional probability. Lower: that has not converged, above all in the long game."""
BLOCK_TURNS = 16
"""Number of turns in one block of a matrix product. Higher: more multiplications by 0. Lower: more calls of BLAS.

The result is the same. Must divide ROUNDS."""
NEGLIGIBLE = 1e-12
"""Probability that counts as 0, at which tables end. Tables by banks and by rounds end once the pegs are almost surely
past the last hole. A table by distance ends once one more hole past the end hardly adds to the win probability. Higher:
smaller tables, less exact; lower: larger, slower."""
TIES = ((0.5, 8 / 18), (0.5 - 0.15**0.5, 5 / 18), (0.5 + 0.15**0.5, 5 / 18))
"""Gauss-Legendre nodes and weights on [0, 1]. A win shared with k others counts 1 / (k + 1), the integral of x**k.
Three nodes are exact for up to five others."""
MAX_PRODUCT = 262_144
"""Most multiplications of one matrix product; larger ones are split. Higher: slower, as BLAS wakes more threads.

The result is the same."""


@cache
def banks(piddle_points: bool) -> Sequence[float]:
    """Read the probability of banking 0, 1, 2, ... points in a turn of Crib Dice from the stored table. Cached.

    The turn is played for the most expected points. 1 minus the sum is the probability of a wipe-out. `piddle_points`
    is the house rule of this name. Raises RulesError if the file is missing.
    """
    stored = numbers(__package__, BANKS)
    half = len(stored) // 2
    return stored[half:] if piddle_points else stored[:half]


class FinishDistribution:
    """Distribution of when and how far past the end a peg finishes, from any hole of the track.

    A turn either banks, which moves the peg, or wipes out. The turn of the nth bank and the distance of n banks are
    independent; both are tabulated by n.

    Args:
        chances: Probability that a turn banks 0, 1, 2, ... points; the rest is a wipe-out.
        holes: Holes of the track.
        fuchle: Consecutive wipe-outs that send the peg back to the start.

    Attributes:
        past: Greatest distance past the last hole at which a bank can end, in holes.
    """

    def __init__(self, chances: Floats, holes: int, fuchle: int) -> None:
        self.holes, self.fuchle, self.past = holes, fuchle, len(chances) - 1
        self._wiped_out = 1 - float(chances.sum())
        # By the distance to the last hole, and the distance past it where the bank ends.
        self._leap = sliding_window_view(np.append(chances[1:], np.zeros(self.past - 1)), self.past).copy()
        self._reached = self._banked(chances)  # by number of banks and points
        self._still = self._reached.cumsum(axis=1)
        self._width = holes + self.past
        self._reaching = np.fft.rfft(self._reached, self._width)
        self._weights = [self._turn_weights(wipeouts) for wipeouts in range(fuchle)]
        # At most `fuchle` turns per tabulated bank pass before the first fuchle.
        self._fuchled_by = min(ROUNDS, len(self._reached) * fuchle)
        own, fuchled = self._until_fuchle(0, 0)
        for turn in range(1, ROUNDS):
            own[turn] += fuchled[turn - 1 :: -1] @ own[:turn]
        self._anew = own
        self._blocks = _blocks(own, self._fuchled_by)

    def _banked(self, chances: Floats) -> Floats:
        """Return the probability that n turns all bank, and bank k points in total, at [n, k].

        `chances` are the probabilities that a turn banks 0, 1, 2, ... points; a point is a hole. Row 0, for no turns,
        is 1 for 0 points and 0 for the rest. Totals above `holes` are left out. The rows end once n banks almost surely
        take a peg from the start past the last hole.

        Returns:
            (rows, holes + 1) probabilities.
        """
        found = [np.append(1.0, np.zeros(self.holes))]
        turns = (1 - self._wiped_out**self.fuchle) / (1 - self._wiped_out)  # sum over the wipe-outs before each bank
        while found[-1].sum() * turns ** len(found) > NEGLIGIBLE:
            found.append(np.convolve(found[-1], chances)[: self.holes + 1])
        return np.array(found)

    def _turn_weights(self, wipeouts: int) -> tuple[Floats, Floats]:
        """Return weights for the turn of a peg's bank n + 1, and for the turn of its first fuchle after n banks.

        A fuchle is the last of `fuchle` wipe-outs in a row. A weight is a sum over all orders of banks and wipe-outs
        that lead to that event in that turn. Each order contributes the probability of its wipe-outs. The probability
        of the banks, from `_reached` and `_leap`, is left out: multiply the weight by it. `wipeouts` is the number of
        wipe-outs in a row before turn 0, the peg's next turn.

        Returns:
            Two (banks, ROUNDS) arrays, indexed [n, t]: for bank n + 1 in turn t with no fuchle before, and for the
            first fuchle in turn t after n banks.
        """
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
        """Return a (banks, past) array: the probability that a peg in `hole` finishes with each bank, at each distance.

        Element [n, k]: the first n banks do not carry the peg past the last hole, and the next one ends k + 1 holes
        past it. Wipe-outs between the banks are left out: `_turn_weights` accounts for them.
        """
        missing = self.holes - hole
        short = np.pad(self._reached, ((0, 0), (self.past, 0)))[:, missing + 1 : missing + 1 + self.past]
        return _product(short[:, ::-1], self._leap)

    def _until_fuchle(self, wipeouts: int, hole: int) -> tuple[Floats, Floats]:
        """Return each turn's probabilities that a peg finishes in it before any fuchle, and is first fuchled in it.

        The peg begins in `hole`, after `wipeouts` wipe-outs in a row. The shapes are (ROUNDS, `self.past`) and
        (ROUNDS,), with a row for each turn, the next turn first. Column i of the first array is for a finish i + 1
        holes past the last.
        """
        bank, fuchled = self._weights[wipeouts]
        return _product(bank.T, self._crossed(hole)), self._still[:, self.holes - hole] @ fuchled

    def finishes(self, wipeouts: int, hole: int) -> Floats:
        """Return (ROUNDS, past) probabilities: [t, i] that a peg finishes in turn t, i + 1 holes past the last hole.

        The peg is in `hole` before turn 0, after `wipeouts` wipe-outs in a row, fewer than `self.fuchle`. After
        `self.fuchle` in a row the peg goes on from the start of the track. `past` is the greatest distance at which a
        bank can end.
        """
        own, fuchled = self._until_fuchle(wipeouts, hole)
        restarted = _delays(fuchled[: self._fuchled_by]) @ self._blocks
        return own + restarted.reshape(own.shape)

    def expected_values(self, weights: Floats, wipeouts: int, hole: int) -> tuple[Floats, float]:
        """Return the expected value of a peg's finish, the sum of `weights` times the probability of each finish.

        Args:
            weights: (turns, past) value of a finish, by turn; column i is for i + 1 holes past the last one. A
                finish in a later turn than these has the value 0.
            wipeouts: Wipe-outs in a row before the first turn; for the second result only.
            hole: Hole of the peg; for the second result only.

        Returns:
            (holes + 1,) expected value by hole of the peg, without wipe-outs before; and the expected value for
            `hole` after `wipeouts`.
        """
        turns = len(weights)
        apart = _product(self._anew[:turns], weights.T)
        apart = np.hstack([apart, np.zeros_like(apart)])
        row, column = apart.strides
        anew = as_strided(apart, (turns, turns), (row + column, column)).sum(axis=0)  # by turn of the restart
        bank, fuchled = (timed[:, :turns] for timed in self._weights[0])
        brought = np.fft.rfft(_product(_product(bank, weights), self._leap), self._width)
        found = np.fft.irfft((brought * self._reaching).sum(axis=0), self._width)[: self.holes + 1]
        found += (fuchled[:, :-1] @ anew[1:]) @ self._still
        bank, fuchled = (timed[:, :turns] for timed in self._weights[wipeouts])
        place = float((_product(bank, weights) * self._crossed(hole)).sum())
        place += float((fuchled[:, :-1] @ anew[1:]) @ self._still[:, self.holes - hole])
        return found[::-1], place


def _blocks(distribution: Floats, delay: int) -> Floats:
    """Cut a (ROUNDS, past) distribution into overlapping blocks of turns: (blocks, delay + BLOCK_TURNS, past).

    Block b holds the turns from `b * BLOCK_TURNS - delay` on, with zeros before turn 0. The blocks share the memory of
    one padded copy of `distribution`: do not write to them.
    """
    padded = np.pad(distribution, ((delay, 0), (0, 0)))
    turn, past = padded.strides
    shape = len(distribution) // BLOCK_TURNS, delay + BLOCK_TURNS, padded.shape[1]
    return as_strided(padded, shape, (BLOCK_TURNS * turn, turn, past))


def _delays(chances: Floats) -> Floats:
    """Return the Toeplitz matrix that delays a peg's finish by the turns up to a fuchle.

    A fuchle, several wipe-outs in a row, sends the peg back to the start, where it begins again in the next turn. So a
    fuchle in turn d delays the finish by d + 1 turns. `chances` is the (delay,) probability of a fuchle in turn 0, 1,
    ...

    Returns:
        (BLOCK_TURNS, delay + BLOCK_TURNS) matrix. Multiply it by a block of `_blocks`: finish probabilities of
        delay + BLOCK_TURNS successive turns. The product is the probabilities of delayed finishes in the last
        BLOCK_TURNS of these turns.
    """
    zeros = np.zeros(BLOCK_TURNS)
    shifted = sliding_window_view(np.concatenate((zeros, chances[::-1], zeros)), len(chances) + BLOCK_TURNS)
    return np.ascontiguousarray(shifted[BLOCK_TURNS:0:-1])


def _product(one: Floats, other: Floats) -> Floats:
    """Return the product of two matrices, computed in blocks of at most MAX_PRODUCT multiplications."""
    rows = max(1, MAX_PRODUCT // other.size)
    return np.concatenate([one[begin : begin + rows] @ other for begin in range(0, len(one), rows)])


@lru_cache(maxsize=4)
def finish_distribution(piddle_points: bool, holes: int, fuchle: int) -> FinishDistribution:
    """Return the distribution of a Crib Dice peg's finish, by turn and by holes past the end. Cached.

    The starting hole is an argument of the result's methods. Every turn is played for the most expected points, with or
    without the house rule `piddle_points`, on a track of `holes` holes. `fuchle` consecutive wipe-outs send the peg
    back to the start.
    """
    return FinishDistribution(np.trim_zeros(np.array(banks(piddle_points)), "b"), holes, fuchle)


@lru_cache(maxsize=32)
def finishes(piddle_points: bool, holes: int, fuchle: int, wipeouts: int, hole: int) -> tuple[Floats, Floats]:
    """Return the probabilities that a Crib Dice peg finishes in each turn, by distance past the end, or not yet.

    Every turn is played for the most expected points. The track has `holes` holes. The peg starts in `hole`, after
    `wipeouts` consecutive wipe-outs; `fuchle` of them send the peg back to the start. `piddle_points` tells whether
    that house rule is on. The arrays are cached: callers must not change them.

    Returns:
        (ROUNDS, past) probabilities: [t, i] that the peg finishes in turn t, counted from 0, i + 1 holes past the
            end.
        (ROUNDS,) probabilities: [t] that the peg has not finished by the end of turn t.
    """
    found = finish_distribution(piddle_points, holes, fuchle).finishes(wipeouts, hole)
    return found, 1 - found.sum(axis=1).cumsum()


class Race:
    """Win probabilities on one board, with the pegs racing independently. Round 0 is the current round."""

    def __init__(self, board: CribbageBoard) -> None:
        self._board, self._piddle_points = board, bool(board.header.rules["piddle_points"])
        self._rules = self._piddle_points, board.holes, board.fuchle_at
        self._finishes = finish_distribution(*self._rules)
        self._past = max(self._finishes.past, *(peg - board.holes for peg in board.pegs))

    def turn_values_to_win(self) -> TurnValues:
        """Return the win probability of the side to play in each state of its current turn, as a `TurnValues`.

        In the rest of this turn the side plays for the highest win probability. In later turns all sides are taken to
        play for the most expected points. A shared win counts as its share.
        """
        side, board = self._board.side, self._board
        peg, (won, late) = board.pegs[side], self._won(side)
        wipeouts = (board.wipeouts[side] + 1) % board.fuchle_at
        later, lost = self._finishes.expected_values(
            won[1:, : self._finishes.past] - late, wipeouts, peg if wipeouts else 0
        )
        # Further past the end is better until nobody can draw level any more.
        settled = int(np.searchsorted(won[0], won[0].max() - NEGLIGIBLE)) + board.holes + 1
        reached = np.pad(np.append(later + late, won[0])[: settled + 1], (0, 2 * MAX_SET_SCORE), "edge")
        fresh = fresh_throws(self._piddle_points, reached, lost + late, peg).tolist()
        bank = reached.tolist()

        def banked(points: int) -> float:
            return float(bank[min(peg + points, len(bank) - 1)])

        return TurnValues(self._piddle_points, banked, lost + late, banked, fresh)

    def _finish_of(self, side: int) -> tuple[Floats, Floats]:
        """Return, for each round, the probabilities that a side finishes in it, and that it goes on after it.

        Round 0 is the current one: a side that has already played in it can finish from round 1 on. A side that has
        finished already counts as finishing in round 0.

        Returns:
            (ROUNDS, distances) probability of finishing in the round, by distance: column d is for d + 1 holes past
            the track's last hole. The columns are enough for every side. And (ROUNDS,) probability of not having
            finished after the round.
        """
        board, peg = self._board, self._board.pegs[side]
        finishing, on = np.zeros((ROUNDS, self._past)), np.zeros(ROUNDS)
        if peg > board.holes:
            finishing[0, peg - board.holes - 1] = 1.0
            return finishing, on
        found, still = finishes(*self._rules, board.wipeouts[side], peg)
        played = int(self._place(side) < board.turn % len(board.sides))
        finishing[played:, : self._finishes.past] = found[: ROUNDS - played]
        on[:played], on[played:] = 1.0, still[: ROUNDS - played]
        return finishing, on

    def _won(self, side: int) -> tuple[Floats, float]:
        """Return a side's expected share of the win by round and distance of its finish, and for a finish after ROUNDS.

        The earliest round wins, then the furthest finish in it. A sole winner gets 1, each of n tied sides 1/n, and a
        loser 0. The other sides finish independently, by their own distributions (`_finish_of`). With the house rule
        `find_a_loser`, the first to finish wins, whatever the distance.

        Returns:
            (rounds, past + 1) shares. Row r is for a finish in round r, 0 being the current one. Column d is for a
                finish d + 1 holes past the last hole. Other sides get at most `past` holes past it, so none reaches the
                last column. Rounds by which another side has almost surely finished have no row.
            The share that the side can still expect if it has not finished after ROUNDS rounds.
        """
        others = [self._finish_of(other) for other in range(len(self._board.sides)) if other != side]
        under_way = np.prod([on for _, on in others], axis=0)
        rounds = int(np.count_nonzero(under_way > NEGLIGIBLE)) + 2
        won = self._shares(side, [(finishing[:rounds], on[:rounds]) for finishing, on in others])
        # From then on the probability of finishing is the same in each round.
        found, still = finishes(*self._rules, 0, 0)
        finishing, stays = found[-1:] / still[-2], still[-1] / still[-2]
        once = float(finishing[0] @ self._shares(side, [(finishing, np.array([stays]))] * len(others))[0, :-1])
        return won, float(under_way[-1] * once / (1 - stays ** len(self._board.sides)))

    def _shares(self, side: int, others: list[tuple[Floats, Floats]]) -> Floats:
        """Return the expected share of the win of `side`, by round and distance of its finish.

        The earliest round wins, then the furthest finish in it. A sole winner gets 1, each of n tied sides 1/n, a loser
        0. With the house rule `find_a_loser`, the first of two sides to finish wins, whatever the distance.

        Args:
            side: The side.
            others: What `_finish_of` returns for each other side, cut to the same rounds; exactly one with
                `find_a_loser`.

        Returns:
            (rounds, past + 1) shares for the (rounds, past) arrays in `others`. Row 0 is the first round in them.
                Column d is for a finish d + 1 holes past the last hole; no other side can reach the last column.
        """
        if not self._board.header.rules["find_a_loser"]:
            return _shares(others)
        # The first of two to finish ends the game at once.
        ((finishing, on),) = others
        before = on if self._place(side) else np.append(1.0, on[:-1])
        return np.repeat(before[:, np.newaxis], finishing.shape[1] + 1, axis=1)

    def _place(self, side: int) -> int:
        """Return the position of a side in the order of play within a round, from 0."""
        return (side - self._board.first) % len(self._board.sides)


def _shares(others: list[tuple[Floats, Floats]]) -> Floats:
    """Return a side's expected share of the win by round and distance of its finish: (rounds, past + 1).

    A side wins if no other side finishes in an earlier round, or further in the same round. Sides that tie share the
    win. Column d, from 0 to `past`, is a finish d + 1 holes past the last hole; no other side reaches column `past`.

    Args:
        others: A pair for each other side, at least one: the (rounds, past) probability of finishing, with columns
            as above, and the (rounds,) probability of not having finished after each round.
    """
    levels = [np.pad(finishing, ((0, 0), (0, 1))) for finishing, _ in others]
    belows = [level.cumsum(axis=1) - level + on[:, np.newaxis] for level, (_, on) in zip(levels, others, strict=True)]
    found: Floats = np.zeros_like(levels[0])
    product, factor = np.empty_like(found), np.empty_like(found)
    for x, weight in TIES:
        product.fill(weight)
        for level, below in zip(levels, belows, strict=True):
            np.multiply(level, x, out=factor)
            factor += below
            product *= factor
        found += product
    return found
