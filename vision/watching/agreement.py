"""Agreement: a reading is trusted when several still frames give the same values at the same places."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from vision.reading.reading import Die, Doubt, Reading

Point = tuple[float, float]

SAME_DIE = 0.5
"""Largest distance of two centres, relative to the size of a die, at which they can be the same die."""


def agreed(readings: Sequence[Reading]) -> Reading:
    """Merge readings of successive still frames: the newest reading, with a doubt unless all agree.

    Args:
        readings: At least one reading, oldest first.

    Returns:
        The dice of the newest reading. The doubt is the latest one of any reading, or `Doubt.DISAGREE` if values or
        places differ.
    """
    newest = readings[-1]
    doubt = next((reading.doubt for reading in reversed(readings) if reading.doubt is not None), None)
    if doubt is None and not all(same_dice(newest, reading) for reading in readings[:-1]):
        doubt = Doubt.DISAGREE
    return Reading(newest.dice, doubt)


def same_dice(one: Reading, other: Reading, moved: Callable[[Point], Point] = lambda xy: xy) -> bool:
    """Whether two readings of one scene hold the same dice with the same values.

    `moved` maps a point of the first picture, in pixels, to the second one. The default is a camera that did not move.
    """
    if len(one.dice) != len(other.dice):
        return False
    return all(any(die.value == twin.value and _near(die, twin, moved) for twin in other.dice) for die in one.dice)


def _near(one: Die, other: Die, moved: Callable[[Point], Point]) -> bool:
    size_px = max(one.box_xywh[2], one.box_xywh[3])
    return math.dist(moved(one.centre_xy), other.centre_xy) < SAME_DIE * size_px
