"""Solve Crib Dice for two sides that both maximise their win probability.

A state is the order (0: the mover starts the round, 1: it ends it), the pegs and the wipe-outs in a row of mover and
other. Only a fuchle moves a peg back. Given the values after a fuchle, one sweep of backward induction from the far end
solves all states. The values after a fuchle are a fixed point of that sweep.

The method has two stages. `InterpolatedDuel` gives initial values: it solves turns for a few values of a wipe-out, at
Chebyshev nodes, and interpolates. Policy iteration (Howard 1960) follows: `Policy` solves the linear system of the
greedy policy for the Bellman residual. The last steps reuse a policy and apply Anderson acceleration (1965).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from companion.games.crib_dice.odds.backward_induction import Floats, Indices, Turns, evaluate
from companion.games.crib_dice.odds.two_sides import FUCHLE, GAPS, PEGS, TOP
from companion.games.crib_dice.scoring import MAX_SET_SCORE
from companion.games.solving.crib_dice_outcomes import Outcomes

SHAPE = (2, PEGS, PEGS, FUCHLE, FUCHLE)
"""Shape of all values: order, mover's peg, other's peg, mover's wipe-outs, other's wipe-outs."""
TOPS = (TOP, PEGS)
"""Hole from which every turn stops, by order."""
BATCH_SIZE = 8
"""Pegs of the other in one batch of exact turns. Bounds the memory."""
NODES = 8
"""Chebyshev nodes of the interpolation over the value of a wipe-out."""
RESIDUAL = 1e-10
"""Win probability: the greatest Bellman residual of a finished solution."""
_BY_WIPEOUTS = sorted(product(range(FUCHLE), repeat=2), key=sum, reverse=True)
"""Wipe-outs of mover and other. A wipe-out leads to a pair that comes earlier in this order."""
INTERPOLATED_TOLERANCE = 1e-3
"""Win probability: error of the values after a fuchle at which the interpolated game is accepted."""
CORRECTION_TOLERANCE = 1e-2
"""Error of a correction after a fuchle that is accepted, as a share of the greatest residual."""
PEG_STEP = 5
"""Holes between the other's pegs for which a policy is computed. Between them it is interpolated."""
NEW_POLICY_ABOVE = 1e-4
"""Bellman residual above which each step computes a new policy. Below, the last policy is reused."""
FLOAT32_ABOVE = 1e-3
"""Bellman residual above which turns are evaluated in single precision, which is faster."""


def last_turn_wins(piddle_points: bool) -> Floats:
    """Return the (GAPS,) win probability of the last turn of a game, by holes behind the leader; a draw counts half."""
    gaps = np.arange(GAPS)
    gained = np.arange(len(gaps) + 2 * MAX_SET_SCORE + 1)[:, np.newaxis]
    bank = np.where(gained > gaps, 1.0, np.where(gained == gaps, 0.5, 0.0))
    turns = Turns(piddle_points, bank, np.zeros(GAPS))
    won: Floats = evaluate(turns, np.zeros(GAPS, np.int64)).fresh[0]
    return won


class Duel:
    """The exact game between two sides: applies the Bellman operator to the values of its states.

    Args:
        piddle_points: Whether the house rule `piddle_points` is on.

    Attributes:
        last: (GAPS,) win probability of a last turn, by holes behind the leader.
    """

    def __init__(self, piddle_points: bool) -> None:
        self.piddle_points = piddle_points
        self.last = last_turn_wins(piddle_points)

    def bank_beyond(self, order: int, holes: Indices, other: Indices) -> Floats:
        """Return the mover's win probability after banking beyond the track.

        Args:
            order: 0 if the mover starts the round, 1 if it ends it.
            holes: Holes banked at, beyond the last hole of the track.
            other: Pegs of the other; broadcast against `holes`.
        """
        won = np.ones(np.broadcast_shapes(holes.shape, other.shape))
        return won if order == 1 else won - self.last[np.minimum(holes - other, GAPS - 1)]

    def payoffs(self, values: Floats, order: int, others: Indices) -> tuple[Floats, Floats]:
        """Return the mover's win probability after each end of a turn: a bank, and a wipe-out.

        Args:
            values: Values of all states, shape SHAPE, of any float type.
            order: 0 if the movers start the round, 1 if they end it.
            others: Pegs of the others.

        Returns:
            Value of banking by hole, other's peg and other's wipe-outs. Value of a wipe-out by mover's peg, mover's
            wipe-outs, other's peg and other's wipe-outs.
        """
        following = 1.0 - values[1 - order][others]  # the other's peg, the mover's, the other's wipe-outs, the mover's
        bank = np.empty((TOPS[order] + 2 * MAX_SET_SCORE + 1, len(others), FUCHLE), values.dtype)
        bank[:PEGS] = following[..., 0].transpose(1, 0, 2)
        bank[PEGS:] = self.bank_beyond(order, np.arange(PEGS, len(bank))[:, np.newaxis], others)[..., np.newaxis]
        lost = np.empty((PEGS, FUCHLE, len(others), FUCHLE), values.dtype)
        lost[:, :-1] = following[..., 1:].transpose(1, 3, 0, 2)
        lost[:, -1] = following[:, 0, :, 0]
        return bank, lost

    def best_values(self, values: Floats) -> Floats:
        """Apply the Bellman operator: the value of the best turn in each state, given `values` of later turns."""
        found = np.full(SHAPE, np.nan)
        for order in (0, 1):
            for begin in range(0, PEGS, BATCH_SIZE):
                others = np.arange(begin, min(begin + BATCH_SIZE, PEGS))
                found[order][:, others] = self._batch_values(values, order, others)
        return found

    def _batch_values(self, values: Floats, order: int, others: Indices) -> Floats:
        """Return the values of the best turns of one batch, by peg, other's peg, wipe-outs and other's wipe-outs.

        Args:
            values: Values of later turns, shape SHAPE.
            order: 0 if the movers start the round, 1 if they end it.
            others: Pegs of the others in the batch.
        """
        bank, lost = self.payoffs(values, order, others)
        size, apart = len(others) * FUCHLE, FUCHLE - 1
        # A fuchle costs the same wherever it begins: who is one wipe-out from it has one column for all holes.
        starts = np.repeat([0, *np.repeat(np.arange(PEGS), apart)], size)
        tiled = np.tile(bank.reshape(len(bank), size), 1 + PEGS * apart)
        columns = np.concatenate([lost[0, -1].ravel(), lost[:, :-1].ravel()])
        fresh = evaluate(Turns(self.piddle_points, tiled, columns), starts).fresh
        worth = np.full(lost.shape, np.nan)
        worth[:, -1] = fresh[:PEGS, :size].reshape(PEGS, len(others), FUCHLE)
        own = fresh[starts[size:], np.arange(size, len(starts))]
        worth[:, :-1] = own.reshape(PEGS, apart, len(others), FUCHLE)
        return worth.transpose(0, 2, 1, 3)


class InterpolatedDuel:
    """Approximate game: turns are interpolated over the value of a wipe-out, at Chebyshev nodes.

    Args:
        duel: The exact game.
    """

    def __init__(self, duel: Duel) -> None:
        nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)  # Chebyshev nodes
        self._to_powers = np.linalg.inv(np.vander(nodes, increasing=True)).T
        lost = np.tile((1.0 + nodes) / 2, PEGS * FUCHLE)
        # A row holds not a hole but a level, the sum of both pegs: a sweep takes all states of a level together.
        levels, others = np.arange(PEGS + TOP + 2 * MAX_SET_SCORE)[:, np.newaxis], np.arange(PEGS)
        self._turns = []
        for order in (0, 1):
            bank = duel.bank_beyond(order, np.maximum(levels - others, PEGS), others)
            self._turns.append(Turns(duel.piddle_points, np.repeat(bank, FUCHLE * NODES, axis=1), lost))

    def solved(self) -> Floats:
        """Return the values of all states of the approximate game, shape SHAPE, as a fixed point of the sweep."""
        found = np.empty(SHAPE)

        def disagreement(resets: Floats) -> Floats:
            nonlocal found
            found = self._swept(resets)
            return found[:, :, 0, :, 0] - resets

        fixed_point(disagreement, np.full((2, PEGS, FUCHLE), 0.5), INTERPOLATED_TOLERANCE)
        return found

    def _swept(self, resets: Floats) -> Floats:
        """Return the values of all states, shape SHAPE, by one sweep over the levels from the far end.

        Args:
            resets: Values after a fuchle, by order, next mover's peg and next mover's wipe-outs.
        """
        values = np.full(SHAPE, np.nan)
        for level in reversed(range(PEGS + TOP + MAX_SET_SCORE)):
            for turns, top in zip(self._turns, TOPS, strict=True):
                if stopping := _columns(level - top - MAX_SET_SCORE, level - top):
                    turns.solve_terminal(level, stopping)
                if playing := _columns(level - top + 1, level):
                    turns.solve(level, playing)
            self._fill_in(level, values, resets)
        return values

    def _fill_in(self, level: int, values: Floats, resets: Floats) -> None:
        """Store the values of all states of one level, and the values of banking there.

        Args:
            level: Sum of both pegs.
            values: Values of all states, shape SHAPE; those of the level are filled in.
            resets: Values after a fuchle, as in `_swept`.
        """
        other = np.arange(max(0, level - PEGS + 1), min(level, PEGS - 1) + 1)
        mover = level - other
        fresh = np.stack([turns.fresh[level].reshape(PEGS, FUCHLE, NODES)[other] for turns in self._turns])
        powers = np.moveaxis(fresh @ self._to_powers, -1, 0)  # power, order, state, the other's wipe-outs
        for mine, theirs in _BY_WIPEOUTS:
            fuchle = mine + 1 == FUCHLE
            after = resets[:, other, theirs] if fuchle else values[:, other, mover, theirs, mine + 1]
            at = 1.0 - 2.0 * after[::-1]  # value of a wipe-out, scaled to -1..1
            worth = powers[-1, ..., theirs]
            for power in powers[-2::-1, ..., theirs]:
                worth = worth * at + power
            values[:, mover, other, mine, theirs] = worth
        for order, turns in enumerate(self._turns):
            banked = 1.0 - values[1 - order, other, mover, :, 0]
            turns.bank[level].reshape(PEGS, FUCHLE, NODES)[other] = banked[..., np.newaxis]


class Policy:
    """Outcome distribution of the turns that are optimal for given values.

    Computed for every `PEG_STEP`th peg of the other and interpolated between.

    Args:
        duel: The game.
        values: Values of all states, shape SHAPE.
    """

    def __init__(self, duel: Duel, values: Floats) -> None:
        self._banked = np.full((*SHAPE, PEGS), np.nan, np.float32)
        self._wiped = np.full(SHAPE, np.nan, np.float32)
        nodes = np.arange(0, PEGS, PEG_STEP)
        for order in (0, 1):
            for begin in range(0, len(nodes), BATCH_SIZE):
                others = nodes[begin : begin + BATCH_SIZE]
                banked, wiped = _ends(duel, values, order, others)
                self._banked[order][:, others], self._wiped[order][:, others] = banked, wiped
            for known in (self._banked[order], self._wiped[order]):
                for step in range(1, PEG_STEP):
                    low, high = known[:, :-1:PEG_STEP], known[:, PEG_STEP::PEG_STEP]
                    known[:, step::PEG_STEP] = low + np.float32(step / PEG_STEP) * (high - low)

    def corrections(self, missing: Floats) -> Floats:
        """Return the correction of all values for given Bellman residuals (policy evaluation), both of shape SHAPE."""
        found = missing

        def disagreement(resets: Floats) -> Floats:
            nonlocal found
            found = self._swept(missing, resets)
            return found[:, :, 0, :, 0] - resets

        fixed_point(disagreement, np.zeros((2, PEGS, FUCHLE)), CORRECTION_TOLERANCE * float(np.abs(missing).max()))
        return found

    def _swept(self, missing: Floats, resets: Floats) -> Floats:
        """Return the corrections of all states, shape SHAPE, by one sweep over the levels from the far end.

        Args:
            missing: Bellman residuals, shape SHAPE.
            resets: Corrections after a fuchle, by order, next mover's peg and next mover's wipe-outs.
        """
        found = np.zeros(SHAPE)
        for level in reversed(range(2 * PEGS - 1)):
            other = np.arange(max(0, level - PEGS + 1), min(level, PEGS - 1) + 1)
            mover = level - other
            for order in (0, 1):
                after = found[1 - order][other][:, :, :, 0].transpose(0, 2, 1)  # all that bank here go further
                banked = self._banked[order, mover, other] @ after[..., np.newaxis].astype(np.float32)
                found[order, mover, other] = missing[order, mover, other] - banked[..., 0].transpose(0, 2, 1)
            for mine, theirs in _BY_WIPEOUTS:
                fuchle = mine + 1 == FUCHLE
                after = resets[:, other, theirs] if fuchle else found[:, other, mover, theirs, mine + 1]
                found[:, mover, other, mine, theirs] -= self._wiped[:, mover, other, theirs, mine] * after[::-1]
        return found


def _ends(duel: Duel, values: Floats, order: int, others: Indices) -> tuple[Floats, Floats]:
    """Return the probabilities that the turns of one batch bank at each hole, and that they wipe out.

    Axes: peg, other's peg, other's wipe-outs, wipe-outs; the hole comes last.
    """
    bank, lost = duel.payoffs(values.astype(np.float32), order, others)
    size = len(others) * FUCHLE
    tiled = np.tile(bank.reshape(len(bank), size), PEGS * FUCHLE)
    starts = np.repeat(np.arange(PEGS), size * FUCHLE)
    turns = evaluate(Turns(duel.piddle_points, tiled, lost.ravel()), starts)
    ends = Outcomes(duel.piddle_points, turns, starts, PEGS)
    banked = ends.banked.reshape(PEGS, *lost.shape).transpose(1, 3, 4, 2, 0)
    return banked, ends.wiped.reshape(lost.shape).transpose(0, 2, 3, 1)


def _columns(first: int, last: int) -> slice | None:
    """Return the columns of the other's pegs from `first` to `last`, clipped to the track; None if there are none."""
    first, last = max(first, 0), min(last, PEGS - 1)
    return None if first > last else slice(first * FUCHLE * NODES, (last + 1) * FUCHLE * NODES)


class AndersonMixing:
    """Anderson acceleration (1965) of a fixed-point iteration.

    Args:
        memory: Number of past points that are used.
    """

    def __init__(self, memory: int = 10) -> None:
        self._memory = memory
        self._points: list[Floats] = []
        self._changes: list[Floats] = []

    def next(self, at: Floats, change: Floats) -> Floats:
        """Return the next point, given the last point and its residual, of the same shape."""
        self._points = [*self._points, at.ravel()][-self._memory :]
        self._changes = [*self._changes, change.ravel()][-self._memory :]
        after = self._points[-1] + self._changes[-1]
        if len(self._points) > 1:
            moved = np.stack([self._points[-1] - point for point in self._points[:-1]], axis=1)
            turned = np.stack([self._changes[-1] - older for older in self._changes[:-1]], axis=1)
            after = after - (moved + turned) @ np.linalg.lstsq(turned, self._changes[-1], rcond=None)[0]
        return after.reshape(at.shape)


def fixed_point(change: Callable[[Floats], Floats], start: Floats, enough: float, at_most: int = 40) -> Floats:
    """Return a root of a residual function, found by Anderson acceleration.

    Args:
        change: Returns the residual at a point.
        start: First point.
        enough: Greatest absolute residual that is accepted.
        at_most: Limit of evaluations; then the last point is returned.
    """
    at, mixing = start, AndersonMixing()
    for _ in range(at_most):
        wanted = change(at)
        if np.abs(wanted).max() <= enough:
            break
        at = mixing.next(at, wanted)
    return at


def solved(duel: Duel) -> Iterator[tuple[Floats, float]]:
    """Yield ever better values, shape SHAPE, each with its greatest Bellman residual; end at `RESIDUAL`."""
    values = InterpolatedDuel(duel).solved()
    residual, mixing = 1.0, AndersonMixing()
    while True:
        missing = duel.best_values(values if residual <= FLOAT32_ABOVE else values.astype(np.float32)) - values
        residual = float(np.abs(missing).max())
        yield values, residual
        if residual <= RESIDUAL:
            return
        if residual > NEW_POLICY_ABOVE:
            policy = Policy(duel, values)
            values = values + policy.corrections(missing)
        else:
            values = mixing.next(values, policy.corrections(missing))
