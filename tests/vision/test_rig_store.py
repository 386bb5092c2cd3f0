"""Storing calibrations and the steps of calibrating: unchanged when loaded; damage is reported with a cure."""

from __future__ import annotations

import errno
import itertools
import os
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.adapters.reader_setup import save_calibration
from companion.errors import DeviceError
from tests.vision.camera_standins import virtual_camera
from tests.zips import rewrite, rewrite_json
from vision.calibration import procedure
from vision.calibration.lens import Lens
from vision.calibration.procedure import HELD_FOR_S, STILL_SHEETS, Calibrating
from vision.calibration.sheet import raster, sheet
from vision.calibration.solving import Plan, SheetView, detect_sheet, sold_edge_mm
from vision.calibration.store import FILE_NAME, Stored, load_calibration
from vision.cameras import Exposure, Frame
from vision.cameras.simulated.camera import VirtualCamera
from vision.geometry.rig import Rig
from vision.networks import load_networks
from vision.reading.reader import Reader
from vision.reading.reading import Doubt, FrameBGR


def film() -> VirtualCamera:
    return virtual_camera(1, seed=3)


@pytest.fixture(scope="module")
def stored() -> Stored:
    return Stored("opencv:0", "2030-01-31 20:00", film().rig(), ("tilted",))


def test_a_saved_calibration_loads_unchanged(stored: Stored, tmp_path: Path) -> None:
    assert load_calibration(tmp_path) is None
    save_calibration(tmp_path / "new", stored)
    again = load_calibration(tmp_path / "new")
    assert again is not None
    assert (again.camera, again.made, again.advice) == (stored.camera, stored.made, stored.advice)
    assert (again.rig.throw, again.rig.keep, again.rig.die_mm) == (stored.rig.throw, stored.rig.keep, 16.0)
    assert np.array_equal(again.rig.floor_to_px, stored.rig.floor_to_px)
    assert np.array_equal(again.rig.empty_bgr, stored.rig.empty_bgr)
    assert [file.name for file in (tmp_path / "new").iterdir()] == [FILE_NAME]


def test_a_damaged_calibration_is_reported_with_what_to_do(stored: Stored, tmp_path: Path) -> None:
    whole = save_calibration(tmp_path, stored).read_bytes()
    for harm in (b"", whole[: len(whole) // 2], b"\0" * 100, whole[:200] + b"\xff" * 40 + whole[240:]):
        (tmp_path / FILE_NAME).write_bytes(harm)
        with pytest.raises(DeviceError, match="pegpip calibrate"):
            load_calibration(tmp_path)


def test_a_calibration_file_without_read_permission_is_reported_as_not_readable(
    stored: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    save_calibration(tmp_path, stored)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(DeviceError, match=r"can't be read \(Permission denied\)") as told:
        load_calibration(tmp_path)
    assert told.value.cure.startswith("Make the file readable")


def test_damage_to_a_compressed_calibration_file_is_reported(stored: Stored, tmp_path: Path) -> None:
    """A person may have unpacked the file, and packed it again with another program."""
    rewrite(save_calibration(tmp_path, stored), lambda parts: parts, zipfile.ZIP_DEFLATED)
    content = (tmp_path / FILE_NAME).read_bytes()
    assert load_calibration(tmp_path) is not None
    for at in range(60, 260, 10):  # in the packed numbers
        (tmp_path / FILE_NAME).write_bytes(content[:at] + b"\xff" * 4 + content[at + 4 :])
        with pytest.raises(DeviceError, match="pegpip calibrate"):
            load_calibration(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", 2),
        ("floor_to_px", [[1, 0, 0], [1, 0, 0], [0, 0, 1]]),
        ("floor_to_px", [[1, 0], [0, 1]]),
        ("die_mm", "big"),
        ("die_mm", -16),
        ("camera_mm", [1, 2, 3]),
        ("camera_mm", [1, 2, float("nan")]),
        ("size_wh", [640, 480]),
        ("lens_deg", "wide"),
        ("throw_mm", [0, 0, 1]),
        ("keep_mm", None),
    ],
)
def test_a_calibration_file_with_an_impossible_value_is_refused(
    stored: Stored, tmp_path: Path, key: str, value: object
) -> None:
    rewrite_json(save_calibration(tmp_path, stored), "calibration.json", **{key: value})
    with pytest.raises(DeviceError, match=r"damaged|too low"):
        load_calibration(tmp_path)


def test_saving_a_calibration_fails_if_the_data_folder_is_a_file(stored: Stored, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DeviceError, match="--data"):
        save_calibration(tmp_path / "file", stored)


def test_a_frame_of_another_size_than_the_calibration_is_read_as_an_uncalibrated_photo(stored: Stored) -> None:
    reader = Reader(load_networks(), stored.rig)
    assert reader.read(stored.rig.empty_bgr).trusted, "an empty tray is no doubt"
    assert reader.misfit_wh is None
    assert reader.read(stored.rig.empty_bgr[::2, ::2]).doubt is Doubt.COUNT, "a photo without dice is one"
    assert reader.misfit_wh == (640, 480)
    assert reader.read(stored.rig.empty_bgr).trusted
    assert reader.misfit_wh is None


def laid() -> VirtualCamera:
    """Return a camera with the sheet in its tray."""
    camera = film()
    camera.lay_sheet(raster(sheet()), sheet().size_mm)
    return camera


def calibrating(frame: Callable[[], Frame | None], wait_s: float = 60.0) -> Calibrating:
    return Calibrating(frame, Plan(), lambda _said: None, wait_s)


def test_calibration_finds_the_sheet_the_empty_tray_and_the_die_size() -> None:
    camera, said = laid(), list[str]()
    steps = Calibrating(camera.frame, Plan(), said.append)
    look = steps.sheet()
    assert not look.lens.measured, "it was not held aslant"
    camera.lift_sheet()
    empty = steps.empty_tray()
    assert np.abs(empty.astype(int) - camera.rig().empty_bgr).mean() < 1.0
    camera.tray.move(0, 120, 120)
    edge = steps.die_mm(camera.rig())
    assert edge is not None
    assert sold_edge_mm(edge) == 16.0
    assert said == []


def test_a_calibration_sheet_not_seen_in_time_ends_calibration_with_an_error_and_advice() -> None:
    said: list[str] = []
    with pytest.raises(DeviceError, match=r"within 3 s\. .*Lay it flat"):
        Calibrating(film().frame, Plan(), said.append, wait_s=3.0).sheet()
    assert len(said) == 1


def test_calibration_retakes_the_sheet_frames_if_the_measured_lens_locates_no_sheet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The sheet lies still, but no frame locates it with the lens that was measured meanwhile."""
    camera, detected = laid(), itertools.count(1)

    def detect(frame_bgr: FrameBGR, plan: Plan, lens: Lens) -> SheetView:
        view = detect_sheet(frame_bgr, plan, lens)
        return replace(view, floor_to_px=None) if STILL_SHEETS < next(detected) <= 2 * STILL_SHEETS else view

    monkeypatch.setattr(procedure, "detect_sheet", detect)
    found = calibrating(camera.frame).sheet()
    assert np.isfinite(found.floor_to_px).all()
    assert next(detected) == 4 * STILL_SHEETS + 1


def test_calibration_takes_no_empty_tray_picture_with_the_sheet_left_in() -> None:
    said: list[str] = []
    with pytest.raises(DeviceError, match="lift the sheet"):
        Calibrating(laid().frame, Plan(), said.append, wait_s=4.0).empty_tray()
    assert len(said) == 1


def test_calibration_takes_no_empty_tray_picture_while_the_tray_moves() -> None:
    with pytest.raises(DeviceError, match="not seen within"):
        calibrating(shaken(film()), 3.0).empty_tray()


def test_calibration_refuses_a_black_picture_of_the_empty_tray() -> None:
    camera = film()
    camera.disturb = lambda picture, _now_s: np.zeros_like(picture)
    with pytest.raises(DeviceError, match="Switch the lamp on"):
        calibrating(camera.frame, 3.0).empty_tray()


def shaken(camera: VirtualCamera) -> Callable[[], Frame]:
    """Return a camera's next frame as if the camera hung loosely."""
    turns = itertools.cycle(range(0, 140, 20))

    def frame() -> Frame:
        frame = camera.frame()
        return replace(frame, image_bgr=np.roll(frame.image_bgr, next(turns), 1))

    return frame


def test_taking_a_picture_of_a_moving_calibration_sheet_fails_and_says_that_something_moves() -> None:
    with pytest.raises(DeviceError, match="Something moves"):
        calibrating(shaken(laid()), 3.0).sheet()


def test_calibration_reports_a_remedy_if_the_recording_ends_while_reading_the_sheet() -> None:
    frames = iter([laid().frame(), None])
    with pytest.raises(DeviceError, match=r"pictures ended\. Use a camera that goes on\.$"):
        calibrating(lambda: next(frames)).sheet()


def test_calibration_retakes_the_empty_tray_frames_if_the_exposure_changes_meanwhile() -> None:
    """The camera finds its exposure anew while the pictures are taken that are averaged."""
    camera, numbers, before = film(), itertools.count(), round(30 * (HELD_FOR_S + 0.3))

    def relit() -> Frame:
        frame, number = camera.frame(), next(numbers)
        held = not before <= number < before + 3
        dim = frame.image_bgr // 2 if number < before else frame.image_bgr
        return replace(frame, image_bgr=dim, exposure=Exposure(0.01, 1.0, held))

    empty = calibrating(relit).empty_tray()
    assert next(numbers) > before + 3, "the exposure changed while the pictures were taken"
    assert np.abs(empty.astype(int) - camera.rig().empty_bgr).mean() < 1.0


def test_empty_tray_picture_skips_the_warm_up_frames_of_a_camera_without_exposure_reports() -> None:
    camera, numbers = film(), itertools.count(1)

    def without_exposure() -> Frame:
        number = next(numbers)
        frame = camera.frame()
        image_bgr = frame.image_bgr // 2 if number <= 100 else frame.image_bgr
        return replace(frame, image_bgr=image_bgr, exposure=None)

    empty = calibrating(without_exposure).empty_tray(warm_frames=100)
    assert np.abs(empty.astype(int) - camera.rig().empty_bgr).mean() < 1.0


def test_calibration_without_a_die_in_the_tray_finds_no_die_size() -> None:
    camera = film()
    assert calibrating(camera.frame, 2.0).die_mm(camera.rig()) is None


def test_a_camera_fault_while_calibration_measures_a_die_is_raised() -> None:
    def unplugged() -> Frame:
        raise DeviceError("The camera is gone.", "Plug it in.")

    with pytest.raises(DeviceError, match="is gone"):
        calibrating(unplugged).die_mm(film().rig())


@pytest.mark.parametrize(("measured", "sold"), [(16.6, 16.0), (15.6, 16.0), (12.4, 12.0), (18.9, 19.0), (28.0, 28.0)])
def test_calibration_rounds_a_measured_die_edge_to_a_common_size(measured: float, sold: float) -> None:
    assert sold_edge_mm(measured) == sold


def test_a_calibration_is_usable_only_for_frames_of_its_pictures_size() -> None:
    rig: Rig = film().rig()
    assert rig.fits(rig.empty_bgr)
    assert not rig.fits(rig.empty_bgr[:-1])
