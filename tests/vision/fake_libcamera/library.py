"""libcamera's Python API as far as picamera2 calls it, over one `Board`."""

from __future__ import annotations

import contextlib
import enum
import mmap
import os
import threading
import types
import weakref
from collections import deque
from typing import Any

import numpy as np

from tests.vision.fake_libcamera.board import Board, scaler_crop

_board: Board
ROW_ALIGNMENT = 64


def plug_in(board: Board) -> None:
    """Let the camera manager enumerate that board's camera from its next start on."""
    global _board
    _board = board
    CameraManager._only = None


class ControlType(enum.Enum):
    Rectangle = 0
    Size = 1
    Other = 2


class Rectangle:
    def __init__(self, x: int, y: int, width: int, height: int) -> None:
        self.x, self.y, self.width, self.height = x, y, width, height


class Size:
    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height


class Transform:
    def __init__(self, other: Any = None, hflip: int = 0, vflip: int = 0, transpose: int = 0) -> None:
        taken = other if isinstance(other, Transform) else None
        self.hflip: int = taken.hflip if taken else hflip
        self.vflip: int = taken.vflip if taken else vflip
        self.transpose: int = taken.transpose if taken else transpose

    def __str__(self) -> str:
        return f"hflip={self.hflip} vflip={self.vflip} transpose={self.transpose}"

    __hash__ = object.__hash__


class Orientation(enum.Enum):
    Rotate0, Rotate0Mirror, Rotate180Mirror, Rotate180 = range(4)
    Rotate90Mirror, Rotate270, Rotate90, Rotate270Mirror = range(4, 8)


class ColorSpace:
    class YcbcrEncoding(enum.Enum):
        Null = 0

    class Range(enum.Enum):
        Full = 0

    def __init__(self, other: Any) -> None:
        self.primaries = self.transferFunction = getattr(other, "primaries", other)
        self.ycbcrEncoding: Any = None
        self.range: Any = None

    def __str__(self) -> str:
        return str(self.primaries)

    __hash__ = object.__hash__

    Sycc = classmethod(lambda cls: cls("sycc"))
    Smpte170m = classmethod(lambda cls: cls("smpte170m"))
    Rec709 = classmethod(lambda cls: cls("rec709"))
    Raw = classmethod(lambda cls: cls("raw"))


class StreamRole(enum.Enum):
    StillCapture, Raw, VideoRecording, Viewfinder = range(4)


class PixelFormat(str):
    __slots__ = ()


class SensorConfiguration:
    bit_depth = 0
    output_size: Size


class FrameMetadata:
    class Status(enum.Enum):
        Success, Error, Cancelled = range(3)


class FrameBuffer:
    class Plane:
        fd = offset = length = 0

    def __init__(self, planes: list[Plane]) -> None:
        self.planes = [types.SimpleNamespace(fd=os.dup(plane.fd), length=plane.length) for plane in planes]
        self.metadata = types.SimpleNamespace(status=FrameMetadata.Status.Success)
        self.memory = mmap.mmap(self.planes[0].fd, self.planes[0].length)
        # picamera2 names a buffer by the number of its file, so a copy must not take another one.
        os.close(self.planes[0].fd)
        self.planes[0].fd = planes[0].fd


class ControlId:
    """A control or a property by its name; the names compare."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.type = ControlType.Rectangle if name.startswith("ScalerCrop") else ControlType.Other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ControlId) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


def _limits(low: Any, high: Any, default: Any) -> types.SimpleNamespace:
    return types.SimpleNamespace(min=low, max=high, default=default)


class Request:
    class Status(enum.Enum):
        Pending, Complete, Cancelled = range(3)

    def __init__(self, cookie: int) -> None:
        self.cookie, self.buffers = cookie, dict[Any, FrameBuffer]()
        self.reuse()

    def add_buffer(self, stream: Any, buffer: FrameBuffer) -> None:
        self.buffers[stream] = buffer

    def reuse(self) -> None:
        self.status = Request.Status.Pending
        self.controls: dict[str, Any] = {}
        self.metadata: dict[ControlId, Any] = {}

    def set_control(self, control: ControlId, value: Any) -> None:
        self.controls[control.name] = value


class CameraConfiguration:
    class Status(enum.Enum):
        Valid, Adjusted, Invalid = range(3)

    def __init__(self, roles: list[StreamRole]) -> None:
        self.sensor_config: SensorConfiguration | None = None
        self.orientation = Orientation.Rotate0
        self._streams = [
            types.SimpleNamespace(
                role=role, size=Size(0, 0), pixel_format=PixelFormat(""), buffer_count=0, stride=0, frame_size=0,
                color_space=None, stream=object(), formats=None,
            )
            for role in roles
        ]  # fmt: skip

    def at(self, index: int) -> Any:
        return self._streams[index]

    def __iter__(self) -> Any:
        return iter(self._streams)

    def validate(self) -> Status:
        for stream in self._streams:
            bytes_a_pixel = 4 if "8888" in stream.pixel_format else 3 if "888" in stream.pixel_format else 2
            if stream.role is StreamRole.Raw and self.sensor_config is not None:
                stream.size = self.sensor_config.output_size
            stream.stride = -(-stream.size.width * bytes_a_pixel // ROW_ALIGNMENT) * ROW_ALIGNMENT
            stream.frame_size = stream.stride * stream.size.height
        return self.Status.Valid


class Camera:
    """The board's camera. A thread of the pipeline completes queued requests, one a frame."""

    def __init__(self, board: Board, manager: CameraManager) -> None:
        sensor = board.sensor
        self.board, self._manager, self.id = board, manager, f"/base/axi/i2c@1/{sensor.model}@1a"
        self.properties = {
            ControlId("Model"): sensor.model,
            ControlId("ColorFilterArrangement"): 0,
            ControlId("PixelArraySize"): Size(*sensor.array_wh),
        }
        self._queued: deque[Request] = deque()
        self._running = threading.Event()
        self._thread: threading.Thread | None = None
        self._mode = sensor.modes[0]
        self._size_wh = self._mode.size_wh

    @property
    def controls(self) -> dict[ControlId, Any]:
        usual = {
            "AeEnable": _limits(False, True, None),
            "AwbEnable": _limits(False, True, None),
            "ExposureTime": _limits(60, 66_666, 20_000),
            "AnalogueGain": _limits(1.0, 16.0, 1.0),
            "ColourGains": _limits(0.0, 32.0, None),
            "NoiseReductionMode": _limits(0, 4, 0),
            "FrameDurationLimits": _limits(int(1e6 / self._mode.fps), 1_000_000, 33_333),
            "ScalerCrop": _limits(
                Rectangle(0, 0, 64, 64),
                Rectangle(*self._mode.crop_xywh),
                Rectangle(*scaler_crop(self._mode, self._size_wh)),
            ),
        }
        if self.board.sensor.autofocus:
            usual |= {"AfMode": _limits(0, 2, 0), "LensPosition": _limits(0.0, 32.0, 1.0)}
        if self.board.sensor.mono:
            del usual["AwbEnable"], usual["ColourGains"]
        usual |= {name: _limits(0, 1_000_000, 0) for name in self.board.advertises}
        return {ControlId(name): limits for name, limits in usual.items()}

    def acquire(self) -> None:
        if self.board.busy or self.board.holders:
            raise RuntimeError("Failed to acquire camera: Device or resource busy")
        self.board.holders += 1

    def release(self) -> None:
        self.board.holders -= 1

    def generate_configuration(self, roles: list[StreamRole]) -> CameraConfiguration:
        configuration = CameraConfiguration(roles)
        if roles == [StreamRole.Raw]:
            sizes: dict[str, list[Size]] = {}
            for mode in self.board.sensor.modes:
                sizes.setdefault(self.board.sensor.format_of(mode.bit_depth), []).append(Size(*mode.size_wh))
            configuration.at(0).formats = types.SimpleNamespace(pixel_formats=list(sizes), sizes=sizes.__getitem__)
        return configuration

    def configure(self, configuration: CameraConfiguration) -> int:
        wanted = configuration.sensor_config
        assert wanted is not None, "picamera2 always names the sensor's mode"
        modes = [
            mode
            for mode in self.board.sensor.modes
            if mode.size_wh == (wanted.output_size.width, wanted.output_size.height)
            and mode.bit_depth == wanted.bit_depth
        ]
        if not modes:
            return -22
        main, raw = configuration.at(0), [stream for stream in configuration if stream.role is StreamRole.Raw]
        self._mode = self.board.sensor.modes[0] if self.board.cropped and not raw else modes[0]
        self._size_wh, self._stride, self._main = (main.size.width, main.size.height), main.stride, main.stream
        return 0

    def create_request(self, cookie: int) -> Request:
        return Request(cookie)

    def queue_request(self, request: Request) -> None:
        self._queued.append(request)

    def start(self, controls: dict[ControlId, Any]) -> None:
        self.board.begin({control.name: value for control, value in controls.items()})
        self._running.set()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._running.clear()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        while self._queued:
            request = self._queued.popleft()
            request.status = Request.Status.Cancelled
            self._manager.complete(request)

    def _run(self) -> None:
        pause = threading.Event()
        while self._running.is_set():
            if self.board.steps is None:
                pause.wait(self.board.pace_s)
            elif not self.board.steps.acquire(timeout=0.01):
                continue
            if self.board.stalled or self.board.unplugged or not self._queued:
                continue
            request = self._queued.popleft()
            self.board.apply(request.controls)
            picture, metadata = self.board.expose(self._mode, self._size_wh)
            width, height = self._size_wh
            buffer = request.buffers[self._main]
            rows = np.frombuffer(buffer.memory, np.uint8, height * self._stride).reshape(height, self._stride)
            channels = (self._stride // width) if self._stride // width in (3, 4) else 3
            rows[:, : width * channels].reshape(height, width, channels)[:, :, :3] = picture
            del picture  # the driver of a real camera keeps none in the process
            request.metadata = {
                ControlId(name): Rectangle(*value) if name == "ScalerCrop" else value
                for name, value in metadata.items()
            }
            request.status = Request.Status.Complete
            self._manager.complete(request)


class CameraManager:
    """Enumerates cameras when it is made; a new one is made when nobody holds the old one any more."""

    _only: weakref.ReferenceType[CameraManager] | None = None

    def __init__(self) -> None:
        self.event_fd, self._write_fd = os.pipe()
        os.set_blocking(self.event_fd, False)
        self._ready: deque[Request] = deque()
        self.cameras = [] if _board.absent else [Camera(_board, self)]
        for fd in (self.event_fd, self._write_fd):
            weakref.finalize(self, os.close, fd)

    @classmethod
    def singleton(cls) -> CameraManager:
        manager = cls._only() if cls._only is not None else None
        if manager is None:
            manager = cls()
            cls._only = weakref.ref(manager)
        return manager

    def complete(self, request: Request) -> None:
        self._ready.append(request)
        os.write(self._write_fd, b"\x00")

    def get_ready_requests(self) -> list[Request]:
        with contextlib.suppress(BlockingIOError):
            os.read(self.event_fd, 4096)
        ready = []
        while self._ready:
            ready.append(self._ready.popleft())
        return ready


class _Controls:
    """`libcamera.controls`: a control by its name, and the enumerations that picamera2 names."""

    ExposureTime, ExposureTimeMode = ControlId("ExposureTime"), ControlId("ExposureTimeMode")
    AnalogueGain, AnalogueGainMode = ControlId("AnalogueGain"), ControlId("AnalogueGainMode")

    class draft:
        class NoiseReductionModeEnum(enum.IntEnum):
            Off, Fast, HighQuality, Minimal = range(4)


def module() -> types.ModuleType:
    """A module named libcamera with this API."""
    made: Any = types.ModuleType("libcamera")
    for thing in (
        ControlType, Rectangle, Size, Transform, Orientation, ColorSpace, StreamRole, PixelFormat, SensorConfiguration,
        FrameMetadata, FrameBuffer, Request, CameraConfiguration, Camera, CameraManager,
    ):  # fmt: skip
        setattr(made, thing.__name__, thing)
    made.controls = _Controls
    made._libcamera = made
    return made
