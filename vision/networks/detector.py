"""The network: a small fully convolutional one that marks the middle of each upper face on a map per value.

Centre-point detection (Zhou, Wang & Krähenbühl, Objects as Points, 2019): nine maps at an eighth of the picture's size:
six of how surely the middle of a face of value 1 to 6 lies there, one of its size, two of where in the cell it lies. It
knows dice of a limited range of sizes, so a picture of unknown scale is looked at in several
(see `vision.networks.multiscale`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import SetupError
from vision.reading import FrameBGR

Maps = NDArray[np.float32]
Scores = NDArray[np.float32]

MODEL = Path(__file__).parent.parent / "models" / "centres.onnx"
STRIDE = 8
DICE_PX = 40.0
"""Size of a face, in pixels, that the network says sizes by; it knows 15 to 58."""
PADDED = 32
"""Sizes are filled up to a multiple of this, so that few different shapes are ever planned for."""
LEAST_SCORE = 0.08
SAME_PLACE = 0.33
"""Two marks nearer than this part of the sum of their sizes are one die."""


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """A face that the network marked: middle and size in pixels of the picture, and (6,) scores of its values."""

    x: float
    y: float
    size_px: float
    scores: Scores

    @property
    def score(self) -> float:
        """How sure the network is of its best value, 0 to 1."""
        return float(self.scores.max())

    @property
    def value(self) -> int:
        """Its best value."""
        return int(self.scores.argmax()) + 1


class Network:
    """The network, loaded once; not to be used from two threads at a time."""

    def __init__(self, model: Path = MODEL) -> None:
        self._net = loaded(model)

    def maps(self, picture_bgr: FrameBGR) -> Maps:
        """(9, h/8, w/8) maps of a picture, as described above."""
        height, width = picture_bgr.shape[:2]
        padded = cv2.copyMakeBorder(picture_bgr, 0, -height % PADDED, 0, -width % PADDED, cv2.BORDER_CONSTANT)
        blob = cv2.dnn.blobFromImage(padded, 1 / 127.5, mean=(127.5, 127.5, 127.5))
        self._net.setInput(blob)
        return self._net.forward()[0]

    def marks(self, picture_bgr: FrameBGR, scale: float) -> list[Mark]:
        """Faces marked in the picture when it is looked at in that scale; places in the picture's own pixels."""
        if min(picture_bgr.shape[:2]) * scale < 1:
            return []  # a strip so thin that nothing is left of it in that scale
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        looked_at = picture_bgr if scale == 1 else cv2.resize(picture_bgr, None, fx=scale, fy=scale, interpolation=way)
        maps = self.maps(looked_at)
        best = maps[:6].max(0)
        peaks = (best == cv2.dilate(best, np.ones((3, 3), np.uint8))) & (best > LEAST_SCORE)
        found = [_mark(maps, int(row), int(column), scale) for row, column in zip(*np.nonzero(peaks), strict=True)]
        return apart(found)


def loaded(model: Path) -> cv2.dnn.Net:
    """A network from its ONNX file; SetupError without it."""
    if not model.exists():
        card = f"vision/models/{model.stem}.md"
        says = f"The network {model.name} is missing; install Peg & Pip again, or train it anew: see {card}."
        raise SetupError([says])
    return cv2.dnn.readNetFromONNX(str(model))


@cache
def shipped() -> Network:
    """The network that is shipped, loaded at the first call."""
    return Network()


def _mark(maps: Maps, row: int, column: int, scale: float) -> Mark:
    size = DICE_PX * math.exp(float(np.clip(maps[6, row, column], -1, 1)))
    x = (column + 0.5 + float(maps[7, row, column])) * STRIDE
    y = (row + 0.5 + float(maps[8, row, column])) * STRIDE
    return Mark(x / scale, y / scale, size / scale, maps[:6, row, column].copy())


def apart(marks: Sequence[Mark]) -> list[Mark]:
    """The marks without those that lie on a surer one; surest first."""
    kept: list[Mark] = []
    for mark in sorted(marks, key=lambda one: -one.score):
        if not any(same_place(mark, other) for other in kept):
            kept.append(mark)
    return kept


def same_place(one: Mark, other: Mark) -> bool:
    """Whether two marks are of one die."""
    return math.hypot(one.x - other.x, one.y - other.y) < SAME_PLACE * (one.size_px + other.size_px)
