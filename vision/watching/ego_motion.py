"""Ego-motion: the affine motion of the ground between two small pictures of a hand-held camera.

Phase correlation finds the shift, and robust least squares the affine rest (Lucas and Kanade 1981). Dice and hands
get low weights as outliers. OpenCV's `findTransformECC` weighs all pixels alike, so a rolling die would bias it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.watching.stillness import SMALL_WH, Small

SHRUNKEN = 2
"""Factor by which the small picture is shrunk again for least squares. Takes a quarter of the time."""
STEPS = 5
"""Largest number of Gauss-Newton steps. Bounds the time of a search that does not converge."""
ENOUGH_PX = 0.02
"""Largest component of a step, in small pixels, below which the search has converged."""
FEWEST_LEVELS = 1.0
"""Lower bound of the outlier scale, in grey levels. On plain ground the median residual would be below the noise."""
OUTLIER = 1.5
"""Outlier scale relative to the median residual. Pixels with a larger residual, as of rolling dice, lose weight."""
STIFF = 1e-3
"""Damping relative to the mean curvature (Levenberg-Marquardt). Directions without contrast get no motion."""


@dataclass(frozen=True, slots=True, eq=False)
class EgoMotion:
    """Affine motion of the ground, in pixels of the small picture.

    Attributes:
        shift: (2,) motion of the picture's middle.
        growth: (2, 2) change of the motion across the whole width and height.
    """

    shift: NDArray[np.float64]
    growth: NDArray[np.float64]

    @property
    def reach_px(self) -> float:
        """Longest motion of any point, in pixels of the small picture."""
        return float(np.max(np.abs(self.shift) + np.abs(self.growth).sum(axis=1) / 2))

    def moved(self, xy: tuple[float, float], size_wh: tuple[int, int]) -> tuple[float, float]:
        """Map a point of the first picture to the second, in pixels. `size_wh` is the size of both pictures."""
        scale = np.array(size_wh) / SMALL_WH
        at = np.array(xy) / size_wh - 0.5
        x, y = np.array(xy) + scale * (self.shift + self.growth @ at)
        return float(x), float(y)

    def follow(self, picture: NDArray[np.float32], border: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Warp the first picture by the motion.

        Args:
            picture: (h, w) the first picture.
            border: Pixels at its borders to treat as unseen.

        Returns:
            (h, w) the warped picture, and (h, w) 1 where it shows the first one, 0 where nothing was seen.
        """
        height, width = picture.shape
        shown = np.zeros_like(picture)
        shown[border : height - border, border : width - border] = 1
        slopes, middle = self.growth / (width, height), np.array([width - 1, height - 1]) / 2
        before = np.column_stack([np.identity(2) - slopes, slopes @ middle - self.shift])
        ways = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        now = cv2.warpAffine(picture, before, (width, height), flags=ways, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(now, np.float32), np.asarray(cv2.warpAffine(shown, before, (width, height), flags=ways))


def ego_motion(one: Small, other: Small) -> EgoMotion:
    """Estimate the affine motion of the ground from one small picture to the other. See the module for the method."""
    found = np.zeros(6)
    found[:2] = _begun(softened(one.contrast.astype(np.float32)), softened(other.contrast.astype(np.float32)))
    first, second = _shrunken(one), _shrunken(other)
    for _ in range(STEPS):
        further = _step(first, second, found)
        found += further
        if np.abs(further).max() < ENOUGH_PX:
            break
    return EgoMotion(found[:2], found[2:].reshape(2, 2))


def _shrunken(small: Small) -> NDArray[np.float32]:
    """Shrink the contrast by SHRUNKEN and blur it, for least squares."""
    size = SMALL_WH[0] // SHRUNKEN, SMALL_WH[1] // SHRUNKEN
    shrunken = cv2.resize(small.contrast.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    return softened(shrunken)


def softened(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """Blur a picture slightly: pips and pile are narrower than a pixel and differ from frame to frame."""
    return np.asarray(cv2.GaussianBlur(picture, (3, 3), 0), np.float32)


def _begun(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float64]:
    """Estimate the (2,) shift in pixels by phase correlation; zero if that does not reduce the median difference."""
    window = cv2.createHanningWindow(one.shape[::-1], cv2.CV_32F)  # the FFT joins opposite borders
    shift, _ = cv2.phaseCorrelate(one, other, window)
    matrix = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32)
    shifted = cv2.warpAffine(one, matrix, one.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
    better = np.median(np.abs(other - shifted)) <= np.median(np.abs(other - one))
    return np.array(shift) if better else np.zeros(2)


def _step(one: NDArray[np.float32], other: NDArray[np.float32], found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute one weighted Gauss-Newton step.

    Args:
        one: (h, w) first shrunken picture.
        other: (h, w) second shrunken picture.
        found: (6,) shift and growth so far, in small pixels.

    Returns:
        (6,) change of shift and growth, in small pixels.
    """
    height, width = one.shape
    so_far = EgoMotion(found[:2] / SHRUNKEN, found[2:].reshape(2, 2) / SHRUNKEN)
    moved, shown = so_far.follow(one, 0)
    across, down = _grid(width, height)
    gx = cv2.Sobel(moved, cv2.CV_32F, 1, 0, scale=1 / 8)
    gy = cv2.Sobel(moved, cv2.CV_32F, 0, 1, scale=1 / 8)
    slopes = np.stack([gx, gy, gx * across, gx * down, gy * across, gy * down]).reshape(6, -1)
    left = (moved - other).reshape(-1)
    usual = max(FEWEST_LEVELS, OUTLIER * float(np.median(np.abs(left))))
    weights = 1 / (1 + (left / usual) ** 2)
    weighted = slopes * (weights * shown.reshape(-1))
    curvature = (weighted @ slopes.T).astype(np.float64)
    curvature += np.identity(6) * (STIFF * np.trace(curvature) / 6 + 1e-6)
    return np.linalg.solve(curvature, (weighted @ left).astype(np.float64)) * SHRUNKEN


@lru_cache(maxsize=4)
def _grid(width: int, height: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Coordinates of each pixel across and down: -0.5 to 0.5 from edge to edge."""
    across = np.linspace(-0.5, 0.5, 2 * width + 1, dtype=np.float32)[1::2]
    down = np.linspace(-0.5, 0.5, 2 * height + 1, dtype=np.float32)[1::2]
    return np.tile(across, (height, 1)), np.tile(down[:, None], (1, width))
