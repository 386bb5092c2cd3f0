"""Dice that the silhouettes missed, where something is in doubt anyway: clear ones, and those of the ground's colour.

Their bodies hardly differ from the ground, so no outline can be asked for; but their pips do, and the network for faces
(see `vision.faces`) sees them. What is found here is told to the person who is asked, and never ends a doubt.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision import faces
from vision.claims import Face, apart
from vision.find import Mask, cube_outline
from vision.layouts import Fit, fits
from vision.new_pips import boxes, grown
from vision.pips import pips
from vision.places import UNDECIDED
from vision.reading import FrameBGR
from vision.tray import Rig

VERY_SURE = 0.95
"""Probability from which the network's word counts, where the pips show the same value."""
MOST_ASKED = 12
"""So many faces are shown to the network at most: a cloth's pattern may hold many that pips propose."""
HALF_SEEN = 0.5
"""What such a die is said to fill of its outline, which nobody has seen."""


def missed(frame_bgr: FrameBGR, specks: Mask, taken: Sequence[Face], rig: Rig) -> list[Face]:
    """Faces in doubt, apart from those that were taken.

    Args:
        frame_bgr: The frame.
        specks: (h, w) 255 where no shadow explains the frame, however small the place.
        taken: The faces that were found by their silhouettes.
        rig: The calibration.
    """
    edge_px = rig.die_px
    left = specks.copy()
    for face in taken:
        cv2.fillConvexPoly(left, face.outline.round().astype(np.int32), 0)
    near = cv2.dilate(left, np.ones((round(edge_px) | 1,) * 2, np.uint8))
    likely = [fit for box in boxes(near) for fit in _fits(frame_bgr, near, box, edge_px)]
    likely = [fit for fit in likely if apart(fit.centre_xy, taken, edge_px)][:MOST_ASKED]
    if not likely:
        return []
    said = faces.asked(frame_bgr, [(*fit.centre_xy, edge_px) for fit in likely])
    if said is None:
        return []
    found: list[Face] = []
    for fit, each in zip(likely, said, strict=True):
        if each[fit.value] >= VERY_SURE and apart(fit.centre_xy, found, edge_px):
            found.append(_in_doubt(fit, rig))
    return found


def _fits(frame_bgr: FrameBGR, near: Mask, box: tuple[int, int, int, int], edge_px: float) -> list[Fit]:
    """What the pips of one place show; middles in the frame's pixels."""
    rows, columns = grown(*box, near.shape)
    part = frame_bgr[rows, columns]
    spots = pips(part, edge_px, near[rows, columns])
    spots[:, :2] += (columns.start, rows.start)
    return fits(spots, edge_px)


def _in_doubt(fit: Fit, rig: Rig) -> Face:
    turn = fit.angle_rad or 0.0
    outline = cube_outline(rig, fit.centre_xy, turn)
    return Face(fit.value, fit.centre_xy, turn, outline, HALF_SEEN, HALF_SEEN, UNDECIDED, fit.off, (), False)
