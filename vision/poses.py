"""Where a die lies, from its silhouette alone: the place and turn whose outline fills it best."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find import Mask, cube_outline
from vision.tray import Rig

Floats = NDArray[np.float64]

STEPS_EDGES = (0.12, 0.04)
"""Steps of the search in edges, coarse and fine; each looks two steps to every side."""
STEPS_DEG = (9.0, 3.0)


def inside(outline: Floats, mask: Mask) -> float:
    """Part of the outline's area that the mask covers; what lies outside the picture is not covered."""
    filled = np.zeros(mask.shape, np.uint8)
    cv2.fillConvexPoly(filled, (outline * 16).round().astype(np.int32), 255, cv2.LINE_8, 4)
    area = cv2.contourArea(outline.astype(np.float32))
    return cv2.countNonZero(cv2.bitwise_and(filled, mask)) / max(area, 1.0)


def pose_of(piece: Mask, rig: Rig, at_xy: tuple[int, int]) -> tuple[tuple[float, float], float]:
    """Centre of the upper face in the frame's pixels, and turn in radians, of the die that fills a piece best.

    Args:
        piece: (h, w) 255 where the piece of a silhouette is.
        rig: The calibration.
        at_xy: Where the upper left corner of `piece` lies in the frame.
    """
    moments = cv2.moments(piece, binaryImage=True)
    middle = np.array([moments["m10"], moments["m01"]]) / max(moments["m00"], 1.0) + at_xy
    # The silhouette's middle lies nearer to the lens than that of the upper face.
    first = middle - (cube_outline(rig, (float(middle[0]), float(middle[1])), 0.0).mean(0) - middle)
    best = (-1.0, float(first[0]), float(first[1]), 0.0)
    turns = np.arange(0.0, 90.0, STEPS_DEG[0])
    for step, turn_step in zip(STEPS_EDGES, STEPS_DEG, strict=True):
        _, x, y, _ = best
        reach = np.arange(-2, 3) * step * rig.die_px
        tried = [(x + dx, y + dy, np.radians(t)) for dx, dy, t in product(reach, reach, turns)]
        best = max((inside(cube_outline(rig, (a, b), t) - at_xy, piece), a, b, float(t)) for a, b, t in tried)
        turns = np.degrees(best[3]) + np.arange(-2, 3) * turn_step
    return (best[1], best[2]), best[3] % (np.pi / 2)
