"""Reads a face by the rims of its pips, painted or bare: each is a ring of edges, and the rest of a face has none.

Paint wears off, but the hollow that held it keeps a rim. So a face is not asked for spots but for rings: every place of
a layout must be ringed on nearly all sides, and nearly all edges on the face must belong to those rings. The second
half is what tells a value from one with fewer pips, and a true pose from one beside it. What shines through a clear die
from its lower face is ringed too, and is taken out before (see `vision.shining`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.pips.layouts import NINE, VALUE_OF
from vision.reading import FrameBGR
from vision.shining import without_what_shines
from vision.upright import steepness, upright

Levels = NDArray[np.float32]

FACE_PX = 48
"""A face is brought to this size: the rim of a hollow is then 2 px wide, and 9 px across."""
PATCH_PX = 54
"""Side of what is looked at: the face, and as much round it as its middle may be off."""
HALF_EDGES = 0.385
"""Half of the square in which every edge must be explained: pips end at 0.37, the bent rim of a face begins at 0.4."""
DISC_EDGES = 0.12
"""What lies so near to a pip's middle belongs to it: the largest common pip has 0.11, and blur adds to it."""
RING_PX = (2.6, 6.4)
"""Inner and outer radius of where a rim lies: pips have a radius of 4 to 5 px."""
BLUR_PX = 0.75
"""Less than a rim, more than a grain of noise."""
SECTORS, WEAKEST = 8, 2
"""A ring is looked at in eight sectors; two may be faint, as towards the lamp. A straight line crosses three."""
STRONGEST_LEVELS = 30.0
"""Edges of paint are up to twice as strong, those of bare hollows a tenth; above this all count the same."""
LEAST_LEVELS = 1.2
"""What noise is taken to add to edges at least, in levels per pixel: with less, the blur round paint stands out."""
PLAIN_PART, PLAIN_TIMES = 0.15, 1.3
"""A part of a face is plain, whatever it shows: its edges are noise, and the least of them say how strong most are."""
FAINTEST_EDGE = 1.7
"""Times the plain edges above which an edge must be explained; at twice that it counts in full."""
RING_AREA_PX = 85.0
"""Pixels of one rim: a circle of 4.5 px, 3 px wide."""
RINGED = 0.5
"""Logarithm of how many times as strong as plain edges the faintest ring is; below it counts three times."""
UNEXPLAINED_COUNTS = 1.5
"""What a whole unexplained ring costs."""
NOTHING_ELSE = 0.5
"""So much less, in rings, another value must leave unexplained to be far enough ahead: 1.5 times 0.53 is 0.8."""
SHIFTS_EDGES = np.arange(-3, 4) * 0.0267
"""How far a face's middle may be off where its silhouette gave it, in edges."""
TURNS = np.radians([-6.0, 0.0, 6.0])
SPACINGS = (0.235, 0.265)
"""Grid spacings that are tried, in edges."""


@dataclass(frozen=True, slots=True)
class Rings:
    """What the rings on a face say.

    Attributes:
        value: The likeliest, 1 to 6.
        fits: How well its layout explains the face: 0 and more when it leaves nothing, -2 when it leaves a ring or two.
        ahead: By how much it fits better than any other value.
        faintest: Logarithm of how many times as strong its faintest ring is as the edges of a plain place.
        shining: How many pips of a clear die's lower face were seen.
    """

    value: int
    fits: float
    ahead: float
    faintest: float
    shining: int


def may_show_another(
    frame_bgr: FrameBGR, centre_xy: tuple[float, float], turn: float, edge_px: float, value: int
) -> bool:
    """Whether the rings of a face that was plainly read as that value may show another: a glance, without the rings.

    Painted pips are ringed as well as any. So another value can only fit better if it leaves fewer edges unexplained.
    """
    edges = steepness(_patch(frame_bgr, centre_xy, turn, edge_px))
    least = _left(edges, _plain(edges)).min(0)
    return float(least[value == _VALUES].min() - least.min()) >= NOTHING_ELSE


def rings(frame_bgr: FrameBGR, centre_xy: tuple[float, float], turn: float, edge_px: float) -> Rings:
    """The value of the face of that middle and turn, by its rings.

    Args:
        frame_bgr: The frame.
        centre_xy: Middle of the upper face in the frame's pixels.
        turn: Its turn in radians.
        edge_px: Its edge.
    """
    patch = _patch(frame_bgr, centre_xy, turn, edge_px)
    edges = steepness(patch)
    plain = _plain(edges)
    ringed = ring_map(edges)
    edges, shining = without_what_shines(patch, edges, ringed, plain)
    if shining:
        ringed = ring_map(edges)
    poses = _poses()
    strength = np.log(np.maximum(ringed[poses.rows, poses.columns], LEAST_LEVELS) / plain)
    faintest = np.stack([strength[:, places].min(1) for places in _PLACES], 1)
    fits = np.minimum(faintest, 1.0) - 3 * np.maximum(0, RINGED - faintest)
    fits -= UNEXPLAINED_COUNTS * _left(edges, plain)
    best = np.unravel_index(int(fits.argmax()), fits.shape)
    value = int(_VALUES[best[1]])
    others = float(fits[:, value != _VALUES].max())
    return Rings(value, float(fits[best]), float(fits[best]) - others, float(faintest[best]), shining)


def _patch(frame_bgr: FrameBGR, centre_xy: tuple[float, float], turn: float, edge_px: float) -> Levels:
    wide = upright(frame_bgr, centre_xy, turn, edge_px * PATCH_PX / FACE_PX, PATCH_PX)
    return cv2.GaussianBlur(wide.astype(np.float32), (0, 0), BLUR_PX)


def _plain(edges: Levels) -> float:
    """Edges of a plain place, in levels per pixel."""
    return max(LEAST_LEVELS, PLAIN_TIMES * _part(edges[_core()], PLAIN_PART))


def _left(edges: Levels, plain: float) -> Levels:
    """(poses, layouts) edges on the face that belong to none of the layout's pips, in rings."""
    poses = _poses()
    # Edges that are to be explained: 0 for a plain pixel, 1 for one that surely is the rim of something.
    odd = np.clip(np.log2(np.maximum(edges, LEAST_LEVELS) / (FAINTEST_EDGE * plain)), 0, 1).astype(np.float32)
    explained = cv2.filter2D(odd, -1, _disc(), borderType=cv2.BORDER_CONSTANT)[poses.rows, poses.columns]
    # Not a product of matrices: numpy would wake a second thread for so little.
    on_face = np.einsum("ij,j->i", poses.squares, odd.ravel())[poses.square]
    left: Levels = (on_face[:, None] - explained @ _LAYOUTS.T) / np.float32(RING_AREA_PX)
    return left


def ring_map(edges: Levels) -> Levels:
    """(h, w) how strongly each pixel is ringed by edges: as strongly as the third weakest of eight sectors."""
    cut = np.minimum(edges, STRONGEST_LEVELS)
    weakest: list[Levels] = []
    for kernel in _sectors():
        each = cv2.filter2D(cut, -1, kernel)
        for at, known in enumerate(weakest):
            weakest[at], each = cv2.min(known, each), cv2.max(known, each)
        if len(weakest) <= WEAKEST:
            weakest.append(each)
    return weakest[WEAKEST]


def _part(levels: Levels, part: float) -> float:
    """The level that this part of them lies below."""
    at = int(part * levels.size)
    return float(np.partition(levels, at)[at])


@cache
def _sectors() -> list[Levels]:
    """Eight kernels, each a sector of the ring in which a rim lies."""
    reach = int(RING_PX[1]) + 1
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    away, around = np.hypot(x, y), np.arctan2(y, x) % (2 * np.pi)
    ring = (away >= RING_PX[0]) & (away <= RING_PX[1])
    parts = [ring & (np.floor(around / (2 * np.pi) * SECTORS) == sector) for sector in range(SECTORS)]
    return [(part / part.sum()).astype(np.float32) for part in parts]


@cache
def _disc() -> Levels:
    reach = round(DISC_EDGES * FACE_PX)
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    return (np.hypot(x, y) < DISC_EDGES * FACE_PX).astype(np.float32)


@cache
def _core() -> NDArray[np.bool_]:
    """(h, w) the inner three quarters of the face, wherever its middle is."""
    away = np.abs(np.arange(PATCH_PX) - PATCH_PX / 2 + 0.5) < 0.375 * FACE_PX
    return away[:, None] & away[None]


_VALUES = np.array(list(VALUE_OF.values()))
_LAYOUTS = np.array([[(x, y) in places for x, y in NINE] for places in VALUE_OF], np.float32)
"""(layouts, 9) which places of the grid hold pips."""
_PLACES = [np.flatnonzero(layout) for layout in _LAYOUTS]


@dataclass(frozen=True, slots=True, eq=False)
class _Poses:
    """Where on the patch the nine places lie at each pose, (poses, 9), and which square is its face's, (poses,).

    `squares`: (squares, pixels) 1 where a face of that middle and turn is; it is the same for every spacing.
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    square: NDArray[np.intp]
    squares: Levels


@cache
def _poses() -> _Poses:
    """Every pose that is tried."""
    steps = (np.arange(PATCH_PX) - PATCH_PX / 2 + 0.5) / FACE_PX
    x, y = np.meshgrid(steps, steps)
    at, squares = [], []
    for dx, dy, turn in product(SHIFTS_EDGES, SHIFTS_EDGES, TURNS):
        c, s = np.cos(turn), np.sin(turn)
        along, down = (x - dx) * c + (y - dy) * s, (y - dy) * c - (x - dx) * s
        squares.append((np.maximum(np.abs(along), np.abs(down)) < HALF_EDGES).ravel())
        at += [NINE @ np.array([[c, s], [-s, c]]) * spacing + (dx, dy) for spacing in SPACINGS]
    places = (np.array(at) * FACE_PX + PATCH_PX / 2 - 0.5).round().astype(np.intp)
    square = np.repeat(np.arange(len(squares)), len(SPACINGS))
    return _Poses(places[:, :, 1], places[:, :, 0], square, np.array(squares, np.float32))
