"""LED strips: the contract that every strip keeps, and what the project must know to offer one."""

from __future__ import annotations

import contextlib
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

    Call `start` before the first frame and `stop` at the end. Both may be called twice. A strip that failed is closed
    and can be started again.
    """

    name: str
    leds: int

    def start(self) -> None:
        """Open the device. Raises DeviceError, with its cure, if that fails."""

    def show(self, frame_rgb: FrameRGB) -> None:
        """Send a frame to the LEDs. Raises DeviceError if that fails, or ValueError for a frame of another length."""

    def stop(self) -> None:
        """Switch all LEDs off and close the device. Never raises."""


class Driver(Protocol):
    """Link to the LEDs of one kind of strip. Each method is called once in turn: `open`, `send` any often, `close`.

    Attributes:
        name: Name of the kind of strip.
        errors: Exceptions by which the methods fail, besides DeviceError. `DrivenStrip` translates them.
    """

    name: str
    errors: tuple[type[Exception], ...]

    def open(self, leds: int) -> None:
        """Open the device for a strip of `leds` LEDs. If that fails, nothing is left open."""

    def send(self, frame_rgb: FrameRGB) -> None:
        """Send a frame, (leds, 3) uint8, to the open device."""

    def close(self) -> None:
        """Close the open device, which may have failed."""

    def error_for(self, refused: Exception) -> DeviceError:
        """Return the error for an exception of `errors`: what is wrong, and the cure."""


class DrivenStrip:
    """A strip of LEDs behind a driver: it is closed after a failure, and goes dark before it is closed.

    Args:
        leds: Number of LEDs.
        driver: Link to the LEDs.
    """

    def __init__(self, leds: int, driver: Driver) -> None:
        self.leds, self.name = leds, driver.name
        self._driver = driver
        self._open = False

    def start(self) -> None:
        """Open the device, unless it is open. Raises DeviceError if that fails."""
        if not self._open:
            try:
                self._driver.open(self.leds)
            except self._driver.errors as refused:
                raise self._driver.error_for(refused) from refused
            self._open = True

    def show(self, frame_rgb: FrameRGB) -> None:
        """Send a frame to the LEDs.

        Raises DeviceError if the device is not open, or if it fails; a device that fails is closed. Raises ValueError
        for a frame of another size.
        """
        frame = checked(frame_rgb, self.leds)
        if not self._open:
            cure = "Nothing to do: the table opens it again every two seconds."
            raise DeviceError(f"The {self.name} strip is not open.", cure)
        try:
            self._driver.send(frame)
        except self._driver.errors as refused:
            self._close()
            raise self._driver.error_for(refused) from refused

    def stop(self) -> None:
        """Switch all LEDs off and close the device, if it is open. Never raises."""
        with contextlib.suppress(DeviceError):
            self.show(np.zeros((self.leds, 3), np.uint8))
            self._close()

    def _close(self) -> None:
        self._open = False
        with contextlib.suppress(*self._driver.errors):
            self._driver.close()


@dataclass(frozen=True, slots=True)
class StripKind:
    """One kind of strip, as settings, wiring checks, help and documentation need it.

    Attributes:
        make: Builds a strip, not started, from the number of LEDs, the settings, and the text after the colon in
            `kind:ARGUMENT` (empty without one).
        summary: One line for the documentation.
        argument: Name of the text that must follow the colon, as `HOST`; empty when the kind takes none.
        pins: Returns the pins that the strip occupies on a model of machine, BCM number -> role, the data pin first.
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
