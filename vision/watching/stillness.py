"""Stillness detection: compares small grey pictures of successive frames and says once when the tray has come to rest.

Contrast is compared (each pixel against its surroundings), not brightness. A lamp that is switched on, the soft edge of
a shadow or a coloured LED changes the light, but not where edges are. Bands of a flickering lamp change contrast row by
row; a gain for each row is undone before a difference counts as motion. See docs/method/stillness.md.
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
"""Width and height, in pixels, to which frames are shrunk for stillness and motion detection. A die of 60 px in a frame
1,280 px wide is 7.5 px here. Larger takes longer, and the limits in small pixels no longer fit."""
SURROUNDINGS_PX = 9
"""Side of the square, in pixels of the small picture, whose mean is subtracted from a pixel to get its contrast. It is
a little more than a die. In a much smaller one a die has little contrast; in a larger one soft shadows have more."""
VISIBLE_LEVEL = 16
"""Grey level from which a pixel of the small picture shows something. Higher: a dimly lit tray counts as dark and is
not read; lower: noise in a black picture counts as something to see."""
VISIBLE_PX = SMALL_WH[0] * SMALL_WH[1] // 100
"""Least number of visible pixels of the small picture, 1 % of it; with fewer the picture is dark. Three to four dice
cover as much, so a black tray counts as lit if its rim or dice show. Higher: a black tray counts as dark; lower: a
single lit LED makes a dark tray count as seen."""
CHANGED_LEVELS = 7
"""Change of a pixel's contrast, in grey levels, above which the pixel has changed: four times the noise that shrinking
leaves. A higher one overlooks faint motion; a lower one takes noise for it."""
MOVING_PX = 5
"""Largest number of changed pixels between two shrunk frames (SMALL_WH) that counts as no motion: a tenth of a die's
area there. Higher: slow dice are overlooked. Lower: the tray seldom comes to rest."""
DIFFERENT_PX = 10
"""Largest number of small pixels changed since the last rest at which a tray counts as unchanged and is not read again.
A die turned over changes about 20. After a doubtful reading, more changed pixels count as a change of light. Higher:
new throws and new lights are missed; lower: noise has an unchanged tray read again."""
STILL_S = 0.15
"""Seconds without motion after which the tray is at rest. Longer delays each reading; shorter reads rocking dice."""
GROUND_LEVEL = 80.0
"""Grey level that each picture's median is scaled to, so that switching a lamp leaves contrasts unchanged. A higher one
raises all contrasts, so that fainter changes exceed the thresholds."""
MIN_MEDIAN_LEVEL = 16.0
"""Lowest median, in grey levels, that is scaled to GROUND_LEVEL. A darker picture is mostly noise: it is scaled as if
its median were this. A higher bound overlooks motion in dim light."""
MAX_CONTRAST_LEVELS = 40
"""Limit of a pixel's contrast, in grey levels, when frames are compared for motion. Contrast is its difference from the
mean around it. Higher: glare outweighs everything else; lower: changes at strong edges are hidden."""
NOISE_SIGMAS = 5.0
"""Multiple of the noise's standard deviation that a pixel's contrast change must exceed when a changed light is
compensated. Larger: faint motion is overlooked; smaller: noise counts as motion."""
MAX_NOISE_LEVELS = 14.0
"""Upper limit, in grey levels, of the threshold of a changed pixel, which rises with the estimated noise. A changed
scene raises the estimate, too. Higher: changed scenes are overlooked; lower: noise counts as motion."""
SATURATED_LEVEL = 250
"""Green level, 0 to 255, from which a pixel counts as saturated: motion detection allows for its unknown brightness
when the light changes. Lower: changes on bright objects are overlooked; higher: glare counts as motion."""

MAX_SAME_LIGHT_RATIO = 1.2
"""Largest ratio of two pictures' median levels at which they count as taken in the same light. A lower one repeats
doubtful readings for a passing cloud; with a higher one a doubt may outlast a lamp that was dimmed for a moment."""


@dataclass(frozen=True, slots=True, eq=False)
class Small:
    """A frame shrunk to 160 x 120 pixels.

    Attributes:
        contrast: (120, 160) int16 difference of each pixel from its surroundings, with the median scaled to 80.
        green: (h, w) uint8 green channel of every few pixels of the frame, from which the contrast was computed.
        dark: Whether the frame is too dark to show whether anything moves or lies there.
    """

    contrast: NDArray[np.int16]
    green: NDArray[np.uint8]
    dark: bool

    def level(self) -> NDArray[np.float32]:
        """Return the (120, 160) grey levels."""
        return cv2.resize(self.green.astype(np.float32), SMALL_WH, interpolation=cv2.INTER_AREA)

    def saturated(self) -> NDArray[np.bool_]:
        """Return a (120, 160) mask: whether a pixel of the small picture or a neighbour covers a saturated pixel."""
        saturated = cv2.threshold(self.green, SATURATED_LEVEL - 1, 255, cv2.THRESH_BINARY)[1]
        small = cv2.resize(saturated, SMALL_WH, interpolation=cv2.INTER_AREA)
        return cv2.dilate(small, np.ones((3, 3), np.uint8)) > 0


class Phase(Enum):
    """State of the tray after one frame.

    Attributes:
        MOVING: Something moved since the frame before.
        WAITING: Still, but not yet long enough.
        SETTLED: Still long enough, and different from the last rest. Reported once.
        RESTING: Still, and nothing new.
        DARK: Too dark to see anything.
    """

    MOVING = "moving"
    WAITING = "waiting"
    SETTLED = "settled"
    RESTING = "resting"
    DARK = "dark"


@dataclass(frozen=True, slots=True, eq=False)
class StillnessDetector:
    """State of the stillness detection between two frames.

    Attributes:
        last: The last frame; None before the first.
        began: The frame at which the present stillness began, at `since_s` seconds on the camera's clock.
        rest: The frame of the last rest that was reported; None before the first.
        reported: Whether the present stillness has been reported.
    """

    last: Small | None = None
    began: Small | None = None
    since_s: float = 0.0
    rest: Small | None = None
    reported: bool = False

    def at_rest(self) -> StillnessDetector:
        """Return the state in which the last frame is a rest that has been reported."""
        return replace(self, rest=self.last, reported=True)

    def still_since(self, at_s: float) -> StillnessDetector:
        """Return the state in which the stillness began with the last frame, at `at_s` seconds of camera time."""
        return replace(self, began=self.last, since_s=at_s, reported=False)


def small_picture(frame_bgr: FrameBGR) -> Small:
    """Return the 160 x 120 contrast picture of a BGR frame (h, w, 3), with its subsampled green channel.

    Two such pictures are compared for motion. The median of the green channel is scaled to GROUND_LEVEL, so that a
    brighter light does not count as motion; a median below MIN_MEDIAN_LEVEL counts as that level. Then the mean of each
    pixel's surroundings is subtracted, and the result clipped. The attribute `dark` says whether the frame is too dark
    to judge.
    """
    step = max(1, frame_bgr.shape[1] // (4 * SMALL_WH[0]))
    # The green channel approximates grey. Skipping pixels before averaging is accurate enough, and faster.
    green = np.ascontiguousarray(frame_bgr[::step, ::step, 1])
    level = cv2.resize(green, SMALL_WH, interpolation=cv2.INTER_AREA).astype(np.float32)
    dark = int(np.count_nonzero(level >= VISIBLE_LEVEL)) < VISIBLE_PX
    return Small(_contrast(level * np.float32(_gain_to_ground(level))).astype(np.int16), green, dark)


def changed(one: Small, other: Small) -> int:
    """Return the number of pixels whose contrast differs by more than CHANGED_LEVELS between two small pictures.

    If there are more than MOVING_PX, they are counted again with the bands of a flickering lamp compensated. The
    smaller of the two counts is returned.
    """
    count = int(np.count_nonzero(np.abs(one.contrast - other.contrast) > CHANGED_LEVELS))
    return count if count <= MOVING_PX else min(count, _changed_in_equal_light(one, other))


def same_light(one: Small, other: Small) -> bool:
    """Return whether the median levels of two small pictures are within MAX_SAME_LIGHT_RATIO of each other."""
    first, second = (float(np.median(small.green)) + 1 for small in (one, other))
    return max(first, second) <= MAX_SAME_LIGHT_RATIO * min(first, second)


def _changed_in_equal_light(one: Small, other: Small) -> int:
    """Count the pixels whose contrast to their surroundings differs between two pictures by more than the noise.

    1. In each row the brighter picture is dimmed by the median ratio of the pixels. Dice and hands cover less than
       half of a row, so they do not change that ratio.
    2. Saturated pixels of the brighter picture take the darker one's level if that is higher.
    3. Both pictures are multiplied by the same gain: the smaller of the two gains that would bring the median of
       either picture, as given, to GROUND_LEVEL.
    4. A pixel counts if the difference of its contrasts is above a threshold. The threshold is NOISE_SIGMAS robust
       standard deviations of all differences, but at least CHANGED_LEVELS and at most MAX_NOISE_LEVELS.
    """
    first, second = one.level(), other.level()
    scale = np.float32(min(_gain_to_ground(first), _gain_to_ground(second)))
    gain = np.median((second + 0.5) / (first + 0.5), axis=1, keepdims=True)
    first, second = first * np.minimum(gain, 1), second * np.minimum(1 / gain, 1)
    # A saturated pixel was at least as bright as it shows: use the darker row's level there if it is higher.
    first = np.where(one.saturated() & (gain < 1), np.maximum(first, second), first)
    second = np.where(other.saturated() & (gain > 1), np.maximum(first, second), second)
    apart = np.abs(_contrast(first * scale) - _contrast(second * scale))
    noise = NOISE_SIGMAS * 1.48 * float(np.median(apart))
    least = min(max(CHANGED_LEVELS, noise), MAX_NOISE_LEVELS)
    return int(np.count_nonzero(apart > least))


def _gain_to_ground(level: NDArray[np.float32]) -> float:
    """Return the factor that scales the median of (h, w) grey levels to GROUND_LEVEL."""
    return GROUND_LEVEL / max(float(np.median(level)), MIN_MEDIAN_LEVEL)


def _contrast(level: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return each pixel's difference from the mean of the square around it, clipped to +-MAX_CONTRAST_LEVELS."""
    around = cv2.blur(level, (SURROUNDINGS_PX, SURROUNDINGS_PX))
    return np.clip(level - around, -MAX_CONTRAST_LEVELS, MAX_CONTRAST_LEVELS)


@dataclass(frozen=True, slots=True)
class StillnessCriterion:
    """Two functions that define when the tray is at rest; they differ between a fixed and a hand-held camera.

    Attributes:
        moved: Takes a frame and the next one; returns whether anything moved.
        needed_s: Takes the frame in which the tray began to be still, and the present one. Returns how many seconds
            it must be still to be at rest: at least STILL_S; infinite if something moved slowly in between.
    """

    moved: Callable[[Small, Small], bool]
    needed_s: Callable[[Small, Small], float]


FIXED = StillnessCriterion(lambda last, now: changed(last, now) > MOVING_PX, lambda _began, _now: STILL_S)
"""Criterion for a camera fixed over the tray. `vision.watching.handheld` has the one for hand-held cameras."""


def step(
    detector: StillnessDetector, now: Small, at_s: float, criterion: StillnessCriterion = FIXED
) -> tuple[StillnessDetector, Phase]:
    """Return the state of the stillness detection and the tray's phase after the frame `now`, taken at `at_s` seconds.

    - DARK: the frame is dark.
    - MOVING: something moved since the frame before, or that frame was dark: dice may have been thrown unseen. Also if
      `criterion` finds a slow motion since the stillness began.
    - WAITING: the first frame, or still for less than STILL_S or what `criterion` demands.
    - SETTLED: still for long enough, and different from the last rest. Returned once for each rest.
    - RESTING: later frames of a rest, or a rest that looks like the last one.

    >>> detector, still = StillnessDetector(), small_picture(np.full((480, 640, 3), 90, np.uint8))
    >>> for at_s in (0.0, 0.1, 0.5):
    ...     detector, phase = step(detector, still, at_s)
    >>> phase
    <Phase.SETTLED: 'settled'>
    """
    moving = StillnessDetector(last=now, began=now, since_s=at_s, rest=detector.rest)
    if now.dark:
        return moving, Phase.DARK
    if detector.last is None or detector.began is None:
        return moving, Phase.WAITING
    if detector.last.dark or criterion.moved(detector.last, now):
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
