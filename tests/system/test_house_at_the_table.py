"""The bot at a virtual table: it throws by itself, and goes on after the program was killed in its turn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from companion.table.journal import read_entries
from tests.system.running import Running, pegpip


def played_until(table: Running, met: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first state that meets it: a throw in doubt is left to people, and in a random tray there may be one."""

    def settled(state: dict[str, Any]) -> bool:
        if state["question"]:
            table.agree(state["question"])
        return bool(state["state"]) and met(state["state"])

    found: dict[str, Any] = table.until("/api/state", settled)
    return found


def test_a_bot_repeats_its_undone_score_after_the_program_was_killed(tmp_path: Path) -> None:
    options = ("--players", "House,Ann", "--house", "steady", "--game", "crag")
    with Running(tmp_path, *options) as table:
        table.pair()
        before = played_until(table, lambda state: state["player"] == "Ann")
        assert before["terms"]["house"] == {"player": "House", "level": "steady"}
        assert len(before["state"]["sheets"]["House"]) == 1
        undone = table.play({"undo": 1})
        assert undone["state"]["player"] == "House"
        table.kill()
    assert read_entries(tmp_path)[-1].body["line"] == {"undo": 1}, "killed within the pause after an undo"
    with Running(tmp_path) as table:
        table.pair()
        after = played_until(table, lambda state: state["player"] == "Ann")
        assert after["terms"] == before["terms"]
        assert after["state"]["sheets"] == before["state"]["sheets"]


def test_play_command_refuses_a_mistyped_bot_level_and_names_the_nearest(tmp_path: Path) -> None:
    done = pegpip("play", "--data", str(tmp_path), "--house", "stedy", "--port", "0")
    assert done.returncode == 2
    assert "There is no level 'stedy'; did you mean 'steady'?" in done.stderr
