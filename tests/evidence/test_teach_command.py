"""`pegpip teach`: which answers it takes, how long it waits for one, and the settings of its camera."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from companion.backup import rights
from companion.cli import pegpip
from companion.commands.analysis.teach import command
from companion.errors import DeviceError, SetupError
from companion.evidence import lesson
from companion.evidence.taught import TaughtSets
from companion.table.lock import FILE_NAME as LOCK
from companion.table.lock import InUse, locked
from vision.cameras import opening
from vision.watching import watcher
from vision.watching.watcher import Settled

FIXTURES = Path(__file__).parents[2] / "fixtures" / "images"


def _taught_by_command(
    folder: Path, throws: list[Settled], said: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Any], Result]:
    """Run `pegpip teach` on throws, with a person who says `said`; return the labels of each that was learnt."""
    learnt: list[Any] = []

    class Watched:
        def __init__(self, *_given: Any) -> None:
            pass

        def events(self) -> Iterator[Settled]:
            yield from throws

        def stop(self) -> None:
            pass

    monkeypatch.setattr(watcher, "Watcher", Watched)
    monkeypatch.setattr(TaughtSets, "learn", lambda _sets, _name, _picture, _read, labels, _rig: learnt.append(labels))
    return learnt, CliRunner().invoke(command, ["--camera", f"files:{FIXTURES}", "--data", str(folder)], input=said)


@pytest.mark.parametrize("said", ["36", "3 6", "3,6", "3, 6"])
def test_the_teach_command_takes_values_with_or_without_commas(
    said: str, tmp_path: Path, settled: list[Settled], monkeypatch: pytest.MonkeyPatch
) -> None:
    two = replace(settled[0], reading=replace(settled[0].reading, dice=settled[0].reading.dice[:2]))
    assert _taught_by_command(tmp_path, [two], f"{said}\ns\n", monkeypatch)[0] == [[3, 6]]


@pytest.mark.parametrize("said", ["six", "3-6", ","])
def test_the_teach_command_explains_how_to_type_dice_values_after_an_invalid_answer(
    said: str, tmp_path: Path, settled: list[Settled], monkeypatch: pytest.MonkeyPatch
) -> None:
    learnt, done = _taught_by_command(tmp_path, settled[:1], f"{said}\ns\n", monkeypatch)
    assert (learnt, "give one value" in done.stderr or "as in 3 1 6" in done.stderr) == ([], True), done.stderr


@pytest.mark.parametrize("name", ["A" * 25, "\u202eneat", "  "])
def test_the_teach_command_refuses_a_dice_set_name_that_no_game_accepts(name: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["--set", name, "--camera", "virtual", "--data", str(tmp_path)])
    assert (type(done.exception), "--set: " in str(done.exception)) == (SetupError, True)


@pytest.mark.parametrize("words", [[], ["--forget"]])
def test_teach_command_refuses_all_but_listing_while_a_table_uses_its_data(words: list[str], tmp_path: Path) -> None:
    where = ["--camera", "virtual", "--data", str(tmp_path)]
    with locked(tmp_path):
        done = CliRunner().invoke(command, [*words, *where])
        assert isinstance(done.exception, InUse)
        assert CliRunner().invoke(command, ["--list", *where]).exit_code == 0
    done = CliRunner().invoke(command, ["--forget", *where])
    assert isinstance(done.exception, SetupError), "nothing was taught"


def test_the_teach_command_has_no_time_limit_for_an_answer(
    tmp_path: Path, settled: list[Settled], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson, "IDLE_S", 1e-9)
    learnt, done = _taught_by_command(tmp_path, settled[:2], "\n\n", monkeypatch)
    assert learnt == [[die.value for die in each.reading.dice] for each in settled[:2]]
    assert done.exit_code == 0


def test_the_teach_command_writes_its_files_as_the_owner_of_the_data_folder(
    tmp_path: Path, settled: list[Settled], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault: a lock that `sudo pegpip teach` made was root's, and the owner's table could not start."""
    seen: list[tuple[Path, bool]] = []

    @contextmanager
    def of_owner(folder: Path) -> Iterator[None]:
        seen.append((folder, (folder / LOCK).exists()))
        yield
        seen.append((folder, (folder / LOCK).exists()))

    monkeypatch.setattr(rights, "of_owner", of_owner)
    assert len(_taught_by_command(tmp_path, settled[:1], "\n", monkeypatch)[0]) == 1
    assert seen == [(tmp_path, is_locked) for is_locked in (False, True, True, True)], "the lock, then the throw"


@pytest.mark.parametrize("words", [["teach", "--camera", "picamera2"], ["watch", "picamera2"]])
def test_the_teach_and_watch_commands_use_mains_hz_of_the_settings(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def opened(_source: str, dice: int = 7, mains_hz: int = 0) -> None:
        asked.append(mains_hz)
        raise DeviceError("There is no camera.", "Plug one in.")

    monkeypatch.setattr(opening, "open_camera", opened)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "pegpip").mkdir()
    (tmp_path / "pegpip" / "pegpip.toml").write_text("[camera]\nmains_hz = 60\n")
    CliRunner().invoke(pegpip, words)
    assert asked == [60]


@pytest.mark.parametrize("words", [["teach"], ["teach", "--camera", "virtual "], ["watch", "virtual"]])
def test_teach_and_watch_refuse_the_virtual_tray_that_nobody_can_throw_into(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both waited without end; teach, as a new table has the virtual camera, even without arguments."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(watcher.Watcher, "events", lambda _self: iter(()))
    done = CliRunner().invoke(pegpip, [*words, "--data", str(tmp_path)])
    assert (type(done.exception), "pegpip play" in str(done.exception)) == (SetupError, True)


def test_watch_command_with_a_newly_added_simulated_camera_ends_at_its_first_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A recording does not get well by waiting. The command had a list of its own, which lacked new recordings."""
    torn = watcher.Ill(DeviceError("The tape is torn.", "Splice it."))
    tape = opening.MissingCamera("tape", lambda: opening.open_camera("virtual"))
    monkeypatch.setitem(opening.CAMERAS, "tape", opening.CameraKind(lambda *_: tape, "A tape.", simulated=True))
    monkeypatch.setattr(watcher.Watcher, "events", lambda _self: iter([torn, torn]))
    done = CliRunner().invoke(pegpip, ["watch", "tape"], standalone_mode=False)
    assert (done.return_value, done.stderr.count("The tape is torn.")) == (1, 1)


def test_teach_list_prints_a_hint_but_with_json_prints_nothing_if_no_dice_set_was_taught(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["--list", "--data", str(tmp_path)], standalone_mode=False)
    assert (done.return_value, done.stdout, "`pegpip teach` teaches one" in done.stderr) == (0, "", True)
    done = CliRunner().invoke(command, ["--list", "--json", "--data", str(tmp_path)], standalone_mode=False)
    assert (done.return_value, done.output) == (0, "")
