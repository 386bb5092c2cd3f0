"""Shrinks pictures without losing pips: repeated halving, then bilinear interpolation. Faster than INTER_AREA alone."""

from __future__ import annotations

import cv2

from vision.reading.reading import FrameBGR


def halved(picture_bgr: FrameBGR, scale: float) -> tuple[FrameBGR, float]:
    """Halve a picture until its size is less than twice the wanted one; return it with the scale that remains.

    `scale` is the wanted size relative to the picture's. Each halving averages areas of about 2 x 2 pixels. The scale
    that remains is above 0.5, so that bilinear interpolation by it skips no pixel. Only a picture with a side of 1
    pixel is not halved further.
    """
    while scale <= 0.5 and min(picture_bgr.shape[:2]) > 1:
        picture_bgr = cv2.resize(picture_bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        scale *= 2
    return picture_bgr, scale


def padded(picture_bgr: FrameBGR, multiple_px: int) -> FrameBGR:
    """Pad a picture with black at the right and bottom, to sides that are multiples of `multiple_px`."""
    height, width = picture_bgr.shape[:2]
    border = 0, -height % multiple_px, 0, -width % multiple_px
    return cv2.copyMakeBorder(picture_bgr, *border, cv2.BORDER_CONSTANT)


def scaled(picture_bgr: FrameBGR, scale: float) -> FrameBGR:
    """Return a picture resized by a factor, by halving and bilinear interpolation; at least 1 x 1 pixel."""
    size_wh = [max(1, round(side * scale)) for side in picture_bgr.shape[1::-1]]
    return cv2.resize(halved(picture_bgr, scale)[0], size_wh, interpolation=cv2.INTER_LINEAR)
