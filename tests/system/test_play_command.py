"""`pegpip play` from outside: it starts, prints its address, refuses bad settings and stops cleanly."""

from __future__ import annotations

import gc
import os
import signal
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from companion.commands import play
from companion.commands.watch import command as watch
from companion.service.addresses import served_port
from companion.settings.load import Settings
from tests.system.running import PEGPIP, Running, pegpip
from tests.waiting import PATIENCE_S

BARRED = "-dac_override,-dac_read_search"
WITHOUT_ROOTS_RIGHTS = ["setpriv", f"--bounding-set={BARRED}", f"--inh-caps={BARRED}"] if os.geteuid() == 0 else []
"""Command that runs another one without root's right to enter every folder."""


def test_play_command_prints_address_and_six_digit_pin_and_healthz_is_ok(tmp_path: Path) -> None:
    with Running(tmp_path, program=(PEGPIP,)) as table:
        status, health = table.ask("/healthz")
        assert (status, health["status"]) == (200, "ok")
        assert len(table.pin) == 6
        assert table.pin.isdecimal()
        assert table.state()["state"]["throw_sizes"] == [7]


def test_play_command_prints_the_virtual_tray_page_url_with_the_address_it_serves(tmp_path: Path) -> None:
    with Running(tmp_path, "--host", "127.0.0.2") as table:
        assert table.process.stdout is not None
        assert f"Throw simulated dice: {table.page}tray " in table.process.stdout.readline()


@pytest.mark.parametrize(("by", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_play_command_exits_130_on_sigint_and_0_on_sigterm(tmp_path: Path, by: int, status: int) -> None:
    with Running(tmp_path, program=(PEGPIP,)) as table:
        assert table.stop(by) == status


def test_play_command_on_a_taken_port_says_so_and_serves_on_another_port(tmp_path: Path) -> None:
    with Running(tmp_path / "a") as first:
        port = first.page.rstrip("/").rpartition(":")[2]
        with Running(tmp_path / "b", "--port", port) as second:
            assert any(f"Port {port} is taken" in line for line in second.said)
            assert second.ask("/healthz")[0] == 200


def test_a_second_play_command_on_the_same_data_is_refused_and_keeps_the_port_file(tmp_path: Path) -> None:
    with Running(tmp_path) as table:
        second = pegpip("play", "--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path))
        assert second.returncode == 1
        assert "Another table uses the data folder" in second.stderr
        assert table.page == f"http://127.0.0.1:{served_port(tmp_path)}/"
        table.stop()
    assert served_port(tmp_path) is None


@pytest.mark.parametrize(
    "words",
    [
        ["--camera", "vitrual"],
        ["--camera", "files:/nowhere/at/all"],
        ["--strip", "spii"],
        ["--players", "Ann,Ann"],
        ["--players", "Ann"],
        ["--game", "crip_dice"],
        ["--port", "70000"],
        ["--config", "x" * 300],
    ],
    ids=lambda words: " ".join(words)[:30],
)
def test_play_command_with_an_invalid_option_exits_2_without_a_traceback(tmp_path: Path, words: list[str]) -> None:
    done = pegpip("play", "--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path), *words)
    assert done.returncode == 2
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [("join", "--config"), ("doctor", "--config"), ("export",), ("watch",)], ids=" ".join)
def test_commands_on_a_path_the_system_refuses_print_its_reason_without_a_traceback(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "locked").mkdir(mode=0)
    for path, why in (("x" * 300, "File name too long"), (str(tmp_path / "locked" / "x"), "Permission denied")):
        done = pegpip(*words, path, through=WITHOUT_ROOTS_RIGHTS)
        assert done.returncode in (1, 2)
        assert f"{path}: {why}" in done.stderr
        assert "Traceback" not in done.stderr


def test_play_command_exits_with_an_error_for_an_unwritable_data_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    done = pegpip("play", "--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path / "file" / "data"))
    assert done.returncode in (1, 2)
    assert "--data" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_camera_healthz_is_degraded_and_phones_enter_throws(tmp_path: Path) -> None:
    with Running(tmp_path, "--camera", "opencv:61") as table:
        health = table.until("/healthz", lambda answer: answer["status"] == "degraded")
        assert health["status"] == "degraded"
        assert "phone" in health["parts"]["camera"]["says"]
        table.pair()
        assert table.play({"throw": [1, 1, 2, 3, 4, 5, 6]})["state"]["decisions"] == ["point"]


def test_posting_a_throw_to_the_web_api_gets_200_and_a_bad_request_4xx(tmp_path: Path) -> None:
    with Running(tmp_path) as table:
        number = table.state()["number"]
        throw = {"number": number, "line": {"throw": [1, 1, 2, 3, 4, 5, 6]}}
        assert table.ask("/api/lines", throw)[0] == 401
        table.pair()
        assert table.ask("/api/lines", b'{"number": ')[0] == 400
        assert table.ask("/api/lines", {"number": number - 1, "line": throw["line"]})[0] == 409
        assert table.ask("/api/lines", {"number": number, "line": {"throw": [1]}})[0] == 422
        assert table.ask("/api/lines", b"[" + b"1," * 200_000 + b"1]")[0] == 413
        assert table.ask("/api/lines", throw, [("Origin", "http://elsewhere.example")])[0] == 403
        assert table.ask("/api/lines", throw)[0] == 200


def test_play_command_prints_no_escape_codes_without_a_terminal(tmp_path: Path) -> None:
    with Running(tmp_path, "--verbose") as table:
        table.process.send_signal(signal.SIGINT)
        _, logged = table.process.communicate(timeout=PATIENCE_S)
        assert "INFO" in logged
        assert "\x1b" not in logged + "".join(table.said)


def test_play_command_creates_an_empty_settings_file_if_there_is_none(tmp_path: Path) -> None:
    file = tmp_path / "new" / "pegpip.toml"
    with Running(tmp_path / "data", "--config", str(file)) as table:
        assert tomllib.loads(file.read_text()) == {}
        assert table.ask("/healthz")[1]["parts"]["settings"] == {"ok": True, "says": "all settings are used"}


def test_play_command_exits_2_if_the_settings_file_cannot_be_created(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    words = ("--port", "0", "--data", str(tmp_path / "data"), "--config", str(tmp_path / "file/pegpip.toml"))
    done = pegpip("play", "--host", "127.0.0.1", *words)
    assert done.returncode == 2
    assert "can't be created" in done.stderr


def test_play_reports_a_broken_settings_file_and_uses_last_good_settings(tmp_path: Path) -> None:
    file = tmp_path / "pegpip.toml"
    file.write_text("[strip]\nlayout = 'matrix16'\n")
    with Running(tmp_path / "data", "--config", str(file)):
        pass
    file.write_text("[strip\n")
    with Running(tmp_path / "data", "--config", str(file)) as table:
        assert "not TOML" in table.ask("/healthz")[1]["parts"]["settings"]["says"]
        assert len(table.ask("/api/board")[1]["leds"]) == 256


def test_play_command_excludes_startup_objects_from_garbage_collection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, searched = len(gc.get_objects()), list[int]()

    def run(ready: Callable[[], None]) -> None:
        ready()
        searched.append(len(gc.get_objects()))
        gc.unfreeze()

    monkeypatch.setattr(play, "_built", lambda *_: SimpleNamespace(run=run, settings=Settings(), parts=()))
    for left_out in ("_announce", "share_one_heap", "signal.signal", "logs.configure_logging"):
        monkeypatch.setattr(f"companion.commands.play.{left_out}", lambda *_, **__: None)
    done = CliRunner().invoke(play.command, ["--data", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert searched[0] < there / 10


def test_watch_command_refuses_a_missing_video_and_an_opencv_camera_without_an_index() -> None:
    for source, told in (("missing.mp4", "no video file 'missing.mp4'"), ("opencv", "say which index")):
        done = CliRunner().invoke(watch, [source])
        assert told in str(done.exception)
