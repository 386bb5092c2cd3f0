"""Grounds that dice lie on: felt of any colour, wet felt, leather, wood, and printed patterns. Linear light."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Size = tuple[int, int]

FELT_BGR = ((44, 84, 26), (92, 40, 24), (34, 30, 112), (66, 64, 62), (70, 34, 70))
"""Colours of felt and of patterned cloth under rendered dice: green, navy, wine, slate, plum. Each is blue, green, red
as sRGB levels, 0 to 255. Doubled: a much lighter ground, on which white dice stand out less."""
LEATHER_BGR = ((34, 52, 92), (30, 32, 38), (40, 66, 120))
"""Colours of leather under rendered dice: brown, black, tan; each blue, green, red from 0 to 255. Higher: lighter
leather."""
WOOD_BGR = ((58, 96, 146), (36, 56, 88), (86, 134, 180))
"""Colours of wood under rendered dice and, darkened, of every rendered tray's rim: medium, dark, light. Each is blue,
green, red from 0 to 255. Higher: lighter wood."""


def _noise(size_wh: Size, x_px: float, y_px: float, rng: np.random.Generator) -> Floats:
    """Return (h, w) smooth noise of standard deviation 1, in grains of x_px by y_px pixels."""
    width, height = size_wh
    shrink = max(1, int(min(x_px, y_px) / 2))
    small = rng.normal(0, 1, (height // shrink + 2, width // shrink + 2)).astype(np.float32)
    small = cv2.GaussianBlur(small, (0, 0), x_px / shrink, sigmaY=y_px / shrink)
    wide = cv2.resize(small, size_wh, interpolation=cv2.INTER_CUBIC)
    return wide / max(float(wide.std()), 1e-6)


def _tinted(levels: tuple[int, int, int], shade: Floats) -> Floats:
    light = (np.array(levels, np.float32) / 255) ** 2.2
    return np.clip(light * shade[:, :, None], 0.0, 1.0).astype(np.float32)


def felt(size_wh: Size, rng: np.random.Generator) -> Floats:
    """Paint felt: short fibres in two directions, slightly cloudy. Returns (h, w, 3) linear light."""
    fibres = _noise(size_wh, 2.4, 0.7, rng) + _noise(size_wh, 0.7, 2.4, rng)
    shade = 1 + 0.09 * fibres + 0.06 * _noise(size_wh, 90, 90, rng)
    return _tinted(FELT_BGR[rng.integers(len(FELT_BGR))], shade)


def wet_felt(size_wh: Size, rng: np.random.Generator) -> Floats:
    """Paint felt with dark wet patches and small glints. Returns (h, w, 3) linear light."""
    ground = felt(size_wh, rng)
    patch = 1 / (1 + np.exp(-8 * (_noise(size_wh, 60, 60, rng) - 0.6)))
    ground *= (1 - 0.5 * patch)[:, :, None]
    glints = np.clip(_noise(size_wh, 1.6, 1.6, rng) - 2.3, 0, 1) * patch
    return ground + 0.5 * glints[:, :, None]


def leather(size_wh: Size, rng: np.random.Generator) -> Floats:
    """Paint grained leather: small cushions with dark creases. Returns (h, w, 3) linear light."""
    cushions = np.abs(_noise(size_wh, 4.0, 4.0, rng))
    shade = 0.8 + 0.25 * np.clip(cushions, 0, 1) + 0.06 * _noise(size_wh, 70, 70, rng)
    return _tinted(LEATHER_BGR[rng.integers(len(LEATHER_BGR))], shade)


def wood(size_wh: Size, rng: np.random.Generator) -> Floats:
    """Paint wooden boards with their grain along the width. Returns (h, w, 3) linear light."""
    shade = 1 + 0.13 * _noise(size_wh, 60, 1.6, rng) + 0.10 * _noise(size_wh, 160, 12, rng)
    board = size_wh[1] // int(rng.integers(3, 6))
    shade[::board] *= 0.5
    shade[1::board] *= 0.7
    return _tinted(WOOD_BGR[rng.integers(len(WOOD_BGR))], np.clip(shade, 0.3, 1.7))


def patterned(size_wh: Size, rng: np.random.Generator) -> Floats:
    """Paint cloth printed with rings, dots or crossed rings, up to about a die's size.

    Returns (h, w, 3) linear light.
    """
    levels = np.empty((size_wh[1], size_wh[0], 3), np.uint8)
    levels[:] = FELT_BGR[rng.integers(len(FELT_BGR))]
    pitch, way = int(rng.integers(60, 130)), int(rng.integers(3))
    inks = [tuple(int(c) for c in rng.integers(30, 190, 3)) for _ in range(2)]
    for row, y in enumerate(range(0, size_wh[1] + pitch, pitch)):
        for column, x in enumerate(range(0, size_wh[0] + pitch, pitch)):
            at, ink = (x + (row % 2) * pitch // 2, y), inks[(row + column) % 2]
            if way == 0:
                cv2.circle(levels, at, pitch // 4, ink, 5, cv2.LINE_AA)
            elif way == 1:
                cv2.circle(levels, at, pitch // 9, ink, -1, cv2.LINE_AA)
            else:
                cv2.ellipse(levels, at, (pitch // 4, pitch // 4), 45, 0, 360, ink, 3, cv2.LINE_AA)
                cv2.drawMarker(levels, at, ink, cv2.MARKER_TILTED_CROSS, pitch // 3, 4, cv2.LINE_AA)
    fibres = _noise(size_wh, 1.6, 0.7, rng) + _noise(size_wh, 0.7, 1.6, rng)
    return ((levels.astype(np.float32) / 255) ** 2.2 * (1 + 0.06 * fibres)[:, :, None]).astype(np.float32)


Ground = Callable[[Size, np.random.Generator], Floats]
"""Paints a ground of a size in pixels: (h, w, 3) linear light, 0 to 1, that it reflects."""
