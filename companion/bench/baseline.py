"""The simple pipeline that readers are measured against: OpenCV's blob detector; blobs near each other are a die."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from vision.reading.reading import FrameBGR

BLUR_PX = 3
NEIGHBOURS = 3.6
"""Two pips of a die are at most this many pip diameters apart."""


def detector() -> Any:
    """A detector of dark round blobs, set as most tutorials set it."""
    wanted = cv2.SimpleBlobDetector_Params()  # type: ignore[attr-defined]
    wanted.filterByArea, wanted.minArea, wanted.maxArea = True, 20.0, 1500.0
    wanted.filterByCircularity, wanted.minCircularity = True, 0.6
    wanted.filterByInertia, wanted.minInertiaRatio = True, 0.5
    return cv2.SimpleBlobDetector_create(wanted)  # type: ignore[attr-defined]


def read(frame_bgr: FrameBGR, blobs: Any) -> list[int]:
    """The number of blobs in each cluster, light ones and dark ones."""
    grey = cv2.GaussianBlur(cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY), (BLUR_PX, BLUR_PX), 0)
    return sorted(size for picture in (grey, 255 - grey) for size in _clusters(blobs.detect(picture)))


def _clusters(points: Sequence[Any]) -> list[int]:
    if not points:
        return []
    at = np.array([point.pt for point in points])
    reach = NEIGHBOURS * float(np.median([point.size for point in points]))
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
