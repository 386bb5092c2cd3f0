"""Track and effects of Crib Dice: one hole a point; the long game runs down the board and back."""

from __future__ import annotations

from companion.games.engine.event import ALL_DICE_AGAIN, FANFARE, LOST, Effect, Light, Tone
from companion.games.engine.game import State
from companion.games.engine.views.board import HOLES, Track, track_of

EFFECTS = {
    "point": Effect(called=True),
    "wiped_out": LOST._replace(result="loss"),
    "piddle_lost": LOST._replace(cheered=False),
    "bomb_failed": LOST._replace(cheered=False),
    "fuchled": Effect(
        # The peg slides to the start, and the start pocket swells.
        (Light("slide", "red", 18, 1.2), Light("pulse", "red", 10, 0.9, delay_s=1.1)),
        (Tone(196.0), Tone(147.0, 0.15), Tone(98.0, 0.3, 0.7)),
        called=True,
        cheered=True,
        replayed=True,
    ),
    "rolled_over": ALL_DICE_AGAIN,
    "bombed": Effect(
        # A fuse burns to the victim's peg, which then changes places with the bomber's in a burst.
        (Light("spark", "fire", 5, 0.5), Light("swap", None, 0, 0.8, 0.5), Light("burst", "fire", 26, 1.3, 0.5)),
        (Tone(880.0, 0.0, 0.08), Tone(110.0, 0.5, 0.8), Tone(82.0, 0.52, 0.9)),
        called=True,
        cheered=True,
        replayed=True,
    ),
    "bumped": Effect(
        (Light("ring", "amber", 5, 0.6), Light("slide", None, 0, 0.6)),
        (Tone(262.0, 0.0, 0.15), Tone(196.0, 0.1, 0.25)),
        called=True,
        cheered=True,
    ),
    "finished": Effect((Light("flood", None, 20, 2.4),), FANFARE, called=True),
    "skunked": Effect((Light("stripes", "sulphur", 0, 2.4),), cheered=True),
    "eliminated": Effect(called=True, cheered=True),
}
"""Lights, sounds and announcements of Crib Dice's own events, by event code; `SHARED_EFFECTS` has others. Lights have
tails or glows in holes, then duration and delay in seconds; tones have pitch in Hz, start and fading in seconds.
Larger: longer lights, later and longer tones; twice the pitch is an octave higher."""


def track(state: State) -> Track:
    """Return what the cribbage track shows of Crib Dice: pegs by score, on 120 holes, or 240 in the long game."""
    return track_of(state, 2 * HOLES if state.standing.header.rules["long_game"] else HOLES)
