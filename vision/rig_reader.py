"""Reads the dice of a calibrated tray: every silhouette must be explained by whole dice with canonical faces.

The pips propose faces; the geometry of the rig then says what outline a die with that face must have. A face is taken
only if its whole die lies inside the silhouette, and the reading is trusted only if the dice leave nothing unexplained.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find import Mask, cube_outline, silhouettes
from vision.layouts import Fit, fits
from vision.pips import pips
from vision.reading import Die, FrameBGR, Reading
from vision.tray import Rig

Floats = NDArray[np.float64]

INSIDE = 0.86
"""Part of a die's outline that must lie inside the silhouette. Rounded corners, blur and a body of nearly the felt's
colour cost up to 0.1; a face made up from the pips of a side reaches 0.78."""
UNEXPLAINED_FACES = 0.3
"""Largest piece of a silhouette that may be left over, in faces: soft rims and gaps between dice that lie close. A die
that was not found leaves a piece of nearly a whole face at least."""
OVERLAP_FACES = 0.06
"""Upper faces of two dice do not overlap, but for this part of a face that measuring costs."""
UNCLAIMED = 0.55
"""Part of a die's outline that no other die has claimed; one put together from its neighbours' pips has less."""
APART_EDGES = 0.85
"""Two upper faces are at least nearly an edge apart."""
TURNS = np.radians(np.arange(0, 90, 6))
"""Rotations tried for a single pip, which shows none of its own."""
MARGIN_PX = 6


@dataclass(frozen=True, slots=True)
class _Face:
    """A fit with its turn, its die's outline, and how much of that lies inside the silhouette."""

    fit: Fit
    turn: float
    outline: Floats
    inside: float


class RigReader:
    """The classical reader of a calibrated tray."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig

    def read(self, frame_bgr: FrameBGR, expect: int | None = None) -> Reading:
        """Read a frame of the rig's own size. Doubts: `unread`, `cut_off`, `count`."""
        mask = silhouettes(frame_bgr, self._rig)
        dice: list[Die] = []
        doubt: str | None = None
        for x, y, w, h in _boxes(mask):
            region = _grown(x, y, w, h, mask.shape)
            found, explained = self._dice(frame_bgr[region], mask[region], (region[1].start, region[0].start))
            dice += found
            if not explained:
                doubt = "unread"
            if x == 0 or y == 0 or x + w == mask.shape[1] or y + h == mask.shape[0]:
                doubt = "cut_off"
        if doubt is None and expect is not None and len(dice) != expect:
            doubt = "count"
        return Reading(tuple(sorted(dice, key=lambda die: die.box_xywh)), doubt)

    def _dice(self, crop_bgr: FrameBGR, mask: Mask, at_xy: tuple[int, int]) -> tuple[list[Die], bool]:
        """The dice of one silhouette, and whether they explain all of it."""
        edge_px = self._rig.die_px
        left = (mask > 0).astype(np.uint8)
        taken: list[_Face] = []
        for face in sorted(self._faces(crop_bgr, mask, at_xy), key=_best_first):
            unclaimed = _inside(face.outline - at_xy, left * 255) >= UNCLAIMED
            if unclaimed and all(_clear(face, other, edge_px) for other in taken):
                taken.append(face)
                cv2.fillConvexPoly(left, (face.outline - at_xy).round().astype(np.int32), 0)
        left = cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
        pieces = cv2.connectedComponentsWithStats(left)[2][1:, cv2.CC_STAT_AREA]
        explained = bool(taken) and int(pieces.max(initial=0)) < UNEXPLAINED_FACES * edge_px**2
        return [_die(face, edge_px, at_xy) for face in taken], explained

    def _faces(self, crop_bgr: FrameBGR, mask: Mask, at_xy: tuple[int, int]) -> Iterator[_Face]:
        edge_px = self._rig.die_px
        for fit in fits(pips(crop_bgr, edge_px, mask), edge_px):
            centre = (fit.centre_xy[0] + at_xy[0], fit.centre_xy[1] + at_xy[1])
            turns = TURNS if fit.angle_rad is None else np.array([fit.angle_rad])
            outlines = [cube_outline(self._rig, centre, float(turn)) for turn in turns]
            inside = [_inside(outline - at_xy, mask) for outline in outlines]
            best = int(np.argmax(inside))
            if inside[best] >= INSIDE:
                yield _Face(fit, float(turns[best]), outlines[best], inside[best])


def _best_first(face: _Face) -> tuple[float, float]:
    """More pips first: a face inside another's pattern never has more; then what fills the silhouette best."""
    return -len(face.fit.pips), face.fit.off - face.inside


def _clear(face: _Face, other: _Face, edge_px: float) -> bool:
    apart = math.dist(face.fit.centre_xy, other.fit.centre_xy)
    if apart <= APART_EDGES * edge_px or set(face.fit.pips) & set(other.fit.pips):
        return False
    overlap, _ = cv2.intersectConvexConvex(_square(face, edge_px), _square(other, edge_px))
    return overlap <= OVERLAP_FACES * edge_px**2


def _square(face: _Face, edge_px: float) -> NDArray[np.float32]:
    """(4, 2) corners of the upper face."""
    return cv2.boxPoints((face.fit.centre_xy, (edge_px, edge_px), math.degrees(face.turn)))


def _inside(outline: Floats, mask: Mask) -> float:
    """Part of the outline's area that the mask covers; what lies outside the picture is not covered."""
    filled = np.zeros(mask.shape, np.uint8)
    cv2.fillConvexPoly(filled, (outline * 16).round().astype(np.int32), 255, cv2.LINE_8, 4)
    area = cv2.contourArea(outline.astype(np.float32))
    return cv2.countNonZero(cv2.bitwise_and(filled, mask)) / max(area, 1.0)


def _die(face: _Face, edge_px: float, at_xy: tuple[int, int]) -> Die:
    x, y = face.fit.centre_xy[0] + at_xy[0], face.fit.centre_xy[1] + at_xy[1]
    box = (round(x - edge_px / 2), round(y - edge_px / 2), round(edge_px), round(edge_px))
    return Die(face.fit.value, box, round(min(1.0, face.inside) * (1 - face.fit.off / 2), 3))


def _boxes(mask: Mask) -> list[tuple[int, int, int, int]]:
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask)
    return [(int(x), int(y), int(w), int(h)) for x, y, w, h, _ in stats[1:]]


def _grown(x: int, y: int, w: int, h: int, shape: tuple[int, ...]) -> tuple[slice, slice]:
    rows = slice(max(0, y - MARGIN_PX), min(shape[0], y + h + MARGIN_PX))
    return rows, slice(max(0, x - MARGIN_PX), min(shape[1], x + w + MARGIN_PX))
