"""Crib Dice for two, solved: the chance to win before every turn when both play for the win.

A state is known by its order (0: the mover starts the round, 1: he ends it), the mover's and the other's peg, and the
mover's and the other's wipe-outs in a row. Nothing but a fuchle takes a peg back. Policies are improved by working all
turns back (`turns`), and weighed by a sweep over the pegs from the far end, repeated until the values after
fuchles agree. The last steps use the outcomes of an older policy, mixed with the steps before: a Newton step whose
matrix is nearly right, which saves most of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from companion.games.crib_dice.duel import FUCHLE, GAPS, PEGS, REACH, TOP
from companion.games.crib_dice.turns import Floats, Turns

SHAPE = (2, PEGS, PEGS, FUCHLE, FUCHLE)
AT_ONCE = 24  # pairs of the other's peg and wipe-outs in one batch
RESIDUAL = 1e-10
ROUGH_ABOVE = 1e-4  # residual down to which outcomes are worked out anew
SINGLE_ABOVE = 5e-6  # and down to which single precision will do

Mapper = Callable[[Callable[["Job"], Floats], Iterable["Job"]], Iterable[Floats]]
Job = tuple["Duel", Floats, int, list[int]]


def last_turns(piddle_points: bool) -> Floats:
    """The chance to win with one last turn, by the holes that level with the leader; level counts half."""
    gaps = np.arange(GAPS)
    gained = np.arange(len(gaps) + 2 * REACH + 1)[:, np.newaxis]
    bank = np.where(gained > gaps, 1.0, np.where(gained == gaps, 0.5, 0.0))
    return Turns(piddle_points, bank, np.zeros(len(gaps)), len(gaps), len(gaps)).worth()


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

    def turns(self, values: Floats, order: int, others: list[int], theirs: list[int]) -> Turns:
        """The turns of all movers with that order against others with those pegs and wipe-outs.

        Columns: the mover's peg, his wipe-outs, the other's peg, the other's wipe-outs; the last runs fastest.

        Args:
            values: Of all states, of any float type, shape SHAPE: what later turns are known to be worth.
            order: The movers'.
            others: Pegs.
            theirs: Wipe-outs in a row.
        """
        # The other's peg, the mover's, the other's wipe-outs, the mover's.
        following = (1.0 - values[1 - order][others])[:, :, theirs]
        top = TOP if order == 0 else PEGS
        bank = np.ones((top + 2 * REACH + 1, len(others), len(theirs)), values.dtype)
        bank[:PEGS] = following[..., 0].transpose(1, 0, 2)
        if order == 0:
            beyond = np.arange(PEGS, len(bank))[:, np.newaxis]
            bank[PEGS:] = (1.0 - self.last[beyond - np.array(others)])[:, :, np.newaxis]
        lost = np.empty((PEGS, FUCHLE, len(others), len(theirs)), values.dtype)
        for wipeouts in range(FUCHLE - 1):
            lost[:, wipeouts] = following[..., wipeouts + 1].transpose(1, 0, 2)
        lost[:, FUCHLE - 1] = following[:, 0, :, 0]
        size = len(others) * len(theirs)
        tiled = np.tile(bank.reshape(len(bank), 1, size), (1, PEGS * FUCHLE, 1)).reshape(len(bank), -1)
        return Turns(self.piddle_points, tiled, lost.reshape(-1), FUCHLE * size, top)


def improved(job: Job) -> Floats:
    """The values of one batch of turns at their best, shape (peg, other's peg, wipe-outs, other's wipe-outs)."""
    duel, values, order, others = job
    turn_values = duel.turns(values, order, others, [0, 1, 2]).worth()
    return turn_values.reshape(PEGS, FUCHLE, len(others), FUCHLE).transpose(0, 2, 1, 3)


def outcomes(job: Job) -> Floats:
    """Where those turns bank, shape (peg, other's peg, wipe-outs, PEGS + 1); last the chance that they wipe out.

    For an other with one wipe-out: how many he has hardly changes how a turn is played.
    """
    duel, values, order, others = job
    banked, wiped = duel.turns(values, order, others, [1]).outcomes(PEGS)
    both = np.concatenate([banked, wiped[np.newaxis]]).reshape(PEGS + 1, PEGS, FUCHLE, len(others))
    return both.transpose(1, 3, 2, 0)


def _batches(duel: Duel, values: Floats, at_once: int) -> list[Job]:
    return [
        (duel, values, order, list(range(begin, min(begin + at_once, PEGS))))
        for order in (0, 1)
        for begin in range(0, PEGS, at_once)
    ]


class Outcomes:
    """Where turns bank and how often they wipe out under some policy, for every state: the matrix of a Newton step."""

    def __init__(self, duel: Duel, values: Floats, mapper: Mapper) -> None:
        self.banked = np.empty((2, PEGS, PEGS, FUCHLE, PEGS), dtype=np.float32)
        self.wiped = np.empty((2, PEGS, PEGS, FUCHLE))
        jobs = _batches(duel, values.astype(np.float32), AT_ONCE)
        for (_, _, order, others), found in zip(jobs, mapper(outcomes, jobs), strict=True):
            self.banked[order][:, others] = found[..., :-1]
            self.wiped[order][:, others] = found[..., -1]

    def changes(self, missing: Floats) -> Floats:
        """The changes of all values that make up for what is missing in each, under this policy."""
        found = missing

        def disagreement(resets: Floats) -> Floats:
            nonlocal found
            found = self._swept(missing, resets.reshape(2, PEGS, FUCHLE))
            return found[:, :, 0, :, 0].reshape(-1) - resets

        fixed_point(disagreement, np.zeros(2 * PEGS * FUCHLE), 1e-3 * float(np.abs(missing).max()), 30)
        return found

    def _swept(self, missing: Floats, resets: Floats) -> Floats:
        """The same for given changes after a fuchle, by order, the next mover's peg and his wipe-outs."""
        found = np.zeros(SHAPE)
        for level in range(2 * PEGS - 2, -1, -1):
            mover = np.arange(max(0, level - PEGS + 1), min(level, PEGS - 1) + 1)
            other = level - mover
            for order in (0, 1):
                after = found[1 - order][other][:, :, :, 0]  # all that bank here go further, and are known
                banked = np.einsum("nwy,nyv->nwv", self.banked[order, mover, other], after)
                found[order, mover, other] = missing[order, mover, other] - banked
            for sum_ in range(2 * FUCHLE - 2, -1, -1):
                for mine in range(max(0, sum_ - FUCHLE + 1), min(sum_, FUCHLE - 1) + 1):
                    theirs = sum_ - mine
                    for order in (0, 1):
                        here = (order, mover, other, mine, theirs)
                        if mine + 1 < FUCHLE:
                            after = found[1 - order, other, mover, theirs, mine + 1]
                        else:
                            after = resets[1 - order, other, theirs]
                        found[here] -= self.wiped[order, mover, other, mine] * after
        return found


class Mixing:
    """Anderson's mixing (1965): the next point from the last points and the changes that were wanted there."""

    def __init__(self, memory: int = 6) -> None:
        self._memory = memory
        self._points: list[Floats] = []
        self._changes: list[Floats] = []

    def next(self, at: Floats, change: Floats) -> Floats:
        """Where to look next, for points of any shape."""
        self._points = [*self._points, at.reshape(-1)][-self._memory :]
        self._changes = [*self._changes, change.reshape(-1)][-self._memory :]
        after = self._points[-1] + self._changes[-1]
        if len(self._points) > 1:
            moved = np.stack([self._points[-1] - point for point in self._points[:-1]], axis=1)
            turned = np.stack([self._changes[-1] - older for older in self._changes[:-1]], axis=1)
            after = after - (moved + turned) @ np.linalg.lstsq(turned, self._changes[-1], rcond=None)[0]
        return after.reshape(at.shape)


def fixed_point(change: Callable[[Floats], Floats], start: Floats, enough: float, at_most: int) -> Floats:
    """Where a change vanishes, or nearly."""
    at, mixing = start, Mixing()
    for _ in range(at_most):
        wanted = change(at)
        if np.abs(wanted).max() <= enough:
            break
        at = mixing.next(at, wanted)
    return at


def solved(duel: Duel, mapper: Mapper, start: Floats | None = None) -> Iterator[tuple[Floats, float]]:
    """Values that come ever closer, shape SHAPE, each with its residual: how far from its best turn any is.

    Args:
        duel: The rules.
        mapper: `map`, or one that works in several processes.
        start: Where to begin; else everything is even.
    """
    values = np.full(SHAPE, 0.5) if start is None else start
    residual, mixing = 1.0, Mixing()
    while True:
        rough = residual > ROUGH_ABOVE
        exact = residual <= SINGLE_ABOVE
        jobs = _batches(duel, values if exact else values.astype(np.float32), AT_ONCE // FUCHLE)
        missing = np.empty(SHAPE)
        for (_, _, order, others), turn_values in zip(jobs, mapper(improved, jobs), strict=True):
            missing[order][:, others] = turn_values - values[order][:, others]
        residual = float(np.abs(missing).max())
        yield values, residual
        if residual <= RESIDUAL:
            return
        if rough:
            policy = Outcomes(duel, values, mapper)
            values = values + policy.changes(missing)
        else:
            values = mixing.next(values, policy.changes(missing))
