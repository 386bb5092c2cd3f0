"""A strip by the library rpi_ws281x: PWM, PCM or SPI of a Raspberry Pi up to the 4.

The library crashes rather than raises on a Pi 5 or a PC. So the device tree is asked before the library is loaded.
"""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from typing import Any

import numpy as np

from companion.errors import DeviceError
from hardware.machine import is_pi, is_pi_5, load_library, model
from hardware.settings import StripSettings
from hardware.strips import DrivenStrip, FrameRGB, StripKind, spi

FREQUENCY_HZ = 800_000
"""Bit rate of the signal to WS2812 LEDs, in bits a second, as their data sheet says. LEDs misread any other."""
DMA_CHANNEL = 10
"""Number of the DMA channel that sends the signal: one that nothing else on a Pi uses. Another number may disturb the
system; channel 5 destroys the file system of a Pi 3."""
PWM_PINS, PCM_PIN, SPI_PIN = (12, 13, 18, 19), 21, 10
"""BCM numbers of the pins that can drive LEDs, by what makes the signal."""
CHANNEL_1_PINS = (13, 19)
"""BCM numbers of the `PWM_PINS` on the second PWM channel, fixed by the Pi's chip. With a wrong list the library
refuses the pin."""
USE_SPI = "Use the strip spi, which needs neither root nor this library"
"""Advice in the cure of errors about a missing library or a pin that does not work."""


class Ws281xDriver:
    """LEDs on a PWM, PCM or SPI pin.

    Args:
        pin: BCM number: 18 or 12 (PWM), 21 (PCM), 10 (SPI).
        order: Order in which the LEDs expect red, green and blue.
        machine: Model of the machine; asked from the device tree when left out.
    """

    name = "ws281x"
    errors: tuple[type[Exception], ...] = (RuntimeError,)

    def __init__(self, pin: int = 18, order: str = "GRB", machine: str | None = None) -> None:
        self._pin, self._order = pin, order
        self._machine = model() if machine is None else machine

    def open(self, leds: int) -> None:
        """Load the library rpi_ws281x and open the strip's pin for a number of LEDs.

        Raises DeviceError if this is no Raspberry Pi or a Pi 5, or if the library is missing or can't use the pin.
        """
        if not is_pi(self._machine):
            raise DeviceError("ws281x works on a Raspberry Pi only.", "Choose the strip memory, terminal or wled:HOST.")
        if is_pi_5(self._machine):
            raise DeviceError("ws281x does not work on a Raspberry Pi 5.", "Choose the strip spi or pio.")
        library = load_library("rpi_ws281x", f"{USE_SPI}; or pip install 'peg-and-pip[pi]'.")
        kind = getattr(library.ws, f"WS2811_STRIP_{self._order}")
        channel = 1 if self._pin in CHANNEL_1_PINS else 0
        strip = library.PixelStrip(leds, self._pin, FREQUENCY_HZ, DMA_CHANNEL, False, 255, channel, kind)
        try:
            strip.begin()
        except RuntimeError as refused:
            # The library's exit handler frees what a failed begin() never made, and the interpreter crashes.
            atexit.unregister(strip._cleanup)  # noqa: SLF001 - PixelStrip has no close()
            library.ws.delete_ws2811_t(strip._leds)  # noqa: SLF001
            cure = f"PWM and PCM need root. {USE_SPI}."
            if self._pin == SPI_PIN:
                cure = "Switch SPI on with `sudo raspi-config`, Interface Options; add the user to the group spi."
            raise DeviceError(f"rpi_ws281x can't begin on pin {self._pin} ({refused}).", cure) from refused
        self._strip: Any = strip

    def send(self, frame_rgb: FrameRGB) -> None:
        """Send a frame to the LEDs."""
        words = frame_rgb.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
        for led, word in enumerate(words.tolist()):
            self._strip.setPixelColor(led, word)
        self._strip.show()

    def close(self) -> None:
        """Release the pin: do now what the library's exit handler would do, once."""
        atexit.unregister(self._strip._cleanup)  # noqa: SLF001
        self._strip._cleanup()  # noqa: SLF001

    def error_for(self, refused: Exception) -> DeviceError:
        """Return the error of a library that failed after it had begun."""
        return DeviceError(f"rpi_ws281x fails ({refused}).", "Check the wiring of the strip.")


def _pins(settings: StripSettings, machine: str) -> Mapping[int, str]:
    """Return the pins that the strip occupies, BCM number -> role: those of SPI bus 0, else the data pin."""
    if settings.pin == SPI_PIN:
        return spi.pins(StripSettings(spi_bus=0), machine)
    return {settings.pin: "the strip's data"}


def _problems(settings: StripSettings, machine: str) -> list[str]:
    """Return a sentence for each fault: a pin that can't drive LEDs, and a machine that is a Raspberry Pi 5."""
    problems = []
    if settings.pin not in (*PWM_PINS, PCM_PIN, SPI_PIN):
        problems.append(f"[strip] pin {settings.pin} can't drive LEDs; use 18 or 12 (PWM), 21 (PCM) or 10 (SPI).")
    if is_pi_5(machine):
        problems.append("[strip] kind ws281x does not work on a Raspberry Pi 5; use spi or pio.")
    return problems


KIND = StripKind(
    make=lambda leds, settings, _argument: DrivenStrip(leds, Ws281xDriver(settings.pin, settings.order)),
    summary="GPIO18 or 12 (PWM), 21 (PCM) or 10 (SPI) up to a Raspberry Pi 4; PWM and PCM need root.",
    pins=_pins,
    problems=_problems,
)
