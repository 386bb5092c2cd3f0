"""Stillness of dice under a hand-held camera: changes between two small pictures besides the camera's own motion.

The ground's motion is undone (`vision.watching.ego_motion`). Differences that remain beyond a pixel's blur are dice.
"""

from __future__ import annotations

import math
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.watching.ego_motion import EgoMotion, blurred, ego_motion
from vision.watching.stillness import (
    CHANGED_LEVELS,
    MOVING_PX,
    STILL_S,
    SURROUNDINGS_PX,
    Small,
    StillnessCriterion,
    changed,
)

MAX_CAMERA_MOTION_PX = 1.5
"""Motion of the camera between two frames above which the tray counts as moving, in pixels of the shrunk frame
(SMALL_WH): pips would be blurred. Higher: blurred frames are read. Lower: a steadier hand is needed."""
MATCH_WINDOW_PX = 3
"""Side, in small pixels, of the square in which a pixel may find its match in the other frame. It allows for the
parallax of dice under a moving camera. Larger overlooks small motions; smaller takes parallax for motion."""
BORDER_PX = SURROUNDINGS_PX // 2
"""Width of the small picture's border, in small pixels, that the comparison of frames from a hand-held camera ignores.
There the square of SURROUNDINGS_PX is cut off, so the contrast is wrong. Wider overlooks dice at the edge."""
NOISE_MULTIPLE = 2.0
"""Multiple of the median difference of two pictures that counts as noise, such as the pile of a carpet. Up to
MAX_NOISE_LEVELS, it is added to the threshold of a changed pixel. Larger overlooks faint motion; smaller takes noise
for motion."""
MAX_NOISE_LEVELS = 6.0
"""Most grey levels that noise (NOISE_MULTIPLE) adds to the threshold of a changed pixel. Higher: two different scenes
may pass for equal; lower: noise, such as the pile of a carpet, counts as motion."""
HELD_STILL_S = 0.25
"""Seconds for which dice must lie still if the hand-held camera moved meanwhile. Rocking dice are then harder to see,
so it is more than STILL_S. A longer time delays each reading."""
DIE_PX = 7
"""Side, in small pixels, of the square in which changed pixels are counted: the size of a die. A die that moves changes
many pixels of one square, noise few. In a larger square noise counts as a moved die; a smaller one misses slow dice."""
MAX_CHANGED_IN_DIE = 6
"""Number of changed pixels in a square of DIE_PX x DIE_PX above which a die has moved. A higher one overlooks slow
dice; a lower one takes noise for motion."""


def most_changed_in_die(one: Small, other: Small, motion: EgoMotion) -> int:
    """Return the largest number of changed pixels in any die-sized square, once the camera's motion is undone.

    `motion` moves the ground of the earlier picture `one` onto `other`. The two pictures are then compared both ways. A
    pixel has changed if its contrast lies too far outside the contrasts within MATCH_WINDOW_PX in the other picture.
    Too far means by more than CHANGED_LEVELS plus a share for noise, at most MAX_NOISE_LEVELS. The border (BORDER_PX)
    is ignored.
    """
    before, seen = motion.follow(one.contrast.astype(np.float32), BORDER_PX)
    before, now = blurred(before), blurred(other.contrast.astype(np.float32))
    least = CHANGED_LEVELS + min(NOISE_MULTIPLE * float(np.median(np.abs(now - before))), MAX_NOISE_LEVELS)
    apart = np.maximum(_beyond(now, before), _beyond(before, now)) * seen
    over = (apart > least).astype(np.float32)
    counts = cv2.boxFilter(over, -1, (DIE_PX, DIE_PX), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return round(float(counts.max()))


def _beyond(picture: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return (h, w) how far, in levels, each pixel is outside the range of those of `other` in MATCH_WINDOW_PX."""
    near = np.ones((MATCH_WINDOW_PX, MATCH_WINDOW_PX), np.uint8)
    return np.maximum(picture - cv2.dilate(other, near), cv2.erode(other, near) - picture)


def _moved(last: Small, now: Small, max_camera_px: float = MAX_CAMERA_MOTION_PX) -> bool:
    """Return whether dice moved between two frames, or the camera moved by more than `max_camera_px` small pixels."""
    if changed(last, now) <= MOVING_PX:
        return False
    motion = ego_motion(last, now)
    return motion.reach_px > max_camera_px or most_changed_in_die(last, now, motion) > MAX_CHANGED_IN_DIE


_moved_meanwhile = partial(_moved, max_camera_px=math.inf)


def _needed_s(began: Small, now: Small) -> float:
    """Return how many seconds dice must lie still: more if the camera moved since `began`, infinite if dice did."""
    if changed(began, now) <= MOVING_PX:
        return STILL_S
    return math.inf if _moved_meanwhile(began, now) else HELD_STILL_S


HELD = StillnessCriterion(_moved, _needed_s)
"""Criterion for a camera that may be held by hand: STILL_S if the camera did not move meanwhile, else HELD_STILL_S."""
PAUSED = StillnessCriterion(_moved_meanwhile, _needed_s)
"""Criterion for the first frame after a pause: only moved dice end the rest, as the camera may have moved anywhere."""
