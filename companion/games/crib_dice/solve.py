"""Crib Dice solved: what a throw of seven is worth in turn points, for what the turn has gathered. `make solve`."""

from __future__ import annotations

import struct

from companion.games.crib_dice.odds import RICH, TURNS, TurnWorth


def tables() -> dict[str, bytes]:
    """The stored tables: `TURNS` without and with `piddle_points`, by points gathered, little-endian float64."""
    worths = (TurnWorth(False), TurnWorth(True))
    turns = [worth.fresh(gathered) for worth in worths for gathered in range(RICH)]
    return {TURNS: struct.pack(f"<{len(turns)}d", *turns)}
