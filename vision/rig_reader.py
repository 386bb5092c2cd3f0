"""Reads the dice of a calibrated tray: every silhouette must be explained by whole dice with canonical faces.

The pips propose faces; the geometry of the rig then says what outline a die with that face must have. A face is taken
only if its whole die lies inside the silhouette, and the reading is trusted only if the dice leave nothing unexplained.
What is in doubt then, or fills its silhouette badly, is laid anew where the silhouette alone says (`vision.packed`);
faces that are not plain get a second look (`vision.second_look`), and what was missed is looked for (`vision.missed`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.claims import SURE_GAP, Face, apart, best_first, claim, clearly, crowded_out, free, fuller
from vision.geometry.background import Mask, at_border, changes, cube_outlines
from vision.geometry.rig import Rig
from vision.missed import missed
from vision.new_pips import boxes, grown, unclaimed_pips
from vision.packed import filling, packed, worths
from vision.pips.blobs import pips_in, roughly_standing_out
from vision.pips.layouts import Fit, fits
from vision.places import UNDECIDED, likeliest, placed
from vision.poses import Pose, covered, inside, pose_of
from vision.reading import Die, FrameBGR, Reading
from vision.second_look import looked_again

Floats = NDArray[np.float64]

INSIDE = 0.86
"""Part of a die's outline that must lie inside the silhouette. Rounded corners, blur and a body of nearly the felt's
colour cost up to 0.1; a face made up from the pips of a side reaches 0.78."""
INSIDE_PLAIN, PLAIN_GAP, PLAIN_PIPS = 0.6, 0.7, 3
"""Of a die of the ground's own colour less has changed: enough for a plain face of so many pips."""
UNEXPLAINED_FACES = 0.3
"""Largest piece of a silhouette that may be left over, in faces: soft rims and gaps between dice that lie close. A die
that was not found leaves a piece of nearly a whole face at least."""
RIM_FACES = 0.3
"""Most that may be left over round a die, in faces: 0.17 when blurred; a die under another leaves 0.56."""
TURNS = np.radians(np.arange(0, 90, 6))
"""Rotations tried for a single pip, which shows none of its own."""
ON_FACE_EDGES = 0.38
"""Half of the square, in edges, in which a face tolerates no other spot: the pips of sides begin at half an edge."""
CROWDED_EDGES = 0.6
"""A single pip with another so near is looked at again: both may be of one face, of a die that stands on an edge."""
NEAR_EDGES, NEAR_RAD = np.array([-0.04, 0.0, 0.04]), np.radians([-4.0, 0.0, 4.0])
"""How far the pose that a silhouette gives may be off: the pips say it more exactly."""
LIES_IN = 0.3
"""Part of a die's outline from which it is one of the dice of a silhouette: of a neighbour's it covers a tenth."""
LIES_WELL = 0.9
"""Part of a die's outline that no shadow explains, below which it may lie otherwise: two pips of a worn six are the
diagonal of a two that is turned by half a quarter turn, and fills 0.87; true dice fill 0.92 and more."""
FILLED_AT_ALL, WELL_FILLED = 0.8, 0.88
"""How well dice must fill their silhouette at least (see `vision.packed`) to be believed, and to be left as they are if
they were read surely: true ones 0.91 to 0.99, but of dark red ones on red 0.8."""
CLEARLY_FULLER = 0.04
"""Part of a silhouette by which dice must fill it better to take the place of those that were found by their pips."""
FILLS_AS_WELL = 0.06
"""Turns whose outlines fill a silhouette equally well, but for this much: the true one is among them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Region:
    """A piece of the frame that holds dice: its picture, contrasts, masks, and where its corner lies."""

    bgr: FrameBGR
    contrast: Mask
    dice: Mask
    any: Mask
    at_xy: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Lying:
    """A whole die as it may lie: its upper face's middle and turn, its outline, and what parts of that have changed."""

    centre_xy: tuple[float, float]
    turn: float
    outline: Floats
    inside: float
    solid: float

    @property
    def filling(self) -> float:
        """How well it fills the silhouette."""
        return self.solid + self.inside


class RigReader:
    """The classical reader of a calibrated tray."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._edge_px = rig.die_px

    def read(self, frame_bgr: FrameBGR, expect: int | None = None) -> Reading:
        """Read a frame of the rig's own size. Doubts: `unread`, `cut_off`, `count`."""
        changed = changes(frame_bgr, self._rig)
        taken: list[Face] = []
        doubt: str | None = None
        for x, y, w, h in boxes(changed.any):
            part = grown(x, y, w, h, changed.any.shape)
            crop = frame_bgr[part]
            at_xy = (part[1].start, part[0].start)
            contrast = roughly_standing_out(crop, self._edge_px)
            region = _Region(crop, contrast, changed.dice[part], changed.any[part], at_xy)
            found, explained = self._dice(region)
            # The box round one silhouette may hold a part of another, and a die of it: that is not two dice.
            taken += [face for face in found if apart(face.centre_xy, taken, self._edge_px)]
            if not explained:
                doubt = "unread"
        taken = looked_again(frame_bgr, taken, self._edge_px)
        if not all(face.sure for face in taken) or crowded_out(taken):
            doubt = "unread"
        if at_border(changed.dice):
            doubt = "cut_off"
        if doubt is None and unclaimed_pips(frame_bgr, changed.specks, [face.outline for face in taken], self._rig):
            doubt = "unread"
        if doubt == "unread":
            taken += missed(frame_bgr, changed, taken, self._rig)
        if doubt is None and expect is not None and len(taken) != expect:
            doubt = "count"
        dice = [_die(face, self._edge_px) for face in taken]
        return Reading(tuple(sorted(dice, key=lambda die: die.box_xywh)), doubt)

    def _dice(self, region: _Region) -> tuple[list[Face], bool]:
        """The dice of one region, and whether they explain all of it, whatever the values."""
        edge_px = self._edge_px
        left = region.any.copy()
        taken: list[Face] = []

        def take(faces: Iterable[Face]) -> None:
            for face in sorted(faces, key=best_first):
                if free(face, left, taken, region.at_xy, edge_px):
                    taken.append(face)
                    claim(left, face, region.at_xy)

        spots = pips_in(region.contrast, edge_px, region.any)
        likely = fits(spots, edge_px)
        proposed = list(self._faces((fit for fit in likely if fit.angle_rad is not None), spots, region))
        take(face for face in proposed if clearly(face))
        # A single pip shows no turn and costs fifteen looks: only those that no plain face has on its sides get them.
        alone = (fit for fit in likely if fit.angle_rad is None and _left(fit, left))
        lone = list(self._faces(alone, spots, region))
        take(face for face in lone if clearly(face))
        proposed += lone
        pieces = self._pieces(cv2.bitwise_and(left, region.dice))
        posed = [face for piece in pieces if (face := self._posed(piece, region)) is not None]
        take([*proposed, *posed])
        if self._explained(taken, region) and all(face.sure and face.solid >= LIES_WELL for face in taken):
            return taken, True
        taken = self._packed(taken, region)
        return taken, self._explained(taken, region)

    def _explained(self, taken: list[Face], region: _Region) -> bool:
        """Whether these dice leave nothing of the silhouettes but soft rims."""
        rest = region.dice.copy()
        for face in taken:
            claim(rest, face, region.at_xy)
        if any(True for _ in self._pieces(rest)):
            return False
        return not taken or cv2.countNonZero(rest) <= RIM_FACES * self._edge_px**2 * len(taken)

    def _packed(self, taken: list[Face], region: _Region) -> list[Face]:
        """The same dice; where some are in doubt, those that fill their silhouette clearly better, if any do."""
        for piece in self._pieces(region.dice):
            here = [at for at, face in enumerate(taken) if _lies_in(face, piece, region.at_xy)]
            filled = filling(worths(piece, region.any), self._rig, region.at_xy, [taken[at].pose for at in here])
            if filled >= WELL_FILLED and all(taken[at].sure for at in here):
                continue
            packing = packed(piece, region.any, self._rig, region.at_xy)
            if packing is not None and packing.filled >= max(FILLED_AT_ALL, filled + CLEARLY_FULLER):
                elsewhere = [face for at, face in enumerate(taken) if at not in here]
                found = [self._read_at(pose, region) or self._unread(pose, region) for pose in packing.poses]
                taken = elsewhere + [replace(face, crowded=True) for face in found]
        return taken

    def _pieces(self, left: Mask) -> Iterator[Mask]:
        """What is left of the silhouettes, piece by piece, if it is large enough to be a die."""
        opened = cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
        count, labels, stats, _ = cv2.connectedComponentsWithStats(opened)
        for label in range(1, count):
            if stats[label, cv2.CC_STAT_AREA] >= UNEXPLAINED_FACES * self._edge_px**2:
                yield np.where(labels == label, 255, 0).astype(np.uint8)

    def _faces(self, likely: Iterable[Fit], spots: Floats, region: _Region) -> Iterator[Face]:
        """Faces that the pips propose, where a die has room."""
        alone = [fit for fit in likely if _alone(fit, spots, self._edge_px)]
        for fit, lain in zip(alone, self._lain(alone, region), strict=True):
            most = max(each.filling for each in lain)
            if max(each.inside for each in lain if each.filling == most) < INSIDE_PLAIN:
                continue
            faces = [self._face(fit.value, each, region, fit) for each in lain if each.filling > most - FILLS_AS_WELL]
            best = max(faces, key=lambda face: (face.solid + face.inside, face.gap))
            if fit.angle_rad is None:
                near = np.hypot(*(spots[:, :2] - fit.centre_xy).T) < CROWDED_EDGES * self._edge_px
                best = replace(_lone(faces, best), crowded=int(near.sum()) > 1)
            plain = best.gap >= PLAIN_GAP and len(best.pips) >= PLAIN_PIPS
            if best.inside >= (INSIDE_PLAIN if plain else INSIDE):
                yield best

    def _lain(self, likely: list[Fit], region: _Region) -> Iterator[list[_Lying]]:
        """For each of these faces, the dice that may have it: of a single pip one for each turn."""
        turns = [TURNS if fit.angle_rad is None else [fit.angle_rad] for fit in likely]
        x0, y0 = region.at_xy
        poses = [
            [(fit.centre_xy[0] + x0, fit.centre_xy[1] + y0, float(turn)) for turn in each]
            for fit, each in zip(likely, turns, strict=True)
        ]
        lying = iter(self._lying(list(chain.from_iterable(poses)), region))
        return (list(islice(lying, len(each))) for each in poses)

    def _posed(self, piece: Mask, region: _Region) -> Face | None:
        """The face of the die that fills a piece of a silhouette, or None when it shows no value."""
        face = self._read_at(pose_of(piece, self._rig, region.at_xy), region)
        return face if face is not None and face.inside >= INSIDE else None

    def _read_at(self, pose: Pose, region: _Region) -> Face | None:
        """The face of a die that lies so, or a little beside; None when it shows no value."""
        x0, y0, turn0 = pose
        steps = product(NEAR_EDGES * self._edge_px, NEAR_EDGES * self._edge_px, NEAR_RAD)
        near = [(x0 + dx, y0 + dy, turn0 + dt) for dx, dy, dt in steps]
        seen = [
            (one, (x, y), t)
            for x, y, t in near
            if (one := placed(region.contrast, (x - region.at_xy[0], y - region.at_xy[1]), t, self._edge_px))
        ]
        chosen = likeliest([each[0] for each in seen])
        if chosen is None:
            return None
        one, centre, turn = max(seen, key=lambda each: (each[0].value == chosen.value, each[0].gap))
        face = self._face(one.value, self._lying([(*centre, turn % (math.pi / 2))], region)[0], region, None)
        if chosen.gap < SURE_GAP or any(fuller(each[0], one) for each in seen):
            face = replace(face, gap=min(face.gap, UNDECIDED))
        return face

    def _unread(self, pose: Pose, region: _Region) -> Face:
        """A die whose face shows no value to the classical look: a doubt, unless the rings of its pips are clear."""
        lying = self._lying([pose], region)[0]
        return Face(1, lying.centre_xy, lying.turn, lying.outline, lying.inside, lying.solid, 0.0, 0.0, (), False)

    def _lying(self, poses: list[Pose], region: _Region) -> list[_Lying]:
        """What dice with upper faces of those middles and turns would cover."""
        outlines = cube_outlines(self._rig, poses)
        return [
            _Lying((x, y), turn, outline, *covered(outline - region.at_xy, region.any, region.dice))
            for (x, y, turn), outline in zip(poses, outlines, strict=True)
        ]

    def _face(self, value: int, lying: _Lying, region: _Region, fit: Fit | None) -> Face:
        at = (lying.centre_xy[0] - region.at_xy[0], lying.centre_xy[1] - region.at_xy[1])
        seen = placed(region.contrast, at, lying.turn, self._edge_px)
        gap = 0.0 if seen is None else seen.gap if seen.value == value else -seen.gap
        if seen is not None and seen.value > value and seen.worn:
            value, gap = seen.value, seen.gap
        return Face(
            value,
            lying.centre_xy,
            lying.turn,
            lying.outline,
            lying.inside,
            lying.solid,
            gap,
            0.0 if fit is None else fit.off,
            () if fit is None else fit.pips,
            seen is not None and seen.worn,
            (*(() if fit is None else (fit.value,)), *(() if seen is None else (seen.value, *seen.also))),
        )


def _lies_in(face: Face, piece: Mask, at_xy: tuple[int, int]) -> bool:
    """Whether a die covers enough of that piece of a silhouette to be of it."""
    return inside(face.outline - at_xy, piece) > LIES_IN


def _left(fit: Fit, left: Mask) -> bool:
    """Whether a single pip lies in what no die has claimed yet."""
    x, y = fit.centre_xy
    return bool(left[round(y), round(x)])


def _lone(faces: list[Face], best: Face) -> Face:
    """A single pip's face; in doubt as one of more pips, if some turn that fits as well shows others without paint."""
    filling = [face for face in faces if face.solid + face.inside > best.solid + best.inside - FILLS_AS_WELL]
    fuller = [face for face in filling if face.value > 1]
    return replace(max(fuller, key=lambda face: face.value), gap=UNDECIDED) if fuller else best


def _alone(fit: Fit, spots: Floats, edge_px: float) -> bool:
    """Whether no spot lies on the face but those of its value: else it is put together from a part of another's."""
    if fit.angle_rad is None:
        return True
    c, s = math.cos(fit.angle_rad), math.sin(fit.angle_rad)
    own = (spots[:, :2] - fit.centre_xy) @ np.array([[c, -s], [s, c]])
    on_face = np.flatnonzero((np.abs(own) < ON_FACE_EDGES * edge_px).all(1))
    return set(on_face.tolist()) <= set(fit.pips)


def _die(face: Face, edge_px: float) -> Die:
    x, y = face.centre_xy
    box = (round(x - edge_px / 2), round(y - edge_px / 2), round(edge_px), round(edge_px))
    sure = min(1.0, face.inside) * (1 - face.off / 2) * min(1.0, max(0.0, 0.5 + face.gap / 2 / SURE_GAP))
    return Die(face.value, box, round(sure, 3))
