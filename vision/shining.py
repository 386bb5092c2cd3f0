"""What shines through a clear die from its lower face: pips of its paint, but a fifth as bright, and evenly so.

In linear light a pixel's colour lies somewhere between that of the body and that of the paint. Paint lies at one, and a
bare hollow near nought, for it is body shaded a little; what shines through the body lies between, all over a disc.
Only light paint on a darker body is looked at: a shaded hollow in a light body could be taken for dark paint far below.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.float32]

GAMMA = 2.2
"""Of the camera's levels."""
PAINTED = 0.97
"""The brightest part of a face, at least, is paint: the pip of a one fills 0.05 of what is looked at."""
OF_PAINT = 0.45
"""What is nearer to the paint's colour than this is paint, or its rim."""
SHINES = (0.045, 0.32)
"""Where what shines through lies between body and paint: 0.06 to 0.25. Bare hollows have -0.15 to 0.03."""
FAINTEST, BRIGHTEST, UNEVEN = 0.03, 0.36, 0.2
"""Where its faintest and its brightest tenths lie, and how far apart: a sickle of paint that is left is not even."""
INNER_PX = 2.7
"""The inside of a pip, in pixels of a face of 48."""
REACH_PX = 7.7
"""How far its edges reach: radius of a pip and the blur of the body."""
RINGED_TIMES = 1.4
"""Times the plain edges from which a ring is looked at."""
MARGIN_PX = 8
"""What lies so near to the patch's border is no part of the face: see `vision.hollows`."""

_AROUND = np.mgrid[-3:4, -3:4]
_INNER = _AROUND[:, np.hypot(*_AROUND) < INNER_PX]
"""Rows and columns of the inside of a pip, from its middle."""


def without_what_shines(patch: Levels, edges: Levels, ringed: Levels, plain: float) -> tuple[Levels, int]:
    """The edges without those of pips that shine through, and how many of these there are.

    Args:
        patch: (h, w, 3) a face, upright, 48 px to the edge.
        edges: (h, w) how steep it is.
        ringed: (h, w) how strongly each pixel is ringed by edges.
        plain: Edges of a plain place.
    """
    paint = _paint(patch)
    if paint is None:
        return edges, 0
    near_paint = cv2.dilate((paint > OF_PAINT).astype(np.uint8), _round(7)) > 0
    peaks = (ringed >= cv2.dilate(ringed, _round(7))) & (ringed > RINGED_TIMES * plain)
    peaks[:MARGIN_PX] = peaks[-MARGIN_PX:] = peaks[:, :MARGIN_PX] = peaks[:, -MARGIN_PX:] = False
    found = [(int(x), int(y)) for y, x in np.argwhere(peaks) if _even(paint, x, y)]
    if not found:
        return edges, 0
    cleared = np.zeros(edges.shape, np.uint8)
    for x, y in found:
        cv2.circle(cleared, (x, y), round(REACH_PX), 1, -1)
    return np.where((cleared > 0) & ~near_paint, np.float32(plain / 2), edges), len(found)


def _paint(patch: Levels) -> Levels | None:
    """(h, w) how far each colour lies from the body's to the paint's, in linear light; None where paint is dark."""
    light = (np.clip(patch, 0, 255) / 255) ** GAMMA
    inner = light[MARGIN_PX:-MARGIN_PX, MARGIN_PX:-MARGIN_PX].reshape(-1, 3)
    body = np.median(inner, axis=0)
    off = ((inner - body) ** 2).sum(1)
    most = np.argpartition(off, int(PAINTED * len(off)))[int(PAINTED * len(off)) :]
    way = np.median(inner[most], axis=0) - body
    if way.sum() <= 0:
        return None
    told: Levels = ((light - body) @ way / max(float(way @ way), 1e-6)).astype(np.float32)
    return told


def _even(paint: Levels, x: int, y: int) -> bool:
    """Whether the disc round a pixel shines evenly, and as faintly as what lies below the body."""
    disc = np.sort(paint[y + _INNER[0], x + _INNER[1]])
    low, middle, high = (float(disc[int(part * len(disc))]) for part in (0.1, 0.5, 0.9))
    even = low > FAINTEST and high < BRIGHTEST and high - low < UNEVEN
    return bool(even and SHINES[0] < middle < SHINES[1])


def _round(size: int) -> NDArray[np.uint8]:
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)).astype(np.uint8)
