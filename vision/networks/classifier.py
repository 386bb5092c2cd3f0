"""Classifier of single faces: a small CNN that is shown one face at a time and names its value, or "no face".

It does not know what the detector said. Uncertain faces are shown in several views (test-time augmentation), and the
predictions are averaged geometrically: a value must be probable in every view.
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
"""Centre x, y and size of a face, in pixels of the picture."""

Views = tuple[tuple[float, float], ...]
"""Views of a face: for each a rotation in radians and a factor by which the detected size is multiplied."""

MODEL = Path(__file__).parent.parent / "models" / "faces.onnx"
"""The classifier's ONNX file."""
CROP_PX = 96
"""Width and height of the classifier's input, a crop of one face, in pixels. The trained weights fix it: another value
needs a new training. Larger: more detail, more time."""
CROP_FACES = 1.5
"""Side of a crop, as a multiple of the face's width. It holds the whole face at any rotation and a little of its
surroundings. Training and reading must use one value: with a larger one here, faces are smaller than in training."""
BATCH_SIZE = 16
"""Largest number of crops in one forward pass. Larger batches take more memory and save no time."""
MIN_PROBABILITY = 1e-6
"""Added to each probability, 0 to 1, before the geometric mean over views. So a view that gives a value no probability
does not rule it out alone. With a larger one a single contrary view counts less."""
MIN_CHROMA_LEVELS = 48
"""Difference between the brightest and darkest channel, 0 to 255, above which a die counts as coloured. A
coloured die is classified a second time by its minimum channel. White pips stay white there, and pips that shine
through a clear die vanish. A higher limit checks fewer dice that way."""
MIN_CONTRADICTION = 0.9
"""Probability, 0 to 1, that the minimum channel must give another value to make a prediction uncertain. A lower one
doubts coloured dice that are read right; a higher one trusts more that are read wrong."""


@dataclass(frozen=True, slots=True)
class ViewSet:
    """Views of a face, in the order in which they are needed.

    Attributes:
        first: Shown for every face.
        second: Shown for faces that the first views leave uncertain.
        augmented: Test-time augmentation of dice that are still uncertain at the end. Rotations stop at half a turn,
            which maps every pattern of pips to itself.
    """

    first: Views
    second: Views
    augmented: Views


PHOTO_VIEWS = ViewSet(
    ((0.0, 1.0),),
    ((-np.pi / 4, 0.85), (np.pi / 4, 1.2)),
    tuple((step * np.pi / 8, factor) for step in range(8) for factor in (1.2, 1.35)),
)
"""Views of a face in a photo, as (rotation in radians, factor of the crop's size): for every face, for uncertain ones,
and for dice uncertain to the end (`first`, `second` and `augmented` of a `ViewSet`). Most factors exceed 1: on dark
dice the detector sees only the pips, and underestimates the size. Larger factors: more ground in the crop."""
LIGHT_VIEWS = ViewSet(*(tuple((step * np.pi / 8, 0.93) for step in steps) for steps in ((0,), (-2, 2), (1, 3, 5, 7))))
"""Views of faces that the light detector found, as (rotation in radians, factor of the detected size), in the fields of
`ViewSet`. Its boxes are larger than the faces, so the factor is below 1. Smaller: pips are cut off; larger: crops show
more floor. More views take more time."""


class Classifier:
    """The classifier network. One thread at a time may use it."""

    def __init__(self, model: Path = MODEL) -> None:
        self.network = Network(model)

    def classify(self, picture_bgr: FrameBGR, places: Sequence[Place], views: Views) -> Probabilities:
        """Return (places, 7) probabilities of the face at each place: no face, then the values 1 to 6.

        They are the geometric mean over the views of `classify_views`. Without places the result has no rows.
        """
        return geometric_mean(self.classify_views(picture_bgr, places, views)) if places else np.empty((0, 7))

    def classify_views(self, picture_bgr: FrameBGR, places: Sequence[Place], views: Views) -> NDArray[np.float64]:
        """Return (views, places, 7) probabilities of the face at each place in each view: no face, then the values.

        Crops of coloured dice (`is_coloured`) are classified a second time, in their minimum channel, and both
        predictions are combined. With a single view this is done only for crops classified as 3 or more, because pips
        that shine through a die add to its value. Raises ValueError without places or views.
        """
        crops = _crops(picture_bgr, places, views)
        probabilities = self._run(crops).astype(np.float64)
        checked = probabilities.argmax(1) > 2 if len(views) == 1 else np.full(len(crops), True)
        coloured = [number for number, crop in enumerate(crops) if checked[number] and is_coloured(crop)]
        if coloured:
            in_minimum = self._run([minimum_channel(crops[number]) for number in coloured]).astype(np.float64)
            probabilities[coloured] = _fuse_with_minimum_channel(probabilities[coloured], in_minimum)
        return probabilities.reshape(len(views), -1, 7)

    def features(self, picture_bgr: FrameBGR, places: Sequence[Place], views: Views) -> NDArray[np.float32]:
        """Return (places, views, d) features of the face at each place in each view, each vector of length 1.

        Features are the input of the network's last layer. Raises ValueError if `places` is empty.
        """
        rows = self._run(_crops(picture_bgr, places, views), features=True)
        rows /= np.linalg.norm(rows, axis=-1, keepdims=True)
        return rows.reshape(len(views), len(places), -1).swapaxes(0, 1)

    def _run(self, crops: Sequence[FrameBGR], *, features: bool = False) -> NDArray[np.float32]:
        """Return the (n, 7) probabilities of n crops, or their (n, d) features, run in batches of BATCH_SIZE."""
        batches = [crops[start : start + BATCH_SIZE] for start in range(0, len(crops), BATCH_SIZE)]
        return np.concatenate([self.network.forward(batch, features=features) for batch in batches])


def _crops(picture_bgr: FrameBGR, places: Sequence[Place], views: Views) -> list[NDArray[np.uint8]]:
    """Return a (96, 96, 3) BGR crop of the face at each place in each view, ordered by view, then by place.

    A view is a rotation of the crop in radians, and a factor by which the size of the place is multiplied.
    """
    return [
        crop_face(picture_bgr, (x, y), factor * size_px, rotation(angle))
        for angle, factor in views
        for x, y, size_px in places
    ]


def is_coloured(crop: FrameBGR) -> bool:
    """Return whether most pixels of a (96, 96, 3) crop's middle half have a chroma above MIN_CHROMA_LEVELS."""
    channels = cv2.split(crop[CROP_PX // 4 : -CROP_PX // 4, CROP_PX // 4 : -CROP_PX // 4])
    over = cv2.compare(reduce(cv2.max, channels) - reduce(cv2.min, channels), MIN_CHROMA_LEVELS, cv2.CMP_GT)
    return 2 * cv2.countNonZero(over) > over.size


def minimum_channel(crop: FrameBGR) -> NDArray[np.uint8]:
    """Return a grey picture (h, w, 3) with each pixel's darkest channel in all three channels."""
    return cv2.merge([reduce(cv2.min, cv2.split(crop))] * 3)


def _fuse_with_minimum_channel(colour: Probabilities, minimum: Probabilities) -> Probabilities:
    """Return (n, 7) probabilities: those of n colour crops, fused with those of the same crops' minimum channel.

    Column 0 is the probability of no face. Each row depends on the most probable column of both inputs:
    - The same value in both: the row in which this value is more probable.
    - Different values, with a probability of at least MIN_CONTRADICTION in the minimum channel: the geometric mean
      of both rows, scaled to add up to 1.
    - Otherwise, or if column 0 is the most probable in either input: the colour row.
    """
    value, minimum_value = colour.argmax(1), minimum.argmax(1)
    both_faces = (value > 0) & (minimum_value > 0)
    better = both_faces & (value == minimum_value) & (colour.max(1) < minimum.max(1))
    contradicted = both_faces & (value != minimum_value) & (minimum.max(1) >= MIN_CONTRADICTION)
    kept = np.where(better[:, None], minimum, colour)
    return np.where(contradicted[:, None], geometric_mean(np.stack([colour, minimum])), kept)


def geometric_mean(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the geometric mean over the first axis of (views, ..., 7) probabilities, scaled to add up to 1."""
    mean = np.exp(np.log(probabilities + MIN_PROBABILITY).mean(0))
    return mean / mean.sum(-1, keepdims=True)


def rotation(angle_rad: float) -> NDArray[np.float64]:
    """Return the (2, 2) matrix that rotates points (x, y) of a picture by an angle in radians, clockwise as seen."""
    return np.array([[np.cos(angle_rad), -np.sin(angle_rad)], [np.sin(angle_rad), np.cos(angle_rad)]])


def crop_face(
    picture_bgr: FrameBGR,
    centre_xy: tuple[float, float],
    size_px: float,
    transform: NDArray[np.float64],
    edge_px: int = CROP_PX,
) -> NDArray[np.uint8]:
    """Return a square crop of the picture around a face's centre, resampled to `edge_px` pixels a side.

    `size_px` is the face's size; the crop shows CROP_FACES times that in width and height. `transform` is a (2, 2)
    rotation, reflection or shear about the centre, applied from the picture to the crop. Beyond the picture's edge its
    border pixels repeat. A crop of a face far outside the picture is black.
    """
    x, y = centre_xy
    reach = CROP_FACES * size_px
    x0, y0 = int(max(0, x - reach)), int(max(0, y - reach))
    near = picture_bgr[y0 : int(max(0, y + reach + 2)), x0 : int(max(0, x + reach + 2))]
    if near.size == 0:
        return np.zeros((edge_px, edge_px, 3), np.uint8)
    scale = edge_px / (CROP_FACES * size_px)
    near, rest = halved(near, scale)
    matrix = transform * rest
    shift = edge_px / 2 - matrix @ (np.array([x - x0, y - y0]) * scale / rest)
    affine = np.hstack([matrix, shift[:, None]])
    return cv2.warpAffine(near, affine, (edge_px, edge_px), borderMode=cv2.BORDER_REPLICATE)
