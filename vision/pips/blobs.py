"""Pips: small round spots that differ from the face around them, darker or lighter, in whatever colour differs most."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import FrameBGR

Floats = NDArray[np.float64]

BACKGROUND_EDGES = 0.46
"""Window of the median that stands for the face without pips, in edges: even on a six, they fill under half of it."""
LEAST_CONTRAST = 18.0
"""Levels; below it, speckles and noise look like pips."""
PARTS_OF_BEST = (0.42, 0.58, 0.75)
"""A pip has at least this part of the contrast of the strongest ones (shaded drilled pips have half). The higher levels
cut pips free of the corner of a face beside them."""
RADIUS_EDGES = (0.048, 0.19)
"""Radius of a pip in edges, least and greatest: 0.08 to 0.11 on common dice, 0.17 for a large one."""
LONGEST = 1.75
"""Longer axis over shorter; the pips of a side face are squashed more than this as soon as it is seen obliquely."""
FILLED = 0.68
"""Part of its ellipse that a pip fills; the bent edge between two faces fills less."""


def pips(crop_bgr: FrameBGR, edge_px: float) -> Floats:
    """(n, 3) centre x, y and radius in pixels of what may be pips in a picture of dice.

    Args:
        crop_bgr: Picture of one or more dice.
        edge_px: Edge of a face; 16 or more is needed to tell pips.
    """
    contrast = _contrast(crop_bgr, max(3, round(BACKGROUND_EDGES * edge_px) | 1))
    seen = contrast[contrast > LEAST_CONTRAST]
    if seen.size == 0:
        return np.empty((0, 3))
    best = float(np.percentile(seen, 92))
    found: list[tuple[float, float, float]] = []
    for part in PARTS_OF_BEST:
        _, spots = cv2.threshold(contrast, max(LEAST_CONTRAST, part * best), 255, cv2.THRESH_BINARY)
        found += [spot for spot in _round_spots(spots, edge_px) if not _known(spot, found)]
    return np.array(found).reshape(-1, 3)


def _contrast(crop_bgr: FrameBGR, window_px: int) -> NDArray[np.uint8]:
    """(h, w) greatest difference over the colours of each pixel from the median of its surroundings."""
    blue, green, red = cv2.split(cv2.absdiff(crop_bgr, cv2.medianBlur(crop_bgr, window_px)))
    return cv2.max(cv2.max(blue, green), red)


def _known(spot: tuple[float, float, float], found: list[tuple[float, float, float]]) -> bool:
    return any(math.hypot(spot[0] - x, spot[1] - y) < radius for x, y, radius in found)


def _round_spots(spots: NDArray[np.uint8], edge_px: float) -> list[tuple[float, float, float]]:
    outlines, _ = cv2.findContours(spots, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return [spot for outline in outlines if (spot := _spot(outline, edge_px)) is not None]


def _spot(outline: NDArray[np.int32], edge_px: float) -> tuple[float, float, float] | None:
    """Centre and radius of an outline that is round enough for a pip."""
    if len(outline) < 5:
        return None
    # A contour runs through the middles of its pixels: half a pixel is missing all around.
    area = cv2.contourArea(outline) + len(outline) / 2
    radius = float(np.sqrt(area / np.pi))
    if not RADIUS_EDGES[0] * edge_px <= radius <= RADIUS_EDGES[1] * edge_px:
        return None
    (x, y), (width, height), _ = cv2.minAreaRect(outline)
    width, height = width + 1, height + 1
    if max(width, height) > LONGEST * min(width, height):
        return None
    if area < FILLED * np.pi / 4 * width * height:
        return None
    return float(x), float(y), radius
