"""Calibration from the sheet: its position, the lens over it, and advice about light, focus and tilt."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.errors import DeviceError
from tests.vision.lenses import Seen
from vision.calibration.lens import lens_of
from vision.calibration.markers import markers_in, sheet_pose
from vision.calibration.procedure import Calibrating
from vision.calibration.sheet import MARKER_MM, PAPERS_MM, raster, sheet
from vision.calibration.solving import (
    Plan,
    by_corners,
    detect_sheet,
    die_edge_mm,
    lens_at,
    lens_over,
    rig_of,
    zones,
)
from vision.cameras.simulated.camera import LENS, VirtualCamera
from vision.cameras.simulated.rendering import Pinhole, face_up
from vision.geometry.rig import Zone, place, projected
from vision.networks import load_networks
from vision.reading.reader import Reader

PLAN = Plan()
TAKEN = lens_of((1280, 960), PLAN.lens_deg)


def camera(dice: int = 2) -> VirtualCamera:
    return VirtualCamera(dice, sleep=lambda _s: None, seed=3)


def with_sheet(paper: str = "a4", turn_deg: float = 0.0) -> np.ndarray:
    film = camera()
    printed = sheet(paper)
    film.lay_sheet(raster(printed), printed.size_mm, turn_deg)
    return film.frame().image_bgr


def codes(frame: np.ndarray, plan: Plan = PLAN) -> set[str]:
    lens = lens_of((frame.shape[1], frame.shape[0]), plan.lens_deg)
    return {advice.code for advice in detect_sheet(frame, plan, lens).advice}


def filmed_from(at_mm: tuple[float, float, float], tilt_deg: float) -> np.ndarray:
    """Return the homography of a lens at `at_mm`, tilted by `tilt_deg` about the x axis; the picture is 1280 x 960."""
    return Seen(*at_mm, tilt_deg).floor_to_px(lens_of((1280, 960), 62.2))


@pytest.mark.parametrize("paper", PAPERS_MM)
def test_every_calibration_sheet_marker_is_at_least_6_mm_inside_the_paper(paper: str) -> None:
    width, height = PAPERS_MM[paper]
    for corners in sheet(paper).corners_mm.values():
        assert (corners.min(0) >= 6).all()
        assert (corners.max(0) <= (width - 6, height - 6)).all()


def test_the_calibration_sheet_has_no_marker_on_a_fold_or_past_a_cut() -> None:
    folded = sheet("a4", (320.0, 240.0), 110.0)
    assert folded.corners_mm
    assert not any(corners.min(0)[0] < 210 < corners.max(0)[0] for corners in folded.corners_mm.values())
    small = sheet("a4", (240.0, 190.0), 0.0)
    assert small.corners_mm
    assert all((corners.max(0) < (240, 190)).all() for corners in small.corners_mm.values())


@pytest.mark.parametrize("paper", PAPERS_MM)
@pytest.mark.parametrize("turn_deg", [0.0, 3.0])
def test_calibration_locates_the_sheet_in_a_virtual_tray_within_0_75_px(paper: str, turn_deg: float) -> None:
    view = detect_sheet(with_sheet(paper, turn_deg), PLAN, TAKEN)
    assert len(view.markers) == len(sheet(paper).corners_mm)
    assert view.floor_to_px is not None
    turn = math.radians(turn_deg)
    for corner in sheet(paper).corners_mm[view.markers[0].number]:
        in_tray = (
            corner[0] * math.cos(turn) - corner[1] * math.sin(turn),
            corner[0] * math.sin(turn) + corner[1] * math.cos(turn),
        )
        found = cv2.perspectiveTransform(corner[None, None], view.floor_to_px)[0, 0]
        assert np.abs(found - LENS.project(np.array([*in_tray, 0.0]))).max() < 0.75


def test_a_well_lit_calibration_sheet_gets_no_advice() -> None:
    assert codes(with_sheet()) == set()


def test_three_markers_give_the_calibration_sheets_pose_and_two_do_not() -> None:
    found = markers_in(with_sheet())
    assert sheet_pose(found[:3], sheet()) is not None
    assert sheet_pose(found[:2], sheet()) is None


@pytest.mark.parametrize("paper", PAPERS_MM)
def test_calibration_says_that_a_tray_is_too_small_for_the_sheet(paper: str) -> None:
    small = Plan(tray_mm=(200.0, 150.0), keep_mm=0.0)
    view = detect_sheet(with_sheet(paper), small, TAKEN)
    assert (view.floor_to_px, [one.code for one in view.advice]) == (None, ["small_tray"])
    assert view.advice[0].says.startswith("Only 2 markers of the sheet fit this tray")


def aslant(picture: np.ndarray) -> np.ndarray:
    """Return the picture of a camera that is tilted by 12 degrees."""
    leaning = filmed_from((160.0, 60.0, 320.0), 12.0)
    return cv2.warpPerspective(picture, leaning @ np.linalg.inv(LENS.floor_to_px()), (1280, 960))


FADING = np.linspace(1.0, 0.3, 1280)[None, :, None]
SPOILT: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "no_sheet": lambda _picture: camera().frame().image_bgr,
    "few_markers": lambda picture: np.where(np.arange(1280)[None, :, None] < 400, picture, 60).astype(np.uint8),
    "dark": lambda picture: (picture * 0.3).astype(np.uint8),
    "uneven": lambda picture: (picture * FADING).astype(np.uint8),
    "blur": lambda picture: cv2.GaussianBlur(picture, (0, 0), 3.0),
    "far": lambda picture: cv2.resize(picture, None, fx=0.45, fy=0.45, interpolation=cv2.INTER_AREA),
    "outside": lambda picture: picture[:, :1150],
    "tilted": aslant,
}


@pytest.mark.parametrize("code", SPOILT)
def test_each_fault_of_a_calibration_picture_gets_its_own_advice(code: str) -> None:
    assert code in codes(SPOILT[code](with_sheet()))


def test_a_slightly_blurred_calibration_picture_gets_no_advice() -> None:
    assert codes(cv2.GaussianBlur(with_sheet(), (0, 0), 1.0)) == set()


def test_glare_on_a_calibration_picture_is_reported() -> None:
    frame = (with_sheet() * 0.75).astype(np.uint8)
    assert codes(frame) == set()
    empty = camera().frame().image_bgr
    cv2.circle(empty, (640, 480), 60, (255, 255, 255), -1)
    assert "glare" in codes(empty)


@pytest.mark.parametrize("tilt_deg", [0.0, 3.0, 12.0])
def test_calibration_finds_the_camera_position_in_mm_and_its_tilt_from_the_homography(tilt_deg: float) -> None:
    lens_mm, tilt = lens_over(filmed_from((150.0, 130.0, 300.0), tilt_deg), lens_of((1280, 960), 62.2))
    assert lens_mm == pytest.approx((150.0, 130.0, 300.0), abs=0.1)
    assert tilt == pytest.approx(tilt_deg, abs=0.01)


def test_calibration_finds_the_lens_angle_from_a_measured_camera_height() -> None:
    guess = lens_of(LENS.size_wh, 50.0)
    assert lens_at(LENS.floor_to_px(), guess, 285.0).angle_deg == pytest.approx(62.2, abs=0.1)
    assert lens_at(filmed_from((150.0, 130.0, 300.0), 3.0), guess, 300.0).angle_deg == pytest.approx(62.2, abs=0.3)


def test_a_sheet_bar_measured_as_97_mm_corrects_the_calibrations_scale() -> None:
    frame = with_sheet()
    whole, shrunken = (detect_sheet(frame, plan, TAKEN).floor_to_px for plan in (PLAN, Plan(bar_mm=97.0)))
    assert whole is not None
    assert shrunken is not None
    there = projected(np.array([[97.0, 97.0]]), shrunken)
    assert there == pytest.approx(projected(np.array([[100.0, 100.0]]), whole), abs=0.1)


def test_the_lens_position_in_mm_is_computed_from_hand_marked_tray_corners() -> None:
    corners = [tuple(LENS.project(np.array([x, y, 0.0]))) for x, y in ((0, 0), (320, 0), (320, 240), (0, 240))]
    lens_mm, _ = lens_over(by_corners(corners, PLAN), lens_of(LENS.size_wh, 62.2))
    assert lens_mm == pytest.approx((160.0, 120.0, 285.0), abs=1.0)


@pytest.mark.parametrize("by", ["sheet", "hand"])
def test_calibration_advice_uses_the_camera_height_measured_by_tape_not_the_planned_lens_angle(by: str) -> None:
    film = camera()
    film.lay_sheet(raster(sheet()), sheet().size_mm)
    film.start()
    steps = Calibrating(film.frame, Plan(die_mm=4.0, lens_deg=30.0, lens_mm=285.0), lambda _says: None)
    found = steps.by_hand(LENS.floor_to_px()) if by == "hand" else steps.sheet()
    assert [each.says for each in found.advice if each.code == "far"] == [
        "A die is only 15 px wide. Hang the camera lower (now 285 mm)."
    ]


@pytest.mark.parametrize("order", [(0, 2, 1, 3), (3, 2, 1, 0), (0, 0, 1, 2)])
def test_calibration_refuses_tray_corners_marked_out_of_order(order: tuple[int, ...]) -> None:
    corners = [(100.0, 100.0), (900.0, 100.0), (900.0, 800.0), (100.0, 800.0)]
    with pytest.raises(ValueError, match="not in order"):
        by_corners([corners[index] for index in order], PLAN)


@pytest.mark.parametrize("first", [1, 3])
def test_calibration_refuses_tray_corners_that_begin_at_the_wrong_one(first: int) -> None:
    corners = [(100.0, 100.0), (1060.0, 100.0), (1060.0, 820.0), (100.0, 820.0)]
    with pytest.raises(ValueError, match="320 x 240 mm"):
        by_corners([*corners[first:], *corners[:first]], PLAN)


@pytest.mark.parametrize("wide_px", [700.0, 1430.0])
def test_calibration_accepts_corners_of_a_square_tray_that_looks_wide_or_deep(wide_px: float) -> None:
    at = (100.0, 100.0, 100.0 + wide_px, 1100.0)
    corners = [(at[0], at[1]), (at[2], at[1]), (at[2], at[3]), (at[0], at[3])]
    floor_to_px = by_corners(corners, replace(PLAN, tray_mm=(300.0, 300.0)))
    assert projected(np.array([[300.0, 300.0]]), floor_to_px) == pytest.approx(np.array([corners[2]]), abs=0.01)


@pytest.mark.parametrize("at_mm", [(120.0, 120.0), (40.0, 50.0), (215.0, 205.0)])
def test_calibration_measures_a_die_edge_in_the_throw_zone_within_0_4_mm(at_mm: tuple[float, float]) -> None:
    film = camera()
    rig = rig_of(LENS.floor_to_px(), Plan(die_mm=20.0), film.rig().empty_bgr, TAKEN)
    film.tray.move(0, *at_mm)
    assert die_edge_mm(film.frame().image_bgr, rig) == pytest.approx(16.0, abs=0.4)


def test_measuring_the_die_size_without_exactly_one_die_returns_none() -> None:
    film = camera()
    rig = rig_of(LENS.floor_to_px(), PLAN, film.rig().empty_bgr, TAKEN)
    assert die_edge_mm(film.frame().image_bgr, rig) is None
    film.tray.move(0, 60, 60)
    film.tray.move(1, 160, 160)
    assert die_edge_mm(film.frame().image_bgr, rig) is None


def test_every_die_that_is_moved_in_the_virtual_tray_lies_flat_on_a_face_afterwards() -> None:
    film = camera(7)
    for die in range(7):
        film.tray.move(die, 30 + 25 * die, 100)
    for pose in film.tray.advance(0.0):
        assert np.abs(pose.rotation[2]).max() == pytest.approx(1.0)
        assert np.linalg.det(pose.rotation) == pytest.approx(1.0)


def test_sheet_calibrated_reader_reads_dice_and_tells_kept_from_thrown() -> None:
    film = camera(4)
    printed = sheet()
    film.lay_sheet(raster(printed), printed.size_mm)
    view = detect_sheet(film.frame().image_bgr, PLAN, TAKEN)
    film.lift_sheet()
    assert view.floor_to_px is not None
    rig = rig_of(view.floor_to_px, PLAN, np.mean([film.frame().image_bgr for _ in range(8)], 0).astype(np.uint8), TAKEN)
    for die, at in enumerate(((60, 60), (180, 60), (120, 180), (280, 120))):
        film.tray.move(die, *at)
    reading = Reader(load_networks(), rig).read(film.frame().image_bgr, 4)
    thrown, kept = place(reading, rig)
    assert reading.trusted
    assert (len(thrown), len(kept)) == (3, 1)
    assert reading.values == tuple(sorted(face_up(pose.rotation) for pose in film.tray.advance(0.0)))


def test_throw_and_keep_zone_together_fill_the_tray() -> None:
    both = zones(Plan(tray_mm=(300.0, 200.0), keep_mm=60.0))
    assert both == (Zone(0.0, 0.0, 240.0, 200.0), Zone(240.0, 0.0, 60.0, 200.0))
    assert not zones(Plan(keep_mm=0.0))[1].holds(319.0, 100.0)


def test_a_calibration_sheet_marker_is_over_60_px_wide_from_400_mm_above() -> None:
    assert MARKER_MM * Pinhole((1280, 960), 1060.0, 400.0, (0.0, 0.0)).floor_to_px()[0, 0] > 60


def test_calibration_without_opencvs_aruco_module_is_a_device_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.calibration.sheet.aruco", None)
    with pytest.raises(DeviceError, match="--corners"):
        markers_in(camera().frame().image_bgr)
    with pytest.raises(DeviceError, match="--corners"):
        sheet()
