"""Geometric vetoes on a reading: they can only reject it, never name a value or add a die.

The accepted dice are drawn as whole cubes. Foreground outside them must be no larger than a soft shadow or a crumb.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.geometry.background import Mask
from vision.reading.reading import Box, Floats

DIE_OUTLINE_RADIUS = 0.65
"""Radius, as a multiple of a face's width, of the disc that covers a face at any rotation: half the diagonal of a
rounded square. Foreground in it belongs to the die, much smaller candidates in it are its pips. A larger one overlooks
objects and small dice beside dice; a smaller one takes a die's corners for objects."""
MIN_OBJECT_RADIUS = 0.22
"""Radius, as a multiple of a face's width, of the disc that unexplained foreground must hold to count as a possible
die. With a smaller one shadow rims raise a doubt, with a larger one dice partly under another's outline are missed."""
MIN_PIP_RADIUS = 0.08
"""Radius, in face widths, of the smallest foreground outside accepted dice that makes the reader look again at another
scale. A missed dark die may show only its pips. Larger: it is overlooked. Smaller: specks cost time."""
OWN_PIPS_RADIUS = 0.8
"""Radius around the line from a die's upper to its lower face, as a multiple of a face's width. Pip-sized foreground
within it triggers no closer pass: it may be pips on the die's own sides. A larger one overlooks a missed die that
touches it; a smaller one runs closer passes in vain."""
MAX_EXCESS_FOREGROUND = 0.55
"""Largest area of foreground around a die, less that around the median die, in face areas. With more, the reading is
doubted: a stack, or two dice read as one. Foreground counts within one face width of the die's axis and outside all
dice; certain foreground counts twice. Higher: more stacks are overlooked (docs/lab/stacks.md)."""
MIN_FACE_DISTANCE = 0.8
"""Distance between two face centres, as a multiple of a face's width, below which the reading is doubted: two dice that
lie flat can't be so near. From 1 on it doubts dice that touch side by side."""
FACE_SIZE_RANGE = (0.75, 1.85)
"""Smallest and largest detected size of a flat face, relative to the calibrated one; outside it the die counts as
cocked. Allows for rotated dice of two makes and a lens height that is 10 % off. Wider overlooks cocked dice."""
BORDER_MARGIN = 0.4
"""Distance of a face's centre from the picture's edge, in face widths, below which the die counts as cut off. Some of
its pips may be outside. A larger one doubts whole dice near the edge."""


def unexplained_boxes(foreground: Mask, dice: Mask, face_px: float, radius: float = MIN_OBJECT_RADIUS) -> list[Box]:
    """Return the bounding boxes, in pixels of the masks, of large connected pieces of foreground outside the dice.

    A piece is large if it holds a disc of `radius` face widths; its box includes its thin parts. `face_px` is the width
    of a die's face.
    """
    rest = foreground & ~dice
    if cv2.countNonZero(rest) < 2 * (radius * face_px) ** 2:
        return []  # fewer pixels than the square inside that disc has
    depth = cv2.distanceTransform(cv2.copyMakeBorder(rest, 1, 1, 1, 1, cv2.BORDER_CONSTANT), cv2.DIST_L2, 3)[1:-1, 1:-1]
    if depth.max() < radius * face_px:
        return []  # the common case; labelling components is the slowest step here
    count, labels, stats, _ = cv2.connectedComponentsWithStats(rest)
    boxes = []
    for label in range(1, count):
        x, y, w, h = stats[label, :4].tolist()
        piece = np.where(labels[y : y + h, x : x + w] == label, depth[y : y + h, x : x + w], 0)
        if piece.max() >= radius * face_px:
            boxes.append((x, y, w, h))
    return boxes


def any_overlap(faces: Floats, face_px: float) -> bool:
    """Return whether any two of the (n, 2) face centres are nearer than MIN_FACE_DISTANCE times `face_px` pixels."""
    distances = np.hypot(*(faces[:, None] - faces[None]).transpose(2, 0, 1))
    return bool((distances[np.triu_indices(len(faces), 1)] < MIN_FACE_DISTANCE * face_px).any())


def impossible_size(size_px: float, face_px: float) -> bool:
    """Return whether a detected face of `size_px` pixels can't be a flat die's, whose face should have `face_px`."""
    return not FACE_SIZE_RANGE[0] <= size_px / face_px <= FACE_SIZE_RANGE[1]


def cut_off(face_xy: Sequence[float], size_px: float, shape: tuple[int, ...]) -> bool:
    """Return whether a face's centre is so near to the edge of a picture of that shape that part may be outside."""
    half = BORDER_MARGIN * size_px
    return not (half <= face_xy[0] <= shape[1] - half and half <= face_xy[1] <= shape[0] - half)
