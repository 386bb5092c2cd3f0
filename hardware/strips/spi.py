"""A WS2812 strip on the SPI pins of any Raspberry Pi (GPIO10 on bus 0), by the kernel's spidev; no root needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from companion.errors import DeviceError
from hardware.machine import is_pi_5, load_library
from hardware.settings import StripSettings
from hardware.strips import DrivenStrip, FrameRGB, StripKind
from hardware.strips.ws2812 import SPEED_HZ, bytes_for, encoded

PINS = {
    0: (10, 9, 11, 8, 7),
    1: (20, 19, 21, 18, 17, 16),
    3: (2, 1, 3, 0, 24),
    4: (6, 5, 7, 4, 25),
    5: (14, 13, 15, 12, 26),
    6: (20, 19, 21, 18, 27),
}
"""SPI bus -> BCM numbers of the pins that the kernel reserves for it up to a Raspberry Pi 4, in the order of ROLES:
MOSI, MISO, SCLK, then CE0 and on. The LEDs need MOSI alone. Only a Pi 4 has the buses from 3. Bus 2 is missing: it is
not on the 40-pin header. The overlay of a bus other than 0 reserves one CE pin for each device up to `spi_device`."""
PI_5_PINS = {0: PINS[0], 1: PINS[1], 2: PINS[3], 3: PINS[4], 5: PINS[5]}
"""SPI bus -> BCM numbers of the pins reserved for it on a Raspberry Pi 5, as in PINS. Bus 4 is missing: it can only
receive. Bus 6 is missing: it is not on the header."""
ROLES = ("MOSI", "MISO", "SCLK", "CE0", "CE1", "CE2")
"""Roles of the pins of an SPI bus."""
BUFSIZ = Path("/sys/module/spidev/parameters/bufsiz")
"""File with the kernel's limit to one SPI transfer, in bytes. Strips with longer frames are refused. The LEDs would
take a pause between two transfers for the end of the frame."""
DEFAULT_BUFSIZ = 4096
"""Largest SPI transfer in bytes that is assumed if the file BUFSIZ can't be read: the kernel's own default. Higher:
strips may be accepted whose frames do not fit in one transfer. Lower: strips are refused that would work."""


class SpiDriver:
    """LEDs on an SPI bus.

    Args:
        bus: Number of the SPI bus, as in `/dev/spidevBUS.DEVICE`.
        device: Number of the device on the bus.
        order: Order in which the LEDs expect red, green and blue.
        bits: SPI bits for an LED bit: 3, or 4 for LEDs that flicker or show wrong colours with 3.
        bufsiz: File with the kernel's limit to one transfer.
    """

    name = "spi"
    errors: tuple[type[Exception], ...] = (OSError,)

    def __init__(self, bus: int = 0, device: int = 0, order: str = "GRB", bits: int = 3, bufsiz: Path = BUFSIZ) -> None:
        self._bus, self._device, self._order, self._bits, self._bufsiz = bus, device, order, bits, bufsiz

    def open(self, leds: int) -> None:
        """Open the SPI bus. Raises OSError if that fails.

        Raises DeviceError if spidev is missing, or a frame of `leds` LEDs is too long for one transfer.
        """
        self._check_length(leds)
        link = load_library("spidev", "sudo apt install python3-spidev.").SpiDev()
        try:
            link.open(self._bus, self._device)
            link.max_speed_hz = SPEED_HZ[self._bits]
            link.mode = 0
        except OSError:
            link.close()
            raise
        self._link: Any = link

    def send(self, frame_rgb: FrameRGB) -> None:
        """Send a frame to the LEDs in one transfer."""
        self._link.writebytes2(encoded(frame_rgb, self._order, self._bits))

    def close(self) -> None:
        """Close the bus."""
        self._link.close()

    def error_for(self, refused: Exception) -> DeviceError:
        """Return the error to raise for an OSError of the SPI device: what is wrong, and the cure."""
        path = f"/dev/spidev{self._bus}.{self._device}"
        if isinstance(refused, FileNotFoundError):
            write = f"Write dtoverlay=spi{self._bus}-{self._device + 1}cs in /boot/firmware/config.txt and restart."
            switch = "Switch SPI on with `sudo raspi-config`, Interface Options."
            return DeviceError(f"There is no {path}.", write if self._bus else switch)
        if isinstance(refused, PermissionError):
            return DeviceError(f"{path} may not be opened.", "Add the user to the group spi: sudo adduser $USER spi.")
        why = getattr(refused, "strerror", None) or refused
        return DeviceError(f"{path} fails ({why}).", "Check the wiring of the strip.")

    def _check_length(self, leds: int) -> None:
        """Raise DeviceError if a frame of `leds` LEDs is longer than the kernel allows for one SPI transfer."""
        try:
            limit = int(self._bufsiz.read_text())
        except (OSError, ValueError):
            limit = DEFAULT_BUFSIZ
        needed = bytes_for(leds, self._bits)
        if needed > limit:
            raise DeviceError(
                f"{leds} LEDs need {needed} bytes in one SPI transfer; the kernel allows {limit}.",
                f"Add spidev.bufsiz={needed} to /boot/firmware/cmdline.txt and restart.",
            )


def pins(settings: StripSettings, machine: str) -> dict[int, str]:
    """Return the header pins that the strip's SPI bus reserves: BCM number -> role, the data pin first.

    `machine` is the Pi's model. Empty if the bus is not on the 40-pin header, or if it can only receive.
    """
    reserved = (PI_5_PINS if is_pi_5(machine) else PINS).get(settings.spi_bus, ())
    used = reserved[: 4 + (settings.spi_device if settings.spi_bus else 1)]
    return {pin: f"the strip's SPI ({role})" for pin, role in zip(used, ROLES, strict=False)}


KIND = StripKind(
    make=lambda leds, wired, _argument: DrivenStrip(
        leds, SpiDriver(wired.spi_bus, wired.spi_device, wired.order, wired.spi_bits)
    ),
    summary="GPIO10 of any Raspberry Pi, by SPI; needs no root.",
    pins=pins,
)
