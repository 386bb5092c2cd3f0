"""Means with their confidence intervals, and games played by given choices of values."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import sqrt

from companion.games.engine.dice import FACES
from companion.games.engine.game import Action, Header, State, Throw
from companion.games.engine.players import Choice
from companion.games.registry import game_named

STANDARD_ERRORS = 1.96
"""Half the width of a 95 % confidence interval of a mean, in standard errors."""
Values = Sequence[tuple[Action | int, float]]
Valuation = Callable[[State], Values]
"""Returns each option of a state with its value."""


def mean_of(samples: Sequence[float]) -> str:
    """Return the mean of independent samples with half its 95 % confidence interval, as text in percent."""
    count = len(samples)
    mean = sum(samples) / count
    spread = sqrt(sum((sample - mean) ** 2 for sample in samples) / (count - 1) / count)
    return f"{100 * mean:.2f} % (±{100 * STANDARD_ERRORS * spread:.2f})"


def best_of(values: Values) -> Choice:
    """Return the option with the highest value; on a tie a decision rather than a throw."""
    return max(values, key=lambda each: (each[1], not isinstance(each[0], int)))[0]


def played(header: Header, valuations: Sequence[Valuation], seed: str) -> State:
    """Play a game in which each seat takes the best option by its own valuation; return the final state.

    Args:
        header: Set-up of the game.
        valuations: Valuation of each seat.
        seed: Seed of the dice.
    """
    dice, state = random.Random(seed), game_named(header.game).start(header)
    while (seat := state.standing.to_play) is not None:
        state = taken(state, best_of(valuations[seat](state)), dice)
    return state


def taken(state: State, choice: Choice, dice: random.Random) -> State:
    """Return the state after a choice: a decision, or a throw of that many dice."""
    return state.after(Throw(tuple(dice.choices(FACES, k=choice))) if isinstance(choice, int) else choice)


def share_of_wins(header: Header, one: Valuation, others: Valuation, games: int) -> str:
    """Play one seat by a valuation against all others by another; return the share that the one wins, as text.

    Game i of every call has the same dice to throw and the same seat for the one, so that calls are paired.

    Args:
        header: Set-up of the games.
        one: Valuation of the one seat; the seats take turns.
        others: Valuation of all other seats.
        games: Number of games.
    """
    shares, count = list[float](), len(header.players)
    for number in range(games):
        seat = number % count
        end = played(header, [one if place == seat else others for place in range(count)], f"losses/{number}")
        outcome = end.standing.outcome
        assert outcome is not None, "the game is over"
        shares.append((seat in outcome.winners) / len(outcome.winners))
    return mean_of(shares)


def points(state: State) -> Values:
    """Value the options of a state by expected points, as the level `steady` does without mistakes."""
    return state.expected_values() or [(dice, 0.0) for dice in state.throw_sizes]
