"""The track of High: twenty holes for each pip."""

from __future__ import annotations

from companion.games.engine.event import Effect, Light, Tone
from companion.games.engine.game import State
from companion.games.engine.views.board import HOLES, Peg, Track, scores_ahead

EFFECTS = {
    "topped": Effect(
        (Light("flood", "amber", 5, 1.5),),
        (Tone(600.0), Tone(900.0, 0.2)),
        called=True,
        cheered=True,
        words="{player} tops it with {points}",
    )
}


def track(state: State) -> Track:
    ahead = scores_ahead(state)
    pegs = tuple(Peg(20 * score, 20 * ahead[side]) for side, score in enumerate(state.standing.scores))
    return Track(HOLES, pegs, points_per_hole=1 / 20)
