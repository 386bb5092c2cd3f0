"""The journal: on disk before it is told, and ill in words when the disk is."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from companion.errors import DeviceError
from companion.table.journal import FILE_NAME, Entry, Journal, read_entries


def entry(number: int, **changed: object) -> Entry:
    values = {"number": number, "kind": "line", "body": {"line": {"do": "stop"}}, "wall_s": 12.5, "throw": None}
    return Entry(**{**values, **changed})


def opened(folder: Path) -> Journal:
    journal = Journal(folder)
    journal.open()
    return journal


def test_what_was_appended_is_read_back_by_another(tmp_path: Path) -> None:
    journal = opened(tmp_path / "deep" / "data")
    journal.append(entry(1, kind="game", body={"header": {"players": ["Ä", "B"]}}))
    journal.append(entry(2, throw=1))
    assert read_entries(tmp_path / "deep" / "data") == tuple(journal.entries())
    assert [e.number for e in journal.entries(first=2)] == [2]
    assert (journal.tail.number, journal.tail.last_throw) == (2, 1)
    journal.close()


def test_a_commit_waits_for_the_disk_and_lies_in_the_database_itself(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    connection = journal._open_connection()
    assert connection.execute("PRAGMA synchronous").fetchone() == (3,)  # EXTRA
    assert connection.execute("PRAGMA journal_mode").fetchone() == (b"persist",)
    journal.append(entry(1, body={"text": "a needle in the file"}))
    for copy in (FILE_NAME, "journal.jsonl"):
        assert b"a needle in the file" in (tmp_path / copy).read_bytes()
    journal.close()


def test_an_entry_can_be_neither_changed_nor_deleted_nor_numbered_twice(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.append(entry(1))
    with pytest.raises(DeviceError):
        journal.append(entry(1, wall_s=99.0))
    journal.close()
    raw = sqlite3.connect(tmp_path / FILE_NAME)
    for statement in ("DELETE FROM entries", "UPDATE entries SET kind = 'x'"):
        with pytest.raises(sqlite3.IntegrityError, match="only grows"):
            raw.execute(statement)
    raw.close()
    assert read_entries(tmp_path) == (entry(1),)


def test_a_full_disk_is_told_with_its_cure_and_loses_nothing(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.append(entry(1))
    pages = journal._open_connection().execute("PRAGMA page_count").fetchone()[0]
    journal._open_connection().execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(DeviceError, match="disk is full") as ill:
        fill(journal)
    assert "Free some space" in ill.value.cure
    before = list(journal.entries())
    journal._open_connection().execute("PRAGMA max_page_count = 1000000")
    journal.append(entry(len(before) + 1))
    assert list(journal.entries()) == [*before, entry(len(before) + 1)]
    journal.close()


def test_a_file_size_limit_below_sqlite_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    script = """
        import resource, signal, sys
        from pathlib import Path
        from companion.errors import DeviceError
        from companion.table.journal import Entry, Journal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        journal = Journal(Path(sys.argv[1]))
        journal.open()
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
        number = 0
        try:
            while True:
                journal.append(Entry(number=number + 1, kind="line", body={"text": "x" * 300}, wall_s=0.0))
                number += 1
        except DeviceError as ill:
            print(number, ill.cure)
    """
    done = run(script, tmp_path)
    acknowledged, cure = done.stdout.split(" ", 1)
    assert int(acknowledged) > 0
    assert "disk" in cure
    assert len(read_entries(tmp_path)) == int(acknowledged)


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough" * 100, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_damaged_or_foreign_file_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(DeviceError, match="Move it") as ill:
        Journal(tmp_path).open()
    assert FILE_NAME in ill.value.what
    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_a_database_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    raw = sqlite3.connect(tmp_path / FILE_NAME)
    raw.execute("CREATE TABLE recipes (name TEXT)")
    raw.commit()
    raw.close()
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(DeviceError, match="another program"):
        Journal(tmp_path).open()
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    opened(tmp_path).close()
    raw = sqlite3.connect(tmp_path / FILE_NAME)
    raw.execute("PRAGMA user_version = 99")
    raw.commit()
    raw.close()
    with pytest.raises(DeviceError, match="schema 99"):
        Journal(tmp_path).open()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DeviceError, match="can't be written") as ill:
        Journal(tmp_path / "file" / "data").open()
    assert "--data" in ill.value.cure


def test_two_tables_cannot_use_one_folder(tmp_path: Path) -> None:
    first = opened(tmp_path)
    with pytest.raises(DeviceError, match="Another table"):
        Journal(tmp_path).open()
    first.close()
    opened(tmp_path).close()


def fill(journal: Journal) -> None:
    for number in range(2, 5000):
        journal.append(entry(number, body={"text": "x" * 500}))


def run(script: str, folder: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", textwrap.dedent(script), str(folder)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=check, timeout=600)
