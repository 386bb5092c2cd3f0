"""Exact odds of a turn of Crapola: how safe a throw is, and the turn points it will bank with best play.

A turn may run on through hot dice without limit, yet its worth is found exactly by working back from a turn so rich
that it stops whenever a throw can fail. Points come in fifties.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from companion.errors import RulesError
from companion.games.advice.stored import floats
from companion.games.crapola.odds.offers import STEP, offers_of, offers_table

RICH = 15_700  # turn points from which a stop beats every throw that can fail (a test holds it)
TURNS = "turns-{}-{}.f8"  # dice of a turn, its least bank
STORED = tuple((size, least) for size in (6, 7) for least in (0, 1000))
MOST_ENTRY = 50_000
LONGEST = 400  # steps that a turn brings at most, but for less than one time in a hundred million


def safe_chance(dice: int) -> float | None:
    """The chance that a throw of so many dice scores; None for seven, which always do."""
    return None if dice == 7 else 1 - crap_out_chance(dice)


def crap_out_chance(dice: int) -> float:
    """The chance that nothing scores in a throw of so many dice."""
    return 1 - sum(ways for _, ways in offers_table()[dice]) / float(6**dice)


@cache
def rich_seven() -> float:
    """What a throw of seven adds to a rich turn: it can't fail, so hot dice throw on and all else stops."""
    added = 0.0
    for _ in range(25):  # each pass shrinks what is missing by the chance of hot dice, under a tenth
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
        known: What throws bring, by steps of turn points and then by dice from 1; from the end on a stop beats
            every throw that can fail.
        bank: What it brings to bank so many points; a crap-out brings nothing.
        hot: What hot dice of seven, which can't fail, add there.
        never: Turn points below which a throw brings nothing worth telling; what is known begins there.
    """

    def __init__(
        self,
        size: int,
        least: int,
        known: Sequence[float],
        bank: Callable[[int], float] = float,
        hot: Callable[[], float] = lambda: 0.0,
        never: int = 0,
    ) -> None:
        self.size, self.least, self.bank = size, least, bank
        self._known, self._never, self._hot = known, never, hot
        self._rich = never + len(known) // size * STEP

    def choosing(self, points: int, left: int) -> float:
        """After a keep that left so many dice: stop or throw on (with none left, all of them)."""
        dice = left or self.size
        if points < self.least:
            return self.thrown(points, dice)
        if points >= self._rich:
            return self.bank(points) + (self._hot() if dice == 7 else 0.0)
        return max(self.bank(points), self.thrown(points, dice))

    def thrown(self, points: int, dice: int) -> float:
        """With that many dice about to be thrown."""
        if points < self._never:
            return 0.0
        if points < self._rich:
            return self._known[(points - self._never) // STEP * self.size + dice - 1]
        return sum(
            chance * max(self.choosing(points + more, left) for left, more in offer)
            for offer, chance in offers_of(dice)
        )


@cache
def turn_worth(size: int, least: int) -> TurnWorth:
    """The worths of turns with that many dice and that least bank, remembered from call to call.

    Raises:
        RulesError: The least bank is so high that working back from it would take long.
    """
    if least > MOST_ENTRY:
        raise RulesError(f"Odds are worked out for an `entry` of up to {MOST_ENTRY}, not {least}.")
    known = floats(__package__, TURNS.format(size, least)) if (size, least) in STORED else worked_back(size, least)
    return TurnWorth(size, least, known, hot=rich_seven)


def worked_back(size: int, least: int) -> list[float]:
    """What throws bring in turn points, as `TurnWorth` takes it."""
    import numpy as np

    from companion.games.crapola.odds.backward_induction import MOST_AT_ONCE, thrown

    bank = STEP * np.arange(max(RICH // STEP, steps_to(least)) + MOST_AT_ONCE + 1.0)
    found: list[float] = thrown(size, bank, steps_to(least), rich_seven()).ravel().tolist()
    return found


def steps_to(points: int) -> int:
    """The fewest steps that make up so many points."""
    return -(-points // STEP)


@lru_cache(maxsize=64)
def reaching(size: int, least: int, wanted: int, level: float = 1.0) -> TurnWorth:
    """Turns played for nothing but to bank more than `wanted` points, where just as many are worth `level`; remembered.

    Args:
        size: Dice that the turn is played with.
        least: Turn points below which a stop is not allowed.
        wanted: Turn points; so many more than a turn ever brings as good as never are worth nothing.
        level: From 0 to 1.
    """
    import numpy as np

    from companion.games.crapola.odds.backward_induction import MOST_AT_ONCE, thrown

    def bank(points: int) -> float:
        return 1.0 if points > wanted else level if points == wanted else 0.0

    deep = max(steps_to(least), wanted // STEP + 1, 1)
    never = max(0, deep - LONGEST)
    by_steps = np.array([bank(STEP * steps) for steps in range(never, deep + MOST_AT_ONCE + 1)])
    found: list[float] = thrown(size, by_steps, steps_to(least) - never).ravel().tolist()
    return TurnWorth(size, least, found, bank, never=STEP * never)
