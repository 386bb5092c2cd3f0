"""Strategy of Crapola from its stored tables: what to keep, and when to bank."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from companion.games.crapola.odds.offers import STEP
from companion.games.crapola.odds.turn_value import SURE_STOP_POINTS, TurnValues, safe_chance, turn_values
from companion.games.crapola.scoring import keepable
from companion.games.engine.dice import throws_of
from companion.games.solving.guide.charts import lines, table

ENTRY = 1000
"""Least first bank in points for the guide's figures: the default of the house rule `entry`.

Higher: a lower expected bank of a player who is not on the board."""


def pages(charts_folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Write the chart of the guide's page about Crapola to `charts_folder`.

    Yields:
        Once: the name of the page, and its figures and tables as text, by placeholder of its template.
    """
    on, off = turn_values(6, 0), turn_values(6, ENTRY)
    dice = range(1, 7)
    banks = [[count, f"{safe_chance(count):.0%}", bank_at(on, count)] for count in dice]
    points = range(0, 3001, STEP)
    curves = {f"{count} dice": [on.thrown(each, count) - on.bank(each) for each in points] for count in dice}
    lines(charts_folder / "throw-or-bank.svg", list(points), curves, ("turn points", "points gained by throwing on"))
    yield (
        "crapola",
        {
            "on_board": f"{on.thrown(0, 6):.0f}",
            "entering": f"{off.thrown(0, 6):.0f}",
            "entry": str(ENTRY),
            "banks": table(["dice to throw", "chance to score", "bank from"], banks),
            "keeps": table(["dice that score", "best keep", "worth", "worth of keeping all"], _keeps(on)),
        },
    )


def bank_at(worth: TurnValues, dice: int) -> str:
    """Return as text the least turn points at which a bank is worth at least as much as a throw of `dice` dice.

    "never" if a throw is worth more at all turn points below SURE_STOP_POINTS. `worth` holds the values of the turn.
    """
    for points in range(STEP, SURE_STOP_POINTS, STEP):
        if worth.bank(points) >= worth.thrown(points, dice):
            return f"{points}"
    return "never"


def _keeps(worth: TurnValues) -> list[list[str]]:
    """Return table rows, as text, of first throws in Crapola whose best keep leaves out dice that score.

    The columns are the scoring dice of the throw of six, the best keep, its expected turn points, and those of keeping
    all that score. There is no header row. Throws with equal scoring dice share a row; fewer scoring dice come first.
    `worth` holds the values of the turn.
    """
    rows: dict[tuple[int, ...], list[str]] = {}
    for dice, _ in throws_of(6):
        keeps = {kept: worth.choosing(points, 6 - len(kept)) for kept, points in keepable(dice).items()}
        if not keeps:
            continue
        best = max(keeps, key=lambda each: keeps[each])
        most = max(keeps, key=lambda each: (keepable(dice)[each], len(each)))
        if len(best) < len(most):
            rows.setdefault(most, [_dice(most), _dice(best), f"{keeps[best]:.0f}", f"{keeps[most]:.0f}"])
    return [row for _, row in sorted(rows.items(), key=lambda each: (len(each[0]), each[0]))]


def _dice(dice: tuple[int, ...]) -> str:
    """Return dice values as text, separated by spaces."""
    return " ".join(map(str, dice))
