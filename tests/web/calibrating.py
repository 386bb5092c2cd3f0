"""A pub whose virtual camera takes a picture when somebody asks for one, so that time limits count pictures."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.calibration_service import CalibrationService
from companion.adapters.frame_buffer import FrameBuffer
from tests.waiting import PATIENCE_S
from tests.web.pub import Pub, opened
from vision.cameras import Frame
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock

FPS = 5
"""Pictures a second of the camera's time: few, as each one is rendered."""
IDLE_S = 0.2
"""Seconds between two pictures that nobody has asked for."""


@dataclass
class Calibration:
    """A pub whose camera takes pictures on a thread, as the table's observer would."""

    pub: Pub
    camera: VirtualCamera
    buffer: FrameBuffer
    host: Any
    folder: Path
    part: CalibrationService

    def act(self, what: str, **body: Any) -> Any:
        return self.host.post(f"/api/calibrate/{what}", json=body)


class FrameClock(SteppedClock):
    """A clock of a camera that stands still until someone asks for a picture, or `IDLE_S` seconds have passed.

    A limit in seconds of the camera's time is one of pictures, however busy the machine is.
    """

    def __init__(self) -> None:
        super().__init__()
        self.wanted = threading.Event()

    def sleep(self, seconds: float) -> None:
        self.wanted.wait(IDLE_S)
        self.wanted.clear()
        super().sleep(seconds)


class FramesOnDemand(FrameBuffer):
    """Frames of a camera on a `FrameClock`, which takes the next one when someone waits for it."""

    def __init__(self, camera: VirtualCamera, clock: FrameClock) -> None:
        super().__init__(camera)
        self.clock = clock

    @contextlib.contextmanager
    def following(self, timeout_s: float) -> Iterator[Callable[[], Frame]]:
        with super().following(timeout_s) as following_frame:

            def on_demand() -> Frame:
                self.clock.wanted.set()
                return following_frame()

            yield on_demand


@pytest.fixture
def calibration(tmp_path: Path) -> Iterator[Calibration]:
    clock = FrameClock()
    camera = VirtualCamera(2, clock, clock.sleep, seed=3, fps=FPS)
    buffer, over = FramesOnDemand(camera, clock), threading.Event()

    def film() -> None:
        while not over.is_set():
            buffer.frame()

    part = CalibrationService("virtual", buffer, tmp_path / "kept", lambda: "2030-01-31 20:00", camera, mains_hz=60)
    thread = threading.Thread(target=film, name="film")
    thread.start()
    try:
        with buffer.following(PATIENCE_S) as following_frame:
            following_frame()
        with opened(tmp_path, calibrate=part) as pub:
            yield Calibration(pub, camera, buffer, pub.host(), tmp_path / "kept", part)
    finally:
        over.set()
        buffer.reserve(0.0)  # else the thread would first film on for the seconds that are reserved
        clock.wanted.set()
        thread.join()
