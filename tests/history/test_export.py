"""Past games of a data folder: what is computed from them is computed once."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from companion.history import export
from companion.history.export import PastGames
from companion.table.commands import PlayLine, StartGame
from companion.table.writer import Table
from tests.games.playing import STOP, keep, throw


def test_past_games_compute_a_games_luck_once_for_phones_that_ask_at_once(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = {"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"], "rules": {"target": 1000, "entry": 0}}
    number = table.submit(StartGame(header=header)).number
    for line in [throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1), STOP, throw(2, 2, 3, 3, 4, 6)]:
        table.submit(PlayLine(number=table.snapshot().number, line=line))
    past, computed, again, go_on = PastGames(tmp_path), list[Any](), threading.Event(), threading.Event()
    first = threading.Event()

    def slowly(*args: Any) -> dict[str, Any]:
        computed.append(args)
        (again if first.is_set() else first).set()
        go_on.wait(20)
        return {}

    monkeypatch.setattr(export, "story_with_photos", slowly)
    phones = [threading.Thread(target=past.luck, args=(number,)) for _ in range(2)]
    phones[0].start()
    assert first.wait(20)
    phones[1].start()
    again.wait(0.2)
    go_on.set()
    for phone in phones:
        phone.join(20)
    assert len(computed) == 1
