"""A strip on a Raspberry Pi 5 through the kernel's PIO driver: `dtoverlay=ws2812-pio` makes a device to write to."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import numpy as np

from companion.errors import DeviceError
from hardware.strips import FrameRGB, checked

OVERLAY = "dtoverlay=ws2812-pio,gpio=18,num_leds={leds},brightness=0"
"""brightness=0: the driver passes values on as they are (kernels after 6.12.55; older ones add their own gamma)."""


class PioStrip:
    """LEDs behind `/dev/leds0`: four bytes an LED, red, green, blue and an unused white."""

    name = "pio"

    def __init__(self, leds: int, path: Path = Path("/dev/leds0")) -> None:
        self.leds = leds
        self._path = path
        self._descriptor: int | None = None

    def start(self) -> None:
        """Open the device. Raises DeviceError."""
        if self._descriptor is not None:
            return
        try:
            self._descriptor = os.open(self._path, os.O_WRONLY)
        except OSError as refused:
            raise self._ill(refused) from refused

    def show(self, frame_rgb: FrameRGB) -> None:
        """Write a frame whole. Raises DeviceError, or ValueError for a frame of another length."""
        data = np.pad(checked(frame_rgb, self.leds), ((0, 0), (0, 1))).tobytes()
        if self._descriptor is None:
            raise DeviceError("The PIO strip is not open.", "It is opened again by itself.")
        try:
            written = os.pwrite(self._descriptor, data, 0)
        except OSError as refused:
            self._close()
            raise self._ill(refused) from refused
        if written != len(data):
            self._close()
            raise DeviceError(
                f"{self._path} takes {written // 4} LEDs, not {self.leds}.",
                f"Set {OVERLAY.format(leds=self.leds)} in /boot/firmware/config.txt and restart.",
            )

    def stop(self) -> None:
        """All dark, and close the device."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.pwrite(self._descriptor, bytes(4 * self.leds), 0)
            self._close()

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _ill(self, refused: OSError) -> DeviceError:
        if isinstance(refused, FileNotFoundError):
            cure = (
                f"Add {OVERLAY.format(leds=self.leds)} to /boot/firmware/config.txt and restart (Raspberry Pi 5 only)."
            )
            return DeviceError(f"There is no {self._path}.", cure)
        if isinstance(refused, PermissionError):
            return DeviceError(
                f"{self._path} may not be written.", "Install systemd/99-pegpip.rules in /etc/udev/rules.d."
            )
        return DeviceError(
            f"{self._path} fails ({refused.strerror}).", "Check the overlay and the wiring of the strip."
        )
