"""Exact odds of Crag: the expected final total of a sheet with best play, from a stored table.

The table (`make solve`, see `companion.games.solving.crag`) holds the expected remaining points before each turn.
The current turn is computed from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from companion.games.advice.stored import numbers
from companion.games.crag.scoring import CATEGORIES, points_for
from companion.games.engine.dice import in_order, subsets, throws_of

TABLE = "sheets.f8"
"""File of the expected remaining points of each sheet: without, then with `thirteen_without_double`."""
SHEETS = 1 << len(CATEGORIES)
"""Number of different sheets, that is of sets of filled categories; `filled_of` gives the index of each. Fixed by the
number of categories: the stored tables have one entry for each sheet."""
FULL = SHEETS - 1
"""Index of the sheet whose categories are all filled."""
RESULTS = tuple(dice for dice, _ in throws_of(3))
"""Every result of three dice, in ascending order; the values of each are ascending."""
KEEPS = tuple(dice for count in range(4) for dice, _ in throws_of(count))
"""Every choice of dice that may be kept: none, one, two or all three, in this order; the values are ascending."""
Dice = tuple[int, ...]


def filled_of(categories: Iterable[str]) -> int:
    """Return the index of a sheet with these filled categories in the tables: bit i stands for category i."""
    return sum(1 << CATEGORIES.index(category) for category in categories)


@cache
def points_table(thirteen_without_double: bool) -> dict[Dice, tuple[int, ...]]:
    """Map each result of three dice to its points in every category, in the order of the sheet. Cached."""
    return {
        dice: tuple(points_for(category, dice, thirteen_without_double) for category in CATEGORIES) for dice in RESULTS
    }


@cache
def results_after(kept: Dice) -> tuple[tuple[Dice, int], ...]:
    """Return every result of three dice after keeping `kept` and throwing the rest, each with its count. Cached.

    A result is ascending. Its count is the number of permutations of the thrown dice that lead to it.

    >>> len(results_after((6, 6)))
    6
    """
    return tuple((in_order(kept + dice), ways) for dice, ways in throws_of(3 - len(kept)))


@cache
def sheets(thirteen_without_double: bool) -> Sequence[float]:
    """Return the expected points that each score sheet of Crag still gets with best play. Cached.

    The points are read from a stored table. The index of a sheet is what `filled_of` returns.
    `thirteen_without_double` is whether that house rule is on. Raises RulesError if the table's file is missing.
    """
    values = numbers(__package__, TABLE)
    return values[SHEETS:] if thirteen_without_double else values[:SHEETS]


class TurnValues:
    """Values of one turn of Crag: expected points from this turn to the end of the sheet, with best play.

    Points already on the sheet are not included.

    Args:
        filled: Categories filled before the turn, as `filled_of` gives them.
        thirteen_without_double: Whether this house rule is on.

    Attributes:
        best_entry: Value of entering each result of three dice in the best open category; 0 on a full sheet.
    """

    def __init__(self, filled: int, thirteen_without_double: bool) -> None:
        later = sheets(thirteen_without_double)
        self._points = points_table(thirteen_without_double)
        self._later = {place: later[filled | 1 << place] for place in range(len(CATEGORIES)) if not filled >> place & 1}
        self.best_entry = {
            dice: max((scores[place] + value for place, value in self._later.items()), default=0.0)
            for dice, scores in self._points.items()
        }

    def entered(self, dice: Dice, category: str) -> float:
        """Return the value of entering three ascending dice in an open category. Raises KeyError for a filled one."""
        place = CATEGORIES.index(category)
        return self._points[dice][place] + self._later[place]

    def kept(self, dice: Dice) -> float:
        """Return the value of keeping ascending dice, throwing the others, and entering the result where it is best.

        With all three dice, nothing is thrown.
        """
        return sum(ways * self.best_entry[lying] for lying, ways in results_after(dice)) / float(6 ** (3 - len(dice)))

    def fresh(self) -> float:
        """Return the value before the first throw of the turn."""
        kept = {dice: self.kept(dice) for dice in KEEPS}
        return sum(ways * max(kept[choice] for choice in subsets(dice)) for dice, ways in throws_of(3)) / 216.0


@lru_cache(maxsize=64)
def turn_values(filled: int, thirteen_without_double: bool) -> TurnValues:
    """Return the `TurnValues` of a turn of Crag on the sheet with index `filled`. Cached for the most recent sheets."""
    return TurnValues(filled, thirteen_without_double)
