"""A strip drawn in the terminal as a row of coloured dots, which may wrap; silent when the output is not a terminal."""

from __future__ import annotations

import contextlib
import shutil
import sys
from typing import TextIO

import numpy as np

from companion.errors import DeviceError
from hardware.strips import FrameRGB, StripKind, checked

_LIT = "\N{BLACK CIRCLE}"
"""Character that the terminal shows for each LED, lit or dark; only its colour differs."""
_GAMMA = 2.6
"""Gamma that the LEDs' values have been encoded with. It is undone for the terminal, because a screen applies its own
and dim lights would look dark. A larger one shows dim lights brighter."""


class TerminalStrip:
    """Draws each frame as a row of dots over the one before, below earlier output.

    Args:
        leds: Number of LEDs.
        out: Stream to draw on; standard output when left out. Nothing is drawn unless it is a terminal.
    """

    name = "terminal"

    def __init__(self, leds: int, out: TextIO | None = None) -> None:
        self.leds = leds
        self._out = out if out is not None else sys.stdout
        self._open = False
        self._drawn = False

    def start(self) -> None:
        """Begin to draw, if the stream is a terminal."""
        self._open = self._out.isatty()
        self._drawn = False

    def show(self, frame_rgb: FrameRGB) -> None:
        """Draw the frame over the last one, if the output is a terminal.

        Raises DeviceError if that fails, and ValueError for a frame of another length.
        """
        seen = (255 * (checked(frame_rgb, self.leds) / 255.0) ** (1 / _GAMMA)).astype(np.uint8)
        if not self._open:
            return
        rows = -(-self.leds // shutil.get_terminal_size().columns)
        up = f"\x1b[{rows}A" if self._drawn else ""
        try:
            self._out.write(f"{up}\r{_line(seen)}\x1b[0m\x1b[K\n")
            self._out.flush()
        except (OSError, UnicodeError) as refused:  # the terminal is gone, or has no such character
            self._open = False
            raise DeviceError(f"The terminal can't be written ({refused}).", "Choose another strip.") from refused
        self._drawn = True

    def stop(self) -> None:
        """Draw a dark row, and draw no more."""
        with contextlib.suppress(DeviceError):
            self.show(np.zeros((self.leds, 3), np.uint8))
        self._open = False


def _line(row: FrameRGB) -> str:
    """Return a line of text with a dot for each LED, coloured by terminal codes; dark LEDs are brown."""
    dark = (45, 36, 28)
    colours = [(int(r), int(g), int(b)) if r or g or b else dark for r, g, b in row]
    text, last = "", None
    for colour in colours:
        if colour != last:
            text += "\x1b[38;2;{};{};{}m".format(*colour)
        text, last = text + _LIT, colour
    return text


KIND = StripKind(
    make=lambda leds, _settings, _argument: TerminalStrip(leds),
    summary="No LEDs: a row of dots in the terminal.",
    simulated=True,
)
"""The registry's entry of the strip drawn in the terminal."""
