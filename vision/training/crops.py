"""Makes the crops that the second network learns from: a face cut out round its middle, or what is no face."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.networks.classifier import cut_out, turned
from vision.training.augment import relit
from vision.training.datasets import Photo

NOT_A_FACE = 0.22
"""Part of the crops that show none: what lies beside a die, a die much too near or too far, the bare ground."""
STRAY = 0.12
"""How often a photo with strays is shown for one of them."""
MISSED = 0.13
"""Spread of the middle that the detector marks, in sizes, and of the logarithm of the size it says."""
SMALLEST_PX = 15.0
"""Smaller faces are left out: their labels are guesses."""


def example(
    sets: list[list[Photo]], odds: NDArray[np.float64], rng: np.random.Generator
) -> tuple[NDArray[np.uint8], int]:
    """A (48, 48, 3) BGR crop and its class: the value, or 0 for what is no face."""
    while True:
        photos = sets[int(rng.choice(len(sets), p=odds))]
        photo = photos[int(rng.integers(len(photos)))]
        if len(photo.strays) and rng.random() < STRAY:
            stray = photo.strays[int(rng.integers(len(photo.strays)))]
            at = stray[:2] + rng.normal(0, MISSED, 2) * stray[2]
            return _seen(photo, at, float(stray[2] * np.exp(rng.normal(0, MISSED))), rng), 0
        if len(photo.dice) == 0:
            if rng.random() < NOT_A_FACE:
                height, width = photo.bgr.shape[:2]
                return _seen(photo, rng.uniform((0, 0), (width, height)), float(np.exp(rng.uniform(2.6, 5))), rng), 0
            continue
        die = photo.dice[int(rng.integers(len(photo.dice)))]
        if die[2] < SMALLEST_PX:
            continue
        if rng.random() >= NOT_A_FACE:
            at = die[:2] + rng.normal(0, MISSED, 2) * die[2]
            return _seen(photo, at, float(die[2] * np.exp(rng.normal(0, MISSED))), rng), int(die[3])
        beside = _beside(photo, die, rng)
        if beside is not None:
            return _seen(photo, *beside, rng), 0


def _beside(
    photo: Photo, die: NDArray[np.float32], rng: np.random.Generator
) -> tuple[NDArray[np.float64], float] | None:
    """Middle and size of a crop near that die which shows no face as it should be."""
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
    """The crop round that middle, turned, mirrored, stretched and relit."""
    turn = rng.uniform(0, 2 * np.pi)
    lean = rng.uniform(0, np.pi)
    stretch = rng.uniform(-0.3, 0.3)
    about = turned(turn) @ turned(lean) @ np.diag(np.exp([stretch / 2, -stretch / 2])) @ turned(-lean)
    if rng.random() < 0.5:
        about = about @ np.diag([1.0, -1.0])
    return relit(cut_out(photo.bgr, (float(at[0]), float(at[1])), size_px, about), rng)
