"""Damaged photos and the scrub that finds them: swapped ones are put back, replaced ones are no longer shown."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from companion.errors import DeviceError
from companion.table.journal import FIRST, SECOND, Journal, copies, examined, read_entries
from companion.table.journal.copies import Copy
from companion.table.journal.recovery import reports
from companion.table.photos import Photos, digest_of
from companion.table.writer import Table
from tests.faults.latent import scrub
from tests.table.acting import Evening
from tests.table.damaging import entry, kept, opened, photographed, refuse, spoil, told


@pytest.mark.parametrize("copy", [FIRST, SECOND])
def test_a_journal_scrub_reports_and_repairs_damage_to_one_copy(tmp_path: Path, copy: str) -> None:
    entries = kept(tmp_path)
    journal = opened(tmp_path)
    for number in (3, 30, 60):
        spoil(tmp_path / copy, b'"n":%d,' % number)
    scrub(journal)
    assert "nothing is missing" in told(tmp_path)
    assert examined(tmp_path) == (60, None)
    journal.append(entry(61))
    journal.close()
    assert read_entries(tmp_path) == (*entries, entry(61))


def test_journal_health_tells_when_both_copies_were_last_verified_and_up_to_which_entry(tmp_path: Path) -> None:
    kept(tmp_path)
    journal = opened(tmp_path)
    scrub(journal)
    assert journal.health() == (True, "verified 2023-11-14 22:30: both copies up to entry 60, 0 photos")
    journal.close()


def test_a_journal_whose_damaged_copy_could_not_be_repaired_still_takes_new_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = kept(tmp_path)
    journal = opened(tmp_path)
    spoil(tmp_path / SECOND, b'"n":30,')
    monkeypatch.setattr(copies, "write_anew", refuse)
    scrub(journal)
    assert "The last check of both copies failed" in journal.health()[1]
    journal.append(entry(61))
    monkeypatch.undo()
    scrub(journal, now_s=2e6)
    journal.close()
    assert examined(tmp_path) == (61, None)
    assert read_entries(tmp_path) == (*entries, entry(61))


def test_a_journal_that_failed_to_reopen_after_a_repair_reopens_at_a_later_append(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries, opens = kept(tmp_path), set[Path]()

    class OneAtATime(Copy):
        def __init__(self, path: Path) -> None:
            if opens:
                refuse()
            super().__init__(path)
            opens.add(path)

        def close(self) -> None:
            super().close()
            opens.clear()

    journal = opened(tmp_path)
    spoil(tmp_path / SECOND, b'"n":30,')
    monkeypatch.setattr("companion.table.journal.journal.Copy", OneAtATime)
    scrub(journal)
    assert "The last check of both copies failed" in journal.health()[1]
    with pytest.raises(DeviceError, match="can't be written or read"):
        journal.append(entry(61))
    assert not opens
    monkeypatch.undo()
    journal.append(entry(61))
    assert journal.health()[0]
    journal.close()
    assert examined(tmp_path) == (61, None)
    assert read_entries(tmp_path) == (*entries, entry(61))


def test_a_journal_check_that_fails_to_copy_a_damaged_journal_aside_leaves_no_partial_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(tmp_path)
    (tmp_path / "evidence").mkdir()
    for number in range(9):
        (tmp_path / "evidence" / f"{number}.zip").write_bytes(b"a package")
    journal = opened(tmp_path)
    spoil(tmp_path / SECOND, b'"n":30,')
    monkeypatch.setattr(shutil, "copy2", refuse)
    scrub(journal)
    assert journal.health()[1] == (
        "The last check of both copies failed. The damaged journal can't be copied aside before its repair "
        "(Input/output error). Free some space on the disk, or make the data folder writable."
    )
    assert not [*tmp_path.glob("damaged-*")]
    journal.close()


def test_the_copy_of_a_damaged_folder_links_photos_and_evidence_and_syncs_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, synced, fsync = photographed(tmp_path), set[int](), os.fsync
    (tmp_path / "evidence" / "webcam-none").mkdir(parents=True)
    (tmp_path / "evidence" / "webcam-none" / "1.zip").write_bytes(b"a package")

    def noted(file: int) -> None:
        synced.add(os.stat(file).st_ino)
        fsync(file)

    monkeypatch.setattr(os, "sync", refuse)  # it waits for all that any program has written
    monkeypatch.setattr(os, "fsync", noted)
    spoil(tmp_path / SECOND, b'[5,"line"')
    scrub(journal)
    journal.close()
    (aside,) = reports(tmp_path)
    linked = {path.suffix for path in aside.rglob("*") if path.is_file() and path.stat().st_nlink > 1}
    assert linked == {".jpg", ".zip"}
    assert {path.stat().st_ino for path in (aside, *aside.rglob("*")) if path.suffix not in linked} <= synced


def test_a_journal_scrub_reports_an_entry_lost_from_both_copies(tmp_path: Path) -> None:
    kept(tmp_path)
    journal = opened(tmp_path)
    for copy in (FIRST, SECOND):
        spoil(tmp_path / copy, b'"n":60,')
    scrub(journal)
    assert "entries 60 are missing" in told(tmp_path)
    journal.append(entry(61))
    journal.close()
    assert examined(tmp_path) == (61, None)


def swap(one: Path, other: Path) -> None:
    spot = one.rename(one.with_suffix(".spot"))
    other.rename(one)
    spot.rename(other)


def test_a_journal_scrub_reports_swapped_throw_photos_and_swaps_them_back(tmp_path: Path) -> None:
    journal = photographed(tmp_path)
    first, second = tmp_path / "photos" / "2.jpg", tmp_path / "photos" / "5.jpg"
    swap(first, second)
    scrub(journal)
    journal.close()
    assert "photos of throws 2, 5 are not as they were taken" in told(tmp_path)
    assert (first.read_bytes(), second.read_bytes()) == (b"photo 2", b"photo 5")


def test_a_journal_check_renames_a_throw_photo_that_lies_under_another_throws_number(tmp_path: Path) -> None:
    journal = photographed(tmp_path)
    first, second = tmp_path / "photos" / "1.jpg", tmp_path / "photos" / "2.jpg"
    second.rename(first)
    scrub(journal)
    journal.close()
    assert (first.exists(), second.read_bytes()) == (False, b"photo 2")


def test_a_photo_whose_repairs_fail_is_copied_aside_only_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = photographed(tmp_path)
    (tmp_path / "photos" / "4.jpg").write_bytes(b"another picture")
    monkeypatch.setattr(Photos, "put_right", refuse)
    for hour in range(1, 4):
        scrub(journal, hour * 1e6)
        assert "The last check of both copies failed" in journal.health()[1]
    assert len(reports(tmp_path)) == 1
    monkeypatch.undo()
    scrub(journal, 4e6)
    assert journal.health()[0]
    (tmp_path / "photos" / "4.jpg").write_bytes(b"yet another picture")
    scrub(journal, 5e6)
    assert len(reports(tmp_path)) == 2, "after a repair the same damage is a new one"
    journal.close()


def test_a_journal_scrub_that_repairs_an_entry_leaves_swapped_throw_photos_to_the_next_scrub(tmp_path: Path) -> None:
    journal = photographed(tmp_path)
    first, last = tmp_path / "photos" / "1.jpg", tmp_path / "photos" / "6.jpg"
    swap(first, last)
    spoil(tmp_path / SECOND, b'[5,"line"')
    scrub(journal)
    assert first.read_bytes() == b"photo 6", "the entry of its throw comes after the damaged one"
    assert journal.health()[1].endswith(", photos not yet"), "the wrong photo was not verified"
    scrub(journal, now_s=2e6)
    journal.close()
    assert (first.read_bytes(), last.read_bytes()) == (b"photo 1", b"photo 6")


def test_a_journal_scrub_reports_and_moves_aside_a_changed_throw_photo(tmp_path: Path) -> None:
    journal = photographed(tmp_path)
    (tmp_path / "photos" / "4.jpg").write_bytes(b"another picture")
    scrub(journal)
    journal.close()
    assert "photos of throws 4" in told(tmp_path)
    assert not (tmp_path / "photos" / "4.jpg").exists()
    (aside,) = reports(tmp_path)
    assert (aside / "photos" / "4.jpg").read_bytes() == b"another picture", "no photo is ever destroyed"


def test_a_journal_scrub_reports_no_damage_for_a_deleted_throw_photo(tmp_path: Path) -> None:
    journal = photographed(tmp_path)
    (tmp_path / "photos" / "1.jpg").unlink()
    scrub(journal)
    assert journal.health()[1].endswith("5 photos")
    journal.close()
    assert not reports(tmp_path)


def test_an_idle_table_verifies_the_journal_copies_and_throw_photos(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening = Evening(tmp_path)
    evening.throw(5, 5, 2, 2, 1, 4, 6)
    evening.table.stop()
    photo = (tmp_path / "photos" / "1.jpg").read_bytes()
    assert read_entries(tmp_path)[-1].body["photo"] == digest_of(photo)
    journal, scrubbed = Journal(tmp_path), threading.Event()
    note = journal._note_verified

    def noted(photos: str) -> None:
        note(photos)
        if photos == "1 photo":
            scrubbed.set()

    monkeypatch.setattr(journal, "_note_verified", noted)
    table = Table(journal, Photos(tmp_path))
    table.start()
    assert scrubbed.wait(timeout=120.0)
    table.stop()
    assert "both copies up to entry 2, 1 photo" in journal.health()[1]


def test_a_throw_photo_deleted_during_a_journal_scrub_is_no_damage(tmp_path: Path) -> None:
    journal = photographed(tmp_path)
    journal.upkeep(0.0)
    (tmp_path / "photos" / "4.jpg").unlink()
    scrub(journal, 0.0)
    assert journal.health()[0]
    journal.close()
    assert not reports(tmp_path)


def test_moving_misnumbered_throw_photos_deletes_none_on_a_write_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    photos = Photos(tmp_path)
    photos.start(9)
    photos.keep(2, b"photo 5")
    monkeypatch.setattr("companion.table.photos.write_file", refuse)
    with pytest.raises(OSError, match="Input"):
        photos.put_right({2}, {digest_of(b"photo 5"): 5})
    monkeypatch.undo()
    photos.put_right({2, 3}, {digest_of(b"photo 5"): 5})  # the photo of throw 3 was deleted meanwhile
    assert (photos.jpeg(2), photos.jpeg(5)) == (None, b"photo 5")


def test_moving_misnumbered_throw_photos_leaves_an_unreadable_photo_in_place(tmp_path: Path) -> None:
    photos = Photos(tmp_path)
    photos.start(9)
    unreadable = photos.folder / "2.jpg"
    unreadable.symlink_to(unreadable)
    photos.put_right({2}, {})
    assert unreadable.is_symlink()
