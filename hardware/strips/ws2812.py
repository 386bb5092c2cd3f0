"""The WS2812 signal as SPI bytes: three or four SPI bits for an LED bit, a short high pulse for 0, a long one for 1.

WS2812B data sheet (Worldsemi): a bit lasts 1.25 us; its high pulse lasts 0.4 us for 0 and 0.8 us for 1. A low level of
280 us latches the colours. Newer LEDs (WS2812B-V5) want at most 0.38 us for 0, which only four SPI bits give:

| SPI bits | clock | SPI bit | 0 | 1 | bytes an LED |
|---|---|---|---|---|---|
| 3 | 2.4 MHz | 0.417 us | 100 | 110 | 9 |
| 4 | 3.2 MHz | 0.3125 us | 1000 | 1110 | 12 |
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hardware.strips import FrameRGB

SPEED_HZ = {3: 2_400_000, 4: 3_200_000}
"""SPI clock in Hz, by the number of SPI bits that carry an LED bit: 800,000 LED bits a second, as WS2812 LEDs need. At
another clock they misread the signal."""
RESET_S = 300e-6
"""Seconds of low level that are sent before and after a frame. After it, more than the 280 us that latch the colours;
before it, a guard: some SPI controllers idle high or send a leading bit. Shorter: no colours; longer: longer frames."""

_CODES = {3: ((1, 0, 0), (1, 1, 0)), 4: ((1, 0, 0, 0), (1, 1, 1, 0))}
"""SPI bits that stand for an LED bit of 0 and of 1, by the number of SPI bits that carry an LED bit. LEDs tell 0 from 1
by the length of the high level: with other bits they show wrong colours."""


def encoded(frame_rgb: FrameRGB, order: str = "GRB", bits: int = 3) -> bytes:
    """Return the WS2812 signal of a frame as the bytes to send over SPI, with a reset gap before and after it.

    `order` is the LEDs' colour order; `bits` is the number of SPI bits for each LED bit, 3 or 4.
    """
    colours = frame_rgb[:, ["RGB".index(letter) for letter in order]]
    return gap(bits) + _TABLES[bits][colours].tobytes() + gap(bits)


def gap(bits: int) -> bytes:
    """Return the reset gap: zero bytes that last at least `RESET_S`, with `bits` SPI bits for an LED bit."""
    return bytes(-int(-RESET_S * SPEED_HZ[bits] // 8))


def bytes_for(leds: int, bits: int) -> int:
    """Return the length in bytes of what `encoded` returns for a frame of `leds` LEDs, reset gaps included."""
    return leds * 3 * bits + 2 * len(gap(bits))


def _table(bits: int) -> NDArray[np.uint8]:
    """Return the table (256, bits) uint8 of the SPI bytes for each colour value, most significant LED bit first."""
    values = np.arange(256, dtype=np.uint8)[:, None]
    led_bits = np.unpackbits(values, axis=1)
    spi_bits = np.array(_CODES[bits], np.uint8)[led_bits]
    return np.packbits(spi_bits.reshape(256, -1), axis=1)


_TABLES = {bits: _table(bits) for bits in _CODES}
"""SPI bytes of every colour value, (256, bits) uint8, by the number of SPI bits that carry an LED bit."""
