"""Where dice lie, by their silhouettes alone, also such as touch: the poses that together fill a silhouette best.

A die that touches another has no outline of its own, and faces without paint name no pose; but whole dice are of one
size, and fill what is seen without lying in each other. So many poses are tried for a single die on a coarse picture of
the silhouette; the best set of them is chosen by what each pair shares; and every die is then moved and turned in
small steps as long as the set fills the silhouette better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.background import Mask, cube_outline, cube_outlines
from vision.geometry.rig import Rig
from vision.poses import Pose, upper_face

Floats = NDArray[np.float64]
Levels = NDArray[np.float32]

COARSE_PX = 18.0
"""An edge in the coarse picture: a step of the search is two pixels there."""
STEP_EDGES, STEP_DEG = 0.12, 9.0
MOST_TRIED = 400
"""Poses that are paired: the best by themselves, of some thousand."""
SHADE_COSTS, OUTSIDE_COSTS = 0.3, 1.2
"""What a pixel costs that a die covers beside the silhouette, where something has changed (it may be a shaded side, or
a shadow) and where nothing has; one in the silhouette is worth 1."""
IN_EACH_OTHER_COSTS = 2.0
"""What a pixel costs that two upper faces share: dice do not lie in each other."""
FINE = ((0.05, 4.0), (0.02, 1.5))
"""Steps in edges and degrees by which each die is moved at last, coarse and fine."""
ROUNDS = 6
"""Most rounds of each of them."""
BEGINNINGS, MOST_PAIRS = 6, 120
"""Pairs from which sets are grown, and so many are looked through for some that have no pose in common."""
MOST_DICE = 5
"""More that touch are not tried."""
ROUNDED = 0.92
"""Part of a hull that a die with rounded corners fills."""


@dataclass(frozen=True, slots=True)
class Packing:
    """Poses that fill a silhouette, and how well: the part of it that is filled, less what lies beside or doubly."""

    poses: tuple[Pose, ...]
    filled: float


def packed(piece: Mask, changed: Mask, rig: Rig, at_xy: tuple[int, int]) -> Packing | None:
    """The poses of the dice that fill a piece of a silhouette; None if it holds none, or too many.

    Args:
        piece: (h, w) 255 where the piece is.
        changed: (h, w) 255 where anything has changed.
        rig: The calibration.
        at_xy: Where the upper left corner of `piece` lies in the frame.
    """
    count = _count(piece, rig, at_xy)
    if not 1 <= count <= MOST_DICE:
        return None
    worth = worths(piece, changed)
    found = _set_of(piece, worth, rig, at_xy, count)
    return None if found is None else _finely(worth, rig, at_xy, found)


def worths(piece: Mask, changed: Mask) -> Levels:
    """(h, w) what each pixel is worth to a die that covers it."""
    beside = np.where(changed > 0, np.float32(-SHADE_COSTS), np.float32(-OUTSIDE_COSTS))
    return np.where(piece > 0, np.float32(1), beside)


def filling(worth: Levels, rig: Rig, at_xy: tuple[int, int], poses: Sequence[Pose]) -> float:
    """How well these dice fill a piece; see `Packing`."""
    outlines = [one - at_xy for one in cube_outlines(rig, list(poses))]
    covered = np.zeros(worth.shape, np.uint8)
    for outline in outlines:
        _fill(covered, outline, 1)
    pairs = combinations([upper_face(pose, rig.die_px) for pose in poses], 2)
    shared = sum(cv2.intersectConvexConvex(one, other)[0] for one, other in pairs)
    whole = max(1, int(np.count_nonzero(worth > 0)))
    return (float(worth[covered > 0].sum()) - IN_EACH_OTHER_COSTS * shared) / whole


def _count(piece: Mask, rig: Rig, at_xy: tuple[int, int]) -> int:
    """How many dice a piece holds, by its area."""
    x, y, w, h = cv2.boundingRect(piece)
    middle = (at_xy[0] + x + w / 2, at_xy[1] + y + h / 2)
    one = cv2.contourArea(cube_outline(rig, middle, 0.0).astype(np.float32))
    return round(cv2.countNonZero(piece) / (ROUNDED * one))


def _set_of(piece: Mask, worth: Levels, rig: Rig, at_xy: tuple[int, int], count: int) -> tuple[Pose, ...] | None:
    """So many coarse poses that fill the piece best together."""
    scale = COARSE_PX / rig.die_px
    small = cv2.resize(worth, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    tried = _worthy(piece, small, rig, at_xy, scale)
    if len(tried) < count:
        return None
    if count == 1:
        return (tried[0],)
    hulls = _covers([(outline - at_xy) * scale for outline in cube_outlines(rig, tried)], small)
    faces = _covers([(upper_face(pose, rig.die_px) - at_xy) * scale for pose in tried], small)
    alone = hulls @ small.ravel()
    shared = (hulls * small.ravel()) @ hulls.T + IN_EACH_OTHER_COSTS * (faces @ faces.T)
    np.fill_diagonal(shared, np.inf)
    chosen = max((_grown(pair, alone, shared, count) for pair in _pairs(alone, shared)), key=lambda s: s[0])[1]
    return tuple(tried[at] for at in chosen)


def _worthy(piece: Mask, worth: Levels, rig: Rig, at_xy: tuple[int, int], scale: float) -> list[Pose]:
    """The best poses of a single die, best first."""
    x, y, w, h = cv2.boundingRect(piece)
    step = STEP_EDGES * rig.die_px
    across, down = np.arange(x, x + w, step), np.arange(y, y + h, step)
    inner = cv2.erode(piece, np.ones((3, 3), np.uint8))
    places = [(float(px), float(py)) for px, py in product(across, down) if inner[int(py), int(px)]]
    turns = np.radians(np.arange(0.0, 90.0, STEP_DEG))
    poses = [(px + at_xy[0], py + at_xy[1], float(turn)) for (px, py), turn in product(places, turns)]
    alone = []
    for outline in cube_outlines(rig, poses):
        cover = np.zeros(worth.shape, np.uint8)
        _fill(cover, (outline - at_xy) * scale, 1)
        alone.append(float(worth[cover > 0].sum()))
    return [poses[at] for at in np.argsort(-np.array(alone))[:MOST_TRIED]]


def _covers(outlines: Sequence[Floats | NDArray[np.float32]], like: Levels) -> Levels:
    """(outlines, pixels) 1 where each covers a picture of that shape."""
    covers = np.zeros((len(outlines), *like.shape), np.uint8)
    for cover, outline in zip(covers, outlines, strict=True):
        _fill(cover, outline, 1)
    return covers.reshape(len(outlines), like.size).astype(np.float32)


def _pairs(alone: Floats, shared: Floats) -> list[list[int]]:
    """The best pairs, none of them with a die of another."""
    one, other = np.triu_indices(len(alone), 1)
    together = alone[one] + alone[other] - shared[one, other]
    found: list[list[int]] = []
    for at in np.argsort(-together)[:MOST_PAIRS]:
        pair = [int(one[at]), int(other[at])]
        if not any(set(pair) & set(known) for known in found):
            found.append(pair)
    return found[:BEGINNINGS]


def _grown(chosen: list[int], alone: Floats, shared: Floats, count: int) -> tuple[float, list[int]]:
    """A pair grown to that many, each die then exchanged for a better one as long as there is one."""
    while len(chosen) < count:
        chosen.append(int((alone - shared[:, chosen].sum(1)).argmax()))
    for _ in range(ROUNDS):
        before = list(chosen)
        for at in range(count):
            others = chosen[:at] + chosen[at + 1 :]
            chosen[at] = int((alone - shared[:, others].sum(1)).argmax())
        if chosen == before:
            break
    inner = sum(shared[one, other] for at, one in enumerate(chosen) for other in chosen[:at])
    return float(alone[chosen].sum() - inner), chosen


def _finely(worth: Levels, rig: Rig, at_xy: tuple[int, int], poses: tuple[Pose, ...]) -> Packing:
    """Every die moved and turned by small steps while that fills the piece better."""
    best = list(poses)
    score = filling(worth, rig, at_xy, tuple(best))
    for step_edges, step_deg in FINE:
        for _ in range(ROUNDS):
            before = score
            for at in range(len(best)):
                for way in _ways(step_edges * rig.die_px, math.radians(step_deg)):
                    moved = (best[at][0] + way[0], best[at][1] + way[1], best[at][2] + way[2])
                    tried = (*best[:at], moved, *best[at + 1 :])
                    new = filling(worth, rig, at_xy, tried)
                    if new > score:
                        best, score = list(tried), new
            if score == before:
                break
    return Packing(tuple((x, y, turn % (math.pi / 2)) for x, y, turn in best), score)


def _ways(step_px: float, step_rad: float) -> list[tuple[float, float, float]]:
    ways = [(dx * step_px, dy * step_px, 0.0) for dx, dy in product((-1, 0, 1), repeat=2) if dx or dy]
    return [*ways, (0.0, 0.0, step_rad), (0.0, 0.0, -step_rad)]


def _fill(mask: Mask, outline: Floats | NDArray[np.float32], value: int) -> None:
    cv2.fillConvexPoly(mask, (outline * 16).round().astype(np.int32), value, cv2.LINE_8, 4)
