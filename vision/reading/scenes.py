"""The two kinds of scene: a photo of unknown scale and a frame of the calibrated tray, with the doubts of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.geometry.background import EmptyTray, Mask, shrunk
from vision.geometry.floor import Floor
from vision.geometry.rig import Rig
from vision.networks import Networks
from vision.networks.classifier import LIGHT_VIEWS, PHOTO_VIEWS, ViewSet
from vision.networks.detector import LIGHT_FACE_PX, Detection
from vision.reading import vetoes
from vision.reading.candidates import MIN_JOINT_CONFIDENCE, Selection
from vision.reading.reading import Box, Doubt, Floats, FrameBGR
from vision.reading.vetoes import unexplained_boxes

MIN_AGREEING_SCALES = 2
"""Number of passes that must find the same values in a photo when the number of dice is unknown: one scale alone may
miss some. More take more time and doubt more photos. After as many passes of any photo the classifier frees its
memory for the larger ones: more raise the peak of memory."""
CLOSE_FACE_PX = 42.0
"""Width of a die's face, in pixels, to which a tray is scaled for the closer pass, which runs while a doubt is left.
Touching dark dice separate there. A larger one takes more time, by its square; above 58 the detector knows no faces."""
MARGIN_FACES = 1.5
"""Margin, in face widths, around the detections and the foreground that a tray's closer pass, at a larger scale, is cut
to. The network needs the surroundings of a face. Larger: more time; smaller: too little of them, and worse
detections."""

Axis = list[list[int]]
"""Axis of a die: the centres of its upper and its lower face, as [[x, y], [x, y]]."""


class Photo:
    """A picture of unknown scale; each pass fuses its detections with those of the passes before (`cumulative`).

    `min_agreeing` passes must find the same values. The classifier is shown each face in `views`. With `verified` the
    dice must also pass the verifier: if their number is unknown, there may be none.
    """

    cumulative = True

    def __init__(
        self,
        photo_bgr: FrameBGR,
        expect: int | None,
        passes: Iterable[list[Detection]],
        views: ViewSet = PHOTO_VIEWS,
    ) -> None:
        self.picture_bgr, self._passes, self.views = photo_bgr, passes, views
        self.verified = expect is None
        self.min_agreeing = MIN_AGREEING_SCALES if self.verified else 1

    def passes(self) -> Iterator[list[Detection]]:
        """Yield the detections of all scales so far after each pass, best first; each pass uses a larger scale."""
        yield from self._passes

    def doubt(self, selection: Selection) -> Doubt | None:
        """Return why the selected dice make a photo's reading doubtful, or None; the first that applies.

        - `COUNT`: there are no dice.
        - `CUT_OFF`: a die may cross the edge of the picture.
        - `COUNT`: two faces are too close together.
        """
        if not selection.dice:
            return Doubt.COUNT  # the picture may not show a table at all
        faces = [die.detection for die in selection.dice]
        if any(vetoes.cut_off(face.place[:2], face.size_px, self.picture_bgr.shape) for face in faces):
            return Doubt.CUT_OFF
        overlap = vetoes.any_overlap(_centres(faces), float(np.median([face.size_px for face in faces])))
        return Doubt.COUNT if overlap else None

    def box(self, face: Detection) -> Box:
        """Return the square bounding box of a face in pixels of the picture."""
        return _clipped_box(_corners(face), self.picture_bgr.shape)

    def unexplained(self, selection: Selection) -> list[Box]:
        """Return no boxes: a photo has no reference picture to subtract."""
        return []

    def needs_another_pass(self, selection: Selection) -> bool:
        """Return False: without a reference picture nothing shows that a die is missing."""
        return False


class Tray:
    """The floor's view and the empty reference picture, computed once per calibration."""

    def __init__(self, rig: Rig) -> None:
        self.rig, self.floor = rig, Floor.of(rig)
        self.empty = EmptyTray.of(self.floor.view(rig.empty_bgr), self.floor.face_px)
        self.face_px = self.floor.face_px * self.empty.scale
        """Size of a face in the foreground masks, in pixels."""


class TrayFrame:
    """A frame of the calibrated tray: `picture_bgr`, a view of its floor with square pixels, and the foreground in it.

    Passes are not fused, and the best one wins. It has the attributes of `Photo`. `expect` is the number of dice, if it
    is known.
    """

    min_agreeing, cumulative, verified, views = 1, False, False, LIGHT_VIEWS

    def __init__(self, networks: Networks, tray: Tray, frame_bgr: FrameBGR, expect: int | None) -> None:
        self.picture_bgr, self._expect = tray.floor.view(frame_bgr), expect
        self._networks, self._tray, self._shape = networks, tray, frame_bgr.shape
        self._small = shrunk(self.picture_bgr, tray.empty.scale)
        self._foreground = tray.empty.foreground(self._small)

    def passes(self) -> Iterator[list[Detection]]:
        """Yield the detections of two passes over the tray's floor, each best first, in pixels of `picture_bgr`.

        The first pass covers the whole floor. The second pass, at a larger scale, covers only the area around the
        detections of the first and the foreground. A pass runs only when its result is asked for. Faces that are
        printed on the tray are left out.
        """
        floor_bgr, face_px = self.picture_bgr, self._tray.floor.face_px
        light = self._networks.light.detect(floor_bgr, LIGHT_FACE_PX / face_px)
        yield [each for each in light if not self.is_background(each)]
        x0, y0, x1, y1 = self._region(light)
        close = self._networks.detector.detect(floor_bgr[y0:y1, x0:x1], CLOSE_FACE_PX / face_px)
        moved = (replace(each, x=each.x + x0, y=each.y + y0) for each in close)
        yield [each for each in moved if not self.is_background(each)]

    def _region(self, detections: Sequence[Detection]) -> list[int]:
        """Return left, top, right, bottom of the part of the floor for the closer pass, in pixels of `picture_bgr`.

        It reaches MARGIN_FACES face widths beyond the detections' centres and the foreground. Without detections and
        foreground it is the whole floor.
        """
        height, width = self.picture_bgr.shape[:2]
        foreground = self._foreground.possible
        x, y, w, h = np.array(cv2.boundingRect(foreground)) * (width / foreground.shape[1])
        corners = [(x, y), (x + w, y + h)] if w else []
        corners += [(detection.x, detection.y) for detection in detections]
        if not corners:
            return [0, 0, width, height]
        margin = MARGIN_FACES * self._tray.floor.face_px
        reach = (*(np.min(corners, axis=0) - margin), *(np.max(corners, axis=0) + margin))
        return np.clip(reach, 0, (width, height, width, height)).round().astype(int).tolist()

    def doubt(self, selection: Selection) -> Doubt | None:
        """Return why the places and sizes of the selected dice make a tray's reading doubtful, or None.

        `CUT_OFF`: a die may cross the edge of the floor. `COCKED`: dice overlap, have an impossible size or may be
        stacked. `OBJECT`: the tray holds a die-sized object besides the selected dice. `COUNT`, only if the number of
        dice is unknown: a rejected candidate may be a die. To rule out a shifted tray, the reference picture may be
        registered anew, which changes the foreground for later calls.
        """
        face_px, faces = self._tray.floor.face_px, [die.detection for die in selection.dice]
        if any(vetoes.cut_off(face.place[:2], face.size_px, self.picture_bgr.shape) for face in faces):
            return Doubt.CUT_OFF
        odd_size = any(vetoes.impossible_size(face.size_px, face_px) for face in faces)
        if odd_size or vetoes.any_overlap(_centres(faces), face_px):
            return Doubt.COCKED
        if self.has_excess_foreground(selection):
            apart = unexplained_boxes(self._foreground.certain, self._dice_mask(selection), self._tray.face_px)
            return Doubt.OBJECT if apart else Doubt.COCKED
        if self.unexplained(selection):
            return Doubt.OBJECT
        # A dark die out of focus on a pale tray looks like a shadow: then no foreground shows it.
        complete = math.prod(1 - each.score for each in selection.rejected) >= MIN_JOINT_CONFIDENCE
        return None if complete or self._expect is not None else Doubt.COUNT

    def box(self, face: Detection) -> Box:
        """Return the bounding box of a face in pixels of the frame."""
        return _clipped_box(self._tray.floor.to_frame(_corners(face)), self._shape)

    def unexplained(self, selection: Selection) -> list[Box]:
        """Return the boxes, in pixels of the frame, of die-sized foreground that no selected die covers.

        Unread dice and foreign objects are such foreground.

        If there are any, the reference picture is registered to the frame, so that a shifted tray is not reported as an
        object. If that leaves fewer boxes, these are returned, and the new foreground replaces the old one for later
        calls.
        """
        dice, empty, face_px = self._dice_mask(selection), self._tray.empty, self._tray.face_px
        rest = unexplained_boxes(self._foreground.certain, dice, face_px)
        if rest:
            registered = empty.registered(self._small, dice).foreground(self._small)
            rest_registered = unexplained_boxes(registered.certain, dice, face_px)
            if len(rest_registered) < len(rest):
                self._foreground, rest = registered, rest_registered
        boxes = np.array(rest).reshape(-1, 4) / empty.scale
        in_frame = (self._tray.floor.to_frame(np.stack([box[:2], box[:2] + box[2:]])) for box in boxes)
        return [_clipped_box(corners, self._shape) for corners in in_frame]

    def needs_another_pass(self, selection: Selection) -> bool:
        """Return whether one more pass must find the same values: foreground or pips lie outside the accepted dice."""
        own_pips, face_px = self._dice_mask(selection, vetoes.OWN_PIPS_RADIUS), self._tray.face_px
        far_pips = unexplained_boxes(self._foreground.certain, own_pips, face_px, vetoes.MIN_PIP_RADIUS)
        return bool(far_pips or unexplained_boxes(self._foreground.possible, self._dice_mask(selection), face_px))

    def has_excess_foreground(self, selection: Selection) -> bool:
        """Return whether the foreground around some die is too large for one die: a stack, or two dice read as one.

        Foreground within one face width of a die's vertical axis but outside all dice is summed; certain foreground
        counts twice. The result is True if a die's sum exceeds the median die's by over MAX_EXCESS_FOREGROUND face
        areas. It is False for fewer than two dice: a lone die is itself the median.
        """
        weights = (self._foreground.possible & 1) + (self._foreground.certain & 1)
        axes = self._axes(selection)
        outside = weights & ~self._mask_along(axes, vetoes.DIE_OUTLINE_RADIUS)
        areas = [cv2.sumElems(outside & self._mask_along([axis], 1.0))[0] for axis in axes]
        limit = vetoes.MAX_EXCESS_FOREGROUND * self._tray.face_px**2
        return bool(areas and max(areas) - np.median(areas) > limit)

    def _dice_mask(self, selection: Selection, radius: float = vetoes.DIE_OUTLINE_RADIUS) -> Mask:
        """Return a uint8 mask, 255 on the selected dice, 0 elsewhere, in the scale of the foreground.

        Each die is a line along its axis. `radius` is half the line's width, in face widths.
        """
        return self._mask_along(self._axes(selection), radius)

    def _axes(self, selection: Selection) -> list[Axis]:
        """Return the axis of each selected die, in eighths of a pixel of the foreground."""
        faces = _centres([die.detection for die in selection.dice])
        ends = np.stack([faces, self._tray.floor.below(faces)], axis=1) * self._tray.empty.scale
        axes: list[Axis] = (ends * 8).round().astype(int).tolist()
        return axes

    def _mask_along(self, axes: Sequence[Axis], radius: float) -> Mask:
        """Return a uint8 mask in the scale of the foreground, 255 on a thick line along each axis.

        `axes` are in eighths of a pixel of that mask; `radius` is half the line's width, in face widths.
        """
        mask = np.zeros(self._small.shape[:2], np.uint8)
        width_px = max(1, round(2 * radius * self._tray.face_px))
        for top, bottom in axes:
            cv2.line(mask, top, bottom, 255, width_px, cv2.LINE_8, 3)  # 3 fractional bits: eighths of a pixel
        return mask

    def is_background(self, face: Detection) -> bool:
        """Return whether the picture at a detected face matches the empty tray: the face is printed on it."""
        empty = self._tray.empty
        return empty.matches(self._small, (face.x * empty.scale, face.y * empty.scale), face.size_px * empty.scale)


Scene = Photo | TrayFrame


def _centres(faces: Sequence[Detection]) -> Floats:
    """Return the (n, 2) centres of the faces in pixels."""
    return np.array([(face.x, face.y) for face in faces], np.float64).reshape(-1, 2)


def _corners(face: Detection) -> Floats:
    """Return the (2, 2) upper left and lower right corner of a face in pixels."""
    half = face.size_px / 2
    return np.array([(face.x - half, face.y - half), (face.x + half, face.y + half)])


def _clipped_box(corners: Floats, shape: tuple[int, ...]) -> Box:
    """Convert the (2, 2) upper left and lower right corner to a box in whole pixels inside a picture of that shape."""
    (left, top), (right, bottom) = corners.round().astype(int).clip(0, shape[1::-1]).tolist()
    return left, top, max(1, right - left), max(1, bottom - top)
