"""Agreement: a reading is trusted when several still frames give the same values at the same places."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from vision.reading.reading import Doubt, Reading

Point = tuple[float, float]
"""x and y in pixels."""

MAX_SAME_DIE_DISTANCE = 0.5
"""Distance of two centres, as a multiple of the longer side of the die's box, from which two readings show different
dice. Larger: a die that was moved is overlooked; smaller: a jittering box counts as another die."""


def agreed(readings: Sequence[Reading]) -> Reading:
    """Merge one or more readings of successive still frames, oldest first, into one.

    The result has the dice and candidates of the newest reading, and the doubt of the latest reading in doubt. If no
    reading is in doubt, the doubt is `Doubt.DISAGREE` if the readings show different dice (`same_dice`), else None.
    """
    newest = readings[-1]
    doubt = next((reading.doubt for reading in reversed(readings) if reading.doubt is not None), None)
    if doubt is None and not all(same_dice(newest, reading) for reading in readings[:-1]):
        doubt = Doubt.DISAGREE
    return Reading(newest.dice, doubt, newest.candidates)


def same_dice(one: Reading, other: Reading, moved: Callable[[Point], Point] = lambda xy: xy) -> bool:
    """Return whether two readings show the same dice: equally many, and each die of one has its own twin in the other.

    A twin has the same value; None, an unread value, equals None. A twin lies nearer than MAX_SAME_DIE_DISTANCE times
    the longer side of the box of the die in `one`. `moved` maps a point of the first picture to the second; the default
    is for a camera that did not move.
    """
    if len(one.dice) != len(other.dice):
        return False
    rest = list(other.dice)
    for die in one.dice:
        at, reach = moved(die.centre_xy), MAX_SAME_DIE_DISTANCE * max(die.box_xywh[2:])
        twins = [twin for twin in rest if twin.value == die.value and math.dist(at, twin.centre_xy) < reach]
        if not twins:
            return False
        rest.remove(min(twins, key=lambda twin: math.dist(at, twin.centre_xy)))
    return True
