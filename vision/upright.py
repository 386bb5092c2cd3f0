"""A face brought upright and to one size, so that its places lie at the same pixels whatever its pose."""

from __future__ import annotations

import math
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

Level = TypeVar("Level", bound=np.generic)


def upright(
    picture: NDArray[Level], centre_xy: tuple[float, float], angle_rad: float, edge_px: float, side_px: int
) -> NDArray[Level]:
    """(side_px, side_px) or (side_px, side_px, 3) the face of that pose, which fills the patch.

    Args:
        picture: (h, w) or (h, w, 3).
        centre_xy: Middle of the face in the picture.
        angle_rad: Its turn.
        edge_px: Its edge in the picture.
        side_px: Its edge in the patch.
    """
    zoom, half = side_px / edge_px, side_px / 2
    c, s = math.cos(angle_rad) * zoom, math.sin(angle_rad) * zoom
    x, y = centre_xy
    to_patch = np.array([[c, s, half - c * x - s * y], [-s, c, half + s * x - c * y]])
    return cv2.warpAffine(picture, to_patch, (side_px, side_px))


def steepness(patch: NDArray[np.float32]) -> NDArray[np.float32]:
    """(h, w) how steeply the colours of a (h, w, 3) patch change, in levels per pixel, all three together."""
    along, down = cv2.Sobel(patch, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(patch, cv2.CV_32F, 0, 1, scale=1 / 8)
    return cv2.sqrt(cv2.transform(along * along + down * down, np.ones((1, patch.shape[2]), np.float32)))
