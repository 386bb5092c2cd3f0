"""Multisets of dice values: sort, subtract and enumerate them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
from math import factorial, prod

FACES = (1, 2, 3, 4, 5, 6)
"""Values of a die."""


def in_order(dice: Sequence[int]) -> tuple[int, ...]:
    """Return the dice values in ascending order; the order of dice in a throw has no meaning."""
    return tuple(sorted(dice))


def without(dice: Sequence[int], taken: Sequence[int]) -> tuple[int, ...] | None:
    """Return the values of `dice` that remain, ascending, when each value of `taken` is removed once.

    None if `taken` holds a value more often than `dice` does. All taken: an empty tuple.

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
def subsets(dice: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return every distinct sub-multiset of the dice, from none to all: each ascending, smaller ones first. Cached."""
    ascending = in_order(dice)
    return tuple(dict.fromkeys(taken for size in range(len(dice) + 1) for taken in combinations(ascending, size)))


@cache
def throws_of(count: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return every distinct throw of `count` dice, in ascending order, with its number of permutations. Cached.

    The permutations of all throws add up to 6 ** count.

    >>> throws_of(2)[:3]
    (((1, 1), 1), ((1, 2), 2), ((1, 3), 2))
    """
    return tuple(
        (dice, factorial(count) // prod(factorial(dice.count(face)) for face in FACES))
        for dice in combinations_with_replacement(FACES, count)
    )
