"""Crib Dice solved: what a throw of seven is worth in turn points, and the game between two (`make solve`)."""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from collections.abc import Generator, Mapping
from functools import partial
from typing import TypeVar

import numpy as np

from companion.games.advice.stored import Working
from companion.games.crib_dice.odds import two_sides as duel
from companion.games.crib_dice.odds.race import BANKS
from companion.games.crib_dice.odds.turn_value import (
    RICH,
    TURNS,
    TurnValues,
    first_throws,
    piddle_ends,
    roll_ends,
    turn_values,
)
from companion.games.crib_dice.scoring import set_score
from companion.games.solving.crib_dice_duel import RESIDUAL, Duel, solved

T = TypeVar("T")
Chances = defaultdict[T, float]
NEGLIGIBLE = 1e-10  # chances below this are left out of `BANKS`: what is told is right to eight digits


def turn_table() -> Generator[float, None, bytes]:
    """A throw of seven in turn points, without and with `piddle_points`, by what is gathered; little-endian float64."""
    yield 0.0
    turn_values = (TurnValues(False), TurnValues(True))
    turns = [worth.fresh(gathered) for worth in turn_values for gathered in range(RICH)]
    return struct.pack(f"<{len(turns)}d", *turns)


def banks_table() -> Generator[float, None, bytes]:
    """What turns played for their points bank how often, without and with `piddle_points`; little-endian float64."""
    yield 0.0
    without, with_points = banks(False), banks(True)
    without += (0.0,) * (len(with_points) - len(without))
    return struct.pack(f"<{2 * len(with_points)}d", *without, *with_points)


def banks(piddle_points: bool) -> tuple[float, ...]:
    """The chance that a turn played for the most turn points banks 0, 1, 2, ...; what is missing to 1 wipes out."""
    worth = turn_values(piddle_points)
    fresh, banked = Chances[int](float, {0: 1.0}), Chances[int](float)
    while fresh:
        gathered = min(fresh)
        chance = fresh.pop(gathered)
        if chance > NEGLIGIBLE:
            _play_on(worth, piddle_points, gathered, chance, fresh, banked)
    return tuple(banked[points] for points in range(max(banked) + 1))


def _play_on(
    worth: TurnValues,
    piddle_points: bool,
    gathered: int,
    chance: float,
    fresh: Chances[int],
    banked: Chances[int],
) -> None:
    """From a throw of seven on to the stop, the wipe-out or the next throw of seven."""
    held = Chances[tuple[int, int]](float)
    for offer, share in first_throws():
        held[max(offer, key=lambda one: worth.held(gathered, *one))] += chance * share
    while held:
        frozen, point = min(held)
        chance = held.pop((frozen, point))
        stop = gathered + set_score(frozen, point)
        if frozen == 7:
            fresh[stop] += chance
        elif worth.thrown(gathered, frozen, point) <= stop:
            banked[stop] += chance
        elif frozen >= 5:
            for hits, share in piddle_ends(piddle_points):
                fresh[gathered + set_score(min(7, frozen + hits), point)] += chance * share
        else:
            for hits, share in roll_ends(frozen, point):
                held[frozen + hits, point] += chance * share


def duel_table(piddle_points: bool) -> Generator[float, None, bytes]:
    """The game between two.

    By `duel.place`, then the chances of a last turn by the gap, in units of `duel.UNIT`, little-endian uint32.
    """
    game = Duel(piddle_points)
    for found, residual in solved(game):
        values = found
        yield min(1.0, math.log(residual) / math.log(RESIDUAL))
    in_units = np.rint(np.concatenate([values.ravel(), game.last]) / duel.UNIT)
    return np.minimum(in_units, 2**32 - 1).astype("<u4").tobytes()


TABLES: Mapping[str, Working] = {
    **{duel.table_of(piddle_points): partial(duel_table, piddle_points) for piddle_points in (False, True)},
    TURNS: turn_table,
    BANKS: banks_table,
}
