"""`pegpip calibrate` on the virtual tray, from the sheet to a table that reads with it; and what is refused."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.adapters.reader_setup import NOT_CALIBRATED, calibration_status, load_reader, save_calibration
from companion.commands.calibrate import command
from companion.errors import DeviceError, SetupError
from tests.known import known
from tests.system.running import Running, pegpip
from vision.calibration.procedure import Calibrating
from vision.calibration.sheet import pdf, raster, sheet
from vision.calibration.store import FILE_NAME, Stored, load_calibration
from vision.cameras import files
from vision.cameras.opening import open_camera
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock
from vision.geometry.rig import Rig
from vision.images.loading import picture_in, save_jpeg
from vision.networks import load_networks

CORNERS = ("45,34", "1235,34", "1235,926", "45,926")
"""Corners of the virtual tray in its camera's picture, in pixels."""


def calibrate(*words: str) -> Result:
    return CliRunner().invoke(command, list(words), standalone_mode=False)


NETWORKS = load_networks()


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object], str]:
    folder = tmp_path_factory.mktemp("calibrated")
    words = ("--camera", "virtual", "--data", str(folder), "--preview", str(folder / "seen.jpg"), "--json")
    done = pegpip("calibrate", *words)
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout), done.stderr


def test_calibrating_the_virtual_tray_finds_its_true_geometry(calibrated: tuple[Path, dict[str, object], str]) -> None:
    folder, told, said = calibrated
    assert told["calibrated"]
    assert told["die_mm"] == 16.0
    assert told["camera_mm"] == pytest.approx([160.0, 120.0, 285.0], abs=2.0)
    assert told["keep_mm"] == [240.0, 0.0, 80.0, 240.0]
    assert told["advice"] == []
    assert told["lens"] == {"degrees": pytest.approx(62.2, abs=0.2), "measured": True}
    assert "simulated tray" in said, "the output says that the tray is simulated"
    assert load_calibration(folder) is not None
    assert picture_in(folder / "seen.jpg").shape == (960, 1280, 3)


def test_a_table_with_a_healthy_calibration_reads_a_throw(calibrated: tuple[Path, dict[str, object], str]) -> None:
    phases: list[str] = []
    while "read" not in phases:
        assert len(phases) < 3, "one throw in a hundred is doubted, as the bench measures; three in a row never are"
        with Running(calibrated[0]) as table:
            says = table.ask("/healthz")[1]["parts"]["calibration"]
            assert says["ok"]
            assert "Calibrated" in says["says"]
            assert table.ask("/api/tray/throw", {})[0] == 200
            told = (snapshot["phase"] for snapshot in table.news())
            phases.append(next(phase for phase in told if phase in ("read", "asking")))


def test_a_calibration_made_on_the_phone_is_used_at_once(tmp_path: Path) -> None:
    """The virtual camera's own keep zone begins at 240 mm; the phone's at 280: a die at 262 mm tells which is used."""
    with Running(tmp_path) as table:
        table.pair()

        def zones_at_262_mm(y_mm: int) -> tuple[bool, bool]:
            assert table.ask("/api/tray/lift", {})[0] == 200
            table.until("/api/state", lambda now: not now["thrown"] and not now["kept"])
            assert table.ask("/api/tray/move", {"id": 0, "x_mm": 262, "y_mm": y_mm})[0] == 200
            now = table.until("/api/state", lambda now: now["thrown"] or now["kept"])
            return len(now["thrown"]) == 1, len(now["kept"]) == 1

        assert zones_at_262_mm(120) == (False, True)
        assert table.ask("/api/tray/lift", {})[0] == 200
        for what, body in (
            ("lay", {"lies": True}),
            ("sheet", {"keep_mm": 40}),
            ("lay", {"lies": False}),
            ("empty", {}),
        ):
            status, answer = table.ask(f"/api/calibrate/{what}", body)
            assert status == 200, answer
        assert table.ask("/healthz")[1]["parts"]["calibration"]["says"].startswith("Calibrated ")
        # At another place: what lay there before the calibration would be no motion.
        assert zones_at_262_mm(60) == (True, False)


def test_first_throw_after_phone_calibration_is_not_taken_for_found_or_moved_dice(tmp_path: Path) -> None:
    with Running(tmp_path) as table:
        table.pair()
        for what, body in (("lay", {"lies": True}), ("sheet", {}), ("lay", {"lies": False}), ("empty", {})):
            assert table.ask(f"/api/calibrate/{what}", body)[0] == 200
        assert table.ask("/api/tray/throw", {})[0] == 200
        now = table.until("/api/state", lambda now: now["throws"] or now["question"])
        assert now["throws"] or now["question"]["code"] not in {"found", "moved"}, "a doubtful one may be asked about"


def test_a_reader_without_calibration_is_healthy_and_reports_not_calibrated(tmp_path: Path) -> None:
    setup = load_reader("opencv:0", open_camera("opencv:0"), tmp_path, NETWORKS)
    assert setup.rig is None
    assert setup.health() == (True, NOT_CALIBRATED)
    assert calibration_status(tmp_path, "opencv:0") == (False, NOT_CALIBRATED)


def test_the_calibration_of_another_camera_is_not_used(tmp_path: Path) -> None:
    save_calibration(tmp_path, Stored("picamera2", "today", VirtualCamera(1).rig()))
    assert load_reader("opencv:0", open_camera("opencv:0"), tmp_path, NETWORKS).rig is None
    assert "picamera2" in calibration_status(tmp_path, "opencv:0")[1]
    assert calibration_status(tmp_path, "picamera2")[0]


def test_pictures_of_another_size_than_the_calibration_fail_health(tmp_path: Path) -> None:
    save_calibration(tmp_path, Stored("opencv:0", "today", VirtualCamera(1).rig()))
    setup = load_reader("opencv:0", open_camera("opencv:0"), tmp_path, NETWORKS)
    assert setup.rig is not None
    setup.reader.read(np.zeros((960, 1280, 3), np.uint8))
    assert setup.health()[0]
    setup.reader.read(np.zeros((480, 640, 3), np.uint8))
    ok, says = setup.health()
    assert not ok
    assert "640 x 480" in says
    assert "1280 x 960" in says


def test_a_damaged_calibration_is_reported_and_the_reader_starts_without_it(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no archive")
    setup = load_reader("opencv:0", open_camera("opencv:0"), tmp_path, NETWORKS)
    assert setup.rig is None
    assert not setup.health()[0]
    assert load_reader("virtual", open_camera("virtual"), tmp_path, NETWORKS).rig is not None


def test_calibrate_command_finds_the_camera_position_from_given_tray_corners(tmp_path: Path) -> None:
    done = pegpip("calibrate", "--data", str(tmp_path), "--die", "16", "--json", "--corners", *CORNERS)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["camera_mm"] == pytest.approx([160.0, 120.0, 285.0], abs=2.0)


def test_calibrate_reports_a_camera_fault_while_measuring_the_die_and_assumes_16_mm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unplugged(_steps: Calibrating, _rig: Rig) -> float | None:
        raise DeviceError("The camera is gone.", "Plug it in.")

    monkeypatch.setattr(Calibrating, "die_mm", unplugged)
    done = calibrate("--camera", "virtual", "--data", str(tmp_path), "--corners", *CORNERS)
    assert done.return_value == 0
    assert "The camera is gone. Plug it in.\nNo single die was seen: 16 mm" in done.stderr
    assert known(load_calibration(tmp_path)).rig.die_mm == 16


def photographed(folder: Path) -> VirtualCamera:
    """Return a virtual camera, and save a photo of the calibration sheet in its tray as `photos/1.jpg` of a folder."""
    film = VirtualCamera(1, sleep=lambda _s: None, seed=3)
    film.tray.lift()
    film.lay_sheet(raster(sheet()), sheet().size_mm)
    (folder / "photos").mkdir()
    save_jpeg(film.frame().image_bgr, folder / "photos" / "1.jpg")
    return film


def test_photos_of_the_sheet_and_of_the_empty_tray_give_a_calibration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The camera `files` shows each photo for a while, by a clock that only its own pauses advance."""
    film, clock = photographed(tmp_path), SteppedClock()
    film.lift_sheet()
    save_jpeg(film.frame().image_bgr, tmp_path / "photos" / "2.jpg")
    monkeypatch.setattr(files, "FilesCamera", partial(files.FilesCamera, clock=clock, sleep=clock.sleep))
    words = ("--camera", f"files:{tmp_path / 'photos'}", "--data", str(tmp_path / "data"), "--die", "16")
    assert calibrate(*words).return_value == 0
    stored = load_calibration(tmp_path / "data")
    assert stored is not None
    assert stored.rig.camera_mm == pytest.approx(VirtualCamera(1).rig().camera_mm, abs=2)
    empty_bgr = picture_in(tmp_path / "photos" / "2.jpg")
    assert np.abs(stored.rig.empty_bgr.astype(int) - empty_bgr.astype(int)).mean() < 2


def test_calibrating_from_photos_without_an_empty_tray_is_refused(tmp_path: Path) -> None:
    """The camera `files` shows one photo, of the sheet; a calibration also needs a picture of the empty tray."""
    photographed(tmp_path)
    done = calibrate("--camera", f"files:{tmp_path / 'photos'}", "--data", str(tmp_path / "data"), "--wait-s", "2")
    assert isinstance(done.exception, DeviceError), "no photo shows the tray without the sheet"
    assert "The empty tray was not seen within 2 s" in str(done.exception)
    assert not (tmp_path / "data").exists()


def test_calibrate_writes_a_calibration_sheet_pdf_in_true_millimetres(tmp_path: Path) -> None:
    assert json.loads(calibrate("--sheet", str(tmp_path / "a.pdf"), "--json").stdout)["sheet"].endswith("a.pdf")
    assert calibrate("--sheet", str(tmp_path / "a.pdf"), "--paper", "letter").return_value == 0
    told = (tmp_path / "a.pdf").read_bytes()
    assert b"/MediaBox [0 0 792.000 612.000]" in told
    assert b"\n2.83465 0 0 -2.83465 0 612.000 cm\n" in told, "a millimetre is 72 / 25.4 points, y counts downwards"
    assert [file.name for file in tmp_path.iterdir()] == ["a.pdf"]


def test_the_calibration_sheet_pdf_has_correct_cross_reference_offsets() -> None:
    told = pdf(sheet())
    start = int(told.rpartition(b"startxref\n")[2].split()[0])
    assert told[start:].startswith(b"xref")
    rows = told[start:].split(b"\n")[3:8]
    for number, row in enumerate(rows, 1):
        assert told[int(row[:10]) :].startswith(b"%d 0 obj" % number)


def test_the_calibration_sheet_pdf_matches_its_raster_picture() -> None:
    """The printed black and white, drawn from the PDF's own rectangles, is what the raster shows."""
    picture = np.full((210 * 3, 297 * 3), 255, np.uint8)
    for grey, *box in re.findall(rb"([01]) g (\S+) (\S+) (\S+) (\S+) re f", pdf(sheet())):
        x, y, w, h = (round(3 * float(number)) for number in box)
        picture[y : y + h, x : x + w] = 255 * int(grey)
    drawn = cv2.cvtColor(raster(sheet(), 3.0), cv2.COLOR_BGR2GRAY)
    assert np.mean((picture > 127) != (drawn > 127)) < 0.001


@pytest.mark.parametrize(
    "words",
    [
        ("--sheet", "sheet.png"),
        ("--sheet", "sheet.pdf", "--tray", "200x150"),
        ("--sheet", "/nowhere/at/all/sheet.pdf"),
        ("--tray", "320"),
        ("--tray", "1x1"),
        ("--tray", "200x200", "--keep", "180"),
        ("--corners", "1,2", "3", "4,5", "6,7"),
        ("--corners", "1,2", "1,2", "4,5", "6,7", "--camera", "virtual"),
        ("--camera", "camcorder"),
    ],
)
def test_calibrate_with_wrong_options_raises_and_writes_nothing(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = calibrate("--data", str(tmp_path / "data"), *words)
    assert isinstance(done.exception, SetupError)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("given", ["nan", "inf", "ten"])
@pytest.mark.parametrize("option", ["--keep", "--bar", "--lens", "--height", "--die", "--wait-s"])
def test_the_calibrate_command_refuses_nan_inf_and_words_as_numeric_options(
    option: str, given: str, tmp_path: Path
) -> None:
    done = CliRunner().invoke(command, ["--camera", "virtual", "--data", str(tmp_path), option, given])
    assert (done.exit_code, option in done.stderr) == (2, True), done.output
    assert not (tmp_path / FILE_NAME).exists()


def test_the_calibrate_command_refuses_a_camera_height_of_55_mm(tmp_path: Path) -> None:
    """With dice of 30 mm it stored a calibration that the table then called damaged."""
    words = ["--camera", "virtual", "--data", str(tmp_path), "--height", "55", "--die", "30"]
    done = CliRunner().invoke(command, words)
    assert (done.exit_code, "--height" in done.stderr) == (2, True), done.output


def test_calibrate_with_a_mistyped_corner_keeps_no_calibration(tmp_path: Path) -> None:
    """The lens came out 15 mm over the tray; that was kept, and called damaged at the next start."""
    done = calibrate("--camera", "virtual", "--data", str(tmp_path), "--corners", *CORNERS[:2], "1235,60", CORNERS[3])
    assert "15 mm over the tray" in str(done.exception)
    assert not (tmp_path / FILE_NAME).exists()


def test_calibrate_json_without_a_camera_exits_1_with_an_error(tmp_path: Path) -> None:
    done = calibrate("--camera", "opencv:63", "--data", str(tmp_path), "--json")
    assert done.return_value == 1
    told = json.loads(done.stdout)
    assert not told["calibrated"]
    assert told["error"]


@pytest.mark.parametrize("words", [("--preview", "no/such/folder/seen.jpg"), ("--corners", *CORNERS, "--die", "16")])
def test_calibrate_json_that_can_write_no_file_exits_1_with_an_error(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "data").touch()  # a file in place of the folder
    done = calibrate("--camera", "virtual", "--data", str(tmp_path / "data"), *words, "--json")
    assert done.return_value == 1
    told = json.loads(done.stdout)
    assert not told["calibrated"]
    assert "can't be" in told["error"]
