"""`pegpip import` and power cuts: what it reports is on the disk, and one that is cut off is never passed over."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from unittest.mock import patch

import click
import pytest

from companion.backup.restore import read_archive
from companion.diagnostics.machine import check_playable, check_recovery
from companion.table.journal import Entry, Journal, read_entries
from tests.system.backing_up import entry, exported, imported, kept_in


def older_table(folder: Path) -> tuple[Entry, ...]:
    """Make a table with nine entries, whose anchor is in the same folder; return its entries."""
    journal = Journal(folder / "data", anchors=folder)
    journal.open()
    for number in range(1, 10):
        journal.append(entry(number))
    journal.close()
    return read_entries(folder / "data")


def import_until(renames: int, file: Path, folder: Path) -> bool:
    """Import a backup in a process that ends before its rename number `renames`; return whether it came to its end."""
    child = os.fork()
    if not child:
        rename, left = Path.rename, iter(range(renames))

        def cut(path: Path, to: Path) -> Path:
            if next(left, None) is None:
                os._exit(1)
            return rename(path, to)

        try:
            with patch.object(Path, "rename", cut):
                read_archive(file, folder / "data", folder / "new.toml", replace=True)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def test_an_import_syncs_the_disk_before_it_renames_its_files_and_again_before_it_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, _ = exported(kept_in(tmp_path))
    done: list[str] = []
    rename, echo = Path.rename, click.echo

    def renamed(path: Path, to: Path) -> Path:
        done.append("named")
        return rename(path, to)

    def reported(text: str) -> None:
        done.append("reported")
        echo(text)

    monkeypatch.setattr(Path, "rename", renamed)
    monkeypatch.setattr(click, "echo", reported)
    monkeypatch.setattr(os, "sync", lambda: done.append("synced"))
    assert imported(file, tmp_path / "new").return_value == 0
    named = done.count("named")
    assert done[: named + 3] == ["synced", *["named"] * named, "synced", "reported"]


def test_an_import_cut_off_at_any_rename_leaves_all_old_or_all_new_entries_or_is_reported(tmp_path: Path) -> None:
    """With the mark of an import and no journal a table started empty, and called itself well."""
    table = kept_in(tmp_path)
    file, _ = exported(table)
    for renames in itertools.count():
        there = tmp_path / str(renames)
        before = older_table(there)
        whole = import_until(renames, file, there)
        journal = Journal(there / "data", anchors=there)
        report = journal.open()
        journal.close()
        assert report is not None or read_entries(there / "data") in (before, read_entries(table)), renames
        if whole:
            break


def test_the_doctor_reports_an_import_cut_off_halfway_until_an_import_succeeds(tmp_path: Path) -> None:
    file, _ = exported(kept_in(tmp_path))
    older = older_table(tmp_path)
    assert not import_until(3, file, tmp_path)
    for found in (check_playable(tmp_path / "data"), check_recovery(tmp_path / "data")):
        assert not found.ok
        assert "cut off: import.part in it" in found.says
        assert found.says.endswith("put aside is in replaced-1.")
    done = imported(file, tmp_path / "data", "--replace")
    assert "cut off: look for older data in replaced-1, too" in done.output
    assert check_playable(tmp_path / "data").ok
    assert read_entries(tmp_path / "data" / "replaced-1") == older
    again = imported(file, tmp_path / "data", "--replace")
    assert "cut off" not in again.output
