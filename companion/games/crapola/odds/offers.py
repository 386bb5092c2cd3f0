"""Offers of throws of Crapola: an offer is all the keeps that a throw lets the player choose from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from operator import itemgetter

from companion.games.advice.stored import numbers
from companion.games.crapola.scoring import keepable
from companion.games.engine.dice import throws_of

STEP = 50
"""Points of one step, the unit of the tables: every score of Crapola is a multiple of it. Fixed by the rules."""
OFFERS = "offers.u4"
"""Name of the file with the offers of all Crapola throws. An offer holds, for each number of dice that can be left
over, the most points of a keep."""
Offer = tuple[tuple[int, int], ...]
"""An offer: for each number of dice that can be left over, that number and the most points of a keep that leaves it."""


@cache
def offers_of(dice: int) -> tuple[tuple[Offer, float], ...]:
    """Return each offer that a Crapola throw of `dice` dice can make, paired with the offer's probability. Cached.

    An offer is all that a throw lets the player keep. It has a pair for each number of dice that can be left over:
    this number, and the most points of a keep that leaves it. A crap-out makes no offer, so the probabilities add
    up to 1 minus the chance of a crap-out. Raises RulesError if the stored table is missing.
    """
    return tuple((offer, ways / 6**dice) for offer, ways in offers_table()[dice])


@cache
def offers_table() -> Mapping[int, list[tuple[Offer, int]]]:
    """Read the stored offers of Crapola, by number of dice thrown: pairs (offer, number of ordered throws).

    An offer is what a throw lets the player keep. It has a pair for each possible number of dice left over: that
    number, and the most points of a keep that leaves it. The file is a sequence of numbers. For each offer it holds the
    number of dice thrown, of ordered throws and of pairs, then the pairs. The result is cached. Raises RulesError if
    the file is missing.
    """
    stored = iter(numbers(__package__, OFFERS))
    found = defaultdict[int, list[tuple[Offer, int]]](list)
    for dice in stored:
        ways, keeps = next(stored), next(stored)
        found[dice].append((tuple((next(stored), next(stored)) for _ in range(keeps)), ways))
    return found


def offers(dice: int) -> dict[Offer, int]:
    """Compute every offer of a Crapola throw of `dice` dice, and how many ordered throws give it.

    An offer is all that a throw lets the player keep: a tuple of pairs, ascending. Each pair has a number of dice that
    can be left over, and the most points of a keep that leaves this number. Crap-outs have no offer.
    """
    found: Counter[Offer] = Counter()
    for thrown, ways in throws_of(dice):
        by_points = sorted(keepable(thrown).items(), key=itemgetter(1))
        most = {dice - len(kept): points for kept, points in by_points}  # the last of as many is the best
        if most:
            found[tuple(sorted(most.items()))] += ways
    return found
