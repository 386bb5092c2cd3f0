"""Cameras: where frames come from. Real, recorded and virtual ones keep one contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from vision.reading import FrameBGR

if TYPE_CHECKING:
    from vision.cameras.simulated.tray import VirtualTray
    from vision.geometry.rig import Rig


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the tray: the image, its number (from 0) and its time on the camera's own clock, in seconds."""

    image_bgr: FrameBGR
    number: int
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


@runtime_checkable
class Simulated(Camera, Protocol):
    """A camera over a simulated tray, which nobody can reach into: what a person's hands do to a real one."""

    tray: VirtualTray

    def frame(self) -> Frame:
        """The next frame: it never ends."""

    def newest(self) -> FrameBGR:
        """The picture taken last. Must not be changed."""

    def rig(self) -> Rig:
        """The calibration, which it knows by itself."""

    def lay_sheet(
        self,
        sheet_bgr: FrameBGR,
        size_mm: tuple[float, float],
        turn_deg: float = 0.0,
        lean_deg: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Lay a printed sheet of that width and height into the tray's upper left corner, or hold it aslant.

        Aslant its middle is over the tray's and one edge on the floor; it leans about the x and about the y axis.
        """

    def lift_sheet(self) -> None:
        """Take the sheet out again."""
