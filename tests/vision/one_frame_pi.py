"""A Pi with a fake libcamera below the real Picamera2, which takes one frame at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.vision.fake_libcamera import fitted, removed
from vision.cameras import Exposure, Frame
from vision.cameras.picamera import Picamera2Camera

SIZES_WH = [(1280, 960), (1280, 720)]
PATIENCE_FRAMES = 600
BOARDS: list[Pi] = []


class Pi:
    """A Pi whose sensor takes one frame for each call of `frame`, so that runs are reproducible."""

    def __init__(
        self, module: str = "Camera Module 3", *, size_wh: tuple[int, int] = (1280, 960), mains: int = 50, **board: Any
    ) -> None:
        self.board = fitted(module, steps=threading.Semaphore(0), **board)
        self.camera = Picamera2Camera(mains=mains, size_wh=size_wh)
        BOARDS.append(self)

    def start(self) -> Pi:
        self.camera.start()
        return self

    def frame(self) -> Frame:
        assert self.board.steps is not None
        self.board.steps.release()
        return self.camera.frame()

    def until(self, true: Callable[[Frame], bool]) -> Frame:
        """Return the first frame for which `true` returns True."""
        return next(frame for frame in (self.frame() for _ in range(PATIENCE_FRAMES)) if true(frame))

    def sent(self, name: str) -> list[Any]:
        """Return all values of the control `name` that have reached the sensor."""
        for _ in range(4):  # what was set is sent with the next request
            self.frame()
        return [controls[name] for _, controls in self.board.sent if name in controls]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while BOARDS:
        BOARDS.pop().camera.stop()
    removed()


def exposure_of(frame: Frame) -> Exposure:
    assert frame.exposure is not None
    return frame.exposure


def is_held(frame: Frame) -> bool:
    return exposure_of(frame).held


def focused_at(lens_position: float) -> Callable[[Frame], bool]:
    """Return a function that tells whether a frame was taken with the lens held there, in dioptres."""
    return lambda frame: exposure_of(frame).lens_position == lens_position
