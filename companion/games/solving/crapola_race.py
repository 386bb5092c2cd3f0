"""Solve the race of Crapola for two players who both play every turn to win.

A state is who is on the board, and the steps of both players from the target. A bank leads to a smaller sum of steps,
so the states are solved by ascending sum. A crap-out leads to the same sum: the states before and after it are solved
together, as a fixed point of two equations.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from companion.games.crapola.odds.backward_induction import MAX_THROW_STEPS, Floats, Indices
from companion.games.crapola.odds.offers import STEP, offers_of
from companion.games.crapola.odds.race import (
    BOTH,
    ENTRY,
    MAX_STEPS_LEFT,
    MOVER,
    OTHER,
    PHASES,
    SEVEN_BEHIND,
    SURE_STOP_STEPS,
    catching,
)
from companion.games.solving.compiled import compiled

TOLERANCE = 1e-10
"""Change of a win probability at which the iteration for a pair of states ends. Higher: fewer steps, less exact."""
MAX_ITERATIONS = 30
"""Most iterations to solve one pair of game states; then the last values count as solved. Three or four are usual, so a
higher limit changes nothing. Lower: less exact."""


def offers_as_arrays(size: int) -> tuple[Indices, Indices, Floats, Indices]:
    """Return the offers of all Crapola throws of 1 to `size` dice as flat arrays.

    An offer is the choice that a throw gives: the best keep for each number of dice that can be left over. Throws with
    equal choices are one offer. Crap-outs are left out, so the probabilities of a number of dice sum to less than 1.

    Returns:
        (size + 1,) index of the first offer of each number of dice, 1 to `size`, then the number of offers;
        (offers + 1,) index of the first keep of each offer, then the number of keeps;
        (offers,) probability of each offer;
        (keeps,) offset of the state after each keep. States are flattened from (steps of turn points, dice to throw
        minus 1). The offset counts from the first state with the turn points before the throw. A keep that leaves
        no die leads to a throw of `size` dice. Indices are unsigned: numba then needs no check for negative ones.
    """
    offers = [(dice, offer, chance) for dice in range(1, size + 1) for offer, chance in offers_of(dice)]
    first_offers = np.searchsorted([dice for dice, _, _ in offers], range(1, size + 2))
    first_keeps = np.cumsum([0, *(len(offer) for _, offer, _ in offers)])
    distances = [points // STEP * size + (left or size) - 1 for _, offer, _ in offers for left, points in offer]
    chances = np.array([chance for _, _, chance in offers])
    return first_offers.astype(np.uint64), first_keeps.astype(np.uint64), chances, np.array(distances, np.uint64)


Keeps = tuple[Indices, Indices, Floats, Indices]


@compiled
def best_turn(size: int, bank: Floats, lost: float, least: int, keeps: Keeps, choosing: Floats) -> float:
    """Return the win probability before the first throw of a turn with best play, by backward induction.

    Args:
        size: Dice of the turn, 6 or 7.
        bank: (SURE_STOP_STEPS + MAX_THROW_STEPS + 1,) win probability after banking each number of steps of 50 points.
            From SURE_STOP_STEPS steps on the turn stops.
        lost: Win probability after a crap-out.
        least: Steps of turn points below which a stop is not allowed.
        keeps: What each throw lets a player keep, as `offers_as_arrays(size)` returns it.
        choosing: (len(bank) * size,) buffer that is overwritten, so that none has to be allocated.
    """
    first_offers, first_keeps, chances, distances = keeps
    for steps in range(len(bank) - 1, SURE_STOP_STEPS - 1, -1):
        for dice in range(size):
            choosing[steps * size + dice] = bank[steps] - lost
    mean = 0.0
    for steps in range(SURE_STOP_STEPS - 1, -1, -1):
        state = np.uint64(steps * size)
        stop = bank[steps] - lost if steps >= least else -1.0
        for dice in range(size):
            mean = 0.0
            for offer in range(first_offers[dice], first_offers[dice + 1]):
                best = -1.0
                for keep in range(first_keeps[offer], first_keeps[offer + np.uint64(1)]):
                    best = max(best, choosing[state + distances[keep]])
                mean += chances[offer] * best
            choosing[steps * size + dice] = max(stop, mean)
    return lost + mean


def solved() -> Iterator[tuple[Floats, Floats, float]]:
    """Compute the win probabilities of two Crapola players, and yield the partial results after each sum of steps.

    A step is 50 points. States are solved in the order of the sum of both players' steps to the target. Both arrays are
    filled in place: only the last yield is complete.

    Yields:
        (PHASES, MAX_STEPS_LEFT + 1, MAX_STEPS_LEFT + 1) win probability of the mover, by phase, the mover's steps
        and the other player's steps. A phase tells who has made a first bank. (MAX_STEPS_LEFT + 1,) win
        probability of the mover at the start, before any bank, by steps to the target. And roughly the share of
        solved states, 0 to 1.
    """
    values, start = np.full((PHASES, MAX_STEPS_LEFT + 1, MAX_STEPS_LEFT + 1), 0.5), np.full(MAX_STEPS_LEFT + 1, 0.5)
    six, seven, chase = offers_as_arrays(6), offers_as_arrays(7), catching()
    for total in range(2, 2 * MAX_STEPS_LEFT + 1):
        _solve_sum(total, values, start, chase, six, seven)
        yield values, start, min(0.999, (total / (2 * MAX_STEPS_LEFT)) ** 2)


@compiled
def _solve_sum(total: int, values: Floats, start: Floats, chase: Floats, six: Keeps, seven: Keeps) -> None:
    """Compute the win probabilities of all Crapola states in which the players' steps to the target sum to `total`.

    A step is 50 points. A phase is which players have banked: `BOTH`, `MOVER` (the player to move) or `OTHER`. A player
    without a bank has the most steps to go. Results are written into `values`, and into `start` for equal steps. States
    with a smaller sum must be solved already.

    Args:
        total: Sum of both players' steps.
        values: (PHASES, MAX_STEPS_LEFT + 1, MAX_STEPS_LEFT + 1) win probability of the mover by phase, mover's
            steps and other's steps.
        start: (MAX_STEPS_LEFT + 1,) win probability at the start of a game, by steps to the target.
        chase: (steps,) highest probability of banking at least n steps in a turn, by n, from `catching`.
        six: Keeps of throws in a turn of six dice, from `offers_as_arrays`.
        seven: Keeps of throws in a turn of seven dice.
    """
    for one in range(max(1, total - MAX_STEPS_LEFT), min(MAX_STEPS_LEFT, total - 1) + 1):
        other = total - one
        if one <= other:
            near = values[BOTH, one - 1, other], values[BOTH, other, one - 1]
            found = _solve_pair(BOTH, one, BOTH, other, near, values, chase, six, seven)
            values[BOTH, one, other], values[BOTH, other, one] = found
            # Who is not on the board has 0 points and thus the most steps to go.
            near = values[MOVER, one - 1, other], values[OTHER, other, one - 1]
            found = _solve_pair(MOVER, one, OTHER, other, near, values, chase, six, seven)
            values[MOVER, one, other], values[OTHER, other, one] = found
        if one == other:
            near = start[one - 1], start[one - 1]
            start[one] = _solve_pair(PHASES, one, PHASES, one, near, values, chase, six, seven)[0]


@compiled
def _solve_pair(
    phase: int,
    mine: int,
    others_phase: int,
    theirs: int,
    guess: tuple[float, float],
    values: Floats,
    chase: Floats,
    six: Keeps,
    seven: Keeps,
) -> tuple[float, float]:
    """Return two Crapola players' win probabilities, each before that player's own turn, by iteration.

    A crap-out leads from each of the two states to the other. Aitken's delta-squared process speeds up the iteration.

    Args:
        phase: Who is on the board at the first player's turn: `BOTH`, `OTHER` or `MOVER`; PHASES at a game's start.
        mine: First player's steps of 50 points to the target.
        others_phase: Like `phase`, at the second player's turn.
        theirs: Second player's steps to the target.
        guess: First guess of the result; its second value is unused.
        values: Win probabilities: [phase, mover's steps, other's steps]. Smaller sums of steps must be known.
        chase: (steps,) highest chance of banking at least so many steps in a turn.
        six: Keeps in a turn of six dice (`offers_as_arrays`).
        seven: Keeps in a turn of seven.
    """
    bank = _banked(phase, mine, theirs, values, chase)
    others_bank = _banked(others_phase, theirs, mine, values, chase)
    least = ENTRY if phase in (OTHER, PHASES) else 0
    others_least = ENTRY if others_phase in (OTHER, PHASES) else 0
    choosing = np.empty(7 * len(bank))
    at, opposed = guess
    last_change = 0.0
    for _ in range(MAX_ITERATIONS):
        opposed = _turn(theirs, mine, others_bank, 1 - at, others_least, six, seven, choosing)
        after = _turn(mine, theirs, bank, 1 - opposed, least, six, seven, choosing)
        change = after - at
        at = after
        if abs(change) <= TOLERANCE:
            break
        if last_change == 0.0 or last_change == change:
            last_change = change
        else:
            at, last_change = at + change * change / (last_change - change), 0.0
    return at, opposed


@compiled
def _banked(phase: int, mine: int, other: int, values: Floats, chase: Floats) -> Floats:
    """Return the win probability in Crapola of the mover, the player to move, after a bank of 0, 1, 2, ... steps.

    A step is 50 points; the shape is (SURE_STOP_STEPS + MAX_THROW_STEPS + 1,). A bank that reaches the target leaves
    the other player one last turn, which wins only with a higher total. If the other player has not banked before, that
    turn must also bank at least ENTRY steps.

    Args:
        phase: Which players had banked before this bank: `BOTH`, `OTHER` or `MOVER`; `PHASES` if neither had.
        mine: Steps of the mover to the target, before the bank.
        other: Steps of the other player to the target.
        values: (PHASES, MAX_STEPS_LEFT + 1, MAX_STEPS_LEFT + 1) win probability before a turn, by phase, steps of
            the player to move and steps of the other.
        chase: (steps,) highest probability of banking at least n steps in a turn, by n, from `catching`.
    """
    bank = np.empty(SURE_STOP_STEPS + MAX_THROW_STEPS + 1)
    other_on = phase in (BOTH, OTHER)
    next_phase = BOTH if other_on else OTHER
    for steps in range(len(bank)):
        ahead = mine - steps
        if ahead > 0:
            bank[steps] = 1 - values[next_phase, other, ahead]
        else:
            needed = other - ahead + 1
            bank[steps] = 1 - chase[min(needed if other_on else max(needed, ENTRY), len(chase) - 1)]
    return bank


@compiled
def _turn(
    mine: int, other: int, bank: Floats, lost: float, least: int, six: Keeps, seven: Keeps, choosing: Floats
) -> float:
    """Return the mover's win probability before a turn of Crapola, with six dice or seven, whichever is better.

    Seven dice are allowed only if the mover is more than SEVEN_BEHIND steps behind the other player. A step is 50
    points.

    Args:
        mine: Steps of the mover from the target.
        other: Steps of the other player from the target.
        bank: (SURE_STOP_STEPS + MAX_THROW_STEPS + 1,) win probability after banking 0, 1, 2, ... steps.
        lost: Win probability after a crap-out.
        least: Steps of turn points below which a stop is not allowed.
        six: Keeps of throws in a turn of six dice, as `offers_as_arrays` returns them.
        seven: Keeps of throws in a turn of seven dice.
        choosing: Buffer for `best_turn`, large enough for seven dice; overwritten.
    """
    best = best_turn(6, bank, lost, least, six, choosing)
    if mine - other > SEVEN_BEHIND:
        best = max(best, best_turn(7, bank, lost, least, seven, choosing))
    return best
