"""A frame in the making: light put on holes and stretches of the track, whatever the layout."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hardware.palette import Colour
from hardware.track import Layout

Levels = NDArray[np.float32]


class Way:
    """A lane's LEDs in the order of travel, and where along the lane each of them is.

    Attributes:
        leds: (n,) indexes into the strip.
        steps: (n,) float: the lane's hole of each LED; LEDs of one hole share it out, half a hole to either side.
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
    """The ways of all lanes; worked out once for a layout."""
    return tuple(Way(layout, lane) for lane in range(len(layout.lanes)))


class Canvas:
    """Light as it looks, (leds, 3) float from 0 to 1; what is put on it never makes it darker, but for `cover`."""

    def __init__(self, layout: Layout, game_holes: int) -> None:
        self.layout = layout
        self.game_holes = game_holes
        self.look = np.zeros((layout.leds, 3), np.float32)
        self._ways = ways(layout)

    def step(self, hole: float) -> float:
        """Where a hole of the game is on a lane, in the lane's own holes; between two of them while a peg moves."""
        below = int(hole // 1)
        first = self.layout.place(below, self.game_holes)
        return first + (hole - below) * (self.layout.place(below + 1, self.game_holes) - first)

    def way(self, peg: int) -> Way:
        """The way of a peg, by its index in seat order."""
        return self._ways[peg % len(self._ways)]

    def hole(self, peg: int, hole: float) -> tuple[int, ...]:
        """The LEDs of a peg's hole."""
        return self.layout.lane_of(peg)[round(self.step(hole))]

    def add(self, leds: Iterable[int], colour: Colour, level: float) -> None:
        """Light these LEDs at least so bright."""
        index = list(leds)
        self.look[index] = np.maximum(self.look[index], np.asarray(colour, np.float32) * np.float32(level))

    def cover(self, leds: Iterable[int], colour: Colour, level: float) -> None:
        """Light these LEDs so, whatever was there."""
        self.look[list(leds)] = np.asarray(colour, np.float32) * np.float32(level)

    def along(self, way: Way, levels: Levels, colour: Colour) -> None:
        """Light a way, one level for each of its LEDs, at least so bright."""
        light = levels[:, None] * np.asarray(colour, np.float32)
        self.look[way.leds] = np.maximum(self.look[way.leds], light)

    def pockets(self, peg: int) -> tuple[int, ...]:
        """The LEDs of both pockets of a peg's lane."""
        lane = self.layout.lane_of(peg)
        return lane[0] + lane[-1]


def glow(way: Way, centre: float, reach: float) -> Levels:
    """A soft spot: 1 at its centre, 0 from `reach` holes on."""
    near = np.clip(1.0 - np.abs(way.steps - np.float32(centre)) / np.float32(reach), 0.0, 1.0)
    return np.asarray(near * near * (3 - 2 * near), np.float32)


def comet(way: Way, head: float, tail: float) -> Levels:
    """A head with a tail behind it (before it, for a negative one) that fades over so many holes."""
    behind = (np.float32(head) - way.steps) * np.float32(np.sign(tail))
    fade = np.clip(1.0 - behind / np.float32(abs(tail)), 0.0, 1.0)
    return np.asarray(np.where(behind >= -0.5, fade, 0.0), np.float32)


def stretch(way: Way, first: float, last: float) -> Levels:
    """1 from one place to the other, both included, 0 elsewhere; the ends fall off over half a hole."""
    low, high = min(first, last), max(first, last)
    inside = np.minimum(way.steps - np.float32(low), np.float32(high) - way.steps)
    return np.asarray(np.clip(2 * inside + 1.5, 0.0, 1.0), np.float32)
