"""A second look at faces in doubt: another reader is asked, and rims of hollows are looked for where no pip was seen.

A face's own network (see `vision.faces`) is shown only faces whose places and layouts left a doubt. Its word ends the
doubt if it is very sure, if one of the looks before said the same, and if the die fills its silhouette: it never speaks
for dice whose geometry is unexplained. It takes a five whose middle has lost its paint for a four, surely so; but a
hollow's rim can still be seen, so a two or a four is believed only if its middle is as smooth as its sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import faces
from vision.claims import SURE_GAP, Face
from vision.places import UNDECIDED
from vision.reading import FrameBGR
from vision.upright import upright

VERY_SURE = 0.95
"""Probability from which the network's word counts; of the 88 worn faces that it was chosen on it was that sure of 75,
wrongly only of a four that is a five without paint in its middle."""
FILLED = 0.9
"""Part of its outline that a die must fill; worn and clear ones in doubt that lie flat fill 0.92 and more."""
SURE_OF_WORN = 0.85
"""The same for a value that hollows without paint show already."""
LIKELIER = 0.8
"""Probability from which the network's value is taken instead of another that is in doubt, and stays so."""
SMOOTH, RIMMED = 1.35, 1.8
"""How much more edges there are in the middle of a two or a four than at its sides: 0.6 to 1.2 times when it is bare,
2.7 times when it holds a hollow without paint. Between the two nothing is sure."""
ONE_FEWER = (2, 4)
"""Values that one more pip would make another value: the one in the middle."""
PATCH_PX = 64
"""A face is brought to this size: a hollow's rim is then 3 px wide."""
SIDE = 0.27
"""Places at the sides of a face where a four holds nothing, in edges from its middle."""
RIM = 0.12
"""Radius in edges over which edges are counted: the rim of a pip and little more."""
NOISE_LEVELS = 0.5
"""What noise adds to edges at any place at least."""


def looked_again(frame_bgr: FrameBGR, taken: Sequence[Face], edge_px: float) -> list[Face]:
    """The faces with fewer doubts; and with one more, where a four beside worn dice may be a five.

    Args:
        frame_bgr: The frame.
        taken: Faces that were taken, places in the frame's pixels.
        edge_px: Edge of an upper face.
    """
    if all(face.sure and not face.crowded for face in taken):
        return list(taken)
    worn = any(face.worn for face in taken)
    seen = [_maybe_five(frame_bgr, face, edge_px) if worn else face for face in taken]
    asked = [face for face in seen if not face.sure or face.crowded]
    confirmed = dict(zip(map(id, asked), _asked(frame_bgr, asked, edge_px), strict=True))
    return [confirmed.get(id(face), face) for face in seen]


def _maybe_five(frame_bgr: FrameBGR, face: Face, edge_px: float) -> Face:
    """The face; in doubt if it is a four with a rim in its middle. It may be what shines through a clear one, too."""
    if face.value != 4 or roughness(frame_bgr, face, edge_px) < RIMMED:
        return face
    return replace(face, gap=min(face.gap, UNDECIDED))


def _asked(frame_bgr: FrameBGR, doubted: list[Face], edge_px: float) -> list[Face]:
    """What the network makes of faces in doubt."""
    if not doubted:
        return []
    said = faces.asked(frame_bgr, [(*face.centre_xy, edge_px) for face in doubted])
    if said is None:
        return doubted
    return [_heard(frame_bgr, face, each, edge_px) for face, each in zip(doubted, said, strict=True)]


def _heard(frame_bgr: FrameBGR, face: Face, said: NDArray[np.float64], edge_px: float) -> Face:
    value = int(said.argmax())
    if face.sure:
        return face if value == face.value else replace(face, gap=min(face.gap, UNDECIDED))
    by_hollows = face.worn and face.gap >= SURE_GAP and face.value == value
    if value == 0 or said[value] < LIKELIER or value not in (face.value, *face.also):
        return face
    unlike = value in ONE_FEWER and roughness(frame_bgr, face, edge_px) > SMOOTH
    if unlike or face.solid < FILLED or said[value] < (SURE_OF_WORN if by_hollows else VERY_SURE):
        return face if face.gap >= SURE_GAP else replace(face, value=value)
    return replace(face, value=value, gap=max(face.gap, SURE_GAP), confirmed=True)


def roughness(frame_bgr: FrameBGR, face: Face, edge_px: float) -> float:
    """How many times more edges there are in the middle of a face than at its four sides."""
    face_bgr = upright(frame_bgr, face.centre_xy, face.turn, edge_px, PATCH_PX)
    patch = cv2.GaussianBlur(face_bgr.astype(np.float32), (0, 0), 1.0)
    along, down = cv2.Sobel(patch, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(patch, cv2.CV_32F, 0, 1, scale=1 / 8)
    edges = np.sqrt((along**2 + down**2).sum(axis=2))
    reach = round(RIM * PATCH_PX)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1,) * 2).astype(np.float32)
    counted = cv2.filter2D(edges, -1, disc / disc.sum())
    low, mid, high = (round((0.5 + at) * PATCH_PX) for at in (-SIDE, 0.0, SIDE))
    middle = float(counted[mid - 3 : mid + 4, mid - 3 : mid + 4].max())
    sides = [counted[b - 1 : b + 2, a - 1 : a + 2].min() for a, b in ((low, mid), (high, mid), (mid, low), (mid, high))]
    return middle / max(float(np.median(sides)), NOISE_LEVELS)
