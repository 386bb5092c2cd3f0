"""A strip without LEDs: it keeps the last frame in memory, and the page draws it."""

from __future__ import annotations

import numpy as np

from hardware.strips import FrameRGB, StripKind, checked


class MemoryStrip:
    """Keeps frames in memory.

    Attributes:
        frame_rgb: The newest frame; dark before the first.
        shown: Number of frames shown.
    """

    name = "memory"

    def __init__(self, leds: int) -> None:
        self.leds = leds
        self.shown = 0
        self.frame_rgb: FrameRGB = np.zeros((leds, 3), np.uint8)

    def start(self) -> None:
        """Do nothing: there is no device."""

    def show(self, frame_rgb: FrameRGB) -> None:
        """Keep a copy of the frame. Raises ValueError for a frame of another length."""
        self.frame_rgb = checked(frame_rgb, self.leds).copy()
        self.shown += 1

    def stop(self) -> None:
        """Switch all LEDs off."""
        self.frame_rgb = np.zeros((self.leds, 3), np.uint8)


KIND = StripKind(
    make=lambda leds, _settings, _argument: MemoryStrip(leds),
    summary="No LEDs: the page draws the board.",
    simulated=True,
)
