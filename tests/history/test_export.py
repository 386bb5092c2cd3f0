"""Past games of a data folder: what is computed from them is computed once."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from companion.history import export
from companion.history.export import PastGames
from companion.history.fairness import Fairness
from companion.table.commands import CorrectThrow, PlayLine, StartGame
from companion.table.journal import read_entries
from companion.table.writer import Table
from tests.games.playing import STOP, keep, throw
from tests.known import known
from tests.service.test_safe_mode import unplayable


def played(table: Table) -> int:
    """Play a short game to its end, and return its number."""
    header = {"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"], "rules": {"target": 1000, "entry": 0}}
    number = table.submit(StartGame(header=header)).number
    for line in [throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1), STOP, throw(2, 2, 3, 3, 4, 6)]:
        table.submit(PlayLine(number=table.snapshot().number, line=line))
    return number


def test_past_games_recompute_luck_dropped_from_the_cache_but_keep_decision_costs(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    past, computed, games = PastGames(tmp_path), list[Any](), [played(table) for _ in range(3)]

    def luck(*_: Any) -> dict[str, Any]:
        computed.append("luck")
        return {}

    monkeypatch.setattr(export, "MAX_RESULTS", 2)
    monkeypatch.setattr(export, "regrets_by_player", lambda *_: computed.append("regrets"))
    monkeypatch.setattr(export, "story_with_photos", luck)
    past.ratings()
    for game in (*games, games[-1], games[0]):
        past.luck(game)
    past.ratings()
    assert computed == ["regrets"] * 3 + ["luck"] * 4


def test_the_luck_of_a_past_game_follows_a_later_correction(table: Table, tmp_path: Path) -> None:
    past, number = PastGames(tmp_path), played(table)
    assert known(past.luck(number))["moves"][-1]["action"] == throw(2, 2, 3, 3, 4, 6)
    table.submit(CorrectThrow(number=table.snapshot().number, throw=2, values=(2, 2, 3, 4, 4, 6)))
    assert known(past.luck(number))["moves"][-1]["action"] == throw(2, 2, 3, 4, 4, 6)


@pytest.mark.parametrize("result", ["luck", "fairness"])
def test_past_games_compute_a_result_once_for_phones_that_ask_at_once(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result: str
) -> None:
    number, past, computed = played(table), PastGames(tmp_path), list[Any]()
    first, again, go_on = threading.Event(), threading.Event(), threading.Event()

    def slowly(*args: Any) -> Any:
        computed.append(args)
        (again if first.is_set() else first).set()
        go_on.wait(20)
        return {} if result == "luck" else Fairness()

    monkeypatch.setattr(export, "story_with_photos" if result == "luck" else "evidence_after", slowly)
    ask = partial(past.luck, number) if result == "luck" else past.fairness
    phones = [threading.Thread(target=ask) for _ in range(2)]
    phones[0].start()
    assert first.wait(20)
    phones[1].start()
    again.wait(0.2)
    go_on.set()
    for phone in phones:
        phone.join(20)
    assert len(computed) == 1


def test_listing_past_games_twice_reads_a_journal_with_an_unplayable_entry_once_and_warns_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The fault: in safe mode each request read all later entries again and logged a warning."""
    unplayable(tmp_path)
    past = PastGames(tmp_path)
    with mock.patch.object(export, "read_entries", wraps=read_entries) as read:
        assert [game["throws"] for game in (*past.games(), *past.games())] == [1, 1]
    assert read.call_count == 1
    assert caplog.text.count("entry 3") == 1
