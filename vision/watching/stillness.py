"""Stillness detection: compares small grey pictures of successive frames and says once when the tray has come to rest.

Contrast is compared (each pixel against its surroundings), not brightness. A lamp that is switched on, the soft edge of
a shadow or a coloured LED changes the light, but not where edges are. Bands of a flickering lamp change contrast row by
row: that is undone before a difference counts as motion.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading.reading import FrameBGR

SMALL_WH = (160, 120)
"""Size of the small picture: a die of 60 px in 1,280 is 7 px here, enough to see it move by a tenth of its size."""
SURROUNDINGS_PX = 9
"""Side of the square whose mean a pixel is compared with: a little more than a small die."""
CHANGED_LEVELS = 7
"""Change of a pixel's contrast, in grey levels, that counts: four times the noise that is left after shrinking."""
MOVING_PX = 5
"""Changed pixels between two frames up to which nothing moves: a fifth of a small die's area."""
DIFFERENT_PX = 10
"""Changed pixels against the last rest up to which it is the same rest: a die turned over changes about twenty."""
STILL_S = 0.15
"""Time without motion, in seconds, that makes a rest."""
GROUND_LEVEL = 80.0
"""Grey level that the picture's median is brought to, so that a lamp that is switched leaves contrasts as they were."""
DARKEST_LEVEL = 16.0
"""Grey level below which a median is not brought up further: what is left of such a picture is noise."""
LIMIT_LEVELS = 40
"""Contrast is limited to this many grey levels, so that a glare does not outweigh all else."""
NOISE_SIGMAS = 5.0
"""Standard deviations of the noise that a change must exceed: 0.01 of a small picture's 19,200 pixels do by chance."""
MOST_NOISE_LEVELS = 14.0
"""Largest change in grey levels that can be noise: pictures that differ by more all over show another scene."""
SATURATED = 250
"""Grey level from which the true one is unknown."""


@dataclass(frozen=True, slots=True, eq=False)
class Small:
    """A frame shrunk to 160 x 120 pixels.

    Attributes:
        contrast: (120, 160) int16 difference of each pixel from its surroundings, the picture's median at 80.
        green: (h, w) uint8 pixels that it was shrunk from.
    """

    contrast: NDArray[np.int16]
    green: NDArray[np.uint8]

    def level(self) -> NDArray[np.float32]:
        """(120, 160) grey levels."""
        return cv2.resize(self.green.astype(np.float32), SMALL_WH, interpolation=cv2.INTER_AREA)

    def burnt(self) -> NDArray[np.bool_]:
        """(120, 160) whether a pixel of those that a small pixel or a neighbour stands for is saturated."""
        saturated = cv2.threshold(self.green, SATURATED - 1, 255, cv2.THRESH_BINARY)[1]
        small = cv2.resize(saturated, SMALL_WH, interpolation=cv2.INTER_AREA)
        return cv2.dilate(small, np.ones((3, 3), np.uint8)) > 0


class Phase(Enum):
    """State of the tray as of one frame."""

    MOVING = "moving"
    WAITING = "waiting"  # still, but not yet for long enough
    SETTLED = "settled"  # still for long enough, and different from the last rest: said once
    RESTING = "resting"  # still, and nothing new


@dataclass(frozen=True, slots=True, eq=False)
class StillnessDetector:
    """State of the stillness detection from frame to frame.

    Attributes:
        last: The last frame.
        began: The frame at which the present stillness began.
        since_s: Time of that frame, in seconds on the camera's clock.
        rest: The frame of the last rest that was reported.
        reported: Whether the present stillness has been reported.
    """

    last: Small | None = None
    began: Small | None = None
    since_s: float = 0.0
    rest: Small | None = None
    reported: bool = False

    def at_rest(self) -> StillnessDetector:
        """Return the state after the present rest was reported by the caller itself."""
        return replace(self, rest=self.last, reported=True)

    def still_since(self, at_s: float) -> StillnessDetector:
        """Return the state of a stillness that began at that time, in seconds."""
        return replace(self, began=self.last, since_s=at_s, reported=False)


def structure(frame_bgr: FrameBGR) -> Small:
    """Shrink a frame (h, w, 3) for comparison with others of the same size."""
    step = max(1, frame_bgr.shape[1] // (4 * SMALL_WH[0]))
    # The green channel stands for grey; every second or so pixel is enough before the areas are averaged.
    green = np.ascontiguousarray(frame_bgr[::step, ::step, 1])
    level = cv2.resize(green, SMALL_WH, interpolation=cv2.INTER_AREA).astype(np.float32)
    return Small(_contrast(level * np.float32(_brought_up(level))).astype(np.int16), green)


def changed(one: Small, other: Small) -> int:
    """Count the pixels that differ for another reason than noise or the bands of a flickering lamp."""
    count = int(np.count_nonzero(np.abs(one.contrast - other.contrast) > CHANGED_LEVELS))
    return count if count <= MOVING_PX else min(count, _changed_in_equal_light(one, other))


def _changed_in_equal_light(one: Small, other: Small) -> int:
    """Count the pixels that differ once each row of the two pictures is darkened to the light of the darker one.

    The median over a row of the ratio of its pixels is the ratio of the light: dice and hands cover less than half.
    """
    first, second = one.level(), other.level()
    scale = np.float32(min(_brought_up(first), _brought_up(second)))
    gain = np.median((second + 0.5) / (first + 0.5), axis=1, keepdims=True)
    first, second = first * np.minimum(gain, 1), second * np.minimum(1 / gain, 1)
    # What is saturated in the brighter row was at least as bright: what the darker row shows there may be the truth.
    first = np.where(one.burnt() & (gain < 1), np.maximum(first, second), first)
    second = np.where(other.burnt() & (gain > 1), np.maximum(first, second), second)
    apart = np.abs(_contrast(first * scale) - _contrast(second * scale))
    noise = NOISE_SIGMAS * 1.48 * float(np.median(apart))
    least = min(max(CHANGED_LEVELS, noise), MOST_NOISE_LEVELS)
    return int(np.count_nonzero(apart > least))


def _brought_up(level: NDArray[np.float32]) -> float:
    """Factor that brings a picture's median to GROUND_LEVEL."""
    return GROUND_LEVEL / max(float(np.median(level)), DARKEST_LEVEL)


def _contrast(small: NDArray[np.float32]) -> NDArray[np.float32]:
    """Difference of each pixel from the mean of its surroundings, limited."""
    around = cv2.blur(small, (SURROUNDINGS_PX, SURROUNDINGS_PX))
    return np.clip(small - around, -LIMIT_LEVELS, LIMIT_LEVELS)


@dataclass(frozen=True, slots=True)
class StillnessCriterion:
    """Criterion for rest.

    Attributes:
        moved: Whether anything moved from one frame to the next.
        needed_s: How long the stillness must last that began with one picture and has come to another, `STILL_S` at
            least; infinite when that is no stillness at all: something crept.
    """

    moved: Callable[[Small, Small], bool]
    needed_s: Callable[[Small, Small], float]


FIXED = StillnessCriterion(lambda last, now: changed(last, now) > MOVING_PX, lambda _began, _now: STILL_S)
"""For a camera that hangs over the tray. For one that is held by hand see `vision.watching.handheld`."""


def step(
    detector: StillnessDetector, now: Small, at_s: float, criterion: StillnessCriterion = FIXED
) -> tuple[StillnessDetector, Phase]:
    """Take in one more frame; return the new state and the phase. `at_s` is on the camera's clock.

    >>> detector, still = StillnessDetector(), structure(np.full((480, 640, 3), 90, np.uint8))
    >>> for at_s in (0.0, 0.1, 0.5):
    ...     detector, phase = step(detector, still, at_s)
    >>> phase
    <Phase.SETTLED: 'settled'>
    """
    moving = StillnessDetector(last=now, began=now, since_s=at_s, rest=detector.rest)
    if detector.last is None or detector.began is None:
        return moving, Phase.WAITING
    if criterion.moved(detector.last, now):
        return moving, Phase.MOVING
    seen = replace(detector, last=now)
    if detector.reported:
        return seen, Phase.RESTING
    still_s = at_s - detector.since_s
    if still_s < STILL_S:
        return seen, Phase.WAITING
    needed_s = criterion.needed_s(detector.began, now)
    if math.isinf(needed_s):
        return moving, Phase.MOVING
    if still_s < needed_s:
        return seen, Phase.WAITING
    if detector.rest is not None and changed(detector.rest, now) <= DIFFERENT_PX:
        return replace(seen, reported=True), Phase.RESTING
    return replace(seen, rest=now, reported=True), Phase.SETTLED
