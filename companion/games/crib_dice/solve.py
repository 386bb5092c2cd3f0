"""Crib Dice solved: what a throw of seven is worth in turn points, and the game between two (`make solve`)."""

from __future__ import annotations

import math
import struct
from collections.abc import Generator, Mapping
from functools import partial

import numpy as np

from companion.games.crib_dice import duel
from companion.games.crib_dice.odds import RICH, TURNS, TurnWorth
from companion.games.crib_dice.solve_duel import RESIDUAL, Duel, solved
from companion.games.stored import Working


def turn_table() -> Generator[float, None, bytes]:
    """A throw of seven in turn points, without and with `piddle_points`, by what is gathered; little-endian float64."""
    yield 0.0
    turn_values = (TurnWorth(False), TurnWorth(True))
    turns = [worth.fresh(gathered) for worth in turn_values for gathered in range(RICH)]
    return struct.pack(f"<{len(turns)}d", *turns)


def duel_table(piddle_points: bool) -> Generator[float, None, bytes]:
    """The game between two.

    By `duel.place`, then the chances of a last turn by the gap, in units of `duel.UNIT`, little-endian uint32.
    """
    game = Duel(piddle_points)
    for found, residual in solved(game):
        values = found
        yield min(1.0, math.log(residual) / math.log(RESIDUAL))
    in_units = np.rint(np.concatenate([values.reshape(-1), game.last]) / duel.UNIT)
    return np.minimum(in_units, 2**32 - 1).astype("<u4").tobytes()


TABLES: Mapping[str, Working] = {
    **{duel.table_of(piddle_points): partial(duel_table, piddle_points) for piddle_points in (False, True)},
    TURNS: turn_table,
}
