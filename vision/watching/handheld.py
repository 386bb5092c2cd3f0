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
"""Largest motion between two frames, in small pixels, at which a hand-held camera is steady. More would blur pips."""
UNSHARP_PX = 3
"""Side of the square in which a pixel may find its match, in small pixels. Allows for the parallax of dice."""
BORDER_PX = SURROUNDINGS_PX // 2
"""Border to ignore, in small pixels. New ground enters there, and a pixel's surroundings are incomplete."""
NOISE = 2.0
"""Multiple of the median difference that is taken for noise, such as the pile of a carpet."""
MOST_NOISE_LEVELS = 6.0
"""Upper bound of the noise allowance, in grey levels. Two different scenes must not pass for noise."""
HELD_STILL_S = 0.25
"""Time without motion of dice, in seconds, that makes a rest while the camera moves. Rocking is then harder to see."""
DIE_PX = 7
"""Side of the square in which changed pixels are counted, in small pixels. A die fills it; noise is scattered."""
STIRRED_PX = 6
"""Largest number of changed pixels in a square of DIE_PX at which all dice are at rest."""


def stirred(one: Small, other: Small, by: EgoMotion) -> int:
    """Return the largest number of changed pixels in any die-sized square, with the camera's motion `by` undone."""
    before, seen = by.follow(one.contrast.astype(np.float32), BORDER_PX)
    before, now = softened(before), softened(other.contrast.astype(np.float32))
    least = CHANGED_LEVELS + min(NOISE * float(np.median(np.abs(now - before))), MOST_NOISE_LEVELS)
    apart = np.maximum(_beyond(now, before), _beyond(before, now)) * seen
    over = (apart > least).astype(np.float32)
    counts = cv2.boxFilter(over, -1, (DIE_PX, DIE_PX), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return round(float(counts.max()))


def _beyond(picture: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return (h, w) how far each pixel is above or below all nearby pixels of the other picture, in grey levels."""
    near = np.ones((UNSHARP_PX, UNSHARP_PX), np.uint8)
    return np.maximum(picture - cv2.dilate(other, near), cv2.erode(other, near) - picture)


def _moved(last: Small, now: Small, fastest_px: float = FASTEST_PX) -> bool:
    """Whether dice moved between two frames, or the camera moved by more than `fastest_px` small pixels."""
    if changed(last, now) <= MOVING_PX:
        return False
    by = ego_motion(last, now)
    return by.reach_px > fastest_px or stirred(last, now, by) > STIRRED_PX


_moved_meanwhile = partial(_moved, fastest_px=math.inf)


def _needed_s(began: Small, now: Small) -> float:
    """Return how long the stillness must last, in seconds; infinite if dice moved slowly since it began.

    `began` is the picture at its beginning, `now` the present one.
    """
    if changed(began, now) <= MOVING_PX:
        return STILL_S
    return math.inf if _moved_meanwhile(began, now) else HELD_STILL_S


HELD = StillnessCriterion(_moved, _needed_s)
"""Criterion for a camera that may be held by hand. While the camera does not move, it needs no longer than FIXED."""
PAUSED = StillnessCriterion(_moved_meanwhile, _needed_s)
"""Criterion for the first frame after a pause, such as a reading. Allows any motion of the camera meanwhile."""
