"""Rule of thumb for Crapola: keep all that scores, and stop as soon as the turn has 500 points."""

from __future__ import annotations

from companion.games.crapola.scoring import keepable
from companion.games.crapola.state import Crapola
from companion.games.engine.game import Action, Keep, State, Stop

STOP_POINTS = 500
"""Least turn points at which the rule of thumb stops. Higher: it throws on longer, banks more and craps out more."""


def choice(state: State) -> Action | int:
    """Return the move of Crapola's rule of thumb: a decision, or a number of dice to throw.

    After a throw it keeps the dice with the most points; on a tie, the choice with more dice. At STOP_POINTS turn
    points or more it stops if it may. Otherwise it throws as many dice as it may. The game must not be over.
    """
    assert isinstance(state, Crapola), "the state is one of Crapola"
    if state.turn.phase == "keeping":
        points = keepable(state.turn.dice)
        return Keep(max(points, key=lambda dice: (points[dice], len(dice))))
    if "stop" in state.decisions and state.standing.turn_points >= STOP_POINTS:
        return Stop()
    return state.throw_sizes[-1]
