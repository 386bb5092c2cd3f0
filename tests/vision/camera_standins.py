"""Stand-ins below the camera adapters: picamera2's module, OpenCV's VideoCapture, and a clock that sleeping moves."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.images.loading import quiet_opencv


class Clock:
    """Seconds that only `sleep` (and asking, a little) moves."""

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


@dataclass
class PiHardware:
    """What lies behind the stand-in picamera2: how many cameras there are, what is wrong, what was asked of them."""

    cameras: int = 1
    held_by_another: bool = False
    start_fault: Exception | None = None
    frame_fault: Exception | None = None
    stop_fault: Exception | None = None
    autofocus: bool = True
    queued_jobs: int = 0
    open_now: int = 0
    calls: list[str] = field(default_factory=list)
    controls: dict[str, Any] = field(default_factory=dict)
    configuration: dict[str, Any] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    requests_out: int = 0
    sensor_ns: int = 5_000_000_000


class StandInRequest:
    def __init__(self, pi: PiHardware) -> None:
        self.pi = pi

    def make_array(self, name: str) -> np.ndarray:
        width, height = self.pi.configuration[name]["size"]
        return np.full((height, width, 3), (10, 20, 30), np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        self.pi.sensor_ns += 33_000_000
        return {
            "SensorTimestamp": self.pi.sensor_ns,
            "ExposureTime": 8000,
            "AnalogueGain": 2.0,
            "ColourGains": (1.5, 1.7),
            "LensPosition": 3.9,
        }


class StandInPicamera2:
    """Behaves as picamera2 does where it matters: close() frees the camera, a queued job blocks stop() for ever."""

    pi: PiHardware

    def __init__(self) -> None:
        if self.pi.cameras == 0:
            raise IndexError("list index out of range")
        if self.pi.held_by_another or self.pi.open_now:
            raise RuntimeError("Camera __init__ sequence did not complete.")
        self.pi.open_now += 1
        self.camera_controls = {"AfMode": (0, 2, 0), "LensPosition": (0, 32, 1)} if self.pi.autofocus else {}

    def create_video_configuration(self, main: dict[str, Any]) -> dict[str, Any]:
        return {"main": main}

    def configure(self, configuration: dict[str, Any]) -> None:
        self.pi.configuration = configuration

    def set_controls(self, controls: dict[str, Any]) -> None:
        self.pi.controls |= controls

    def start(self) -> None:
        self.pi.calls.append("start")
        if self.pi.start_fault:
            raise self.pi.start_fault

    @contextlib.contextmanager
    def captured_request(self, wait: float) -> Iterator[StandInRequest]:
        self.pi.waits.append(wait)
        if isinstance(self.pi.frame_fault, TimeoutError):
            self.pi.queued_jobs += 1
        if self.pi.frame_fault:
            raise self.pi.frame_fault
        self.pi.requests_out += 1
        try:
            yield StandInRequest(self.pi)
        finally:
            self.pi.requests_out -= 1

    def cancel_all_and_flush(self) -> None:
        self.pi.calls.append("flush")
        self.pi.queued_jobs = 0

    def stop(self) -> None:
        assert self.pi.queued_jobs == 0, "the real one would wait for ever here"
        self.pi.calls.append("stop")
        if self.pi.stop_fault:
            raise self.pi.stop_fault

    def close(self) -> None:
        self.pi.calls.append("close")
        self.pi.open_now -= 1


def picamera2_module(pi: PiHardware) -> types.ModuleType:
    module = types.ModuleType("picamera2")
    module.Picamera2 = type("Picamera2", (StandInPicamera2,), {"pi": pi})  # type: ignore[attr-defined]
    return module


@dataclass
class Usb:
    """What lies behind the stand-in VideoCapture: the indexes plugged in, and what a read gives."""

    plugged: set[int] = field(default_factory=lambda: {0})
    read: Callable[[], tuple[bool, Any]] = lambda: (True, np.full((48, 64, 3), 90, np.uint8))
    open_now: int = 0
    settings: dict[int, float] = field(default_factory=dict)


def video_capture(usb: Usb) -> type:
    class StandInVideoCapture:
        def __init__(self, index: int) -> None:
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
