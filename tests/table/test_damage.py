"""A damaged journal: entries that survive in either copy are recovered, and every loss is reported."""

from __future__ import annotations

import errno
import shutil
import threading
from pathlib import Path

import msgspec
import pytest

from companion.diagnostics.machine import check_journal
from companion.errors import DeviceError
from companion.table.commands import PlayLine
from companion.table.evening.archive import FILE_NAME as GAMES
from companion.table.journal import FIRST, SECOND, Entry, Journal, examined, read_entries
from companion.table.journal.chain import row_of
from companion.table.journal.recovery import reports
from companion.table.photos import Photos, digest_of
from companion.table.read_only import last_good
from companion.table.writer import Table
from tests.faults.latent import scrub
from tests.known import known
from tests.table.acting import HEADER, Evening, frozen, played, started, table_in


def entry(number: int, kind: str = "line", throw: int | None = None) -> Entry:
    body = {"horizon": number, "text": "x" * 200} if kind == "game" else {"n": number, "text": "x" * 200}
    return Entry(number=number, kind=kind, body=body, wall_s=1_700_000_000.0 + number, throw=throw)


def kept(folder: Path, count: int = 60, games: tuple[int, ...] = (1, 41), anchors: Path | None = None) -> list[Entry]:
    journal = Journal(folder, wall=lambda: 1_700_001_000.0, anchors=anchors)
    journal.open()
    entries = [entry(n, "game" if n in games else "line", n) for n in range(1, count + 1)]
    for one in entries:
        journal.append(one)
    journal.close()
    return entries


def reopened(folder: Path, photographed: tuple[int, ...] = (), anchors: Path | None = None) -> Journal:
    for number in photographed:
        (folder / "photos").mkdir(parents=True, exist_ok=True)
        (folder / "photos" / f"{number}.jpg").write_bytes(b"a photo")
    journal = Journal(folder, wall=lambda: 1_700_001_000.0, anchors=anchors)
    journal.open()
    journal.close()
    return journal


def kinds(folder: Path) -> list[str]:
    return [row.kind for row in map(row_of, (folder / FIRST).read_bytes().splitlines()) if row]


def spoil(file: Path, text: bytes) -> None:
    """Flip one bit in the only occurrence of a text in a file."""
    content = bytearray(file.read_bytes())
    assert content.count(text) == 1
    content[content.index(text) + 2] ^= 1
    file.write_bytes(content)


def refuse(*_: object) -> None:
    raise OSError(errno.EIO, "Input/output error")


def told(folder: Path) -> str:
    ok, says = check_journal(folder, lambda: (True, "well")).as_health()
    assert not ok
    assert not check_journal(folder).ok
    assert check_journal(folder).says in says
    return says


def test_an_intact_journal_passes_every_check(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert examined(tmp_path) == (60, None)
    assert check_journal(tmp_path).ok
    journal = reopened(tmp_path)
    assert check_journal(tmp_path, journal.health).says.endswith("both copies up to entry 60, photos not yet")
    assert not reports(tmp_path)


def test_an_archive_without_a_journal_reports_the_journal_missing(tmp_path: Path) -> None:
    kept(tmp_path)
    for file in tmp_path.iterdir():
        if file.is_file():
            file.unlink()
    (tmp_path / GAMES).write_bytes(b"")
    reopened(tmp_path)
    assert "missing" in told(tmp_path)


@pytest.mark.parametrize("copy", [FIRST, SECOND])
def test_a_changed_bit_in_one_copy_is_reported_and_loses_nothing(tmp_path: Path, copy: str) -> None:
    entries = kept(tmp_path)
    spoil(tmp_path / copy, b'"n":60,')
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert "nothing is missing" in told(tmp_path)
    (aside,) = reports(tmp_path)
    assert {FIRST, SECOND} <= {file.name for file in aside.iterdir()}


@pytest.mark.parametrize("copy", [FIRST, SECOND])
@pytest.mark.parametrize("harm", ["cut", "missing", "zeroed"])
def test_a_copy_that_is_cut_or_gone_is_rewritten_from_the_other(tmp_path: Path, copy: str, harm: str) -> None:
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


def test_lost_entries_are_reported_with_numbers_and_time(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    for copy in (FIRST, SECOND):
        spoil(tmp_path / copy, b'"n":20,')
    reopened(tmp_path)
    assert "entries 20 are missing, since 2023-11-14" in told(tmp_path)
    assert "Entries 21 to 40 are kept but can't be played without them." in told(tmp_path)
    found = read_entries(tmp_path)
    assert kinds(tmp_path).count("line") == 57, "what follows the gap is kept, though not played"
    assert found[:19] == tuple(entries[:19])
    assert (found[19].number, found[19].kind, found[19].body["through"]) == (20, "lost", 40)
    assert found[20:] == tuple(entries[40:]), "the game after it stands as it was"


def test_after_a_lost_end_no_entry_number_repeats(tmp_path: Path) -> None:
    kept(tmp_path)
    for copy in (FIRST, SECOND):
        spoil(tmp_path / copy, b'"n":60,')
        spoil(tmp_path / copy, b'"n":50,')
    journal = reopened(tmp_path, photographed=(60,))
    assert "entries 50, 60 are missing" in told(tmp_path)
    assert journal.tail.head.number == 60
    assert journal.tail.last_throw == 60
    journal.open()
    journal.append(entry(61))
    journal.close()
    assert reopened(tmp_path).tail.head.number == 61


def test_two_photos_without_an_entry_prove_a_loss_but_one_does_not(tmp_path: Path) -> None:
    kept(tmp_path)
    reopened(tmp_path, photographed=(1, 60, 61))
    assert not reports(tmp_path)
    journal = reopened(tmp_path, photographed=(1, 60, 61, 62))
    assert "entries 61 to 62 are missing" in told(tmp_path)
    assert journal.tail.last_throw == 62
    reopened(tmp_path, photographed=(1, 60, 61, 62))
    assert len(reports(tmp_path)) == 1, "told once"


def test_photos_without_a_journal_prove_its_loss(tmp_path: Path) -> None:
    reopened(tmp_path, photographed=(1, 2, 3))
    assert "entries 1 to 3 are missing, from the very beginning" in told(tmp_path)


def test_an_unfinished_last_line_of_one_copy_is_no_damage(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    mirror = tmp_path / SECOND
    mirror.write_bytes(mirror.read_bytes()[:-5])  # the power went while the last line was written
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert not reports(tmp_path)
    assert examined(tmp_path) == (60, None)


def test_an_unwritable_second_copy_is_reported_and_catches_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path)
    journal.open()
    journal.append(entry(1, "game"))
    monkeypatch.setattr(known(journal._copies)[1], "append", refuse)
    journal.append(entry(2))
    assert "second copy" in check_journal(tmp_path, journal.health).says
    assert not check_journal(tmp_path, journal.health).ok
    monkeypatch.undo()
    journal.upkeep(0.0)
    assert check_journal(tmp_path, journal.health).ok
    journal.close()
    assert examined(tmp_path) == (2, None)


def test_a_table_plays_on_after_recovery_with_a_notice(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    frozen(evening, 5, 5)
    before = evening.table.snapshot()
    evening.throw(5, 5, 5, 1, 2)
    evening.table.stop()
    body = msgspec.json.encode(read_entries(tmp_path)[-1].body)
    for copy in (FIRST, SECOND):
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


def test_an_entry_that_cannot_be_replayed_is_named_with_a_cure(tmp_path: Path) -> None:
    table = table_in(tmp_path)
    table.start()
    started(table, HEADER)
    table.stop()
    journal = Journal(tmp_path)
    journal.open()
    journal.append(Entry(number=2, kind="line", body={"lime": 1}, wall_s=0.0))
    journal.close()
    with pytest.raises(DeviceError, match=r"journal\.jsonl: entry 2") as ill:
        table_in(tmp_path).start()
    assert "export" in ill.value.cure


def test_safe_mode_shows_the_state_before_the_first_damaged_entry(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    frozen(evening, 5, 5)
    before = evening.table.snapshot()
    evening.throw(5, 5, 5, 1, 2)
    evening.table.stop()
    spoil(tmp_path / FIRST, msgspec.json.encode(read_entries(tmp_path)[-1].body))
    assert last_good(tmp_path).number == before.number
    assert known(last_good(tmp_path).game).view == before.state


def test_any_fault_at_the_start_ends_it_with_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fall(*_: object) -> None:
        raise SystemExit("out of the blue")

    table = table_in(tmp_path)
    monkeypatch.setattr(table._journal, "open", fall)
    with pytest.raises(DeviceError, match="out of the blue"):
        table.start()
    with pytest.raises(DeviceError, match="not running"):
        table.submit(PlayLine(number=0, line={}))


# ---- latent damage: found while the table runs ---------------------------------------------------------------------


@pytest.mark.parametrize("copy", [FIRST, SECOND])
def test_the_next_scrub_finds_and_repairs_damage_to_one_copy(tmp_path: Path, copy: str) -> None:
    entries = kept(tmp_path)
    journal = Journal(tmp_path)
    journal.open()
    for number in (3, 30, 60):
        spoil(tmp_path / copy, b'"n":%d,' % number)
    scrub(journal)
    assert "nothing is missing" in told(tmp_path)
    assert examined(tmp_path) == (60, None)
    journal.append(entry(61))
    journal.close()
    assert read_entries(tmp_path) == (*entries, entry(61))


def test_damage_to_another_part_of_each_copy_loses_nothing(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    for number in range(2, 20):
        spoil(tmp_path / SECOND, b'"n":%d,' % number)
    for number in range(30, 40):
        spoil(tmp_path / FIRST, b'"n":%d,' % number)
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert "nothing is missing" in told(tmp_path)


def test_health_says_what_a_scrub_verified_and_when(tmp_path: Path) -> None:
    kept(tmp_path)
    journal = Journal(tmp_path, wall=lambda: 1_700_001_000.0)
    journal.open()
    scrub(journal)
    assert journal.health() == (True, "verified 2023-11-14 22:30: both copies up to entry 60, 0 photos")
    journal.close()


def test_a_scrub_reports_entries_lost_from_both_copies(tmp_path: Path) -> None:
    kept(tmp_path)
    journal = Journal(tmp_path)
    journal.open()
    for copy in (FIRST, SECOND):
        spoil(tmp_path / copy, b'"n":60,')
    scrub(journal)
    assert "entries 60 are missing" in told(tmp_path)
    journal.append(entry(61))
    journal.close()
    assert examined(tmp_path) == (61, None)


# ---- identity: foreign and older copies ----------------------------------------------------------------------------


@pytest.mark.parametrize("copy", [FIRST, SECOND])
@pytest.mark.parametrize("count", [20, 60])
def test_a_shorter_copy_of_another_journal_is_reported_and_replaced(tmp_path: Path, copy: str, count: int) -> None:
    entries = kept(tmp_path / "ours", anchors=tmp_path)
    kept(tmp_path / "other", count)
    shutil.copy(tmp_path / "other" / copy, tmp_path / "ours" / copy)
    reopened(tmp_path / "ours", anchors=tmp_path)
    assert read_entries(tmp_path / "ours") == tuple(entries)
    assert "nothing is missing" in told(tmp_path / "ours")


def test_a_longer_foreign_copy_is_reported_and_replaced(tmp_path: Path) -> None:
    entries = kept(tmp_path / "ours", anchors=tmp_path)
    kept(tmp_path / "other", 100)
    shutil.copy(tmp_path / "other" / FIRST, tmp_path / "ours" / FIRST)
    reopened(tmp_path / "ours", anchors=tmp_path)
    assert read_entries(tmp_path / "ours") == tuple(entries)
    assert "another journal" in told(tmp_path / "ours")


@pytest.mark.parametrize("copy", [FIRST, SECOND])
def test_an_older_journal_copy_is_reported_and_replaced_by_the_longer(tmp_path: Path, copy: str) -> None:
    entries = kept(tmp_path)
    content = (tmp_path / copy).read_bytes().splitlines(keepends=True)
    (tmp_path / copy).write_bytes(b"".join(content[:40]))
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert "ends at entry 40" in told(tmp_path)


def test_the_anchor_reveals_that_both_copies_were_rolled_back(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    entries = kept(folder, anchors=tmp_path)
    for copy in (FIRST, SECOND):
        content = (folder / copy).read_bytes().splitlines(keepends=True)
        (folder / copy).write_bytes(b"".join(content[:40]))
    journal = reopened(folder, anchors=tmp_path)
    assert "entries 41 to 60 are missing" in told(folder)
    assert read_entries(folder)[:40] == tuple(entries[:40])
    assert journal.tail.head.number == 60, "no number ever means two things"
    reopened(folder, anchors=tmp_path)
    assert len(reports(folder)) == 1, "told once"


def test_the_anchor_reveals_a_foreign_journal(tmp_path: Path) -> None:
    kept(tmp_path / "ours", anchors=tmp_path)
    entries = kept(tmp_path / "other", 30, games=(1,))
    for copy in (FIRST, SECOND):
        shutil.copy(tmp_path / "other" / copy, tmp_path / "ours" / copy)
    reopened(tmp_path / "ours", anchors=tmp_path)
    assert "another journal than the one that was kept here" in told(tmp_path / "ours")
    assert read_entries(tmp_path / "ours") == tuple(entries)


def test_the_anchor_reveals_a_deleted_data_folder(tmp_path: Path) -> None:
    kept(tmp_path / "data", anchors=tmp_path)
    shutil.rmtree(tmp_path / "data")
    reopened(tmp_path / "data", anchors=tmp_path)
    assert "entries 1 to 60 are missing" in told(tmp_path / "data")


def test_a_table_works_without_a_writable_anchor(tmp_path: Path) -> None:
    (tmp_path / "anchors").write_text("in the way")
    entries = kept(tmp_path / "data", anchors=tmp_path / "anchors")
    reopened(tmp_path / "data", anchors=tmp_path / "anchors")
    assert read_entries(tmp_path / "data") == tuple(entries)
    assert not reports(tmp_path / "data")


def test_a_recovery_leaves_the_surviving_lines_as_they_were(tmp_path: Path) -> None:
    kept(tmp_path)
    before = (tmp_path / FIRST).read_bytes().splitlines()
    for copy in (FIRST, SECOND):
        spoil(tmp_path / copy, b'"n":20,')
    reopened(tmp_path)
    after = (tmp_path / FIRST).read_bytes().splitlines()
    assert [*after[:19], *after[20:]] == [*before[:19], *before[20:]]


def test_a_line_that_only_an_older_copy_has_fills_the_gap(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    older = (tmp_path / SECOND).read_bytes()
    for copy in (FIRST, SECOND):
        spoil(tmp_path / copy, b'"n":20,')
    reopened(tmp_path)
    assert read_entries(tmp_path) != tuple(entries)
    (tmp_path / SECOND).write_bytes(older)
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)


# ---- photos --------------------------------------------------------------------------------------------------------


def photographed(folder: Path, count: int = 6) -> Journal:
    """Return an open journal whose entries name their photos."""
    (folder / "photos").mkdir(parents=True)
    journal = Journal(folder)
    journal.open()
    for number in range(1, count + 1):
        jpeg = b"photo %d" % number
        (folder / "photos" / f"{number}.jpg").write_bytes(jpeg)
        body = {"photo": digest_of(jpeg)}
        journal.append(Entry(number=number, kind="line", body=body, wall_s=0.0, throw=number))
    return journal


def test_swapped_photos_are_reported_and_swapped_back(tmp_path: Path) -> None:
    journal = photographed(tmp_path)
    first, second = tmp_path / "photos" / "2.jpg", tmp_path / "photos" / "5.jpg"
    first.rename(tmp_path / "spot")
    second.rename(first)
    (tmp_path / "spot").rename(second)
    scrub(journal)
    journal.close()
    assert "photos of throws 2, 5 are not as they were taken" in told(tmp_path)
    assert (first.read_bytes(), second.read_bytes()) == (b"photo 2", b"photo 5")


def test_a_replaced_photo_is_reported_and_no_longer_shown(tmp_path: Path) -> None:
    journal = photographed(tmp_path)
    (tmp_path / "photos" / "4.jpg").write_bytes(b"another picture")
    scrub(journal)
    journal.close()
    assert "photos of throws 4" in told(tmp_path)
    assert not (tmp_path / "photos" / "4.jpg").exists()
    (aside,) = reports(tmp_path)
    assert (aside / "photos" / "4.jpg").read_bytes() == b"another picture", "no photo is ever destroyed"


def test_a_deleted_photo_is_no_damage(tmp_path: Path) -> None:
    journal = photographed(tmp_path)
    (tmp_path / "photos" / "1.jpg").unlink()
    scrub(journal)
    assert journal.health()[1].endswith("5 photos")
    journal.close()
    assert not reports(tmp_path)


def test_an_idle_table_scrubs_its_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evening = Evening(tmp_path)
    evening.throw(5, 5, 2, 2, 1, 4, 6)
    evening.table.stop()
    photo = (tmp_path / "photos" / "1.jpg").read_bytes()
    assert read_entries(tmp_path)[-1].body["photo"] == digest_of(photo)
    journal, scrubbed = Journal(tmp_path), threading.Event()
    note = journal._note_verified

    def noted(photos: str) -> None:
        note(photos)
        if photos == "1 photos":
            scrubbed.set()

    monkeypatch.setattr(journal, "_note_verified", noted)
    table = Table(journal, Photos(tmp_path))
    table.start()
    assert scrubbed.wait(timeout=120.0)
    table.stop()
    assert "both copies up to entry 2, 1 photos" in journal.health()[1]


def test_a_photo_deleted_during_a_scrub_is_no_damage(tmp_path: Path) -> None:
    journal = photographed(tmp_path)
    journal.upkeep(0.0)
    (tmp_path / "photos" / "4.jpg").unlink()
    scrub(journal, 0.0)
    assert journal.health()[0]
    journal.close()
    assert not reports(tmp_path)
