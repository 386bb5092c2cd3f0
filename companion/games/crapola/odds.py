"""Exact odds of a turn of Crapola: how safe a throw is, and the turn points it will bank with best play.

A turn may run on through hot dice without limit, yet its worth is found exactly by working back from a turn so rich
that it stops whenever a throw can fail. Points come in fifties.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

from companion.errors import RulesError
from companion.games.crapola.scoring import keepable, points_of
from companion.games.dice import throws_of

STEP = 50
MOST_ENTRY = 50_000
Keeps = tuple[tuple[int, int], ...]  # for each number of dice that can be left over: that number, the most points


def safe_chance(dice: int) -> float | None:
    """The chance that a throw of so many dice scores; None for seven, which always do."""
    return None if dice == 7 else 1 - crap_out_chance(dice)


def crap_out_chance(dice: int) -> float:
    """The chance that nothing scores in a throw of so many dice."""
    return sum(ways for thrown, ways in throws_of(dice) if not keepable(thrown)) / float(6**dice)


@cache
def offers_of(dice: int) -> tuple[tuple[Keeps, float], ...]:
    """What throws of so many dice let one keep, and the chance of each such offer; crap-outs are left out."""
    offers: Counter[Keeps] = Counter()
    for thrown, ways in throws_of(dice):
        most: dict[int, int] = {}
        for kept in keepable(thrown):
            left = dice - len(kept)
            most[left] = max(most.get(left, 0), points_of(kept) or 0)
        if most:
            offers[tuple(sorted(most.items()))] += ways
    return tuple((offer, ways / 6**dice) for offer, ways in offers.items())


@cache
def rich() -> int:
    """Turn points from which a stop beats every throw that can fail.

    Where a throw loses with chance f and adds m points on average when the best of them are kept, it pays to throw only
    below m / f; turn points never fall, so above the greatest of these a throw never pays again.
    """
    limits = [
        sum(chance * max(points for _, points in offer) for offer, chance in offers_of(dice)) / crap_out_chance(dice)
        for dice in range(1, 7)
    ]
    return (int(max(limits)) // STEP + 1) * STEP


@cache
def rich_seven() -> float:
    """What a throw of seven adds to a rich turn: it can't fail, so hot dice throw on and all else stops."""
    added = 0.0
    for _ in range(200):  # each pass shrinks what is missing by the chance of hot dice, under a tenth
        added = sum(
            chance * max(points + (0 if left else added) for left, points in offer) for offer, chance in offers_of(7)
        )
    return added


class TurnWorth:
    """The turn points that a turn will bank with best play, by turn points so far and dice about to be thrown.

    Attributes:
        size: Dice that the turn is played with.
        least: Turn points below which a stop is not allowed.
    """

    def __init__(self, size: int, least: int) -> None:
        self.size, self.least = size, least
        self._rich = max(rich(), -(-least // STEP) * STEP)
        self._known_from = self._rich
        self._thrown: dict[tuple[int, int], float] = {}

    def choosing(self, points: int, left: int) -> float:
        """After a keep that left so many dice: stop or throw on (with none left, all of them)."""
        dice = left or self.size
        if points < self.least:
            return self.thrown(points, dice)
        if points >= self._rich:
            return points + (rich_seven() if dice == 7 else 0.0)
        return max(float(points), self.thrown(points, dice))

    def thrown(self, points: int, dice: int) -> float:
        """With that many dice about to be thrown."""
        if points >= self._rich:
            return self._expected(points, dice)
        # From the rich end downwards, so that no call goes deep.
        while self._known_from > points:
            poorer = self._known_from - STEP
            for count in range(1, self.size + 1):
                self._thrown[poorer, count] = self._expected(poorer, count)
            self._known_from = poorer
        return self._thrown[points, dice]

    def _expected(self, points: int, dice: int) -> float:
        return sum(
            chance * max(self.choosing(points + more, left) for left, more in offer)
            for offer, chance in offers_of(dice)
        )


@cache
def turn_worth(size: int, least: int) -> TurnWorth:
    """The worths of turns with that many dice and that least bank, remembered from call to call.

    Raises:
        RulesError: The least bank is so high that working back from it would take minutes.
    """
    if least > MOST_ENTRY:
        raise RulesError(f"Odds are worked out for an `entry` of up to {MOST_ENTRY}, not {least}.")
    return TurnWorth(size, least)
