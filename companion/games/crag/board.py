"""The track of Crag: two points a hole, so a full sheet of 244 is just past the end."""

from __future__ import annotations

from companion.games.engine.event import Effect
from companion.games.engine.game import State
from companion.games.engine.views.board import HOLES, Track, track_of

EFFECTS = {"entered": Effect("banked", called=True), "jackpot": Effect(cheered=True)}


def track(state: State) -> Track:
    """The totals of the sheets."""
    return track_of(state, HOLES, points_per_hole=2)
