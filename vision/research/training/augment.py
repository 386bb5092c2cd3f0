"""Makes a training picture: a rotated, stretched and relit crop of a photo with pasted dice, and where its dice are."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.images.scaling import halved
from vision.research.training.datasets import Photo

CROP_PX = 256
"""Width and height of the detector's training crops, in pixels. More show more surroundings and take longer."""
DICE_PX = (15.0, 58.0)
"""Smallest and largest face, in pixels, that the detector is trained on; it finds other sizes at another scale of the
picture. Wider: more sizes are found at one scale, with fewer examples of each."""

Dice = list[tuple[float, float, float, int]]
"""Centre x and y, size in pixels and value of each die."""
Matrix = NDArray[np.float64]


def example(
    sets: list[list[Photo]],
    odds: NDArray[np.float64],
    rng: np.random.Generator,
    dice_px: tuple[float, float] = DICE_PX,
) -> tuple[NDArray[np.uint8], Dice]:
    """Draw a random training picture for the detector, (256, 256, 3) BGR, and its dice.

    It is a piece of a photo whose dice are all labelled (`complete`), often with dice of other photos pasted in. Each
    die is centre x and y, size in pixels, and value. Some may lie outside the picture.

    Args:
        sets: Sets of photos. One with a probability above 0 must hold a complete photo, else no call returns.
        odds: Probability of each set.
        rng: Random generator.
        dice_px: Smallest and largest face in pixels.
    """
    photo = _drawn(sets, odds, rng)
    while not photo.complete:
        photo = _drawn(sets, odds, rng)
    size_px = float(np.exp(rng.uniform(*np.log(dice_px))))
    turn, shift, scale = _view(photo, size_px, rng)
    picture = _warped(photo.bgr, turn, shift, scale, rng)
    dice: Dice = [(*(turn @ die[:2] + shift), float(die[2] * scale), int(die[3])) for die in photo.dice]
    if rng.random() < 0.6:
        for _ in range(int(rng.integers(1, 5))):
            picture = _pasted(picture, dice, _drawn(sets, odds, rng), size_px, rng)
    return relit(picture, rng), dice


def _drawn(sets: list[list[Photo]], odds: NDArray[np.float64], rng: np.random.Generator) -> Photo:
    """Draw a photo: a set by the given probabilities, then any of its photos."""
    chosen = sets[int(rng.choice(len(sets), p=odds))]
    return chosen[int(rng.integers(len(chosen)))]


def _view(photo: Photo, size_px: float, rng: np.random.Generator) -> tuple[Matrix, Matrix, float]:
    """Draw a rotation, stretch and mirroring that puts a die of the photo, or a piece of its ground, into the crop.

    Args:
        photo: The photo.
        size_px: Size of the die's face in the crop.
        rng: Random generator.

    Returns:
        The (2, 2) matrix and the (2,) shift in pixels that map the photo to the crop, and the scale factor that the
            matrix contains.
    """
    height, width = photo.bgr.shape[:2]
    if len(photo.dice):
        die = photo.dice[int(rng.integers(len(photo.dice)))]
        at = die[:2].astype(float) if rng.random() < 0.9 else rng.uniform((0, 0), (width, height))
        scale = size_px / max(float(die[2]), 12.0)
    else:
        at, scale = rng.uniform((0, 0), (width, height)), float(np.exp(rng.uniform(-1.2, 0.5)))
    stretch = rng.uniform(-0.25, 0.25)
    lean = _rotation(rng.uniform(0, 2 * np.pi))
    turn = _rotation(rng.uniform(0, 2 * np.pi)) @ lean @ np.diag(np.exp([stretch / 2, -stretch / 2])) @ lean.T * scale
    if rng.random() < 0.3:
        turn = turn @ np.diag([1.0, -1.0])
    return turn, CROP_PX / 2 + rng.uniform(-0.42, 0.42, 2) * CROP_PX - turn @ at, scale


def _rotation(angle: float) -> Matrix:
    """Return the (2, 2) rotation matrix of an angle in radians."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _warped(
    bgr: NDArray[np.uint8], turn: Matrix, shift: Matrix, scale: float, rng: np.random.Generator
) -> NDArray[np.uint8]:
    bgr, left = halved(bgr, scale)
    matrix = np.hstack([turn * left / scale, shift[:, None]])
    border = cv2.BORDER_CONSTANT if rng.random() < 0.4 else cv2.BORDER_REPLICATE
    colour = tuple(float(level) for level in rng.uniform(0, 255, 3))
    return cv2.warpAffine(bgr, matrix, (CROP_PX, CROP_PX), borderMode=border, borderValue=colour)


def _pasted(
    picture: NDArray[np.uint8], dice: Dice, photo: Photo, size_px: float, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Return the picture with a random die of a photo pasted at a random place, and add the die to `dice`.

    The picture is returned unchanged if the place is taken or the photo has no dice. It also is if the die that was
    drawn is too small or lies outside its photo.

    Args:
        picture: (256, 256, 3) the picture.
        dice: Its dice, changed in place.
        photo: The photo that the die is taken from.
        size_px: Size of the pasted face, which varies by 15 %.
        rng: Random generator.
    """
    if not len(photo.dice):
        return picture
    x, y, face_px, value = photo.dice[int(rng.integers(len(photo.dice)))]
    wanted = size_px * float(np.exp(rng.normal(0, 0.15)))
    at = rng.uniform(0.06, 0.94, 2) * CROP_PX
    if face_px < 14 or any(np.hypot(at[0] - a, at[1] - b) < 0.56 * (wanted + other) for a, b, other, _ in dice):
        return picture
    reach = int(1.2 * face_px) + 2
    x0, y0 = int(max(0, x - reach)), int(max(0, y - reach))
    patch = photo.bgr[y0 : int(max(0, y + reach)), x0 : int(max(0, x + reach))]
    scale = wanted / face_px
    if min(patch.shape[:2]) * scale < 2:
        return picture
    patch, left = halved(patch, scale)
    turn = _rotation(rng.uniform(0, 2 * np.pi)) * left
    shift = at - turn @ (np.array([x - x0, y - y0]) * scale / left)
    matrix = np.hstack([turn, shift[:, None]])
    laid = cv2.warpAffine(patch, matrix, (CROP_PX, CROP_PX), borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    if rng.random() < 0.5:
        laid *= (1 + rng.normal(0, 0.15, 3)) * rng.uniform(0.7, 1.3)
    mask = _cut_out(at, wanted, rng)
    dice.append((float(at[0]), float(at[1]), wanted, int(value)))
    return (picture * (1 - mask) + np.clip(laid, 0, 255) * mask).astype(np.uint8)


def _cut_out(at: Matrix, size_px: float, rng: np.random.Generator) -> NDArray[np.float32]:
    mask = np.zeros((CROP_PX, CROP_PX), np.float32)
    if rng.random() < 0.5:
        cv2.circle(mask, (int(at[0] * 8), int(at[1] * 8)), int(size_px * 0.64 * 8), 1.0, -1, cv2.LINE_AA, 3)
    else:
        corners = cv2.boxPoints(((float(at[0]), float(at[1])), (1.12 * size_px, 1.12 * size_px), rng.uniform(0, 90)))
        cv2.fillConvexPoly(mask, (corners * 8).astype(np.int32), 1.0, cv2.LINE_AA, 3)
    return cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.5, 1.6))[:, :, None]


def relit(picture: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return a copy of a picture with random light and colours, as blurred and noisy as a poor camera makes it."""
    seen: NDArray[np.floating] = picture.astype(np.float32)
    if rng.random() < 0.35:
        seen = seen[:, :, rng.permutation(3)]
    if rng.random() < 0.12:
        seen = 255 - seen
    if rng.random() < 0.15:
        seen = np.repeat(seen.mean(2, keepdims=True), 3, 2)
    if rng.random() < 0.5:
        seen = 255 * np.power(np.clip(seen / 255, 0, 1), rng.uniform(0.55, 1.7))
    seen = seen * rng.uniform(0.6, 1.35) * (1 + rng.normal(0, 0.12, 3)) + rng.normal(0, 12)
    if rng.random() < 0.25:
        seen *= 1 + rng.uniform(0, 0.4) * _slope(seen.shape, rng)[:, :, None]
    if rng.random() < 0.15:
        seen = _shaded(seen, rng)
    if rng.random() < 0.15:
        seen = _glaring(seen, rng)
    return _filmed(seen, rng)


def _shaded(seen: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.floating]:
    """Darken the picture on one side of a shadow's edge, hard or soft."""
    beyond = (_slope(seen.shape, rng) - rng.uniform(-0.6, 0.6)) * np.exp(rng.uniform(0.5, 4))
    return seen * (1 - rng.uniform(0.2, 0.7) / (1 + np.exp(-4 * beyond)))[:, :, None].astype(np.float32)


def _glaring(seen: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.floating]:
    """Add the reflection of a lamp to the picture."""
    along, across = (axis - rng.uniform(-0.8, 0.8) for axis in (_slope(seen.shape, rng), _slope(seen.shape, rng)))
    shine = np.exp(-((along / rng.uniform(0.1, 0.6)) ** 2) - (across / rng.uniform(0.1, 0.6)) ** 2)
    return seen + (rng.uniform(20, 160) * shine)[:, :, None].astype(np.float32)


def _slope(shape: tuple[int, ...], rng: np.random.Generator) -> Matrix:
    along, across = np.linspace(-1, 1, shape[1])[None], np.linspace(-1, 1, shape[0])[:, None]
    angle = rng.uniform(0, 2 * np.pi)
    return along * np.cos(angle) + across * np.sin(angle)


def _filmed(seen: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Add blur, motion blur, noise and JPEG artefacts at random."""
    if rng.random() < 0.25:
        seen = cv2.GaussianBlur(seen, (0, 0), rng.uniform(0.4, 1.6))
    if rng.random() < 0.12:
        seen = cv2.filter2D(seen, -1, _streak(rng))
    if rng.random() < 0.4:
        seen = seen + rng.normal(0, rng.uniform(2, 14), seen.shape)
    filmed = np.clip(seen, 0, 255).astype(np.uint8)
    if rng.random() < 0.2:
        coded = cv2.imencode(".jpg", filmed, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 80))])[1]
        decoded = cv2.imdecode(coded, cv2.IMREAD_COLOR)
        assert decoded is not None
        filmed = decoded
    return filmed


def _streak(rng: np.random.Generator) -> NDArray[np.float32]:
    length = int(rng.integers(3, 8))
    kernel = np.zeros((length, length), np.float32)
    kernel[length // 2] = 1.0
    middle = (length / 2 - 0.5, length / 2 - 0.5)
    kernel = cv2.warpAffine(kernel, cv2.getRotationMatrix2D(middle, rng.uniform(0, 180), 1), (length, length))
    return kernel / max(float(kernel.sum()), 1e-3)
