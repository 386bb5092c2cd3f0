"""A strip on a Raspberry Pi 5 through the kernel driver `ws2812-pio-rp1`; needs no root.

The overlay line in `config.txt` makes `/dev/leds0`. A write is four bytes an LED: red, green, blue, and a white that
WS2812 LEDs do not have. The driver sends them in the order green, red, blue (drivers/misc/ws2812-pio-rp1.c in
github.com/raspberrypi/linux).
"""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import numpy as np

from companion.errors import DeviceError
from hardware.machine import is_pi_5
from hardware.strips import DrivenStrip, FrameRGB, StripKind

CONFIG = "/boot/firmware/config.txt"
"""File that the Pi's firmware reads at each start; the overlay line belongs there."""
TOO_MANY_LEDS = (errno.EFBIG, errno.ENOSPC)
"""The driver's answers to a write that is longer than the overlay's `num_leds` allows."""
FIRST_KERNEL = (6, 12, 56)
"""First kernel whose `ws2812-pio` driver (Pi 5) takes `brightness=0` as "send colours unchanged".

Older ones multiply every colour by it, and the strip stays dark (github.com/raspberrypi/linux, pull request 7110).
"""


def overlay_line(leds: int, pin: int = 18) -> str:
    """Return the line of `config.txt` that makes the device `/dev/leds0`, for `leds` LEDs with data on BCM pin `pin`.

    `brightness=0` makes the driver send colours unchanged: the table has applied gamma and brightness already.

    >>> overlay_line(122)
    'dtoverlay=ws2812-pio,gpio=18,num_leds=122,brightness=0'
    """
    return f"dtoverlay=ws2812-pio,gpio={pin},num_leds={leds},brightness=0"


def kernel_problem(release: str) -> DeviceError | None:
    """Return an error that says to update if the kernel is older than FIRST_KERNEL, else None.

    `release` is the kernel's version as `uname -r` prints it. A version that does not begin with three numbers gives
    None.
    """
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", release)
    if found is None or tuple(map(int, found.groups())) >= FIRST_KERNEL:
        return None
    what = f"The kernel {release} keeps a strip dark whose overlay says brightness=0."
    return DeviceError(what, "Update it: sudo apt update && sudo apt full-upgrade, then restart.")


class PioDriver:
    """The kernel driver's device file.

    Args:
        path: The device file.
        pin: BCM number of the data pin, for the overlay line in messages.
        order: Order in which the LEDs expect red, green and blue.
    """

    name = "pio"
    errors: tuple[type[Exception], ...] = (OSError,)

    def __init__(self, path: Path = Path("/dev/leds0"), pin: int = 18, order: str = "GRB") -> None:
        self._path, self._pin = path, pin
        # The driver sends its second byte first: the colour that the LEDs expect first goes there.
        self._columns = ["RGB".index(order[place]) for place in (1, 0, 2)]

    def open(self, leds: int) -> None:
        """Open the device file and send a dark frame. Raises OSError if that fails, for instance with too many LEDs."""
        self._leds = leds
        self._descriptor = os.open(self._path, os.O_WRONLY)
        try:
            self.send(np.zeros((leds, 3), np.uint8))
        except OSError:
            os.close(self._descriptor)
            raise

    def send(self, frame_rgb: FrameRGB) -> None:
        """Write a frame to the device file."""
        os.pwrite(self._descriptor, np.pad(frame_rgb[:, self._columns], ((0, 0), (0, 1))).tobytes(), 0)

    def close(self) -> None:
        """Close the device file."""
        os.close(self._descriptor)

    def error_for(self, refused: Exception) -> DeviceError:
        """Return the DeviceError to raise for an exception of the device file, with the cause and the cure.

        It tells apart a missing device file, missing rights, and an overlay made for fewer LEDs than the layout has.
        Any other exception gives its own message.
        """
        line = f"{overlay_line(self._leds, self._pin)} in {CONFIG}"
        if isinstance(refused, FileNotFoundError):
            return DeviceError(f"There is no {self._path}.", f"Write {line} (Raspberry Pi 5 only) and restart.")
        if isinstance(refused, PermissionError):
            cure = "Copy systemd/99-pegpip.rules to /etc/udev/rules.d and restart."
            return DeviceError(f"{self._path} may not be written.", cure)
        if getattr(refused, "errno", None) in TOO_MANY_LEDS:
            what = f"{self._path} is made for fewer LEDs than the {self._leds} of the layout."
            return DeviceError(what, f"Write {line} in place of the overlay there, and restart.")
        why = getattr(refused, "strerror", None) or refused
        return DeviceError(f"{self._path} fails ({why}).", "Check the overlay and the wiring.")


KIND = StripKind(
    make=lambda leds, settings, _argument: DrivenStrip(
        leds, PioDriver(Path(settings.pio_path), settings.pin, settings.order)
    ),
    summary="GPIO18 of a Raspberry Pi 5, by the kernel's PIO driver; needs no root.",
    pins=lambda settings, _machine: {settings.pin: "the strip's data"},
    problems=lambda _settings, machine: (
        ["[strip] kind pio needs a Raspberry Pi 5; use spi."] if machine and not is_pi_5(machine) else []
    ),
)
