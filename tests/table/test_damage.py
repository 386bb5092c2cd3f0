"""A damaged journal: entries that survive in either copy are recovered, and every loss is reported."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest

from companion.diagnostics.machine import check_journal
from companion.errors import DeviceError
from companion.table.commands import PlayLine
from companion.table.evening.archive import FILE_NAME as GAMES
from companion.table.journal import FIRST, SECOND, Entry, copies, examined, read_entries
from companion.table.journal.chain import HASH_BYTES, SCHEMA, Head, chained, row_of
from companion.table.journal.recovery import reports
from companion.table.read_only import last_good
from tests.known import known
from tests.table.acting import HEADER, Evening, frozen, played, started, table_in
from tests.table.damaging import entry, kept, opened, refuse, reopened, spoil, told


def test_an_intact_journal_passes_the_check_without_a_damage_report(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert examined(tmp_path) == (60, None)
    assert check_journal(tmp_path).ok
    journal = reopened(tmp_path)
    assert journal.health()[1].endswith("both copies up to entry 60, photos not yet")
    assert not reports(tmp_path)


def test_a_journal_missing_from_a_data_folder_that_has_past_games_is_reported(tmp_path: Path) -> None:
    kept(tmp_path)
    for file in tmp_path.iterdir():
        if file.is_file():
            file.unlink()
    (tmp_path / GAMES).write_bytes(b"")
    reopened(tmp_path)
    assert "missing" in told(tmp_path)


@pytest.mark.parametrize("copy", [FIRST, SECOND])
def test_a_flipped_bit_in_one_journal_copy_is_reported_without_loss(tmp_path: Path, copy: str) -> None:
    entries = kept(tmp_path)
    spoil(tmp_path / copy, b'"n":60,')
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert "nothing is missing" in told(tmp_path)
    (aside,) = reports(tmp_path)
    assert {FIRST, SECOND} <= {file.name for file in aside.iterdir()}


def test_reading_a_damaged_journal_names_the_last_intact_entry(tmp_path: Path) -> None:
    kept(tmp_path)
    spoil(tmp_path / FIRST, b'"n":50,')
    with pytest.raises(DeviceError, match="the entry after 49 is not as it was written"):
        read_entries(tmp_path)


@pytest.mark.parametrize(
    ("old", "forged"),
    [(b"kind", b"\xffind"), (b"text", b"t\xe9xt"), (b'"text"', b'"text":[' + b"[" * 5000 + b"]" * 5000 + b'],"x"')],
    ids=["kind", "body", "nesting"],
)
def test_a_journal_line_of_bad_utf_8_or_too_deep_nesting_is_rejected_despite_valid_hash(
    old: bytes, forged: bytes
) -> None:
    line = chained(Head("journal"), 1, "kind", b'{"text":1}', 0.0, None).line
    content = line[: line.rindex(b',"')].replace(old, forged)
    digest = hashlib.blake2b(content, digest_size=HASH_BYTES, person=SCHEMA).hexdigest()
    assert row_of(line) is not None
    assert row_of(b'%s,"%s"]\n' % (content, digest.encode())) is None


@pytest.mark.parametrize("copy", [FIRST, SECOND])
@pytest.mark.parametrize("harm", ["cut", "missing", "zeroed"])
def test_a_truncated_missing_or_half_zeroed_journal_copy_is_rewritten_from_the_other(
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


@pytest.mark.parametrize("copy", [FIRST, SECOND])
@pytest.mark.parametrize("missing", [False, True])
def test_a_journal_repair_that_fails_repeatedly_copies_the_damaged_folder_aside_only_once(
    tmp_path: Path, copy: str, missing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = kept(tmp_path)
    if missing:
        (tmp_path / copy).unlink()
    else:
        spoil(tmp_path / copy, b'"n":60,')
    with monkeypatch.context() as ill:
        ill.setattr(copies, "write_anew", refuse)
        for _ in range(3):
            with pytest.raises(DeviceError, match="can't be written"):
                opened(tmp_path)
    reopened(tmp_path)
    assert len(reports(tmp_path)) == 1
    assert read_entries(tmp_path) == tuple(entries)
    spoil(tmp_path / copy, b'"n":59,')
    reopened(tmp_path)
    assert len(reports(tmp_path)) == 2


def test_journal_entry_lost_in_both_copies_is_reported_by_number_and_date(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    before = (tmp_path / FIRST).read_bytes().splitlines()
    for copy in (FIRST, SECOND):
        spoil(tmp_path / copy, b'"n":20,')
    reopened(tmp_path)
    after = (tmp_path / FIRST).read_bytes().splitlines()
    assert [*after[:19], *after[20:]] == [*before[:19], *before[20:]], "what survives does not change"
    assert "entries 20 are missing, since 2023-11-14" in told(tmp_path)
    assert "Entries 21 to 40 are kept but can't be played without them." in told(tmp_path)
    found = read_entries(tmp_path)
    assert found[:19] == tuple(entries[:19])
    assert (found[19].number, found[19].kind, found[19].body["through"]) == (20, "lost", 40)
    assert found[20:] == tuple(entries[40:]), "the game after it stands as it was"


def test_new_journal_entries_do_not_reuse_numbers_of_entries_lost_from_the_end_of_the_journal(tmp_path: Path) -> None:
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


def test_two_photos_numbered_above_the_last_journal_entry_prove_a_loss_but_one_does_not(tmp_path: Path) -> None:
    kept(tmp_path)
    reopened(tmp_path, photographed=(1, 60, 61))
    assert not reports(tmp_path)
    journal = reopened(tmp_path, photographed=(1, 60, 61, 62))
    assert "entries 61 to 62 are missing" in told(tmp_path)
    assert journal.tail.last_throw == 62
    reopened(tmp_path, photographed=(1, 60, 61, 62))
    assert len(reports(tmp_path)) == 1, "told once"


def test_a_missing_journal_is_reported_as_lost_if_there_are_throw_photos(tmp_path: Path) -> None:
    reopened(tmp_path, photographed=(1, 2, 3))
    assert "entries 1 to 3 are missing, from the very beginning" in told(tmp_path)


def test_a_cut_last_line_in_the_second_copy_of_the_journal_is_repaired_without_a_report(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    mirror = tmp_path / SECOND
    mirror.write_bytes(mirror.read_bytes()[:-5])  # the power went while the last line was written
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert not reports(tmp_path)
    assert examined(tmp_path) == (60, None)


def test_a_running_journal_check_also_checks_lines_that_are_appended_meanwhile(tmp_path: Path) -> None:
    kept(tmp_path, 3)
    lines = (tmp_path / FIRST).read_bytes().splitlines(keepends=True)
    (tmp_path / FIRST).write_bytes(lines[0])
    (tmp_path / SECOND).write_bytes(b"")
    found = list[tuple[int, bool]]()
    for row, _, copied in copies.verify(tmp_path):
        found.append((row.number, copied))
        with (tmp_path / FIRST).open("ab") as first, (tmp_path / SECOND).open("ab") as second:
            first.write(b"".join(lines[row.number : row.number + 1]))
            second.write(lines[row.number - 1])
    assert found == [(1, False), (2, False), (3, False)]


def test_a_second_journal_copy_is_reported_while_unwritable_and_catches_up_once_writable_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = opened(tmp_path)
    journal.append(entry(1, "game"))
    monkeypatch.setattr(known(journal._copies)[1], "append", refuse)
    journal.append(entry(2))
    assert "second copy" in journal.health()[1]
    assert not journal.health()[0]
    monkeypatch.undo()
    journal.upkeep(0.0)
    assert journal.health()[0]
    journal.close()
    assert examined(tmp_path) == (2, None)


def test_a_journal_whose_second_copy_failed_is_healthy_once_reopening_has_completed_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault: it still said that its second copy can't be written, until the next entry."""
    journal = opened(tmp_path)
    journal.append(entry(1, "game"))
    monkeypatch.setattr(known(journal._copies)[1], "append", refuse)
    journal.append(entry(2))
    journal.append(entry(3))
    monkeypatch.undo()
    journal.close()
    assert journal.open()
    assert examined(tmp_path) == (3, None)
    assert journal.health()[0], journal.health()[1]
    journal.close()


def test_after_journal_recovery_a_table_plays_on_with_a_notice_of_the_loss(tmp_path: Path) -> None:
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


def test_table_start_error_names_the_unplayable_journal_entry_and_a_cure(tmp_path: Path) -> None:
    table = table_in(tmp_path)
    table.start()
    started(table, HEADER)
    table.stop()
    journal = opened(tmp_path)
    journal.append(Entry(number=2, kind="line", body={"lime": 1}, wall_s=0.0))
    journal.close()
    with pytest.raises(DeviceError, match=r"journal\.jsonl: entry 2") as ill:
        table_in(tmp_path).start()
    assert "export" in ill.value.cure


def test_safe_mode_shows_the_game_before_the_first_damaged_journal_entry(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    frozen(evening, 5, 5)
    before = evening.table.snapshot()
    evening.throw(5, 5, 5, 1, 2)
    evening.table.stop()
    spoil(tmp_path / FIRST, msgspec.json.encode(read_entries(tmp_path)[-1].body))
    assert last_good(tmp_path).number == before.number
    assert known(last_good(tmp_path).game).view == before.state


def test_starting_a_table_raises_a_device_error_if_opening_its_journal_crashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fall(*_: object) -> None:
        raise SystemExit("out of the blue")

    table = table_in(tmp_path)
    monkeypatch.setattr(table._journal, "open", fall)
    with pytest.raises(DeviceError, match="out of the blue"):
        table.start()
    with pytest.raises(DeviceError, match="not running"):
        table.submit(PlayLine(number=0, line={}))
