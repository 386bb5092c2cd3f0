"""The track of High: twenty holes for each pip."""

from __future__ import annotations

from fractions import Fraction

from companion.games.engine.event import Effect, Light, Tone
from companion.games.engine.game import State
from companion.games.engine.views.board import HOLES, Track, track_of

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
    return track_of(state, HOLES, Fraction(1, 20))
