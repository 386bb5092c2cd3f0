"""Reads upper faces in the calibrated tray, each shown upright and large: a network made for hollows without paint.

Where the rig says where a face lies and how it is turned, more can be seen than in a photo of unknown scale: the rims
of bare hollows at their nine places, and what shines through a clear die apart from what is painted on it. The network
learned from rendered faces alone (see `vision.training`), so its word never stands alone either.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

from companion.errors import SetupError
from vision.networks.classifier import Probabilities, said_of
from vision.networks.detector import loaded
from vision.poses import Pose
from vision.reading import FrameBGR
from vision.upright import upright

MODEL = Path(__file__).with_name("models") / "tray.onnx"
FACE_PX = 64
"""Edge of what the network is shown."""
SIDE_EDGES = 1.28
"""What that spans, in edges of the face: 50 px of it, and a rim that its place may be off."""
SIDES = (0.0, np.pi / 2)
"""How a face is turned each time it is shown, in radians."""
NEAR_EDGES = (-0.14, 0.0, 0.14)
NEAR_RAD = np.radians([-30.0, -15.0, 0.0, 15.0, 30.0, 45.0])
"""Where else a face is looked for whose pose may be wrong; the network forgives half of such a step."""
LIKELY = 0.8
"""Probability from which what it sees there is told."""


class TrayFaces:
    """The network, loaded once; not to be used from two threads at a time."""

    def __init__(self, model: Path = MODEL) -> None:
        self._net = loaded(model)

    def values(self, frame_bgr: FrameBGR, poses: Sequence[Pose], edge_px: float) -> Probabilities:
        """What the face of each pose shows: the geometric mean of what was said of it from two sides."""
        if not poses:
            return np.empty((0, 7))
        side_px = SIDE_EDGES * edge_px
        shown = [upright(frame_bgr, (x, y), turn + side, side_px, FACE_PX) for side in SIDES for x, y, turn in poses]
        return said_of(self._net, shown, len(SIDES))


@cache
def shipped() -> TrayFaces:
    """The network that is shipped, loaded at the first call."""
    return TrayFaces()


def asked(frame_bgr: FrameBGR, poses: Sequence[Pose], edge_px: float) -> Probabilities | None:
    """What the shipped network says of each pose; None without it: the table plays on, with more doubts."""
    try:
        return shipped().values(frame_bgr, poses, edge_px)
    except SetupError:
        return None


def seen_near(frame_bgr: FrameBGR, pose: Pose, edge_px: float) -> tuple[int, Pose] | None:
    """The value that the network sees at a pose which may be wrong, or near it, and where; None if it is sure of none.

    With so many poses tried, one may look like a face that none is: this is told to a person, and never trusted.
    """
    x, y, turn = pose
    ways = product(NEAR_EDGES, NEAR_EDGES, NEAR_RAD)
    tried = [(x + dx * edge_px, y + dy * edge_px, turn + angle) for dx, dy, angle in ways]
    said = asked(frame_bgr, tried, edge_px)
    if said is None or said[:, 1:].max() < LIKELY:
        return None
    at, value = np.unravel_index(int(said[:, 1:].argmax()), (len(tried), 6))
    return int(value) + 1, tried[int(at)]
