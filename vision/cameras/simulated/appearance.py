"""What simulated dice and their tray look like: textures of the six faces, felt, wood, and the light on them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pips.layouts import PIPS_AT
from vision.reading import FrameBGR

FACE_PX = 96
"""Size of a face's texture: above the largest face in the picture (72 px), so that it is never magnified."""
PIP_RADIUS = 0.095
"""Of a face's edge; measured on common 16 mm dice, as is the spacing below."""
PIP_SPACING = 0.27
CORNER = 0.13
"""Radius of the rounded corners of a face, in edges."""


@dataclass(frozen=True, slots=True)
class Look:
    """A kind of die: colours in BGR, 0 to 255, and how much larger its single pip is."""

    body_bgr: tuple[int, int, int]
    pip_bgr: tuple[int, int, int]
    one_scale: float = 1.0


LOOKS = (
    Look((205, 226, 236), (28, 26, 30)),  # ivory
    Look((34, 32, 32), (228, 232, 234)),  # black
    Look((44, 40, 176), (232, 236, 240)),  # red
    Look((205, 226, 236), (28, 26, 30), 1.5),  # ivory with a large one
    Look((120, 74, 30), (236, 236, 232)),  # blue
    Look((60, 170, 224), (34, 30, 30)),  # amber
    Look((196, 210, 214), (40, 36, 150)),  # bone, red pips
)


@dataclass(frozen=True, slots=True)
class Faces:
    """Textures of a die's faces: `bgr` (6, FACE_PX, FACE_PX, 3) and the rounded `mask` (FACE_PX, FACE_PX), 0 to 255."""

    bgr: NDArray[np.uint8]
    mask: NDArray[np.uint8]


def faces_of(look: Look, rng: np.random.Generator) -> Faces:
    """The six faces of a die, value 1 first; drilled pips carry a shade at one rim and a light at the other."""
    mask = np.zeros((FACE_PX, FACE_PX), np.uint8)
    _rounded(mask)
    return Faces(np.stack([_face(look, value, rng) for value in range(1, 7)]), mask)


def _rounded(mask: NDArray[np.uint8]) -> None:
    radius = round(CORNER * FACE_PX)
    far = FACE_PX - 1 - radius
    cv2.rectangle(mask, (radius, 0), (far, FACE_PX - 1), 255, -1)
    cv2.rectangle(mask, (0, radius), (FACE_PX - 1, far), 255, -1)
    for x in (radius, far):
        for y in (radius, far):
            cv2.circle(mask, (x, y), radius, 255, -1, cv2.LINE_AA)


def _face(look: Look, value: int, rng: np.random.Generator) -> FrameBGR:
    face = np.full((FACE_PX, FACE_PX, 3), look.body_bgr, np.float32)
    face += cv2.GaussianBlur(rng.normal(0, 9, (FACE_PX, FACE_PX, 1)).astype(np.float32), (0, 0), 4)[:, :, None]
    rim = np.minimum(np.arange(FACE_PX), np.arange(FACE_PX)[::-1]) / FACE_PX
    edge = np.minimum(rim[:, None], rim[None, :])
    face *= (0.86 + 0.14 * np.clip(edge / 0.10, 0, 1))[:, :, None]
    drawn = np.clip(face, 0, 255).astype(np.uint8)
    radius_px = PIP_RADIUS * FACE_PX * (look.one_scale if value == 1 else 1.0)
    for column, row in PIPS_AT[value]:
        _pip(drawn, 0.5 + PIP_SPACING * column, 0.5 + PIP_SPACING * row, radius_px, look)
    return drawn


def _pip(face: FrameBGR, x: float, y: float, radius_px: float, look: Look) -> None:
    centre = (round(x * FACE_PX * 16), round(y * FACE_PX * 16))
    cv2.circle(face, centre, round(radius_px * 16), look.pip_bgr, -1, cv2.LINE_AA, 4)
    lighter = tuple(min(255, round(c * 0.8 + 60)) for c in look.pip_bgr)
    middle, rim = (round(x * FACE_PX), round(y * FACE_PX)), (round(radius_px * 0.8),) * 2
    cv2.ellipse(face, middle, rim, 0, 20, 110, lighter, 1, cv2.LINE_AA)


def felt(size_wh: tuple[int, int], rng: np.random.Generator) -> FrameBGR:
    """Green felt: short fibres (noise stretched in two directions) over the colour of LOOK.md's tray."""
    shade = np.zeros(size_wh[::-1], np.float32)
    for sigma_x, sigma_y in ((2.2, 0.7), (0.7, 2.2)):
        shade += cv2.GaussianBlur(_grain(size_wh, rng), (0, 0), sigma_x, sigmaY=sigma_y)
    shade *= 0.16
    shade += 0.05 * cv2.resize(rng.normal(0, 1, (8, 10)).astype(np.float32), size_wh, interpolation=cv2.INTER_CUBIC)
    return _coloured((60 * 1.15, 80 * 1.15, 32 * 1.15), shade)


def wood(size_wh: tuple[int, int], rng: np.random.Generator) -> FrameBGR:
    """Dark wood with its grain along the width."""
    grain = cv2.GaussianBlur(_grain(size_wh, rng), (0, 0), 40, sigmaY=1.2)
    grain *= 0.16 / max(float(grain.std()), 1e-6)
    return _coloured((30, 52, 84), grain)


def _grain(size_wh: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float32]:
    """(h, w) noise; row by row, as it is drawn with twice as many bytes."""
    found = np.empty(size_wh[::-1], np.float32)
    for row in found:
        row[:] = rng.normal(0, 1, len(row))
    return found


def _coloured(colour_bgr: tuple[float, float, float], shade: NDArray[np.float32]) -> FrameBGR:
    """(h, w, 3) that colour, each pixel lighter or darker by its shade (h, w): 0.1 is a tenth."""
    found = np.empty((*shade.shape, 3), np.uint8)
    for row, by in zip(found, shade, strict=True):
        row[:] = np.clip((1 + by[:, None]) * np.array(colour_bgr, np.float32), 0, 255)
    return found
