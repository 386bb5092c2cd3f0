"""A strip drawn in the terminal as a row of coloured dots, which may wrap; silent when the output is not a terminal."""

from __future__ import annotations

import shutil
import sys
from typing import TextIO

import numpy as np

from companion.errors import DeviceError
from hardware.settings import GAMMA
from hardware.strips import DrivenStrip, FrameRGB, StripKind

_LIT = "\N{BLACK CIRCLE}"
"""Character that the terminal shows for each LED, lit or dark; only its colour differs."""


class TerminalDriver:
    """Draws each frame as a row of dots over the one before, below earlier output.

    Args:
        out: Stream to draw on; standard output when left out. Nothing is drawn unless it is a terminal.
    """

    name = "terminal"
    errors: tuple[type[Exception], ...] = (OSError, UnicodeError)  # the terminal is gone, or has no such character

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out if out is not None else sys.stdout

    def open(self, leds: int) -> None:
        """Begin to draw, if the stream is a terminal."""
        self._draws, self._drawn = self._out.isatty(), False

    def send(self, frame_rgb: FrameRGB) -> None:
        """Draw the frame over the previous one; do nothing if the stream is not a terminal."""
        if self._draws:
            seen = (255 * (frame_rgb / 255.0) ** (1 / GAMMA)).astype(np.uint8)
            rows = -(-len(frame_rgb) // shutil.get_terminal_size().columns)  # a resized terminal wraps them anew
            up = f"\x1b[{rows}A" if self._drawn else ""
            self._out.write(f"{up}\r{_line(seen)}\x1b[0m\x1b[K\n")
            self._out.flush()
            self._drawn = True

    def close(self) -> None:
        """Leave the last row as it is."""

    def error_for(self, refused: Exception) -> DeviceError:
        """Return the error of a terminal that can't be written."""
        return DeviceError(f"The terminal can't be written ({refused}).", "Choose another strip.")


def _line(row: FrameRGB) -> str:
    """Return a line of text with a dot for each LED, coloured by terminal codes; dark LEDs are brown.

    The last colour stays set at the end.
    """
    text, last = "", None
    for led in row.tolist():
        colour = led if any(led) else [45, 36, 28]
        if colour != last:
            text += "\x1b[38;2;{};{};{}m".format(*colour)
        text, last = text + _LIT, colour
    return text


KIND = StripKind(
    make=lambda leds, _settings, _argument: DrivenStrip(leds, TerminalDriver()),
    summary="No LEDs: a row of dots in the terminal.",
    simulated=True,
)
