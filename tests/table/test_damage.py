"""A damaged journal is never silent: what either copy still has is read again, what is gone from both is told."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from companion.diagnostics.doctor import check_journal
from companion.diagnostics.health import journal_check
from companion.errors import DeviceError
from companion.table.commands import PlayLine
from companion.table.evening.archive import FILE_NAME as GAMES
from companion.table.journal import Entry, Journal, examined, read_entries
from companion.table.journal.database import APPLICATION_ID, FILE_NAME
from companion.table.journal.mirror import FILE_NAME as MIRROR
from companion.table.journal.salvage import reports
from tests.table.acting import HEADER, Evening, frozen, played, started, table_in


def entry(number: int, kind: str = "line", throw: int | None = None) -> Entry:
    body = {"horizon": number, "text": "x" * 200} if kind == "game" else {"n": number, "text": "x" * 200}
    return Entry(number=number, kind=kind, body=body, wall_s=1_700_000_000.0 + number, throw=throw)


def kept(folder: Path, count: int = 60, games: tuple[int, ...] = (1, 41)) -> list[Entry]:
    journal = Journal(folder, wall=lambda: 1_700_001_000.0)
    journal.open()
    entries = [entry(n, "game" if n in games else "line", n) for n in range(1, count + 1)]
    for one in entries:
        journal.append(one)
    journal.close()
    return entries


def reopened(folder: Path, photographed: tuple[int, ...] = ()) -> Journal:
    journal = Journal(folder)
    journal.open(photographed)
    journal.close()
    return journal


def spoil(file: Path, text: bytes) -> None:
    """Change one bit in the middle of the only place that has that text."""
    content = bytearray(file.read_bytes())
    assert content.count(text) == 1
    content[content.index(text) + 2] ^= 1
    file.write_bytes(content)


def told(folder: Path) -> str:
    ok, says = journal_check(folder, lambda: None)()
    assert not ok
    assert not check_journal(folder).ok
    assert check_journal(folder).says in says
    return says


def test_a_whole_journal_is_well(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert examined(tmp_path) == (60, None)
    assert check_journal(tmp_path).ok
    assert journal_check(tmp_path, lambda: None)() == (True, "every entry in two copies")
    assert not reports(tmp_path)


@pytest.mark.parametrize("left", [f"{FILE_NAME}-journal", GAMES])
def test_both_copies_gone_are_told_while_anything_shows_that_there_were_some(tmp_path: Path, left: str) -> None:
    kept(tmp_path)
    for file in tmp_path.iterdir():
        if file.is_file():
            file.unlink()
    (tmp_path / left).write_bytes(b"")
    reopened(tmp_path)
    assert "missing" in told(tmp_path)


@pytest.mark.parametrize("copy", [FILE_NAME, MIRROR])
def test_one_changed_bit_in_one_copy_loses_nothing_and_is_told(tmp_path: Path, copy: str) -> None:
    entries = kept(tmp_path)
    spoil(tmp_path / copy, b'"n":60,')
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert "nothing is missing" in told(tmp_path)
    (aside,) = reports(tmp_path)
    assert {FILE_NAME, MIRROR} <= {file.name for file in aside.iterdir()}


@pytest.mark.parametrize("copy", [FILE_NAME, MIRROR])
@pytest.mark.parametrize("harm", ["cut", "missing", "zeroed"])
def test_a_copy_that_is_cut_gone_or_overwritten_is_made_anew_from_the_other(
    tmp_path: Path, copy: str, harm: str
) -> None:
    entries = kept(tmp_path)
    file = tmp_path / copy
    content = file.read_bytes()
    if harm == "missing":
        file.unlink()
    else:
        half = len(content) // 2
        file.write_bytes(content[:half] if harm == "cut" else content[:half] + bytes(len(content) - half))
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert examined(tmp_path) == (60, None)


def test_what_is_gone_from_both_copies_is_told_with_its_numbers_and_since_when(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    for copy in (FILE_NAME, MIRROR):
        spoil(tmp_path / copy, b'"n":20,')
    reopened(tmp_path)
    assert "entries 20 to 40 are missing, since 2023-11-14" in told(tmp_path)
    found = read_entries(tmp_path)
    assert found[:19] == tuple(entries[:19])
    assert (found[19].number, found[19].kind, found[19].body) == (20, "lost", {"through": 40})
    assert found[20:] == tuple(entries[40:]), "the game after it stands as it was"


def test_the_end_gone_from_both_copies_is_told_and_its_numbers_never_come_again(tmp_path: Path) -> None:
    kept(tmp_path)
    for copy in (FILE_NAME, MIRROR):
        spoil(tmp_path / copy, b'"n":60,')
        spoil(tmp_path / copy, b'"n":50,')
    journal = reopened(tmp_path, photographed=(60,))
    assert "entries 50 to 60 are missing" in told(tmp_path)
    assert journal.tail.number == 60
    assert journal.tail.last_throw == 60
    journal.open()
    journal.append(entry(61))
    journal.close()
    assert reopened(tmp_path).tail.number == 61


def test_two_photos_that_no_entry_knows_prove_a_loss_and_one_does_not(tmp_path: Path) -> None:
    kept(tmp_path)
    reopened(tmp_path, photographed=(1, 60, 61))
    assert not reports(tmp_path)
    journal = reopened(tmp_path, photographed=(1, 60, 61, 62))
    assert "entries 61 to 62 are missing" in told(tmp_path)
    assert journal.tail.last_throw == 62
    reopened(tmp_path, photographed=(1, 60, 61, 62))
    assert len(reports(tmp_path)) == 1, "told once"


def test_a_folder_with_photos_and_no_journal_at_all_has_lost_it(tmp_path: Path) -> None:
    reopened(tmp_path, photographed=(1, 2, 3))
    assert "entries 1 to 3 are missing, from the very beginning" in told(tmp_path)


def test_a_head_that_is_behind_is_no_damage(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    mirror = tmp_path / MIRROR
    mirror.write_bytes(mirror.read_bytes()[:-5])  # the power went while the last line was written
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert not reports(tmp_path)
    assert examined(tmp_path) == (60, None)


def test_a_trigger_that_swallows_entries_is_found_when_the_journal_is_opened(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    with sqlite3.connect(tmp_path / FILE_NAME) as forged:
        forged.execute("CREATE TRIGGER swallow BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END")
    forged.close()
    reopened(tmp_path)
    assert "not the journal's" in told(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)


def test_a_second_copy_that_cannot_be_written_is_told_and_caught_up_with(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.open()
    journal.append(entry(1, "game"))
    descriptor, journal._mirror._descriptor = journal._mirror._descriptor, -1
    journal.append(entry(2))
    assert "second copy" in (journal.illness or "")
    assert not journal_check(tmp_path, lambda: journal.illness)()[0]
    journal._mirror._descriptor = descriptor
    journal.append(entry(3))
    assert journal.illness is None
    journal.close()
    assert examined(tmp_path) == (3, None)


OLDER = f"""
PRAGMA journal_mode = WAL; BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 1;
CREATE TABLE entries (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, wall_s REAL NOT NULL, throw INTEGER
) STRICT;
CREATE INDEX entries_kind ON entries (kind, number);
CREATE INDEX entries_throw ON entries (throw) WHERE throw IS NOT NULL;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER entries_hold BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
"""


def older(folder: Path, entries: list[tuple[int, str, str, float, int | None]]) -> sqlite3.Connection:
    """A journal as versions before this one kept it, its last entries still in the log."""
    connection = sqlite3.connect(folder / FILE_NAME)
    connection.executescript(OLDER + "COMMIT;")
    with connection:
        connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", entries)
    return connection


def test_a_journal_from_before_the_chain_is_rewritten_with_all_it_had(tmp_path: Path) -> None:
    rows = [(n, "game" if n == 1 else "line", '{"horizon":1}', float(n), n) for n in range(1, 30)]
    connection = older(tmp_path, rows)
    before = read_entries(tmp_path)
    assert len(before) == 29
    connection.close()
    reopened(tmp_path)
    assert read_entries(tmp_path) == before
    assert examined(tmp_path) == (29, None)
    assert not reports(tmp_path)
    assert not list(tmp_path.glob("*-wal"))


def test_a_gap_in_a_journal_from_before_the_chain_is_told(tmp_path: Path) -> None:
    older(tmp_path, [(n, "line", "{}", float(n), n) for n in (1, 2, 5)]).close()
    reopened(tmp_path)
    assert "entries 3 to 5 are missing" in told(tmp_path)


def test_a_table_on_a_mended_journal_plays_on_and_says_on_its_page_what_is_missing(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    frozen(evening, 5, 5)
    before = evening.table.snapshot()
    evening.throw(5, 5, 5, 1, 2)
    evening.table.stop()
    body = msgspec.json.encode(read_entries(tmp_path)[-1].body)
    for copy in (FILE_NAME, MIRROR):
        spoil(tmp_path / copy, body)
    table = table_in(tmp_path)
    table.start()
    after = table.snapshot()
    assert after.state == before.state
    assert after.notice is not None
    assert after.notice.code == "ill"
    assert f"{before.number + 1}" in after.notice.args["what"]
    assert after.number > before.number
    assert (tmp_path / "photos" / "2.jpg").exists()
    played(table, [{"do": "stop"}])
    table.stop()


def test_an_entry_that_cannot_be_replayed_is_named_with_its_file_and_a_cure(tmp_path: Path) -> None:
    table = table_in(tmp_path)
    table.start()
    started(table, HEADER)
    table.stop()
    journal = Journal(tmp_path)
    journal.open()
    journal.append(Entry(number=2, kind="line", body={"lime": 1}, wall_s=0.0))
    journal.close()
    with pytest.raises(DeviceError, match=r"journal\.sqlite3: entry 2") as ill:
        table_in(tmp_path).start()
    assert "export" in ill.value.cure


def test_any_fault_at_the_start_ends_it_with_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fall(*_: object) -> None:
        raise SystemExit("out of the blue")

    table = table_in(tmp_path)
    monkeypatch.setattr(table._play._journal, "open", fall)
    with pytest.raises(DeviceError, match="out of the blue"):
        table.start()
    with pytest.raises(DeviceError, match="not running"):
        table.submit(PlayLine(number=0, line={}))


def test_a_database_whose_error_is_no_text_is_mended_too(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    content = bytearray((tmp_path / FILE_NAME).read_bytes())
    at = content.index(b"CREATE TRIGGER entries_hold")
    content[at : at + 40] = b"\xa0" * 40
    (tmp_path / FILE_NAME).write_bytes(content)
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert "nothing is missing" in told(tmp_path)
