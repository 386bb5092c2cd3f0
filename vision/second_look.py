"""A second look: the rings that pips leave are counted (see `vision.hollows`); of faces in doubt a network is asked.

The rings end a doubt where they are clearer for one value than for any other, and one of the looks before, or the
network, says the same, or nothing speaks against them. They raise one where they surely show another value than was
read. The network (see `vision.faces`) is shown only faces whose places and layouts left a doubt. Where the rings tell
nothing, as on speckles, its word ends the doubt if it is very sure, if one of the looks before said the same, and if
the die fills its silhouette: it never speaks for dice whose geometry is unexplained. It takes a five whose middle has
lost its paint for a four, surely so; but a hollow's rim can still be seen, so a two or a four is believed only if its
middle is as smooth as its sides. At last it is shown every face that was not plain to two looks: where it is sure of
something else, there is a doubt.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import faces
from vision.claims import FULLEST, SURE_GAP, Face
from vision.hollows import Rings, may_show_another, rings
from vision.places import UNDECIDED
from vision.reading import FrameBGR
from vision.upright import steepness, upright

FITS, FAINTEST, AHEAD = -4.5, 0.45, 0.8
"""From how well a layout's rings explain a face, how much its faintest ring stands out, and how far it is ahead of any
other value's, the rings tell anything at all: of 2,788 rendered faces of all kinds so of 2,150, wrongly of 16."""
CLEARLY, FAR_AHEAD = -3.3, 1.2
"""From there they are taken at their word against all others: so of 1,545 of those faces, of none wrongly."""
LIKELIEST = 1.0
"""So far ahead theirs is the likelier value where they disagree with a face that was plain otherwise."""
RAISES = 2.5
"""So far ahead they raise a doubt however badly they explain the face: nothing else explains it any better."""
QUIET_LEVELS = 2.5
"""Edges of a plain place, in levels per pixel, above which noise hides the rim of a bare hollow, which has 3 or 4."""
LEAST_EDGE_PX = 40.0
"""A smaller face shows no rims."""
BESIDE_EDGES = 1.7
"""Faces whose middles are so near may share a part of their outlines."""
MOSTLY_FILLED = 0.7
"""Part of its outline that a die must fill whose rings were found: their places say more exactly where it lies."""
AS_LIKELY = 0.5
"""Probability from which the network says the same as the rings."""
HARDLY, BOTH_SURE = (-5.0, 0.2), 0.85
"""Rings that fit so well, and are so far ahead, tell nothing alone, but second the network from that probability."""
VERY_SURE = 0.95
"""Probability from which the network's word counts; of the 88 worn faces that it was chosen on it was that sure of 75,
wrongly only of a four that is a five without paint in its middle."""
FILLED = 0.9
"""Part of its outline that a die must fill; worn and clear ones in doubt that lie flat fill 0.92 and more."""
SURE_OF_WORN = 0.85
"""The same for a value that hollows without paint show already."""
LIKELIER = 0.8
"""Probability from which the network's value is taken instead of another that is in doubt, and stays so."""
CONTRADICTS = 0.9
"""Probability from which the network's word for another value, or for no face, leaves a doubt whatever else agrees."""
PLAINLY = 0.85
"""`gap` of a face whose pips stand out so clearly that it is not shown to it: the four of 2,040 rendered pictures that
were read wrongly and trusted without this had less."""
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
    """The faces with fewer doubts; and with more, where a face shows the rings of another value.

    Args:
        frame_bgr: The frame.
        taken: Faces that were taken, places in the frame's pixels.
        edge_px: Edge of an upper face.
    """
    worn = any(face.worn for face in taken)
    told = [_rings(frame_bgr, face, taken, edge_px, worn) for face in taken]
    seen = [_with_doubt(frame_bgr, face, ring, edge_px, worn) for face, ring in zip(taken, told, strict=True)]
    asked = [at for at, face in enumerate(seen) if not face.sure or face.crowded]
    said = faces.asked(frame_bgr, [(*seen[at].centre_xy, edge_px) for at in asked]) if asked else None
    heard = dict.fromkeys(asked) if said is None else dict(zip(asked, said, strict=True))
    for at in asked:
        seen[at] = _heard(frame_bgr, seen[at], told[at], heard[at], edge_px)
    return _contradicted(frame_bgr, seen, heard, edge_px)


def _contradicted(
    frame_bgr: FrameBGR, seen: list[Face], heard: dict[int, NDArray[np.float64] | None], edge_px: float
) -> list[Face]:
    """The faces; in doubt where one that is not quite plain shows the network something else."""
    unasked = [at for at, face in enumerate(seen) if face.sure and _not_plain(face) and at not in heard]
    said = faces.asked(frame_bgr, [(*seen[at].centre_xy, edge_px) for at in unasked]) if unasked else None
    if said is not None:
        heard = heard | dict(zip(unasked, said, strict=True))
    for at, each in heard.items():
        if seen[at].sure and each is not None and each.argmax() != seen[at].value and each.max() >= CONTRADICTS:
            seen[at] = replace(seen[at], gap=min(seen[at].gap, UNDECIDED), confirmed=False)
    return seen


def _not_plain(face: Face) -> bool:
    """Whether fewer than two looks saw the value plainly by themselves."""
    return face.confirmed or (not face.ringed and (face.worn or face.gap < PLAINLY))


def _rings(frame_bgr: FrameBGR, face: Face, taken: Sequence[Face], edge_px: float, worn: bool) -> Rings | None:
    """What the rings of a face say; None if it is too small, or plain to see and not beside others."""
    if edge_px < LEAST_EDGE_PX:
        return None
    at = (frame_bgr, face.centre_xy, face.turn, edge_px)
    others = [other for other in taken if other is not face]
    beside = any(math.dist(face.centre_xy, other.centre_xy) < BESIDE_EDGES * edge_px for other in others)
    asked = worn or beside or face.crowded or not face.sure
    return rings(*at) if asked or may_show_another(*at, face.value) else None


def _with_doubt(frame_bgr: FrameBGR, face: Face, ring: Rings | None, edge_px: float, worn: bool) -> Face:
    """The face; in doubt if its rings show another value, or tell nothing and a four has a rim in its middle."""
    if ring is not None and not _tells(ring) and _questions(ring, face):
        return replace(face, crowded=True)
    if ring is not None and _tells(ring):
        if ring.value == face.value:
            return replace(face, ringed=True)
        clear = ring.fits >= CLEARLY or ring.ahead >= RAISES
        more_that_may_shine = ring.value > face.value and ring.shining
        if clear and not more_that_may_shine:
            return replace(face, gap=min(face.gap, UNDECIDED), crowded=face.crowded or face.sure)
        return replace(face, crowded=face.crowded or _questions(ring, face))
    if not worn or face.value != 4 or roughness(frame_bgr, face, edge_px) < RIMMED:
        return face
    return replace(face, gap=min(face.gap, UNDECIDED))


def _questions(ring: Rings, face: Face) -> bool:
    """Whether rings that show another value, however badly they fit, are a reason to ask about a plain face."""
    return ring.ahead >= AHEAD and ring.value != face.value and not (ring.value > face.value and ring.shining)


def _tells(ring: Rings) -> bool:
    """Whether the rings of one value are clearer than those of any other."""
    return ring.fits >= FITS and ring.faintest >= FAINTEST and ring.ahead >= AHEAD


def _heard(
    frame_bgr: FrameBGR, face: Face, ring: Rings | None, said: NDArray[np.float64] | None, edge_px: float
) -> Face:
    """What the rings and the network make of a face in doubt, or of a crowded one."""
    if face.sure:
        same = face.ringed and ring is not None and ring.shining
        if same or said is None or said.argmax() == face.value:
            return face
        both = ring is not None and said.argmax() == ring.value and said.max() >= LIKELIER
        return replace(face, value=int(said.argmax()) if both else face.value, gap=UNDECIDED)
    if ring is None or not _tells(ring):
        if said is None:
            return face
        if ring is not None and _seconded(face, ring, said):
            return _confirmed(face, ring.value)
        return _believed(frame_bgr, face, said, edge_px)
    # What was plain, or crowded, until the rings spoke against it, is not theirs for a passing look at its places.
    named = not face.crowded and ring.value in (face.value, *face.also)
    alike = named or (said is not None and said[ring.value] >= AS_LIKELY)
    clear = ring.fits >= CLEARLY and ring.ahead >= FAR_AHEAD and not ring.shining
    quiet = ring.value in FULLEST or ring.plain <= QUIET_LEVELS
    if quiet and (alike or clear) and face.solid >= MOSTLY_FILLED:
        return replace(_confirmed(face, ring.value), ringed=True)
    likelier = ring.ahead >= LIKELIEST or ring.value in face.also
    return replace(face, value=ring.value if likelier else face.value, gap=min(face.gap, UNDECIDED))


def _seconded(face: Face, ring: Rings, said: NDArray[np.float64]) -> bool:
    """Whether the network, a look before and the likeliest rings say the same."""
    alike = ring.value == said.argmax() and said[ring.value] >= BOTH_SURE and ring.value in (face.value, *face.also)
    return alike and ring.fits >= HARDLY[0] and ring.ahead >= HARDLY[1] and face.solid >= MOSTLY_FILLED


def _confirmed(face: Face, value: int) -> Face:
    return replace(face, value=value, gap=max(face.gap, SURE_GAP), confirmed=True)


def _believed(frame_bgr: FrameBGR, face: Face, said: NDArray[np.float64], edge_px: float) -> Face:
    """What the network alone makes of a face in doubt."""
    value = int(said.argmax())
    by_hollows = face.worn and face.gap >= SURE_GAP and face.value == value
    if value == 0 or said[value] < LIKELIER or value not in (face.value, *face.also):
        return face
    unlike = value in ONE_FEWER and roughness(frame_bgr, face, edge_px) > SMOOTH
    if unlike or face.solid < FILLED or said[value] < (SURE_OF_WORN if by_hollows else VERY_SURE):
        return face if face.gap >= SURE_GAP else replace(face, value=value)
    return _confirmed(face, value)


def roughness(frame_bgr: FrameBGR, face: Face, edge_px: float) -> float:
    """How many times more edges there are in the middle of a face than at its four sides."""
    face_bgr = upright(frame_bgr, face.centre_xy, face.turn, edge_px, PATCH_PX)
    patch = cv2.GaussianBlur(face_bgr.astype(np.float32), (0, 0), 1.0)
    edges = steepness(patch)
    reach = round(RIM * PATCH_PX)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1,) * 2).astype(np.float32)
    counted = cv2.filter2D(edges, -1, disc / disc.sum())
    low, mid, high = (round((0.5 + at) * PATCH_PX) for at in (-SIDE, 0.0, SIDE))
    middle = float(counted[mid - 3 : mid + 4, mid - 3 : mid + 4].max())
    sides = [counted[b - 1 : b + 2, a - 1 : a + 2].min() for a, b in ((low, mid), (high, mid), (mid, low), (mid, high))]
    return middle / max(float(np.median(sides)), NOISE_LEVELS)
