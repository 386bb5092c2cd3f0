"""The detector: a small fully convolutional network that marks the middle of each upper face on a map per value.

Centre-point detection (Zhou, Wang & Krähenbühl, Objects as Points, 2019): nine maps at an eighth of the picture's size:
six of how surely the middle of a face of value 1 to 6 lies there, one of its size, two of where in the cell it lies. It
knows dice of a limited range of sizes: a photo is looked at in several scales (`vision.networks.multiscale`),
a tray at the scale that its calibration tells (`vision.networks.known_scale`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images.scaling import scaled
from vision.networks.network import Network
from vision.reading.reading import FrameBGR

Maps = NDArray[np.float32]
Scores = NDArray[np.float32]

MODEL = Path(__file__).parent.parent / "models" / "centres.onnx"
GLANCE = MODEL.with_name("glance.onnx")
"""A light network with the same maps."""
STRIDE = 8
DICE_PX = 40.0
"""Size of a face, in pixels, that the network says sizes by; it knows 15 to 58."""
PADDED = 32
"""Sizes are filled up to a multiple of this, so that few different shapes are ever planned for."""
HALO = 112
"""Pixels round a cell of the maps on which it depends: half the receptive field, 105, in whole cells."""
TILE = 48
"""OpenCV's convolutions work in tiles of 6 x 6 cells, so many pixels: a part of a picture that begins with one is told
the same within 1.3e-5, others within 2.7e-5, and a confidence of 0.5227 became 0.5221."""
MOST_PX = 800_000
"""A larger picture is shown half by half. Whole, a photo's closest look at 1152 x 864 px took 103 MB instead of 61; the
halves cost a tenth of the time of all looks at a photo, and nothing where it or a tray is read without that one."""
LEAST_SCORE = 0.08
"""Peaks below it are left out, and so are faces whose mean over several scales is: they are no candidates."""
SAME_PLACE = 0.33
"""Two detections nearer than this part of the sum of their sizes are one die."""
SAME_SIZE = 0.35
"""Detections in two scales are of one face whose sizes differ by less than this, as a logarithm."""


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """A face that the detector found: middle and size in pixels of the picture, and (6,) scores of its values."""

    x: float
    y: float
    size_px: float
    scores: Scores

    @property
    def place(self) -> tuple[float, float, float]:
        """Its middle x, y and its size, in pixels."""
        return self.x, self.y, self.size_px

    @property
    def score(self) -> float:
        """How sure the detector is of its best value, 0 to 1."""
        return float(self.scores.max())

    @property
    def value(self) -> int | None:
        """Its best value; None where all values score the same: of what a light detector found."""
        return int(self.scores.argmax()) + 1 if np.ptp(self.scores) else None


class Detector:
    """The network; a light one names no values. Not to be used from two threads at a time."""

    def __init__(self, model: Path = MODEL, *, names: bool = True) -> None:
        self.network, self._names = Network(model), names

    def detect(self, picture_bgr: FrameBGR, scale: float) -> list[Detection]:
        """Faces found when the whole picture is looked at in that scale, surest first; in the picture's own pixels."""
        if min(picture_bgr.shape[:2]) * scale < 1:
            return []  # a strip so thin that nothing is left of it in that scale
        shown = scaled(picture_bgr, scale)
        height, width = shown.shape[:2]
        shown = cv2.copyMakeBorder(shown, 0, -height % PADDED, 0, -width % PADDED, cv2.BORDER_CONSTANT)
        maps = self._maps(shown)
        if not self._names:
            maps[:6] = maps[:6].max(0)
        return non_max_suppression(list(_peaks(maps, scale)))

    def _maps(self, shown_bgr: FrameBGR) -> Maps:
        """(9, h/8, w/8) of a picture, its sides multiples of 8; its halves overlap, and say what the whole would."""
        height, width = shown_bgr.shape[:2]
        if height * width <= MOST_PX:
            return self.network.forward([shown_bgr])[0]
        axis, start = int(width > height), (max(height, width) // 2 - HALO) // TILE * TILE
        first, last = np.split(shown_bgr, [-start], axis)[0], np.split(shown_bgr, [start], axis)[1]
        self.network.release()  # what smaller pictures took would leave holes that are of no use to this one
        before = np.split(self._maps(first), [(start + HALO) // STRIDE], axis + 1)[0]
        after = np.split(self._maps(last), [HALO // STRIDE], axis + 1)[1]
        return np.concatenate([before, after], axis + 1)


def non_max_suppression(detections: Sequence[Detection]) -> list[Detection]:
    """The detections without those that lie on a surer one; surest first."""
    kept: list[Detection] = []
    for one in sorted(detections, key=lambda one: -one.score):
        if not any(same_place(one, other) for other in kept):
            kept.append(one)
    return kept


def same_place(one: Detection, other: Detection) -> bool:
    """Whether two detections are of one die."""
    return math.hypot(one.x - other.x, one.y - other.y) < SAME_PLACE * (one.size_px + other.size_px)


def _peaks(maps: Maps, scale: float) -> Iterator[Detection]:
    """What (9, h/8, w/8) maps mark, in pixels of a picture that was shown in that scale."""
    best = maps[:6].max(0)
    peaks = (best == cv2.dilate(best, np.ones((3, 3), np.uint8))) & (best > LEAST_SCORE)
    for row, column in zip(*np.nonzero(peaks), strict=True):
        size = DICE_PX * math.exp(float(np.clip(maps[6, row, column], -1, 1)))
        x, y = float(column + 0.5 + maps[7, row, column]), float(row + 0.5 + maps[8, row, column])
        yield Detection(x * STRIDE / scale, y * STRIDE / scale, size / scale, maps[:6, row, column].copy())
