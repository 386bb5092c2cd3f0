"""Exact odds of Crag: the final total that a sheet can expect with best play, from a stored table.

The table (`make solve`, see `companion.games.solving.crag`) holds the expected remaining points before each turn.
The current turn is computed from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

from companion.games.advice.stored import floats
from companion.games.crag.scoring import CATEGORIES, points_for
from companion.games.engine.dice import handfuls, in_order, throws_of

TABLE = "sheets.f8"
SHEETS = 1 << len(CATEGORIES)  # by the categories that are filled, see `filled_of`
FULL = SHEETS - 1
LYING = tuple(dice for dice, _ in throws_of(3))
KEEPS = tuple(dice for count in range(4) for dice, _ in throws_of(count))
Dice = tuple[int, ...]


def filled_of(categories: Iterable[str]) -> int:
    """Those categories as the index of the table: bit i for category i of the sheet."""
    return sum(1 << CATEGORIES.index(category) for category in categories)


@cache
def points_table(strict: bool) -> dict[Dice, tuple[int, ...]]:
    """What each three dice score in each category of the sheet, in its order."""
    return {dice: tuple(points_for(category, dice, strict) for category in CATEGORIES) for dice in LYING}


@cache
def lying_after(kept: Dice) -> tuple[tuple[Dice, int], ...]:
    """What can lie there when the dice that were not kept are thrown, and in how many ways."""
    return tuple((in_order(kept + dice), ways) for dice, ways in throws_of(3 - len(kept)))


@cache
def sheets(strict: bool) -> tuple[float, ...]:
    """The stored table: what is still expected, by the categories that are filled."""
    values = floats(__package__, TABLE)
    return values[SHEETS:] if strict else values[:SHEETS]


class TurnWorth:
    """What a turn of Crag can bring, in points of the sheet from this turn to the end, with best play.

    Attributes:
        filled: The categories that were filled before it, as `filled_of`.
    """

    def __init__(self, filled: int, strict: bool) -> None:
        self.filled = filled
        points, later = points_table(strict), sheets(strict)
        self._unused = tuple(place for place in range(len(CATEGORIES)) if not filled >> place & 1)
        self._later = {place: later[filled | 1 << place] for place in self._unused}
        self._points = points

    def entered(self, dice: Dice, category: str) -> float:
        """With those dice entered there."""
        place = CATEGORIES.index(category)
        return self._points[dice][place] + self._later[place]

    def best_entry(self, dice: Dice) -> float:
        """With those dice to be entered, where they are worth most."""
        scores = self._points[dice]
        return max(scores[place] + self._later[place] for place in self._unused)

    def kept(self, dice: Dice, best: dict[Dice, float] | None = None) -> float:
        """With those kept and the others about to be thrown again."""
        entries = best or {lying: self.best_entry(lying) for lying, _ in lying_after(dice)}
        return sum(ways * entries[lying] for lying, ways in lying_after(dice)) / float(6 ** (3 - len(dice)))

    def fresh(self) -> float:
        """With three dice about to be thrown."""
        best = {dice: self.best_entry(dice) for dice in LYING}
        kept = {dice: self.kept(dice, best) for dice in KEEPS}
        return sum(ways * max(kept[choice] for choice in handfuls(dice)) for dice, ways in throws_of(3)) / 216.0


@lru_cache(maxsize=64)
def turn_worth(filled: int, strict: bool) -> TurnWorth:
    """The worths of a turn, remembered for the sheets asked for last."""
    return TurnWorth(filled, strict)
