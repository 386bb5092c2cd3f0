"""Agreement: a reading is trusted when several still frames give the same values at the same places."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from vision.reading.reading import Die, Doubt, Reading

Point = tuple[float, float]

SAME_DIE = 0.5
"""Distance of two centres, relative to a die's size, below which they are the same die."""


def agreed(readings: Sequence[Reading]) -> Reading:
    """Return the newest reading, in doubt (`disagree`) unless all readings hold the same values at the same places.

    A doubt of any frame's is kept.
    """
    newest = readings[-1]
    doubt = next((reading.doubt for reading in reversed(readings) if reading.doubt is not None), None)
    if doubt is None and not all(same_dice(newest, reading) for reading in readings[:-1]):
        doubt = Doubt.DISAGREE
    return Reading(newest.dice, doubt)


def same_dice(one: Reading, other: Reading, moved: Callable[[Point], Point] = lambda xy: xy) -> bool:
    """Whether two readings of one scene hold the same dice with the same values.

    `moved`: where a point of the first one's picture lies in the other's, if the camera moved.
    """
    if len(one.dice) != len(other.dice):
        return False
    return all(any(die.value == twin.value and _near(die, twin, moved) for twin in other.dice) for die in one.dice)


def _near(one: Die, other: Die, moved: Callable[[Point], Point]) -> bool:
    size_px = max(one.box_xywh[2], one.box_xywh[3])
    return math.dist(moved(one.centre_xy), other.centre_xy) < SAME_DIE * size_px
