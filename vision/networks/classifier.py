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
"""Edge of the network's input, in pixels."""
CROP_FACES = 1.5
"""Side of a crop, in face sizes: holds the whole face at any rotation and a little of its surroundings. Training and
reading must use the same value."""
BATCH_SIZE = 16
"""Crops per forward pass. Larger batches take more memory and no less time."""
MIN_PROBABILITY = 1e-6
"""Added to each probability before the geometric mean, so that one view cannot veto all others. With a larger one a
single doubtful view counts less."""
MIN_CHROMA_LEVELS = 48
"""Spread between the brightest and darkest channel from which a die counts as coloured. Its minimum channel is
classified too: white pips stay white there, and pips that shine through a clear die vanish."""
MIN_CONTRADICTION = 0.9
"""Probability from which another value in the minimum channel makes a prediction uncertain. A lower one costs trust in
coloured dice that are read right."""


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
"""Views for photos. The factors are above 1: on dark dice the detector sees only the pips and underestimates the size.
One is below 1, for the rare overestimate."""
TRAY_VIEWS = ViewSet(*(tuple((step * np.pi / 8, 0.93) for step in steps) for steps in ((0,), (-2, 2), (1, 3, 5, 7))))
"""Views for the tray. The factor corrects the light detector's boxes, which are larger than the faces."""


class Classifier:
    """The classifier network. One thread at a time may use it."""

    def __init__(self, model: Path = MODEL) -> None:
        self.network = Network(model)

    def classify(self, picture_bgr: FrameBGR, places: Sequence[Place], views: Views) -> Probabilities:
        """Classify the face at each place: (places, 7) probabilities, the geometric mean over the views."""
        return geometric_mean(self.classify_views(picture_bgr, places, views)) if places else np.empty((0, 7))

    def classify_views(self, picture_bgr: FrameBGR, places: Sequence[Place], views: Views) -> NDArray[np.float64]:
        """Classify the face at each place in each view.

        Crops of coloured dice are classified in their minimum channel too, and both predictions fused. With a single
        view this is done only for values of 3 and more: what shines through a die adds pips.

        Args:
            picture_bgr: (h, w, 3) uint8.
            places: Centre and size of each face; at least one.
            views: Rotations and scales in which each is shown; at least one.

        Returns:
            (views, places, 7) probabilities.
        """
        crops = _crops(picture_bgr, places, views)
        probabilities = self._forward(crops)
        checked = probabilities.argmax(1) > 2 if len(views) == 1 else np.full(len(crops), True)
        coloured = [number for number, crop in enumerate(crops) if checked[number] and is_coloured(crop)]
        if coloured:
            in_minimum = self._forward([minimum_channel(crops[number]) for number in coloured])
            probabilities[coloured] = _fuse_with_minimum_channel(probabilities[coloured], in_minimum)
        return probabilities.reshape(len(views), -1, 7)

    def features(self, picture_bgr: FrameBGR, places: Sequence[Place], views: Views) -> NDArray[np.float32]:
        """(views, places, d) features before the last layer of the face at each place in each view."""
        crops = _crops(picture_bgr, places, views)
        batches = [crops[start : start + BATCH_SIZE] for start in range(0, len(crops), BATCH_SIZE)]
        rows = np.concatenate([self.network.features(batch) for batch in batches])
        return rows.reshape(len(views), len(places), -1)

    def _forward(self, crops: Sequence[FrameBGR]) -> Probabilities:
        """(n, 7) probabilities of n crops, run in batches."""
        batches = [crops[start : start + BATCH_SIZE] for start in range(0, len(crops), BATCH_SIZE)]
        return np.concatenate([self.network.forward(batch) for batch in batches]).astype(np.float64)


def _crops(picture_bgr: FrameBGR, places: Sequence[Place], views: Views) -> list[NDArray[np.uint8]]:
    """Cut out the face at each place in each view: one view after the other."""
    return [
        crop_face(picture_bgr, (x, y), factor * size_px, rotation(angle))
        for angle, factor in views
        for x, y, size_px in places
    ]


def is_coloured(crop: FrameBGR) -> bool:
    """Whether a crop (96, 96, 3) shows a coloured die.

    That is if the median spread of the channels in the middle half of the crop exceeds MIN_CHROMA_LEVELS.
    """
    channels = cv2.split(crop[CROP_PX // 4 : -CROP_PX // 4, CROP_PX // 4 : -CROP_PX // 4])
    return bool(np.median(reduce(cv2.max, channels) - reduce(cv2.min, channels)) > MIN_CHROMA_LEVELS)


def minimum_channel(crop: FrameBGR) -> NDArray[np.uint8]:
    """(h, w, 3) the per-pixel minimum of the three channels, repeated in each of them."""
    return cv2.merge([reduce(cv2.min, cv2.split(crop))] * 3)


def _fuse_with_minimum_channel(colour: Probabilities, minimum: Probabilities) -> Probabilities:
    """Fuse the predictions for colour crops with those for their minimum channel.

    Where both name the same value, the more confident prediction is kept. Where the minimum channel clearly names
    another value, the result is their geometric mean, which lowers the confidence. Elsewhere the colour prediction
    stays.

    Args:
        colour: (n, 7) probabilities of the colour crops.
        minimum: (n, 7) probabilities of the same crops' minimum channel.

    Returns:
        (n, 7) fused probabilities.
    """
    value, minimum_value = colour.argmax(1), minimum.argmax(1)
    both_faces = (value > 0) & (minimum_value > 0)
    better = both_faces & (value == minimum_value) & (colour.max(1) < minimum.max(1))
    contradicted = both_faces & (value != minimum_value) & (minimum.max(1) >= MIN_CONTRADICTION)
    kept = np.where(better[:, None], minimum, colour)
    return np.where(contradicted[:, None], geometric_mean(np.stack([colour, minimum])), kept)


def geometric_mean(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Normalised geometric mean over the first axis of (views, ..., 7) probabilities."""
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
    """Cut one face out of a picture and resample it to a square crop, CROP_FACES face sizes wide.

    Args:
        picture_bgr: (h, w, 3) uint8.
        centre_xy: Centre of the face in pixels.
        size_px: Size of the face in pixels.
        transform: (2, 2) rotation, reflection or shear about the face's centre, applied from the picture to the crop.
        edge_px: Edge of the crop in pixels.

    Returns:
        (edge_px, edge_px, 3) uint8 with the face's centre in the middle. Beyond the picture's edge its border pixels
        repeat. A crop of a face far outside the picture is black.
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
