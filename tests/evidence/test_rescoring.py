"""Stored throws read again: judged by what stands, told apart from what changed, and shared without names."""

from __future__ import annotations

import errno
import json
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import msgspec
import pytest
from click.testing import CliRunner

from companion.commands import read
from companion.commands.analysis import rescore
from companion.errors import DeviceError
from companion.evidence.folder import PackageFolder
from companion.evidence.package import COMPRESSED, Package
from companion.evidence.rescoring import Rescored, StoredThrow, rescored, stored_throws, summary
from companion.evidence.sharing import write_export
from companion.history.accuracy import accuracy, camera_throws, upper_bound
from companion.history.export import PastGames
from tests.evidence.playing import VirtualEvening
from tests.evidence.proving import noisy_classifier
from tests.waiting import until
from vision.geometry.rig import Zone
from vision.images.loading import jpeg
from vision.networks import Networks
from vision.reading.reader import Reader
from vision.research.evaluation.rigs import exported


@pytest.fixture(scope="module")
def again(played: Path, networks: Networks) -> list[Rescored]:
    assert until(lambda: len(PackageFolder(played, 0).files()) == 4)
    return list(rescored(stored_throws(played), networks, pytest.fail))


def test_rescoring_throws_with_the_unchanged_classifier_changes_no_reading(again: list[Rescored]) -> None:
    assert len(again) == 4
    assert [each.changed for each in again] == [False] * 4


def test_rescoring_counts_a_trusted_but_corrected_throw_as_false_accept(again: list[Rescored]) -> None:
    found = summary(again, [])
    assert (found["throws"], found["exact"], found["trusted"], found["false_accepts"]) == (4, 3, 4, 1)
    assert [each.throw.camera_throw.throw for each in again if each.differs] == [3]


def test_rescoring_counts_no_false_accept_for_a_wrong_reading_that_a_person_corrected(again: list[Rescored]) -> None:
    """The reading lacks a die, and a person named the right dice when the table asked."""
    first = again[0].throw
    read = first.camera_throw
    answered = msgspec.structs.replace(read, values=(*read.values, 1), source="answered", accepted=False)
    found = summary([replace(again[0], throw=replace(first, camera_throw=answered)), again[1]], [])
    assert (found["exact"], found["trusted"], found["false_accepts"], found["caught"]) == (1, 2, 0, 1)
    assert found["false_accepts_at_most"] == round(upper_bound(0, 1), 6)


def test_rescoring_with_a_noisy_classifier_reports_changed_readings(played: Path, networks: Networks) -> None:
    worse = list(rescored(stored_throws(played), noisy_classifier(networks, 2.0), pytest.fail))
    assert sum(each.changed for each in worse) >= 3


def test_rescoring_stored_photos_uses_the_calibration_of_each_photo(
    played: Path, tmp_path: Path, networks: Networks
) -> None:
    shutil.copytree(played, tmp_path / "table")
    with VirtualEvening(tmp_path / "table", networks, seed=7) as evening:
        evening.recalibrate(die_mm=evening.rig.die_mm * 1.04)
        evening.throw()
        assert evening.kept(5)
    with mock.patch("companion.evidence.rescoring.Reader", side_effect=Reader) as readers:
        both = list(rescored(stored_throws(tmp_path / "table"), networks, pytest.fail))
    first_mm, second_mm = (made.args[1].die_mm for made in readers.call_args_list)
    assert second_mm == pytest.approx(1.04 * first_mm)
    assert len({file.parent for file in evening.packages.files().values()}) == 2
    assert [each.changed for each in both] == [False] * 5


def test_rescoring_refuses_a_throw_package_of_another_table(played: Path, tmp_path: Path, networks: Networks) -> None:
    shutil.copytree(played, tmp_path / "table")
    with VirtualEvening(tmp_path / "other", networks, seed=9) as evening:
        evening.throw()
        assert evening.kept(1)
        strange = evening.packages.files()[1]
    PackageFolder(tmp_path / "table", 0).files()[1].unlink()
    shutil.copytree(strange.parent, tmp_path / "table" / "evidence" / strange.parent.name)
    refused = list[str]()
    assert [each.camera_throw.throw for each in stored_throws(tmp_path / "table", refuse=refused.append)] == [2, 3, 4]
    assert len(refused) == 1
    assert "does not belong to entry" in refused[0]


def test_rescore_reports_damaged_throw_packages_and_reads_the_others(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played, tmp_path / "table")
    file = PackageFolder(tmp_path / "table", 0).files()[2]
    file.write_bytes(file.read_bytes()[:1000])
    done = CliRunner().invoke(
        rescore.command,
        ["--data", str(tmp_path / "table"), "--json", "--html", str(tmp_path / "sheet")],
        standalone_mode=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.return_value == 1
    assert [line["throw"] for line in lines[:-1]] == [1, 3, 4]
    assert len(lines[-1]["refused"]) == 1
    assert "can't be read" in done.stderr
    page = (tmp_path / "sheet" / "index.html").read_text()
    assert page.count("<figure>") == 1
    assert (tmp_path / "sheet" / "3.jpg").exists()


def test_throws_exported_by_rescore_hold_no_player_names_and_can_be_read_again(played: Path, tmp_path: Path) -> None:
    file = tmp_path / "throws.zip"
    CliRunner().invoke(rescore.command, ["--data", str(played), "--export", str(file)], standalone_mode=False)
    with zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path / "set")
        text = b"".join(archive.read(name) for name in archive.namelist() if name.endswith((".jsonl", ".json")))
    assert b"Ann" not in text
    assert not any(photo.encode() in text for photo in _photos(played))
    done = CliRunner().invoke(read.command, ["--json", str(file)], standalone_mode=False)
    values = [json.loads(line)["values"] for line in done.stdout.splitlines()]
    cases = list(exported(tmp_path / "set"))
    assert values[0] == list(cases[0].truth)
    assert len(values) == len(cases) == 4
    assert cases[2].truth == (1, 1, 1, 1, 1, 1, 2)


def test_the_read_command_keeps_annotated_pictures_of_a_file_and_a_zip_apart(played: Path, tmp_path: Path) -> None:
    file, picture, drawn = tmp_path / "throws.zip", tmp_path / "throws-1.jpg", tmp_path / "drawn"
    CliRunner().invoke(rescore.command, ["--data", str(played), "--export", str(file)], standalone_mode=False)
    with zipfile.ZipFile(file) as archive:
        images = sorted(Path(name).name for name in archive.namelist() if name.endswith(".jpg"))
        picture.write_bytes(archive.read(next(name for name in archive.namelist() if name.endswith(".jpg"))))
    words = ["--annotate", str(drawn), str(file), str(picture)]
    done = CliRunner().invoke(read.command, words, standalone_mode=False)
    assert done.exception is None
    copies = {str(copy.relative_to(drawn)) for copy in drawn.rglob("*.jpg")}
    assert len(copies) == len(done.stdout.splitlines()) > 2
    assert copies <= {"throws-1.jpg", *(f"throws/{name}" for name in images)}


def test_read_command_refuses_to_put_a_zips_annotated_copies_in_a_folder_of_input_photos(tmp_path: Path) -> None:
    (tmp_path / "throws").mkdir()
    (tmp_path / "throws" / "1.jpg").write_bytes(b"a picture")
    words = ["--annotate", str(tmp_path), str(tmp_path / "throws.zip"), str(tmp_path / "throws" / "1.jpg")]
    done = CliRunner().invoke(read.command, words, standalone_mode=False)
    assert "name another folder" in str(done.exception)
    assert (tmp_path / "throws" / "1.jpg").read_bytes() == b"a picture"


def _photos(folder: Path) -> list[str]:
    return [each.package.record.photo for each in stored_throws(folder)]


LABELS = [b"[]", b'{"image": 3}', b'{"image": "none.jpg"}', b"\xff", b'{"image": "1.jpg"}']


@pytest.mark.parametrize(
    ("name", "content"), [("", b""), ("1.jpg", b""), *(("virtual-none/labels.jsonl", line) for line in LABELS)]
)
def test_the_read_command_exits_1_on_a_zip_without_a_valid_export(tmp_path: Path, name: str, content: bytes) -> None:
    file = tmp_path / "throws.zip"
    file.write_bytes(b"PK no zip")
    if name:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(name, content)
    done = CliRunner().invoke(read.command, ["--json", str(file)], standalone_mode=False)
    assert (done.return_value, "no export of throws" in json.loads(done.stdout)["error"]) == (1, True)


def test_export_omits_a_throw_if_a_set_aside_die_in_its_photo_has_no_known_value(played: Path, tmp_path: Path) -> None:
    """Without a keep zone a die that was set aside lies among the thrown ones, and the journal has no value for it."""
    throw = next(stored_throws(played))
    assert throw.rig is not None
    rig = replace(throw.rig, keep=replace(throw.rig.keep, width_mm=0.0))
    read = throw.camera_throw
    fewer = replace(throw, camera_throw=msgspec.structs.replace(read, values=read.values[1:]))
    everywhere = replace(throw.rig, keep=Zone(-1000.0, -1000.0, 2000.0, 2000.0))
    first, *others = throw.package.record.dice
    record = msgspec.structs.replace(throw.package.record, dice=(replace(first, value=None), *others))
    unread = replace(throw, rig=everywhere, package=Package(record, throw.package.jpegs))
    assert [write_export([case], tmp_path / "throws.zip") for case in (replace(throw, rig=rig), fewer)] == [1, 1]
    for omitted in (replace(fewer, rig=rig), unread):
        with pytest.raises(DeviceError, match="no throw to export"):
            write_export([omitted], tmp_path / "throws.zip")


def test_exporting_throws_to_a_full_disk_fails_and_keeps_the_old_export(played: Path, tmp_path: Path) -> None:
    file = tmp_path / "throws.zip"
    file.write_bytes(b"older")

    def full() -> Iterator[StoredThrow]:
        yield from stored_throws(played)
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DeviceError, match="No space left"):
        write_export(full(), file)
    assert [each.name for each in tmp_path.iterdir()] == ["throws.zip"]
    assert file.read_bytes() == b"older"


def test_rescoring_refuses_pictures_of_another_size_than_the_calibration(played: Path, networks: Networks) -> None:
    throw = next(stored_throws(played))
    smaller = tuple(jpeg(picture[:-8], *COMPRESSED) for picture in throw.package.pictures())
    refused = list[str]()
    altered = replace(throw, package=replace(throw.package, jpegs=smaller))
    assert list(rescored(iter([altered]), networks, refused.append)) == []
    assert "another size" in refused[0]


@pytest.mark.parametrize("name", ["", ".", "there"])
def test_exporting_throws_to_a_folder_is_an_error(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    throws = list(stored_throws(played))
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DeviceError, match="can't be written"):
        write_export(throws, Path(name))
    assert [each.name for each in tmp_path.iterdir()] == ["there"]


@pytest.mark.parametrize(
    ("words", "why"),
    [(["--since", "yesterday"], "yesterday"), (["--html", "sheet", "--export", "throws.zip"], "--html")],
)
def test_rescore_exits_2_on_an_invalid_date_or_on_html_with_export(played: Path, words: list[str], why: str) -> None:
    done = CliRunner().invoke(rescore.command, ["--data", str(played), *words])
    assert done.exit_code == 2
    assert why in done.output


@pytest.mark.parametrize("export", [False, True])
@pytest.mark.parametrize(
    ("empty", "more", "told"),
    [
        (True, [], r"No throw in .* has a package"),
        (False, ["--since", "2999-01"], "None of the 4 throws|no throw to export"),
        (False, ["--set", "no such set"], r"with the set of dice 'no such set'\. Known sets: ''\.$"),
    ],
)
def test_rescore_without_any_throw_is_an_error_and_keeps_an_older_export(
    played: Path, tmp_path: Path, export: bool, empty: bool, more: list[str], told: str
) -> None:
    file = tmp_path / "throws.zip"
    file.write_bytes(b"older")
    words = ["--data", str(tmp_path if empty else played), *more, *(["--export", str(file)] if export else [])]
    with pytest.raises(DeviceError, match=told):
        CliRunner().invoke(rescore.command, words, standalone_mode=False, catch_exceptions=False)
    assert file.read_bytes() == b"older"


def test_a_throw_corrected_back_to_the_camera_reading_counts_as_read_right(tmp_path: Path, networks: Networks) -> None:
    with VirtualEvening(tmp_path, networks) as evening:
        read = evening.throw().throws[-1].values
        evening.correct(1, (1, 1, 1, 1, 1, 1, 2))
        assert [each.false_accept for each in camera_throws(PastGames(tmp_path), tmp_path)] == [True]
        evening.correct(1, read)
    assert [each.false_accept for each in camera_throws(PastGames(tmp_path), tmp_path)] == [False]


def test_reading_accuracy_counts_accepted_and_corrected_throws_overall_and_per_camera(played: Path) -> None:
    found = accuracy(camera_throws(PastGames(played), played), {1: "virtual", 2: "virtual"})
    assert (found["throws"], found["accepted"], found["corrected"]) == (4, 4, 1)
    assert found["bound"] == pytest.approx(0.7514, abs=1e-4)
    assert [(each["name"], each["throws"], each["accepted"], each["corrected"]) for each in found["by"]["camera"]] == [
        ("", 2, 2, 1),
        ("virtual", 2, 2, 0),
    ]


def test_the_reading_error_rate_bound_equals_clopper_pearson_values() -> None:
    assert upper_bound(0, 400) == pytest.approx(1 - 0.05 ** (1 / 400))
    assert upper_bound(1, 10) == pytest.approx(0.3942, abs=1e-4)
    assert upper_bound(5, 5) == upper_bound(0, 0) == 1.0
