"""Crapola: win probabilities that leave out later spendings, against the solved end of a game that has them.

The stored equilibrium is compared with another solver too: value iteration over the chart of `naive_crapola`.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from companion.games.crapola.odds.backward_induction import MAX_THROW_STEPS, Floats, Indices, values_before_throw
from companion.games.crapola.odds.offers import STEP
from companion.games.crapola.odds.race import (
    BOTH,
    ENTRY,
    MAX_STEPS_LEFT,
    MOVER,
    OTHER,
    PHASES,
    SURE_STOP_STEPS,
    after_bank,
    race,
)
from companion.games.engine.dice import subsets, without
from tests.games.naive_crapola import best_split

SPENDING_TARGET = 5000
"""Target of the game that is solved with spendings, in points; the time grows with its square."""
EQUILIBRIUM_TARGET = 2000
"""Target of the game whose equilibrium is solved again, in points; the time grows with its square."""
MOST_SPENT = 20
"""Most steps that can be spent in a turn: 1000 points."""
TOLERANCE = 1e-6
"""Change of a win probability up to which value iteration ends."""
RANDOM_STATES = 60
"""Random states whose stored values are compared with those of their best turns, for each larger target."""


def naive_offers(size: int) -> tuple[Indices, Floats]:
    """Return what throws of 1 to `size` dice offer, from the chart of `naive_crapola`.

    Returns:
        (offers, keeps) distance to the state after each keep in a flattened table of (steps, dice to throw minus 1),
        padded with the last keep. And (size, offers) probability of each offer by dice thrown minus 1.
    """
    found = defaultdict[tuple[tuple[int, int], ...], dict[int, float]](lambda: defaultdict(float))
    for dice in range(1, size + 1):
        for result in combinations_with_replacement(range(1, 7), dice):
            most: dict[int, int] = {}
            for kept in subsets(result):
                points = best_split(kept) if kept else 0
                if points:
                    left = len(without(result, kept) or ()) or size
                    most[left] = max(points, most.get(left, 0))
            ways = factorial(dice) // prod(factorial(result.count(face)) for face in set(result))
            if most:
                found[tuple(sorted(most.items()))][dice] += ways / 6.0**dice
    width = max(map(len, found))
    padded = [offer + offer[-1:] * (width - len(offer)) for offer in found]
    distances = np.array([[points // STEP * size + left - 1 for left, points in offer] for offer in padded])
    return distances, np.array([[some.get(dice, 0.0) for some in found.values()] for dice in range(1, size + 1)])


class Turns:
    """Turns of many states side by side, one a column, with the chart of `naive_crapola`.

    Args:
        size: Dice of the turns, 6 or 7.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._distances, self._chances = naive_offers(size)

    def values(self, bank: Floats, guide: Floats | None = None, least: int = 0) -> Floats:
        """Return the (columns,) value of turns before the first throw; a crap-out has the value 0.

        Args:
            bank: (SURE_STOP_STEPS + MAX_THROW_STEPS + 1, columns) value of banking each number of steps.
            guide: The same by which decisions are made; None for `bank`.
            least: Steps below which a stop is not allowed.
        """
        guide = bank if guide is None else guide
        size, columns = self._size, bank.shape[1]
        told, true = (np.repeat(values[:, np.newaxis], size, axis=1).reshape(-1, columns) for values in (guide, bank))
        first = np.zeros(columns)
        for steps in range(SURE_STOP_STEPS - 1, -1, -1):
            reached = self._distances + steps * size
            offered = told[reached]
            taken = offered.argmax(axis=1)[:, np.newaxis]
            expected = self._chances @ np.take_along_axis(offered, taken, axis=1)[:, 0]
            worth = self._chances @ np.take_along_axis(true[reached], taken, axis=1)[:, 0]
            stops = (guide[steps] >= expected) & (steps >= least)
            row = slice(steps * size, (steps + 1) * size)
            told[row] = np.where(stops, guide[steps], expected)
            true[row] = np.where(stops, bank[steps], worth)
            first = worth[5 if size == 6 else 6]
        return first


def _bank(mine: Indices, other: Indices, after: Floats) -> Floats:
    """Return the win probability of movers after banking each number of steps, both players being on the board.

    Args:
        mine: (columns,) steps of each mover from the target.
        other: (columns,) steps of the other player.
        after: Win probability of who is to move next, by that player's steps and by the other's.

    Returns:
        (SURE_STOP_STEPS + MAX_THROW_STEPS + 1, columns).
    """
    steps = np.arange(SURE_STOP_STEPS + MAX_THROW_STEPS + 1)
    columns = [after_bank(one - steps, two - one + steps + 1, after[two]) for one, two in zip(mine, other, strict=True)]
    return np.stack(columns, axis=1)


class Spending:
    """Game of two players on the board who may spend whole steps, solved by value iteration.

    Args:
        target: Target in points, at most 5000, so that nobody throws seven dice.

    Attributes:
        told: (steps + 1, steps + 1) win probability of the mover by its steps from the target and the other's, without
            later spendings.
        solved: The same with spendings by both players.
        played: The same for a mover who decides by `told`, against a player who decides by `solved`.
    """

    def __init__(self, target: int) -> None:
        self._far, game = target // STEP, race(target, 1000)
        self.told: Floats = np.zeros((self._far + 1, self._far + 1))
        for mine in range(1, self._far + 1):
            for other in range(1, self._far + 1):
                totals = target - STEP * mine, target - STEP * other
                self.told[mine, other] = game.chance(totals[0], True, totals[1], True)
        self._turns, self.solved = Turns(6), self.told.copy()
        self._iterate(self._solve)
        self.played, self._against = self.solved.copy(), self.solved.copy()
        self._iterate(self._evaluate)

    def _iterate(self, step: Callable[[Indices, Indices], float]) -> None:
        """Call `step` with the states of each sum of steps, until the greatest change of a sweep is below TOLERANCE."""
        changes = [1.0]
        while max(changes) > TOLERANCE:
            changes = []
            for both in range(2, 2 * self._far + 1):
                mine = np.arange(max(1, both - self._far), min(self._far, both - 1) + 1)
                changes.append(step(mine, both - mine))

    def _spent(self, mine: Indices, other: Indices, steps: int, values: Floats) -> Floats:
        """Return the win probability of movers who spend some steps; -1 where the two do not have so many.

        Args:
            mine: Steps of each mover from the target.
            other: Steps of the other player.
            steps: Steps that are spent.
            values: Win probability of who is to move next, by that player's steps and by the other's.
        """
        allowed = np.maximum(mine, other) + steps <= self._far
        there = np.minimum(other + steps, self._far), np.minimum(mine + steps, self._far)
        return np.where(allowed, 1 - values[there], -1.0)

    def _solve(self, mine: Indices, other: Indices) -> float:
        """Replace the values of some states in `solved` by those of their best turns; return the greatest change."""
        lost, bank = 1 - self.solved[other, mine], _bank(mine, other, self.solved)
        after = lost + self._turns.values(bank - lost)
        for steps in range(1, MOST_SPENT + 1):
            after = np.maximum(after, self._spent(mine, other, steps, self.solved))
        change = float(np.abs(after - self.solved[mine, other]).max())
        self.solved[mine, other] = after
        return change

    def _evaluate(self, mine: Indices, other: Indices) -> float:
        """Do a step of the evaluation of a player by `told` against one by `solved`; return the greatest change."""
        own = self._turn(mine, other, self.told, self._against, (1, MOST_SPENT))
        change = float(np.abs(own - self.played[mine, other]).max())
        self.played[mine, other] = own
        theirs = self._turn(mine, other, self.solved, self.played, range(1, MOST_SPENT + 1))
        change = max(change, float(np.abs(theirs - self._against[mine, other]).max()))
        self._against[mine, other] = theirs
        return change

    def _turn(self, mine: Indices, other: Indices, guide: Floats, after: Floats, spendings: Sequence[int]) -> Floats:
        """Return the win probability of movers who decide by `guide`, where `after` holds the other's ones later.

        Args:
            mine: Steps of each mover from the target.
            other: Steps of the other player.
            guide: Win probabilities by which the mover decides.
            after: Win probabilities of the other player before its turn.
            spendings: Numbers of steps that the mover considers to spend.
        """
        lost, guessed = 1 - after[other, mine], 1 - guide[other, mine]
        bank, told = _bank(mine, other, after) - lost, _bank(mine, other, guide) - guessed
        values = [lost + self._turns.values(bank, told)]
        guides = [guessed + self._turns.values(told)]
        values += [self._spent(mine, other, steps, after) for steps in spendings]
        guides += [self._spent(mine, other, steps, guide) for steps in spendings]
        found: Floats = np.take_along_axis(np.stack(values), np.argmax(guides, axis=0)[np.newaxis], axis=0)[0]
        return found


def gain_of_spending() -> str:
    """Return as text what spending whole steps gains at most over the told win probability, at the largest target."""
    game, far = race(MAX_STEPS_LEFT * STEP, 1000), MAX_STEPS_LEFT - MOST_SPENT
    told = np.array(
        [
            [game.chance(mine, True, other, True) for other in range(MAX_STEPS_LEFT * STEP, -1, -STEP)]
            for mine in range(MAX_STEPS_LEFT * STEP, -1, -STEP)
        ]
    )
    gains = [1 - told[steps + 1 : far + steps, steps + 1 : far + steps].T for steps in range(1, MOST_SPENT + 1)]
    most = np.max(gains, axis=0) - told[1:far, 1:far]
    chance = told[1:far, 1:far][most > 0.001].max()
    return f"at most {100 * most.max():.2f} %, and over 0.1 % only below a win probability of {100 * chance:.0f} %"


def equilibrium(steps: int) -> tuple[Floats, float]:
    """Solve the race without spendings by value iteration, for all states up to a number of steps from the target.

    Args:
        steps: Steps from the start to the target; at most 100, so that nobody throws seven dice.

    Returns:
        (PHASES, steps + 1, steps + 1) win probability of the mover by phase, mover's and other's steps; and at the
        start. Indices are as in the stored table; who is not on the board is at the start.
    """
    turns, values, start = Turns(6), np.full((PHASES, steps + 1, steps + 1), 0.5), 0.5
    far = np.arange(SURE_STOP_STEPS + MAX_THROW_STEPS + 1)
    chase = np.append(1.0, [turns.values((far >= least)[:, np.newaxis] * 1.0)[0] for least in far[1:]])

    def bank(mine: int, other: int, on: bool) -> Floats:
        ahead = mine - far
        needed = np.minimum(other - ahead + 1, len(chase) - 1)
        needed = needed if on else np.maximum(needed, ENTRY)
        last = chase[np.clip(needed, 0, len(chase) - 1)]
        found: Floats = 1 - np.where(ahead > 0, values[BOTH if on else OTHER, other, np.maximum(ahead, 0)], last)
        return found

    def solve(phase: int, mine: Indices, other: Indices, opposed: int) -> float:
        """Do one step of value iteration for states of a phase; `opposed` is the phase after a crap-out."""
        banked = np.stack([bank(int(a), int(b), phase != MOVER) for a, b in zip(mine, other, strict=True)], axis=1)
        lost = 1 - values[opposed, other, mine]
        after = lost + turns.values(banked - lost, least=ENTRY if phase == OTHER else 0)
        change = float(np.abs(after - values[phase, mine, other]).max())
        values[phase, mine, other] = after
        return change

    for both in range(2, 2 * steps + 1):
        mine = np.arange(max(1, both - steps), min(steps, both - 1) + 1)
        while solve(BOTH, mine, both - mine, BOTH) > TOLERANCE:
            pass
    for other in range(1, steps + 1):  # the mover has not banked yet and is at the start
        at, there = np.array([steps]), np.array([other])
        while max(solve(OTHER, at, there, MOVER), solve(MOVER, there, at, OTHER)) > TOLERANCE:
            pass
    change = 1.0
    while change > TOLERANCE:
        banked = bank(steps, steps, False)[:, np.newaxis] - (1 - start)
        after = 1 - start + float(turns.values(banked, least=ENTRY)[0])
        change, start = abs(after - start), after
    return values, start


def apart(target: int) -> float:
    """Return the greatest difference between told win probabilities before a turn and `equilibrium`, for a target."""
    steps, game = target // STEP, race(target, 1000)
    values, start = equilibrium(steps)
    found = abs(start - game.chance(0, False, 0, False))
    for one in range(1, steps + 1):
        mine = target - STEP * one
        found = max(found, abs(values[OTHER, steps, one] - game.chance(0, False, mine, True)))
        found = max(found, abs(values[MOVER, one, steps] - game.chance(mine, True, 0, False)))
        for two in range(1, steps + 1):
            found = max(found, abs(values[BOTH, one, two] - game.chance(mine, True, target - STEP * two, True)))
    return float(found)


def residual(target: int, states: int) -> float:
    """Return the greatest difference between told win probabilities and the best turns they lead to.

    Args:
        target: Target of the race, in points.
        states: Number of random states with both players on the board.
    """
    generator, game, greatest = random.Random(target), race(target, 1000), 0.0
    six, seven = Turns(6), Turns(7)
    for _ in range(states):
        mine, other = (STEP * generator.randrange(target // STEP) for _ in range(2))
        lost = 1 - game.chance(other, True, mine, True)
        bank = game.banked(mine, other, True, SURE_STOP_STEPS + MAX_THROW_STEPS)[:, np.newaxis] - lost
        best = max(float(turns.values(bank)[0]) for turns in ([six, seven] if other - mine > 5000 else [six]))
        greatest = max(greatest, abs(lost + best - game.chance(mine, True, other, True)))
    return greatest


def cut_short(states: int) -> float:
    """Return the greatest change of a win probability before a turn when a stop is assumed only after twice the steps.

    `states` is the number of random states of the largest target, with both players on the board.
    """
    generator, game, greatest = random.Random(1), race(MAX_STEPS_LEFT * STEP, 1000), 0.0
    for _ in range(states):
        mine, other = (STEP * generator.randrange(MAX_STEPS_LEFT) for _ in range(2))
        lost = 1 - game.chance(other, True, mine, True)
        found = []
        for deep in (SURE_STOP_STEPS, 2 * SURE_STOP_STEPS):
            bank = game.banked(mine, other, True, deep + MAX_THROW_STEPS) - lost
            sizes = (6, 7) if other - mine > 5000 else (6,)
            found.append(max(float(values_before_throw(size, bank, 0)[0, size - 1]) for size in sizes))
        greatest = max(greatest, abs(found[1] - found[0]))
    return greatest


def reports() -> Iterator[str]:
    """Yield the measured losses as lines of text."""
    spending = Spending(SPENDING_TARGET)
    error, loss = (np.abs(spending.solved - other)[1:, 1:] for other in (spending.told, spending.played))
    name = f"Crapola, 2 players on the board, target {SPENDING_TARGET}"
    yield f"{name}: told wrong by {100 * error.mean():.3f} %, at most {100 * error.max():.2f} %"
    yield f"{name}: against best play a game loses {100 * loss.mean():.3f} %, at most {100 * loss.max():.2f} %"
    far = MAX_STEPS_LEFT * STEP
    yield f"Crapola, 2 players on the board, target {far}: one spending more gains {gain_of_spending()}"
    found = apart(EQUILIBRIUM_TARGET)
    yield f"Crapola, target {EQUILIBRIUM_TARGET}: apart from another solver's equilibrium by at most {found:.1e}"
    for target in (5000, 10_000, far):
        found = residual(target, RANDOM_STATES)
        yield f"Crapola, target {target}: apart from the best turn by at most {found:.1e} in {RANDOM_STATES} states"
    name = f"Crapola, target {far}: turns cut at {SURE_STOP_STEPS * STEP} points"
    yield f"{name}: changes a win probability by at most {cut_short(RANDOM_STATES):.1e}"
