"""`pegpip import` restores what `pegpip export` wrote; older data is put aside only with --replace."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import click
import pytest

from companion.adapters.reader_setup import calibration_status, save_calibration
from companion.diagnostics import bundle
from companion.errors import DeviceError
from companion.evidence.sharing import write_export
from companion.settings.load import Settings
from companion.table.journal import FIRST, SECOND, Journal, read_entries
from companion.table.journal.copies import lines
from companion.table.lock import FILE_NAME as LOCK
from companion.table.lock import InUse, locked
from companion.table.photos import Photos
from tests.system.backing_up import SETTINGS, entry, exported, files_beside, imported, kept_in, tree
from vision.calibration.store import FILE_NAME as CALIBRATION
from vision.calibration.store import Stored, load_calibration
from vision.cameras.simulated.camera import VirtualCamera


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return kept_in(tmp_path)


def test_an_import_restores_every_file_except_the_paired_phones(table: Path) -> None:
    save_calibration(table, Stored("opencv:0", "today", VirtualCamera(1).rig()))
    file, done = exported(table)
    assert done.return_value == 0, done
    assert "5 entries" in done.output
    assert "2 photos" in done.output
    fresh = table.parent / "new"
    assert imported(file, fresh).return_value == 0
    assert read_entries(fresh) == read_entries(table)
    kept = {name: body for name, body in tree(table).items() if name != "paired.json"}
    assert CALIBRATION in kept
    assert tree(fresh) == kept
    assert all((fresh / name).read_bytes() == (table / name).read_bytes() for name in (FIRST, SECOND))
    assert (table.parent / "new.toml").read_text() == SETTINGS
    assert not (fresh / "import.part").exists()


def test_an_imported_league_key_can_be_read_by_its_owner_only(table: Path) -> None:
    (table / "league-key.pem").write_text("a key")
    assert imported(exported(table)[0], table.parent / "new").return_value == 0
    assert (table.parent / "new" / "league-key.pem").stat().st_mode & 0o777 == 0o600


def test_an_imported_journal_opens_undamaged_and_goes_on_at_the_next_entry(table: Path) -> None:
    fresh = table.parent / "new"
    imported(exported(table)[0], fresh)
    journal = Journal(fresh)
    assert journal.open() is None
    journal.append(entry(6))
    journal.close()
    assert len(read_entries(fresh)) == 6


def test_an_export_during_play_holds_the_entries_written_so_far(table: Path) -> None:
    journal = Journal(table)
    journal.open()
    journal.append(entry(6))
    file, done = exported(table)
    journal.append(entry(7))
    journal.close()
    assert done.return_value == 0
    fresh = table.parent / "new"
    assert imported(file, fresh).return_value == 0
    assert len(read_entries(fresh)) == 6


def test_an_export_fsyncs_the_archive_and_its_folder_before_reporting_success(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut right after the report must lose neither the archive's content nor its folder entry."""
    done: list[tuple[str, int | Path | None]] = []
    fsync, rename, echo = os.fsync, os.replace, click.echo

    def synced(file: int) -> None:
        done.append(("synced", os.fstat(file).st_ino))
        fsync(file)

    def renamed(source: Path, to: Path) -> None:
        done.append(("renamed", to))
        rename(source, to)

    def reported(text: str) -> None:
        done.append(("reported", None))
        echo(text)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    monkeypatch.setattr(click, "echo", reported)
    file, _ = exported(table)
    content, entry_of_folder = ("synced", file.stat().st_ino), ("synced", file.parent.stat().st_ino)
    assert done == [content, ("renamed", file), entry_of_folder, ("reported", None)]


def test_pegpip_import_into_a_running_tables_data_folder_is_refused(table: Path) -> None:
    file, _ = exported(table)
    journal = Journal(table)
    journal.open()
    done = imported(file, table, "--replace")
    journal.close()
    assert "Stop it" in str(done.exception)
    assert len(read_entries(table)) == 5


def test_an_import_does_not_delete_the_lock_file_of_a_table_that_starts_during_it(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deleted lock would let a second table into the same folder."""
    fresh, tables = table.parent / "new", list[IO[bytes]]()

    def lock_of_another(folder: Path) -> IO[bytes]:
        tables.append(locked(folder))
        return locked(folder)

    monkeypatch.setattr("companion.backup.restore.locked", lock_of_another)
    assert "Stop it" in str(imported(exported(table)[0], fresh).exception)
    assert (fresh / LOCK).exists()
    with pytest.raises(InUse):
        locked(fresh)
    tables[0].close()


@pytest.mark.parametrize("harm", ["missing", "empty", "cut", "changed"])
def test_an_export_takes_the_second_journal_copy_if_the_first_is_damaged_or_missing(table: Path, harm: str) -> None:
    """The fault: an export held no games, or lacked the last throw, and reported no error."""
    whole = (table / FIRST).read_bytes()
    (table / FIRST).write_bytes({"cut": whole[:-7], "changed": whole[:-40] + b"?" + whole[-39:]}.get(harm, b""))
    if harm == "missing":
        (table / FIRST).unlink()
    file, done = exported(table)
    assert "5 entries of the journal, 2 photos" in done.output
    assert imported(file, table.parent / "new").return_value == 0
    assert (table.parent / "new" / FIRST).read_bytes() == whole


def test_a_folder_with_only_the_journals_second_copy_can_be_exported(table: Path) -> None:
    for path in [*(table / "photos").iterdir(), *(each for each in table.iterdir() if each.is_file())]:
        if path.name != SECOND:
            path.unlink()
    file, done = exported(table)
    assert "5 entries of the journal" in done.output, done
    assert imported(file, table.parent / "new").return_value == 0
    assert (table.parent / "new" / FIRST).read_bytes() == (table / SECOND).read_bytes()
    assert "holds a table already" in str(imported(file, table).exception)


@pytest.mark.parametrize("kept", [0, 3])
def test_an_export_is_refused_if_the_longer_journal_copy_is_damaged(table: Path, kept: int) -> None:
    whole = (table / FIRST).read_bytes()
    (table / FIRST).write_bytes(b"".join(whole.splitlines(keepends=True)[:kept]))
    (table / SECOND).write_bytes(whole[:-40] + b"?" + whole[-39:])
    assert "journal-copy.jsonl is damaged: the entry after 4" in str(exported(table)[1].exception)


def test_data_with_a_damaged_calibration_can_be_exported_and_imported(table: Path) -> None:
    """The import refused all of it, on a machine where nobody could mend the calibration."""
    (table / CALIBRATION).write_bytes(b"PK damaged")
    assert imported(exported(table)[0], table.parent / "new").return_value == 0
    assert "damaged" in calibration_status(table.parent / "new", "virtual")[1]
    assert len(read_entries(table.parent / "new")) == 5


def test_an_export_overwrites_an_existing_file_only_with_replace(table: Path) -> None:
    file = table.parent / "all.zip"
    file.write_text("mine")
    assert "--replace" in str(exported(table)[1].exception)
    assert file.read_text() == "mine"
    assert exported(table, "--replace")[1].return_value == 0
    assert zipfile.is_zipfile(file)


def test_an_export_or_bug_report_refuses_to_overwrite_a_named_pipe(table: Path, tmp_path: Path) -> None:
    """Root would put a file in the place of /dev/null."""
    file = tmp_path / "all.zip"
    os.mkfifo(file)
    assert f"{file} exists. Name another file." in str(exported(table, "--replace")[1].exception)
    with pytest.raises(DeviceError, match="no regular file"):
        write_export((), file)
    with pytest.raises(OSError, match="no regular file"):
        bundle.write(file, Settings(), (), photos=False)
    assert file.is_fifo()


def test_an_export_creates_only_the_archive_beside_the_data_folder(table: Path) -> None:
    before = set(table.parent.iterdir())
    exported(table)
    assert set(table.parent.iterdir()) - before == {table.parent / "all.zip"}


def test_the_export_skips_and_lists_files_with_unknown_names(table: Path) -> None:
    """Once they went along, and the import then refused all of it."""
    (table / "my notes.txt").write_text("a shopping list")
    (table / os.fsdecode(b"caf\xe9.txt")).write_text("a name that is no text")
    (table / ".Trash-1000").mkdir()
    (table / ".Trash-1000" / "1.jpg").write_text("hidden, as a desktop leaves it on a stick")
    file, done = exported(table)
    assert done.return_value == 0, done
    assert "'my notes.txt'" in done.output
    assert r"caf\udce9.txt" in done.output
    assert "my notes.txt" in exported(table, "--json", "--replace")[1].output
    assert "Trash" not in done.output
    assert imported(file, table.parent / "new").return_value == 0
    assert read_entries(table.parent / "new") == read_entries(table)


def test_an_export_leaves_out_older_whole_exports_but_keeps_a_damaged_zip(table: Path) -> None:
    file, _ = exported(table)
    before = tree(table)
    (table / "backups").mkdir()
    (table / "backups" / "may.zip").write_bytes(file.read_bytes())
    (table / "damaged.zip").write_bytes(file.read_bytes()[:100])
    done = exported(table, "--replace")[1]
    assert "no files of a table: 'backups/may.zip'." in done.output
    assert imported(file, table.parent / "new").return_value == 0
    assert tree(table.parent / "new").keys() == {*before, "damaged.zip"} - {"paired.json"}


def test_an_empty_data_folder_can_not_be_exported(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old.toml").write_text("")
    _, done = exported(tmp_path / "old")
    assert "nothing to export" in str(done.exception)


def test_an_import_over_existing_data_needs_the_replace_option_and_keeps_the_old_data_aside(table: Path) -> None:
    file, _ = exported(table)
    other = table.parent / "other"
    Photos(other).start(0)
    assert Photos(other).keep(9, b"\xff\xd8older")
    (other / "paired.json").write_text("[]")
    (table.parent / "other.toml").write_text("[web]\nport = 80\n")
    before = tree(other)
    assert "--replace" in str(imported(file, other).exception)
    assert tree(other) == before
    done = imported(file, other, "--replace")
    assert done.return_value == 0, done
    assert (other / "replaced-1" / "photos" / "9.jpg").read_bytes() == b"\xff\xd8older"
    assert "replaced-1" in done.output
    assert (other / "paired.json").exists(), "phones stay paired"
    assert len(read_entries(other)) == 5
    assert (table.parent / "other.toml.replaced-1").read_text().startswith("[web]")
    assert imported(file, other, "--replace").return_value == 0
    assert (other / "replaced-2" / FIRST).exists()


def test_an_import_into_the_top_folder_of_a_disk_keeps_the_lost_found_folder_there(table: Path) -> None:
    """Root owns that folder; moving it aside failed, and so did the import."""
    file, _ = exported(table)
    (table.parent / "disk" / "lost+found").mkdir(mode=0o500, parents=True)
    assert imported(file, table.parent / "disk").return_value == 0
    assert (table.parent / "disk" / "lost+found").exists()


def test_an_import_changes_nothing_if_the_journal_cannot_be_moved_into_place(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, _ = exported(table)
    before, rename = files_beside(table), Path.rename

    def refused(path: Path, to: Path) -> Path:
        if path.parent.name == "data" and path.name == FIRST:
            raise OSError(30, "Read-only file system", str(path))
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", refused)
    assert "Read-only" in str(imported(file, table, "--replace").exception)
    assert files_beside(table) == before


def test_after_importing_a_backup_without_a_journal_the_new_journal_reports_no_damage(table: Path) -> None:
    anchors = table.parent / "anchors"
    journal = Journal(table, anchors=anchors)
    journal.open()
    journal.append(entry(6))
    journal.close()
    other = table.parent / "other"
    other.mkdir()
    (other / "notes.txt").write_text("of a table that has not played")
    assert imported(exported(other)[0], table, "--replace").return_value == 0
    journal.open()
    assert journal.health()[0]
    journal.append(entry(1))
    journal.close()
    assert list(table.glob("damaged-*")) == []


def test_export_omits_a_photo_of_a_throw_after_the_last_journal_entry(table: Path) -> None:
    assert Photos(table).keep(5, b"\xff\xd8thrown since")
    with zipfile.ZipFile(exported(table)[0]) as archive:
        assert [name for name in archive.namelist() if name.endswith(".jpg")] == [
            "data/photos/1.jpg",
            "data/photos/2.jpg",
        ]


def test_export_has_the_photo_of_a_throw_made_while_it_copies_the_journal(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    photo = (table / "photos" / "2.jpg").read_bytes()
    (table / "photos" / "2.jpg").unlink()

    def copied_late(journal: Path) -> Iterator[bytes]:
        assert Photos(table).keep(2, photo)
        return lines(journal)

    monkeypatch.setattr("companion.backup.export.lines", copied_late)
    with zipfile.ZipFile(exported(table)[0]) as archive:
        assert "data/photos/2.jpg" in archive.namelist()


def test_a_named_pipe_is_refused_as_import_archive_and_as_calibration(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert f"{pipe} is no file. Name the one that" in str(imported(pipe, tmp_path / "new").exception)
    with pytest.raises(DeviceError, match=r"calibration .*pipe is damaged"):
        load_calibration(pipe)
