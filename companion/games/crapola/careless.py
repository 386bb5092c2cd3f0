"""Rule of thumb for Crapola: keep all that scores, and stop as soon as the turn has 500 points."""

from __future__ import annotations

from companion.games.crapola.scoring import keepable
from companion.games.crapola.state import Crapola
from companion.games.engine.game import Action, Keep, State, Stop

STOP_POINTS = 500
"""Least turn points at which the careless player stops. Higher: more throws and more crap-outs."""


def choice(state: State) -> Action | int:
    """Return what the careless player does: keep the dice that score most, stop from STOP_POINTS on, else throw.

    A number: dice to throw, the most that are allowed.
    """
    assert isinstance(state, Crapola), "the state is one of Crapola"
    if state.turn.phase == "keeping":
        points = keepable(state.turn.dice)
        return Keep(max(points, key=lambda dice: (points[dice], len(dice))))
    if "stop" in state.decisions and state.standing.turn_points >= STOP_POINTS:
        return Stop()
    return state.throw_sizes[-1]
