"""What a reader looks at: a photo of unknown scale, or a frame of the calibrated tray; and what is doubted in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from vision.geometry.background import EmptyTray, Mask, shrunk
from vision.geometry.floor import Floor
from vision.geometry.rig import Rig
from vision.networks import Networks, known_scale, multiscale
from vision.networks.classifier import IN_A_PHOTO, IN_A_TRAY
from vision.networks.detector import Detection
from vision.reading import vetoes
from vision.reading.candidates import Selection
from vision.reading.reading import Box, Doubt, Floats, FrameBGR

BLIND = 2
"""So many looks at a photo must find the same dice where nobody says how many there are: one alone may miss some."""
NEAR_PX = 32.0
"""Where the closest look shows faces smaller, one look more must find the same: of touching dice one may be missed."""


class Photo:
    """A picture of unknown scale.

    Attributes, and a tray's frame has the same:
        picture_bgr: The picture, or the part of it in which dice can lie, with square pixels.
        agreeing: So many looks must find the same dice; one more where more may lie there, or might be seen.
        cumulative: Whether a look makes use of all that was seen in those before it.
        views: How faces are shown to the classifier.
    """

    cumulative, views = True, IN_A_PHOTO

    def __init__(self, networks: Networks, photo_bgr: FrameBGR, expect: int | None) -> None:
        self.picture_bgr, self._detector, self._expect = photo_bgr, networks.detector, expect
        self.agreeing, self._scale = BLIND if expect is None else 1, 0.0

    def looks(self) -> Iterator[list[Detection]]:
        """What may be faces after each look, surest first: in several scales."""
        for scale, found in multiscale.looks(self.picture_bgr, self._detector):
            self._scale = scale
            yield found

    def doubt(self, found: Selection) -> Doubt | None:
        """No dice, some cut off, or two where one can lie: a side of a die may be among them."""
        if not found.taken:
            return Doubt.COUNT  # nothing says that this is a table at all
        faces = [one.detection for one in found.taken]
        if any(vetoes.cut_off(one.place[:2], one.size_px, self.picture_bgr.shape) for one in faces):
            return Doubt.CUT_OFF
        crowded = vetoes.overlapping(_middles(faces), float(np.median([one.size_px for one in faces])))
        return Doubt.COUNT if crowded else None

    def box(self, face: Detection) -> Box:
        """A square."""
        half = face.size_px / 2
        return _within((face.x - half, face.y - half, face.x + half, face.y + half), self.picture_bgr.shape)

    def unexplained(self, found: Selection) -> list[Box]:
        """Nobody knows what a photo's ground looks like."""
        return []

    def suspects(self, found: Selection) -> bool:
        """Nobody knows how many there are, and of these, or between them, more might be seen from nearer."""
        return self._expect is None and any(one.detection.size_px * self._scale < NEAR_PX for one in found.taken)


class Tray:
    """What is worked out once of a calibration."""

    def __init__(self, rig: Rig) -> None:
        self.rig, self.floor = rig, Floor.of(rig)
        self.empty = EmptyTray.of(self.floor.view(rig.empty_bgr), self.floor.face_px)
        self.face_px = self.floor.face_px * self.empty.scale
        """Size of a face in what the empty tray is compared in."""


class TrayFrame:
    """A frame of the tray: its whole floor, and what has changed there."""

    agreeing, cumulative, views = 1, False, IN_A_TRAY

    def __init__(self, networks: Networks, tray: Tray, frame_bgr: FrameBGR) -> None:
        self.picture_bgr = tray.floor.view(frame_bgr)
        self._networks, self._tray, self._shape = networks, tray, frame_bgr.shape
        self._seen = shrunk(self.picture_bgr, tray.empty.scale)
        self._changes = tray.empty.changes(self._seen)

    def looks(self) -> Iterator[list[Detection]]:
        """What may be faces after each look, surest first: in one scale, then closer.

        What is printed on the tray is as it was, and left out.
        """
        face_px, light, detector = self._tray.floor.face_px, self._networks.light, self._networks.detector
        for found in known_scale.looks(self.picture_bgr, face_px, light, detector, self._changes.any):
            yield [one for one in found if not self._unchanged(one)]

    def doubt(self, found: Selection) -> Doubt | None:
        """Dice that lie on others, across the edge, of a size that none has; and what no die explains."""
        face_px, faces = self._tray.floor.face_px, [one.detection for one in found.taken]
        if any(vetoes.cut_off(one.place[:2], one.size_px, self.picture_bgr.shape) for one in faces):
            return Doubt.CUT_OFF
        odd = any(vetoes.impossible_size(one.size_px, face_px) for one in faces)
        if odd or vetoes.overlapping(_middles(faces), face_px) or self._uneven(found):
            return Doubt.COCKED
        return Doubt.UNREAD if self.unexplained(found) else None

    def box(self, face: Detection) -> Box:
        """As wide and as high as the frame's pixels make it."""
        half = np.array([face.size_px / 2, face.size_px / 2])
        return self._in_frame(np.array([face.x, face.y]) - half, np.array([face.x, face.y]) + half)

    def unexplained(self, found: Selection) -> list[Box]:
        """What surely lies there, is as large as a die, and is none of these; a tray that was knocked is no thing."""
        dice, empty = self._dice(found), self._tray.empty
        rest = self._rest(self._changes.clear, dice)
        if rest:
            changes = empty.knocked(self._seen, dice).changes(self._seen)
            knocked = self._rest(changes.clear, dice)
            if len(knocked) < len(rest):
                self._changes, rest = changes, knocked
        boxes = np.array(rest).reshape(-1, 4) / empty.scale
        return [self._in_frame(box[:2], box[:2] + box[2:]) for box in boxes]

    def suspects(self, found: Selection) -> bool:
        """Whether something may lie there that is none of these, or another's pips: one look more must say the same."""
        far_pips = self._rest(self._changes.clear, self._dice(found, vetoes.FAR_PIPS), vetoes.PIP_RADIUS)
        return bool(far_pips or self._rest(self._changes.any, self._dice(found)))

    def _uneven(self, found: Selection) -> bool:
        """Whether beside one die more lies than beside the others: it lies on another, or two were taken for it."""
        changed = ((self._changes.any & 1) + (self._changes.clear & 1)) & ~self._dice(found)  # the sure twice
        beside = [cv2.sumElems(changed & self._dice(Selection((one,)), vetoes.BESIDE))[0] for one in found.taken]
        return bool(beside and max(beside) - np.median(beside) > vetoes.UNEVEN * self._tray.face_px**2)

    def _dice(self, found: Selection, radius: float = vetoes.WHOLE_DIE) -> Mask:
        faces, scale = _middles([one.detection for one in found.taken]), self._tray.empty.scale
        below = self._tray.floor.below(faces) * scale
        return vetoes.whole_dice(self._seen.shape[:2], faces * scale, below, self._tray.face_px, radius)

    def _rest(self, changed: Mask, dice: Mask, radius: float = vetoes.DIE_RADIUS) -> list[vetoes.Box]:
        return vetoes.unexplained(changed, dice, self._tray.face_px, radius)

    def _unchanged(self, face: Detection) -> bool:
        empty = self._tray.empty
        return empty.unchanged(self._seen, (face.x * empty.scale, face.y * empty.scale), face.size_px * empty.scale)

    def _in_frame(self, low_xy: Floats, high_xy: Floats) -> Box:
        corners = self._tray.floor.to_frame(np.stack([low_xy, high_xy]))
        return _within(tuple(corners.ravel().tolist()), self._shape)


Scene = Photo | TrayFrame


def _middles(faces: Sequence[Detection]) -> Floats:
    return np.array([(one.x, one.y) for one in faces], np.float64).reshape(-1, 2)


def _within(sides: Sequence[float], shape: tuple[int, ...]) -> Box:
    """Left, top, width and height, in whole pixels of a picture of that shape, of left, top, right and bottom."""
    x0, y0 = (max(0, round(side)) for side in sides[:2])
    x1, y1 = min(shape[1], round(sides[2])), min(shape[0], round(sides[3]))
    return x0, y0, max(1, x1 - x0), max(1, y1 - y0)
