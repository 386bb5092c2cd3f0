"""Crib Dice for two, solved: the chance to win before every turn when both play for the win.

A state is known by its order (0: the mover starts the round, 1: he ends it), the mover's and the other's peg, and the
mover's and the other's wipe-outs in a row. Nothing but a fuchle takes a peg back. So once it is known what the states
after a fuchle are worth, one sweep from the far end finds all the others, and sweeps are repeated until they agree.

Two games that are quicker to solve lead there. In the rough one (`RoughDuel`) turns are worked back for a few worths
of a wipe-out and interpolated between. In the other (`Policy`) every turn is played as it was best for older values.
Newton's method goes on from there: what the best turns bring more than the values say is made up for under that policy;
the last steps keep an old one and are mixed with the steps before them.
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
TOPS = (TOP, PEGS)  # by order, the hole from which every turn stops
BATCH_SIZE = 8  # pegs of the other in one batch of exact turns
NODES = 8
RESIDUAL = 1e-10
_BY_WIPEOUTS = sorted(product(range(FUCHLE), repeat=2), key=sum, reverse=True)  # a wipe-out leads to one before
ROUGHLY = 1e-3  # how well values after fuchles agree in the rough game
CLOSELY = 1e-2  # how well changes after fuchles agree, of the greatest change
EVERY = 5  # pegs of the other
ANEW_ABOVE = 1e-4  # residual down to which policies are worked out anew
SINGLE_ABOVE = 1e-3  # and down to which single precision will do


def last_turns(piddle_points: bool) -> Floats:
    """The chance to win with one last turn, by the holes that level with the leader; level counts half."""
    gaps = np.arange(GAPS)
    gained = np.arange(len(gaps) + 2 * MAX_SET_SCORE + 1)[:, np.newaxis]
    bank = np.where(gained > gaps, 1.0, np.where(gained == gaps, 0.5, 0.0))
    turns = Turns(piddle_points, bank, np.zeros(GAPS))
    won: Floats = evaluate(turns, np.zeros(GAPS, np.int64)).fresh[0]
    return won


class Duel:
    """The game for two under some rules.

    Args:
        piddle_points: The house rule.

    Attributes:
        last: The chances of a last turn by the gap.
    """

    def __init__(self, piddle_points: bool) -> None:
        self.piddle_points = piddle_points
        self.last = last_turns(piddle_points)

    def beyond(self, order: int, holes: Indices, other: Indices) -> Floats:
        """What it is worth to bank at a hole beyond the track, by the other's peg."""
        won = np.ones(np.broadcast_shapes(holes.shape, other.shape))
        return won if order == 1 else won - self.last[np.minimum(holes - other, GAPS - 1)]

    def aims(self, values: Floats, order: int, others: Indices) -> tuple[Floats, Floats]:
        """What movers with that order aim at.

        Args:
            values: Of all states, of any float type, shape SHAPE: what later turns are known to be worth.
            order: The movers'.
            others: The others' pegs.

        Returns:
            What it is worth to bank, by hole, other and his wipe-outs; and to wipe out, by the mover's peg, his
            wipe-outs, other and his wipe-outs.
        """
        following = 1.0 - values[1 - order][others]  # the other's peg, the mover's, the other's wipe-outs, the mover's
        bank = np.empty((TOPS[order] + 2 * MAX_SET_SCORE + 1, len(others), FUCHLE), values.dtype)
        bank[:PEGS] = following[..., 0].transpose(1, 0, 2)
        bank[PEGS:] = self.beyond(order, np.arange(PEGS, len(bank))[:, np.newaxis], others)[..., np.newaxis]
        lost = np.empty((PEGS, FUCHLE, len(others), FUCHLE), values.dtype)
        lost[:, :-1] = following[..., 1:].transpose(1, 3, 0, 2)
        lost[:, -1] = following[:, 0, :, 0]
        return bank, lost

    def improved(self, values: Floats) -> Floats:
        """What the best turn in each state is worth when later ones are worth that, shape SHAPE."""
        found = np.full(SHAPE, np.nan)
        for order in (0, 1):
            for begin in range(0, PEGS, BATCH_SIZE):
                others = np.arange(begin, min(begin + BATCH_SIZE, PEGS))
                found[order][:, others] = self._best(values, order, others)
        return found

    def _best(self, values: Floats, order: int, others: Indices) -> Floats:
        """The same of one batch, shape (peg, other's peg, wipe-outs, other's wipe-outs)."""
        bank, lost = self.aims(values, order, others)
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


class RoughDuel:
    """The game in which turns are interpolated between a few worths of a wipe-out.

    Args:
        duel: The game itself.
    """

    def __init__(self, duel: Duel) -> None:
        nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)  # Chebyshev's
        self._to_powers = np.linalg.inv(np.vander(nodes, increasing=True)).T
        lost = np.tile((1.0 + nodes) / 2, PEGS * FUCHLE)
        # A row holds not a hole but a level, the sum of both pegs: a sweep takes all states of a level together.
        levels, others = np.arange(PEGS + TOP + 2 * MAX_SET_SCORE)[:, np.newaxis], np.arange(PEGS)
        self._turns = []
        for order in (0, 1):
            bank = duel.beyond(order, np.maximum(levels - others, PEGS), others)
            self._turns.append(Turns(duel.piddle_points, np.repeat(bank, FUCHLE * NODES, axis=1), lost))

    def solved(self) -> Floats:
        """The values of all states, shape SHAPE."""
        found = np.empty(SHAPE)

        def disagreement(resets: Floats) -> Floats:
            nonlocal found
            found = self._swept(resets)
            return found[:, :, 0, :, 0] - resets

        fixed_point(disagreement, np.full((2, PEGS, FUCHLE), 0.5), ROUGHLY)
        return found

    def _swept(self, resets: Floats) -> Floats:
        """The same for given values after a fuchle, by order, the next mover's peg and his wipe-outs."""
        values = np.full(SHAPE, np.nan)
        for level in reversed(range(PEGS + TOP + MAX_SET_SCORE)):
            for turns, top in zip(self._turns, TOPS, strict=True):
                if stopping := _columns(level - top - MAX_SET_SCORE, level - top):
                    turns.stop(level, stopping)
                if playing := _columns(level - top + 1, level):
                    turns.play(level, playing)
            self._fill_in(level, values, resets)
        return values

    def _fill_in(self, level: int, values: Floats, resets: Floats) -> None:
        """Fills in the states of a level, and what it is worth to bank there."""
        other = np.arange(max(0, level - PEGS + 1), min(level, PEGS - 1) + 1)
        mover = level - other
        fresh = np.stack([turns.fresh[level].reshape(PEGS, FUCHLE, NODES)[other] for turns in self._turns])
        powers = np.moveaxis(fresh @ self._to_powers, -1, 0)  # power, order, state, the other's wipe-outs
        for mine, theirs in _BY_WIPEOUTS:
            fuchle = mine + 1 == FUCHLE
            after = resets[:, other, theirs] if fuchle else values[:, other, mover, theirs, mine + 1]
            at = 1.0 - 2.0 * after[::-1]  # what a wipe-out is worth, from -1 to 1
            worth = powers[-1, ..., theirs]
            for power in powers[-2::-1, ..., theirs]:
                worth = worth * at + power
            values[:, mover, other, mine, theirs] = worth
        for order, turns in enumerate(self._turns):
            banked = 1.0 - values[1 - order, other, mover, :, 0]
            turns.bank[level].reshape(PEGS, FUCHLE, NODES)[other] = banked[..., np.newaxis]


class Policy:
    """Where turns bank and how often they wipe out when they are played as is best for some values.

    For every `EVERY`th peg of the other; interpolated between.
    """

    def __init__(self, duel: Duel, values: Floats) -> None:
        self._banked = np.full((*SHAPE, PEGS), np.nan, np.float32)
        self._wiped = np.full(SHAPE, np.nan, np.float32)
        worked_out = np.arange(0, PEGS, EVERY)
        for order in (0, 1):
            for begin in range(0, len(worked_out), BATCH_SIZE):
                others = worked_out[begin : begin + BATCH_SIZE]
                banked, wiped = _ends(duel, values, order, others)
                self._banked[order][:, others], self._wiped[order][:, others] = banked, wiped
            for known in (self._banked[order], self._wiped[order]):
                for step in range(1, EVERY):
                    low, high = known[:, :-1:EVERY], known[:, EVERY::EVERY]
                    known[:, step::EVERY] = low + np.float32(step / EVERY) * (high - low)

    def changes(self, missing: Floats) -> Floats:
        """The changes of all values that make up for what is missing in each, shape SHAPE."""
        found = missing

        def disagreement(resets: Floats) -> Floats:
            nonlocal found
            found = self._swept(missing, resets)
            return found[:, :, 0, :, 0] - resets

        fixed_point(disagreement, np.zeros((2, PEGS, FUCHLE)), CLOSELY * float(np.abs(missing).max()))
        return found

    def _swept(self, missing: Floats, resets: Floats) -> Floats:
        """The same for given changes after a fuchle, by order, the next mover's peg and his wipe-outs."""
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
    """The chances that turns of one batch bank at each hole and that they wipe out.

    By peg, other's peg, other's wipe-outs and wipe-outs; the hole comes last.
    """
    bank, lost = duel.aims(values.astype(np.float32), order, others)
    size = len(others) * FUCHLE
    tiled = np.tile(bank.reshape(len(bank), size), PEGS * FUCHLE)
    starts = np.repeat(np.arange(PEGS), size * FUCHLE)
    turns = evaluate(Turns(duel.piddle_points, tiled, lost.ravel()), starts)
    ends = Outcomes(duel.piddle_points, turns, starts, PEGS)
    banked = ends.banked.reshape(PEGS, *lost.shape).transpose(1, 3, 4, 2, 0)
    return banked, ends.wiped.reshape(lost.shape).transpose(0, 2, 3, 1)


def _columns(first: int, last: int) -> slice | None:
    """The columns of others with those pegs; None where there are none."""
    first, last = max(first, 0), min(last, PEGS - 1)
    return None if first > last else slice(first * FUCHLE * NODES, (last + 1) * FUCHLE * NODES)


class Mixing:
    """Anderson's mixing (1965): the next point from the last points and the changes that were wanted there."""

    def __init__(self, memory: int = 10) -> None:
        self._memory = memory
        self._points: list[Floats] = []
        self._changes: list[Floats] = []

    def next(self, at: Floats, change: Floats) -> Floats:
        """Where to look next, for points of any shape."""
        self._points = [*self._points, at.ravel()][-self._memory :]
        self._changes = [*self._changes, change.ravel()][-self._memory :]
        after = self._points[-1] + self._changes[-1]
        if len(self._points) > 1:
            moved = np.stack([self._points[-1] - point for point in self._points[:-1]], axis=1)
            turned = np.stack([self._changes[-1] - older for older in self._changes[:-1]], axis=1)
            after = after - (moved + turned) @ np.linalg.lstsq(turned, self._changes[-1], rcond=None)[0]
        return after.reshape(at.shape)


def fixed_point(change: Callable[[Floats], Floats], start: Floats, enough: float, at_most: int = 40) -> Floats:
    """Where a change vanishes, or nearly."""
    at, mixing = start, Mixing()
    for _ in range(at_most):
        wanted = change(at)
        if np.abs(wanted).max() <= enough:
            break
        at = mixing.next(at, wanted)
    return at


def solved(duel: Duel) -> Iterator[tuple[Floats, float]]:
    """Values that come ever closer, shape SHAPE, each with its residual: how far from its best turn any is."""
    values = RoughDuel(duel).solved()
    residual, mixing = 1.0, Mixing()
    while True:
        missing = duel.improved(values if residual <= SINGLE_ABOVE else values.astype(np.float32)) - values
        residual = float(np.abs(missing).max())
        yield values, residual
        if residual <= RESIDUAL:
            return
        if residual > ANEW_ABOVE:
            policy = Policy(duel, values)
            values = values + policy.changes(missing)
        else:
            values = mixing.next(values, policy.changes(missing))
