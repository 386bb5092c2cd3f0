"""Test lights for a strip: colours on every LED, and a walk from hole to hole."""

from __future__ import annotations

import msgspec
import numpy as np

from hardware.pictures.plans import walk
from hardware.power import Power
from hardware.settings import PowerSettings
from hardware.strips import FrameRGB
from hardware.track import Layout

DIM_LEVEL = 40
"""Value of a full colour in test frames, 0 to 255: easy to see, at little current. Twice as much draws twice that."""
COLOURS = {
    "red": (DIM_LEVEL, 0, 0),
    "green": (0, DIM_LEVEL, 0),
    "blue": (0, 0, DIM_LEVEL),
    "white": (DIM_LEVEL // 3,) * 3,
}
"""Colours of the test frames by name, in which all LEDs light up: red, green, blue from 0 to 255. They show whether the
strip's colour order is set right. White has a third of each, so that it draws no more current than the others."""
AMBER = (DIM_LEVEL, DIM_LEVEL // 2, 0)
"""Colour of the test frames that light one hole after the other: red, green, blue from 0 to 255. Higher: brighter."""

NamedFrames = list[tuple[str, FrameRGB]]
"""Frames with the name of what each shows."""


def colours(layout: Layout, settings: PowerSettings) -> NamedFrames:
    """Return four dim test frames within the current limit, each with its name: all LEDs red, green, blue, white."""
    every = tuple(range(layout.leds))
    return [(name, _lit(layout, settings, every, rgb)) for name, rgb in COLOURS.items()]


def hole_by_hole(layout: Layout, settings: PowerSettings) -> NamedFrames:
    """Return a named frame for each hole and pocket in the order of travel, with its LEDs lit alone in amber.

    The status segment comes last. The current limit of the settings holds.
    """
    return [(name, _lit(layout, settings, leds, AMBER)) for name, leds in walk(layout)]


def _lit(layout: Layout, settings: PowerSettings, leds: tuple[int, ...], rgb: tuple[int, ...]) -> FrameRGB:
    """Return a frame with the LEDs `leds` in one colour, 0 to 255, and the others dark.

    The settings' white balance and current limit apply; their brightness and gamma do not.
    """
    look = np.zeros((layout.leds, 3), np.float32)
    look[list(leds)] = np.asarray(rgb, np.float32) / 255
    # Shown as given: neither gamma nor the table's brightness.
    power = Power(msgspec.structs.replace(settings, brightness=1.0, gamma=1.0))
    return power.limited(look)[0]
