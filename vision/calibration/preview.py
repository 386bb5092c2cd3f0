"""Draws the state of a calibration over a frame: markers, zones and advice."""

from __future__ import annotations

import cv2
import numpy as np

from vision.calibration.solving import Plan, SheetView, zones
from vision.geometry.rig import projected
from vision.reading.reading import FrameBGR

MARKER_BGR, ZONE_BGR, WORDS_BGR = (127, 208, 53), (71, 179, 255), (255, 255, 255)
"""Colours in the preview of the outlines of markers and of zones, and of the advice's words: blue, green, red, 0 to
255."""
FONT = cv2.FONT_HERSHEY_DUPLEX


def drawn(frame_bgr: FrameBGR, view: SheetView, plan: Plan) -> FrameBGR:
    """Return a copy of a frame with a detection of the calibration sheet drawn on it.

    The drawing shows the outlines of the markers and the advice in `view`. If `view` has a pose, the zones of the tray
    in `plan` are drawn, too.
    """
    picture = frame_bgr.copy()
    thick = max(2, picture.shape[1] // 400)
    for marker in view.markers:
        cv2.polylines(picture, [marker.corners_px.round().astype(np.int32)], True, MARKER_BGR, thick, cv2.LINE_AA)
    if view.floor_to_px is not None:
        for zone in zones(plan):
            outline = projected(zone.corners_mm, view.floor_to_px)
            cv2.polylines(picture, [outline.round().astype(np.int32)], True, ZONE_BGR, thick, cv2.LINE_AA)
    scale = picture.shape[1] / 1800
    for line, advice in enumerate(view.advice, 1):
        at = (10 * thick, round(45 * scale * line) + 10)
        cv2.putText(picture, advice.says, at, FONT, scale, (0, 0, 0), 3 * thick, cv2.LINE_AA)
        cv2.putText(picture, advice.says, at, FONT, scale, WORDS_BGR, max(1, thick // 2), cv2.LINE_AA)
    return picture
