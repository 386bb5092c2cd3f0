"""The simple pipeline to compare readers with: OpenCV's blob detector, and nearby blobs counted as one die."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from vision.reading.reading import FrameBGR

BLUR_PX = 3
"""Side of the Gaussian kernel that smooths noise, in pixels; odd. A wider one merges small pips."""
MAX_PIP_DISTANCE = 3.6
"""Largest distance between neighbouring pips of one die, in pip diameters. Larger: joins touching dice; smaller: splits
dice."""


def detector() -> Any:
    """Return OpenCV's detector of dark round blobs, with the parameters that most tutorials use."""
    wanted = cv2.SimpleBlobDetector_Params()  # type: ignore[attr-defined]
    wanted.filterByArea, wanted.minArea, wanted.maxArea = True, 20.0, 1500.0
    wanted.filterByCircularity, wanted.minCircularity = True, 0.6
    wanted.filterByInertia, wanted.minInertiaRatio = True, 0.5
    return cv2.SimpleBlobDetector_create(wanted)  # type: ignore[attr-defined]


def read(frame_bgr: FrameBGR, blobs: Any) -> list[int]:
    """Return the sorted pip counts of the dice in a picture, (h, w, 3) uint8, by blob detection alone.

    Pips may be dark or light. `blobs` is the detector that `detector` returns.
    """
    grey = cv2.GaussianBlur(cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY), (BLUR_PX, BLUR_PX), 0)
    return sorted(size for picture in (grey, 255 - grey) for size in _clusters(blobs.detect(picture)))


def _clusters(points: Sequence[Any]) -> list[int]:
    """Group OpenCV's keypoints into clusters of neighbours, and return the number of points in each, in no fixed order.

    Neighbours are closer than MAX_PIP_DISTANCE median diameters. A cluster of more than six is no die and is left out.
    """
    if not points:
        return []
    at = np.array([point.pt for point in points])
    reach = MAX_PIP_DISTANCE * float(np.median([point.size for point in points]))
    near = np.linalg.norm(at[:, None] - at[None], axis=-1) < reach
    left, sizes = set(range(len(at))), []
    while left:
        cluster, front = set(), {left.pop()}
        while front:
            one = front.pop()
            cluster.add(one)
            beside = {int(other) for other in np.flatnonzero(near[one])} & left
            left -= beside
            front |= beside
        sizes.append(len(cluster))
    return [size for size in sizes if size <= 6]
