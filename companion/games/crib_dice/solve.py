"""Crib Dice solved: what a throw of seven is worth in turn points, and the game between two (`make solve`)."""

from __future__ import annotations

import struct
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from companion.games.crib_dice import duel
from companion.games.crib_dice.odds import RICH, TURNS, TurnWorth
from companion.games.crib_dice.solve_duel import Duel, solved


def tables() -> dict[str, bytes]:
    """The stored tables.

    `odds.TURNS`: without and with `piddle_points`, by points gathered, little-endian float64. `duel.table_of`, one for
    each: by `duel.place`, then the chances of a last turn by the gap, in units of `duel.UNIT`, little-endian uint32.
    """
    return {
        TURNS: turn_table(),
        **{duel.table_of(piddle_points): duel_table(piddle_points) for piddle_points in (False, True)},
    }


def turn_table() -> bytes:
    """A throw of seven in turn points."""
    turn_values = (TurnWorth(False), TurnWorth(True))
    turns = [worth.fresh(gathered) for worth in turn_values for gathered in range(RICH)]
    return struct.pack(f"<{len(turns)}d", *turns)


def duel_table(piddle_points: bool) -> bytes:
    """The game between two, solved on all cores."""
    game = Duel(piddle_points)
    with ProcessPoolExecutor() as pool:
        for found, _ in solved(game, pool.map):
            values = found
    in_units = np.rint(np.concatenate([values.reshape(-1), game.last]) / duel.UNIT)
    return np.minimum(in_units, 2**32 - 1).astype("<u4").tobytes()
