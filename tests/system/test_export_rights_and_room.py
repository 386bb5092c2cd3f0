"""`pegpip export` from a full disk, and from folders and settings that its user may not read."""

from __future__ import annotations

import errno
import io
import os
import tempfile
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from companion.backup import export
from companion.commands.export import command as export_table
from tests.system.backing_up import exported, imported, kept_in


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return kept_in(tmp_path)


def test_an_export_needs_no_room_but_for_its_archive(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: with a full card, an export to a stick named the stick as the disk that was full."""
    archive, opened = (table.parent / "all.zip").parent, io.open

    def written(file: Any, mode: str = "r", *given: Any, **named: Any) -> Any:
        if isinstance(file, str | Path) and not mode.startswith("r") and Path(file).parent != archive:
            raise OSError(errno.ENOSPC, "No space left on device", str(file))
        return opened(file, mode, *given, **named)

    monkeypatch.setattr(io, "open", written)
    monkeypatch.setattr(tempfile, "mkdtemp", partial(written, "/full", "w"))
    file, done = exported(table)
    monkeypatch.undo()
    assert (done.exception, done.return_value) == (None, 0)
    assert imported(file, table.parent / "new").return_value == 0


@pytest.mark.parametrize("name", ["photos", "evidence/virtual-none", "."])
def test_an_export_without_the_right_to_read_a_folder_fails(
    table: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault: it left the photos out and reported no error."""
    (table / name).mkdir(parents=True, exist_ok=True)
    bar(table / name, monkeypatch)
    file, done = exported(table)
    assert f"{(table / name)} can't be read (Permission denied)." in str(done.exception)
    assert not file.exists()


@pytest.mark.parametrize("name", ["lost+found", ".Trash-1000", "replaced-1", "damaged-1", "import.part"])
def test_an_export_succeeds_although_a_folder_that_it_leaves_out_is_unreadable(
    table: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (table / name).mkdir()
    bar(table / name, monkeypatch)
    file, done = exported(table)
    assert done.return_value == 0
    with zipfile.ZipFile(file) as archive:
        assert sorted(archive.namelist()) == [
            *("data/journal.jsonl", "data/photos/1.jpg", "data/photos/2.jpg", "data/review.json"),
            *("manifest.json", "settings.toml"),
        ]


def bar(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody list a folder, not even root, who runs some of the tests."""
    scandir = os.scandir

    def refused(path: Any) -> Any:
        if str(path) == str(folder):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)


def test_an_export_without_permission_to_read_the_settings_file_suggests_the_config_option(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_file = Path.is_file

    def refused(path: Path) -> bool:
        if path.name == "old.toml":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refused)
    said = str(exported(table)[1].exception)
    assert f"{table.parent / 'old.toml'} can't be read" in said
    assert "--config" in said


def test_an_export_ignores_a_default_settings_file_that_does_not_exist(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault: `sudo pegpip export` failed at root's file, since the folder's owner can't look into root's home."""
    given: list[Path | None] = []

    def written(_folder: Path, settings_file: Path | None, _to: Path, **_about: str) -> dict[str, Any]:
        given.append(settings_file)
        return {"files": [], "entries": 0, "foreign": []}

    monkeypatch.setattr(export, "write_archive", written)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(table.parent))
    words = ["--data", str(table), str(table.parent / "all.zip")]
    CliRunner().invoke(export_table, words, catch_exceptions=False)
    (table.parent / "pegpip").mkdir()
    (table.parent / "pegpip" / "pegpip.toml").touch()
    CliRunner().invoke(export_table, words, catch_exceptions=False)
    assert given == [None, table.parent / "pegpip" / "pegpip.toml"]
