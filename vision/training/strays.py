"""What the detector takes for faces and is none: the second network's hardest lessons."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from vision.networks.detector import DICE_PX, Network
from vision.training.datasets import Photo

LEAST_SCORE = 0.12
"""A mark below it would hardly ever be among the expected dice."""
LONGEST_PX = 900
"""No photo is looked at larger; this is a look in one size, not the search of `vision.networks.multiscale`."""


def with_strays(photos: list[Photo], detector: Network) -> list[Photo]:
    """The photos, each with the marks of it in which no die lies."""
    return [dataclasses.replace(photo, strays=_strays(photo, detector)) for photo in photos]


def _strays(photo: Photo, detector: Network) -> NDArray[np.float32]:
    """(n, 3) middle x, y and size in pixels of the marks that lie on no die."""
    scale = LONGEST_PX / max(photo.bgr.shape[:2])
    if len(photo.dice):
        scale = min(scale, DICE_PX / max(1.0, float(np.median(photo.dice[:, 2]))))
    marks = [mark for mark in detector.marks(photo.bgr, min(2.0, scale)) if mark.score >= LEAST_SCORE]
    places = np.array([(mark.x, mark.y, mark.size_px) for mark in marks], np.float32).reshape(-1, 3)
    if len(photo.dice) == 0 or len(places) == 0:
        return places
    away = np.hypot(*(places[:, None, :2] - photo.dice[None, :, :2]).transpose(2, 0, 1))
    return places[(away > 0.6 * photo.dice[None, :, 2]).all(1)]
