"""A frame under construction: light is added to holes and stretches of the track, for any layout."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hardware.palette import Colour
from hardware.track import Layout

Levels = NDArray[np.float32]
"""(n,) float32 from 0 to 1, one level for each LED of a way."""


class Way:
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
def ways(layout: Layout) -> tuple[Way, ...]:
    """Return the LEDs of each lane in the order of travel; cached for each layout."""
    return tuple(Way(layout, lane) for lane in range(len(layout.lanes)))


class Canvas:
    """A frame of perceived light that is drawn on. Everything but `cover` can only brighten it.

    Attributes:
        layout: Where the LEDs are.
        game_holes: Holes of the game's track, which may differ from the layout's.
        look: (leds, 3) float32 from 0 to 1, perceived brightness of red, green and blue.
    """

    def __init__(self, layout: Layout, game_holes: int) -> None:
        self.layout = layout
        self.game_holes = game_holes
        self.look = np.zeros((layout.leds, 3), np.float32)
        self._ways = ways(layout)

    def step(self, hole: float) -> float:
        """Convert a position in holes of the game to holes of the lane; fractions lie between two holes."""
        below = int(hole // 1)
        first = self.layout.place(below, self.game_holes)
        return first + (hole - below) * (self.layout.place(below + 1, self.game_holes) - first)

    def way(self, peg: int) -> Way:
        """Return the LEDs of a peg's lane, by the index of the peg in seat order."""
        return self._ways[peg % len(self._ways)]

    def hole(self, peg: int, hole: float) -> tuple[int, ...]:
        """Return the LEDs of a hole of the game in a peg's lane."""
        return self.layout.lane_of(peg)[round(self.step(hole))]

    def add(self, leds: Iterable[int], colour: Colour, level: float) -> None:
        """Brighten LEDs to at least the colour times the level (0 to 1)."""
        index = list(leds)
        self.look[index] = np.maximum(self.look[index], np.asarray(colour, np.float32) * np.float32(level))

    def cover(self, leds: Iterable[int], colour: Colour, level: float) -> None:
        """Set LEDs to the colour times the level (0 to 1), whatever was there."""
        self.look[list(leds)] = np.asarray(colour, np.float32) * np.float32(level)

    def along(self, way: Way, levels: Levels, colour: Colour) -> None:
        """Brighten a way to at least the colour times a level for each of its LEDs."""
        light = levels[:, None] * np.asarray(colour, np.float32)
        self.look[way.leds] = np.maximum(self.look[way.leds], light)

    def pockets(self, peg: int) -> tuple[int, ...]:
        """Return the LEDs of the start and finish pockets of a peg's lane."""
        lane = self.layout.lane_of(peg)
        return lane[0] + lane[-1]


def glow(way: Way, centre: float, reach: float) -> Levels:
    """Return levels of a soft spot: 1 at `centre`, 0 from `reach` holes away, smoothstep between."""
    near = np.clip(1.0 - np.abs(way.steps - np.float32(centre)) / np.float32(reach), 0.0, 1.0)
    return np.asarray(near * near * (3 - 2 * near), np.float32)


def comet(way: Way, head: float, tail: float) -> Levels:
    """Return levels of a comet: 1 at `head`, fading over `tail` holes behind it (ahead, when `tail` is negative)."""
    behind = (np.float32(head) - way.steps) * np.float32(np.sign(tail))
    fade = np.clip(1.0 - behind / np.float32(abs(tail)), 0.0, 1.0)
    return np.asarray(np.where(behind >= -0.5, fade, 0.0), np.float32)


def stretch(way: Way, first: float, last: float) -> Levels:
    """Return levels that are 1 between two positions, both included, and fall to 0 within half a hole beyond."""
    low, high = min(first, last), max(first, last)
    inside = np.minimum(way.steps - np.float32(low), np.float32(high) - way.steps)
    return np.asarray(np.clip(2 * inside + 1.5, 0.0, 1.0), np.float32)
