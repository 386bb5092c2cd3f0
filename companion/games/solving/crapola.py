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
    """Compute the stored table of offers: what throws of one to seven dice let a player of Crapola keep.

    An offer lists each number of dice that can be left over, with the most points of a keep that leaves so many. For
    each number of dice thrown, the table holds each offer once, with the number of ordered throws that give it.
    Crap-outs are left out.

    Yields the progress once: 0, before the work. Returns the table as little-endian uint32, as `offers.offers_table`
    reads it.
    """
    yield 0.0
    numbers = []
    for dice in range(1, 8):
        for offer, ways in sorted(offers(dice).items()):
            numbers += [dice, ways, len(offer), *(number for keep in offer for number in keep)]
    return struct.pack(f"<{len(numbers)}I", *numbers)


def turn_table(size: int, least: int) -> Generator[float, None, bytes]:
    """Compute the stored table of the points that a turn of Crapola is expected to bank with best play.

    Yields the progress 0 once. Returns the values before each throw as little-endian float64, row by row. A row stands
    for the turn points so far: 0, 50 and so on, up to just below the greater of SURE_STOP_POINTS and `least`. A column
    stands for the number of dice thrown, 1 to `size`.

    Args:
        size: Dice of the turn, 6 or 7.
        least: Turn points below which a stop is not allowed.
    """
    yield 0.0
    values = evaluate(size, least)
    return struct.pack(f"<{len(values)}d", *values)


def race_table() -> Generator[float, None, bytes]:
    """Compute the file of win probabilities of two players of Crapola who both play every turn to win.

    Yields the progress, 0 to 1. Returns little-endian uint32, in units of `race.UNIT` and the order of `race.TABLE`.
    """
    for values, start, share in solved():
        found = np.append(values, start)
        yield share
    return np.rint(found / race.UNIT).astype("<u4").tobytes()


TABLES: Mapping[str, Solver] = {
    OFFERS: offer_table,
    **{TURNS.format(size, least): partial(turn_table, size, least) for size, least in STORED},
    race.TABLE: race_table,
}
"""Function that computes each stored table of Crapola, by file name."""
