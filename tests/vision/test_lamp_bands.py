"""Stillness under flickering lamps: bands over the picture are no motion, and dice that move are still seen."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.camera_standins import virtual_camera
from vision.cameras.simulated.camera import FPS
from vision.reading.reading import FrameBGR
from vision.watching.stillness import MOVING_PX, STILL_S, Phase, StillnessDetector, changed, small_picture, step

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "images"
PICTURES = (
    "blurred", "cocked", "dark-on-grey", "dim", "hard-light",
    "large-one", "leather-wood", "own-colour", "printed-cloth", "worn",
)  # fmt: skip
LAMPS = tuple(product((100.0, 120.0), (0.1, 0.4, 1.0), (0.002, 0.006, 1 / 120, 0.01, 0.014, 0.02)))
"""Hertz of a lamp, depth of its swing, and exposure in seconds."""
SHARES = 3
"""Each picture is tried under every third lamp, each lamp over three or four pictures."""
READOUT_S = 0.0233
NOISE_LEVELS = 2.0
SETTLED_S = 0.3


def bands(depth: float, exposure_s: float, hz: float, at_s: float, rows: int) -> np.ndarray:
    """Return (rows,) the mean of 1 + depth sin(2 pi hz t) while each row of a rolling shutter is exposed."""
    turn = 2 * math.pi * hz
    begun_s = at_s + np.arange(rows) / rows * READOUT_S
    swing = np.cos(turn * begun_s) - np.cos(turn * (begun_s + exposure_s))
    return (1 + depth * swing / (turn * exposure_s)).astype(np.float32)


def lit(picture: np.ndarray, gain: np.ndarray, noise: np.ndarray) -> FrameBGR:
    seen = np.multiply(picture, gain[:, None, None], dtype=np.float32)
    seen += noise
    return np.clip(seen, 0, 255, out=seen).astype(np.uint8)


@functools.cache
def noise_of(shape: tuple[int, ...]) -> list[np.ndarray]:
    """Return the same three float32 arrays of camera noise, in grey levels, at each call for a shape."""
    rng = np.random.default_rng(1)
    return [rng.normal(0, NOISE_LEVELS, shape).astype(np.float32) for _ in range(3)]


def phases(picture: FrameBGR, depth: float, exposure_s: float, hz: float) -> Iterator[tuple[float, Phase]]:
    """Yield time in seconds and phase of twelve frames of a picture under a flickering lamp."""
    detector, noises, scene = StillnessDetector(), noise_of(picture.shape), picture.astype(np.float32)
    for number in range(12):
        at_s = number / FPS
        frame = lit(scene, bands(depth, exposure_s, hz, at_s, len(scene)), noises[number % 3])
        detector, phase = step(detector, small_picture(frame), at_s)
        yield at_s, phase


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_lamp_flicker_bands_are_no_motion_and_do_not_delay_stillness(name: str) -> None:
    picture = cv2.imread(str(FIXTURES / f"{name}.jpg"))
    assert picture is not None
    picture = np.ascontiguousarray(cv2.resize(picture, (1280, 960), interpolation=cv2.INTER_AREA)[::2, ::2])
    wrong = []
    for hz, depth, exposure_s in LAMPS[PICTURES.index(name) % SHARES :: SHARES]:
        seen = list(phases(picture, depth, exposure_s, hz))
        moving = sum(phase is Phase.MOVING for _, phase in seen)
        settled_s = next((at_s for at_s, phase in seen if phase is Phase.SETTLED), math.inf)
        if moving or settled_s > SETTLED_S:
            wrong.append((hz, depth, exposure_s, moving, settled_s))
    assert wrong == []


@pytest.fixture(scope="module")
def half_a_die_apart() -> tuple[FrameBGR, FrameBGR]:
    """Return two pictures of dice at rest; between them one die was moved by half its width."""
    camera = virtual_camera()
    camera.tray.throw(strength=0.4)
    for _ in range(int(5 * FPS)):
        before = camera.frame()
    at_mm = camera.tray.advance(0.0)[0].at_mm
    camera.tray.move(0, float(at_mm[0]) + 8, float(at_mm[1]))
    return before.image_bgr, camera.frame().image_bgr


@pytest.mark.parametrize("hz", [100.0, 120.0])
@pytest.mark.parametrize("depth", [0.0, 0.15, 0.5])
def test_lamp_flicker_stays_within_the_motion_limit_and_a_move_by_half_a_die_exceeds_it(
    depth: float, hz: float, half_a_die_apart: tuple[FrameBGR, FrameBGR]
) -> None:
    before, after = half_a_die_apart
    quiet = np.zeros(1, np.float32)
    gains = [bands(depth, 0.004, hz, number / FPS, len(before)) for number in range(2)]
    one, other = (lit(picture, gain, quiet) for picture, gain in zip((before, after), gains, strict=True))
    assert changed(small_picture(one), small_picture(other)) > MOVING_PX
    unmoved = lit(before, gains[1], quiet)
    assert changed(small_picture(one), small_picture(unmoved)) <= MOVING_PX


@pytest.mark.parametrize("depth", [0.0, 0.15, 0.5])
def test_the_stillness_detector_settles_a_throw_once_under_lamp_flicker(depth: float) -> None:
    camera = virtual_camera()
    detector, seen, lay_s, lay = StillnessDetector(), [], 0.0, camera.tray.advance(0.0)
    for number in range(int(6 * FPS)):
        if number == int(FPS):
            camera.tray.throw(strength=0.4)
        frame = camera.frame()
        lies = camera.tray.advance(0.0)
        if any(np.abs(one.at_mm - was.at_mm).max() > 0.1 for one, was in zip(lies, lay, strict=False)):
            lay_s = frame.at_s
        lay = lies
        gain = bands(depth, 0.004, 100.0, number / FPS, len(frame.image_bgr))
        # Of this size `small_picture` looks at every second pixel only: lighting the others would change nothing.
        picture = lit(frame.image_bgr[::2, ::2], gain[::2], np.zeros(1, np.float32))
        detector, phase = step(detector, small_picture(picture), frame.at_s)
        seen.append((frame.at_s, phase))
    settled = [at_s for at_s, phase in seen if phase is Phase.SETTLED]
    assert len(settled) == 2, "the empty tray, and the throw"
    assert settled[1] - lay_s <= STILL_S + 2 / FPS
