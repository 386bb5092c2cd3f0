"""What geometry doubts in a tray: it never names a value and never makes a die, but what it sees must be explained.

Whole dice are drawn where faces were found; what else has changed may be no larger than a soft shadow or a crumb.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.geometry.background import Mask
from vision.reading.reading import Floats

Box = tuple[float, float, float, float]
"""Left, top, width, height."""

WHOLE_DIE = 0.65
"""Radius, in faces, within which a die's upper (or lower) face lies, whatever its turn: half a diagonal, and blur."""
DIE_RADIUS = 0.22
"""Radius, in faces, of the largest disc in a changed piece from which it may be a die: soft rims hold 0.15, a die of
which a neighbour's outline has taken a part 0.26."""
PIP_RADIUS = 0.08
"""The same of a pip: of two dark dice that touch, of which one was seen, no more may have changed than pips."""
FAR_PIPS = 0.8
"""Pips farther from a die than so many faces are another's: those of its own sides are as near as 0.7."""
BESIDE = 1.0
"""What has changed nearer to a die than so many faces is beside it."""
UNEVEN = 0.55
"""So many faces' areas beside one die more than beside the median of its picture are a doubt: 0 of 254 trusted pictures
of real rigs have them, 8 of 43 stacks told a die short, and 1 of 934 other trays: two black dice were taken for one."""
CUT_RADIUS = 0.17
"""The same of a piece that is cut by the edge of what is seen: a third of a die holds one."""
OVERLAP = 0.8
"""Faces whose middles are nearer than so many faces are not both flat on the floor."""
SIZES = (0.75, 1.85)
"""Sizes that the detector may say of a face, beside the calibration's: it says 1.22, the box round a turned die, in the
median of six real cameras; dice of two makes, a lens 10 % off."""
RIM = 0.4
"""A face whose middle is nearer to the edge of what is seen than so many faces may have pips outside."""


def whole_dice(shape: Sequence[int], faces: Floats, below: Floats, face_px: float, radius: float = WHOLE_DIE) -> Mask:
    """Where whole dice lie.

    Args:
        shape: Height and width of the mask.
        faces: (n, 2) middles of the upper faces in it.
        below: (n, 2) middles of the lower faces in it.
        face_px: Size of a face in it.
        radius: How far a die reaches from the middles of its faces, in faces.
    """
    mask = np.zeros(shape, np.uint8)
    for upper, lower in zip(faces, below, strict=True):
        one, other = (tuple((np.array(at) * 8).round().astype(int).tolist()) for at in (upper, lower))
        cv2.line(mask, one, other, 255, max(1, round(2 * radius * face_px)), cv2.LINE_8, 3)
    return mask


def unexplained(changed: Mask, dice: Mask, face_px: float, radius: float = DIE_RADIUS) -> list[Box]:
    """Boxes of what has changed, holds a disc of that radius (in faces of `face_px`), and is no part of the dice."""
    left = changed & ~dice
    depth = cv2.distanceTransform(cv2.copyMakeBorder(left, 1, 1, 1, 1, cv2.BORDER_CONSTANT), cv2.DIST_L2, 3)[1:-1, 1:-1]
    if depth.max() < min(radius, CUT_RADIUS) * face_px:
        return []  # as almost always: telling pieces apart takes longer than all else here
    count, labels, stats, _ = cv2.connectedComponentsWithStats(left)
    found = []
    for label in range(1, count):
        x, y, w, h = stats[label, :4].tolist()
        piece = np.where(labels[y : y + h, x : x + w] == label, depth[y : y + h, x : x + w], 0)
        cut = x == 0 or y == 0 or x + w == left.shape[1] or y + h == left.shape[0]
        if piece.max() >= (min(radius, CUT_RADIUS) if cut else radius) * face_px:
            found.append((x, y, w, h))
    return found


def overlapping(faces: Floats, face_px: float) -> bool:
    """Whether two of the (n, 2) upper faces can't both lie flat on the floor."""
    away = np.hypot(*(faces[:, None] - faces[None]).transpose(2, 0, 1))
    return bool((away[np.triu_indices(len(faces), 1)] < OVERLAP * face_px).any())


def impossible_size(size_px: float, face_px: float) -> bool:
    """Whether no die that lies flat has a face of that size."""
    return not SIZES[0] <= size_px / face_px <= SIZES[1]


def cut_off(face_xy: Sequence[float], size_px: float, shape: tuple[int, ...]) -> bool:
    """Whether a face lies across the edge of a picture of that shape."""
    half = RIM * size_px
    return not (half <= face_xy[0] <= shape[1] - half and half <= face_xy[1] <= shape[0] - half)
