"""Where a die lies, from its silhouette alone: the place and turn whose outline fills it best."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.background import Mask, cube_outline, cube_outlines
from vision.geometry.rig import Rig

Floats = NDArray[np.float64]
Pose = tuple[float, float, float]
"""Middle x, y of the upper face in the frame's pixels, and its turn in radians."""

STEPS_EDGES = (0.12, 0.04)
"""Steps of the search in edges, coarse and fine; each looks two steps to every side."""
STEPS_DEG = (9.0, 3.0)


def upper_face(pose: Pose, edge_px: float) -> NDArray[np.float32]:
    """(4, 2) corners of the upper face of a die that lies so."""
    x, y, turn = pose
    return cv2.boxPoints(((x, y), (edge_px, edge_px), float(np.degrees(turn))))


def inside(outline: Floats, mask: Mask) -> float:
    """Part of the outline's area that the mask covers; what lies outside the picture is not covered."""
    return covered(outline, mask)[0]


def covered(outline: Floats, *masks: Mask) -> list[float]:
    """`inside` for several masks of one size."""
    low = np.maximum(np.floor(outline.min(0)).astype(int) - 1, 0)
    high = np.maximum(np.ceil(outline.max(0)).astype(int) + 2, 0)
    parts = [mask[low[1] : high[1], low[0] : high[0]] for mask in masks]
    if parts[0].size == 0:
        return [0.0] * len(masks)
    filled = np.zeros(parts[0].shape, np.uint8)
    cv2.fillConvexPoly(filled, ((outline - low) * 16).round().astype(np.int32), 255, cv2.LINE_8, 4)
    area = max(cv2.contourArea(outline.astype(np.float32)), 1.0)
    return [cv2.countNonZero(cv2.bitwise_and(filled, part)) / area for part in parts]


def pose_of(piece: Mask, rig: Rig, at_xy: tuple[int, int]) -> Pose:
    """The pose of the die that fills a piece best.

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
        tried = [(x + dx, y + dy, float(np.radians(t))) for dx, dy, t in product(reach, reach, turns)]
        outlines = cube_outlines(rig, tried)
        best = max((inside(each - at_xy, piece), *pose) for each, pose in zip(outlines, tried, strict=True))
        turns = np.degrees(best[3]) + np.arange(-2, 3) * turn_step
    return best[1], best[2], best[3] % (np.pi / 2)
