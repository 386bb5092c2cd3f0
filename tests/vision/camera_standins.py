"""Stand-ins for what the camera adapters use: OpenCV's VideoCapture, and a clock that `sleep` advances.

The Pi's camera has `fake_libcamera`. What the watcher uses, a camera and a reader, can be made of one function each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.cameras import Frame
from vision.cameras.files import FilesCamera
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock
from vision.images.loading import quiet_opencv
from vision.reading.reading import Reading

DIM_AFTER_S = 0.045 + 0.033 + 0.02
"""Seconds from the time of the frame at which a Pi dims the strip to that of the first frame without its light: until
the frame is delivered, until a strip of 363 LEDs has its next frame, and an exposure of two periods at 50 Hz."""


class Clock:
    """A callable clock in seconds that advances by `sleep`, and by 0.1 ms at each call. Keeps the times slept."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.slept_s: list[float] = []

    def __call__(self) -> float:
        self.now_s += 1e-4
        return self.now_s

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.slept_s.append(seconds)
        self.now_s += seconds


class Film:
    """A camera whose `frame` is a function; `start` may be another."""

    name = "film"

    def __init__(self, frame: Callable[[], Frame | None], start: Callable[[], None] = lambda: None) -> None:
        self.frame, self.start = frame, start

    def stop(self) -> None: ...


def no_dice(*_: object) -> Reading:
    """Read any picture as an empty tray, as a `Read` of the watcher."""
    return Reading((), None)


@dataclass
class Usb:
    """State of the stand-in VideoCapture: indexes or addresses it opens, what a read returns, captures, settings."""

    plugged: set[int | str] = field(default_factory=lambda: {0})
    read: Callable[[], tuple[bool, Any]] = lambda: (True, np.full((48, 64, 3), 90, np.uint8))
    open_now: int = 0
    settings: dict[int, float] = field(default_factory=dict)


def video_capture(usb: Usb) -> type:
    class StandInVideoCapture:
        def __init__(self, index: int | str) -> None:
            self.index = index
            usb.open_now += self.isOpened()

        def isOpened(self) -> bool:
            return self.index in usb.plugged

        def set(self, setting: int, value: float) -> bool:
            usb.settings[setting] = value
            return True

        def read(self) -> tuple[bool, Any]:
            return usb.read()

        def release(self) -> None:
            usb.open_now -= self.isOpened()

    return StandInVideoCapture


def virtual_camera(dice: int = 7, seed: int = 8) -> VirtualCamera:
    """Return a virtual camera whose time only its frames move on."""
    clock = SteppedClock()
    return VirtualCamera(dice, clock, clock.sleep, seed)


def photos_of(folder: Path, clock: Clock | None = None, size_wh: tuple[int, int] = (64, 48)) -> FilesCamera:
    """Return a started camera of the photos in a folder, small, and with a clock that waits for nothing."""
    clock = clock or Clock()
    camera = FilesCamera(folder, clock, clock.sleep, size_wh)
    camera.start()
    return camera


def written_video(path: Path, frames: int = 12, fps: float = 10) -> Path:
    quiet_opencv()  # FFmpeg asks once how loud it may be
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (64, 48))
    assert writer.isOpened()
    for number in range(frames):
        writer.write(np.full((48, 64, 3), number % 25 * 10, np.uint8))
    writer.release()
    return path


def written_photo(path: Path, colour_bgr: tuple[int, int, int], size_wh: tuple[int, int] = (40, 30)) -> Path:
    assert cv2.imwrite(str(path), np.full((size_wh[1], size_wh[0], 3), colour_bgr, np.uint8))
    return path
