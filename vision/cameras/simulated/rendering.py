"""Draws simulated dice in their tray as a camera above sees them: perspective, side faces, shadow, blur and noise.

A pinhole camera looks straight down at the middle of the tray. A die is drawn as its silhouette in the body's colour,
for the rounded edges. Its visible faces are laid over that. The background is fixed; only the dice are drawn anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cameras.simulated.appearance import FACE_PX, Faces, felt, wood
from vision.cameras.simulated.contact import CORNERS
from vision.reading.reading import Floats, FrameBGR

LIGHT = np.array([-0.35, -0.45, 0.82])
"""Direction (x, y, z) from the simulated tray to the lamp; its length does not count. Off the camera's axis, so that
dice cast shadows to one side. With x or y farther from 0: longer shadows, and more contrast between side faces."""
AMBIENT_BRIGHTNESS = 0.45
"""Brightness factor, 0 to 1, of a die's face turned away from the lamp. Larger: less contrast to the top."""
SHADOW_BRIGHTNESS = 0.55
"""Brightness of the floor in a die's shadow, 0 to 1, as a share of the lit floor's. Larger gives fainter shadows."""
NOISE_LEVELS = 2.2
"""Standard deviation of the sensor noise, in grey levels: a Pi camera's at gain 2 to 4. More: grainier pictures."""
NOISE_ROWS = 120
"""Height, in rows, of each band that gets noise at a new random offset. Fewer save memory and take more calls."""
NOISE_SPARE_PX = 64
"""Spare width and height, in pixels, of the precomputed sensor noise. Each NOISE_ROWS rows of a picture take noise at a
random offset up to this. Smaller: the noise repeats sooner. Larger: more memory."""
FACE_AXES = {1: (2, 1), 6: (2, -1), 2: (0, 1), 5: (0, -1), 3: (1, 1), 4: (1, -1)}
"""Place of each value's face on the die: axis, 0 to 2 for x to z, and side of its centre, 1 or -1. Opposite faces add
to seven. Two axes swapped: a mirrored die."""
HEIGHT_STEP_MM = 4.0
"""Step, in mm, to which dice's heights are rounded when they are sorted for drawing. It is larger than trembling, so
that their order is stable, and smaller than the rise of a leaning die, which must be drawn last."""


@dataclass(frozen=True, slots=True)
class Pinhole:
    """A pinhole camera, `height_mm` straight above the point `middle_mm` (x, y) of the tray."""

    size_wh: tuple[int, int]
    focal_px: float
    height_mm: float
    middle_mm: tuple[float, float]

    def project(self, points_mm: Floats) -> Floats:
        """Project (..., 3) points in mm, z up, to (..., 2) pixels."""
        depth = self.height_mm - points_mm[..., 2]
        x = self.size_wh[0] / 2 + self.focal_px * (points_mm[..., 0] - self.middle_mm[0]) / depth
        y = self.size_wh[1] / 2 + self.focal_px * (points_mm[..., 1] - self.middle_mm[1]) / depth
        return np.stack([x, y], -1)

    def floor_to_px(self) -> Floats:
        """Return the (3, 3) homography from millimetres on the floor to pixels."""
        return self.plane_to_px(np.identity(3)[:, [0, 1]], np.zeros(3))

    def plane_to_px(self, axes: Floats, corner_mm: Floats) -> Floats:
        """Return the (3, 3) homography from a plane's own coordinates, in mm, to pixels of the picture.

        `axes` are the (3, 2) unit vectors of these coordinates, as columns; `corner_mm` is the plane's (3,) origin.
        Both are in the tray's coordinates, with z upwards from the floor.
        """
        (x, y), (width, height) = self.middle_mm, self.size_wh
        lens = np.array([[self.focal_px, 0, width / 2], [0, self.focal_px, height / 2], [0, 0, 1]])
        in_lens = np.column_stack([axes, corner_mm - (x, y, self.height_mm)]) * np.array([[1], [1], [-1]])
        return lens @ in_lens / self.height_mm

    def nearness(self, middle_mm: Floats) -> tuple[int, float]:
        """Return a key that sorts dice by their (3,) centres from back to front: the low first, then the far."""
        return round(middle_mm[2] / HEIGHT_STEP_MM), -float(np.hypot(*(middle_mm[:2] - self.middle_mm)))


def face_up(rotation: Floats) -> int:
    """Return the value on top of a die with the (3, 3) `rotation`."""
    return _from_below(rotation)[-1]


def _from_below(rotation: Floats) -> list[int]:
    """Return the six values of a die with the (3, 3) `rotation`, ordered by their faces from the lowest to the top."""
    return sorted(FACE_AXES, key=lambda value: FACE_AXES[value][1] * rotation[2, FACE_AXES[value][0]])


def background(
    camera: Pinhole, ridge_x_mm: float, tray_wh_mm: tuple[float, float], rng: np.random.Generator
) -> FrameBGR:
    """Return the picture that `camera` takes of the empty tray, unevenly lit: felt in a wooden rim.

    A brass ridge is `ridge_x_mm` right of the tray's left side, then a lighter keep zone. `rng` draws the grain.
    """
    width, height = camera.size_wh
    picture = wood(camera.size_wh, rng)
    inside = camera.project(np.array([[0.0, 0.0, 0.0], [*tray_wh_mm, 0.0]])).round().astype(int)
    (x0, y0), (x1, y1) = np.clip(inside[0], 0, None), np.minimum(inside[1], camera.size_wh)
    picture[y0:y1, x0:x1] = felt((int(x1 - x0), int(y1 - y0)), rng)
    ridge = round(float(camera.project(np.array([ridge_x_mm, 0.0, 0.0]))[0]))
    keep = picture[y0:y1, ridge:x1]
    # Lighter, but green as well: on grey felt the shaded side of an ivory die looks like a shadow.
    cv2.multiply(keep, (1.3, 1.16, 1.1, 1.0), keep)
    cv2.line(picture, (ridge, int(y0)), (ridge, int(y1)), (70, 130, 168), 7, cv2.LINE_AA)
    cv2.line(picture, (ridge + 2, int(y0)), (ridge + 2, int(y1)), (110, 180, 214), 2, cv2.LINE_AA)
    across, down = (np.linspace(-1, 1, side, dtype=np.float32) for side in (width, height))
    light = 1.08 - 0.13 * (across**2 + down[:, None] ** 2) - 0.05 * across
    return cv2.merge([cv2.multiply(levels, light, dtype=cv2.CV_8U) for levels in cv2.split(picture)])


class Noise:
    """Sensor noise from a precomputed strip at random offsets, because drawing it for each frame is slow."""

    def __init__(self, width: int, rng: np.random.Generator) -> None:
        self._rng, self._width = rng, width
        rows = (NOISE_ROWS + NOISE_SPARE_PX, width + NOISE_SPARE_PX, 3)
        noise = rng.standard_normal(rows, np.float32) * NOISE_LEVELS
        self._more, self._less = np.clip(noise, 0, 255).astype(np.uint8), np.clip(-noise, 0, 255).astype(np.uint8)

    def over(self, clean_bgr: FrameBGR) -> FrameBGR:
        """Return a copy of a picture (h, w, 3) with sensor noise added; w must be the constructor's `width`."""
        noisy = np.empty_like(clean_bgr)
        for top in range(0, len(noisy), NOISE_ROWS):
            band, (down, right) = noisy[top : top + NOISE_ROWS], self._rng.integers(0, NOISE_SPARE_PX + 1, 2)
            part = np.s_[down : down + len(band), right : right + self._width]
            cv2.add(clean_bgr[top : top + NOISE_ROWS], self._more[part], band)
            cv2.subtract(band, self._less[part], band)
        return noisy


def draw_shadow(picture: FrameBGR, camera: Pinhole, at_mm: Floats, rotation: Floats, edge_mm: float) -> None:
    """Darken the shadow of a die on the tray's floor (z = 0) in a picture, in place.

    The light comes from the direction `LIGHT`. A shadow outside the picture changes nothing.

    Args:
        picture: Picture (h, w, 3) that is changed.
        camera: The camera that took the picture.
        at_mm: (3,) centre of the die.
        rotation: (3, 3) rotation of the die.
        edge_mm: Edge length of the die.
    """
    corners = at_mm + CORNERS @ rotation.T * edge_mm
    ground = corners - LIGHT / LIGHT[2] * corners[:, 2:3]
    ground[:, 2] = 0.0
    hull = cv2.convexHull(camera.project(ground).astype(np.float32))[:, 0]
    soft_px = 1.5 + 0.05 * float(at_mm[2]) * camera.focal_px / camera.height_mm
    region = _region(hull, picture.shape, 3 * soft_px)
    if region is None:
        return
    (x0, y0, x1, y1) = region
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillConvexPoly(mask, ((hull - (x0, y0)) * 16).round().astype(np.int32), 255, cv2.LINE_AA, 4)
    # In float32: with a wide kernel OpenCV's blur of bytes takes four to twenty times as long.
    soft = cv2.GaussianBlur(mask.astype(np.float32), (0, 0), soft_px)
    keep = 1 - (1 - SHADOW_BRIGHTNESS) / 255 * soft
    patch = picture[y0:y1, x0:x1]
    patch[:] = (patch * keep[:, :, None]).astype(np.uint8)


def draw_die(picture: FrameBGR, camera: Pinhole, at_mm: Floats, rotation: Floats, edge_mm: float, faces: Faces) -> None:
    """Draw a die into a picture, in place: silhouette, then faces. Outside the picture nothing is drawn.

    `at_mm` (3,) is the die's centre, `rotation` (3, 3) its rotation matrix.
    """
    corners = camera.project(at_mm + CORNERS @ rotation.T * edge_mm)
    hull = cv2.convexHull(corners.astype(np.float32))[:, 0]
    region = _region(hull, picture.shape, 3.0)
    if region is None:
        return
    (x0, y0, x1, y1) = region
    patch = picture[y0:y1, x0:x1].astype(np.float32)
    silhouette = np.zeros(patch.shape[:2], np.uint8)
    # Rounded edges pull the silhouette's corners in: an opening with a disc of the edges' radius.
    cv2.fillConvexPoly(silhouette, ((hull - (x0, y0)) * 16).round().astype(np.int32), 255, cv2.LINE_AA, 4)
    size_px = edge_mm * camera.focal_px / camera.height_mm
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (round(0.22 * size_px) | 1,) * 2)
    silhouette = cv2.morphologyEx(silhouette, cv2.MORPH_OPEN, disc)
    body = faces.bgr[5, :6, :6].reshape(-1, 3).mean(0) * 0.9
    _blend(patch, np.broadcast_to(body, patch.shape), silhouette)
    for bgr, brightness, quad in _visible(camera, at_mm, rotation, edge_mm, faces):
        quad = quad - (x0, y0)
        seen = _region(quad, patch.shape, 1.0)
        if seen is None:
            continue
        left, top, right, bottom = seen
        to_part = cv2.getPerspectiveTransform(_TEXTURE_QUAD, (quad - (left, top)).astype(np.float32))
        size, part = (right - left, bottom - top), np.s_[top:bottom, left:right]
        mask = cv2.warpPerspective(faces.mask, to_part, size, flags=cv2.INTER_LINEAR)
        drawn = cv2.warpPerspective(bgr, to_part, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        _blend(patch[part], np.minimum(drawn * brightness, 255.0), cv2.min(mask, silhouette[part]))
    picture[y0:y1, x0:x1] = patch.astype(np.uint8)


_TEXTURE_QUAD = np.array([[0, 0], [FACE_PX - 1, 0], [FACE_PX - 1, FACE_PX - 1], [0, FACE_PX - 1]], np.float32)
"""(4, 2) corners of a face's texture, in pixels: upper left, upper right, lower right, lower left."""


def _visible(
    camera: Pinhole, at_mm: Floats, rotation: Floats, edge_mm: float, faces: Faces
) -> list[tuple[FrameBGR, float, Floats]]:
    """Return (texture, brightness, corners) of each face of one die that is turned to the camera.

    The faces are sorted by height, the topmost last. The die has the (3,) centre `at_mm` and the (3, 3) `rotation`.
    Corners are (4, 2), in pixels; brightness is a factor for the texture.
    """
    lens_mm = np.array([*camera.middle_mm, camera.height_mm])
    seen = []
    for value in _from_below(rotation):
        axis, sign = FACE_AXES[value]
        normal = sign * rotation[:, axis]
        middle = at_mm + normal * edge_mm / 2
        if float(normal @ (lens_mm - middle)) <= 0:
            continue
        u, v = rotation[:, (axis + 1) % 3] * edge_mm / 2, rotation[:, (axis + 2) % 3] * edge_mm / 2 * sign
        quad = camera.project(np.stack([middle - u - v, middle + u - v, middle + u + v, middle - u + v]))
        brightness = AMBIENT_BRIGHTNESS + (1.08 - AMBIENT_BRIGHTNESS) * max(0.0, float(normal @ LIGHT)) / LIGHT[2]
        seen.append((faces.bgr[value - 1], brightness, quad))
    return seen


def _blend(patch: NDArray[np.float32], colour: NDArray[np.float32], mask: NDArray[np.uint8]) -> None:
    """Blend a colour over a picture, in place, with `mask` as its opacity, 0 to 255."""
    alpha = (mask.astype(np.float32) / 255)[:, :, None]
    patch += (colour - patch) * alpha


def _region(hull: NDArray[np.floating], shape: tuple[int, ...], margin_px: float) -> tuple[int, int, int, int] | None:
    """Return left, top, right, bottom, as in slices, of the part of a picture around (n, 2) points; None if empty."""
    x0, y0 = np.maximum(hull.min(0) - margin_px, 0).astype(int)
    x1, y1 = np.minimum(hull.max(0) + margin_px + 1, (shape[1], shape[0])).astype(int)
    return None if x1 <= x0 or y1 <= y0 else (int(x0), int(y0), int(x1), int(y1))
