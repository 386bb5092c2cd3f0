"""Copies of another journal or of an older one: reported, replaced, and revealed by the anchor outside the folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from companion.table.journal import FIRST, SECOND, read_entries
from companion.table.journal.recovery import reports
from tests.table.damaging import kept, opened, reopened, spoil, told


@pytest.mark.parametrize("copy", [FIRST, SECOND])
@pytest.mark.parametrize("count", [20, 60, 100])
def test_a_journal_copy_from_another_journal_is_reported_and_replaced(tmp_path: Path, copy: str, count: int) -> None:
    entries = kept(tmp_path / "ours", anchors=tmp_path)
    kept(tmp_path / "other", count)
    shutil.copy(tmp_path / "other" / copy, tmp_path / "ours" / copy)
    reopened(tmp_path / "ours", anchors=tmp_path)
    assert read_entries(tmp_path / "ours") == tuple(entries)
    says = told(tmp_path / "ours")
    assert "nothing is missing" in says
    assert "another journal" in says or "different journals" in says


@pytest.mark.parametrize("copy", [FIRST, SECOND])
def test_a_journal_copy_cut_to_40_entries_is_reported_and_none_are_lost(tmp_path: Path, copy: str) -> None:
    entries = kept(tmp_path)
    content = (tmp_path / copy).read_bytes().splitlines(keepends=True)
    (tmp_path / copy).write_bytes(b"".join(content[:40]))
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
    assert "ends at entry 40" in told(tmp_path)


def test_a_journal_opens_despite_a_flipped_bit_in_its_anchor_file(tmp_path: Path) -> None:
    entries = kept(tmp_path / "data", anchors=tmp_path)
    (anchor,) = tmp_path.glob("head-*.json")
    content = anchor.read_bytes()
    at = content.index(b'"identity":"') + len(b'"identity":"')
    anchor.write_bytes(content[:at] + bytes([content[at] | 0x80]) + content[at + 1 :])
    reopened(tmp_path / "data", anchors=tmp_path)
    assert read_entries(tmp_path / "data") == tuple(entries)


def test_the_anchor_file_outside_the_data_folder_reveals_entries_cut_from_both_journal_copies(tmp_path: Path) -> None:
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


def test_replacing_both_journal_copies_by_another_journal_is_reported(tmp_path: Path) -> None:
    kept(tmp_path / "ours", anchors=tmp_path)
    entries = kept(tmp_path / "other", 30, games=(1,))
    for copy in (FIRST, SECOND):
        shutil.copy(tmp_path / "other" / copy, tmp_path / "ours" / copy)
    reopened(tmp_path / "ours", anchors=tmp_path)
    assert "another journal than the one that was kept here" in told(tmp_path / "ours")
    assert read_entries(tmp_path / "ours") == tuple(entries)


def test_entries_lost_with_a_deleted_data_folder_are_reported_from_a_file_kept_outside_it(tmp_path: Path) -> None:
    kept(tmp_path / "data", anchors=tmp_path)
    shutil.rmtree(tmp_path / "data")
    reopened(tmp_path / "data", anchors=tmp_path)
    assert "entries 1 to 60 are missing" in told(tmp_path / "data")


def test_journal_upkeep_writes_the_anchor_file_once_its_folder_can_be_created(tmp_path: Path) -> None:
    (tmp_path / "anchors").write_text("in the way")
    kept(tmp_path / "data", anchors=tmp_path / "anchors")
    journal = opened(tmp_path / "data", anchors=tmp_path / "anchors")
    (tmp_path / "anchors").unlink()
    journal.upkeep(0.0)
    journal.close()
    assert len(list((tmp_path / "anchors").glob("head-*.json"))) == 1


def test_a_journal_reopens_undamaged_if_its_anchor_file_could_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "anchors").write_text("in the way")
    entries = kept(tmp_path / "data", anchors=tmp_path / "anchors")
    reopened(tmp_path / "data", anchors=tmp_path / "anchors")
    assert read_entries(tmp_path / "data") == tuple(entries)
    assert not reports(tmp_path / "data")


def test_restoring_an_older_journal_copy_brings_back_an_entry_lost_from_both_copies(tmp_path: Path) -> None:
    entries = kept(tmp_path)
    older = (tmp_path / SECOND).read_bytes()
    for copy in (FIRST, SECOND):
        spoil(tmp_path / copy, b'"n":20,')
    reopened(tmp_path)
    assert read_entries(tmp_path) != tuple(entries)
    (tmp_path / SECOND).write_bytes(older)
    reopened(tmp_path)
    assert read_entries(tmp_path) == tuple(entries)
