"""Exact odds for players: what each option is worth, who may yet win."""

from __future__ import annotations

from typing import Any

from companion.errors import RulesError
from companion.games.engine.game import Action, State, side_of
from companion.games.engine.notation import line_of
from companion.games.registry import game_named

GOALS = ("points", "win")


def options(state: State, goal: str = "points") -> list[dict[str, Any]]:
    """Each option with its exact value, the best first: `{"line": {"do": "stop"}, "value": 10.0}`.

    For the goal `points` a value is the turn points that this turn will bank, or where a game is a sheet to fill its
    final total, expected with best play from there on. Going on is `{"throw": n}`, n the number of dice: which line it
    becomes the dice decide. What a bomb or a spending does to pegs and totals is no turn points: both are worth 0.

    >>> from companion.games.registry import GAMES
    >>> from companion.games.engine.replay import transcript_of
    >>> head = f'{{"transcript": 1, "game": "{next(iter(GAMES))}", "players": ["Ann", "Ben"]}}'
    >>> after = transcript_of(f'{head}\\n{{"throw": [5, 5, 5, 2, 2, 1, 4]}}'.encode()).state
    >>> [(one["line"]["value"], round(one["value"], 2)) for one in options(after)]
    [(5, 8.48), (2, 4.62)]

    For the goal `win` it is the chance that the player, or his team, wins; a win that is shared by n counts 1/n. Where
    the game between two is solved, when both play every turn for the win; else when this turn is played for it as well
    as can be, and everyone plays every later turn for its points. To eight digits.

    Raises:
        RulesError: There is no such goal; this game or a house rule has no exact values for it, or puts them out of
            reach.
    """
    if goal not in GOALS:
        raise RulesError(f"There are no exact odds for the goal {goal!r}; there are for: {', '.join(GOALS)}.")
    values = game_named(state.header.game).values_to_win(state) if goal == "win" else values_in_points(state)
    return [
        {"line": {"throw": option} if isinstance(option, int) else line_of(option), "value": value}
        for option, value in sorted(values, key=lambda each: -each[1])
    ]


def values_in_points(state: State) -> tuple[tuple[Action | int, float], ...]:
    """The state's expected values; none after the end. Raises RulesError: its game has not worked them out."""
    values = state.expected_values()
    if not values and not state.over:
        raise RulesError(f"What each option is worth is not known for {state.header.game!r}.")
    return values


def win_chances(state: State) -> tuple[float, ...]:
    """Each side's chance to win, as near as `values_to_win` of the game tells it; after the end its share of the win.

    Raises:
        RulesError: There are not two sides, or it is not worked out.
    """
    outcome, sides = state.outcome, range(len(state.sides))
    if outcome is not None:
        return tuple((side in outcome.winners) / len(outcome.winners) for side in sides)
    if len(sides) != 2 or state.to_play is None:
        raise RulesError("The chance to win in the course of a game is known between two sides only.")
    best = max(value for _, value in game_named(state.header.game).values_to_win(state))
    return (best, 1 - best) if side_of(state, state.to_play) == 0 else (1 - best, best)


def weighed(state: State, goal: str = "points") -> dict[str, Any]:
    """All of that as plain JSON values: `player`, `safe`, `options`, `best`, `goal`. Raises as `options`.

    `best` is the line of the first of the options, None after the game's end.
    """
    choices = options(state, goal)
    return {
        "player": state.player,
        "safe": state.safe_chance,
        "options": choices,
        "best": choices[0]["line"] if choices else None,
        "goal": goal,
    }
