"""An archive that no export wrote, or that is damaged, is refused, and nothing is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import CompanionError, DeviceError, SetupError
from companion.settings.last_good import FILE_NAME as LAST_GOOD
from companion.table.journal import Entry, Journal, read_entries
from tests.system.backing_up import entry, exported, imported, kept_in, repacked, tree, with_journal


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return kept_in(tmp_path)


def _outside(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["data/../../evil"] = b"x"


def _absolute(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["/tmp/evil"] = b"x"


def _paired(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["data/paired.json"] = b'["a stranger"]'


def _last_good(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["data/" + LAST_GOOD] = b'{"buttons": {"shutdown_command": ["/tmp/evil"]}}'


def _hidden(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["data/.bashrc"] = b"x"


def _both(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["data/review.json/x"] = b"x"


def _other_program(_held: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["program"] = "paint"


def _newer(_held: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["format"] = 2


def _no_list(_held: dict[str, bytes], manifest: dict[str, Any]) -> None:
    del manifest["files"]


def _fewer_entries(_held: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["entries"] = 4


def _no_journal(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["data/journal.jsonl"] = b"no journal at all\n" * 100


def _bad_settings(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["settings.toml"] = b"[tabel]\nname = 3\n"


FORGERIES = (
    _outside, _absolute, _paired, _last_good, _hidden, _both, _other_program, _newer, _no_list, _fewer_entries,
    _no_journal, _bad_settings,
)  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda each: each.__name__.strip("_"))
@pytest.mark.parametrize("there", [False, True], ids=["fresh", "over-a-table"])
def test_the_import_of_a_forged_archive_is_refused_and_changes_nothing(table: Path, forgery: Any, there: bool) -> None:
    forged = repacked(exported(table)[0], forgery)
    folder = table if there else table.parent / "new"
    before = tree(table.parent)
    done = imported(forged, folder, "--replace")
    assert isinstance(done.exception, DeviceError | SetupError), done
    assert tree(table.parent) == before
    assert there or not folder.exists()


def test_a_journal_entry_of_an_impossible_time_is_refused_by_the_import(table: Path) -> None:
    journal = Journal(table)
    journal.open()
    journal.append(msgspec.structs.replace(entry(6), wall_s=1e300))
    journal.close()
    done = imported(exported(table)[0], table.parent / "new")
    assert isinstance(done.exception, DeviceError), done


def test_an_import_never_takes_derived_files_from_an_archive(table: Path) -> None:
    """A start would trust games.json.gz and recover the journal from journal-copy.jsonl; no export writes them."""

    def forge(held: dict[str, bytes], manifest: dict[str, Any]) -> None:
        held["data/games.json.gz"] = held["data/journal-copy.jsonl"] = b"forged"
        del held["data/journal.jsonl"]
        manifest["entries"] = 0

    fresh = table.parent / "new"
    assert imported(repacked(exported(table)[0], forge), fresh).return_value == 0
    assert not [path for path in fresh.iterdir() if path.suffix in (".jsonl", ".gz")]


def test_the_import_command_refuses_a_missing_file_folder_or_text_file(table: Path) -> None:
    (table.parent / "notes.zip").write_text("a five and a six")
    for name in ("missing.zip", "old", "notes.zip"):
        assert isinstance(imported(table.parent / name, table.parent / "new").exception, DeviceError)
    assert not (table.parent / "new").exists()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(keep=st.floats(0, 1), flips=st.lists(st.tuples(st.floats(0, 0.999), st.integers(1, 255)), max_size=4))
def test_importing_a_damaged_archive_is_refused_or_restores_all_entries(
    table: Path, keep: float, flips: list[tuple[float, int]]
) -> None:
    file = table.parent / "all.zip"
    if not file.exists():
        exported(table)
    content = bytearray(file.read_bytes()[: max(1, int(keep * 1.3 * file.stat().st_size))])
    for where, by in flips:
        content[int(where * len(content))] ^= by
    harmed = table.parent / "harmed.zip"
    harmed.write_bytes(content)
    before, entries = tree(table), read_entries(table)
    done = imported(harmed, table, "--replace")
    assert read_entries(table) == entries
    if done.return_value == 0:  # a flip that the zip does not care about, or none
        assert len(entries) == 5
    else:
        assert isinstance(done.exception, CompanionError), done.exception
        assert tree(table) == before


def _no_json(journal: bytes) -> bytes:
    return journal + b'[6,"line",{,1.0,null]\n'


def _a_gap(journal: bytes) -> bytes:
    lines = journal.splitlines(keepends=True)
    return b"".join([*lines[:2], *lines[3:]])


def _cut_off(journal: bytes) -> bytes:
    return journal[:-20]


def _another_die(journal: bytes) -> bytes:
    return journal.replace(b"[2,2,3", b"[2,1,3", 1)


def _another_order(journal: bytes) -> bytes:
    lines = journal.splitlines(keepends=True)
    return b"".join([*lines[:2], lines[3], lines[2], *lines[4:]])


@pytest.mark.parametrize("change", [_no_json, _a_gap, _cut_off, _another_die, _another_order])
def test_the_import_of_an_archive_with_a_changed_journal_is_refused(table: Path, change: Any) -> None:
    forged = with_journal(exported(table)[0], change)
    before = tree(table.parent)
    assert isinstance(imported(forged, table, "--replace").exception, DeviceError)
    assert tree(table.parent) == before


def test_the_import_of_an_archive_with_an_unplayable_journal_is_refused(table: Path) -> None:
    journal = Journal(table)
    journal.open()
    journal.append(Entry(number=6, kind="line", body={"line": {"do": "bomb"}, "source": "hand"}, wall_s=1.0))
    journal.close()
    done = imported(exported(table)[0], table.parent / "new")
    assert "entry 6" in str(done.exception)
    assert not (table.parent / "new").exists()
