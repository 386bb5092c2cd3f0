"""Questions of the vote after a game: their photo shows the dice before the decision, never what came of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from companion.bots.vote import questions_of
from companion.table.evening.archive import Line
from companion.table.evening.game_record import PlayedGame
from companion.table.writer import Table
from tests.games.playing import STOP, keep, throw
from tests.known import known
from tests.table.acting import HEADER, played, started, table_in

RISK = [throw(1, 1, 1, 5, 2, 3), keep(1, 1, 1, 5), throw(2, 3)]
LINES: list[dict[str, Any]] = [
    *RISK, *RISK, throw(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6), STOP, throw(2, 2, 3, 3, 4, 6)
]  # fmt: skip


def game_in(folder: Path) -> PlayedGame:
    """Return a game of Crapola in which two throws of two dice were the costliest decisions."""
    table: Table = table_in(folder)
    table.start()
    rules = {"target": 1000, "entry": 0, "spend": False}
    started(table, {**HEADER, "game": "crapola", "rules": rules})
    played(table, LINES)
    game = known(table.state().record.game)
    table.stop()
    return game


def photographed(game: PlayedGame, *throws: int) -> PlayedGame:
    """Return the game with photos of these throws alone, by their numbers."""
    lines = tuple(
        Line(
            line.number,
            line.line,
            line.thrown and msgspec.structs.replace(line.thrown, photo=line.thrown.number in throws),
        )
        for line in game.lines
    )
    return replace(game, lines=lines)


def test_each_decision_put_to_a_vote_has_the_photo_of_the_throw_before_it_if_there_is_one(tmp_path: Path) -> None:
    game = game_in(tmp_path)
    assert [each.photo for each in questions_of(photographed(game, 1, 2, 3, 4, 5, 6))] == [1, 3, 5]
    assert [each.photo for each in questions_of(photographed(game, 1, 2, 4, 5))] == [1, None, 5]
