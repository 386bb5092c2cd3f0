"""Examples from a picture whose dice a person has confirmed or corrected."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from vision.geometry.floor import Floor
from vision.geometry.rig import Rig
from vision.images.loading import jpeg, picture_of_bytes
from vision.networks.classifier import CROP_FACES, Classifier, Place, crop_face, rotation
from vision.reading.reading import Box, FrameBGR, Reading
from vision.teaching.witness import EXAMPLE_VIEWS, NO_FACE, Example

MIN_DISTANCE_FACES = 0.5
"""Distance from the centre of every die, in longer sides of its box, above which a rejected candidate is an example of
no face. Nearer, it may be a second box of the die. Larger: fewer examples."""

PATCH_PX, PATCH_FACES = 144, 2.25
"""Edge of the stored picture of a face, in pixels and in faces: a crop of 1.5 faces fits into it at any turn. More
pixels make larger files; more faces show more surroundings, and the face smaller."""
PATCH_QUALITY = 95
"""JPEG quality, 0 to 100, of the stored picture of a face. A higher one makes larger files; with a lower one the
compression changes the features that the classifier computes from the picture."""
PATCH_PLACE: Place = (PATCH_PX / 2, PATCH_PX / 2, PATCH_PX / PATCH_FACES)
"""Centre (x, y) and size of the face in its stored picture, in pixels. PATCH_PX and PATCH_FACES give it: with any other
the features are not those of the face."""


def examples_of(
    classifier: Classifier,
    frame_bgr: FrameBGR,
    reading: Reading,
    values: Sequence[int | None],
    throw: int,
    rig: Rig | None = None,
) -> list[Example]:
    """Return labelled examples of the faces in a picture whose values a person has confirmed.

    Dice that the reader could not read give no example, whatever their label. If every die that was read has a label,
    rejected candidates that lie on no die become examples of `NO_FACE`.

    Args:
        classifier: Computes features and probabilities.
        frame_bgr: (h, w, 3) picture that was read.
        reading: Reading of the picture, with candidates.
        values: Label for each of `reading.dice`: its value, `NO_FACE`, or None if the label is not known.
        throw: Number of the throw, different for each throw of the set.
        rig: Calibration that the picture was read with, or None; ignored if it does not fit the picture.

    Returns:
        One example for each die that was read and has a label, in the order of `reading.dice`. Then one for each
        candidate that becomes `NO_FACE`. May be empty.
    """
    read = [(die.box_xywh, value) for die, value in zip(reading.dice, values, strict=True) if die.value is not None]
    faces = [(box, label) for box, label in read if label is not None]
    if len(faces) == len(read):
        dice = [box for box, label in faces if label != NO_FACE]
        dice += [die.box_xywh for die in reading.dice if die.value is None]
        faces += [
            (each.box_xywh, NO_FACE)
            for each in reading.candidates
            if not each.accepted and all(_apart(each.box_xywh, die) for die in dice)
        ]
    if not faces:
        return []
    floor = None if rig is None or not rig.fits(frame_bgr) else Floor.of(rig)
    view = frame_bgr if floor is None else floor.view(frame_bgr)
    places = [_place(box, floor) for box, _ in faces]
    patches = [_patch(view, place) for place in places]
    return [example_of(classifier, patch, throw, label) for patch, (_, label) in zip(patches, faces, strict=True)]


def example_of(classifier: Classifier, patch_jpeg: bytes, throw: int, label: int) -> Example:
    """Return a labelled example of a die's face, with probabilities and features from its stored JPEG picture.

    Raises PictureError if the picture is damaged.
    """
    patch = picture_of_bytes(patch_jpeg, f"a face of throw {throw}")
    probabilities = classifier.classify(patch, [PATCH_PLACE], EXAMPLE_VIEWS[:1])[0]
    return Example(throw, label, probabilities, classifier.features(patch, [PATCH_PLACE], EXAMPLE_VIEWS)[0], patch_jpeg)


def _patch(view_bgr: FrameBGR, place: Place) -> bytes:
    """Return a JPEG picture of a face with enough of its surroundings for every view."""
    x, y, size_px = place
    patch = crop_face(view_bgr, (x, y), PATCH_FACES / CROP_FACES * size_px, rotation(0.0), PATCH_PX)
    return jpeg(patch, PATCH_QUALITY)


def _place(box: Box, floor: Floor | None) -> Place:
    """Return the centre's x and y, and the longer side, of a box given in pixels of the frame.

    The result is in pixels of the floor's view: the frame, cropped to the tray and stretched to nearly square pixels.
    Without a floor, the result is in pixels of the frame.
    """
    x, y, width, height = box
    offset, stretch = (np.zeros(2), np.ones(2)) if floor is None else (np.array(floor.box[:2]), floor.stretch)
    centre = (np.array([x + width / 2, y + height / 2]) - offset) * stretch
    size = np.array([width, height]) * stretch
    return float(centre[0]), float(centre[1]), float(size.max())


def _apart(box: Box, die: Box) -> bool:
    """Return whether the centre of a box is farther from a die's centre than MIN_DISTANCE_FACES times its width."""
    centres = [(x + width / 2, y + height / 2) for x, y, width, height in (box, die)]
    return math.dist(*centres) > MIN_DISTANCE_FACES * max(die[2:])
