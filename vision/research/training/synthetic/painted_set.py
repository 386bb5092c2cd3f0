"""A set of pictures with painted dice on photographed grounds, in the form of the photo sets."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.research.training.datasets import Photo
from vision.research.training.synthetic.makes import some_make
from vision.research.training.synthetic.painted import painted

PAINTED_PICTURES = 3000
"""Number of pictures that a training run paints, in one or two minutes and 750 MB of memory. Twice as many take twice
the time and memory; fewer show less variety."""
PAINTED_WEIGHT = 9.0
"""How often training draws from the painted set, relative to the weights of the photo sets. Twice as much shows painted
dice about twice as often."""
PICTURE_PX = 288
"""Width and height of a painted picture, in pixels. More shows more ground and takes more memory."""
FACE_PX = (30.0, 64.0)
"""Smallest and largest edge of a painted die, in pixels. With larger ones fewer dice fit into a picture."""
MAX_TILT_RAD = 0.75
"""Largest angle, in radians, of the camera to the vertical in a painted picture; 0 looks straight down. Larger: side
faces look almost as large as the upper one, so labels are unclear. Smaller: the networks learn less of tilted views."""


def painted_set(count: int, grounds: Sequence[Photo], seed: int) -> list[Photo]:
    """Return `count` painted pictures with their dice, on plain grounds, grilles or crops of the photos in `grounds`.

    A picture has six dice at most; dice that do not fit are left out, so it may have none.
    """
    rng = np.random.default_rng(seed)
    return [_picture(grounds, rng) for _ in range(count)]


def _picture(grounds: Sequence[Photo], rng: np.random.Generator) -> Photo:
    picture = _ground(grounds, rng)
    size = float(np.exp(rng.uniform(*np.log(FACE_PX))))
    lean = float(rng.uniform(0, 1) ** 1.5 * MAX_TILT_RAD)
    alike = some_make(rng) if rng.random() < 0.6 else None
    dice: list[tuple[float, float, float, int]] = []
    for _ in range(int(rng.integers(1, 7))):
        at = rng.uniform(0.1, 0.9, 2) * PICTURE_PX
        if dice and rng.random() < 0.4:  # touching another
            turn = rng.uniform(0, 2 * np.pi)
            at = np.array(dice[-1][:2]) + np.array([np.cos(turn), np.sin(turn)]) * size * rng.uniform(1.25, 1.6)
        outside = not ((size / 2 < at) & (at < PICTURE_PX - size / 2)).all()
        if outside or any(np.hypot(at[0] - x, at[1] - y) < 1.25 * size for x, y, _, _ in dice):
            continue
        leaning = float(np.clip(lean + rng.normal(0, 0.06), 0, MAX_TILT_RAD))
        dice.append(painted(picture, (at[0], at[1]), size, alike or some_make(rng), leaning, rng))
    return Photo(np.clip(picture, 0, 255).astype(np.uint8), np.array(dice, np.float32).reshape(-1, 4))


def _ground(grounds: Sequence[Photo], rng: np.random.Generator) -> NDArray[np.float32]:
    """Draw a (288, 288, 3) ground in levels: plain, a grille, or a crop of a photo."""
    if rng.random() < 0.12:
        return _grille(rng)
    if not grounds or rng.random() < 0.3:
        level = rng.uniform(0, 255, 3)
        small = rng.normal(level, rng.uniform(0, 25), (int(rng.integers(2, 40)),) * 2 + (3,)).astype(np.float32)
        return cv2.resize(small, (PICTURE_PX, PICTURE_PX), interpolation=cv2.INTER_LINEAR)
    photo = grounds[int(rng.integers(len(grounds)))].bgr
    edge = int(min(photo.shape[:2]) * rng.uniform(0.3, 1.0))
    x, y = int(rng.integers(photo.shape[1] - edge + 1)), int(rng.integers(photo.shape[0] - edge + 1))
    return cv2.resize(photo[y : y + edge, x : x + edge], (PICTURE_PX, PICTURE_PX), interpolation=cv2.INTER_AREA).astype(
        np.float32
    )


def _grille(rng: np.random.Generator) -> NDArray[np.float32]:
    """Draw a (288, 288, 3) unevenly lit grille in levels: bars, a mesh or holes of two colours."""
    turn, step = rng.uniform(0, np.pi), rng.uniform(6, 40)
    rows, columns = np.mgrid[:PICTURE_PX, :PICTURE_PX].astype(np.float32) * np.float32(2 * np.pi / step)
    bars, across = (
        np.cos(columns * np.cos(angle) + rows * np.sin(angle) + rng.uniform(0, 6)) for angle in (turn, turn + np.pi / 2)
    )
    kind = int(rng.integers(3))
    waves = (bars, np.maximum(bars, across), (bars + across) / 2)[kind]
    part = np.clip(0.5 + rng.uniform(0.5, 6) * (waves - rng.uniform(-0.5, 0.6)), 0, 1)[:, :, None]
    one, other = rng.uniform(0, 255, (2, 3)).astype(np.float32)
    small = rng.normal(1, 0.15, (4, 4)).astype(np.float32)
    light = cv2.resize(small, (PICTURE_PX, PICTURE_PX), interpolation=cv2.INTER_CUBIC)[:, :, None]
    return ((one + (other - one) * part) * light).astype(np.float32)
