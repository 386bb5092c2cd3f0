"""Exact odds of a state: the value of each option, and the win probability of each side."""

from __future__ import annotations

from typing import Any

from companion.errors import RulesError
from companion.games.engine.game import Action, State
from companion.games.engine.notation import line_of
from companion.games.registry import game_named

GOALS = ("points", "win")
"""Objectives of an option's value: expected points, or win probability."""


def options(state: State, goal: str = "points") -> list[dict[str, Any]]:
    """Return each option with its exact value, best first: `{"line": {"do": "stop"}, "value": 10.0}`.

    Goal `points`: expected turn points that the turn banks, or expected final total of a score sheet, with best play.
    A throw of n dice is the option `{"throw": n}`. A decision that banks nothing has the value 0.

    >>> from companion.games.registry import GAMES
    >>> from companion.games.engine.replay import transcript_of
    >>> head = f'{{"transcript": 1, "game": "{next(iter(GAMES))}", "players": ["Ann", "Ben"]}}'
    >>> after = transcript_of(f'{head}\\n{{"throw": [5, 5, 5, 2, 2, 1, 4]}}'.encode()).state
    >>> [(option["line"]["value"], round(option["value"], 2)) for option in options(after)]
    [(5, 8.48), (2, 4.62)]

    Goal `win`: probability that the side to play wins, to eight digits; a win shared by n counts 1/n. In a solved game
    both sides play every turn for the win. Otherwise this turn is played for the win, later turns for points.

    Raises:
        RulesError: Unknown goal, or no exact values are known under these rules.
    """
    if goal not in GOALS:
        raise RulesError(f"There are no exact odds for the goal {goal!r}; there are for: {', '.join(GOALS)}.")
    values = game_named(state.standing.header.game).values_to_win(state) if goal == "win" else values_in_points(state)
    return [
        {"line": {"throw": option} if isinstance(option, int) else line_of(option), "value": value}
        for option, value in sorted(values, key=lambda each: -each[1])
    ]


def values_in_points(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Return `State.expected_values`; empty after the end. Raises RulesError if the game has no such values."""
    values = state.expected_values()
    if not values and not state.standing.over:
        raise RulesError(f"What each option is worth is not known for {state.standing.header.game!r}.")
    return values


def win_chances(state: State) -> tuple[float, ...]:
    """Return the win probability of each side under best play; after the end its share of the win.

    Raises:
        RulesError: The game is not between two sides, or has no win probabilities.
    """
    standing = state.standing
    if standing.outcome is not None:
        winners = standing.outcome.winners
        return tuple((side in winners) / len(winners) for side in range(len(standing.sides)))
    if len(standing.sides) != 2:
        raise RulesError("The chance to win in the course of a game is known between two sides only.")
    best = max(value for _, value in game_named(standing.header.game).values_to_win(state))
    return (best, 1 - best) if standing.side == 0 else (1 - best, best)


def odds_view(state: State, goal: str = "points") -> dict[str, Any]:
    """Return the odds of a state as JSON values: `player`, `safe`, `options`, `best` and `goal`.

    `safe` is `State.safe_chance`. `best` is the line of the first option; None after the end. Raises RulesError as
    `options` does.
    """
    choices = options(state, goal)
    return {
        "player": state.standing.player,
        "safe": state.safe_chance,
        "options": choices,
        "best": choices[0]["line"] if choices else None,
        "goal": goal,
    }
