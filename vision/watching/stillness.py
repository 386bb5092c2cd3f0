"""Is the tray at rest? Looks at a small grey picture of every frame and says when it has come to rest, once.

What is compared is structure (each pixel against its surroundings), not brightness: a lamp switched on, a shadow's soft
edge or a coloured LED change the light, but not where edges lie.
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

Small = NDArray[np.int16]

SMALL_WH = (160, 120)
"""A die of 60 px in 1,280 is 7 px here: enough to see it move by a tenth of its size, at 0.3 ms a frame."""
SURROUNDINGS_PX = 9
CHANGED_LEVELS = 7
"""Levels by which a pixel's contrast must change to count: four times the noise that is left after shrinking."""
MOVING_PX = 5
"""Changed pixels between two frames that make it motion: a fifth of a small die's area."""
DIFFERENT_PX = 10
"""Changed pixels against the last rest that make it worth reading again: a die turned over changes about twenty."""
STILL_S = 0.15
"""Still for about this long makes a throw to read."""
GROUND_LEVEL = 80.0
DARKEST_LEVEL = 16.0
"""A ground darker than this is not brought up further: what is left of it is noise."""
LIMIT_LEVELS = 40
"""Contrast is cut here, so that a glare does not outweigh all else."""


class Phase(Enum):
    """What a frame says of the tray."""

    MOVING = "moving"
    WAITING = "waiting"  # still, but not yet for long enough
    SETTLED = "settled"  # still for long enough, and different from the last rest: said once
    RESTING = "resting"  # still, and nothing new


@dataclass(frozen=True, slots=True, eq=False)
class StillnessDetector:
    """What is remembered from frame to frame.

    Attributes:
        last: Structure of the last frame.
        began: Structure when the present stillness began, ...
        since_s: ... and when that was.
        rest: Structure at the last rest that was said.
        reported: Whether it has been said already.
    """

    last: Small | None = None
    began: Small | None = None
    since_s: float = 0.0
    rest: Small | None = None
    reported: bool = False

    def at_rest(self) -> StillnessDetector:
        """After the rest as it is now was said by somebody who looked closer."""
        return replace(self, rest=self.last, reported=True)

    def still_since(self, at_s: float) -> StillnessDetector:
        """As if the stillness had begun then."""
        return replace(self, began=self.last, since_s=at_s, reported=False)


def structure(frame_bgr: FrameBGR) -> Small:
    """(120, 160) contrast of each pixel of the shrunken grey picture with its surroundings."""
    step = max(1, frame_bgr.shape[1] // (4 * SMALL_WH[0]))
    # The green channel stands for grey; every second or so pixel is enough before the areas are averaged.
    green = np.ascontiguousarray(frame_bgr[::step, ::step, 1])
    small = cv2.resize(green, SMALL_WH, interpolation=cv2.INTER_AREA).astype(np.float32)
    # The median is the ground's: brought to one level, a lamp that is switched leaves the contrasts as they were.
    small *= GROUND_LEVEL / max(float(np.median(small)), DARKEST_LEVEL)
    around = cv2.blur(small, (SURROUNDINGS_PX, SURROUNDINGS_PX))
    return np.clip(small - around, -LIMIT_LEVELS, LIMIT_LEVELS).astype(np.int16)


def changed(one: Small, other: Small) -> int:
    """How many pixels of the small picture differ."""
    return int(np.count_nonzero(np.abs(one - other) > CHANGED_LEVELS))


@dataclass(frozen=True, slots=True)
class StillnessCriterion:
    """What counts as rest.

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
    """The memory after one more frame, and what that frame says. `at_s` on the camera's clock.

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
