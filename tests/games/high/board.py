"""The track of High: twenty holes a pip."""

from __future__ import annotations

from companion.games.board import HOLES, Peg, Track
from companion.games.event import Effect
from companion.games.game import State

EFFECTS = {"topped": Effect("rollover", called=True, cheered=True)}


def track(state: State) -> Track:
    pegs = tuple(
        Peg(20 * score, 20 * (score + state.turn_points * (side == state.to_play)))
        for side, score in enumerate(state.scores)
    )
    return Track(HOLES, pegs, state.to_play, state.outcome.winners if state.outcome else ())
