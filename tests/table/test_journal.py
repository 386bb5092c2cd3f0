"""The journal on a healthy disk, a full disk, and in folders that can't be used."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from companion.errors import DeviceError
from companion.table.commands import PlayLine, StartGame
from companion.table.journal import (
    FIRST,
    SECOND,
    Entry,
    Journal,
    copies,
    entries,
    entries_at,
    examined,
    last_written_s,
    read_entries,
)
from tests.table.acting import FIRST as FIRST_THROW
from tests.table.acting import HEADER, full_disk, table_in
from tests.table.damaging import opened


def entry(number: int, body: dict[str, Any] | None = None, throw: int | None = None) -> Entry:
    return Entry(number=number, kind="line", body=body or {"line": {"do": "stop"}}, wall_s=12.5, throw=throw)


def test_journal_entries_can_be_read_while_the_journal_is_open(tmp_path: Path) -> None:
    journal = opened(tmp_path / "deep" / "data")
    appended = entry(1, body={"header": {"players": ["Ä", "B"]}}), entry(2, throw=1)
    for each in appended:
        journal.append(each)
    assert read_entries(tmp_path / "deep" / "data") == appended
    assert [e.number for e in entries(tmp_path / "deep" / "data", first=2)] == [2]
    assert (journal.tail.head.number, journal.tail.last_throw) == (2, 1)
    journal.close()


def test_appending_an_entry_syncs_the_first_journal_copy_before_writing_the_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each copy is written before it is flushed, and the first is on the disk before the second is written."""
    journal = opened(tmp_path)
    files, synced = [tmp_path / name for name in (FIRST, SECOND)], list[tuple[int, list[bool]]]()

    def noted(file: int) -> None:
        written = [b"a needle in the file" in each.read_bytes() for each in files]
        synced.append((os.fstat(file).st_ino, written))

    monkeypatch.setattr(os, "fdatasync", noted)
    journal.append(entry(1, body={"text": "a needle in the file"}))
    assert synced == [(files[0].stat().st_ino, [True, False]), (files[1].stat().st_ino, [True, True])]
    journal.close()


def test_a_journal_entry_is_synced_before_subscribers_or_callers_hear_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, order = table_in(tmp_path), list[str]()
    table.start()
    table.submit(StartGame(header=HEADER))
    monkeypatch.setattr(os, "fdatasync", lambda _file: order.append("synced"))
    table.subscribe(lambda _snapshot, _news: order.append("told"))
    table.submit(PlayLine(number=1, line={"throw": list(FIRST_THROW)}))
    order.append("answered")
    table.stop()
    assert order == ["synced", "synced", "told", "answered"]


def test_the_journal_refuses_a_second_entry_with_a_used_number(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.append(entry(1))
    with pytest.raises(DeviceError, match="can't follow"):
        journal.append(entry(1, throw=1))
    journal.close()
    assert read_entries(tmp_path) == (entry(1),)


def test_journal_entries_can_be_read_from_any_entry_number_onwards(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    for number in range(1, 901):
        journal.append(entry(number, body={"text": "x" * 200}))
    assert (tmp_path / FIRST).stat().st_size > copies.NEAR_BYTES
    for first in (1, 2, 3, 450, 899, 900, 901):
        assert [each.number for each in entries(tmp_path, first)] == list(range(first, 901))
    assert [each.number for each in entries_at(tmp_path, [7, 1000, 800])] == [7, 800]
    assert last_written_s(tmp_path) == 12.5
    journal.close()


def test_entries_after_a_line_whose_number_is_unreadable_are_still_found_by_number(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    for number in range(1, 6):
        journal.append(entry(number))
    journal.close()
    file = tmp_path / FIRST
    file.write_bytes(file.read_bytes().replace(b"\n[3,", b"\n[?,"))
    assert [each.number for each in entries_at(tmp_path, [5, 3, 4])] == [5, 4]


def test_a_journal_append_on_a_full_disk_fails_with_advice_and_loses_no_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = opened(tmp_path)
    journal.append(entry(1))
    full_disk(monkeypatch)
    with pytest.raises(DeviceError, match="disk is full") as ill:
        journal.append(entry(2))
    assert "Free some space" in ill.value.cure
    full_disk(monkeypatch, full=False)
    journal.append(entry(2, body={"another": 2}))
    assert list(entries(tmp_path)) == [entry(1), entry(2, body={"another": 2})]
    journal.close()
    assert examined(tmp_path) == (2, None)


@pytest.mark.parametrize("content", [b"not a journal at all\n" * 100, b'{"journal":2}\n[1,"game",{},1.0,null,"5f"]\n'])
def test_opening_a_file_that_is_no_journal_fails_and_leaves_it_unchanged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FIRST).write_bytes(content)
    with pytest.raises(DeviceError, match="Move it") as ill:
        Journal(tmp_path).open()
    assert FIRST in ill.value.what
    assert (tmp_path / FIRST).read_bytes() == content


def test_a_journal_folder_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DeviceError, match="can't be written") as ill:
        Journal(tmp_path / "file" / "data").open()
    assert "--data" in ill.value.cure


def test_a_second_table_cannot_open_a_journal_folder_in_use(tmp_path: Path) -> None:
    first = opened(tmp_path)
    with pytest.raises(DeviceError, match="Another table"):
        Journal(tmp_path).open()
    first.close()
    opened(tmp_path).close()
