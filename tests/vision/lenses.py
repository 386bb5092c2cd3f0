"""Pictures of the printed sheet through a lens of known angle of view and distortion, from any position."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import cv2
import numpy as np

from vision.calibration.lens import Lens
from vision.calibration.markers import Marker
from vision.calibration.sheet import raster, sheet

PX_PER_MM = 5.0


@cache
def _printed() -> np.ndarray:
    return cv2.GaussianBlur(raster(sheet(), PX_PER_MM), (0, 0), 0.8)


@lru_cache(maxsize=1)
def _straightened(lens: Lens) -> np.ndarray:
    """Return the (h w, 2) pixels of a lens as a lens without distortion would show them; they take long to compute."""
    width, height = lens.size_wh
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), -1).reshape(-1, 2)
    return lens.straightened(grid.astype(np.float64))


def turned(lean_x_deg: float, lean_y_deg: float) -> np.ndarray:
    """Return the (3, 3) rotation from the sheet's axes to the lens's."""
    return cv2.Rodrigues(np.radians([lean_x_deg, lean_y_deg, 0.0]))[0]


@dataclass(frozen=True)
class Seen:
    """Position of the lens: the sheet's point under it, its height, and its tilt about x and y."""

    x_mm: float
    y_mm: float
    height_mm: float
    lean_x_deg: float = 0.0
    lean_y_deg: float = 0.0

    def floor_to_px(self, lens: Lens) -> np.ndarray:
        turn = turned(self.lean_x_deg, self.lean_y_deg)
        shift = -turn @ np.array([self.x_mm, self.y_mm, -self.height_mm])
        return lens.matrix @ np.column_stack([turn[:, 0], turn[:, 1], shift])


def photographed(lens: Lens, seen: Seen, rng: np.random.Generator, noise: float = 3.0) -> np.ndarray:
    """Render the sheet on grey felt, (h, w, 3), with the lens's blur and the sensor's noise."""
    width, height = lens.size_wh
    on_sheet = cv2.perspectiveTransform(_straightened(lens)[None], np.linalg.inv(seen.floor_to_px(lens)))[0]
    at = (on_sheet * PX_PER_MM).reshape(height, width, 2).astype(np.float32)
    picture = cv2.remap(
        _printed(), at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(70, 80, 75)
    )
    noisy = rng.normal(0, noise, picture.shape)
    noisy += cv2.GaussianBlur(picture, (0, 0), 0.8)
    return np.clip(noisy, 0, 255, out=noisy).astype(np.uint8)


def marked(
    lens: Lens,
    seen: Seen,
    rng: np.random.Generator,
    *,
    axis_px: tuple[float, float] = (0.0, 0.0),
    oblong: float = 1.0,
    bowed_mm: float = 0.0,
    noise_px: float = 0.2,
) -> tuple[Marker, ...]:
    """Compute the markers that a picture would show, optionally of an imperfect lens or sheet.

    Args:
        lens: The lens.
        seen: Its position.
        rng: Random generator for the noise.
        axis_px: Distance of the lens's axis from the middle of the picture.
        oblong: Factor on y in the picture, for pixels that are not square.
        bowed_mm: How far the middle of the sheet bulges.
        noise_px: Standard deviation of the corners' noise.
    """
    first, second, shift = (np.linalg.inv(lens.matrix) @ seen.floor_to_px(lens)).T
    middle, found = np.array(lens.size_wh) / 2, []
    for number, corners in sheet().corners_mm.items():
        up = bowed_mm * (1 - (corners[:, 0] / 148.5 - 1) ** 2)
        points = np.outer(corners[:, 0], first) + np.outer(corners[:, 1], second) + shift
        points = (points - np.outer(up, np.cross(first, second))) @ lens.matrix.T
        at_px = (lens.bent(points[:, :2] / points[:, 2:]) - middle) * (1, oblong) + middle + axis_px
        at_px += rng.normal(0, noise_px, (4, 2))
        if (at_px > 0).all() and (at_px < lens.size_wh).all():
            found.append(Marker(number, at_px))
    return tuple(found)
