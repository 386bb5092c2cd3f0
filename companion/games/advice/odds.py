"""Exact odds of a state: the value of each option, and the win probability of each side."""

from __future__ import annotations

from typing import Any

from companion.errors import RulesError
from companion.games.engine.game import Action, State
from companion.games.engine.notation import line_of
from companion.games.registry import game_named

GOALS = ("points", "win", "games")
"""Goals that options can be valued for. `points`: expected points. `win`: win probability.
`games`: expected games that the other side loses, less one's own."""


def options(state: State, goal: str = "points") -> list[dict[str, Any]]:
    """Return the options of the player to play as JSON, best first: `{"line": {"do": "stop"}, "value": 10.0}`.

    A throw of n dice has the line `{"throw": n}`. Empty after the end. Goals:

    - `points`: expected turn points banked (0 if the turn ends without a bank), or final score sheet total.
    - `win`: win probability of the side to play; a win shared by n counts 1/n.
    - `games`: expected games that the other side loses, less one's own losses.

    Raises RulesError for another goal, or if the values are not known.

    >>> from companion.games.registry import GAMES
    >>> from companion.games.engine.replay import transcript_of
    >>> head = f'{{"transcript": 1, "game": "{next(iter(GAMES))}", "players": ["A", "B"]}}'
    >>> after = transcript_of(f'{head}{chr(10)}{{"throw": [5, 5, 5, 2, 2, 1, 4]}}'.encode()).state
    >>> [round(option["value"], 2) for option in options(after)]
    [8.48, 4.62]
    """
    return [{"line": option_line(option), "value": value} for option, value in values_of(state, goal)]


def option_line(option: Action | int) -> dict[str, Any]:
    """Return an option as JSON: `{"throw": 4}` for throwing four dice, else the transcript line of the decision."""
    return {"throw": option} if isinstance(option, int) else line_of(option)


def values_of(state: State, goal: str) -> tuple[tuple[Action | int, float], ...]:
    """Return pairs of each option and its value for a goal, best first; empty after the end.

    An option is a decision, or a number of dice to throw. Values are expected points, win probabilities or expected
    games. Raises RulesError for a goal not in GOALS, or if the values are not known under these rules.
    """
    if goal not in GOALS:
        raise RulesError(f"There are no exact odds for the goal {goal!r}; there are for: {', '.join(GOALS)}.")
    game = game_named(state.standing.header.game)
    by_goal = {"points": values_in_points, "win": game.values_to_win, "games": game.values_by_games}
    return tuple(sorted(by_goal[goal](state), key=lambda each: -each[1]))


def values_in_points(state: State) -> tuple[tuple[Action | int, float], ...]:
    """Return each option with its expected points; empty after the end. Raises RulesError if they are not known."""
    values = state.expected_values()
    if not values and not state.standing.over:
        raise RulesError(f"What each option is worth is not known for {state.standing.header.game!r}.")
    return values


def win_chances(state: State, goal: str = "win") -> tuple[float, ...]:
    """Return the value of a state for each side, in the order of sides, as if the best option is taken now.

    After the end the values are the results, for any number of sides; during a game there must be two. For the goal
    `win` a value is the win probability, or share of the win. For `games` it is the number of games that the other
    sides lose, minus those that the side itself loses.

    Raises:
        RulesError: The game is not over and has more or fewer than two sides, is in its roll-off, or its values are
            not known.
    """
    outcome, sides = state.standing.outcome, range(len(state.standing.sides))
    if outcome is not None and goal == "games":
        lost = outcome.games_lost
        return tuple(float(sum(lost) - 2 * lost[side]) for side in sides)
    if outcome is not None:
        return tuple((side in outcome.winners) / max(1, len(outcome.winners)) for side in sides)
    if len(sides) != 2:
        raise RulesError("The chance to win in the course of a game is known between two sides only.")
    best = values_of(state, goal)[0][1]
    other = 1 - best if goal == "win" else -best
    return (best, other) if state.standing.side == 0 else (other, best)


def odds_view(state: State, goal: str = "points") -> dict[str, Any]:
    """Return what a page shows of the odds of a state, as JSON values.

    Returns:
        `player`: name of the player to play, None after the end. `safe`: probability that the next throw does not
        fail; None if no throw is allowed, or none can fail (`State.safe_chance`). `options`: the options with their
        values, best first (see `options`). `best`: the `line` of the first option, None after the end. `goal`: as
        given. `exact`: whether the values hold if all sides play every turn for the goal (`is_exact`).

    Raises:
        RulesError: The goal is unknown, or the values are not known under these rules.
    """
    choices = options(state, goal)
    return {
        "player": state.standing.player,
        "safe": state.safe_chance,
        "options": choices,
        "best": choices[0]["line"] if choices else None,
        "goal": goal,
        "exact": is_exact(state, goal),
    }


def is_exact(state: State, goal: str = "win") -> bool:
    """Whether the values of a state for a goal hold if all sides play every turn for it."""
    return goal == "points" or game_named(state.standing.header.game).solved(state, goal)
