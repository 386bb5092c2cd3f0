"""Cameras: where frames come from. Real, recorded and virtual ones keep one contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from vision.cameras.field import SensorField, SizeWH
from vision.reading.reading import FrameBGR

SIZE_WH: SizeWH = (1280, 960)
"""Width and height, in pixels, of the pictures of live cameras and of the `files` camera: the tray's shape. Rows of
1280 pixels have no padding on any Pi. Larger pictures resolve smaller dice and take longer to read."""
FRAME_WAIT_S = 2.0
"""Longest wait for one frame of a live camera, in seconds. After that the camera counts as failed and is closed. A
longer wait delays the report; a shorter one fails slow cameras. libcamera gives up a sensor after about a second."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """Exposure time of a row of pixels, total gain and focus with which a frame was taken, as the camera reports them.

    Attributes:
        held: Whether exposure and white balance are fixed. While they still change, brightness means nothing.
        lens_position: Position of the lens in dioptres once it is in focus; None before, and for fixed lenses.
    """

    exposure_s: float
    gain: float
    held: bool
    lens_position: float | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture (h, w, 3) of the tray and its time in seconds on the camera's own clock.

    `exposure` is None if the camera does not report it.
    """

    image_bgr: FrameBGR
    at_s: float
    exposure: Exposure | None = None


class Camera(Protocol):
    """A source of frames; `name` is its kind. Each fault is a DeviceError: no library's own error comes through.

    Call `start` before the first frame and `stop` at the end; both may be called twice, `start` also after a failure.
    """

    name: str

    def start(self) -> None:
        """Open the camera, unless it is open. Raises DeviceError if it can't be opened."""

    def frame(self) -> Frame | None:
        """Return the camera's next frame, waiting at most 2 s; None when a recording has ended.

        Raises DeviceError if the camera was not started or fails.
        """

    def stop(self) -> None:
        """Close the camera; never raises. A later `start` opens it again."""


@runtime_checkable
class SensorCamera(Protocol):
    """Additional members of a camera whose sensor and lens the project controls.

    Attributes:
        field: Part of the sensor that its pictures show; None before the first start.
        autofocus: Whether the lens can be focused; False before the first start.
    """

    field: SensorField | None
    autofocus: bool

    def focus_at(self, lens_position: float | None) -> None:
        """Hold the lens at `lens_position` dioptres. None: focus once more and hold. May be called from any thread."""
