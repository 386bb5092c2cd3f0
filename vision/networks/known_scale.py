"""Finds faces in a tray, where calibration tells their size: a light look at all of it, closer ones while in doubt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np

from vision.geometry.background import Mask
from vision.networks.detector import Detection, Detector
from vision.networks.multiscale import fused
from vision.reading.reading import FrameBGR

LIGHT_FACE_PX = 24.0
"""Size of a face in the look at the whole floor: dice of the felt's colour are seen there too, touching ones as two."""
CLOSE_FACE_PX = (42.0, 30.0)
"""Sizes of a face in the closer looks, each taken while a doubt is left; at 42 dark dice that touch are told apart."""
MARGIN = 1.5
"""How much of what is round the dice is seen in a closer look, in faces: the network judges by what is round a face."""


def looks(
    floor_bgr: FrameBGR, face_px: float, light: Detector, close: Detector, changed: Mask
) -> Iterator[list[Detection]]:
    """The faces on a tray's floor after each look, surest first; each look makes use of those before it.

    The floor, (h, w, 3), has square pixels, a face in it `face_px`, right within a third. `light` looks at all of it,
    `close` again where something lies, or may have `changed`: in a mask of the floor, as coarse as it likes to be.
    """
    found = light.detect(floor_bgr, LIGHT_FACE_PX / face_px)
    yield found
    x0, y0, x1, y1 = _around(found, floor_bgr, face_px, changed)
    part_bgr, seen = floor_bgr[y0:y1, x0:x1], dict[float, list[Detection]]()
    for scale in (size_px / face_px for size_px in CLOSE_FACE_PX):
        seen[scale] = [replace(one, x=one.x + x0, y=one.y + y0) for one in close.detect(part_bgr, scale)]
        yield fused(seen)


def _around(found: list[Detection], floor_bgr: FrameBGR, face_px: float, changed: Mask) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the part in which anything lies."""
    height, width = floor_bgr.shape[:2]
    x, y, w, h = (np.array(cv2.boundingRect(changed)) * (width / changed.shape[1])).tolist()
    corners = [(x, y), (x + w, y + h)] if w else []
    corners += [(one.x, one.y) for one in found]
    if not corners:
        return 0, 0, width, height
    low, high = np.min(corners, axis=0) - MARGIN * face_px, np.max(corners, axis=0) + MARGIN * face_px
    x0, y0, x1, y1 = np.clip((*low, *high), 0, (width, height, width, height)).round().astype(int).tolist()
    return x0, y0, x1, y1
