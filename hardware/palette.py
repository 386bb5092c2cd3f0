"""Colours of the board, and a rhythm for each player that tells players apart without colour.

The first six colours are those of Okabe and Ito (2008), which colour-blind people tell apart. The other four are as far
from all others as those six are from each other, for every kind of colour vision; a test checks it. No rhythm flashes
more than three times a second (WCAG 2.3.1).
"""

from __future__ import annotations

import math

Colour = tuple[float, float, float]
"""Red, green, blue from 0 to 1, perceived brightness before gamma."""

PLAYERS: tuple[Colour, ...] = (
    (0.902, 0.624, 0.0),  # orange
    (0.337, 0.706, 0.914),  # sky blue
    (0.0, 0.620, 0.451),  # green
    (0.941, 0.894, 0.259),  # yellow
    (0.835, 0.369, 0.0),  # vermilion
    (0.800, 0.475, 0.655),  # purple
    (0.2, 0.4, 0.8),  # cobalt
    (0.702, 0.902, 0.502),  # lime
    (0.502, 0.2, 1.0),  # violet
    (0.902, 0.102, 0.302),  # crimson
)
"""Colours of the players on the LEDs, as (red, green, blue) from 0 to 1; larger values are brighter. `Peg.colour` is an
index into them. The first six are close to the palette of Okabe and Ito. The pages have the same colours."""

AMBER: Colour = (1.0, 0.756, 0.0)
"""Colour of questions, moving dice and button presses: red, green, blue, 0 to 1. Also of the marks at every tenth hole,
and of an idle board. Higher: brighter."""
ALARM: Colour = (0.898, 0.325, 0.239)
"""Colour on the LEDs of what is wrong or lost, as (red, green, blue) from 0 to 1. Examples are a refused hold, lost
points, the shutdown countdown and a burst. Larger values: brighter."""
COLOURS: dict[str, Colour] = {"amber": AMBER, "red": ALARM, "fire": (1.0, 0.50, 0.0), "sulphur": (0.60, 0.72, 0.0)}
"""Colours of effects that stand for no player, as (red, green, blue) from 0 to 1, by the name in `Moment.colour`.
Larger values: brighter."""

_PERIODS_S = (math.inf, 4.0, 3.0, 1.2, 2.4, 1.6, 3.6, 2.8, 3.4, 3.2)
"""Period of each colour's rhythm, in seconds, by index into `PLAYERS`; the first colour is steady. Longer: slower
breaths and fades; dips and heartbeats only pause longer."""
_SHORT_S, _LONG_S = 0.4, 1.2
"""Durations, in seconds, of the short and the long dips in brightness by which players' pegs differ. Longer than the
step between two starts in `_DIPS`: dips merge. Shorter: they are harder to see."""
_DIPS: dict[int, tuple[tuple[float, float], ...]] = {
    2: ((0.0, _SHORT_S), (0.45, _SHORT_S)),
    4: ((0.0, _SHORT_S),),
    6: ((0.0, _SHORT_S), (0.45, _SHORT_S), (0.9, _SHORT_S)),
    8: ((0.0, _LONG_S),),
    9: ((0.0, _LONG_S), (1.25, _SHORT_S)),
}
"""Dips in brightness of the blinking rhythms, by index into `PLAYERS`: start within the period, and duration, in
seconds. A dip that would end after the period in `_PERIODS_S` is cut off; dips that overlap merge."""
_HEARTBEAT, _FADE = 5, 7
"""Indexes into `PLAYERS`: the colour whose pegs pulse like a heartbeat, and the one whose pegs fade slowly."""


def player_colour(colour: int) -> Colour:
    """Return the player's colour at an index of PLAYERS; indexes above 9 start again from the first.

    >>> player_colour(10) == player_colour(0)
    True
    """
    return PLAYERS[colour % len(PLAYERS)]


def pattern(colour: int, time_s: float) -> float:
    """Return the brightness of a player's peg, 0.3 to 1, at a time on any clock that never goes back.

    Each `colour`, an index into `PLAYERS` that repeats after ten, has its own rhythm, to tell pegs apart. Colour 0 is
    steady; others dip, beat, fade or breathe.
    """
    which = colour % len(PLAYERS)
    if is_steady(colour):
        return 1.0
    at_s = time_s % _PERIODS_S[which]
    if which in _DIPS:
        return min(1.0 - 0.7 * swell((at_s - from_s) / lasts_s) for from_s, lasts_s in _DIPS[which])
    if which == _FADE:
        part = at_s / _PERIODS_S[which]
        return 1.0 - 0.65 * (part / 0.85 if part < 0.85 else 1.0 - ease((part - 0.85) / 0.15))
    if which == _HEARTBEAT:
        return 0.45 + 0.55 * max(swell(at_s / 0.36), 0.8 * swell((at_s - 0.42) / 0.36))
    return 0.55 + 0.45 * swell(at_s / _PERIODS_S[which])


def is_steady(colour: int) -> bool:
    """Return whether the brightness that `pattern` gives for a colour never changes."""
    return colour % len(PLAYERS) == 0


def swell(part: float) -> float:
    """Return a raised cosine of `part`: 1 at 0.5, falling to 0 at 0 and at 1, and 0 outside."""
    return 0.5 - 0.5 * math.cos(2 * math.pi * part) if 0.0 < part < 1.0 else 0.0


def ease(part: float) -> float:
    """Return the smoothstep of `part`: rises from 0 at 0 to 1 at 1, slowly at both ends; 0 below and 1 above."""
    part = min(1.0, max(0.0, part))
    return part * part * (3 - 2 * part)
