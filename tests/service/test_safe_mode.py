"""A table that can't start does not loop: after three tries its page is up, read-only, and says what is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from companion.commands import play
from companion.service.crash_loop import FILE_NAME, REVERT_AFTER, SAFE_MODE_AFTER, Starts
from companion.settings import last_good
from companion.settings.load import Origin, Settings
from companion.settings.starting import Starting
from companion.table.journal import Entry, Journal
from tests.system.running import Running, pegpip

HEADER = {"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"]}
UNIT = Path(__file__).resolve().parents[2] / "systemd" / "pegpip.service"


def unplayable(folder: Path) -> None:
    """A journal with a game, a throw, and an entry that this program has no use for."""
    journal = Journal(folder)
    journal.open()
    bodies: tuple[tuple[str, dict[str, Any]], ...] = (
        ("game", {"header": HEADER, "sitting": 1, "horizon": 1, "colours": {}}),
        ("line", {"line": {"throw": [5, 5, 2, 2, 1, 4, 6]}, "source": "hand"}),
        ("line", {"lime": 1}),
    )
    for number, (kind, body) in enumerate(bodies, start=1):
        throw = 1 if number == 2 else None
        journal.append(Entry(number=number, kind=kind, body=body, wall_s=0.0, throw=throw))
    journal.close()


def started(folder: Path) -> str:
    """Start a table that ends with status 1, and return what it said."""
    done = pegpip("play", "--host", "127.0.0.1", "--port", "0", "--data", str(folder))
    assert done.returncode == 1
    return done.stderr


def test_after_three_failed_starts_safe_mode_shows_the_reason(tmp_path: Path) -> None:
    unplayable(tmp_path)
    for _ in range(SAFE_MODE_AFTER):
        ended = started(tmp_path)
        assert "journal.jsonl: entry 3" in ended
        assert "Traceback" not in ended
    with Running(tmp_path) as table:
        state = table.state()
        assert (state["number"], state["state"]["dice"]) == (2, [1, 2, 2, 4, 5, 5, 6])
        assert state["phase"] == "over"
        assert state["notice"]["code"] == "ill"
        assert "entry 3" in state["notice"]["args"]["what"]
        assert "entry 3" in table.ask("/healthz")[1]["parts"]["table"]["says"]
        assert "power" in table.ask("/healthz")[1]["parts"], "an ill supply may be why it does not start"
        table.pair()
        status, answer = table.ask("/api/lines", {"number": 2, "line": {"do": "point", "value": 5}})
        assert status >= 400
        assert "Safe mode" in str(answer)
        assert table.ask("/")[0] == 200
        assert [game["id"] for game in table.ask("/api/evening")[1]["games"]] == [1]
        assert last_good.read(tmp_path) is None, "safe mode proves no settings"
        assert table.stop() == 130
    assert "entry 3" in started(tmp_path), "a start by hand is a try of its own"


def test_after_two_failed_starts_the_last_good_settings_come_back(tmp_path: Path) -> None:
    file = tmp_path / "pegpip.toml"
    file.write_text("[table]\nname = 'The Plough'\n")
    data = tmp_path / "data"
    with Running(data, "--config", str(file)):
        pass
    file.write_text("[table]\nname = 'The Crown'\n")
    for _ in range(REVERT_AFTER):
        starts = Starts(data)
        starts.begin()
        starts.failed("It ran out of memory.")
    with Running(data, "--config", str(file)) as table:
        says = table.ask("/healthz")[1]["parts"]["settings"]["says"]
        assert "name = 'The Crown' is left out; 'The Plough' is used" in says
        assert "ran out of memory" in says
        assert b"The Plough" in table.ask("/")[1]
    with Running(data, "--config", str(file)) as table:
        assert b"The Crown" in table.ask("/")[1], "the next start tries the settings again"


def test_a_cancelled_service_start_does_not_count_as_a_failed_start(tmp_path: Path) -> None:
    starts = Starts(tmp_path)
    starts.begin()
    starts.failed("no disk")
    later = Starts(tmp_path)
    later.begin()
    later.withdraw()
    assert Starts(tmp_path).begin() == ["no disk"]


def test_a_service_start_ended_by_ctrl_c_is_not_counted_as_a_failed_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Starting) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(play, "build", interrupted)
    with pytest.raises(KeyboardInterrupt):
        play._built(Starting(Settings(), Origin(tmp_path)), Starts(tmp_path))
    assert Starts(tmp_path).begin() == []


def test_a_successful_service_start_resets_the_count_of_failed_starts(tmp_path: Path) -> None:
    for number in range(SAFE_MODE_AFTER + 1):
        starts = Starts(tmp_path)
        assert len(starts.begin()) == number
        starts.failed(f"try {number}")
    assert Starts(tmp_path).begin() == [f"try {number}" for number in range(1, SAFE_MODE_AFTER + 1)]
    Starts(tmp_path).ready()
    assert Starts(tmp_path).begin() == []


def test_a_damaged_failed_starts_file_restarts_the_count_at_0(tmp_path: Path) -> None:
    starts = Starts(tmp_path)
    starts.begin()
    starts.failed("no disk")
    file = tmp_path / FILE_NAME
    file.write_bytes(file.read_bytes().replace(b"disk", b"\xe4isk"))
    assert Starts(tmp_path).begin() == []
    assert len(Starts(tmp_path).begin()) == 1


def test_under_systemd_the_failed_start_count_survives_a_service_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    Starts(tmp_path / "gone").begin()
    assert len(Starts(tmp_path / "gone").begin()) == 1
    assert {"RuntimeDirectory=pegpip", "RuntimeDirectoryPreserve=restart"} <= set(UNIT.read_text().splitlines())


def test_systemds_start_limit_is_higher_than_the_start_count_that_triggers_safe_mode() -> None:
    unit = UNIT.read_text()
    burst = re.search(r"^StartLimitBurst=(\d+)$", unit, re.MULTILINE)
    assert burst is not None
    assert int(burst[1]) > SAFE_MODE_AFTER
    assert "StartLimitIntervalSec=0" not in unit


def test_counting_failed_starts_raises_no_error_if_the_data_folder_is_missing(tmp_path: Path) -> None:
    starts = Starts(tmp_path / "not" / "there")
    assert starts.begin() == []
    starts.failed("no disk")
    assert not list(tmp_path.iterdir()), "nothing was written"
    starts.ready()


def test_repeated_starts_while_the_server_already_runs_are_refused_and_leave_it_healthy(tmp_path: Path) -> None:
    with Running(tmp_path) as table:
        for _ in range(SAFE_MODE_AFTER + 1):
            assert "Another table" in started(tmp_path)
        assert table.ask("/healthz")[0] == 200
