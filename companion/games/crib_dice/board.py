"""Track and effects of Crib Dice: one hole a point; the long game runs down the board and back."""

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
"""Effects of the events of Crib Dice, by code."""


def track(state: State) -> Track:
    """Return the track with 120 holes, 240 in the long game."""
    return track_of(state, 2 * HOLES if state.standing.header.rules["long_game"] else HOLES)
