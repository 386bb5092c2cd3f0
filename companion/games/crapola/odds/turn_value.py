"""Exact odds of one turn of Crapola: how safe a throw is, and the expected points that it banks with best play.

Hot dice let a turn run without limit, yet the value is exact. From `SURE_STOP_POINTS` points on the turn stops whenever
a throw can fail; backward induction finds the values below. All scores are multiples of 50.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from companion.errors import RulesError
from companion.games.advice.stored import numbers
from companion.games.crapola.odds.offers import STEP, offers_of, offers_table

SURE_STOP_POINTS = 15_700
"""Turn points in Crapola from which a stop is worth more than a throw that can fail; a test proves it. Stored tables of
expected turn points end there. Higher: larger tables with the same values; lower: values too low.
After a change `make solve` must write the tables anew."""
TURNS = "turns-{}-{}.f8"
"""Name of the file of stored turn values, with places for the dice of the turn and its least bank."""
STORED = tuple((size, least) for size in (6, 7) for least in (0, 1000))
"""Pairs (dice of the turn, least bank in points) whose turn values are stored in files (TURNS).
Others are computed when needed. More pairs: more files, fewer waits."""
MAX_ENTRY_POINTS = 50_000
"""Largest house rule `entry` (least first bank), in points, for which Crapola's odds are computed; above it there are
none. Computing takes time in proportion to it. Higher: a game with a huge `entry` in its header can stall the table."""
MAX_BANK_STEPS = 400
"""Most steps of 50 points of a bank that are taken into account. Higher: larger arrays, hardly more exact.

A turn banks more with a probability below 1e-8."""


def safe_chance(dice: int) -> float | None:
    """Return the probability that a throw of `dice` dice scores; None for seven, which always score."""
    return None if dice == 7 else sum(ways for _, ways in offers_table()[dice]) / float(6**dice)


@cache
def rich_seven() -> float:
    """Return the expected points of throwing seven dice in Crapola and stopping after the best keep. Cached.

    If the best keep takes all seven, they are thrown again, which risks nothing, as seven dice always score.
    """
    added = 0.0
    for _ in range(25):  # each pass shrinks the error by the probability of hot dice, under a tenth
        added = sum(
            chance * max(points + (0 if left else added) for left, points in offer) for offer, chance in offers_of(7)
        )
    return added


class TurnValues:
    """Values of a turn with best play, by turn points and number of dice about to be thrown.

    The value is in turn points, or in any unit that `bank` uses, such as the probability of winning the game.
    A crap-out has the value 0.

    Args:
        size: Dice of the turn, 6 or 7.
        least: Turn points below which a stop is not allowed.
        known: Flattened (steps, size) values of throws, by steps of turn points and by dice thrown minus 1. Beyond its
            end a stop beats every throw that can fail.
        bank: Returns the value of banking a number of points.
        hot: Returns the value added to `bank` beyond the end of `known` after hot dice with seven, which cannot fail.
    """

    def __init__(
        self,
        size: int,
        least: int,
        known: Sequence[float],
        bank: Callable[[int], float] = float,
        hot: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.size, self.least, self.bank = size, least, bank
        self._known, self._hot = known, hot
        self._rich = len(known) // size * STEP

    def choosing(self, points: int, left: int) -> float:
        """Return the value of a Crapola turn after a keep: the higher of stopping, if allowed, and throwing again.

        The unit is that of `self.bank`: points, or for instance the probability of winning the game. Beyond the end of
        the table `known` the turn is taken to stop; seven dice after hot dice are thrown once more, at no risk.

        Args:
            points: Turn points with the kept dice.
            left: Dice of the throw that were not kept; with 0 all `self.size` dice of the turn are thrown again.
        """
        dice = left or self.size
        if points < self.least:
            return self.thrown(points, dice)
        if points >= self._rich:
            return self.bank(points) + (self._hot() if dice == 7 else 0.0)
        return max(self.bank(points), self.thrown(points, dice))

    def thrown(self, points: int, dice: int) -> float:
        """Return the value of a Crapola turn with `points` turn points that throws `dice` dice next, with best play.

        The unit is that of `self.bank`; a crap-out has the value 0. Beyond the end of the table `known` the value is
        computed.
        """
        if points < self._rich:
            return self._known[points // STEP * self.size + dice - 1]
        return sum(
            chance * max(self.choosing(points + more, left) for left, more in offer)
            for offer, chance in offers_of(dice)
        )


@lru_cache(maxsize=8)
def turn_values(size: int, least: int) -> TurnValues:
    """Return the expected points that a turn of Crapola banks with best play, as a `TurnValues`. Cached.

    `size` is the number of dice, 6 or 7; a stop with fewer than `least` turn points is not allowed. For a pair (size,
    least) in STORED the values are read from a file, for others they are computed. The cache is bounded, because a
    game's house rule `entry`, which sets `least`, can have many values. Raises RulesError if `least` is above
    MAX_ENTRY_POINTS.
    """
    check_entry(least)
    known = numbers(__package__, TURNS.format(size, least)) if (size, least) in STORED else evaluate(size, least)
    return TurnValues(size, least, known, hot=rich_seven)


def check_entry(least: int) -> None:
    """Raise RulesError if the least first bank, in points, is too large for odds."""
    if least > MAX_ENTRY_POINTS:
        raise RulesError(f"Odds are computed for an `entry` of up to {MAX_ENTRY_POINTS}, not {least}.")


def evaluate(size: int, least: int) -> list[float]:
    """Compute the expected points that a turn of Crapola banks with best play, for each state before a throw.

    `size` is the number of dice, 6 or 7; below `least` turn points a stop is not allowed.

    Returns:
        Flattened table, row by row. A row stands for the turn points so far: 0, 50 and so on, up to just below
        SURE_STOP_POINTS, or `least` if that is more. The values in a row are for a throw of 1 to `size` dice.
    """
    import numpy as np

    from companion.games.crapola.odds.backward_induction import MAX_THROW_STEPS, values_before_throw

    bank = STEP * np.arange(max(SURE_STOP_POINTS // STEP, steps_to(least)) + MAX_THROW_STEPS + 1.0)
    found: list[float] = values_before_throw(size, bank, steps_to(least), rich_seven()).ravel().tolist()
    return found


def steps_to(points: int) -> int:
    """Return the fewest steps of 50 points that reach `points`."""
    return -(-points // STEP)
