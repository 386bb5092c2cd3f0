"""Solvers of Crapola, run by `make solve`: throw offers, turn values, bank distributions and the race for two."""

from __future__ import annotations

import struct
from collections.abc import Generator, Mapping
from functools import partial

import numpy as np

from companion.games.advice.stored import Solver
from companion.games.crapola.odds import race
from companion.games.crapola.odds.offers import OFFERS, offers
from companion.games.crapola.odds.turn_value import STORED, TURNS, evaluate


def offer_table() -> Generator[float, None, bytes]:
    """Compute the table of keep offers for 1 to 7 dice, as `offers.offers_table` reads it: little-endian uint32."""
    yield 0.0
    numbers = []
    for dice in range(1, 8):
        for offer, ways in sorted(offers(dice).items()):
            numbers += [dice, ways, len(offer), *(number for keep in offer for number in keep)]
    return struct.pack(f"<{len(numbers)}I", *numbers)


def turn_table(size: int, least: int) -> Generator[float, None, bytes]:
    """Compute the table of turn values for `size` dice and a least bank of `least` points.

    Little-endian float64, by points, then by number of dice from 1.
    """
    yield 0.0
    values = evaluate(size, least)
    return struct.pack(f"<{len(values)}d", *values)


def bank_table() -> Generator[float, None, bytes]:
    """Compute the bank distribution `race.played` for each of `race.ENTRIES`, as little-endian float64."""
    yield 0.0
    return np.array([race.played(least) for least in race.ENTRIES]).astype("<f8").tobytes()


def race_table() -> Generator[float, None, bytes]:
    """Compute the table of the race for two: win probabilities of `race.solved` below the target.

    In units of `race.UNIT`, as little-endian uint16.
    """
    yield 0.0
    return np.rint(race.solved(race.played(0))[1:, 1:] / race.UNIT).astype("<u2").tobytes()


TABLES: Mapping[str, Solver] = {
    OFFERS: offer_table,
    **{TURNS.format(size, least): partial(turn_table, size, least) for size, least in STORED},
    race.TURNS: bank_table,
    race.TABLE: race_table,
}
"""Solver of each stored table, by file name."""
