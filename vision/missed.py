"""Dice that the silhouettes missed, where something is in doubt anyway: clear ones, and those of the ground's colour.

Their bodies hardly differ from the ground, so no outline can be asked for; but their pips do, and the networks
see them. What is found here is told to the person who is asked, and never ends a doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import cv2
import numpy as np

from vision import tray_faces
from vision.claims import Face, apart
from vision.geometry.background import Changes, Mask, cube_outline
from vision.geometry.rig import Rig
from vision.networks import classifier as faces
from vision.new_pips import boxes, grown
from vision.packed import packed
from vision.pips.blobs import pips
from vision.pips.layouts import Fit, fits
from vision.places import UNDECIDED
from vision.poses import Pose
from vision.reading import FrameBGR

VERY_SURE = 0.95
"""Probability from which the network's word counts, where the pips show the same value."""
MOST_ASKED = 12
"""So many faces are shown to the network at most: a cloth's pattern may hold many that pips propose."""
OPENED_EDGES = 0.4
"""What is narrower than this is the rim of a shadow, in edges."""
BESIDE_EDGES = np.array([-0.2, 0.0, 0.2])
"""Where the network for photos looks for a face beside the place that the outline of what has changed gives."""
MOST_SHAPES = 4
"""So many pieces of what has changed are looked at."""
HALF_SEEN = 0.5
"""What such a die is said to fill of its outline, which nobody has seen."""


def missed(frame_bgr: FrameBGR, changed: Changes, taken: Sequence[Face], rig: Rig) -> list[Face]:
    """Faces in doubt, apart from those that were taken.

    Args:
        frame_bgr: The frame.
        changed: What is not as in the empty tray.
        taken: The faces that were found by their silhouettes.
        rig: The calibration.
    """
    specks, any_change = _without(changed.specks, taken), _without(changed.any, taken)
    found = _by_pips(frame_bgr, specks, taken, rig)
    return found + _by_changes(frame_bgr, any_change, [*taken, *found], rig)


def _without(mask: Mask, taken: Sequence[Face]) -> Mask:
    """A mask without the dice that were taken."""
    left = mask.copy()
    for face in taken:
        cv2.fillConvexPoly(left, face.outline.round().astype(np.int32), 0)
    return left


def _by_pips(frame_bgr: FrameBGR, specks: Mask, taken: Sequence[Face], rig: Rig) -> list[Face]:
    """Faces that pips propose, whatever lies round them."""
    edge_px = rig.die_px
    near = cv2.dilate(specks, np.ones((round(edge_px) | 1,) * 2, np.uint8))
    likely = [fit for box in boxes(near) for fit in _fits(frame_bgr, near, box, edge_px)]
    likely = [fit for fit in likely if apart(fit.centre_xy, taken, edge_px)][:MOST_ASKED]
    said = faces.asked(frame_bgr, [(*fit.centre_xy, edge_px) for fit in likely]) if likely else None
    if said is None:
        return []
    found: list[Face] = []
    for fit, each in zip(likely, said, strict=True):
        if each[fit.value] >= VERY_SURE and apart(fit.centre_xy, found, edge_px):
            found.append(_in_doubt(fit.value, (*fit.centre_xy, fit.angle_rad or 0.0), rig))
    return found


def _by_changes(frame_bgr: FrameBGR, left: Mask, taken: Sequence[Face], rig: Rig) -> list[Face]:
    """Faces of dice that may fill what has changed and nothing explains: most of that is shadow, and shows no face."""
    edge_px = rig.die_px
    opened = cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((round(OPENED_EDGES * edge_px),) * 2, np.uint8))
    found: list[Face] = []
    for box in boxes(opened, edge_px**2)[:MOST_SHAPES]:
        rows, columns = grown(*box, opened.shape)
        packing = packed(opened[rows, columns], opened[rows, columns], rig, (columns.start, rows.start))
        for pose in () if packing is None else packing.poses:
            seen = _face_near(frame_bgr, pose, edge_px)
            if seen is not None and apart(seen[1][:2], [*taken, *found], edge_px):
                found.append(_in_doubt(*seen, rig))
    return found


def _face_near(frame_bgr: FrameBGR, pose: Pose, edge_px: float) -> tuple[int, Pose] | None:
    """What a network sees at a pose or a little beside it, and where; None if none is sure of any face."""
    seen = tray_faces.seen_near(frame_bgr, pose, edge_px)
    if seen is not None:
        return seen
    x, y, turn = pose
    near = [(x + dx, y + dy, turn) for dx, dy in product(BESIDE_EDGES * edge_px, repeat=2)]
    said = faces.asked(frame_bgr, [(x, y, edge_px) for x, y, _ in near])
    if said is None or said[:, 1:].max() < VERY_SURE:
        return None
    at, value = np.unravel_index(int(said[:, 1:].argmax()), (len(near), 6))
    return int(value) + 1, near[int(at)]


def _fits(frame_bgr: FrameBGR, near: Mask, box: tuple[int, int, int, int], edge_px: float) -> list[Fit]:
    """What the pips of one place show; middles in the frame's pixels."""
    rows, columns = grown(*box, near.shape)
    part = frame_bgr[rows, columns]
    spots = pips(part, edge_px, near[rows, columns])
    spots[:, :2] += (columns.start, rows.start)
    return fits(spots, edge_px)


def _in_doubt(value: int, pose: Pose, rig: Rig) -> Face:
    x, y, turn = pose
    outline = cube_outline(rig, (x, y), turn)
    return Face(value, (x, y), turn, outline, HALF_SEEN, HALF_SEEN, UNDECIDED, 0.0, (), False)
