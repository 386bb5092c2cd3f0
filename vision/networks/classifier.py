"""Reads single faces: a small network that is shown one face at a time, brought to one size, and names its value.

It knows nothing of how the face was found, and says of what shows no face that it shows none. Every face is shown to it
several times, differently turned: a value must be seen from each side to be sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images.scaling import halved
from vision.networks.network import Network
from vision.reading.reading import FrameBGR

Probabilities = NDArray[np.float64]
"""(n, 7): no face, then the values 1 to 6."""
Place = tuple[float, float, float]
"""Where a face lies: its middle x, y and its size, in pixels of the picture."""

Views = tuple[tuple[float, float], ...]

MODEL = Path(__file__).parent.parent / "models" / "faces.onnx"
CROP_PX = 96
"""Edge of what the network is shown."""
SIDE_FACES = 1.5
"""Side of a crop in sizes of the face: all of it at any turn, and a little of what is round it."""
MOST_AT_ONCE = 16
"""More faces are shown in parts: 32 at once take 11 MB more and no less time, 1.4 ms each."""
LEAST_SAID = 1e-6
"""No probability counts as less: nothing that one view says of a face may outweigh all others."""
COLOURED = 48
"""Levels between the brightest and the darkest channel of a coloured die: it is shown as its darkest channel, too, in
which white pips stay white, and what shines through the die is as dark as the die."""
DENIED = 0.9
"""How surely that must show another value to make a value unsure."""


@dataclass(frozen=True, slots=True)
class ViewSet:
    """How a face is shown: turned by so many radians, and taken to be so many times as large as it is marked.

    Attributes:
        first: To every face.
        again: Where nothing may be trusted after that.
        all_round: Where a value is in doubt still. A pattern of pips is its own after half a turn.
    """

    first: Views
    again: Views
    all_round: Views


IN_A_PHOTO = ViewSet(
    ((0.0, 1.0),),
    ((-np.pi / 4, 0.85), (np.pi / 4, 1.2)),
    tuple((turn * np.pi / 8, larger) for turn in range(8) for larger in (1.2, 1.35)),
)
"""Of dark dice the detector sees no more than the pips, and marks too little; now and then too much: a 1 marked 1.4
times as large as it is was none at 1.2 times that, and missed. Of 447 photos, number told, 93.9 % are trusted, none
wrong; with 0.93 all round 93.2, one wrong."""
IN_A_TRAY = ViewSet(*(tuple((turn * np.pi / 8, 0.93) for turn in turns) for turns in ((0,), (-2, 2), (1, 3, 5, 7))))
"""Marks are 1.13 times as large as the faces there. Of 980 rendered trays, a third of them with worn dice, 99.7 % are
right and 96.9 trusted, none wrong, instead of 98.8, 93.9 and one with the views of a photo."""


class Classifier:
    """The network; not to be used from two threads at a time."""

    def __init__(self, model: Path = MODEL) -> None:
        self.network = Network(model)

    def values(self, picture_bgr: FrameBGR, places: Sequence[Place], views: Views) -> Probabilities:
        """What the face at each place shows: the geometric mean of what was said of it in each of those views."""
        return geometric_mean(self.each_view(picture_bgr, places, views)) if places else np.empty((0, 7))

    def each_view(self, picture_bgr: FrameBGR, places: Sequence[Place], views: Views) -> NDArray[np.float64]:
        """(views, places, 7) what is said of each place, one at least, in each view."""
        crops = [
            cut_out(picture_bgr, (x, y), larger * size_px, turned(angle))
            for angle, larger in views
            for x, y, size_px in places
        ]
        said = self._said(crops)
        added = said.argmax(1) > 2 if len(views) == 1 else np.full(len(crops), True)  # what shines through adds pips
        coloured = [at for at, crop in enumerate(crops) if added[at] and is_coloured(crop)]
        if coloured:
            said[coloured] = _with_darkest(said[coloured], self._said([darkest(crops[at]) for at in coloured]))
        return said.reshape(len(views), -1, 7)

    def _said(self, crops: Sequence[FrameBGR]) -> Probabilities:
        parts = [crops[first : first + MOST_AT_ONCE] for first in range(0, len(crops), MOST_AT_ONCE)]
        return np.concatenate([self.network.forward(part) for part in parts]).astype(np.float64)


def is_coloured(crop: FrameBGR) -> bool:
    """Whether the middle of a crop has so much colour that pips may be seen through a die, and not look white."""
    channels = cv2.split(crop[CROP_PX // 4 : -CROP_PX // 4, CROP_PX // 4 : -CROP_PX // 4])
    return bool(np.median(reduce(cv2.max, channels) - reduce(cv2.min, channels)) > COLOURED)


def darkest(crop: FrameBGR) -> NDArray[np.uint8]:
    """The darkest channel of a crop, in each of its three."""
    return cv2.merge([reduce(cv2.min, cv2.split(crop))] * 3)


def _with_darkest(said: Probabilities, there: Probabilities) -> Probabilities:
    """What was said of crops and of their darkest channel alone: of one value the surer, of two less than either."""
    value, of_darkest = said.argmax(1), there.argmax(1)
    both = (value > 0) & (of_darkest > 0)
    surer = both & (value == of_darkest) & (said.max(1) < there.max(1))
    denied = both & (value != of_darkest) & (there.max(1) >= DENIED)
    either = np.where(surer[:, None], there, said)
    return np.where(denied[:, None], geometric_mean(np.stack([said, there])), either)


def geometric_mean(said: NDArray[np.float64]) -> NDArray[np.float64]:
    """(..., 7) of what was said in each view, (views, ..., 7): a value must be seen in all of them to be sure."""
    whole = np.exp(np.log(said + LEAST_SAID).mean(0))
    return whole / whole.sum(-1, keepdims=True)


def turned(angle_rad: float) -> NDArray[np.float64]:
    """(2, 2) a turn by that angle."""
    return np.array([[np.cos(angle_rad), -np.sin(angle_rad)], [np.sin(angle_rad), np.cos(angle_rad)]])


def cut_out(
    picture_bgr: FrameBGR,
    middle_xy: tuple[float, float],
    size_px: float,
    about: NDArray[np.float64],
    edge_px: int = CROP_PX,
) -> NDArray[np.uint8]:
    """(edge_px, edge_px, 3) a face of that middle and size; `about` (2, 2) turns, mirrors or stretches it there."""
    x, y = middle_xy
    reach = SIDE_FACES * size_px
    x0, y0 = int(max(0, x - reach)), int(max(0, y - reach))
    near = picture_bgr[y0 : int(max(0, y + reach + 2)), x0 : int(max(0, x + reach + 2))]
    if near.size == 0:
        return np.zeros((edge_px, edge_px, 3), np.uint8)
    scale = edge_px / (SIDE_FACES * size_px)
    near, left = halved(near, scale)
    matrix = about * left
    shift = edge_px / 2 - matrix @ (np.array([x - x0, y - y0]) * scale / left)
    whole = np.hstack([matrix, shift[:, None]])
    return cv2.warpAffine(near, whole, (edge_px, edge_px), borderMode=cv2.BORDER_REPLICATE)
