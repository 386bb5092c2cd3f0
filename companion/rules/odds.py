"""Exact odds for players: the chance that the next throw is safe, and what each option is worth."""

from __future__ import annotations

from typing import Any

from companion.errors import RulesError
from companion.rules.game import State
from companion.rules.notation import line_of

GOALS = ("points",)


def safe_chance(state: State) -> float | None:
    """Exact chance that the next throw does not end the turn with nothing.

    None when no throw is allowed, or when none of that kind can fail (a first throw in Crib Dice, the roll-off, all of
    Crag, seven dice in Crapola). A piddle without result counts as safe. Where six or seven dice may be thrown, of six.
    """
    return state.safe_chance


def options(state: State, goal: str = "points") -> list[dict[str, Any]]:
    """Each option with its exact value, the best first: `{"line": {"do": "stop"}, "value": 10.0}`.

    The value for the goal `points` is the turn points that this turn will bank, expected with best play from there on.
    Going on is `{"throw": n}`, n the number of dice: which line it becomes the dice decide. What a bomb or a spending
    does to pegs and totals is no turn points: both are worth 0.

    Raises:
        RulesError: The goal is not `points`: no other has exact values; or a house rule puts them out of reach.
    """
    if goal not in GOALS:
        raise RulesError(f"There are no exact odds for the goal {goal!r}; there are for: {', '.join(GOALS)}.")
    worths = sorted(state.worths(), key=lambda worth: -worth[1])
    return [
        {"line": {"throw": option} if isinstance(option, int) else line_of(option), "value": value}
        for option, value in worths
    ]
