"""An archive that no export wrote, or that is damaged, is refused, and nothing is touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import CompanionError, DeviceError, SetupError
from companion.settings.last_good import FILE_NAME as LAST_GOOD
from companion.table.journal import FIRST, Entry, Journal, read_entries
from tests.system.backing_up import entry, exported, imported, kept_in, repacked, tree


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return kept_in(tmp_path)


FILES = {
    "outside": ("data/../../evil", b"x"),
    "absolute": ("/tmp/evil", b"x"),
    "paired": ("data/paired.json", b'["a stranger"]'),
    "last good": ("data/" + LAST_GOOD, b'{"buttons": {"shutdown_command": ["/tmp/evil"]}}'),
    "hidden": ("data/.bashrc", b"x"),
    "both": ("data/review.json/x", b"x"),
    "no journal": ("data/journal.jsonl", b"no journal at all\n" * 100),
    "bad settings": ("settings.toml", b"[tabel]\nname = 3\n"),
}
"""Name and content of a file that no export writes."""
MANIFESTS = {"other program": ("program", "paint"), "newer": ("format", 2), "fewer entries": ("entries", 4)}
"""Key and value of a manifest that no export writes."""


@pytest.mark.parametrize("forgery", [*FILES, *MANIFESTS, "no list"])
@pytest.mark.parametrize("there", [False, True], ids=["fresh", "over-a-table"])
def test_the_import_of_a_forged_archive_is_refused_and_changes_nothing(table: Path, forgery: str, there: bool) -> None:
    def forge(held: dict[str, bytes], manifest: dict[str, Any]) -> None:
        if forgery == "no list":
            del manifest["files"]
        elif forgery in FILES:
            name, content = FILES[forgery]
            held[name] = content
        else:
            key, value = MANIFESTS[forgery]
            manifest[key] = value

    forged = repacked(exported(table)[0], forge)
    folder = table if there else table.parent / "new"
    before = tree(table.parent)
    done = imported(forged, folder, "--replace")
    assert isinstance(done.exception, DeviceError | SetupError), done
    assert tree(table.parent) == before
    assert there or not folder.exists()


@pytest.mark.parametrize(("made", "says"), [("99.10.0", True), ("0.0.1", False), (None, False)])
def test_unknown_settings_in_a_backup_advise_an_update_only_if_it_is_newer(
    table: Path, made: str | None, *, says: bool
) -> None:
    def change(held: dict[str, bytes], manifest: dict[str, Any]) -> None:
        held["settings.toml"] = b"[hologram]\ncolour = 3\n"
        manifest["version"] = made

    refused = imported(repacked(exported(table)[0], change), table.parent / "new").exception
    assert isinstance(refused, SetupError)
    assert "[hologram]" in refused.problems[0]
    assert ("It is of version 99.10.0, " in str(refused), "Update first: pegpip update." in str(refused)) == (
        says,
        says,
    )


@pytest.mark.parametrize(("wall_s", "refused"), [(1e300, True), (1e9, False)])
def test_import_refuses_an_archive_with_a_journal_entry_dated_1e300_seconds(
    table: Path, wall_s: float, *, refused: bool
) -> None:
    """The export refuses such a journal, too, so the entry is put into the archive afterwards."""
    file, _ = exported(table)
    journal = Journal(table)
    journal.open()
    journal.append(msgspec.structs.replace(entry(6), wall_s=wall_s))
    journal.close()

    def forge(held: dict[str, bytes], manifest: dict[str, Any]) -> None:
        held["data/journal.jsonl"], manifest["entries"] = (table / FIRST).read_bytes(), 6

    done = imported(repacked(file, forge), table.parent / "new")
    assert ("its journal is damaged: entry 6 " in str(done.exception)) == refused, done
    assert (table.parent / "new").exists() != refused


def test_an_import_does_not_take_games_json_gz_or_journal_copy_from_an_archive(table: Path) -> None:
    """A start would trust games.json.gz and recover the journal from journal-copy.jsonl; no export writes them."""

    def forge(held: dict[str, bytes], manifest: dict[str, Any]) -> None:
        held["data/games.json.gz"] = held["data/journal-copy.jsonl"] = b"forged"
        del held["data/journal.jsonl"]
        manifest["entries"] = 0

    fresh = table.parent / "new"
    assert imported(repacked(exported(table)[0], forge), fresh).return_value == 0
    assert not [path for path in fresh.iterdir() if path.suffix in (".jsonl", ".gz")]


def test_the_import_command_refuses_a_folder_a_text_file_and_a_missing_file(table: Path) -> None:
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
        assert tree(table) != before, "older data lies aside"
    else:
        assert isinstance(done.exception, CompanionError), done.exception
        assert tree(table) == before


CHANGES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "no json": lambda lines: [*lines, b'[6,"line",{,1.0,null]\n'],
    "a gap": lambda lines: [*lines[:2], *lines[3:]],
    "cut off": lambda lines: [*lines[:-1], lines[-1][:-20]],
    "another die": lambda lines: [lines[0], lines[1].replace(b"[2,2,3", b"[2,1,3"), *lines[2:]],
    "another order": lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]],
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_import_of_an_archive_with_a_changed_journal_is_refused(table: Path, change: str) -> None:
    def forge(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
        before = held["data/journal.jsonl"]
        held["data/journal.jsonl"] = b"".join(CHANGES[change](before.splitlines(keepends=True)))
        assert held["data/journal.jsonl"] != before

    forged = repacked(exported(table)[0], forge)
    before = tree(table.parent)
    assert isinstance(imported(forged, table, "--replace").exception, DeviceError)
    assert tree(table.parent) == before


def test_an_import_refuses_an_archive_whose_journal_breaks_the_rules_of_the_game(table: Path) -> None:
    journal = Journal(table)
    journal.open()
    journal.append(Entry(number=6, kind="line", body={"line": {"do": "bomb"}, "source": "hand"}, wall_s=1.0))
    journal.close()
    done = imported(exported(table)[0], table.parent / "new")
    assert "entry 6" in str(done.exception)
    assert not (table.parent / "new").exists()
