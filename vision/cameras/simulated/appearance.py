"""Appearance of simulated dice and their tray: kinds of dice, textures of the six faces, felt, wood."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading.reading import FrameBGR

FACE_PX = 96
"""Width and height, in pixels, of the painted texture of a die's face. Larger than the face of any die at rest in the
picture, so that only falling dice are magnified. Smaller blurs the pips that are read; larger takes more memory."""
BGR = tuple[int, int, int]

PIPS_AT: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""Column and row of each pip, by value, in pip spacings from the middle of the face."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Look of a kind of die. Lengths are fractions of the die's edge.

    Attributes:
        body_bgr: Colour of the body, 0 to 255.
        pip_bgr: Colour of the paint in the pips.
        pip_radius: Radius of a pip.
        spacing: Distance between neighbouring pips.
        one_scale: Radius of the single pip of a 1, relative to the other pips.
        corner: Radius of the rounded edges.
    """

    body_bgr: BGR
    pip_bgr: BGR
    pip_radius: float = 0.095
    spacing: float = 0.265
    one_scale: float = 1.0
    corner: float = 0.10


_COMMON = partial(Kind, spacing=0.27, corner=0.13)
"""Kind of die with the measures of common 16 mm dice, as shares of the die's edge. `spacing` is the distance between
neighbouring pips, `corner` the radius of the edges. Larger: pips nearer to the rim, rounder dice."""
KINDS = (
    _COMMON((205, 226, 236), (28, 26, 30)),  # ivory
    _COMMON((34, 32, 32), (228, 232, 234)),  # black
    _COMMON((44, 40, 176), (232, 236, 240)),  # red
    _COMMON((205, 226, 236), (28, 26, 30), one_scale=1.5),  # ivory with a large one
    _COMMON((120, 74, 30), (236, 236, 232)),  # blue
    _COMMON((60, 170, 224), (34, 30, 30)),  # amber
    _COMMON((196, 210, 214), (40, 36, 150)),  # bone, red pips
)
"""Looks of the virtual tray's dice: colours of body and pips, blue, green, red from 0 to 255. They are given out in
this order. With more dice than looks, they repeat."""


@dataclass(frozen=True, slots=True)
class Faces:
    """Textures of a die's faces: `bgr` (6, FACE_PX, FACE_PX, 3) and the rounded `mask` (FACE_PX, FACE_PX), 0 to 255."""

    bgr: NDArray[np.uint8]
    mask: NDArray[np.uint8]


def faces_of(kind: Kind, rng: np.random.Generator) -> Faces:
    """Paint the textures of a die's six faces, value 1 first, and the mask of a face with round corners.

    Blotches are drawn from `rng`. Each pip has a bright rim on one side, as if drilled.
    """
    mask, radius = np.zeros((FACE_PX, FACE_PX), np.uint8), round(kind.corner * FACE_PX)
    inner = (radius, radius, FACE_PX - 2 * radius, FACE_PX - 2 * radius)
    for thick in (-1, 2 * radius):  # a thick line is round at its corners
        cv2.rectangle(mask, inner, 255, thick, cv2.LINE_AA)
    return Faces(np.stack([_face(kind, value, rng) for value in range(1, 7)]), mask)


def _face(kind: Kind, value: int, rng: np.random.Generator) -> FrameBGR:
    """Return the painted texture (FACE_PX, FACE_PX, 3) of a face: a body with noise and darker rims, and its pips."""
    face = np.full((FACE_PX, FACE_PX, 3), kind.body_bgr, np.float32)
    face += cv2.GaussianBlur(rng.normal(0, 9, (FACE_PX, FACE_PX, 1)).astype(np.float32), (0, 0), 4)[:, :, None]
    rim = np.minimum(np.arange(FACE_PX), np.arange(FACE_PX)[::-1]) / FACE_PX
    edge = np.minimum(rim[:, None], rim[None, :])
    face *= (0.86 + 0.14 * np.clip(edge / 0.10, 0, 1))[:, :, None]
    drawn = np.clip(face, 0, 255).astype(np.uint8)
    radius_px = kind.pip_radius * FACE_PX * (kind.one_scale if value == 1 else 1.0)
    lighter = tuple(min(255, round(c * 0.8 + 60)) for c in kind.pip_bgr)
    for column, row in PIPS_AT[value]:
        x_px, y_px = ((0.5 + kind.spacing * at) * FACE_PX for at in (column, row))
        centre = (round(x_px * 16), round(y_px * 16))  # in sixteenths of a pixel
        cv2.circle(drawn, centre, round(radius_px * 16), kind.pip_bgr, -1, cv2.LINE_AA, 4)
        middle, radii = (round(x_px), round(y_px)), (round(radius_px * 0.8),) * 2
        cv2.ellipse(drawn, middle, radii, 0, 20, 110, lighter, 1, cv2.LINE_AA)
    return drawn


def felt(size_wh: tuple[int, int], rng: np.random.Generator) -> FrameBGR:
    """Return a picture of green felt, `size_wh` pixels wide and high, with short random fibres."""
    shade = np.zeros(size_wh[::-1], np.float32)
    for sigma_x, sigma_y in ((2.2, 0.7), (0.7, 2.2)):
        grain = rng.standard_normal(size_wh[::-1], np.float32)
        shade += cv2.GaussianBlur(grain, (0, 0), sigma_x, sigmaY=sigma_y)
    shade *= 0.16
    shade += 0.05 * cv2.resize(rng.normal(0, 1, (8, 10)).astype(np.float32), size_wh, interpolation=cv2.INTER_CUBIC)
    return _coloured((60 * 1.15, 80 * 1.15, 32 * 1.15), shade)


def wood(size_wh: tuple[int, int], rng: np.random.Generator) -> FrameBGR:
    """Return a picture of dark wood, `size_wh` pixels wide and high, with horizontal grain."""
    grain = cv2.GaussianBlur(rng.standard_normal(size_wh[::-1], np.float32), (0, 0), 40, sigmaY=1.2)
    grain *= 0.16 / max(float(grain.std()), 1e-6)
    return _coloured((30, 52, 84), grain)


def _coloured(colour_bgr: tuple[float, float, float], shade: NDArray[np.float32]) -> FrameBGR:
    """Return an (h, w, 3) picture of one colour; `shade` (h, w) brightens each pixel, 0.1 by a tenth."""
    lit = np.maximum(1 + shade, 0)
    return np.asarray(cv2.merge([cv2.convertScaleAbs(lit, alpha=level) for level in colour_bgr]))
