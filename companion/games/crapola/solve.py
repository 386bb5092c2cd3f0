"""Crapola solved: what a throw is worth in turn points, for the points so far and the dice thrown. `make solve`."""

from __future__ import annotations

import struct

from companion.games.crapola import race
from companion.games.crapola.odds import RICH, STEP, STORED, TURNS, TurnWorth


def tables() -> dict[str, bytes]:
    """For each of `STORED` a table by points and then by dice from 1, little-endian float64; and those of `race`."""
    turns = {TURNS.format(size, least): _table(TurnWorth(size, least)) for size, least in STORED}
    return {**turns, **race.tables()}


def _table(worth: TurnWorth) -> bytes:
    values = [worth.thrown(points, dice) for points in range(0, RICH, STEP) for dice in range(1, worth.size + 1)]
    return struct.pack(f"<{len(values)}d", *values)
