"""Crapola solved: what throws bring in turn points, how turns played for them end, and the race between two.

`make solve`.
"""

from __future__ import annotations

import struct
from collections.abc import Generator, Mapping
from functools import partial

import numpy as np

from companion.games.advice.stored import Working
from companion.games.crapola.odds import race
from companion.games.crapola.odds.offers import OFFERS, offers
from companion.games.crapola.odds.turn_value import STORED, TURNS, evaluate


def offer_table() -> Generator[float, None, bytes]:
    """Write the offers of every number of dice, in the form that `offers.offers_table` reads: little-endian uint32."""
    yield 0.0
    numbers = []
    for dice in range(1, 8):
        for offer, ways in sorted(offers(dice).items()):
            numbers += [dice, ways, len(offer), *(number for keep in offer for number in keep)]
    return struct.pack(f"<{len(numbers)}I", *numbers)


def turn_table(size: int, least: int) -> Generator[float, None, bytes]:
    """By points and then by dice from 1, little-endian float64."""
    yield 0.0
    values = evaluate(size, least)
    return struct.pack(f"<{len(values)}d", *values)


def bank_table() -> Generator[float, None, bytes]:
    """`race.played` for each of `race.ENTRIES`, little-endian float64."""
    yield 0.0
    return np.array([race.played(least) for least in race.ENTRIES]).astype("<f8").tobytes()


def race_table() -> Generator[float, None, bytes]:
    """`race.solved` without the target itself, in units of `race.UNIT`, little-endian uint16."""
    yield 0.0
    return np.rint(race.solved(race.played(0))[1:, 1:] / race.UNIT).astype("<u2").tobytes()


TABLES: Mapping[str, Working] = {
    OFFERS: offer_table,
    **{TURNS.format(size, least): partial(turn_table, size, least) for size, least in STORED},
    race.TURNS: bank_table,
    race.TABLE: race_table,
}
