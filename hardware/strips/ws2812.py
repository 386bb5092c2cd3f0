"""The signal of WS2812 LEDs carried by SPI: each LED bit becomes three or four SPI bits, long high for 1, short for 0.

WS2812B data sheet (Worldsemi): a 0 is high for 0.4 us, a 1 for 0.8 us, of 1.25 us in all; 280 us of low latch the
colours. At 2.4 MHz an SPI bit lasts 0.417 us: 0 is 100, 1 is 110. At 3.2 MHz it lasts 0.3125 us: 0 is 1000, 1 is 1110.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hardware.strips import FrameRGB

SPEED_HZ = {3: 2_400_000, 4: 3_200_000}
"""SPI clock by SPI bits to an LED bit."""
RESET_S = 300e-6
"""Low before and after a frame: the latch, and a guard against controllers that idle high or send a leading bit."""

_CODES = {3: (0b100, 0b110), 4: (0b1000, 0b1110)}


def encoded(frame_rgb: FrameRGB, order: str = "GRB", bits: int = 3) -> bytes:
    """The bytes to send for a frame, with the reset gaps.

    Args:
        frame_rgb: (leds, 3) uint8.
        order: Order in which the LEDs take red, green and blue.
        bits: SPI bits to an LED bit, 3 or 4.
    """
    colours = frame_rgb[:, ["RGB".index(letter) for letter in order]]
    return gap(bits) + _TABLES[bits][colours].tobytes() + gap(bits)


def gap(bits: int) -> bytes:
    """Zeros that last at least the reset time."""
    return bytes(-int(-RESET_S * SPEED_HZ[bits] // 8))


def bytes_for(leds: int, bits: int) -> int:
    """How many bytes a frame takes, with its gaps."""
    return leds * 3 * bits + 2 * len(gap(bits))


def _table(bits: int) -> NDArray[np.uint8]:
    """(256, bits) the SPI bytes of every value of a colour: eight LED bits, most significant first."""
    rows = []
    for value in range(256):
        word = 0
        for place in range(7, -1, -1):
            word = word << bits | _CODES[bits][value >> place & 1]
        rows.append(list(word.to_bytes(bits, "big")))
    return np.array(rows, np.uint8)


_TABLES = {bits: _table(bits) for bits in _CODES}
