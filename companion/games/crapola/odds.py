"""Exact odds of a turn of Crapola: how safe a throw is, and the turn points it will bank with best play.

A turn may run on through hot dice without limit, yet its worth is found exactly by working back from a turn so rich
that it stops whenever a throw can fail. Points come in fifties.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

from companion.errors import RulesError
from companion.games.crapola.scoring import keepable, points_of
from companion.games.dice import throws_of
from companion.games.stored import floats

STEP = 50
RICH = 15_700  # `rich()`, which a test holds it to
TURNS = "turns-{}-{}.f8"  # dice of a turn, its least bank
STORED = tuple((size, least) for size in (6, 7) for least in (0, 1000))
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
    """What a turn will bring with best play, by turn points so far and dice about to be thrown.

    That is the turn points that it banks, or anything else.

    Attributes:
        size: Dice that the turn is played with.
        least: Turn points below which a stop is not allowed.
        bank: What it brings to bank so many points; a crap-out brings nothing.
        rich: Turn points from which a stop beats every throw that can fail.
        known: What throws bring, where that is stored already, for all below `rich`: by points, then by dice from 1.
    """

    def __init__(
        self,
        size: int,
        least: int,
        bank: Callable[[int], float] = float,
        rich_from: int | None = None,
        seven: float | None = None,
        known: Sequence[float] = (),
    ) -> None:
        self.size, self.least, self.bank = size, least, bank
        self.rich = max(rich() if rich_from is None else rich_from, -(-least // STEP) * STEP)
        self._seven = seven
        self._known_from = 0 if known else self.rich
        self._thrown = {(place // size * STEP, place % size + 1): worth for place, worth in enumerate(known)}

    @property
    def seven(self) -> float:
        """What a throw of seven dice adds to a rich turn."""
        return rich_seven() if self._seven is None else self._seven

    def choosing(self, points: int, left: int) -> float:
        """After a keep that left so many dice: stop or throw on (with none left, all of them)."""
        dice = left or self.size
        if points < self.least:
            return self.thrown(points, dice)
        if points >= self.rich:
            return self.bank(points) + (self.seven if dice == 7 else 0.0)
        return max(self.bank(points), self.thrown(points, dice))

    def thrown(self, points: int, dice: int) -> float:
        """With that many dice about to be thrown."""
        if points >= self.rich:
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
    _check_entry(least)
    if (size, least) not in STORED:
        return TurnWorth(size, least)
    return TurnWorth(size, least, rich_from=RICH, known=floats(__package__, TURNS.format(size, least)))


@cache
def entry_chance(size: int, least: int) -> float:
    """The greatest chance that a turn of so many dice banks that much or more. Raises as `turn_worth`."""
    _check_entry(least)
    return reaching(size, least, least).thrown(0, size)


def reaching(size: int, least: int, wanted: int) -> TurnWorth:
    """Turns played for nothing but to bank so many points or more, `least` or more in any case."""
    steps = -(-max(wanted, least, STEP) // STEP) * STEP
    return TurnWorth(size, least, lambda points: float(points >= wanted), rich_from=steps, seven=0.0)


def _check_entry(least: int) -> None:
    if least > MOST_ENTRY:
        raise RulesError(f"Odds are worked out for an `entry` of up to {MOST_ENTRY}, not {least}.")
