"""The scoring chart of Crapola: what dice of one throw score, and which of them may be kept.

Rules: docs/reference/rules.md, "Crapola". Every kept die must be part of a combination; the best partition counts.
After changing the chart run `make solve`: the stored tables follow from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

from companion.games.engine.dice import FACES, in_order, subsets, without

STRAIGHT = (1, 2, 3, 4, 5, 6)
"""The six dice of the straight, which score 1000 points. Fixed by the rules."""


def points_of(dice: tuple[int, ...]) -> int | None:
    """Return the most points that dice of one throw score together, each die being used in one combination.

    Return None without dice, or if they can't be split into combinations so that every die scores. At most seven dice,
    in any order.

    >>> points_of((1, 1, 1, 5)), points_of((2, 3))
    (1050, None)
    """
    return _best(in_order(dice)) if dice else None


@cache
def keepable(dice: tuple[int, ...]) -> Mapping[tuple[int, ...], int]:
    """Return the points of each set of dice that may be kept from a throw, by the dice in ascending order. Cached.

    Empty for a crap-out. `dice` are the throw, ascending.
    """
    points = {taken: points_of(taken) for taken in subsets(dice)}
    return MappingProxyType({taken: worth for taken, worth in points.items() if worth is not None})


@cache
def _best(dice: tuple[int, ...]) -> int | None:
    """Return the most points of Crapola that ascending dice can score with every die used; None if they can't.

    Without dice it is 0. Results are cached.
    """
    if not dice:
        return 0
    totals = []
    # The lowest die must be in some combination; trying those that hold it is enough.
    for taken, points in _combinations(dice):
        left = without(dice, taken)
        rest = None if left is None else _best(left)
        if rest is not None:
            totals.append(points + rest)
    return max(totals, default=None)


def _combinations(dice: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the scoring combinations that may use the lowest of the dice, each as ascending values with its points.

    `dice` are ascending, at least one. The straight and three pairs are yielded even if some of the values they need
    are not in `dice`: the caller checks that.
    """
    low = dice[0]
    if low in {1, 5}:
        yield (low,), 100 if low == 1 else 50
    for count in range(3, dice.count(low) + 1):
        yield (low,) * count, (count - 2) * (1000 if low == 1 else 100 * low)
    yield STRAIGHT, 1000
    yield from ((pairs, 500) for pairs in _three_pairs() if low in pairs)


@cache
def _three_pairs() -> tuple[tuple[int, ...], ...]:
    """Return all sets of three pairs, ascending. Four of a kind count as two pairs, six of a kind as three."""
    return tuple((a, a, b, b, c, c) for a in FACES for b in FACES for c in FACES if a <= b <= c)
