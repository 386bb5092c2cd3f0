"""From a frame to a reading: with a rig by geometry and pips, without one by the network, checked by the pips.

Two readers that know nothing of each other must agree before a value is trusted. In the rig these are the canonical
layouts and the outline that a whole die must have; in a free picture the network and the layouts.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision import network
from vision.detect import detected
from vision.layouts import Fit, fits
from vision.network import Mark, Network
from vision.pips import pips
from vision.reading import Die, FrameBGR, Reader, Reading
from vision.rig_reader import RigReader
from vision.tray import Rig

LEAST_SCORE = 0.40
"""A mark below it is never trusted (chosen on photos apart from those it is measured on)."""
LEAST_LEAD = 2.0
"""A trusted mark's best value scores at least so many times its second."""
EDGE_PX = 64
"""Size to which a face is brought before its pips are looked for: a pip is then 12 px."""
AROUND = 0.95
"""Half of the square that is cut out round a mark, in sizes of its face."""
OFF_MIDDLE = 0.30
"""How far, in sizes, the middle of the pips' face may be from the network's mark."""
SIZE_UNSURE = 1.45
"""The network's size is right within this factor."""


def open_reader(rig: Rig | None = None) -> Reader:
    """The reader for a calibrated tray, or for pictures of any scale when there is no rig. Raises SetupError."""
    return FreeReader(network.shipped()) if rig is None else RigReader(rig)


class FreeReader:
    """Reads pictures of unknown scale: found and read by the network, read again by the pips."""

    def __init__(self, net: Network) -> None:
        self._network = net

    def read(self, frame_bgr: FrameBGR, expect: int | None = None) -> Reading:
        """Read a picture. Doubts: `count`, `unread` (no value is sure), `disagree` (the readers differ), `cut_off`."""
        marks = detected(frame_bgr, self._network, expect)
        dice = tuple(sorted((_die(mark, frame_bgr.shape) for mark in marks), key=lambda die: die.box_xywh))
        return Reading(dice, self._doubt(frame_bgr, marks, expect))

    def _doubt(self, frame_bgr: FrameBGR, marks: list[Mark], expect: int | None) -> str | None:
        if not marks or (expect is not None and len(marks) != expect):
            return "count"
        if any(not _sure(mark) for mark in marks):
            return "unread"
        if any(_cut_off(mark, frame_bgr.shape) for mark in marks):
            return "cut_off"
        if any(value_by_pips(frame_bgr, mark) != mark.value for mark in marks):
            return "disagree"
        return None


def value_by_pips(frame_bgr: FrameBGR, mark: Mark) -> int | None:
    """The value that the pips round a mark show by their layout, or None when they show none."""
    scale = EDGE_PX / mark.size_px
    half = AROUND * mark.size_px
    x0, y0 = max(0, int(mark.x - half)), max(0, int(mark.y - half))
    crop = frame_bgr[y0 : int(mark.y + half) + 1, x0 : int(mark.x + half) + 1]
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    face = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=way)
    middle = np.array([mark.x - x0, mark.y - y0]) * scale
    return next((fit.value for fit in fits(pips(face, EDGE_PX), EDGE_PX, SIZE_UNSURE) if _central(fit, middle)), None)


def _central(fit: Fit, middle: np.typing.NDArray[np.float64]) -> bool:
    return float(np.hypot(*(np.array(fit.centre_xy) - middle))) < OFF_MIDDLE * EDGE_PX


def _sure(mark: Mark) -> bool:
    second, best = np.sort(mark.scores)[-2:]
    return bool(best >= LEAST_SCORE and best >= LEAST_LEAD * second)


def _cut_off(mark: Mark, shape: tuple[int, ...]) -> bool:
    half = mark.size_px * 0.4
    return mark.x < half or mark.y < half or mark.x > shape[1] - half or mark.y > shape[0] - half


def _die(mark: Mark, shape: tuple[int, ...]) -> Die:
    half = mark.size_px / 2
    x0, y0 = max(0, round(mark.x - half)), max(0, round(mark.y - half))
    x1, y1 = min(shape[1], round(mark.x + half)), min(shape[0], round(mark.y + half))
    return Die(mark.value, (x0, y0, max(1, x1 - x0), max(1, y1 - y0)), round(min(1.0, mark.score), 3))
