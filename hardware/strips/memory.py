"""A strip without LEDs: it keeps the last frame it was shown; the page draws it."""

from __future__ import annotations

import numpy as np

from hardware.strips import FrameRGB, checked


class MemoryStrip:
    """Keeps frames in memory.

    Attributes:
        frame_rgb: The last frame, dark before the first.
        shown: How many frames it was shown.
    """

    name = "memory"

    def __init__(self, leds: int) -> None:
        self.leds = leds
        self.shown = 0
        self.frame_rgb: FrameRGB = np.zeros((leds, 3), np.uint8)

    def start(self) -> None:
        """Nothing to open."""

    def show(self, frame_rgb: FrameRGB) -> None:
        """Keep a copy of the frame. Raises ValueError for one of another length."""
        self.frame_rgb = checked(frame_rgb, self.leds).copy()
        self.shown += 1

    def stop(self) -> None:
        """All dark."""
        self.frame_rgb = np.zeros((self.leds, 3), np.uint8)
