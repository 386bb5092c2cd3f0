"""What dice of one throw score in Crapola, and which of them may be kept.

Rules: docs/reference/rules.md, "Crapola". Every kept die must be part of a combination; the best partition counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

from companion.games.engine.dice import FACES, handfuls, in_order, without

STRAIGHT = (1, 2, 3, 4, 5, 6)


def points_of(dice: tuple[int, ...]) -> int | None:
    """The best partition of dice kept from one throw; None when some die takes part in no combination, or none is kept.

    Dice may come in any order; up to seven.

    >>> points_of((1, 1, 1, 5)), points_of((2, 3))
    (1050, None)
    """
    return _best(in_order(dice)) if dice else None


@cache
def keepable(dice: tuple[int, ...]) -> Mapping[tuple[int, ...], int]:
    """Every choice of dice that may be kept of a throw (ascending), and its points; empty for a crap-out."""
    points = {taken: points_of(taken) for taken in handfuls(dice)}
    return MappingProxyType({taken: worth for taken, worth in points.items() if worth is not None})


@cache
def _best(dice: tuple[int, ...]) -> int | None:
    """As `points_of`, of dice in order; no dice are worth nothing."""
    if not dice:
        return 0
    totals = []
    # The lowest die must be in some combination, so only those that hold it are tried.
    for taken, points in _combinations(dice):
        left = without(dice, taken)
        rest = None if left is None else _best(left)
        if rest is not None:
            totals.append(points + rest)
    return max(totals, default=None)


def _combinations(dice: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Combinations that may hold the lowest of these dice, and their points; not all of them lie there."""
    low = dice[0]
    if low in {1, 5}:
        yield (low,), 100 if low == 1 else 50
    for count in range(3, dice.count(low) + 1):
        yield (low,) * count, (count - 2) * (1000 if low == 1 else 100 * low)
    yield STRAIGHT, 1000
    yield from ((pairs, 500) for pairs in _three_pairs() if low in pairs)


@cache
def _three_pairs() -> tuple[tuple[int, ...], ...]:
    """All that count as three pairs, ascending: four alike are two of them, six alike three."""
    return tuple((a, a, b, b, c, c) for a in FACES for b in FACES for c in FACES if a <= b <= c)
