"""Which of the nine places of a face hold pips, when it is known where the face lies: faint ones too, amid speckles.

A face is read from its own contrasts: the places are ranked by how much they stand out, and cut where the gap between
one place and the next is widest among the cuts that leave a canonical layout. A second look asks for pips that have
lost their paint: hollows far fainter than the others, but far above the empty places. Where the looks differ, the
second is believed unless it says five: the lower face of a clear die shines through so, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PATCH_PX = 48
"""A face is brought to this size: a pip is 9 px then."""
SPACINGS = (0.225, 0.25, 0.275)
"""Grid spacings that are tried, in edges."""
DISC_EDGES = 0.07
"""Radius over which a place is looked at: inside the smallest pip."""
LEAST_LEVELS = 7.0
"""The faintest pip stands out by this much; below it lies what noise and a body's clouds make."""
WORN_LEVELS, WORN_TIMES = 9.0, 2.2
"""A hollow without paint stands out by so many levels at least, and so many times as much as any empty place."""
WORN_SURE = 0.6
UNDECIDED = 0.2
"""`gap` of a face on which the two looks differ: first when the second is believed, then when neither is."""
FLOOR_LEVELS = 2.0
"""What noise adds to any place."""

_GRID = np.array([(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1)], float)
_PATTERNS: dict[frozenset[int], int] = {
    frozenset({4}): 1,
    frozenset({0, 8}): 2,
    frozenset({2, 6}): 2,
    frozenset({0, 4, 8}): 3,
    frozenset({2, 4, 6}): 3,
    frozenset({0, 2, 6, 8}): 4,
    frozenset({0, 2, 4, 6, 8}): 5,
    frozenset({0, 1, 2, 6, 7, 8}): 6,
    frozenset({0, 2, 3, 5, 6, 8}): 6,
}


@dataclass(frozen=True, slots=True)
class Placed:
    """A value by its places.

    Attributes:
        value: 1 to 6.
        gap: How much the faintest pip stands out from the most conspicuous empty place, as a part of the strongest
            pip: 1 for an ideal face, 0 for one without any order.
        faintest_levels: How much the faintest pip stands out.
        spacing: Of the grid, in edges.
    """

    value: int
    gap: float
    faintest_levels: float
    spacing: float


def placed(
    contrast: NDArray[np.uint8], centre_xy: tuple[float, float], angle_rad: float, edge_px: float
) -> Placed | None:
    """The value that a face of that pose shows in a picture of contrasts (see `pips.standing_out`), or None."""
    zoom = PATCH_PX / edge_px
    c, s = math.cos(angle_rad) * zoom, math.sin(angle_rad) * zoom
    x, y = centre_xy
    to_patch = np.array([[c, s, PATCH_PX / 2 - c * x - s * y], [-s, c, PATCH_PX / 2 + s * x - c * y]])
    patch = cv2.warpAffine(contrast, to_patch, (PATCH_PX, PATCH_PX), flags=cv2.INTER_LINEAR).astype(np.float32)
    found = [one for spacing in SPACINGS if (one := _read(_at_places(patch, spacing), spacing)) is not None]
    return max(found, key=lambda one: one.gap, default=None)


def _at_places(patch: NDArray[np.float32], spacing: float) -> Floats:
    """(9,) mean contrast over the disc at each place."""
    disc = max(1, round(DISC_EDGES * PATCH_PX))
    mean = cv2.blur(patch, (2 * disc + 1, 2 * disc + 1))
    at = np.round((0.5 + _GRID * spacing) * PATCH_PX - 0.5).astype(int)
    return mean[at[:, 1], at[:, 0]].astype(np.float64)


def _read(levels: Floats, spacing: float) -> Placed | None:
    order = np.argsort(-levels)
    ranked = levels[order]
    cuts = [
        (count, value)
        for count in range(1, 7)
        if (value := _PATTERNS.get(frozenset(order[:count].tolist()))) is not None and ranked[count - 1] >= LEAST_LEVELS
    ]
    if not cuts:
        return None
    gap, count, value = max((float((ranked[n - 1] - ranked[n]) / ranked[0]), n, v) for n, v in cuts)
    worn = [
        (n, v)
        for n, v in cuts
        if n > count
        and ranked[n - 1] >= WORN_LEVELS
        and ranked[n - 1] + FLOOR_LEVELS >= WORN_TIMES * (ranked[n] + FLOOR_LEVELS)
    ]
    if not worn:
        return Placed(value, gap, float(ranked[count - 1]), spacing)
    deeper, fuller = worn[-1]
    if fuller == 5:
        return Placed(value, UNDECIDED, float(ranked[count - 1]), spacing)
    return Placed(fuller, WORN_SURE, float(ranked[deeper - 1]), spacing)
