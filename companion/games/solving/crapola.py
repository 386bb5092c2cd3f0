"""Solvers of Crapola, run by `make solve`: throw offers, turn values and the race for two."""

from __future__ import annotations

import struct
from collections.abc import Generator, Mapping
from functools import partial

import numpy as np

from companion.games.advice.stored import Solver
from companion.games.crapola.odds import race
from companion.games.crapola.odds.offers import OFFERS, offers
from companion.games.crapola.odds.turn_value import STORED, TURNS, evaluate
from companion.games.solving.crapola_race import solved


def offer_table() -> Generator[float, None, bytes]:
    """Write the offers of every number of dice, in the form that `offers.offers_table` reads: little-endian uint32."""
    yield 0.0
    numbers = []
    for dice in range(1, 8):
        for offer, ways in sorted(offers(dice).items()):
            numbers += [dice, ways, len(offer), *(number for keep in offer for number in keep)]
    return struct.pack(f"<{len(numbers)}I", *numbers)


def turn_table(size: int, least: int) -> Generator[float, None, bytes]:
    """Solve the turn values of `size` dice and a first bank of `least` points.

    Little-endian float64, by points, then by number of dice from 1.
    """
    yield 0.0
    values = evaluate(size, least)
    return struct.pack(f"<{len(values)}d", *values)


def race_table() -> Generator[float, None, bytes]:
    """Solve the race for two and return its win probabilities, in units of `race.UNIT`, as little-endian uint32."""
    for values, start, share in solved():
        found = np.append(values, start)
        yield share
    return np.rint(found / race.UNIT).astype("<u4").tobytes()


TABLES: Mapping[str, Solver] = {
    OFFERS: offer_table,
    **{TURNS.format(size, least): partial(turn_table, size, least) for size, least in STORED},
    race.TABLE: race_table,
}
"""Solver of each stored table, by file name."""
