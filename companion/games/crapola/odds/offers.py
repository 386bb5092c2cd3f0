"""Offers of each throw of Crapola: the choices of dice to keep, and their probability."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from operator import itemgetter

from companion.games.advice.stored import whole_numbers
from companion.games.crapola.scoring import keepable
from companion.games.engine.dice import throws_of

STEP = 50
"""Points of one step: every score is a multiple of it."""
OFFERS = "offers.u4"
"""File of the stored offers."""
Keeps = tuple[tuple[int, int], ...]  # for each number of dice that can be left over: that number, the most points


@cache
def offers_of(dice: int) -> tuple[tuple[Keeps, float], ...]:
    """Return each offer of keeps that a throw of `dice` dice can make, with its probability. Crap-outs are left out.

    An offer lists the dice that may be left over, each with the most points. Cached.
    """
    return tuple((offer, ways / 6**dice) for offer, ways in offers_table()[dice])


@cache
def offers_table() -> Mapping[int, list[tuple[Keeps, int]]]:
    """Read the stored offers, by number of dice thrown, each with its number of permutations. Cached.

    A row of the table holds the dice, the permutations and the number of keeps. Then follow the dice left over and the
    points of each keep. Rows are ascending.
    """
    numbers = iter(whole_numbers(__package__, OFFERS))
    found = defaultdict[int, list[tuple[Keeps, int]]](list)
    for dice in numbers:
        ways, keeps = next(numbers), next(numbers)
        found[dice].append((tuple((next(numbers), next(numbers)) for _ in range(keeps)), ways))
    return found


def offers(dice: int) -> dict[Keeps, int]:
    """Count how often each offer of keeps occurs among all permutations of `dice` dice; crap-outs are left out."""
    found: Counter[Keeps] = Counter()
    for thrown, ways in throws_of(dice):
        by_points = sorted(keepable(thrown).items(), key=itemgetter(1))
        most = {dice - len(kept): points for kept, points in by_points}  # the last of as many is the best
        if most:
            found[tuple(sorted(most.items()))] += ways
    return found
