"""Reads dice in a picture of unknown scale: one network finds faces, another reads each alone, pips bear witness.

The detector says from afar where faces are and what they show. The second network is shown one face at a time and
knows nothing of the first; its word counts. What it says is trusted only if it is sure and the detector or the pips,
fitted to the six layouts, say the same, and only if one die more or one fewer would be much less likely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.classifier import LARGER_VIEWS, Faces
from vision.networks.detector import Mark, Network
from vision.networks.multiscale import looks
from vision.pips.blobs import pips
from vision.pips.layouts import Fit, fits
from vision.reading import Die, FrameBGR, Reading

SPARE = 4
"""So many marks more than the expected dice are read: what is surest from afar is not always so from near by."""
RIVAL = 0.4
"""... where they score more than this part of the last expected one."""
AFAR = 0.3
"""Weight of the detector's word on a value beside the second network's."""
SURE = 0.6
"""Score from which a face counts as a die when nobody says how many there are."""
DOUBTFUL = 0.4
"""A face less sure than this makes it likelier that the picture was looked at too closely or from too far."""
LEAST_SURE = 0.95
"""A value is trusted when it has at least this probability, and ... (chosen on the photos that are for choosing)"""
LEAST_CLEAR = 0.6
"""... when the surest of the faces that were left out scores at most this part of the least sure one that was taken."""
SAME_PLACE, SAME_SIZE = 0.4, math.log(2)
"""Marks of two looks are of one face when they lie so near, in its sizes, and differ in size by less than twice."""
LEAST_SAID = 1e-6
"""No probability counts as less: nothing that one look says of a face may outweigh all others."""
EDGE_PX = 64
"""Size to which a face is brought before its pips are looked for: a pip is then 12 px."""
AROUND = 0.95
"""Half of the square that is cut out round a mark, in sizes of its face."""
OFF_MIDDLE = 0.30
"""How far, in sizes, the middle of the pips' face may be from the detector's mark."""
SIZE_UNSURE = 1.45
"""The detector's size is right within this factor."""
CUT_OFF = 0.4
"""A face whose middle is nearer to the border than this, in sizes, may have pips outside."""


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """A mark that was read alone; `said` (7,) are the probabilities of no face and of the values 1 to 6."""

    mark: Mark
    said: NDArray[np.float64]

    @property
    def score(self) -> float:
        """How surely a face lies there, 0 to 1, in the eyes of both networks."""
        return float(np.sqrt(self.mark.score) * (1 - self.said[0]))

    @property
    def values(self) -> NDArray[np.float64]:
        """(6,) probability of each value, given that it is a face."""
        afar = np.clip(self.mark.scores.astype(np.float64), 1e-3, None)
        both = self.said[1:] * (afar / afar.sum()) ** AFAR
        return both / both.sum()

    @property
    def value(self) -> int:
        """The likeliest value."""
        return int(self.values.argmax()) + 1


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """The faces that are taken for the dice of a picture, and those that are not; surest first."""

    taken: tuple[Face, ...]
    left: tuple[Face, ...]

    @property
    def values(self) -> tuple[int, ...]:
        """The values of the taken faces, sorted."""
        return tuple(sorted(face.value for face in self.taken))

    @property
    def worth(self) -> float:
        """How well they explain the picture: sure faces with sure values; doubtful ones count against it."""
        return sum(face.score * float(face.values.max()) - DOUBTFUL for face in self.taken)


class FreeReader:
    """Reads pictures of unknown scale."""

    def __init__(self, detector: Network, faces: Faces) -> None:
        self._detector, self._faces = detector, faces

    def read(self, frame_bgr: FrameBGR, expect: int | None = None) -> Reading:
        """Read a picture. Doubts: `count`, `unread` (no value is sure), `disagree` (the readers differ), `cut_off`."""
        best, seen = _Found((), ()), list[_Found]()
        for marks in looks(frame_bgr, self._detector, expect):
            found = self._found(frame_bgr, marks, expect)
            seen.append(found)
            if _unsure(best, expect) is not None:
                best = max(best, found, key=lambda each: each.worth) if best.taken else found
            # Where nobody says how many dice there are, a closer look must find the same ones.
            if _unsure(best, expect) is None and (expect is not None or _often(best.values, seen) > 1):
                break
        if _unsure(best, expect) is not None:
            best = self._reconsidered(frame_bgr, best, seen)
        dice = tuple(sorted((_die(face, frame_bgr.shape) for face in best.taken), key=lambda die: die.box_xywh))
        doubt = _doubt(frame_bgr, best, expect)
        return Reading(dice, "count" if doubt is None and expect is None and _often(best.values, seen) < 2 else doubt)

    def _found(self, frame_bgr: FrameBGR, marks: list[Mark], expect: int | None) -> _Found:
        if expect is None:
            marks = [mark for mark in marks if mark.score >= (RIVAL * SURE) ** 2]
        elif len(marks) > expect > 0:
            least = RIVAL * marks[expect - 1].score
            marks = [*marks[:expect], *(mark for mark in marks[expect : expect + SPARE] if mark.score > least)]
        said = self._faces.values(frame_bgr, [(mark.x, mark.y, mark.size_px) for mark in marks])
        faces = sorted((Face(mark, each) for mark, each in zip(marks, said, strict=True)), key=lambda face: -face.score)
        count = sum(face.score >= SURE for face in faces) if expect is None else expect
        return _Found(tuple(faces[:count]), tuple(faces[count:]))

    def _reconsidered(self, frame_bgr: FrameBGR, best: _Found, seen: Sequence[_Found]) -> _Found:
        """A look that is in doubt, its doubtful faces read by all that any look said of them and by larger views."""
        doubted = [face for face in best.taken if face.values.max() < LEAST_SURE]
        places = [(face.mark.x, face.mark.y, face.mark.size_px) for face in doubted]
        larger = self._faces.values(frame_bgr, places, LARGER_VIEWS)
        every = [face for found in seen for face in (*found.taken, *found.left)]
        read = [
            _together([other for other in every if _same(face, other)], said)
            for face, said in zip(doubted, larger, strict=True)
        ]
        taken = [*(face for face in best.taken if face not in doubted), *read]
        return replace(best, taken=tuple(sorted(taken, key=lambda face: -face.score)))


def _often(values: tuple[int, ...], looks: Sequence[_Found]) -> int:
    return sum(found.values == values for found in looks)


def _same(one: Face, other: Face) -> bool:
    apart = math.hypot(one.mark.x - other.mark.x, one.mark.y - other.mark.y)
    return apart < SAME_PLACE * one.mark.size_px and abs(math.log(other.mark.size_px / one.mark.size_px)) < SAME_SIZE


def _together(faces: Sequence[Face], larger: NDArray[np.float64]) -> Face:
    """One face by the geometric mean of what all looks said of it and of what was said when it was shown larger."""
    looks_said = np.mean([np.log(face.said + LEAST_SAID) for face in faces], axis=0)
    said = np.exp((looks_said + np.log(larger + LEAST_SAID)) / 2)
    surest = max(faces, key=lambda face: face.score)
    scores = np.mean([face.mark.scores for face in faces], axis=0).astype(np.float32)
    return Face(replace(surest.mark, scores=scores), said / said.sum())


def _doubt(frame_bgr: FrameBGR, found: _Found, expect: int | None) -> str | None:
    unsure = _unsure(found, expect)
    if unsure is not None:
        return unsure
    if any(_cut_off(face.mark, frame_bgr.shape) for face in found.taken):
        return "cut_off"
    differing = (face for face in found.taken if face.value != face.mark.value)
    if any(face.value != value_by_pips(frame_bgr, face.mark) for face in differing):
        return "disagree"
    return None


def _unsure(found: _Found, expect: int | None) -> str | None:
    """The doubt that a closer look may remove."""
    if not found.taken or (expect is not None and len(found.taken) != expect):
        return "count"
    if found.left and found.left[0].score > LEAST_CLEAR * found.taken[-1].score:
        return "count"
    if any(face.values.max() < LEAST_SURE for face in found.taken):
        return "unread"
    return None


def value_by_pips(frame_bgr: FrameBGR, mark: Mark) -> int | None:
    """The value that the pips round a mark show by their layout, or None when they show none."""
    scale = EDGE_PX / mark.size_px
    half = AROUND * mark.size_px
    x0, y0 = max(0, int(mark.x - half)), max(0, int(mark.y - half))
    crop = frame_bgr[y0 : int(mark.y + half) + 1, x0 : int(mark.x + half) + 1]
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    face = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=way)
    middle = np.array([mark.x - x0, mark.y - y0]) * scale
    return next((fit.value for fit in fits(pips(face, EDGE_PX), EDGE_PX, SIZE_UNSURE) if _central(fit, middle)), None)


def _central(fit: Fit, middle: NDArray[np.float64]) -> bool:
    return float(np.hypot(*(np.array(fit.centre_xy) - middle))) < OFF_MIDDLE * EDGE_PX


def _cut_off(mark: Mark, shape: tuple[int, ...]) -> bool:
    half = mark.size_px * CUT_OFF
    return mark.x < half or mark.y < half or mark.x > shape[1] - half or mark.y > shape[0] - half


def _die(face: Face, shape: tuple[int, ...]) -> Die:
    mark = face.mark
    half = mark.size_px / 2
    x0, y0 = max(0, round(mark.x - half)), max(0, round(mark.y - half))
    x1, y1 = min(shape[1], round(mark.x + half)), min(shape[0], round(mark.y + half))
    sure = round(float((1 - face.said[0]) * face.values.max()), 3)
    return Die(face.value, (x0, y0, max(1, x1 - x0), max(1, y1 - y0)), sure)
