"""Test lights for a strip: colours on every LED, and a walk from hole to hole."""

from __future__ import annotations

import numpy as np

from hardware.pictures.plans import walk
from hardware.power import Power
from hardware.settings import PowerSettings
from hardware.strips import FrameRGB
from hardware.track import Layout

DIM = 40
"""Brightness of test lights, of 255: easy to see, and a whole strip draws little current."""
COLOURS = {"red": (DIM, 0, 0), "green": (0, DIM, 0), "blue": (0, 0, DIM), "white": (DIM // 3,) * 3}
"""Test colours by name: red, green, blue from 0 to 255."""
AMBER = (DIM, DIM // 2, 0)
"""Colour of the walk from hole to hole, red, green, blue from 0 to 255."""

Lights = list[tuple[str, FrameRGB]]
"""Frames with the name of what each shows."""


def colours(layout: Layout, settings: PowerSettings) -> Lights:
    """Return a frame for red, green, blue and dim white on every LED, within the settings' current limit."""
    every = tuple(range(layout.leds))
    return [(name, _lit(layout, settings, every, rgb)) for name, rgb in COLOURS.items()]


def hole_by_hole(layout: Layout, settings: PowerSettings) -> Lights:
    """Return a frame for each hole in the order of travel, within the settings' current limit."""
    return [(name, _lit(layout, settings, leds, AMBER)) for name, leds in walk(layout)]


def _lit(layout: Layout, settings: PowerSettings, leds: tuple[int, ...], rgb: tuple[int, ...]) -> FrameRGB:
    """Return a frame with those LEDs in a colour and the others dark, within the current limit.

    Args:
        layout: The track.
        settings: Current limit and white balance; gamma and brightness are ignored.
        leds: LEDs to light.
        rgb: Red, green, blue from 0 to 255.
    """
    look = np.zeros((layout.leds, 3), np.float32)
    look[list(leds)] = np.asarray(rgb, np.float32) / 255
    # Shown as given: neither gamma nor the table's brightness.
    power = PowerSettings(brightness=1.0, limit_ma=settings.limit_ma, gamma=1.0, white=settings.white)
    return Power(power).limited(look)[0]
