"""The track of Crapola: 125 points a hole, so that 15,000 are the whole way."""

from __future__ import annotations

from companion.games.event import Effect
from companion.games.game import State
from companion.games.views.board import HOLES, Track, track_of

EFFECTS = {
    "crapped_out": Effect("wipe_out", called=True, cheered=True),
    "hot_dice": Effect("rollover", called=True, cheered=True),
    "spent": Effect(called=True),
    "reversed": Effect(called=True, cheered=True),
    "last_round": Effect(called=True, cheered=True),
}


def track(state: State) -> Track:
    """The totals."""
    return track_of(state, HOLES, points_per_hole=125)
