"""Hard-example mining: finds false detections and misread dice of the present networks."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from vision.networks.classifier import Classifier
from vision.networks.detector import LIGHT_FACE_PX, REFERENCE_FACE_PX, Detector, non_max_suppression
from vision.research.training.datasets import Photo

MIN_FALSE_SCORE = 0.12
"""Detector score, 0 to 1, from which a detection counts in mining: a false one becomes a training example, a right one
moves the label of its die. A lower one gives more examples, and easier ones, and moves more labels."""
OFF_LABEL, BESIDE = 0.4, 0.6
"""Distances from a labelled die, in face sizes. Its label moves onto a detection of its value nearer than OFF_LABEL; a
detection beyond BESIDE from all dice is false. Larger: OFF_LABEL moves labels onto neighbours, BESIDE finds fewer false
detections."""
MIN_DISTANCE_FACES = 0.5
"""Distance from all dice of a rendered tray, in face sizes, above which a detection is false. Labels of rendered trays
are exact; a larger distance finds fewer false detections."""
LONG_EDGES_PX = (400, 800, 1131)
"""Long edges, in pixels, to which a training photo is scaled to find false detections. Each is one of the edges in the
reader's PASSES_PX: the detector learns at scales that it will see. A further scale, no larger than the last edge,
brings the photo's dice near REFERENCE_FACE_PX. More or larger edges find more and take longer."""
MAX_SCALE = 2.0
"""Largest scale factor at which a photo is searched for false detections, which become hard negatives in training.
Higher: noise that looks like pips only when enlarged becomes a negative example, too."""
MAX_SEARCHED_PHOTOS = 150
"""Most photos of a set that are searched for false detections; of a larger set, that many or fewer at equal distances.
Larger sets hold many photos of one die, so more cost time and bring little."""
VIEWS = tuple((turn * np.pi / 4, larger) for turn, larger in ((0, 1.0), (1, 1.2), (3, 0.9)))
"""Views of a die, as (rotation in radians, factor of the crop's size), over which its probabilities are averaged. They
tell how hard the die is for the classifier. More take longer; larger factors show more ground."""
MIN_HARDNESS = 0.1
"""Hardness of a die that the classifier surely reads right. The probability of an error is added, up to 1.1; training
draws dice in proportion. Above 0, so that easy dice are still drawn; larger: more often."""
NEARLY, MOST = 0.03, 3
"""A die counts as misread or nearly so if the classifier gives its label a probability below 1 - NEARLY. A tray with
such dice is copied once for each, at most MOST times. Larger NEARLY: fewer, harder dice; larger MOST: trays with many
are drawn more often."""
CONTRADICTED, LABEL_WRONG = 0.9, 0.25
"""Probability of another value, 0 to 1, above which the classifier contradicts a photo's label, which may be wrong; and
the hardness that such a die gets, up to 1.1. A higher first: fewer labels are doubted; a higher second: such dice are
drawn more often."""


def with_lessons(photos: list[Photo], detector: Detector, faces: Classifier) -> list[Photo]:
    """Return photos with what the networks trained so far get wrong, for hard-example mining.

    Every photo gets the hardness of each die: how wrong the classifier is about it. At most `MAX_SEARCHED_PHOTOS`
    photos are also searched by the detector: its false detections are added, and labels move onto the faces that it
    found.
    """
    every = -(-len(photos) // MAX_SEARCHED_PHOTOS)
    looked_at = [_looked_at(photo, detector) if at % every == 0 else photo for at, photo in enumerate(photos)]
    return [dataclasses.replace(photo, hard=hardness(photo, faces)) for photo in looked_at]


def with_tray_lessons(trays: list[Photo], light: Detector, faces: Classifier) -> list[Photo]:
    """Return rendered trays with the light detector's false detections, mostly side faces, and each die's hardness."""
    return [dataclasses.replace(tray, strays=_sides(tray, light), hard=hardness(tray, faces, 1.0)) for tray in trays]


def misread(trays: list[Photo]) -> list[Photo]:
    """Return the trays with only their misread or nearly misread dice, one copy of a tray for each, at most MOST."""
    chosen = [(tray, tray.hard > MIN_HARDNESS + NEARLY) for tray in trays]
    return [
        Photo(tray.bgr, tray.dice[hard], complete=False) for tray, hard in chosen for _ in range(min(MOST, hard.sum()))
    ]


def hardness(photo: Photo, faces: Classifier, contradicted: float = LABEL_WRONG) -> NDArray[np.float32]:
    """Return the (n,) hardness of each die, 0.1 to 1.1: the classifier's probability that its label is wrong, plus 0.1.

    A die that is confidently read as another value gets `contradicted` instead.
    """
    if not len(photo.dice):
        return np.empty(0, np.float32)
    said = faces.classify(photo.bgr, [(float(x), float(y), float(size)) for x, y, size, _ in photo.dice], VIEWS)
    of_label = said[np.arange(len(said)), photo.dice[:, 3].astype(int)]
    surely_another = (of_label < 1 - CONTRADICTED) & (said[:, 1:].max(1) > CONTRADICTED)
    return np.where(surely_another, contradicted, MIN_HARDNESS + 1 - of_label).astype(np.float32)


def _looked_at(photo: Photo, detector: Detector) -> Photo:
    """Return a photo with its false detections, and its labels moved onto the faces that the detector found for them.

    Labels enclose whole dice, detections only the upper face.
    """
    marks = _marks(photo, detector)
    if len(marks) == 0 or len(photo.dice) == 0:
        return dataclasses.replace(photo, strays=marks[:, :3])
    away = np.hypot(*(marks[:, None, :2] - photo.dice[None, :, :2]).transpose(2, 0, 1)) / photo.dice[None, :, 2]
    dice = photo.dice.copy()
    for which, die in enumerate(photo.dice):
        likely = (away[:, which] < OFF_LABEL) & (marks[:, 3] == die[3])
        if likely.any():
            dice[which, :3] = marks[likely.argmax(), :3]
    strays = marks[(away > BESIDE).all(1), :3] if photo.complete else photo.strays
    return dataclasses.replace(photo, dice=dice, strays=strays)


def _sides(tray: Photo, light: Detector) -> NDArray[np.float32]:
    """Return (n, 3) centre x and y and size of the light detector's false detections in a rendered tray."""
    marks = light.detect(tray.bgr, LIGHT_FACE_PX / float(np.median(tray.dice[:, 2])))
    places = np.array([mark.place for mark in marks if mark.score >= MIN_FALSE_SCORE], np.float32).reshape(-1, 3)
    away = np.hypot(*(places[:, None, :2] - tray.dice[None, :, :2]).transpose(2, 0, 1)) / tray.dice[None, :, 2]
    return places[(away > MIN_DISTANCE_FACES).all(1)]


def _marks(photo: Photo, detector: Detector) -> NDArray[np.float32]:
    """Return (n, 4) centre x and y, size in pixels and value of the detections in a photo, best first."""
    long_edge = max(photo.bgr.shape[:2])
    scales = [px / long_edge for px in LONG_EDGES_PX]
    if len(photo.dice):
        scales.append(min(scales[-1], REFERENCE_FACE_PX / max(1.0, float(np.median(photo.dice[:, 2])))))
    every = [mark for scale in scales if scale <= MAX_SCALE for mark in detector.detect(photo.bgr, scale)]
    marks = non_max_suppression([mark for mark in every if mark.score >= MIN_FALSE_SCORE])
    return np.array([(mark.x, mark.y, mark.size_px, mark.value) for mark in marks], np.float32).reshape(-1, 4)
