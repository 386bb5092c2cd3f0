"""Track and effects of Crag: two points a hole, so the greatest total just passes the end."""

from __future__ import annotations

from companion.games.engine.event import BANKED, Effect
from companion.games.engine.game import State
from companion.games.engine.views.board import HOLES, Track, track_of

EFFECTS = {"entered": BANKED, "jackpot": Effect(cheered=True, replayed=True)}
"""Lights, sounds and announcements that present Crag's own events, by event code; `SHARED_EFFECTS` has others."""


def track(state: State) -> Track:
    """Return what the cribbage track shows of a game of Crag: each player's total, at two points a hole."""
    return track_of(state, HOLES, points_per_hole=2)
