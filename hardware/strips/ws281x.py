"""A strip by the library rpi_ws281x: PWM, PCM or SPI of a Raspberry Pi up to the 4. Never loaded on a Pi 5 or a PC.

The library crashes rather than raises where it does not belong, so the device tree is asked before it is touched.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from companion.errors import DeviceError
from hardware.machine import is_pi, is_pi_5, model
from hardware.strips import FrameRGB, checked

FREQUENCY_HZ = 800_000
DMA = 10
"""The channel that nothing else on a Pi uses; 5 destroys the file system of a Pi 3."""
CHANNEL_1_PINS = (13, 19, 41, 45, 53)


class Ws281xStrip:
    """LEDs on a PWM, PCM or SPI pin (BCM number): 18 or 12, 21, 10."""

    name = "ws281x"

    def __init__(self, leds: int, pin: int = 18, order: str = "GRB", machine: str | None = None) -> None:
        self.leds = leds
        self._pin, self._order = pin, order
        self._machine = model() if machine is None else machine
        self._strip: Any = None

    def start(self) -> None:
        """Load the library and begin. Raises DeviceError."""
        if self._strip is not None:
            return
        if not is_pi(self._machine):
            raise DeviceError("ws281x works on a Raspberry Pi only.", "Choose the strip memory, terminal or wled:HOST.")
        if is_pi_5(self._machine):
            raise DeviceError("ws281x does not work on a Raspberry Pi 5.", "Choose the strip spi or pio.")
        try:
            library = importlib.import_module("rpi_ws281x")
        except ImportError:
            raise DeviceError("rpi_ws281x is not installed.", "pip install rpi_ws281x (extra `pi`).") from None
        kind = getattr(library.ws, f"WS2811_STRIP_{self._order}")
        channel = 1 if self._pin in CHANNEL_1_PINS else 0
        strip = library.PixelStrip(self.leds, self._pin, FREQUENCY_HZ, DMA, False, 255, channel, kind)
        try:
            strip.begin()
        except RuntimeError as refused:
            raise DeviceError(
                f"rpi_ws281x can't begin on pin {self._pin} ({refused}).",
                "PWM and PCM need root; SPI (pin 10) does not, nor does the strip spi.",
            ) from refused
        self._strip = strip

    def show(self, frame_rgb: FrameRGB) -> None:
        """Light the LEDs. Raises DeviceError, or ValueError for a frame of another length."""
        frame = checked(frame_rgb, self.leds)
        if self._strip is None:
            raise DeviceError("The ws281x strip is not open.", "It is opened again by itself.")
        words = frame.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
        try:
            for led, word in enumerate(words.tolist()):
                self._strip.setPixelColor(led, word)
            self._strip.show()
        except RuntimeError as refused:
            self._strip = None
            raise DeviceError(f"rpi_ws281x fails ({refused}).", "Check the wiring of the strip.") from refused

    def stop(self) -> None:
        """All dark; the library lets go of the pin when the program ends."""
        if self._strip is not None:
            try:
                self.show(np.zeros((self.leds, 3), np.uint8))
            except DeviceError:
                return
            self._strip = None
