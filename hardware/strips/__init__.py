"""LED strips: where frames of light go. Real and simulated ones keep one contract."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FrameRGB = NDArray[np.uint8]
"""(leds, 3) uint8: red, green, blue as sent to the LEDs, after gamma, brightness and the current limit."""


class Strip(Protocol):
    """A strip of addressable LEDs. Errors are DeviceError, told with a cure.

    `start` before the first frame, `stop` (all dark) at the end; both may be called twice. A strip that failed can be
    started again.
    """

    name: str
    leds: int

    def start(self) -> None:
        """Open the device. Raises DeviceError."""

    def show(self, frame_rgb: FrameRGB) -> None:
        """Light the LEDs. Raises DeviceError, or ValueError for a frame of another length."""

    def stop(self) -> None:
        """All dark, and close the device; never raises."""


def checked(frame_rgb: FrameRGB, leds: int) -> FrameRGB:
    """The frame, if it is one for so many LEDs. Raises ValueError."""
    if frame_rgb.shape != (leds, 3) or frame_rgb.dtype != np.uint8:
        raise ValueError(f"a frame of {leds} LEDs is ({leds}, 3) uint8, not {frame_rgb.shape} {frame_rgb.dtype}")
    return frame_rgb
