"""Detector: a small fully convolutional network that marks the centre of each upper face.

Centre-point detection (Zhou, Wang and Krähenbühl, "Objects as Points", 2019). It outputs nine maps at 1/8 of the
picture's size: six heat maps for the values 1 to 6, one for the face size and two for the offset within a cell.
It knows faces of a limited range of sizes. So a photo is searched at several scales (`vision.networks.multiscale`)
and a tray at the scale that its calibration gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images.scaling import padded, scaled
from vision.networks.network import Network
from vision.reading.reading import FrameBGR

Maps = NDArray[np.float32]
"""(9, h/8, w/8) output of a detector."""
Scores = NDArray[np.float32]
"""(6,) score of each value, 0 to 1."""

MODEL = Path(__file__).parent.parent / "models" / "centres.onnx"
"""The full detector's ONNX file."""
LIGHT_MODEL = MODEL.with_name("glance.onnx")
"""ONNX file of the small detector for every tray picture, with the full one's outputs, but about five times as fast."""
LIGHT_FACE_PX = 24.0
"""Width in pixels to which a face is scaled for LIGHT_MODEL. Larger: slower, by its square; smaller: faces merge."""
STRIDE = 8
"""Width, in pixels of the input, of one cell of the output maps. The network's architecture fixes it."""
REFERENCE_FACE_PX = 40.0
"""Face size, in pixels, for which the size map is 0; training fixes it. Twice as much would double all detected sizes.
The network knows faces of 15 to 58 px."""
INPUT_MULTIPLE_PX = 16
"""Sides of the input are padded to a multiple of this many pixels, and large pictures are cut at such multiples: the
dilated convolutions need an even number of cells on each side. A larger one pads more, which takes more time."""
HALO_PX = 112
"""Pixels by which each half of a split picture reaches beyond the cut: a multiple of INPUT_MULTIPLE_PX. As half the
receptive field, they leave the network's output maps unchanged. More takes time; less gives wrong detections near the
cut."""

MAX_FORWARD_PX = 260_000
"""Largest picture, width times height in pixels, that the network is run on in one piece. A larger one is halved until
the pieces fit, to bound the memory of a forward pass. A higher limit takes more memory."""
MIN_SCORE = 0.08
"""Score, 0 to 1, above which a peak of the detector's heat maps is a detection. Higher: faint faces are missed. Lower:
more false peaks, which cost time."""
NMS_DISTANCE = 0.33
"""Distance of two detections' centres, as a share of the sum of their sizes, below which they are one die: the weaker
is dropped, and predictions of several passes are merged. Dice that touch are half that sum apart: near 0.5 they merge.
Smaller: one die is found twice."""


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """A detected face.

    Attributes:
        x: Centre, in pixels of the picture.
        y: Centre, in pixels of the picture.
        size_px: Size of the face, in pixels of the picture.
        scores: (6,) score of each value.
    """

    x: float
    y: float
    size_px: float
    scores: Scores

    @property
    def place(self) -> tuple[float, float, float]:
        """Centre x, y and size of the detected face, in pixels of the picture."""
        return self.x, self.y, self.size_px

    @property
    def score(self) -> float:
        """Detector's score of the best value, 0 to 1. It ranks detections of dice."""
        return float(self.scores.max())

    @property
    def value(self) -> int | None:
        """The best value, 1 to 6; None if all score the same, as a detector without values gives them."""
        return int(self.scores.argmax()) + 1 if np.ptp(self.scores) else None


class Detector:
    """A detector network. One thread at a time may use it.

    Args:
        model: Its ONNX file.
        with_values: Whether its detections distinguish the values. If not, all six scores of a detection are equal:
            the light network is trained to find faces only.
    """

    def __init__(self, model: Path = MODEL, *, with_values: bool = True) -> None:
        self.network, self._with_values = Network(model, whole_pictures=True), with_values

    def detect(self, picture_bgr: FrameBGR, scale: float) -> list[Detection]:
        """Detect the upper faces of dice in a picture; the network sees it scaled by the factor `scale`.

        Detections are in pixels of the unscaled picture, highest score first, after non-maximum suppression. Empty if
        there are none, or if less than a pixel of the picture's shorter side is left at that scale.
        """
        if min(picture_bgr.shape[:2]) * scale < 1:
            return []  # a strip so thin that no pixel is left at that scale
        maps = self._maps(padded(scaled(picture_bgr, scale), INPUT_MULTIPLE_PX))
        if not self._with_values:
            maps[:6] = maps[:6].max(0)
        return non_max_suppression(list(_peaks(maps, scale)))

    def _maps(self, shown_bgr: FrameBGR) -> Maps:
        """Return the detector's (9, h/8, w/8) output maps for an (h, w, 3) picture whose sides are multiples of 16.

        A picture of more than MAX_FORWARD_PX pixels is run in overlapping halves, which are halved again where needed.
        """
        height, width = shown_bgr.shape[:2]
        if height * width <= MAX_FORWARD_PX:
            return self.network.forward([shown_bgr])[0]
        axis, middle = int(width > height), max(height, width) // 2 // INPUT_MULTIPLE_PX * INPUT_MULTIPLE_PX
        first = self._maps(np.split(shown_bgr, [middle + HALO_PX], axis)[0])
        last = self._maps(np.split(shown_bgr, [middle - HALO_PX], axis)[1])
        cell, halo = middle // STRIDE, HALO_PX // STRIDE
        return np.concatenate([np.split(first, [cell], axis + 1)[0], np.split(last, [halo], axis + 1)[1]], axis + 1)


def non_max_suppression(detections: Sequence[Detection]) -> list[Detection]:
    """Return the detections, best first; drop each at the same place as a better, kept detection (`same_place`)."""
    kept: list[Detection] = []
    for detection in sorted(detections, key=lambda detection: -detection.score):
        if not any(same_place(detection, other) for other in kept):
            kept.append(detection)
    return kept


def same_place(first: Detection, second: Detection) -> bool:
    """Return whether the centres of two detections are nearer than NMS_DISTANCE times the sum of their sizes."""
    return math.hypot(first.x - second.x, first.y - second.y) < NMS_DISTANCE * (first.size_px + second.size_px)


def _peaks(maps: Maps, scale: float) -> Iterator[Detection]:
    """Yield a detection, in pixels of the unscaled picture, for each local maximum of the scores above MIN_SCORE.

    A cell's score is the greatest of its six heat maps, so a face is found once, whatever its value. Each detection has
    the scores of all six values. `scale` is the factor by which the picture was scaled.
    """
    best = maps[:6].max(0)
    peaks = (best == cv2.dilate(best, np.ones((3, 3), np.uint8))) & (best > MIN_SCORE)
    for row, column in zip(*np.nonzero(peaks), strict=True):
        size = REFERENCE_FACE_PX * math.exp(float(np.clip(maps[6, row, column], -1, 1)))
        x, y = float(column + 0.5 + maps[7, row, column]), float(row + 0.5 + maps[8, row, column])
        yield Detection(x * STRIDE / scale, y * STRIDE / scale, size / scale, maps[:6, row, column].copy())
