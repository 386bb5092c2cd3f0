"""Rest for a camera that is held by hand: what has changed between two small pictures besides its own motion.

The ground's motion is undone (`vision.watching.ego_motion`); what is left beyond the unsharpness of a pixel is dice on
the ground.
"""

from __future__ import annotations

import math
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.watching.ego_motion import EgoMotion, ego_motion, softened
from vision.watching.stillness import (
    CHANGED_LEVELS,
    MOVING_PX,
    STILL_S,
    SURROUNDINGS_PX,
    Small,
    StillnessCriterion,
    changed,
)

FASTEST_PX = 1.5
"""Pixels of the small picture (1.5 are 12 of 1,280) that a steady hand's camera moves in one frame at most. One that is
swung faster blurs the pips, and two frames later a die would be more than half its size away."""
UNSHARP_PX = 3
"""Side of the square in which a pixel may find its like: dice are taller than the ground that is followed, and edges
lose a little each time they are moved by part of a pixel."""
BORDER_PX = SURROUNDINGS_PX // 2
"""What comes in at the border has no like in the picture before, and its surroundings are cut off."""
NOISE = 2.0
"""A change counts beyond so many times the usual difference: a carpet's pile flickers all over."""
MOST_NOISE_LEVELS = 6.0
"""A picture that differs more than this all over is of another place."""
HELD_STILL_S = 0.25
"""So long must dice lie still where the camera moves: a die that rocks on its edge for a tenth of a second
changes no more pixels than that motion leaves."""
DIE_PX = 7
"""Side of the square in which changed pixels are counted: a small die. Flicker is strewn, a rolling die is in one
place."""
STIRRED_PX = 6
"""Changed pixels in that square that make it motion. Filmed by hand, rolling dice leave 7 to 49, lying ones seldom 4,
over six frames too (on wood, in a box, on a quilt and on a carpet)."""


def stirred(one: Small, other: Small, by: EgoMotion) -> int:
    """The most pixels in any die's room that differ though the camera's motion is undone."""
    before, seen = by.follow(one.contrast.astype(np.float32), BORDER_PX)
    before, now = softened(before), softened(other.contrast.astype(np.float32))
    least = CHANGED_LEVELS + min(NOISE * float(np.median(np.abs(now - before))), MOST_NOISE_LEVELS)
    apart = np.maximum(_beyond(now, before), _beyond(before, now)) * seen
    over = (apart > least).astype(np.float32)
    counts = cv2.boxFilter(over, -1, (DIE_PX, DIE_PX), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return round(float(counts.max()))


def _beyond(picture: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """How far each pixel is outside of all that the other picture has near it."""
    near = np.ones((UNSHARP_PX, UNSHARP_PX), np.uint8)
    return np.maximum(picture - cv2.dilate(other, near), cv2.erode(other, near) - picture)


def _moved(last: Small, now: Small, fastest_px: float = FASTEST_PX) -> bool:
    if changed(last, now) <= MOVING_PX:
        return False
    by = ego_motion(last, now)
    return by.reach_px > fastest_px or stirred(last, now, by) > STIRRED_PX


_moved_meanwhile = partial(_moved, fastest_px=math.inf)


def _needed_s(began: Small, now: Small) -> float:
    if changed(began, now) <= MOVING_PX:
        return STILL_S
    return math.inf if _moved_meanwhile(began, now) else HELD_STILL_S


HELD = StillnessCriterion(_moved, _needed_s)
"""Rest for a camera that may be held by hand; while it does not move, it is settled as soon as under a fixed one."""
PAUSED = StillnessCriterion(_moved_meanwhile, _needed_s)
"""For the first frame after others were left out, as while dice are read: the camera may be anywhere near by then."""
