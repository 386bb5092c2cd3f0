"""`pegpip read` and `pegpip bench --image` on pictures in files: as photos, or as the frames of a calibrated tray."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import cv2
import pytest
from click.testing import CliRunner, Result

from companion.adapters.reader_setup import save_calibration
from companion.bench import vision
from companion.commands import bench, read
from companion.errors import DeviceError, SetupError
from vision.calibration.store import Stored
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock
from vision.cameras.simulated.rendering import face_up
from vision.images.loading import picture_in
from vision.reading.reader import Reader


@dataclass(frozen=True)
class Pictures:
    """A data folder with a tray's calibration; that tray empty, with three dice, and the same at half the size."""

    data: Path
    file: Path
    empty: Path
    dice: Path
    small: Path
    values: list[int]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Pictures:
    folder = tmp_path_factory.mktemp("pictures")
    clock = SteppedClock()
    camera = VirtualCamera(3, clock, clock.sleep, seed=4)
    empty_bgr = camera.frame().image_bgr
    for die in range(3):
        camera.tray.move(die, 50.0 + 60 * die, 100.0)
    dice_bgr = camera.frame().image_bgr
    values = sorted(face_up(pose.rotation) for pose in camera.tray.advance(0.0))
    file = save_calibration(folder / "data", Stored("virtual", "2030-01-31 20:00", camera.rig()))
    empty, dice, small = (folder / f"{name}.png" for name in ("empty", "dice", "small"))
    for name, picture in zip((empty, dice, small), (empty_bgr, dice_bgr, dice_bgr[::2, ::2]), strict=True):
        assert cv2.imwrite(str(name), picture)
    return Pictures(folder / "data", file, empty, dice, small, values)


def pegpip(module: Any, *words: object) -> Result:
    return CliRunner().invoke(module.command, [str(word) for word in words], standalone_mode=False)


def records(done: Result) -> list[dict[str, Any]]:
    assert done.exception is None, done.exception
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_read_command_reads_dice_with_a_calibration_file_or_data_folder(pictures: Pictures) -> None:
    by_file, by_folder = (
        pegpip(read, "--json", "--calibration", place, pictures.dice, pictures.empty)
        for place in (pictures.file, pictures.data)
    )
    assert (by_file.return_value, by_file.stderr) == (0, "")
    dice, empty = records(by_file)
    assert (dice["image"], dice["values"], dice["doubt"]) == (str(pictures.dice), pictures.values, None)
    assert (empty["values"], empty["dice"], empty["doubt"]) == ([], [], None), "a tray may be empty"
    assert [{**one, "ms": 0} for one in records(by_folder)] == [{**one, "ms": 0} for one in (dice, empty)]


def test_read_command_takes_a_picture_not_of_calibration_size_as_a_photo(pictures: Pictures) -> None:
    """A note on stderr says so."""
    done = pegpip(read, "--json", "--expect", 3, "--calibration", pictures.file, pictures.small, pictures.dice)
    assert [one["values"] for one in records(done)] == [pictures.values] * 2
    assert "small.png: 640 x 480 is not the calibration's size; it is read as a photo." in done.stderr
    assert "dice.png" not in done.stderr


def test_the_read_command_without_calibration_reports_an_empty_tray_as_doubtful(pictures: Pictures) -> None:
    (record,) = records(pegpip(read, "--json", pictures.empty))
    assert (record["values"], record["trusted"], record["doubt"]) == ([], False, "count")


def test_read_command_reports_a_file_that_is_no_picture_and_reads_the_rest(pictures: Pictures, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("three dice")
    words = ("--json", "--annotate", tmp_path / "drawn", "--calibration", pictures.data)
    done = pegpip(read, *words, tmp_path / "notes.txt", pictures.dice)
    wrong, right = records(done)
    assert done.return_value == 1
    assert "save it as" in wrong["error"]
    assert right["values"] == pictures.values
    assert [file.name for file in (tmp_path / "drawn").iterdir()] == ["dice.jpg"]
    assert picture_in(tmp_path / "drawn" / "dice.jpg").shape == picture_in(pictures.dice).shape


def test_read_command_refuses_to_replace_a_picture_by_its_annotated_copy(pictures: Pictures, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    original = tmp_path / "throw.jpg"
    assert cv2.imwrite(str(original), picture_in(pictures.dice))
    before = original.read_bytes()
    refused = pegpip(read, "--annotate", tmp_path / "link", original).exception
    assert isinstance(refused, SetupError)
    assert "name another folder" in refused.problems[0]
    assert original.read_bytes() == before


def test_read_command_names_annotated_copies_of_same_named_photos_apart(pictures: Pictures, tmp_path: Path) -> None:
    names = ("a/throw.png", "b/throw.png", "c/throw-2.png", "d/throw.png")
    for name in names:
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(pictures.small.read_bytes())
    pegpip(read, "--annotate", tmp_path / "drawn", *(tmp_path / name for name in names))
    drawn = sorted(file.name for file in (tmp_path / "drawn").iterdir())
    assert drawn == ["throw-2-2.jpg", "throw-2.jpg", "throw-3.jpg", "throw.jpg"]


def test_read_command_refuses_a_missing_or_invalid_calibration_file(pictures: Pictures, tmp_path: Path) -> None:
    missing = pegpip(read, "--calibration", tmp_path, pictures.dice).exception
    assert isinstance(missing, SetupError)
    assert "name the file or the data folder" in missing.problems[0]
    assert isinstance(pegpip(read, "--calibration", pictures.dice, pictures.dice).exception, DeviceError)


def test_bench_command_prints_times_for_an_image_and_refuses_it_without_a_calibration(pictures: Pictures) -> None:
    (told,) = records(pegpip(bench, "--json", "--image", pictures.dice, "--calibration", pictures.data))
    times = {"settle_ms", "read_rig_ms", "read_free_ms", "baseline_ms"}
    assert told.keys() == {*times, "machine"}
    assert all(told[name] > 0 for name in times)
    alone = pegpip(bench, "--json", "--image", pictures.dice).exception
    assert isinstance(alone, SetupError)


def test_bench_command_refuses_the_image_option_along_with_the_only_option(pictures: Pictures) -> None:
    refused = pegpip(bench, "--only", "rules", "--image", pictures.dice, "--calibration", pictures.data).exception
    assert isinstance(refused, click.UsageError)
    assert "leave out --only" in refused.message


def test_bench_command_with_an_image_limits_opencv_to_one_thread_and_then_restores_the_count(
    pictures: Pictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads, opened, before = list[int](), read.open_reader, cv2.getNumThreads()

    def opening(calibration: Path | None) -> Reader:
        threads.append(cv2.getNumThreads())
        return opened(calibration)

    def timing(*_: object) -> dict[str, float]:
        threads.append(cv2.getNumThreads())
        return {}

    monkeypatch.setattr(read, "open_reader", opening)
    monkeypatch.setattr(vision, "times", timing)
    cv2.setNumThreads(2)
    try:
        records(pegpip(bench, "--json", "--image", pictures.dice, "--calibration", pictures.data))
        assert (threads, cv2.getNumThreads()) == ([1, 1, 1], 2)
    finally:
        cv2.setNumThreads(before)
