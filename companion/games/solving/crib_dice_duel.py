"""Solve Crib Dice for two sides that play every turn to win, or for the games that each loses.

The game is a zero-sum stochastic game. The value of a state is its *equity*: the expected number of games that the
other side loses, less those that the mover loses. Without skunks that is twice the win probability less one.

Policy iteration (Howard 1960) solves it. `Duel.best_values` applies the Bellman operator exactly. `Policy` holds the
outcome distributions of the greedy policy; Gauss-Seidel sweeps over the sum of both pegs solve its linear system for
the Bellman residual. Bombs, fuchles and bumps lead backwards in that order; their values come from the sweep before.
The last steps reuse a policy and apply Anderson acceleration (1965).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from companion.games.crib_dice.odds.backward_induction import Floats, Indices, Turns, evaluate
from companion.games.crib_dice.odds.turn_value import ANNOUNCED
from companion.games.crib_dice.odds.two_sides import BEYOND, FUCHLE, FUCHLED, HOLE, PEGS, PLACES, TOP, DuelRules
from companion.games.crib_dice.scoring import MAX_SET_SCORE
from companion.games.solving.crib_dice_outcomes import Outcomes

SHAPE = (2, PLACES, PLACES, FUCHLE, FUCHLE)
"""Shape of all values: order, mover's place, other's place, mover's wipe-outs, other's wipe-outs."""
TOPS = (TOP, PEGS)
"""Hole from which every turn stops, by order."""
BY_HOLE = np.array(sorted(range(PLACES), key=lambda place: HOLE[place]))
"""Places by their hole, ascending: a batch of turns must be sorted by where they start."""
HOLES = np.array(HOLE)
"""Hole of each place, as an array."""
BATCH_SIZE = 4
"""Places of the other in one batch of exact turns. Bounds the memory."""
RESIDUAL = 2e-10
"""Greatest Bellman residual of a finished solution, in equity per game at stake."""
CORRECTION_TOLERANCE = 1e-2
"""Error of a correction that is accepted, as a share of the greatest residual."""
PEG_STEP = 2
"""Places between the others for which a policy is computed. Between them it is interpolated."""
NEW_POLICY_ABOVE = 1e-3
"""Bellman residual above which each step computes a new policy. Below, the last policy is reused."""
FLOAT32_ABOVE = 1e-3
"""Bellman residual above which turns are evaluated in single precision, which is faster."""
FIRST_SCALE = 40.0
"""Holes of a lead that count as nearly won in the first guess. Any guess leads to the same solution."""
_BY_WIPEOUTS = sorted(product(range(FUCHLE), repeat=2), key=sum, reverse=True)
"""Wipe-outs of mover and other. A wipe-out leads to a pair that comes earlier in this order."""


class Duel:
    """Bellman operator of the game between two sides.

    Args:
        rules: House rules and stakes.

    Attributes:
        last: (places, wipe-outs, BEYOND) equity of a last turn, by how far the other has left the track.
    """

    def __init__(self, rules: DuelRules) -> None:
        self.rules = rules
        self.last = self._last_turns()

    def _last_turns(self) -> Floats:
        """Return the equities of a last turn, `last`: the other has finished, and this turn ends the game."""
        finishes, holes = PEGS + np.arange(BEYOND), np.arange(PEGS + BEYOND + 2 * MAX_SET_SCORE + 1)[:, np.newaxis]
        stakes = np.array([self.rules.games_lost(hole if hole < PEGS else FUCHLED + 1) for hole in range(len(holes))])
        bank = np.where(holes > finishes, 1.0, np.where(holes == finishes, 0.0, -stakes[:, np.newaxis]))
        starts = np.repeat(HOLES[BY_HOLE], FUCHLE * BEYOND)
        lost = np.array([[self.rules.lost_last(place, count) for count in range(FUCHLE)] for place in BY_HOLE])
        tiled = np.tile(bank, PLACES * FUCHLE)
        turns = evaluate(Turns(self.rules.piddle_points, tiled, np.repeat(-lost.ravel(), BEYOND)), starts)
        found = np.empty((PLACES, FUCHLE, BEYOND))
        found[BY_HOLE] = turns.fresh[starts, np.arange(len(starts))].reshape(found.shape)
        return found

    def payoffs(self, values: Floats, order: int, others: Indices) -> tuple[Floats, Floats, Floats]:
        """Return the equity after each end of a turn: bank, wipe-out and bomb.

        Args:
            values: Values of all states, shape SHAPE, of any float type.
            order: 0 if the movers start the round, 1 if they end it.
            others: Places of the others.

        Returns:
            Bank by hole, other's place and other's wipe-outs. Wipe-out by mover's place, mover's wipe-outs, other's
            place and other's wipe-outs. Bomb by mover's place, other's place and other's wipe-outs; `-inf` where it is
            not allowed.
        """
        rules, values = self.rules, -values[1 - order]
        following = values[others]  # the other's place, the mover's, the other's wipe-outs, the mover's
        there, stakes = HOLES[others], np.array([rules.games_lost(place) for place in range(PLACES)])
        bank = np.empty((TOPS[order] + 2 * MAX_SET_SCORE + 1, len(others), FUCHLE), values.dtype)
        bank[:PEGS] = following[:, :PEGS, :, 0].transpose(1, 0, 2)
        if rules.bumping:
            some = np.flatnonzero(there > 0)
            bank[there[some], some] = values[np.maximum(there[some] - 5, 0), there[some], :, 0]
        if order == 1:
            bank[PEGS:] = stakes[others][:, np.newaxis]
        else:
            beyond = np.minimum(np.arange(len(bank) - PEGS), BEYOND - 1)
            bank[PEGS:] = -self.last[others][:, :, beyond].transpose(2, 0, 1)
        lost = np.empty((PLACES, FUCHLE, len(others), FUCHLE), values.dtype)
        lost[:, :-1] = following[..., 1:].transpose(1, 3, 0, 2)
        lost[:, -1] = following[:, FUCHLED, :, 0]
        if rules.double_fuchle:
            lost[FUCHLED, 1:] = -stakes[FUCHLED]
        bomb = np.full((PLACES, len(others), FUCHLE), -np.inf, values.dtype)
        if rules.bomb:
            mover, other = np.nonzero(HOLES[:, np.newaxis] < there)
            bomb[mover, other] = values[HOLES[mover], there[other], :, 0]
        return bank, lost, bomb

    def turns(self, values: Floats, order: int, others: Indices) -> tuple[Turns, Indices]:
        """Return the evaluated turns of one batch, and the hole at which each starts.

        Columns are sorted as `BY_HOLE`, then by the mover's wipe-outs, other's place and other's wipe-outs.
        """
        bank, lost, bomb = self.payoffs(values, order, others)
        size = len(others) * FUCHLE
        tiled = np.tile(bank.reshape(len(bank), size), PLACES * FUCHLE)
        starts = np.repeat(HOLES[BY_HOLE], size * FUCHLE)
        bombs = None
        if self.rules.bomb:
            bomb = np.broadcast_to(bomb[:, np.newaxis], lost.shape)
            bomb, lost_too = bomb[BY_HOLE].reshape(-1), lost[BY_HOLE].reshape(-1)
            bombs = np.stack([ANNOUNCED * bomb + (1 - ANNOUNCED) * lost_too, bomb, bomb])
        turns = Turns(self.rules.piddle_points, tiled, lost[BY_HOLE].reshape(-1), bombs)
        return evaluate(turns, starts), starts

    def best_values(self, values: Floats) -> Floats:
        """Apply the Bellman operator: the value of the best turn in each state, given `values` of later turns."""
        found = np.full(SHAPE, np.nan)
        for order, others in _batches(np.arange(PLACES)):
            turns, starts = self.turns(values, order, others)
            best = turns.fresh[starts, np.arange(len(starts))].reshape(PLACES, FUCHLE, len(others), FUCHLE)
            found[order][BY_HOLE[:, np.newaxis], others] = best.transpose(0, 2, 1, 3)
        return found


def _batches(places: Indices) -> Iterator[tuple[int, Indices]]:
    """Yield each order with `BATCH_SIZE` places at a time."""
    for order in (0, 1):
        for begin in range(0, len(places), BATCH_SIZE):
            yield order, places[begin : begin + BATCH_SIZE]


class Policy:
    """Outcome distribution of the turns that are optimal for given values.

    Computed for every `PEG_STEP`th place of the other and interpolated between.

    Args:
        duel: The game.
        values: Values of all states, shape SHAPE.
    """

    def __init__(self, duel: Duel, values: Floats) -> None:
        self._lost_out, self._bumping = duel.rules.double_fuchle, duel.rules.bumping
        # By order, mover's place, other's place, other's wipe-outs and mover's wipe-outs.
        self._banked = np.empty((*SHAPE, PEGS), np.float32)
        self._wiped, self._bombed = np.empty(SHAPE, np.float32), np.empty(SHAPE, np.float32)
        for order, others in _batches(np.append(np.arange(0, PEGS, PEG_STEP), FUCHLED)):
            turns, starts = duel.turns(values.astype(np.float32), order, others)
            ends = Outcomes(duel.rules.piddle_points, turns, starts, PEGS)
            shape = PLACES, FUCHLE, len(others), FUCHLE
            at = order, BY_HOLE[:, np.newaxis], others
            self._banked[at] = ends.banked.reshape(PEGS, *shape).transpose(1, 3, 4, 2, 0)
            self._wiped[at] = ends.wiped.reshape(shape).transpose(0, 2, 3, 1)
            self._bombed[at] = ends.bombed.reshape(shape).transpose(0, 2, 3, 1)
        for known in (self._banked, self._wiped, self._bombed):
            for step in range(1, PEG_STEP):
                low, high = known[:, :, : PEGS - 1 : PEG_STEP], known[:, :, PEG_STEP:PEGS:PEG_STEP]
                known[:, :, step:PEGS:PEG_STEP] = low + np.float32(step / PEG_STEP) * (high - low)

    def corrections(self, missing: Floats) -> Floats:
        """Return the correction of all values for given Bellman residuals (policy evaluation), both of shape SHAPE."""
        enough = CORRECTION_TOLERANCE * float(np.abs(missing).max())
        return fixed_point(lambda found: self._swept(missing, found) - found, np.zeros(SHAPE), enough)

    def _swept(self, missing: Floats, before: Floats) -> Floats:
        """Return the corrections of all states, shape SHAPE, by one sweep over the sums of pegs from the far end.

        Args:
            missing: Bellman residuals, shape SHAPE.
            before: Corrections by the last sweep, for states that come later in this one.
        """
        found = before.copy()
        for level in reversed(range(2 * PEGS - 1)):
            mover, other = _PAIRS[level]
            swapped = found[::-1, HOLES[mover], HOLES[other], :, :1]
            for order in (0, 1):
                after = found[1 - order, other, :PEGS, :, 0]
                if self._bumping:
                    bumped = found[1 - order, np.maximum(HOLES[other] - 5, 0), HOLES[other], :, 0]
                    after[np.arange(len(other)), HOLES[other]] = bumped
                at = order, mover, other
                banked = self._banked[at] @ after.astype(np.float32).transpose(0, 2, 1)[..., np.newaxis]
                bombed = self._bombed[at] * swapped[order]
                found[at] = missing[at] - (banked[..., 0] + bombed).transpose(0, 2, 1)
            for mine, theirs in _BY_WIPEOUTS:
                if mine + 1 < FUCHLE:
                    after = found[::-1, other, mover, theirs, mine + 1]
                else:
                    after = before[::-1, other, FUCHLED, theirs, 0]
                if self._lost_out and mine > 0:
                    after = np.where(mover == FUCHLED, 0.0, after)
                found[:, mover, other, mine, theirs] -= self._wiped[:, mover, other, theirs, mine] * after
        return found


def _pairs(level: int) -> tuple[Indices, Indices]:
    """Return the places of mover and other, for every pair of places whose holes add up to `level`."""
    mover, other = np.nonzero(HOLES[:, np.newaxis] + HOLES == level)
    return mover, other


_PAIRS = [_pairs(level) for level in range(2 * PEGS - 1)]
"""Places of mover and other by the sum of their holes."""


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


def first_guess() -> Floats:
    """Return rough values of all states, shape SHAPE: the mover's lead on a smooth scale."""
    lead = np.tanh((HOLES[:, np.newaxis] - HOLES) / FIRST_SCALE)
    return np.broadcast_to(lead[..., np.newaxis, np.newaxis], SHAPE).copy()


def solved(duel: Duel) -> Iterator[tuple[Floats, float]]:
    """Yield ever better values, shape SHAPE, each with its greatest Bellman residual; end at `RESIDUAL`.

    The residual is divided by the most games that a side can lose.
    """
    values = first_guess()
    residual, mixing = 1.0, AndersonMixing()
    while True:
        missing = duel.best_values(values if residual <= FLOAT32_ABOVE else values.astype(np.float32)) - values
        residual = float(np.abs(missing).max()) / duel.rules.stake
        yield values, residual
        if residual <= RESIDUAL:
            return
        if residual > NEW_POLICY_ABOVE:
            policy = Policy(duel, values)
            values = values + policy.corrections(missing)
        else:
            values = mixing.next(values, policy.corrections(missing))
