"""Detection passes over the calibrated tray, where the face size is known: one light pass, then a closer one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np

from vision.geometry.background import Mask
from vision.networks.detector import Detection, Detector
from vision.reading.reading import FrameBGR

LIGHT_FACE_PX = 24.0
"""Face size at which the light detector is shown a picture, in pixels: large enough to separate touching dice. The time
grows with its square."""
CLOSE_FACE_PX = 42.0
"""Face size in the closer pass, in pixels, which is run while a doubt is left: touching dark dice separate there."""
MARGIN_FACES = 1.5
"""Margin around the dice in the closer pass, in faces: the network needs the surroundings of a face. A larger one takes
more time."""


def passes(
    floor_bgr: FrameBGR, face_px: float, light: Detector, close: Detector, foreground: Mask
) -> Iterator[list[Detection]]:
    """Yield the detections after each pass, best first, in pixels of the floor.

    The first pass runs `light` over the whole floor, the second one `close` around its detections and the foreground.

    Args:
        floor_bgr: (h, w, 3) the floor with square pixels.
        face_px: Size of a face in it, in pixels; an error of a third is tolerated.
        light: Light detector without values.
        close: Full detector.
        foreground: Mask of possible foreground, with the floor's aspect ratio; may have fewer pixels.
    """
    detections = light.detect(floor_bgr, LIGHT_FACE_PX / face_px)
    yield detections
    x0, y0, x1, y1 = _region(detections, floor_bgr, face_px, foreground)
    closer = close.detect(floor_bgr[y0:y1, x0:x1], CLOSE_FACE_PX / face_px)
    yield [replace(detection, x=detection.x + x0, y=detection.y + y0) for detection in closer]


def _region(
    detections: list[Detection], floor_bgr: FrameBGR, face_px: float, foreground: Mask
) -> tuple[int, int, int, int]:
    """Return the part of the floor, in its pixels, that holds all detections and foreground and MARGIN_FACES around.

    Args:
        detections: Detections in pixels of the floor.
        floor_bgr: (h, w, 3) the floor.
        face_px: Size of a face in it, in pixels.
        foreground: Mask of the foreground, with the floor's aspect ratio; may have fewer pixels.

    Returns:
        Left, top, right, bottom; the whole floor if there are neither detections nor foreground.
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
