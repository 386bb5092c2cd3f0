"""Which of the nine places of a face hold pips, when it is known where the face lies: faint ones too, amid speckles.

A face is read from its own contrasts: the places are ranked by how much they stand out, and cut where the gap between
one place and the next is widest among the cuts that leave a canonical layout. A second look asks for pips that have
lost their paint: hollows far fainter than the others, but far above the empty places. Where the looks differ, the
second is believed, but a five only if some paint is left: the lower face of a clear die shines through so, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pips.layouts import NINE, VALUE_OF
from vision.upright import upright

Floats = NDArray[np.float64]

PATCH_PX = 48
"""A face is brought to this size: a pip is 9 px then."""
SPACINGS = (0.225, 0.25, 0.275)
"""Grid spacings that are tried, in edges."""
DISC_EDGES = 0.07
"""Radius over which a place is looked at: inside the smallest pip."""
LEAST_LEVELS = 7.0
"""The faintest pip stands out by this much; below it lies what noise and a body's clouds make."""
CREDIBLE_GAP = 0.5
"""A cut that leaves a smaller gap is no cut between pips and empty places."""
WORN_LEVELS, WORN_TIMES = 7.0, 2.0
"""A hollow without paint stands out by so many levels at least, and so many times as much as any empty place."""
SURELY_WORN_LEVELS, SURELY_WORN_TIMES = 9.0, 2.2
"""The same where it speaks against what the painted pips say for themselves."""
PAINT_LEFT = 0.55
"""What is left of a pip's paint stands out so much, in parts of a whole pip's; what shines through stays below 0.45."""
PAINT_SURE, WORN_SURE, UNDECIDED = 0.57, 0.55, 0.2
"""`gap` of a face that is read by what paint is left, by hollows without any, and of one on which the two looks differ
and neither can be believed."""
AGAINST_PAINT = 0.45
"""`gap` of one that is read by hollows although the painted pips alone show another value: likelier, never sure. The
speckles of a four once made a six."""
TRACE_LEVELS, TRACE_TIMES = (6.0, 16.0), 1.3
"""A middle that stands out by so many levels, and so many times as much as the sides, may be a pip; one that stands out
more is a hollow, or shines through."""
FLOOR_LEVELS = 2.0
"""What noise adds to any place."""

_AT = [tuple(np.round((0.5 + NINE * s) * PATCH_PX - 0.5).astype(int).T[::-1]) for s in SPACINGS]
"""Rows and columns of the nine places, for each spacing."""
_PATTERNS = {frozenset(3 * (y + 1) + x + 1 for x, y in pips_at): value for pips_at, value in VALUE_OF.items()}
"""The same layouts by the indexes of those nine places."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A value by its places.

    Attributes:
        value: 1 to 6.
        gap: How much the faintest pip stands out from the most conspicuous empty place, as a part of the strongest
            pip: 1 for an ideal face, 0 for one without any order.
        worn: Whether pips without paint were counted.
        painted_gap: The gap that the painted pips leave, whatever was made of the others.
        also: Every value that some cut leaves, clear or not.
    """

    value: int
    gap: float
    worn: bool
    painted_gap: float
    also: tuple[int, ...] = ()


def placed(
    contrast: NDArray[np.uint8], centre_xy: tuple[float, float], angle_rad: float, edge_px: float
) -> Placed | None:
    """The value that a face of that pose shows in a picture of contrasts (see `pips.standing_out`), or None."""
    mean, peak = _discs(upright(contrast, centre_xy, angle_rad, edge_px, PATCH_PX).astype(np.float32))
    looks = [_read(mean[rows, columns].astype(np.float64), peak[rows, columns]) for rows, columns in _AT]
    found = [one for one in looks if one is not None]
    best = likeliest(found)
    return best and replace(best, also=tuple({value for one in found for value in one.also}))


def likeliest(found: Sequence[Placed]) -> Placed | None:
    """The clearest of several looks at one face, a little beside each other.

    A five by hollows counts only if no look shows the painted pips of another value clearly.
    """
    best = max(found, key=lambda one: (one.gap, one.value), default=None)
    if best is None or best.value != 5 or not best.worn or best.gap > WORN_SURE:
        return best
    other = max(found, key=lambda one: (one.value != 5) * one.painted_gap)
    if other.value == 5 or other.painted_gap < CREDIBLE_GAP:
        return best
    return replace(other, gap=UNDECIDED)


def _discs(patch: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Mean and greatest contrast over the disc round each pixel."""
    disc = max(1, round(DISC_EDGES * PATCH_PX))
    size = (2 * disc + 1, 2 * disc + 1)
    return cv2.blur(patch, size), cv2.dilate(patch, np.ones(size, np.uint8))


def _read(levels: Floats, peaks: NDArray[np.float32]) -> Placed | None:
    """The value of these nine places, by painted pips first, then by worn ones."""
    order = np.argsort(-levels)
    ranked = levels[order]
    cuts = [
        (count, value)
        for count in range(1, 7)
        if (value := _PATTERNS.get(frozenset(order[:count].tolist()))) is not None and ranked[count - 1] >= LEAST_LEVELS
    ]
    if not cuts:
        return None
    also = tuple(value for _, value in cuts)
    gap, count, value = max((float((ranked[n - 1] - ranked[n]) / ranked[0]), n, v) for n, v in cuts)
    worn = [(n, v) for n, v in cuts if _stands_out(ranked, n, WORN_LEVELS, WORN_TIMES)]
    if not worn:
        return Placed(value, UNDECIDED if _centre_lost(levels, value) else gap, False, gap, also)
    deeper, fuller = worn[-1]
    if fuller == value or gap < CREDIBLE_GAP:
        if gap >= CREDIBLE_GAP:
            return Placed(fuller, UNDECIDED if _centre_lost(levels, fuller) else gap, False, gap, also)
        return Placed(fuller, WORN_SURE, True, gap, also)
    if fuller == 5 and deeper > count and peaks[order[count:deeper]].min() >= PAINT_LEFT * ranked[0]:
        return Placed(5, PAINT_SURE, True, gap, also)
    if fuller == 5 or deeper < count:
        return Placed(value, UNDECIDED, False, gap, also)
    sure = _stands_out(ranked, deeper, SURELY_WORN_LEVELS, SURELY_WORN_TIMES)
    return Placed(fuller, AGAINST_PAINT if sure else UNDECIDED, True, gap, also)


def _stands_out(ranked: Floats, count: int, levels: float, times: float) -> bool:
    """Whether the faintest of so many pips stands out from what is left."""
    faintest, left = ranked[count - 1], ranked[count]
    return bool(faintest >= levels and faintest + FLOOR_LEVELS >= times * (left + FLOOR_LEVELS))


def _centre_lost(levels: Floats, value: int) -> bool:
    """Whether a four may be a five whose middle has lost its paint to the last trace."""
    sides = float(levels[[1, 3, 5, 7]].max())
    more = levels[4] + FLOOR_LEVELS >= TRACE_TIMES * (sides + FLOOR_LEVELS)
    return value == 4 and bool(more and TRACE_LEVELS[0] <= levels[4] < TRACE_LEVELS[1])
