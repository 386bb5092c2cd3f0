"""Finds dice in the rig: what differs from the empty tray and is no shadow; then whole dice that explain it.

A shadow keeps the colour of the felt and only dims it, so each pixel is compared with its own empty colour dimmed as
well as it fits. What is left are silhouettes: an upper face and the side faces that perspective shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.rig import Rig
from vision.reading import FrameBGR

Mask = NDArray[np.uint8]
Floats = NDArray[np.float64]
Levels = NDArray[np.float32]

DIFFERENT_LEVELS = 13.0
"""Distance in colour from the dimmed felt above which a pixel is a die: black on green has 20, blurred noise 1."""
DIMMED = (0.47, 1.12)
"""How much a shadow, or light thrown back by a die, may change the felt. What is darker is the side of a dark die."""
CHANGED_LEVELS = 6.0
"""The same for a pixel that may belong to a die, or to a shadow: a red die on wine-coloured felt."""
CHANGED_NOISE = 3.0
"""And above so many times what an unchanged pixel of the same picture has."""
CHANGED_LIGHT = (0.88, 1.10)
"""A pixel whose light has changed by more may belong to a die, or to a shadow. The felt's own grain stays within."""
BETWEEN_EDGES = 0.45
"""Pips lie half an edge apart at most, 0.3 from rim to rim; and 0.15 from the face's own rim."""
SHRUNK = 2
_SUM = np.ones((1, 3), np.float32)
SMALLEST_FACES = 0.35
"""A silhouette smaller than this part of a face is no die."""
LARGEST_HOLE_FACES = 0.12
"""A hole up to this part of a face is a pip or a glare inside a die (a large one has 0.09); a larger one is felt that
shows between dice."""


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What is not as in the empty tray; (h, w), 255 or 0; pips and glare inside a die are filled.

    Attributes:
        dice: What no shadow explains. A die of nearly the ground's colour lacks here, whole or in part.
        any: All that has changed and may be a die: dice, and the darker part of their shadows.
        specks: What no shadow explains, however small: also single pips.
    """

    dice: Mask
    any: Mask
    specks: Mask


def changes(frame_bgr: FrameBGR, rig: Rig) -> Changes:
    """Compare a frame with the empty tray."""
    size_wh = (frame_bgr.shape[1], frame_bgr.shape[0])
    half_wh = (size_wh[0] // SHRUNK, size_wh[1] // SHRUNK)
    # Shrinking by areas takes the noise away as a blur would, at a quarter of the work for all that follows.
    seen = cv2.resize(frame_bgr, half_wh, interpolation=cv2.INTER_AREA).astype(np.float32)
    off, dimmed = _off_and_dimmed(seen, *_small_empty(rig))
    least = max(CHANGED_LEVELS, CHANGED_NOISE * float(np.median(off[::4, ::4])))
    solid = (off > DIFFERENT_LEVELS).astype(np.uint8) * 255
    changed = ((off > least) | (dimmed < CHANGED_LIGHT[0]) | (dimmed > CHANGED_LIGHT[1])).astype(np.uint8) * 255
    # Of a die of the ground's colour only pips and rims have changed: what lies between them belongs to it.
    between = max(3, round(BETWEEN_EDGES * rig.die_px / SHRUNK))
    opened = cv2.morphologyEx(changed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    changed = cv2.morphologyEx(opened, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (between,) * 2))
    found = [_widened(_filled(different, rig.die_px / SHRUNK), frame_bgr.shape[:2]) for different in (solid, changed)]
    specks = ((off > DIFFERENT_LEVELS) | (dimmed > CHANGED_LIGHT[1])).astype(np.uint8) * 255
    specks = cv2.morphologyEx(specks, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    specks = _widened(specks, frame_bgr.shape[:2])
    return Changes(found[0], cv2.bitwise_or(found[0], found[1]), specks)


def _widened(small: Mask, shape: tuple[int, ...]) -> Mask:
    """A shrunk mask in the frame's size; only where it holds something, as most of a tray is empty."""
    wide = np.zeros(shape, np.uint8)
    outlines, _ = cv2.findContours(small, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    for x, y, w, h in map(cv2.boundingRect, outlines):
        left, top = max(0, x - 1), max(0, y - 1)
        part = small[top : y + h + 1, left : x + w + 1]
        larger = cv2.resize(part, None, fx=SHRUNK, fy=SHRUNK, interpolation=cv2.INTER_LINEAR)
        there = wide[SHRUNK * top :, SHRUNK * left :][: larger.shape[0], : larger.shape[1]]
        there |= cv2.threshold(larger, 127, 255, cv2.THRESH_BINARY)[1][: there.shape[0], : there.shape[1]]
    return wide


def _off_and_dimmed(seen: Levels, empty: Levels, empty_squared: Levels) -> tuple[Levels, Levels]:
    """(h, w) distance of each pixel from its empty colour e, dimmed as well as it fits; and how much that was dimmed.

    The distance of s from d e is the root of s.s - 2 d s.e + d d e.e, which spares most work on three colours.
    """
    gain = _gain(seen, empty)[None]
    own = cv2.max(cv2.transform(empty_squared, gain * gain), 1.0)
    both = cv2.transform(cv2.multiply(seen, empty), gain)
    dimmed = cv2.divide(both, own)
    least = cv2.min(cv2.max(dimmed, DIMMED[0]), DIMMED[1])
    squared = cv2.transform(cv2.multiply(seen, seen), _SUM)
    squared += least * (least * own - 2 * both)
    return cv2.sqrt(cv2.max(squared, 0.0)), dimmed


@lru_cache(maxsize=2)
def _small_empty(rig: Rig) -> tuple[Levels, Levels]:
    """The empty tray, shrunk as each frame is, and its squares; they stay the same until the next calibration."""
    half_wh = (rig.empty_bgr.shape[1] // SHRUNK, rig.empty_bgr.shape[0] // SHRUNK)
    small = cv2.resize(rig.empty_bgr, half_wh, interpolation=cv2.INTER_AREA).astype(np.float32)
    return small, small * small


def _gain(seen: Levels, empty: Levels) -> Levels:
    """(3,) by how much each colour of the light has changed since calibration: the median over the picture."""
    few = np.s_[::8, ::8]
    return np.median((seen[few] + 4) / (empty[few] + 4), axis=(0, 1)).astype(np.float32)


def _filled(different: Mask, die_px: float) -> Mask:
    clean = cv2.morphologyEx(different, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    outlines, kin = cv2.findContours(clean, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    mask = np.zeros_like(clean)
    for index, outline in enumerate(outlines):
        if kin[0][index][3] < 0 and cv2.contourArea(outline) > SMALLEST_FACES * die_px**2:
            cv2.drawContours(mask, outlines, index, 255, cv2.FILLED)
    for index, outline in enumerate(outlines):
        if kin[0][index][3] >= 0 and cv2.contourArea(outline) > LARGEST_HOLE_FACES * die_px**2:
            cv2.drawContours(mask, outlines, index, 0, cv2.FILLED)
    return mask


def at_border(mask: Mask) -> bool:
    """Whether something white touches the picture's border."""
    return any(bool(line.any()) for line in (mask[0], mask[-1], mask[:, 0], mask[:, -1]))


def cube_outline(rig: Rig, face_xy: tuple[float, float], angle_rad: float) -> Floats:
    """(m, 2) outline in pixels of a whole die whose upper face is centred there, turned by that angle."""
    return cube_outlines(rig, [(*face_xy, angle_rad)])[0]


def cube_outlines(rig: Rig, poses: Sequence[tuple[float, float, float]]) -> list[Floats]:
    """(m, 2) outlines in pixels of whole dice: `poses` are x, y of the upper face's middle, and its turn in radians.

    The lower face lies on the floor right under the upper one, so it is seen nearer to the middle; the outline is the
    hull of both.
    """
    if not poses:
        return []
    each = np.array(poses, np.float64)
    below = rig.under(each[:, :2])
    half = rig.die_mm / 2
    c, s = np.cos(each[:, 2]) * half, np.sin(each[:, 2]) * half
    across = np.stack([np.stack([c - s, s + c], -1), np.stack([-c - s, c - s], -1)], 1)
    lower = below[:, None] + np.concatenate([across, -across], 1)
    x0, y0, height = rig.camera_mm
    upper = np.array([x0, y0]) + (lower - (x0, y0)) * height / (height - rig.die_mm)
    both = np.concatenate([lower, upper], 1)
    seen = rig.to_px(both.reshape(-1, 2)).astype(np.float32).reshape(both.shape)
    return [cv2.convexHull(points)[:, 0].astype(np.float64) for points in seen]
