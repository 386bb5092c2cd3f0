"""What differs from the empty tray, shadows aside: a coarse mask in which a die is a dozen pixels.

A shadow keeps the colour of the felt and only dims it, so each pixel is compared with its own empty colour, dimmed as
well as it fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images.scaling import scaled
from vision.reading.reading import FrameBGR

Mask = NDArray[np.uint8]
"""(h, w) 255 where something is, else 0."""
Levels = NDArray[np.float32]

FACE_PX = 16.0
"""Size of a face in the mask."""
DIFFERENT_LEVELS = 13.0
"""Distance in colour from the dimmed felt above which a pixel is a die: black on green has 20, blurred noise 1."""
CLEAR_LEVELS = 30.0
"""The same of what is no shadow and no changed light: beside the dice of six real cameras nothing of it was wider than
0.15 faces, of what is above 13 levels up to 0.6."""
NOISES = 4.0
"""... and at least so many times what the median pixel of the same picture has."""
DIMMED = (0.47, 1.12)
"""How much a shadow, or light thrown back by a die, may change the felt. What is darker is the side of a dark die."""
LIGHT_PX = 64
"""The light is compared in squares of so many pixels: four faces, of which dice seldom fill half."""
SAMPLED = 4
"""Every so many pixels are enough to know the light by."""
LIGHT_FLOOR = 4.0
"""Levels that are added before two lights are compared: of black felt nothing can be told."""
LIGHT_UNEVEN = (0.6, 1.6)
"""How far the light may have changed in one place more than in the others; by more it is something that lies there."""
_SUM = np.ones((1, 3), np.float32)
_NEAR = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
"""Two pixels each way: an eighth of a face."""


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Where the tray is not as it was; pips and glare within a die are filled.

    Attributes:
        any: Where something may lie; hard shadows and changed light among it.
        clear: Where something surely lies; not all of a die of nearly the felt's colour.
    """

    any: Mask
    clear: Mask


@dataclass(frozen=True, slots=True, eq=False)
class EmptyTray:
    """The floor as it is when nothing lies on it.

    Attributes:
        scale: Of the masks, and of what is compared, to the view.
        levels: (h, w, 3) the floor's picture at that scale.
    """

    scale: float
    levels: Levels

    @staticmethod
    def of(view_bgr: FrameBGR, face_px: float, wanted_px: float = FACE_PX) -> EmptyTray:
        """From a view of the floor in which a face has `face_px`; in the masks it has `wanted_px`, or as few."""
        scale = min(1.0, wanted_px / face_px)
        return EmptyTray(scale, shrunk(view_bgr, scale))

    def changes(self, seen: Levels) -> Changes:
        """Where a view that was brought to `scale` differs."""
        off = self._off(seen)
        least = max(DIFFERENT_LEVELS, NOISES * float(np.median(off)))
        return Changes(_mask(off > least), _mask(off > max(least, CLEAR_LEVELS)))

    def knocked(self, seen: Levels, dice: Mask) -> EmptyTray:
        """The same tray as it lies in a view, pushed or turned a little since; in its old place where nothing tells.

        Args:
            seen: The view, brought to `scale`.
            dice: Where dice lie in it, which tell nothing of that.
        """
        was, now = (cv2.cvtColor(one, cv2.COLOR_BGR2GRAY) for one in (self.levels, seen))
        still = np.identity(3, np.float32)[:2]
        try:  # enhanced correlation (Evangelidis and Psarakis 2008): light that rises or falls as a whole is no motion
            _, to_now = cv2.findTransformECC(was, now, still, motionType=cv2.MOTION_EUCLIDEAN, inputMask=~dice)
        except cv2.error:  # a plain ground, or one that has nothing in common with what is seen
            return self
        size_wh = was.shape[1::-1]
        return EmptyTray(self.scale, cv2.warpAffine(self.levels, to_now, size_wh, borderMode=cv2.BORDER_REPLICATE))

    def unchanged(self, seen: Levels, face_xy: Sequence[float], size_px: float) -> bool:
        """Whether the tray is as it was, there or near by, where a face of that size lies in a view: it is printed.

        Of a white die on white paper little more than the pips has changed, but that much. All at `scale`.
        """
        x0, y0 = (max(0, round(at - size_px / 2)) for at in face_xy)
        part = np.s_[y0 : round(face_xy[1] + size_px / 2) + 1, x0 : round(face_xy[0] + size_px / 2) + 1]
        lightest, darkest = cv2.dilate(self.levels[part], _NEAR), cv2.erode(self.levels[part], _NEAR)
        return bool(max((seen[part] - lightest).max(), (darkest - seen[part]).max()) < CLEAR_LEVELS)

    def _gain(self, seen: Levels) -> Levels:
        """(h, w, 3) by how much the light has changed: smoothly over the tray, by medians in which dice are lost."""
        height, width = seen.shape[:2]
        few = np.s_[::SAMPLED, ::SAMPLED]
        ratio = (seen[few] + LIGHT_FLOOR) / (self.levels[few] + LIGHT_FLOOR)
        whole = np.median(ratio.reshape(-1, 3), axis=0)
        parts = [
            np.array_split(row, max(1, round(width / LIGHT_PX)), axis=1)
            for row in np.array_split(ratio, max(1, round(height / LIGHT_PX)), axis=0)
        ]
        grid = np.array([[np.median(part.reshape(-1, 3), axis=0) for part in row] for row in parts])
        grid = np.clip(grid, whole * LIGHT_UNEVEN[0], whole * LIGHT_UNEVEN[1]).astype(np.float32)
        return cv2.resize(grid, (width, height), interpolation=cv2.INTER_LINEAR)

    def _off(self, seen: Levels) -> Levels:
        """(h, w) distance of each pixel from its empty colour e, dimmed as well as it fits.

        The distance of s from d e is the root of s.s - 2 d s.e + d d e.e, which spares most work on three colours.
        """
        gain = self._gain(seen)
        empty = self.levels * gain
        own = cv2.max(cv2.transform(empty * empty, _SUM), 1.0)
        both = cv2.transform(seen * empty, _SUM)
        dimmed = cv2.min(cv2.max(cv2.divide(both, own), DIMMED[0]), DIMMED[1])
        squared = cv2.transform(cv2.multiply(seen, seen), _SUM) + dimmed * (dimmed * own - 2 * both)
        return cv2.sqrt(cv2.max(squared, 0.0))


def shrunk(view_bgr: FrameBGR, scale: float) -> Levels:
    """A view in which little is compared with little: averages take the noise away as a blur would."""
    return scaled(view_bgr, scale).astype(np.float32)


def _mask(different: NDArray[np.bool_]) -> Mask:
    return cv2.morphologyEx(different.astype(np.uint8) * 255, cv2.MORPH_CLOSE, _NEAR)
