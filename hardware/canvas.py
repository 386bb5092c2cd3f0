"""A frame under construction: light is added to holes and stretches of the track, for any layout."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hardware.palette import Colour
from hardware.track import Layout

Levels = NDArray[np.float32]
"""(n,) float32 from 0 to 1: a brightness for each LED of a lane, in the order of travel."""


class LanePath:
    """The LEDs of a lane in the order of travel, with their positions along it.

    Attributes:
        leds: (n,) indexes into the strip.
        steps: (n,) float32: position of each LED in holes. LEDs of one hole are spread evenly over it.
    """

    def __init__(self, layout: Layout, lane: int) -> None:
        pairs = [
            (led, hole + (k + 0.5) / len(leds) - 0.5)
            for hole, leds in enumerate(layout.lanes[lane])
            for k, led in enumerate(leds)
        ]
        self.leds = np.array([led for led, _ in pairs], np.intp)
        self.steps = np.array([step for _, step in pairs], np.float32)


@lru_cache(maxsize=8)
def lane_paths(layout: Layout) -> tuple[LanePath, ...]:
    """Return the LEDs of each lane in the order of travel; cached for each layout."""
    return tuple(LanePath(layout, lane) for lane in range(len(layout.lanes)))


class Canvas:
    """A frame of perceived light that is drawn on. Every method but `cover` can only brighten it.

    Attributes:
        layout: Where the LEDs are.
        game_holes: Holes of the game's track, which may differ from the layout's.
        look: (leds, 3) float32 from 0 to 1, perceived brightness of red, green and blue.
    """

    def __init__(self, layout: Layout, game_holes: int) -> None:
        self.layout = layout
        self.game_holes = game_holes
        self.look = np.zeros((layout.leds, 3), np.float32)
        self._paths = lane_paths(layout)

    def lane_position(self, hole: float) -> float:
        """Convert a hole of the game to a position on the LED lanes, which may have another number of holes.

        Position 0 is the start pocket, `layout.holes` + 1 the finish pocket; a hole beyond the game's track gives one
        of these. A fractional hole is interpolated between its two neighbours.
        """
        below = int(hole // 1)
        first = self.layout.lane_index(below, self.game_holes)
        return first + (hole - below) * (self.layout.lane_index(below + 1, self.game_holes) - first)

    def path(self, peg: int) -> LanePath:
        """Return the LEDs of a peg's lane, by the index of the peg in seat order."""
        return self._paths[peg % len(self._paths)]

    def hole(self, peg: int, hole: float) -> tuple[int, ...]:
        """Return the LEDs of a hole of the game in a peg's lane; `peg` is its index in seat order."""
        return self.layout.lane_of(peg)[round(self.lane_position(hole))]

    def add(self, leds: Iterable[int], colour: Colour, level: float) -> None:
        """Raise each channel of some LEDs to at least the colour times the level (0 to 1); brighter ones stay."""
        index = list(leds)
        self.look[index] = np.maximum(self.look[index], np.asarray(colour, np.float32) * np.float32(level))

    def cover(self, leds: Iterable[int], colour: Colour, level: float) -> None:
        """Set LEDs to the colour times the level (0 to 1), whatever was there."""
        self.look[list(leds)] = np.asarray(colour, np.float32) * np.float32(level)

    def along(self, path: LanePath, levels: Levels, colour: Colour) -> None:
        """Brighten each LED of a lane to at least the colour times its own level."""
        light = levels[:, None] * np.asarray(colour, np.float32)
        self.look[path.leds] = np.maximum(self.look[path.leds], light)

    def pockets(self, peg: int) -> tuple[int, ...]:
        """Return the LEDs of the start and finish pockets of a peg's lane, by the index of the peg in seat order."""
        lane = self.layout.lane_of(peg)
        return lane[0] + lane[-1]


def glow(path: LanePath, centre: float, reach: float) -> Levels:
    """Return the brightness of each LED of a lane for a soft spot of light: 1 at `centre`, smoothly falling to 0.

    `centre` is a position, in holes of the lane. `reach` is the distance at which the light ends, in holes, above 0.
    """
    near = np.clip(1.0 - np.abs(path.steps - np.float32(centre)) / np.float32(reach), 0.0, 1.0)
    return np.asarray(near * near * (3 - 2 * near), np.float32)


def comet(path: LanePath, head: float, tail: float) -> Levels:
    """Return the brightness of each LED of a lane for a light with a fading tail: 1 at the head, 0 at the tail's end.

    `head` is a position in holes of the lane; LEDs up to half a hole beyond it, away from the tail, are lit fully too.
    `tail` is the length behind it, in holes, over which the light fades linearly; negative for one ahead, never 0.
    """
    behind = (np.float32(head) - path.steps) * np.float32(np.sign(tail))
    fade = np.clip(1.0 - behind / np.float32(abs(tail)), 0.0, 1.0)
    return np.asarray(np.where(behind >= -0.5, fade, 0.0), np.float32)


def stretch(path: LanePath, first: float, last: float) -> Levels:
    """Return the brightness of each LED of a lane for a lit stretch: 1 between two positions, 0 well outside.

    The light falls to 0 from 1/4 to 3/4 of a hole beyond each end. `first` and `last` are in holes, in any order.
    """
    low, high = min(first, last), max(first, last)
    inside = np.minimum(path.steps - np.float32(low), np.float32(high) - path.steps)
    return np.asarray(np.clip(2 * inside + 1.5, 0.0, 1.0), np.float32)
