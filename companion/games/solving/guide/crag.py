"""Strategy of Crag from its stored tables: what to keep, what a row is worth, and how good a total is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from companion.games.crag.odds.turn_value import RESULTS, TurnValues, filled_of, sheets, turn_values
from companion.games.crag.odds.win import prospects
from companion.games.crag.scoring import CATEGORIES
from companion.games.engine.dice import subsets
from companion.games.solving.guide.charts import lines, table

QUANTILES = (0.05, 0.2, 0.5, 0.8, 0.95)
"""Quantiles, 0 to 1, of the final totals of perfectly played sheets that the page lists. At 0.05 it gives the total
that 5 % of sheets do not exceed."""


def pages(charts_folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Write the chart of the guide's page about Crag to `charts_folder`.

    Yields:
        Once: the name of the page, and its figures and tables as text, by placeholder of its template.
    """
    chances = prospects(False).of(0)
    totals = np.cumsum(chances)
    shown = range(int(np.searchsorted(totals, 0.0005)), int(np.searchsorted(totals, 0.9995)) + 1)
    shares = {"share of sheets": [float(chances[total]) for total in shown]}
    lines(charts_folder / "final-totals.svg", list(shown), shares, ("final total", "share of sheets"), fill=True)
    quantiles = [[f"{share:.0%}", int(np.searchsorted(totals, share))] for share in QUANTILES]
    yield (
        "crag",
        {
            "total": f"{sheets(False)[0]:.1f}",
            "quantiles": table(["share", "total"], quantiles),
            "rows": table(["row", "costs"], _row_values()),
            "openings": table(["throw", "keep", "expected total"], _openings(turn_values(filled_of(()), False))),
        },
    )


def _row_values() -> list[list[str]]:
    """Return rows of the table of categories: name, and expected points lost by a first entry of 0; cheapest first."""
    values = sheets(False)
    costs = {category: values[0] - values[filled_of((category,))] for category in CATEGORIES}
    return [[_words(category), f"{cost:.1f}"] for category, cost in sorted(costs.items(), key=lambda each: each[1])]


def _openings(turn: TurnValues) -> list[list[str]]:
    """Return a table of Crag's first throws: each throw, the best dice to keep, and the expected final total.

    There is a row for every distinct throw of three dice; cells are text. Keeping all three dice means entering them.
    `turn` holds the values of the first turn on an empty sheet.
    """
    rows = []
    for dice in RESULTS:
        # Keeping all three is a decision to enter them.
        worth = {kept: turn.best_entry[dice] if kept == dice else turn.kept(kept) for kept in subsets(dice)}
        kept = max(worth, key=lambda each: worth[each])
        rows.append([_dice(dice), "all: enter them" if kept == dice else _dice(kept) or "none", f"{worth[kept]:.1f}"])
    return rows


def _dice(dice: tuple[int, ...]) -> str:
    """Return dice values as text, separated by spaces."""
    return " ".join(map(str, dice))


def _words(category: str) -> str:
    """Return the name of a category with spaces instead of underscores."""
    return category.replace("_", " ")
