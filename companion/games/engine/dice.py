"""Values of dice that were thrown together: how many show what, and whether some lie among others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
from math import factorial, prod

FACES = (1, 2, 3, 4, 5, 6)


def in_order(dice: Sequence[int]) -> tuple[int, ...]:
    """The same dice, ascending: the order in which they were seen says nothing."""
    return tuple(sorted(dice))


def without(dice: Sequence[int], taken: Sequence[int]) -> tuple[int, ...] | None:
    """What is left, ascending, when those are taken from these; None when they don't all lie among them.

    >>> without((6, 1, 6), (6,))
    (1, 6)
    """
    left = list(dice)
    for die in taken:
        if die not in left:
            return None
        left.remove(die)
    return in_order(left)


@lru_cache(maxsize=4096)
def handfuls(dice: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every different choice among these dice, from none to all: each ascending, smaller ones first."""
    ascending = in_order(dice)
    return tuple(dict.fromkeys(taken for size in range(len(dice) + 1) for taken in combinations(ascending, size)))


@cache
def throws_of(count: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Every throw of that many dice, ascending, and in how many of the 6 ** count ways it falls.

    >>> throws_of(2)[:3]
    (((1, 1), 1), ((1, 2), 2), ((1, 3), 2))
    """
    return tuple(
        (dice, factorial(count) // prod(factorial(dice.count(face)) for face in FACES))
        for dice in combinations_with_replacement(FACES, count)
    )
