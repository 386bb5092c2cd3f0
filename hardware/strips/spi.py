"""A WS2812 strip on the SPI pins of any Raspberry Pi (data on GPIO10), through the kernel's spidev; no root needed."""

from __future__ import annotations

import contextlib
import importlib
from pathlib import Path
from typing import Any

import numpy as np

from companion.errors import DeviceError
from hardware.strips import FrameRGB, checked
from hardware.strips.ws2812 import SPEED_HZ, bytes_for, encoded

BUFSIZ = Path("/sys/module/spidev/parameters/bufsiz")
DEFAULT_BUFSIZ = 4096
"""The kernel's limit to one transfer where it does not say. A frame cut in two would latch half the strip early."""


class SpiStrip:
    """LEDs on an SPI bus, 3 or 4 `bits` to one of theirs; `bufsiz` is the file that tells the kernel's limit."""

    name = "spi"

    def __init__(
        self, leds: int, bus: int = 0, device: int = 0, order: str = "GRB", bits: int = 3, bufsiz: Path = BUFSIZ
    ) -> None:
        self.leds = leds
        self._bus, self._device, self._order, self._bits, self._bufsiz = bus, device, order, bits, bufsiz
        self._link: Any = None

    def start(self) -> None:
        """Open the bus. Raises DeviceError."""
        if self._link is not None:
            return
        self._check_length()
        try:
            spidev = importlib.import_module("spidev")
        except ImportError:
            raise DeviceError("The library spidev is not installed.", "sudo apt install python3-spidev.") from None
        link = spidev.SpiDev()
        try:
            link.open(self._bus, self._device)
            link.max_speed_hz = SPEED_HZ[self._bits]
            link.mode = 0
        except OSError as refused:
            raise self._ill(refused) from refused
        self._link = link

    def show(self, frame_rgb: FrameRGB) -> None:
        """Send a frame in one transfer. Raises DeviceError, or ValueError for a frame of another length."""
        data = encoded(checked(frame_rgb, self.leds), self._order, self._bits)
        if self._link is None:
            raise DeviceError("The SPI strip is not open.", "It is opened again by itself.")
        try:
            self._link.writebytes2(data)
        except OSError as refused:
            self._drop()
            raise self._ill(refused) from refused

    def stop(self) -> None:
        """All dark, and close the bus."""
        if self._link is not None:
            dark = np.zeros((self.leds, 3), np.uint8)
            with contextlib.suppress(OSError):
                self._link.writebytes2(encoded(dark, self._order, self._bits))
            self._drop()

    def _check_length(self) -> None:
        try:
            limit = int(self._bufsiz.read_text())
        except (OSError, ValueError):
            limit = DEFAULT_BUFSIZ
        needed = bytes_for(self.leds, self._bits)
        if needed > limit:
            raise DeviceError(
                f"{self.leds} LEDs need {needed} bytes in one SPI transfer; the kernel allows {limit}.",
                f"Add spidev.bufsiz={needed} to /boot/firmware/cmdline.txt and restart.",
            )

    def _drop(self) -> None:
        link, self._link = self._link, None
        with contextlib.suppress(OSError):
            link.close()

    def _ill(self, refused: OSError) -> DeviceError:
        path = f"/dev/spidev{self._bus}.{self._device}"
        if isinstance(refused, FileNotFoundError):
            return DeviceError(f"There is no {path}.", "Switch SPI on with `sudo raspi-config`, Interface Options.")
        if isinstance(refused, PermissionError):
            return DeviceError(f"{path} may not be opened.", "Add the user to the group spi: sudo adduser $USER spi.")
        return DeviceError(f"{path} fails ({refused.strerror or refused}).", "Check the wiring of the strip.")
