"""The house at a virtual table: it throws by itself, and goes on after the power was pulled in its turn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from running import Running

PEGPIP = str(Path(sys.executable).with_name("pegpip"))
PATIENCE_S = 90.0


def lines(state: dict[str, Any]) -> int:
    return int(state["state"]["line"])


def test_the_house_throws_and_decides_and_a_pulled_plug_does_not_stop_it(tmp_path: Path) -> None:
    options = ("--players", "House,Ann", "--house", "steady", "--game", "crag")
    with Running(tmp_path, *options) as table:
        before = table.until("/api/state", lambda state: state["state"] and lines(state) > 1, PATIENCE_S)
        assert before["terms"]["house"] == {"player": "House", "level": "steady"}
        table.kill()
    assert before["state"]["player"] == "House"
    with Running(tmp_path) as table:
        after = table.until("/api/state", lambda state: state["state"]["player"] == "Ann", PATIENCE_S)
        assert after["terms"] == before["terms"]
        assert after["state"]["player"] == "Ann"
        assert len(after["state"]["sheets"]["House"]) == 1
        table.pair()
        table.play({"undo": 1})
        again = table.until("/api/state", lambda state: state["state"]["player"] == "Ann", PATIENCE_S)
        assert again["state"]["sheets"] == after["state"]["sheets"]


def test_a_level_that_there_is_not_is_told_with_the_nearest(tmp_path: Path) -> None:
    done = subprocess.run(
        [PEGPIP, "play", "--data", str(tmp_path), "--house", "stedy", "--port", "0"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "steady" in done.stderr
