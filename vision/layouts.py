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
VALUE_OF = {
    frozenset(pips_at): value
    for value, one_way in PIPS_AT.items()
    for pips_at in (one_way, [(-row, column) for column, row in one_way])
}
"""The value of each layout, in both ways that it may lie: a two, a three and a six look different by a quarter turn."""

NINE: Floats = np.array([(column, row) for row in (-1, 0, 1) for column in (-1, 0, 1)], float)
"""(9, 2) the places of the grid, row by row."""

# The same in another order: two corners of the diagonal, the two others, the middle, and the middles of the four sides.
_GRID = np.array([(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)], float)
_PATTERNS = {tuple(int((x, y) in pips_at) for x, y in _GRID): value for pips_at, value in VALUE_OF.items()}


@dataclass(frozen=True, slots=True)
class Fit:
    """A face that explains a group of pips.

    Attributes:
        value: 1 to 6.
        centre_xy: Its middle, in the pixels of the pips.
        angle_rad: Rotation of its edges, 0 up to a quarter turn; None for a single pip, which shows none.
        spacing_px: Grid spacing; 0 for a single pip.
        off: Mean distance of the pips from their places, in spacings.
        pips: Indexes of the pips it explains.
    """

    value: int
    centre_xy: tuple[float, float]
    angle_rad: float | None
    spacing_px: float
    off: float
    pips: tuple[int, ...]


def fits(pips_xyr: Floats, edge_px: float, tolerance: float = 1.0) -> list[Fit]:
    """Every face that can be made of these pips, most pips first, then the best placed.

    Args:
        pips_xyr: (n, 3) centre x, y and radius of each pip, in pixels.
        edge_px: Edge of a face.
        tolerance: How far the spacing may leave its limits, as a factor (1: not at all), where `edge_px` is a guess.
    """
    found = _single(pips_xyr, edge_px)
    for i in range(len(pips_xyr)):
        for j in range(i + 1, len(pips_xyr)):
            fit = _on_diagonal(pips_xyr, i, j, edge_px, tolerance)
            if fit is not None:
                found.append(fit)
    return sorted(found, key=lambda fit: (-len(fit.pips), fit.off))


def _single(pips_xyr: Floats, edge_px: float) -> list[Fit]:
    found = []
    for i, (x, y, _) in enumerate(pips_xyr):
        others = np.delete(pips_xyr[:, :2], i, axis=0)
        if len(others) == 0 or np.hypot(*(others - (x, y)).T).min() > ALONE * edge_px:
            found.append(Fit(1, (float(x), float(y)), None, 0.0, 0.0, (i,)))
    return found


def _on_diagonal(pips_xyr: Floats, i: int, j: int, edge_px: float, tolerance: float) -> Fit | None:
    one, other = pips_xyr[i], pips_xyr[j]
    along = other[:2] - one[:2]
    spacing = float(np.hypot(*along)) / (2 * math.sqrt(2))
    if not SPACING[0] / tolerance <= spacing / edge_px <= SPACING[1] * tolerance:
        return None
    radius = (one[2] + other[2]) / 2
    if max(one[2], other[2]) > ALIKE * min(one[2], other[2]):
        return None
    middle = (one[:2] + other[:2]) / 2
    angle = math.atan2(along[1], along[0]) - math.pi / 4
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    own = (pips_xyr[:, :2] - middle) @ turn.T / spacing
    like = (pips_xyr[:, 2] < ALIKE * radius) & (pips_xyr[:, 2] > radius / ALIKE)
    inside = np.flatnonzero((np.abs(own) < INSIDE).all(1) & like)
    return _read(own, inside, middle, angle, spacing)


def _read(own: Floats, inside: NDArray[np.intp], middle: Floats, angle: float, spacing: float) -> Fit | None:
    """The face whose grid holds exactly the pips that lie inside it."""
    apart = np.linalg.norm(own[inside][:, None, :] - _GRID[None], axis=-1)
    place = apart.argmin(1)
    off = apart.min(1)
    if (off > PIP_AT).any() or len(set(place.tolist())) != len(place):
        return None
    pattern = tuple(int(index in place) for index in range(len(_GRID)))
    value = _PATTERNS.get(pattern)
    if value is None:
        return None
    x, y = own[inside].mean(0) if value > 1 else (0.0, 0.0)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    centre = middle + turn @ np.array([x, y]) * spacing
    members = tuple(int(index) for index in inside)
    return Fit(value, (float(centre[0]), float(centre[1])), angle % (math.pi / 2), spacing, float(off.mean()), members)
