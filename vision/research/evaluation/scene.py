"""A scene in the rig: ground, lamps, dice and camera; drawn with its shadows; and the empty tray of its calibration.

The tray and the lens over it are those of the virtual camera; the light, the dice and the sensor are drawn more truly.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.lens import Lens
from vision.cameras.simulated.camera import LENS, rig_over
from vision.cameras.simulated.rendering import FACE_AXES, face_up
from vision.geometry.rig import Rig
from vision.reading.reading import Die, FrameBGR
from vision.research.evaluation.raycast import Doubles, Floats, Lamp, LyingDie, corners_of, draw

SHADOW_DEPTH = 0.92
"""Share of a lamp's light, 0 to 1, that is missing in the middle of a solid die's shadow. More makes shadows darker."""
CONTACT_SHADOW = 0.55
"""Share of the ambient light, 0 to 1, that the floor loses under the middle of a die; at its edge it is about half of
that, and farther out less. More makes the floor around dice darker."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """How a picture was taken.

    Attributes:
        exposure: Factor on the light; 1 as at calibration.
        noise_levels: Standard deviation of the sensor's noise at mid grey.
        blur_px: Standard deviation of the lens's blur.
        motion_px: Length of the motion blur; 0 for none.
        bend: First radial distortion coefficient of the lens, for lengths in half widths of the picture.
        jpeg: JPEG quality, 0 to 100; None for a picture that is not compressed.
    """

    exposure: float = 1.0
    noise_levels: float = 1.8
    blur_px: float = 0.7
    motion_px: float = 0.0
    bend: float = 0.0
    jpeg: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything that is rendered: ground, lamps and dice.

    Attributes:
        ground: (h, w, 3) linear colour of the tray.
        fall_off: (h, w) share of the light that reaches each pixel.
        lamps: Light sources.
        sky_bgr: Colour of the ambient light.
        dice: The dice.
    """

    ground: Floats
    fall_off: Floats
    lamps: list[Lamp]
    sky_bgr: Doubles
    dice: list[LyingDie]


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """A rendered picture with its truth.

    Attributes:
        image_bgr: (h, w, 3) the picture.
        rig: Calibration of the camera that took it.
        dice: The true values and boxes of the dice.
    """

    image_bgr: FrameBGR
    rig: Rig
    dice: tuple[Die, ...]

    @property
    def values(self) -> tuple[int, ...]:
        """True values of the dice, sorted."""
        return tuple(sorted(die.value for die in self.dice if die.value is not None))


def rendered(scene: Scene, shot: Shot, rng: np.random.Generator) -> Rendered:
    """Render a scene as `shot` says; return the picture with its calibration and the dice's true values and boxes.

    The calibration's empty tray is rendered with the default `Shot` and the lens's distortion. Dice are sorted by box.
    """
    empty = _taken(_floor(scene, []), Shot(bend=shot.bend), rng)
    light = _floor(scene, scene.dice)
    draw(light, LENS, scene.dice, scene.lamps, scene.sky_bgr)
    image = _taken(light, shot, rng)
    truth = sorted((_truth(die, shot) for die in scene.dice), key=lambda die: die.box_xywh)
    return Rendered(image, rig_over(empty), tuple(truth))


def flat_turn(value: int, yaw_rad: float) -> Doubles:
    """Return the (3, 3) rotation of a die that lies flat with `value` up, turned by `yaw_rad` about the vertical."""
    axis, sign = FACE_AXES[value]
    c, s = np.cos(yaw_rad), np.sin(yaw_rad)
    turn = np.zeros((3, 3))
    turn[2, axis] = sign
    turn[:2, (axis + 1) % 3] = (c, s)
    turn[:2, (axis + 2) % 3] = (-s * sign, c * sign)
    return turn


def _truth(die: LyingDie, shot: Shot) -> Die:
    up = die.at_mm + np.array([0.0, 0.0, die.edge_mm / 2])
    x, y = _bent(LENS.project(up)[None], shot.bend)[0]
    size = die.edge_mm * LENS.focal_px / (LENS.height_mm - up[2])
    return Die(face_up(die.turn), (round(x - size / 2), round(y - size / 2), round(size), round(size)), 1.0)


def _floor(scene: Scene, dice: list[LyingDie]) -> Floats:
    """Return the (h, w, 3) linear light of the ground, with the shadows of these dice."""
    size_wh = LENS.size_wh
    small_wh = (size_wh[0] // 2, size_wh[1] // 2)
    total = np.zeros((small_wh[1], small_wh[0], 3), np.float32)
    near = _hulls([corners_of(die) * (1, 1, 0) for die in dice if die.at_mm[2] < die.edge_mm], small_wh)
    near = cv2.GaussianBlur(near, (0, 0), 9.0)
    total += ((1 - CONTACT_SHADOW * near)[:, :, None] * scene.sky_bgr).astype(np.float32)
    for lamp in scene.lamps:
        dark = np.ones_like(near)
        for die in dice:
            corners = corners_of(die)
            ground = corners - lamp.towards / lamp.towards[2] * corners[:, 2:3]
            mask = cv2.GaussianBlur(_hulls([ground], small_wh), (0, 0), max(0.6, lamp.soft_mm * 1.9))
            dark *= 1 - SHADOW_DEPTH * (1 - 0.55 * die.made.clear) * mask
        total += (dark * float(lamp.towards[2]))[:, :, None] * lamp.colour_bgr.astype(np.float32)
    wide = cv2.resize(total, size_wh, interpolation=cv2.INTER_LINEAR)
    return np.asarray(wide * scene.ground * scene.fall_off[:, :, None], np.float32)


def _hulls(points: list[Doubles], size_wh: tuple[int, int]) -> Floats:
    mask = np.zeros((size_wh[1], size_wh[0]), np.uint8)
    for corners in points:
        hull = cv2.convexHull((LENS.project(corners) / 2).astype(np.float32))
        cv2.fillConvexPoly(mask, (hull * 16).round().astype(np.int32), 255, cv2.LINE_AA, 4)
    return np.asarray(mask.astype(np.float32) / 255, np.float32)


def _taken(light: Floats, shot: Shot, rng: np.random.Generator) -> FrameBGR:
    """Return the picture that the camera takes of (h, w, 3) linear light, as `shot` says.

    Exposure, distortion, blur, motion blur, gamma (2.2), noise and JPEG are applied in this order.
    """
    seen = light * shot.exposure
    if shot.bend:
        seen = _lens(seen, shot.bend)
    if shot.blur_px > 0:
        seen = cv2.GaussianBlur(seen, (0, 0), shot.blur_px)
    if shot.motion_px >= 1:
        seen = cv2.filter2D(seen, -1, _smear(shot.motion_px, rng.uniform(0, np.pi)))
    levels = 255 * np.power(np.clip(seen, 0, 1), 1 / 2.2)
    noise = rng.standard_normal(levels.shape, np.float32)
    levels += noise * (shot.noise_levels * (0.6 + 0.4 * np.sqrt(levels / 128)))
    image: FrameBGR = np.clip(levels, 0, 255).astype(np.uint8)
    if shot.jpeg is not None:
        _, coded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, shot.jpeg])
        decoded = cv2.imdecode(coded, cv2.IMREAD_COLOR)
        assert decoded is not None
        image = decoded.astype(np.uint8)
    return image


def _smear(length_px: float, angle_rad: float) -> Floats:
    size = int(length_px) | 1
    kernel = np.zeros((size + 2, size + 2), np.float32)
    middle = (size + 1) / 2
    reach = np.array([np.cos(angle_rad), np.sin(angle_rad)]) * length_px / 2
    start, end = (np.array([middle, middle]) - reach) * 16, (np.array([middle, middle]) + reach) * 16
    cv2.line(kernel, start.round().astype(int).tolist(), end.round().astype(int).tolist(), 1.0, 1, cv2.LINE_AA, 4)
    return kernel / kernel.sum()


def _lens(light: Floats, bend: float) -> Floats:
    lens = _unbending(bend)
    away = np.array([*lens.bend, 0, 0])
    x, y = cv2.initUndistortRectifyMap(lens.matrix, away, None, lens.matrix, lens.size_wh, cv2.CV_32FC1)
    return cv2.remap(light, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def _bent(points_px: Doubles, bend: float) -> NDArray[np.float64]:
    """Return where a lens with distortion `bend` shows (n, 2) undistorted pixels: where `_lens` moves them."""
    return _unbending(bend).straightened(points_px)


def _unbending(bend: float) -> Lens:
    """Return a lens with the opposite of a distortion, so that its `straightened` applies that distortion.

    `bend` is the distortion's coefficient for lengths in half widths of the picture.
    """
    return Lens(LENS.size_wh, LENS.size_wh[0] / 2, (-bend, 0.0))
