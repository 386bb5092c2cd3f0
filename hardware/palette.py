"""Colours of the board, and the pattern in time that tells players apart for those who can't by colour.

The first six players' colours are Okabe and Ito's (2008), safe for the colour-blind, in LOOK's order. The four after
them are no nearer to those or to each other than those are among themselves, whichever eye looks (found by search, held
by a test). Each has a pattern of its own.
Nothing here goes dark and bright more than three times in a second (WCAG 2.3.1).
"""

from __future__ import annotations

import math

Colour = tuple[float, float, float]
"""Red, green, blue, 0 to 1, as they look."""

ORANGE: Colour = (0.902, 0.624, 0.0)
SKY: Colour = (0.337, 0.706, 0.914)
GREEN: Colour = (0.0, 0.620, 0.451)
YELLOW: Colour = (0.941, 0.894, 0.259)
VERMILION: Colour = (0.835, 0.369, 0.0)
PURPLE: Colour = (0.800, 0.475, 0.655)
COBALT: Colour = (0.2, 0.4, 0.8)
LIME: Colour = (0.702, 0.902, 0.502)
VIOLET: Colour = (0.502, 0.2, 1.0)
CRIMSON: Colour = (0.902, 0.102, 0.302)
PLAYERS = (ORANGE, SKY, GREEN, YELLOW, VERMILION, PURPLE, COBALT, LIME, VIOLET, CRIMSON)

AMBER: Colour = (1.0, 0.756, 0.0)
ALARM: Colour = (0.898, 0.325, 0.239)
FIRE: Colour = (1.0, 0.50, 0.0)
SKUNK: Colour = (0.60, 0.72, 0.0)

_PERIODS_S = (math.inf, 4.0, 3.0, 1.2, 2.4, 1.6, 3.6, 2.8, 3.4, 3.2)
"""By player: steady, breaths and blinks (`_DIPS`) of their own, a heartbeat, a slow fade."""
_SHORT_S, _LONG_S = 0.4, 1.2
_DIPS: dict[int, tuple[tuple[float, float], ...]] = {
    2: ((0.0, _SHORT_S), (0.45, _SHORT_S)),
    4: ((0.0, _SHORT_S),),
    6: ((0.0, _SHORT_S), (0.45, _SHORT_S), (0.9, _SHORT_S)),
    8: ((0.0, _LONG_S),),
    9: ((0.0, _LONG_S), (1.25, _SHORT_S)),
}
"""By pattern, when in its period it goes dark and bright again, and how long each takes."""
_HEARTBEAT, _FADE = 5, 7
_BEATS_S = 0.78


def player_colour(colour: int) -> Colour:
    """The colour of a player: an index into the palette.

    >>> player_colour(10) == player_colour(0)
    True
    """
    return PLAYERS[colour % len(PLAYERS)]


def pattern(colour: int, time_s: float) -> float:
    """How bright a peg of that colour looks now, 0.3 to 1."""
    which = colour % len(PLAYERS)
    if which == 0:
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


def pattern_rests_until(colour: int, time_s: float) -> float:
    """When the pattern moves next: now while it moves, infinity when it never does."""
    which = colour % len(PLAYERS)
    period_s = _PERIODS_S[which]
    if which in _DIPS or which == _HEARTBEAT:
        busy_s = sum(_DIPS[which][-1]) if which in _DIPS else _BEATS_S
        at_s = time_s % period_s
        return time_s if at_s < busy_s else time_s + period_s - at_s
    return math.inf if which == 0 else time_s


def swell(part: float) -> float:
    """A soft rise and fall: 0 at and outside of 0 and 1, 1 in the middle."""
    return 0.5 - 0.5 * math.cos(2 * math.pi * part) if 0.0 < part < 1.0 else 0.0


def ease(part: float) -> float:
    """From 0 to 1, gently at both ends; 0 before and 1 after."""
    part = min(1.0, max(0.0, part))
    return part * part * (3 - 2 * part)
