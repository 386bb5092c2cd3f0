"""Scales of the two detection passes over the calibrated tray, and the part that the closer one covers."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.geometry.background import Mask
from vision.networks.detector import Detection
from vision.reading.reading import FrameBGR

LIGHT_FACE_PX = 24.0
"""Width in pixels to which a die's face is scaled for the light (small, fast) detector, LIGHT_MODEL.
Larger takes more time, by its square; smaller merges touching dice."""
CLOSE_FACE_PX = 42.0
"""Width of a die's face, in pixels, to which a picture is scaled for the closer pass, which runs while a doubt is left.
Touching dark dice separate there. A larger one takes more time, by its square."""
MARGIN_FACES = 1.5
"""Margin around detections and foreground in the closer pass, as a multiple of a face's width: the network needs the
surroundings of a face. A larger one takes more time."""


def region(
    detections: Sequence[Detection], floor_bgr: FrameBGR, face_px: float, foreground: Mask
) -> tuple[int, int, int, int]:
    """Return left, top, right, bottom of the floor's part that holds all detections' centres and the foreground.

    It reaches MARGIN_FACES faces beyond them. Without either it is the whole floor.
    """
    height, width = floor_bgr.shape[:2]
    x, y, w, h = (np.array(cv2.boundingRect(foreground)) * (width / foreground.shape[1])).tolist()
    corners = [(x, y), (x + w, y + h)] if w else []
    corners += [(detection.x, detection.y) for detection in detections]
    if not corners:
        return 0, 0, width, height
    low, high = np.min(corners, axis=0) - MARGIN_FACES * face_px, np.max(corners, axis=0) + MARGIN_FACES * face_px
    x0, y0, x1, y1 = np.clip((*low, *high), 0, (width, height, width, height)).round().astype(int).tolist()
    return x0, y0, x1, y1
