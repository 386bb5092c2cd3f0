"""The six canonical layouts of pips: which value a group of pips shows, checked by place, spacing and rotation.

A face is a grid of spacing `s`; every value from two up has pips at two opposite corners of it. So each pair of pips is
taken as such a diagonal: it gives the face's middle, rotation and spacing; then every other place of the grid must hold
a pip or be empty as the layout says, and no pip may lie between.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SPACING = (0.19, 0.32)
"""Grid spacing in edges of a face, least and greatest; 0.25 to 0.28 on common dice, less on rounded ones."""
PIP_AT = 0.36
"""A pip belongs to a place of the grid when it is nearer than this, in spacings: perspective moves it by up to 0.3."""
INSIDE = 1.38
"""Half of the square, in spacings, in which every pip must be explained: the layout and half a pip around it."""
ALONE = 0.40
"""A single pip has no other within this distance, in edges; the pips of side faces are beyond half an edge."""
ALIKE = 1.7
"""Pips of a face have the same size, but for this factor; those of a side face are squashed."""

PIPS_AT: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""Column and row of each value's pips, in spacings from the middle of the face."""

# The places of the grid: two corners of the diagonal, the two others, the middle, and the middles of the four sides.
_GRID = np.array([(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)], float)
# Each layout lies in one of two ways: a two, a three and a six look different by a quarter turn.
_PATTERNS = {
    tuple(int((x, y) in pips_at) for x, y in _GRID): value
    for value, one_way in PIPS_AT.items()
    for pips_at in (one_way, [(-row, column) for column, row in one_way])
}


@dataclass(frozen=True, slots=True)
class Fit:
    """A face that explains a group of pips.

    Attributes:
        value: 1 to 6.
        centre_xy: Its middle, in the pixels of the pips.
        off: Mean distance of the pips from their places, in grid spacings.
    """

    value: int
    centre_xy: tuple[float, float]
    off: float


def fits(pips_xyr: Floats, edge_px: float, tolerance: float = 1.0) -> list[Fit]:
    """Every face that can be made of these pips, most pips first, then the best placed.

    Args:
        pips_xyr: (n, 3) centre x, y and radius of each pip, in pixels.
        edge_px: Edge of a face.
        tolerance: How far the spacing may leave its limits, as a factor (1: not at all), where `edge_px` is a guess.
    """
    if not len(pips_xyr):
        return []
    x, y, radii = pips_xyr.T
    apart_px = np.hypot(x[:, None] - x, y[:, None] - y)
    found = _single(pips_xyr, apart_px, edge_px)
    spacings = apart_px / (2 * math.sqrt(2) * edge_px)
    near = (spacings >= SPACING[0] / tolerance) & (spacings <= SPACING[1] * tolerance)
    alike = np.maximum(radii[:, None], radii) <= ALIKE * np.minimum(radii[:, None], radii)
    found += _on_diagonals(pips_xyr, np.argwhere(np.triu(near & alike, 1)))
    return sorted(found, key=lambda fit: (-fit.value, round(fit.off, 9)))


def _single(pips_xyr: Floats, apart_px: Floats, edge_px: float) -> list[Fit]:
    others_px = apart_px + np.diag(np.full(len(pips_xyr), np.inf))
    alone = others_px.min(1) > ALONE * edge_px
    return [Fit(1, (x, y), 0.0) for x, y in pips_xyr[alone, :2].tolist()]


def _on_diagonals(pips_xyr: Floats, pairs: NDArray[np.intp]) -> list[Fit]:
    """The faces that have such a pair, (pairs, 2), at opposite corners and hold exactly the pips that lie inside."""
    one, other = pips_xyr[pairs[:, 0]], pips_xyr[pairs[:, 1]]
    along, middle = other[:, :2] - one[:, :2], (one[:, :2] + other[:, :2]) / 2
    radius = ((one[:, 2] + other[:, 2]) / 2)[:, None]
    spacing = np.hypot(*along.T) / (2 * math.sqrt(2))
    angle = np.arctan2(along[:, 1], along[:, 0]) - math.pi / 4
    # (pairs, 2, 2) turns a row of the picture's axes into the face's own.
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]).transpose(2, 0, 1)
    own = (pips_xyr[None, :, :2] - middle[:, None]) @ turn / spacing[:, None, None]
    like = (pips_xyr[:, 2] < ALIKE * radius) & (pips_xyr[:, 2] > radius / ALIKE)
    inside = (np.abs(own) < INSIDE).all(2) & like
    away = np.linalg.norm(own[:, :, None] - _GRID, axis=3)
    place, off = away.argmin(2), away.min(2)
    held = ((place[:, :, None] == np.arange(len(_GRID))) & inside[:, :, None]).sum(1)
    clean = ~(inside & (off > PIP_AT)).any(1) & (held <= 1).all(1)
    found = []
    for at in np.flatnonzero(clean).tolist():
        value = _PATTERNS.get(tuple(held[at].tolist()))
        if value is not None:
            members = np.flatnonzero(inside[at])
            x, y = middle[at] + turn[at] @ own[at, members].mean(0) * spacing[at]
            found.append(Fit(value, (float(x), float(y)), float(off[at, members].mean())))
    return found
