"""Strategy of Crib Dice from its stored tables: when to stop, piddle and bomb, and the chance to win from any holes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from companion.games.crib_dice import GAME
from companion.games.crib_dice.odds import two_sides
from companion.games.crib_dice.odds.turn_value import SURE_STOP_POINTS, TurnValues, safe_chance, turn_values
from companion.games.crib_dice.pegs import CribbageBoard, new_board
from companion.games.crib_dice.scoring import set_score
from companion.games.engine.dice import FACES
from companion.games.engine.game import Header
from companion.games.solving.guide.charts import heat_map, lines, table

FROZEN = (2, 3, 4, 5, 6)
"""Numbers of frozen dice in the guide's table of stops for Crib Dice, a column each. After these the player may stop or
throw."""
EXAMPLE = (3, 5)
"""Frozen dice, as their number and face value, that the chart of stops by lead is drawn for. Another pair draws another
example."""
OTHER_HOLE = 60
"""Hole of the other peg in the charts of when to stop, and of both pegs where the page tells the cost of a fuchle.
Higher: a later phase of the game. With every gap of GAPS added, it must still be a hole of the track."""
GAPS = range(-50, 51, 2)
"""Holes by which the mover is ahead in the charts by gap; negative: behind. Must include -30 and 30, whose stops the
page quotes."""
BOMB_STEP = 4
"""Step of both axes of the chart of bombs, in holes. Higher: a coarser chart, drawn sooner."""


def pages(charts_folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the content of the guide's two pages about Crib Dice, and write the charts of the first to `charts_folder`.

    The charts are written when the first page is asked for; the second has none.

    Yields:
        For each page its name, and its figures and tables as text, by placeholder of its template.
    """
    yield "crib-dice", _strategy(charts_folder)
    yield "crib-dice-solved", _solved()


def stop_at(worth: TurnValues, frozen: int, point: int, most: int = SURE_STOP_POINTS) -> int | None:
    """Return the least turn points at which a stop with a frozen set is worth at least as much as a throw.

    The result includes the score of the set. Return None if a throw is worth more in all cases that are tried.

    Args:
        worth: Values of the turn.
        frozen: Number of frozen dice.
        point: Face value of the frozen dice.
        most: Number of amounts that are tried: 0, 1, ... `most` - 1 points gathered before the set.
    """
    scored = set_score(frozen, point)
    for gathered in range(most):
        if worth.bank(gathered + scored) >= worth.thrown(gathered, frozen, point):
            return gathered + scored
    return None


def board_at(mover: int, other: int, wipeouts: int = 0, preset: str | None = None) -> CribbageBoard:
    """Return a Crib Dice board of two players for the guide's charts. Player 0, the mover, is first in the round.

    Args:
        mover: Hole of the peg of player 0.
        other: Hole of the peg of player 1.
        wipeouts: Consecutive wipe-outs of player 0; player 1 has none.
        preset: Name of the preset of house rules; None for the default rules.
    """
    rules = {switch.key: switch.default for switch in GAME.switches} | dict(GAME.presets[preset] if preset else {})
    return replace(
        new_board(Header("crib_dice", ("Ann", "Ben"), rules), 0), pegs=(mover, other), wipeouts=(wipeouts, 0)
    )


def win_map() -> npt.NDArray[np.float64]:
    """Return a (121, 121) array: the win probability of the side to move in Crib Dice, by the holes of two sides.

    The row is the hole of the side to move, the column that of the other side. The side to move plays first in the
    round, and nobody has wiped out. Basic rules; both sides play to win. Read from the stored table.
    """
    rules = two_sides.DuelRules()
    equity = [
        [two_sides.stored_equity(rules, two_sides.index(0, mover, other, 0, 0)) for other in range(two_sides.PEG_HOLES)]
        for mover in range(two_sides.PEG_HOLES)
    ]
    return (np.array(equity) + 1) / 2


def _strategy(charts_folder: Path) -> dict[str, str]:
    """Write the four charts of Crib Dice's strategy page to `charts_folder`, as SVG files.

    Returns:
        The page's numbers and tables as text, by placeholder of its template.
    """
    points = turn_values(False)
    stops = [[point, *(_shown(stop_at(points, frozen, point)) for frozen in FROZEN)] for point in FACES]
    safe = ["safe", *(f"{safe_chance(frozen, 5):.0%}" for frozen in FROZEN)]
    chances = win_map()
    heat_map(charts_folder / "win-by-holes.svg", chances, ("hole of the other peg", "hole of the peg to move"),
             "chance to win", (0.0, 1.0), (0.1, 0.25, 0.5, 0.75, 0.9))  # fmt: skip
    _gap_chart(charts_folder / "stop-by-lead.svg")
    return {
        "stops": table(["point", *(f"{frozen} frozen" for frozen in FROZEN)], [*stops, safe]),
        "safe_two_1s": f"{safe_chance(2, 1):.0%}",
        "safe_four_1s": f"{safe_chance(4, 1):.0%}",
        "safe_piddle": f"{safe_chance(5, 5):.0%}",
        "middle": str(OTHER_HOLE),
        "piddles": _piddle_chart(charts_folder / "stop-before-two-dice.svg"),
        "bombs": _bomb_chart(charts_folder / "swap-gain.svg"),
        "first_wins": f"{chances[0, 0]:.1%}",
        "lead": f"{chances[60, 50] - chances[60, 60]:.1%}",
    }


def _solved() -> dict[str, str]:
    """Return the figures and the table for the guide's page on Crib Dice solved for two sides, by placeholder.

    - `places`, `states`, `last_states`: numbers of places of a peg, of states of the game, and of those in a last turn.
    - `values`: a table with a row for each stored table: its name, its house rules, and the first player's win
      probability and equity at the start. The probability is blank with skunks.
    - `fuchle`: by how much a fuchle lowers the win probability of the side to move, in an example.
    - `middle`: the hole on which both pegs stand before the fuchle in this example.
    """
    rows = []
    for rules, name in two_sides.TABLES.items():
        first = two_sides.stored_equity(rules, two_sides.index(0, 0, 0, 0, 0))
        won = "" if rules.skunk else f"{(first + 1) / 2:.2%}"
        rows.append([f"`{name}`", _switches(rules), won, f"{first:+.4f}"])
    states = 2 * two_sides.PLACES**2 * two_sides.FUCHLE**2
    last_states = two_sides.PLACES * two_sides.FUCHLE * two_sides.BEYOND
    fuchle = two_sides.stored_equity(two_sides.DuelRules(), two_sides.index(0, OTHER_HOLE, OTHER_HOLE, 0, 0)) - (
        two_sides.stored_equity(two_sides.DuelRules(), two_sides.index(0, two_sides.FUCHLED, OTHER_HOLE, 0, 0))
    )
    return {
        "places": str(two_sides.PLACES),
        "states": f"{states:,}",
        "last_states": f"{last_states:,}",
        "values": table(["table", "rules", "first player wins", "equity"], rows),
        "middle": str(OTHER_HOLE),
        "fuchle": f"{fuchle / 2:.1%}",
    }


def _switches(rules: two_sides.DuelRules) -> str:
    """Return the names of the house rules that are on, as text; "basic" if none is."""
    names = [f"`{name}`" for name in type(rules).__dataclass_fields__ if getattr(rules, name)]
    return ", ".join(names) or "basic"


def _gap_chart(file: Path) -> None:
    """Draw a chart for Crib Dice as an SVG file: from how many turn points a side should stop, by its lead in holes.

    The frozen dice are those of EXAMPLE; the other peg is on OTHER_HOLE. Three curves are for 0, 1 and 2 wipe-outs in a
    row. A gap in a curve means that a throw is always better.
    """
    curves = {
        name: [_stop_on(OTHER_HOLE + gap, wipeouts, *EXAMPLE) for gap in GAPS]
        for name, wipeouts in (("no wipe-out", 0), ("one wipe-out", 1), ("two wipe-outs", 2))
    }
    lines(file, list(GAPS), curves, ("holes ahead of the other peg", "turn points to stop at"))


def _piddle_chart(file: Path) -> str:
    """Draw a Crib Dice chart as an SVG file: from how many turn points a side should stop, by its lead in holes.

    Five 3s are frozen, so a throw would be of two dice. The other peg is on OTHER_HOLE; the leads are GAPS. Returns an
    English phrase with the least points to stop at, for 30 holes behind and for 30 ahead.
    """
    curve = [_stop_on(OTHER_HOLE + gap, 0, 5, 3) for gap in GAPS]
    lines(file, list(GAPS), {"five frozen 3s": curve}, ("holes ahead of the other peg", "turn points to stop at"))
    by_gap = dict(zip(GAPS, curve, strict=True))
    return f"at {by_gap[-30]:.0f} when 30 holes behind, at {by_gap[30]:.0f} when 30 ahead"


def _stop_on(hole: int, wipeouts: int, frozen: int, point: int) -> float:
    """Return the fewest turn points from which stopping a Crib Dice turn wins at least as often as throwing on.

    Turn points include the score of the frozen dice. The other peg is on OTHER_HOLE, the house rules are the defaults,
    and the mover plays first in the round. Points of earlier sets are tried from 0 up to those that take the peg to
    hole 120. NaN if throwing on wins more often with all of them.

    Args:
        hole: Hole of the mover's peg.
        wipeouts: Wipe-outs of the mover in a row.
        frozen: Number of frozen dice.
        point: Face value of the frozen dice.
    """
    worth = two_sides.duel_turn_values(board_at(hole, OTHER_HOLE, wipeouts))
    stop = stop_at(worth, frozen, point, two_sides.SHORT_TRACK + 1 - hole)
    return float("nan") if stop is None else stop


def _bomb_chart(file: Path) -> str:
    """Write an SVG chart of what a bomb with six 1s adds to the win probability, by the holes of both sides' pegs.

    The gain is over the better of banking and throwing on, by the advanced rules of Crib Dice. It is computed at every
    BOMB_STEP-th hole, only where the other side leads; the holes up to the next step get the same value. Returns an
    English sentence with the smallest computed gap in holes at which a bomb pays.
    """
    holes = range(0, two_sides.PEG_HOLES, BOMB_STEP)
    gain = np.full((two_sides.PEG_HOLES, two_sides.PEG_HOLES), np.nan)
    pays = list[int]()
    for mover in holes:
        for other in range(mover + BOMB_STEP, two_sides.PEG_HOLES, BOMB_STEP):
            worth = two_sides.duel_turn_values(board_at(mover, other, preset="advanced"))
            added = worth.bombs[1] - max(worth.bank(set_score(6, 1)), worth.thrown(0, 6, 1))
            gain[mover : mover + BOMB_STEP, other : other + BOMB_STEP] = added
            if added > 0:
                pays.append(other - mover)
    heat_map(file, gain, ("hole of the leader", "hole of the peg to move"), "added chance to win", (-0.9, 0.9), (0.0,))
    return f"The smallest gap at which it ever pays is {min(pays)} holes, in steps of {BOMB_STEP}."


def _shown(stop: int | None) -> str:
    """Return the turn points to stop at as text; "never" for None."""
    return "never" if stop is None else str(stop)
