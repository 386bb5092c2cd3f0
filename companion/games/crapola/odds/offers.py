"""Offers of throws of Crapola: an offer is all the keeps that a throw lets the player choose from."""

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
"""Name of the file with the offers of all throws."""
Keeps = tuple[tuple[int, int], ...]  # for each number of dice that can be left over: that number, the most points


@cache
def offers_of(dice: int) -> tuple[tuple[Keeps, float], ...]:
    """Return every offer of a throw of `dice` dice with its probability; crap-outs are left out. Cached.

    An offer is a tuple of pairs, one for each number of dice that may be left over: that number, and the most points of
    a keep that leaves so many.
    """
    return tuple((offer, ways / 6**dice) for offer, ways in offers_table()[dice])


@cache
def offers_table() -> Mapping[int, list[tuple[Keeps, int]]]:
    """Read the stored offers: by number of dice thrown, each with its number of permutations of the dice. Cached.

    Each offer in the file is the number of dice, the permutations, the number of keeps, and for each keep the dice left
    over and the points. Offers are in ascending order.
    """
    numbers = iter(whole_numbers(__package__, OFFERS))
    found = defaultdict[int, list[tuple[Keeps, int]]](list)
    for dice in numbers:
        ways, keeps = next(numbers), next(numbers)
        found[dice].append((tuple((next(numbers), next(numbers)) for _ in range(keeps)), ways))
    return found


def offers(dice: int) -> dict[Keeps, int]:
    """Return every offer of a throw of `dice` dice with its number of permutations of the dice; crap-outs are left out.

    An offer is as `offers_of` returns it.
    """
    found: Counter[Keeps] = Counter()
    for thrown, ways in throws_of(dice):
        by_points = sorted(keepable(thrown).items(), key=itemgetter(1))
        most = {dice - len(kept): points for kept, points in by_points}  # the last of as many is the best
        if most:
            found[tuple(sorted(most.items()))] += ways
    return found
