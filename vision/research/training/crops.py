"""Makes the crops that the classifier is trained on: a face cut out around its centre, or something else."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.classifier import CROP_FACES, CROP_PX, crop_face, is_coloured, minimum_channel, rotation
from vision.research.training.augment import relit
from vision.research.training.datasets import Photo

NO_FACE_SHARE = 0.22
"""Probability, 0 to 1, that a training crop is to show no whole face: beside a die, at a wrong scale, or the bare
ground. More teaches to reject, less to name values."""
STRAY_PROBABILITY = 0.3
"""Probability, 0 to 1, that a photo with false detections gives a crop of one of them. More teaches the classifier to
reject what the detector confuses."""
MISPLACEMENT = 0.13
"""Standard deviation of a simulated detection's centre, in face sizes, and of the natural logarithm of its size. The
classifier learns to read crops that are off by as much; more makes training harder."""
MIN_FACE_PX = 15.0
"""Least face size, in pixels, that is trained on. Labels of smaller faces are guesses; a higher limit leaves out faces
that could be learned."""
DRAWN_DICE = 5
"""Number of random dice of which one is used for training, harder ones more probably. More make hard examples more
frequent."""
MAX_STRETCH_LOG = 0.5
"""Largest natural logarithm of the aspect ratio to which a face is stretched in training: pixels may be oblong, and a
tilted lens shortens one side. More trains on flatter faces."""
SMALL, SMALL_FACES_PX = 0.3, (14.0, 32.0)
"""Probability that a training crop is reduced to the detail of a small face, and the range of that face's size in
pixels: a tray has 20 to 34. A higher probability trains more on coarse faces; larger sizes keep more detail."""
JPEG_PROBABILITY = 0.5
"""Probability, 0 to 1, that a reduced face is compressed as JPEG, which halves the detail of colours. More trains on
worse pictures."""
HALF_SIZE_PROBABILITY = 0.25
"""Probability, 0 to 1, that a crop is made at half size, so that noise, blur and JPEG artefacts are twice as coarse.
More trains on coarser pictures."""
MINIMUM_CHANNEL_PROBABILITY = 0.25
"""Probability, 0 to 1, that a coloured crop is replaced by its minimum channel, as the classifier is shown it when it
reads. More trains less on colour."""
ASLANT, CORNERS_MOVED = 0.3, 0.05
"""Probability that a training crop is distorted in perspective, and the standard deviation of its corners, in sides of
the crop. Larger ones train more on distorted faces."""


Example = tuple[NDArray[np.uint8], int, float]
"""A (96, 96, 3) BGR crop, its class (the value, or 0 for no face), and its weight in the loss."""


def example(sets: list[list[Photo]], odds: NDArray[np.float64], rng: np.random.Generator) -> Example:
    """Draw a random training crop, of a die or of something else, with its class and its weight in the loss.

    The class is the die's value. It is 0 for ground, a part of a die, a false detection, or dice at a wrong scale.

    Hard dice are oversampled and their loss is weighted down in proportion; otherwise worn 3s would make the classifier
    unsure of clean 2s.

    Args:
        sets: Sets of photos.
        odds: Probability of each set.
        rng: Random generator.
    """
    while True:
        photos = sets[int(rng.choice(len(sets), p=odds))]
        photo = photos[int(rng.integers(len(photos)))]
        if len(photo.strays) and rng.random() < STRAY_PROBABILITY:
            return _missed(photo, photo.strays[int(rng.integers(len(photo.strays)))], rng), 0, 1.0
        if rng.random() < NO_FACE_SHARE:
            beside = _beside(photo, rng) if photo.complete else None
            if beside is not None:
                return _seen(photo, *beside, rng), 0, 1.0
        elif (drawn := _hard(photos, rng)) is not None:
            photo, die, counts = drawn
            return _missed(photo, die, rng), int(die[3]), counts


def _hard(photos: list[Photo], rng: np.random.Generator) -> tuple[Photo, NDArray[np.float32], float] | None:
    """Draw a die with a face of at least MIN_FACE_PX from a set of photos; harder ones are more probable.

    It is chosen among one random die of each of DRAWN_DICE random photos.

    Returns:
        Its photo, its row (centre x and y, size in pixels, value) and the weight of its loss. None if none of those
        photos gave such a die; another call may find one.
    """
    drawn, hard = [], []
    for at in rng.integers(len(photos), size=DRAWN_DICE):
        if count := len(photos[int(at)].dice):
            photo, which = photos[int(at)], int(rng.integers(count))
            if photo.dice[which, 2] >= MIN_FACE_PX:
                drawn.append((photo, photo.dice[which]))
                hard.append(float(photo.hard[which]) if len(photo.hard) else 1.0)
    if not drawn:
        return None
    chosen = int(rng.choice(len(drawn), p=np.array(hard) / sum(hard)))
    return *drawn[chosen], sum(hard) / len(hard) / hard[chosen]


def _missed(photo: Photo, mark: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return a crop around a mark (x, y, size, ...), displaced as a detection may be."""
    at = mark[:2] + rng.normal(0, MISPLACEMENT, 2) * mark[2]
    return _seen(photo, at, float(mark[2] * np.exp(rng.normal(0, MISPLACEMENT))), rng)


def _beside(photo: Photo, rng: np.random.Generator) -> tuple[NDArray[np.float64], float] | None:
    """Draw the centre and the size, in pixels of the photo, of a crop for the class "no face".

    The crop shows part of a face, a place beside the dice, bare ground, or dice at half their size or less. Returns
    None if the place is too near a die or the die that was drawn is too small.
    """
    if not len(photo.dice):
        height, width = photo.bgr.shape[:2]
        return rng.uniform((0, 0), (width, height)), float(np.exp(rng.uniform(2.6, 5)))
    die = photo.dice[int(rng.integers(len(photo.dice)))]
    if die[2] < MIN_FACE_PX:
        return None
    size, way = float(die[2]), rng.random()
    around = np.array([np.cos(turn := rng.uniform(0, 2 * np.pi)), np.sin(turn)])
    if way < 0.25:  # a pip of a six must not become a one
        return die[:2] + around * rng.uniform(0, 0.4) * size, size * float(rng.uniform(0.22, 0.42))
    if way < 0.35:
        return die[:2] + around * rng.uniform(0, 0.5) * size, size * float(rng.uniform(2.0, 3.2))
    at = die[:2] + around * (rng.uniform(0.5, 1.0) if way < 0.8 else rng.uniform(1, 4)) * size
    clear = np.hypot(*(photo.dice[:, :2] - at).T) > 0.45 * photo.dice[:, 2]
    return (at, size * float(np.exp(rng.normal(0, 0.2)))) if clear.all() else None


def _seen(photo: Photo, at: NDArray[np.float64], size_px: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the (96, 96, 3) crop around a face of `size_px` pixels at `at` (x, y), varied at random.

    It is rotated, mirrored, stretched and relit. Some crops are also seen aslant, made coarser, or replaced by their
    minimum channel.
    """
    turn = rng.uniform(0, 2 * np.pi)
    lean = rng.uniform(0, np.pi)
    stretch = rng.uniform(-MAX_STRETCH_LOG, MAX_STRETCH_LOG)
    about = rotation(turn) @ rotation(lean) @ np.diag(np.exp([stretch / 2, -stretch / 2])) @ rotation(-lean)
    if rng.random() < 0.5:
        about = about @ np.diag([1.0, -1.0])
    edge_px = CROP_PX // 2 if rng.random() < HALF_SIZE_PROBABILITY else CROP_PX
    crop = crop_face(photo.bgr, (float(at[0]), float(at[1])), size_px, about, edge_px)
    if rng.random() < ASLANT:
        crop = _aslant(crop, rng)
    if rng.random() < SMALL:
        crop = _from_farther(crop, float(rng.uniform(*SMALL_FACES_PX)) * CROP_FACES, rng)
    crop = _resized(relit(crop, rng), CROP_PX)
    return minimum_channel(crop) if rng.random() < MINIMUM_CHANNEL_PROBABILITY and is_coloured(crop) else crop


def _aslant(crop: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Distort the perspective of a crop by moving its corners at random."""
    edge_px = len(crop)
    corners = np.array([(0, 0), (edge_px, 0), (edge_px, edge_px), (0, edge_px)], np.float32)
    moved = corners + rng.normal(0, CORNERS_MOVED * edge_px, (4, 2)).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(corners, moved)
    return cv2.warpPerspective(crop, matrix, (edge_px, edge_px), borderMode=cv2.BORDER_REPLICATE)


def _from_farther(crop: NDArray[np.uint8], edge_px: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return a crop, at its own size, with the detail of one of `edge_px`, as if the camera were farther away.

    Noise and JPEG artefacts are added at random while it is small, at 8 pixels or more.
    """
    edge = max(8, round(edge_px))
    small = cv2.resize(crop, (edge, edge), interpolation=cv2.INTER_AREA)
    if rng.random() < 0.5:
        noisy = small + rng.normal(0, rng.uniform(1, 9), small.shape)
        small = np.clip(noisy, 0, 255).astype(np.uint8)
    if rng.random() < JPEG_PROBABILITY:  # what blurs small pips of a colour most
        coded = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(40, 95))])[1]
        small = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    return _resized(small, len(crop))


def _resized(crop: NDArray[np.uint8], edge_px: int) -> NDArray[np.uint8]:
    return cv2.resize(crop, (edge_px, edge_px), interpolation=cv2.INTER_LINEAR)
