"""Packages of throws: what is in them, what becomes of damaged ones, and that the table never waits for them."""

from __future__ import annotations

import errno
import random
import shutil
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from companion.errors import DeviceError
from companion.evidence import folder as package_folder
from companion.evidence.folder import PackageFolder, read_calibration, read_package
from companion.table.journal import read_entries
from tests.evidence.playing import VirtualEvening
from tests.waiting import until
from tests.zips import rewrite, rewrite_json
from vision.calibration.store import bytes_of_calibration, load_calibration
from vision.networks import Networks
from vision.reading.reader import Reader

ROOM = 2_000_000_000


def test_each_stored_throw_file_has_the_photo_hash_of_its_journal_entry(played: Path) -> None:
    photos = {entry.throw: entry.body["photo"] for entry in read_entries(played) if entry.throw}
    files = PackageFolder(played, ROOM).files()
    assert {throw: read_package(file).record.photo for throw, file in files.items()} == photos


def test_stored_evidence_of_a_throw_has_network_hashes_and_probabilities(played: Path, networks: Networks) -> None:
    record = read_package(PackageFolder(played, ROOM).files()[1]).record
    assert record.networks == networks.hashes()
    assert sum(each.accepted for each in record.candidates) == len(record.dice) == 7
    assert all(len(each.probabilities) == 7 and len(each.detected) == 6 for each in record.candidates)
    assert (record.doubt, record.camera) == (None, "virtual")


def test_a_saved_throws_picture_with_its_calibration_reads_the_same_again(played: Path, networks: Networks) -> None:
    file = PackageFolder(played, ROOM).files()[2]
    package, stored = read_package(file), load_calibration(file.parent)
    assert stored is not None
    reading = Reader(networks, stored.rig).read(package.pictures()[-1])
    assert (reading.values, reading.doubt) == (package.record.reading.values, None)
    boxes = [die.box_xywh for die in package.record.dice]
    pairs = [(die.box_xywh, _nearest(die.box_xywh, boxes)) for die in reading.dice]
    assert max(abs(a - b) for one, other in pairs for a, b in zip(one, other, strict=True)) <= 3


def _nearest(box: tuple[int, ...], boxes: list[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    return min(boxes, key=lambda other: abs(other[0] - box[0]) + abs(other[1] - box[1]))


def test_evidence_stores_one_calibration_file_for_all_throws_that_share_it(played: Path) -> None:
    assert len(list((played / "evidence").rglob("calibration.zip"))) == 1
    assert set(PackageFolder(played, ROOM).cameras().values()) == {"virtual"}


def test_the_stored_evidence_file_of_a_corrected_throw_is_larger_than_of_an_uncorrected_one(played: Path) -> None:
    files = PackageFolder(played, ROOM).files()
    assert until(lambda: files[3].stat().st_size > 1.3 * files[2].stat().st_size)


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> dict[int, Path]:
    """The files of a copy of the evening's packages."""
    shutil.copytree(played / "evidence", tmp_path / "evidence")
    return PackageFolder(tmp_path, ROOM).files()


def _spoilt(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 255
    file.write_bytes(content)


def _swollen(file: Path) -> None:
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("2.jpg", bytes(70_000_000))


HARMS: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut": (lambda file: file.write_bytes(file.read_bytes()[:-100]), "can't be read"),
    "swapped": (lambda file: shutil.copyfile(file.with_name("2.zip"), file), "belongs in virtual-.*/2.zip"),
    "newer": (lambda file: rewrite_json(file, "throw.json", format=99, dice="told in another way"), "Update pegpip"),
    "empty": (lambda file: file.write_bytes(b""), "can't be read"),
    "spoilt": (_spoilt, "can't be read"),
    "pictureless": (lambda file: rewrite(file, lambda parts: {"throw.json": parts["throw.json"]}), "no picture"),
    "forged": (lambda file: rewrite_json(file, "throw.json", doubt="hearsay"), "can't be read"),
    "swollen": (_swollen, "too large"),
}


@pytest.mark.parametrize("harm", HARMS)
def test_reading_a_throw_package_damaged_or_of_a_newer_version_is_an_error(copy: dict[int, Path], harm: str) -> None:
    spoil, told = HARMS[harm]
    spoil(copy[1])
    with pytest.raises(DeviceError, match=told):
        read_package(copy[1])


def test_a_throw_package_with_a_flipped_bit_fails_to_load_or_loads_unchanged(copy: dict[int, Path]) -> None:
    sound, content, rng = read_package(copy[1]), copy[1].read_bytes(), random.Random(5)
    tail = len(content) - 400  # names, sizes and places of the parts
    places = [*range(60), *range(tail, len(content)), *(rng.randrange(len(content)) for _ in range(200))]
    readable = 0
    for at in places:
        harmed = bytearray(content)
        harmed[at] ^= 1 << rng.randrange(8)
        copy[1].write_bytes(harmed)
        with suppress(DeviceError):
            found = read_package(copy[1])
            readable += 1
            assert (found.record, found.jpegs) == (sound.record, sound.jpegs)
    assert 0 < readable < len(places) / 2, "most flipped bits are noticed, and not every one is refused"


def test_reading_a_throw_package_from_the_folder_of_another_calibration_fails(copy: dict[int, Path]) -> None:
    elsewhere = copy[1].parents[1] / "virtual-none" / "1.zip"
    elsewhere.parent.mkdir()
    copy[1].rename(elsewhere)
    with pytest.raises(DeviceError, match="belongs in virtual-"):
        read_package(elsewhere)


def test_a_stored_throws_calibration_file_is_refused_if_it_is_missing_or_was_replaced(copy: dict[int, Path]) -> None:
    folder, expected = copy[1].parent, read_package(copy[1]).record.calibration
    assert read_calibration(folder, expected) is not None
    stored = load_calibration(folder)
    assert stored is not None
    other = replace(stored, rig=replace(stored.rig, die_mm=stored.rig.die_mm + 1))
    (folder / "calibration.zip").write_bytes(bytes_of_calibration(other))
    with pytest.raises(DeviceError, match="is not that of its throw packages"):
        read_calibration(folder, expected)
    (folder / "calibration.zip").unlink()
    with pytest.raises(DeviceError, match="can't be read"):
        read_calibration(folder, expected)


def test_refusing_a_throw_package_over_the_size_limit_deletes_the_older_package_of_that_throw(
    copy: dict[int, Path], tmp_path: Path
) -> None:
    package = read_package(copy[4])
    packages = PackageFolder(tmp_path / "small", 2 * copy[4].stat().st_size)
    assert packages.keep(package, None)
    assert not packages.keep(replace(package, jpegs=package.jpegs * 3), None)
    assert packages.files() == {}


def test_storing_a_throw_in_a_folder_limited_to_0_bytes_empties_the_folder(copy: dict[int, Path]) -> None:
    packages = PackageFolder(copy[1].parents[2], 0)
    assert not packages.keep(read_package(copy[4]), None)
    assert packages.files() == {}
    assert not list(packages.path.iterdir())


def test_the_oldest_stored_throw_is_deleted_to_keep_the_size_limit_of_the_folder(copy: dict[int, Path]) -> None:
    packages = PackageFolder(copy[1].parents[2], ROOM)
    packages.cap_bytes = sum(file.stat().st_size for file in packages.path.rglob("*.zip")) - 1
    assert packages.keep(read_package(copy[4]), None)
    assert list(packages.files()) == [2, 3, 4]


def test_pruning_removes_a_half_written_throw_package_and_keeps_the_rest(copy: dict[int, Path]) -> None:
    unfinished = copy[1].with_suffix(".part")
    unfinished.write_bytes(b"half")
    packages = PackageFolder(copy[1].parents[2], ROOM)
    packages.prune()
    assert not unfinished.exists()
    assert packages.files() == copy


def _disk_is_full(*_: object) -> None:
    """Stand in for `write_file`."""
    raise OSError(errno.ENOSPC, "No space left on device")


without_room = pytest.mark.parametrize(
    ("cap_bytes", "says"), [(0, "not kept: evidence_percent is 0"), (1000, "0 throws kept since the start")]
)


def test_a_full_disk_that_stops_saving_of_throw_evidence_shows_in_health_and_play_goes_on(
    tmp_path: Path, networks: Networks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package_folder, "write_file", _disk_is_full)
    with VirtualEvening(tmp_path, networks) as evening:
        evening.throw()
        assert until(lambda: not evening.keeper.health()[0])
        assert "No space left" in evening.keeper.health()[1]
        assert evening.throw().throws[-1].number == 2
        monkeypatch.undo()
        evening.throw()
        assert until(lambda: evening.keeper.health()[0])
        assert evening.keeper.health()[1] in {"1 throw kept since the start", "2 throws kept since the start"}


@without_room
def test_health_drops_its_full_disk_report_once_no_throw_packages_are_to_be_kept(
    tmp_path: Path, networks: Networks, monkeypatch: pytest.MonkeyPatch, cap_bytes: int, says: str
) -> None:
    """The fault: only a written package ended the report, so `evidence_percent = 0` did not until a restart."""
    monkeypatch.setattr(package_folder, "write_file", _disk_is_full)
    with VirtualEvening(tmp_path, networks) as evening:
        evening.throw()
        assert until(lambda: not evening.keeper.health()[0])
        evening.packages.cap_bytes = cap_bytes
        evening.throw()
    assert evening.keeper.health() == (True, says)


@without_room
def test_a_size_limit_too_low_for_a_throw_package_keeps_none_and_health_is_good(
    tmp_path: Path, networks: Networks, cap_bytes: int, says: str
) -> None:
    with VirtualEvening(tmp_path, networks, cap_bytes=cap_bytes) as evening:
        assert evening.throw().throws[-1].number == 1
    assert evening.packages.files() == {}
    assert evening.keeper.health() == (True, says)
    assert not (tmp_path / "evidence").exists()


def test_health_counts_a_stored_throw_once_even_after_its_correction(tmp_path: Path, networks: Networks) -> None:
    with VirtualEvening(tmp_path, networks) as evening:
        evening.throw()
        assert evening.kept(1)
        evening.correct(1, (1, 1, 1, 1, 1, 1, 2))
    assert evening.keeper.health() == (True, "1 throw kept since the start")


def test_with_a_0_byte_limit_on_throw_packages_the_next_throw_deletes_all(tmp_path: Path, networks: Networks) -> None:
    with VirtualEvening(tmp_path, networks) as evening:
        evening.throw()
        assert evening.kept(1)
        evening.packages.cap_bytes = 0
        evening.throw()
        assert until(lambda: evening.packages.files() == {})
