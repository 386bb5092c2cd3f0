"""The track of Crib Dice: a hole a point, there and in the long game back again; and what shines and sounds on it."""

from __future__ import annotations

from companion.games.engine.event import Effect
from companion.games.engine.game import State
from companion.games.engine.views.board import HOLES, Track, track_of

EFFECTS = {
    "point": Effect(called=True),
    "wiped_out": Effect("wipe_out", called=True, cheered=True),
    "piddle_lost": Effect("wipe_out", called=True),
    "bomb_failed": Effect("wipe_out", called=True),
    "fuchled": Effect("fuchle", called=True, cheered=True),
    "rolled_over": Effect("rollover", called=True, cheered=True),
    "bombed": Effect("bomb", called=True, cheered=True),
    "bumped": Effect("bump", called=True, cheered=True),
    "finished": Effect("finish", called=True),
    "skunked": Effect(cheered=True),
    "eliminated": Effect(called=True, cheered=True),
}


def track(state: State) -> Track:
    """120 holes, or 240."""
    return track_of(state, 2 * HOLES if state.header.rules["long_game"] else HOLES)
