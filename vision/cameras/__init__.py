"""Cameras: where frames come from. Real, recorded and virtual ones keep one contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from vision.reading.reading import FrameBGR


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the tray, and its time on the camera's own clock, in seconds."""

    image_bgr: FrameBGR
    at_s: float


class Camera(Protocol):
    """A source of frames. Errors are DeviceError, told with a cure; no library's own error comes through.

    `start` before the first frame, `stop` at the end; both may be called twice. A camera that failed can be started
    again.
    """

    name: str

    def start(self) -> None:
        """Open the device. Raises DeviceError."""

    def frame(self) -> Frame | None:
        """The next frame, waiting for it at most 2 s; None when a recording has ended. Raises DeviceError."""

    def stop(self) -> None:
        """Close the device; never raises."""
