"""Rule of thumb for Crapola: keep all that scores, and stop as soon as the turn has 500 points."""

from __future__ import annotations

from companion.games.crapola.scoring import keepable
from companion.games.crapola.state import Crapola
from companion.games.engine.game import Action, Keep, State, Stop

STOP_POINTS = 500
"""Turn points from which the careless player stops. Higher makes it throw more and crap out more often."""


def choice(state: State) -> Action | int:
    """Return the decision of the careless player, or the number of dice that it throws."""
    assert isinstance(state, Crapola), "the state is one of Crapola"
    if state.turn.phase == "keeping":
        points = keepable(state.turn.dice)
        return Keep(max(points, key=lambda dice: (points[dice], len(dice))))
    if "stop" in state.decisions and state.standing.turn_points >= STOP_POINTS:
        return Stop()
    return state.throw_sizes[-1]
