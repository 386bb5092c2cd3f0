"""LED strips: the contract that every strip keeps, and what the project must know to offer one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.errors import DeviceError
from hardware.settings import StripSettings

FrameRGB = NDArray[np.uint8]
"""(leds, 3) uint8: red, green, blue as sent to the LEDs, after gamma, brightness and the current limit."""


class Strip(Protocol):
    """A strip of addressable LEDs.

    Call `start` before the first frame and `stop` at the end. Both may be called twice. A strip that failed can be
    started again. A strip translates every error of its driver into a DeviceError that names a cure.
    """

    name: str
    leds: int

    def start(self) -> None:
        """Open the device. Raises DeviceError if that fails."""

    def show(self, frame_rgb: FrameRGB) -> None:
        """Send a frame to the LEDs. Raises DeviceError if that fails, or ValueError for a frame of another length."""

    def stop(self) -> None:
        """Switch all LEDs off and close the device. Never raises."""


@dataclass(frozen=True, slots=True)
class StripKind:
    """One kind of strip, as settings, wiring checks, help and documentation need it.

    Attributes:
        make: Builds a strip, not started, from the number of LEDs, the settings, and the text after the colon in
            `kind:ARGUMENT` (empty without one).
        summary: One line for the documentation.
        argument: Name of the text that must follow the colon, as `HOST`; empty when the kind takes none.
        pins: Returns the pins that the strip occupies on a machine of the given model, BCM number -> role, the data pin
            first.
        problems: Returns what is wrong with the settings on a machine of the given model, a sentence with a cure each.
        simulated: Whether no LED is lit.
    """

    make: Callable[[int, StripSettings, str], Strip]
    summary: str
    argument: str = ""
    pins: Callable[[StripSettings, str], Mapping[int, str]] = lambda _settings, _machine: {}
    problems: Callable[[StripSettings, str], list[str]] = lambda _settings, _machine: []
    simulated: bool = False


def checked(frame_rgb: FrameRGB, leds: int) -> FrameRGB:
    """Return the frame unchanged. Raises ValueError unless it is (leds, 3) uint8."""
    if frame_rgb.shape != (leds, 3) or frame_rgb.dtype != np.uint8:
        raise ValueError(f"a frame of {leds} LEDs is ({leds}, 3) uint8, not {frame_rgb.shape} {frame_rgb.dtype}")
    return frame_rgb


def not_open(name: str) -> DeviceError:
    """Return the error for a frame that is shown before `start`, or after a failure."""
    return DeviceError(f"The {name} strip is not open.", "Nothing to do: the table opens it again every two seconds.")
