"""A second look at faces that were not plain: the rings of their pips are counted, and a network is shown them upright.

Places and layouts (see `vision.places`) read painted pips; rings (see `vision.hollows`) also hollows without paint; the
network (see `vision.tray_faces`) has learned both, what shines through clear dice, and what speckles look like. No one
of them is believed alone: a value is trusted where the network is sure of it, another look says the same, and the die
fills its silhouette; for dice whose geometry is unexplained nothing here speaks. Plain faces are not shown to the
network, unless a glance at their rings says that they may show another value, or others lie near by.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision import tray_faces
from vision.claims import SURE_GAP, Face
from vision.hollows import Rings, may_show_another, rings
from vision.places import UNDECIDED
from vision.reading import FrameBGR

Said = NDArray[np.float64]
"""(7,) probabilities that the network gives: of no face, and of the values 1 to 6."""

FITS, FAINTEST, AHEAD = -4.5, 0.45, 0.8
"""From how well a layout's rings explain a face, how much its faintest ring stands out, and how far it is ahead of any
other value's, the rings tell anything at all: of 2,788 rendered faces of all kinds so of 2,150, wrongly of 16."""
LEAST_EDGE_PX = 40.0
"""A smaller face shows no rims."""
BESIDE_EDGES = 1.7
"""Faces whose middles are so near may share a part of their outlines."""
SURELY, AGAINST_RINGS = 0.85, 0.95
"""Probabilities from which the network's word counts, and does so where clear rings show another value: of 5,400
rendered faces it was not trained on it was so sure of all but six, and of no value wrongly; once, elsewhere, it
took a pip that shines through for a painted one, with 0.81, and the rings knew better."""
RATHER = 0.9
"""Probability below which what clear rings show is told instead, in doubt."""
LIKELIER = 0.5
"""Probability from which its value is told instead of another that is in doubt, and stays so; and from which it
may leave a face as it was."""
PLAINLY = 0.85
"""`gap` of a face whose pips stand out so clearly that it is not shown to it: of 3,600 such faces four were misread,
all worn, and the glance at their rings found each."""
FILLED = (0.6, 0.86)
"""Parts of its outline that must lie in what no shadow explains, and in what has changed at all: of red dice on red
felt the shaded sides lack in the former."""


def looked_again(frame_bgr: FrameBGR, taken: Sequence[Face], edge_px: float) -> list[Face]:
    """The faces with fewer doubts; and with more, where a face may show another value.

    Args:
        frame_bgr: The frame.
        taken: Faces that were taken, places in the frame's pixels.
        edge_px: Edge of an upper face.
    """
    worn = any(face.worn for face in taken)
    told = [_rings(frame_bgr, face, taken, edge_px, worn) for face in taken]
    asked = [at for at, (face, ring) in enumerate(zip(taken, told, strict=True)) if _questioned(face, ring)]
    said = tray_faces.asked(frame_bgr, [taken[at].pose for at in asked], edge_px) if asked else None
    heard = {} if said is None else dict(zip(asked, said, strict=True))
    seen = []
    for at, (face, ring) in enumerate(zip(taken, told, strict=True)):
        face = replace(face, ringed=_show(ring, face.value))
        if at in heard:
            face = _judged(face, ring, heard[at])
            if not face.sure and heard[at].argmax() == 0:
                face = _as_near(frame_bgr, face, edge_px)
        elif at in asked and not face.ringed:
            face = _in_doubt(face)
        seen.append(face)
    return seen


def _rings(frame_bgr: FrameBGR, face: Face, taken: Sequence[Face], edge_px: float, worn: bool) -> Rings | None:
    """What the rings of a face say; None if it is too small, or plain to see and not beside others."""
    if edge_px < LEAST_EDGE_PX:
        return None
    at = (frame_bgr, face.centre_xy, face.turn, edge_px)
    others = [other for other in taken if other is not face]
    beside = any(math.dist(face.centre_xy, other.centre_xy) < BESIDE_EDGES * edge_px for other in others)
    asked = worn or beside or face.crowded or not face.sure
    return rings(*at) if asked or may_show_another(*at, face.value) else None


def _questioned(face: Face, ring: Rings | None) -> bool:
    """Whether the network is asked: of a face that is in doubt or not plain, or whose rings tell no such value."""
    if not face.sure or face.crowded or face.worn or face.gap < PLAINLY:
        return True
    return ring is not None and not _show(ring, face.value)


def _show(ring: Rings | None, value: int) -> bool:
    """Whether the rings of that value are clearer than those of any other."""
    return ring is not None and _tells(ring) and ring.value == value


def _tells(ring: Rings) -> bool:
    """Whether the rings of some value are clearer than those of any other."""
    return ring.fits >= FITS and ring.faintest >= FAINTEST and ring.ahead >= AHEAD


def _judged(face: Face, ring: Rings | None, said: Said) -> Face:
    """What the places, the rings and the network make of a face together."""
    value, surely = int(said.argmax()), float(said.max())
    denied = ring is not None and _tells(ring) and ring.value != value
    if value == 0 or surely < (AGAINST_RINGS if denied else SURELY):
        if face.sure and not face.crowded and not denied and value == face.value and surely >= LIKELIER:
            return face
        if ring is not None and denied and surely < RATHER:
            return _in_doubt(face, ring.value)
        return _in_doubt(face, value if surely >= LIKELIER else 0)
    seconded = value in (face.value, *face.also) or (ring is not None and ring.value == value)
    filled = face.solid >= FILLED[0] and face.inside >= FILLED[1]
    if (face.sure and face.value == value) or (seconded and filled):
        return replace(face, value=value, gap=max(face.gap, SURE_GAP), confirmed=True, ringed=_show(ring, value))
    return _in_doubt(face, value)


def _as_near(frame_bgr: FrameBGR, face: Face, edge_px: float) -> Face:
    """A face in doubt where the network sees none, with the value of one that it sees if the face lies otherwise."""
    seen = tray_faces.seen_near(frame_bgr, face.pose, edge_px)
    return face if seen is None else replace(face, value=seen[0], centre_xy=seen[1][:2])


def _in_doubt(face: Face, value: int = 0) -> Face:
    """The face in doubt, and with that value; 0 for its own."""
    return replace(face, value=value or face.value, gap=min(face.gap, UNDECIDED), confirmed=False)
