"""How a careless player plays Crapola: keeps all that scores, and stops at the first chance with 500 points."""

from __future__ import annotations

from companion.games.crapola.scoring import keepable
from companion.games.crapola.state import Crapola
from companion.games.engine.game import Action, Keep, State, Stop

ENOUGH = 500


def choice(state: State) -> Action | int:
    """What is done now: a decision, or how many dice are thrown."""
    assert isinstance(state, Crapola), "asked about its own game only"
    if state.turn.phase == "keeping":
        points = keepable(state.turn.dice)
        return Keep(max(points, key=lambda dice: (points[dice], len(dice))))
    if "stop" in state.decisions and state.turn_points >= ENOUGH:
        return Stop()
    return state.throw_sizes[-1]
