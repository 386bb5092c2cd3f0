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

SHRINK_FACTOR = 2
"""Factor by which a `Small` picture's width and height shrink before least squares fit the camera's motion. At 2 the
fit has a quarter of the pixels. A larger one is faster but less exact."""
MAX_STEPS = 5
"""Largest number of Gauss-Newton steps of one estimate: bounds its time. Fewer may stop before the motion is found."""
CONVERGED_PX = 0.02
"""Largest component of a Gauss-Newton step, in small pixels, below which the fit of the camera's motion has converged.
A larger one is less exact but stops sooner."""
MIN_OUTLIER_LEVELS = 1.0
"""Lower bound, in grey levels, of the residual at which a pixel has half its weight in the fit of the camera's motion.
On plain ground a lower one gives noisy pixels little weight. A higher one lets moving dice disturb the fit."""
OUTLIER_MULTIPLE = 1.5
"""Residual at which a pixel has half its weight in the fit of the camera's motion, as a multiple of the median one.
Pixels of a rolling die have larger residuals. A higher multiple lets moving dice disturb the estimate."""
DAMPING = 1e-3
"""Damping of each step, relative to the mean curvature (Levenberg-Marquardt), so that directions without contrast get
no motion. A larger one shortens each step, so that more steps are needed."""


@dataclass(frozen=True, slots=True, eq=False)
class EgoMotion:
    """Affine motion of the ground from one small picture to another, in pixels of the small picture.

    Attributes:
        shift: (2,) motion of the picture's middle, x and y.
        growth: (2, 2) change of that motion: rows are x and y, columns from the left edge to the right and from the
            upper edge to the lower.
    """

    shift: NDArray[np.float64]
    growth: NDArray[np.float64]

    @property
    def reach_px(self) -> float:
        """Longest motion of any point, in pixels of the small picture."""
        return float(np.max(np.abs(self.shift) + np.abs(self.growth).sum(axis=1) / 2))

    def moved(self, xy: tuple[float, float], size_wh: tuple[int, int]) -> tuple[float, float]:
        """Map a point of the first whole frame to the second, in pixels; `size_wh` is the size of both frames."""
        scale = np.array(size_wh) / SMALL_WH
        at = np.array(xy) / size_wh - 0.5
        x, y = np.array(xy) + scale * (self.shift + self.growth @ at)
        return float(x), float(y)

    def follow(self, picture: NDArray[np.float32], border: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return `picture`, the earlier of two, warped so that its ground lies as in the later one, and a mask.

        All are (h, w). The mask is 1 where the result shows `picture` without its outer `border` pixels, 0 elsewhere,
        and in between along the edge. The motion, `shift` and `growth`, must be in pixels of `picture`.
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
    """Estimate the affine motion of the ground from the small picture `one` to the later `other`.

    Without convergence in MAX_STEPS steps of the fit, the estimate of the last step is returned.
    """
    motion = np.zeros(6)
    motion[:2] = _initial_shift(blurred(one.contrast.astype(np.float32)), blurred(other.contrast.astype(np.float32)))
    first, second = _half_size(one), _half_size(other)
    for _ in range(MAX_STEPS):
        change = _gauss_newton_step(first, second, motion)
        motion += change
        if np.abs(change).max() < CONVERGED_PX:
            break
    return EgoMotion(motion[:2], motion[2:].reshape(2, 2))


def _half_size(small: Small) -> NDArray[np.float32]:
    """Return the contrast of a small picture, shrunk by SHRINK_FACTOR to (60, 80) and blurred."""
    size = SMALL_WH[0] // SHRINK_FACTOR, SMALL_WH[1] // SHRINK_FACTOR
    return blurred(cv2.resize(small.contrast.astype(np.float32), size, interpolation=cv2.INTER_AREA))


def blurred(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """Blur an (h, w) picture by 3 x 3 pixels, because details smaller than a pixel differ from frame to frame."""
    return np.asarray(cv2.GaussianBlur(picture, (3, 3), 0), np.float32)


def _initial_shift(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the (2,) motion from one (120, 160) contrast picture to another, x and y in pixels.

    The motion is found by phase correlation. Returns zeros if moving `one` by it would increase the median absolute
    difference of the two.
    """
    window = cv2.createHanningWindow(one.shape[::-1], cv2.CV_32F)  # the FFT joins opposite borders
    shift, _ = cv2.phaseCorrelate(one, other, window)
    matrix = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32)
    shifted = cv2.warpAffine(one, matrix, one.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
    better = np.median(np.abs(other - shifted)) <= np.median(np.abs(other - one))
    return np.array(shift) if better else np.zeros(2)


def _gauss_newton_step(
    one: NDArray[np.float32], other: NDArray[np.float32], motion: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the (6,) correction to add to a camera motion, from one weighted, damped Gauss-Newton step.

    `motion` is `EgoMotion.shift`, then `EgoMotion.growth` row by row, in pixels of the small picture. It moves the
    earlier picture `one` onto the later `other`: contrasts, (h, w), of half the small picture's width and height.
    Pixels with a large residual, such as rolling dice, get a small weight.
    """
    height, width = one.shape
    so_far = EgoMotion(motion[:2] / SHRINK_FACTOR, motion[2:].reshape(2, 2) / SHRINK_FACTOR)
    moved, shown = so_far.follow(one, 0)
    across, down = _grid(width, height)
    gx = cv2.Sobel(moved, cv2.CV_32F, 1, 0, scale=1 / 8)
    gy = cv2.Sobel(moved, cv2.CV_32F, 0, 1, scale=1 / 8)
    slopes = np.stack([gx, gy, gx * across, gx * down, gy * across, gy * down]).reshape(6, -1)
    residual = (moved - other).reshape(-1)
    outlier = max(MIN_OUTLIER_LEVELS, OUTLIER_MULTIPLE * float(np.median(np.abs(residual))))
    weights = 1 / (1 + (residual / outlier) ** 2)
    weighted = slopes * (weights * shown.reshape(-1))
    curvature = (weighted @ slopes.T).astype(np.float64)
    curvature += np.identity(6) * (DAMPING * np.trace(curvature) / 6 + 1e-6)
    return np.linalg.solve(curvature, (weighted @ residual).astype(np.float64)) * SHRINK_FACTOR


@lru_cache(maxsize=4)
def _grid(width: int, height: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return two (height, width) maps of each pixel's x and y, from -0.5 at the left and upper edge to 0.5."""
    across = np.linspace(-0.5, 0.5, 2 * width + 1, dtype=np.float32)[1::2]
    down = np.linspace(-0.5, 0.5, 2 * height + 1, dtype=np.float32)[1::2]
    return np.tile(across, (height, 1)), np.tile(down[:, None], (1, width))
