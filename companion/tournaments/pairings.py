"""Pairings: the rounds of a round robin, and the bracket of a knockout with its byes."""

from __future__ import annotations

from collections.abc import Sequence

from companion.tournaments.draw import P

Pair = tuple[P, P]


def round_robin(entrants: Sequence[P]) -> list[list[Pair[P]]]:
    """Return the pairs of each round: everyone meets everyone once; an odd number gives one bye a round.

    The pairs are made by the circle method. The numbers of pairs in which an entrant is first and second differ by 2 at
    most.

    >>> round_robin(["a", "b", "c"])
    [[('c', 'b')], [('c', 'a')], [('a', 'b')]]
    """
    circle: list[P | None] = [*entrants, *([None] if len(entrants) % 2 else [])]
    size, rounds = len(circle), list[list[Pair[P]]]()
    for number in range(max(0, size - 1)):
        pairs = list[Pair[P]]()
        for place in range(size // 2):
            one, other = circle[place], circle[size - 1 - place]
            if one is not None and other is not None:
                swapped = place % 2 == 1 if place else number % 2 == 1
                pairs.append((other, one) if swapped else (one, other))
        rounds.append(pairs)
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


def bracket(entrants: Sequence[P]) -> list[P | None]:
    """Return the first round of a knockout as a list of neighbours that meet; None beside an entrant is a bye.

    The length of the list is a power of two. The byes go to the first entrants, and the first two are in different
    halves. This is the usual order of seeds, in which the places of each pair add up to the same number.

    >>> bracket(["a", "b", "c", "d", "e"])
    ['a', None, 'd', 'e', 'b', None, 'c', None]
    """
    order = [0]
    while len(order) < len(entrants):
        size = 2 * len(order)
        order = [place for seed in order for place in (seed, size - 1 - seed)]
    return [entrants[place] if place < len(entrants) else None for place in order]
