"""Stillness of dice under a hand-held camera: changes between two small pictures besides the camera's own motion.

The ground's motion is undone (`vision.watching.ego_motion`). Differences that remain beyond a pixel's blur are dice.
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
"""Longest motion of a steady camera from frame to frame, in small pixels (12 px of 1,280): a faster one blurs pips."""
UNSHARP_PX = 3
"""Side of the square in which a pixel may find its match: dice are taller than the ground that is followed."""
BORDER_PX = SURROUNDINGS_PX // 2
"""Border to ignore, in small pixels: new ground has no match, and the surroundings of a pixel are cut off there."""
NOISE = 2.0
"""Multiple of the median difference that a change must exceed: a carpet's pile differs all over."""
MOST_NOISE_LEVELS = 6.0
"""Largest noise allowance in grey levels: pictures that differ by more all over show another scene."""
HELD_STILL_S = 0.25
"""Time at rest, in seconds, while the camera moves: a die that rocks for a tenth of a second is hard to see then."""
DIE_PX = 7
"""Side of the square in which changed pixels are counted, in small pixels: noise is scattered, a rolling die is not."""
STIRRED_PX = 6
"""Changed pixels in that square up to which nothing moves: rolling dice change more, dice at rest fewer."""


def stirred(one: Small, other: Small, by: EgoMotion) -> int:
    """Count the changed pixels of the die-sized square that has most of them, with the camera's motion undone."""
    before, seen = by.follow(one.contrast.astype(np.float32), BORDER_PX)
    before, now = softened(before), softened(other.contrast.astype(np.float32))
    least = CHANGED_LEVELS + min(NOISE * float(np.median(np.abs(now - before))), MOST_NOISE_LEVELS)
    apart = np.maximum(_beyond(now, before), _beyond(before, now)) * seen
    over = (apart > least).astype(np.float32)
    counts = cv2.boxFilter(over, -1, (DIE_PX, DIE_PX), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return round(float(counts.max()))


def _beyond(picture: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """How far each pixel is outside the range of the other picture's pixels around it, in grey levels."""
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
"""Criterion for a camera that may be held by hand. While it does not move, dice settle as soon as under a fixed one."""
PAUSED = StillnessCriterion(_moved_meanwhile, _needed_s)
"""Criterion for the first frame after a pause, such as a reading: the camera may have moved any distance by then."""
