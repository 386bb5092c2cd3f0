"""Which of the faces that may be are taken: what speaks for each, and which exclude each other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.background import Mask
from vision.places import Placed
from vision.poses import Pose, inside, upper_face

Floats = NDArray[np.float64]

OVERLAP_FACES = 0.06
"""Upper faces of two dice do not overlap, but for this part of a face that measuring costs."""
UNCLAIMED = 0.55
"""Part of a die's outline that no other die has claimed; one put together from its neighbours' pips has less."""
APART_EDGES = 0.85
"""Two upper faces are at least nearly an edge apart."""
OWN = 0.75
"""Least part of its outline that a die shares with no other's: dice that touch keep 0.9, one that was made up between
two others has two thirds."""
SURE_GAP = 0.5
"""Below it a face is in doubt (see `places.Placed.gap`): of 285 rendered faces three in a hundred that were read
rightly lie below it, most of them worn, and all that were read wrongly."""
CLEAR_SOLID = 0.93
"""A face this clear, in a silhouette that it fills, is taken before the silhouette is asked where its die lies."""
SOLID_COUNTS = 4.0
PIPS_COUNT = 0.1
"""What a filled silhouette counts for, and what each pip adds to a face's claim: one put together from the pips of a
side seldom has as many as the true one."""
FULLEST = (5, 6)
"""Values that one more pip would not make another value."""


@dataclass(frozen=True, slots=True)
class Face:
    """A face that may be: its value, middle in the frame, turn, its die's outline, and what speaks for it.

    `inside` is the part of the outline that lies in what has changed, `solid` the part in what no shadow explains,
    `gap` how clearly its places hold pips or none (see `places`), `pips` the indexes of those that it explains, `also`
    what other looks at it said, `confirmed` whether a second look ended the doubt (see `second_look`),
    `crowded` whether a single pip has others near by, `ringed` whether the rings of its pips show the same value.
    """

    value: int
    centre_xy: tuple[float, float]
    turn: float
    outline: Floats
    inside: float
    solid: float
    gap: float
    off: float
    pips: tuple[int, ...]
    worn: bool
    also: tuple[int, ...] = ()
    confirmed: bool = False
    crowded: bool = False
    ringed: bool = False

    @property
    def pose(self) -> Pose:
        """How the die lies."""
        return (*self.centre_xy, self.turn)

    @property
    def sure(self) -> bool:
        """Whether the value is to be trusted; where paint is lost, another pip may have lost it to the last trace."""
        return self.confirmed or (self.gap >= SURE_GAP and (not self.worn or self.value in FULLEST))


def clearly(face: Face) -> bool:
    """Whether a face is plain to see, in a silhouette that it fills."""
    return face.gap >= SURE_GAP and face.solid >= CLEAR_SOLID


def best_first(face: Face) -> float:
    """All that speaks for a face together, each part 0 to about 1; first of all that it fills its silhouette."""
    claim = SOLID_COUNTS * face.solid + face.inside + face.gap + PIPS_COUNT * len(face.pips)
    return face.off - claim


def fuller(one: Placed, other: Placed) -> bool:
    """Whether a look counts worn pips that the other does not."""
    return one.worn and one.gap >= SURE_GAP and one.value > other.value


def free(face: Face, left: Mask, taken: list[Face], at_xy: tuple[int, int], edge_px: float) -> bool:
    """Whether no die that was taken before claims the place or the pips of this one."""
    unclaimed = inside(face.outline - at_xy, left) >= UNCLAIMED
    return unclaimed and apart(face.centre_xy, taken, edge_px) and all(_clear(face, other, edge_px) for other in taken)


def apart(centre_xy: tuple[float, float], others: Iterable[Face], edge_px: float) -> bool:
    """Whether a face there is of another die than each of these: two dice have no room nearer to each other."""
    return all(math.dist(centre_xy, other.centre_xy) > APART_EDGES * edge_px for other in others)


def crowded_out(faces: list[Face]) -> bool:
    """Whether some die's outline is mostly that of others: one of them was made up.

    None whose pips are ringed and leave no edge on its face unexplained was.
    """
    outlines = [face.outline.astype(np.float32) for face in faces]
    for index, outline in enumerate(outlines):
        if faces[index].ringed:
            continue
        others = [other for at, other in enumerate(outlines) if at != index]
        shared = sum(cv2.intersectConvexConvex(outline, other)[0] for other in others)
        if shared > (1 - OWN) * cv2.contourArea(outline):
            return True
    return False


def claim(left: Mask, face: Face, at_xy: tuple[int, int]) -> None:
    """Take a die's outline out of what is left."""
    cv2.fillConvexPoly(left, (face.outline - at_xy).round().astype(np.int32), 0)


def _clear(face: Face, other: Face, edge_px: float) -> bool:
    """Whether they share no pip, and hardly any of their upper faces."""
    if set(face.pips) & set(other.pips):
        return False
    overlap, _ = cv2.intersectConvexConvex(upper_face(face.pose, edge_px), upper_face(other.pose, edge_px))
    return overlap <= OVERLAP_FACES * edge_px**2
