"""The board as the pages draw it: its newest frame, and where each LED is."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

from hardware.board import Board, BoardFrame
from hardware.track import Layout


class BoardOnPage:
    """The board as the page draws it: its newest frame, and where each LED is."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def latest(self) -> BoardFrame:
        """The newest frame."""
        return self._board.latest()

    def spots(self) -> Sequence[tuple[float, float]]:
        """Where each LED is, in hole spacings."""
        return spots(self._board.layout)


@lru_cache(maxsize=2)
def spots(layout: Layout) -> tuple[tuple[float, float], ...]:
    """Places of the LEDs with the distance of two neighbours on the strip as the unit."""
    places = layout.places_mm
    steps = [distance for a, b in itertools.pairwise(places) if (distance := math.dist(a, b)) > 0]
    unit_mm = min(steps, default=1.0)
    return tuple((x / unit_mm, y / unit_mm) for x, y in places)
