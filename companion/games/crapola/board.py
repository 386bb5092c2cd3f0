"""Track and effects of Crapola. The target is the end of the track: 15,000 points make 125 a hole."""

from __future__ import annotations

from fractions import Fraction

from companion.games.engine.event import ALL_DICE_AGAIN, LOST, Effect
from companion.games.engine.game import State
from companion.games.engine.views.board import HOLES, Track, track_of

EFFECTS = {
    "crapped_out": LOST._replace(result="loss"),
    "hot_dice": ALL_DICE_AGAIN,
    "spent": Effect(called=True),
    "reversed": Effect(called=True, cheered=True),
    "last_round": Effect(called=True, cheered=True),
}
"""Lights, sounds and announcements that present Crapola's own events, by event code; `SHARED_EFFECTS` has others."""


def track(state: State) -> Track:
    """Return what the cribbage track shows of a game of Crapola: the totals, scaled so that it ends at the target."""
    return track_of(state, HOLES, points_per_hole=Fraction(int(state.standing.header.rules["target"]), HOLES))
