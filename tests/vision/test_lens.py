"""Measuring the lens from tilted views of the sheet; a lens that the views do not determine stays unmeasured."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.vision.lenses import Seen, marked, photographed, turned
from vision.calibration.lens import MAX_VIEWS, MIN_VIEWS, Lens, Views, lens_of, measured, with_view
from vision.calibration.markers import Marker, markers_in, sheet_pose
from vision.calibration.sheet import sheet
from vision.calibration.solving import Plan, lens_over, rig_of, through
from vision.geometry.rig import projected

SIZE_WH = (1280, 960)
GUESS = lens_of(SIZE_WH, 62.2)
ASLANT_DEG = ((25.0, 0.0), (-25.0, 0.0), (0.0, 25.0), (0.0, -25.0), (18.0, 18.0))


def true_lens(angle_deg: float, bend: tuple[float, float]) -> Lens:
    return Lens(SIZE_WH, lens_of(SIZE_WH, angle_deg).focal_px, bend)


def height_mm(lens: Lens) -> float:
    """Return the height in mm from which a tray of 320 x 240 mm just fills the picture."""
    return 1.06 * 160 * lens.focal_px / 640


def held(lens: Lens, lean_deg: tuple[float, float]) -> Seen:
    """Return a position of the lens that shows the middle of a tilted sheet in the middle of the picture."""
    axis = turned(*lean_deg)[2]
    x, y, z = np.array([148.5, 105.0, 0.0]) - 0.95 * height_mm(lens) * axis
    return Seen(x, y, -z, *lean_deg)


def filmed(lens: Lens, views: list[Seen], seed: int = 1) -> list[tuple[Marker, ...]]:
    rng = np.random.default_rng(seed)
    return [markers_in(photographed(lens, seen, rng)) for seen in views]


def views_of(shown: list[tuple[Marker, ...]]) -> Views:
    return more_views((), shown)


def more_views(views: Views, shown: list[tuple[Marker, ...]]) -> Views:
    for markers in shown:
        views = with_view(views, markers, sheet(), measured(views, GUESS))
    return views


@pytest.mark.slow
@pytest.mark.parametrize(
    ("angle_deg", "bend"),
    [
        *((62.2, bend) for bend in ((0.0, 0.0), (-0.08, 0.0), (-0.25, 0.08), (0.05, 0.0))),
        *((angle_deg, bend) for angle_deg in (40.0, 80.0) for bend in ((0.0, 0.0), (-0.25, 0.08))),
    ],
)
def test_calibration_finds_the_angle_of_view_and_camera_pose_of_eight_lenses(
    angle_deg: float, bend: tuple[float, float]
) -> None:
    """Taken for a Camera Module 2's, these lenses would be measured up to 46 % too high or 40 % too low."""
    lens = true_lens(angle_deg, bend)
    high = height_mm(lens)
    shown = filmed(lens, [*(held(lens, lean) for lean in ASLANT_DEG), Seen(160, 120, high, 1.0, 0.5)])
    found = measured(views_of(shown), GUESS)
    assert found.measured
    pose = sheet_pose(shown[-1], sheet(), straight=found.straightened)
    assert pose is not None
    (x, y, z), tilt = lens_over(pose[0], found)
    assert found.angle_deg == pytest.approx(angle_deg, abs=0.2)
    assert z == pytest.approx(high, rel=0.005)
    assert (x, y) == pytest.approx((160, 120), abs=1.0)
    assert tilt == pytest.approx(math.hypot(1.0, 0.5), abs=0.1)


@pytest.mark.parametrize(
    ("wrong", "within"),
    [
        ({"axis_px": (19.0, -14.0)}, 0.02),
        ({"oblong": 1.02}, 0.04),
        ({"bowed_mm": 3.0}, 0.03),
        ({"bowed_mm": 8.0}, 0.06),
        ({"noise_px": 1.0}, 0.01),
    ],
)
@pytest.mark.parametrize("angle_deg", [40.0, 62.2, 80.0])
def test_flawed_views_of_the_calibration_sheet_give_camera_height_within_6_percent(
    angle_deg: float, wrong: dict[str, Any], within: float
) -> None:
    lens, high = true_lens(angle_deg, (-0.06, 0.0)), height_mm(true_lens(angle_deg, (0.0, 0.0)))
    for seed in range(3):
        rng = np.random.default_rng(seed)
        leans = [(x + rng.normal(0, 4), y + rng.normal(0, 4)) for x, y in ASLANT_DEG]
        laid = marked(lens, Seen(160, 120, high, 1.0, 0.5), rng, **{**wrong, "bowed_mm": 0.0})
        found = measured(views_of([*(marked(lens, held(lens, lean), rng, **wrong) for lean in leans), laid]), GUESS)
        pose = sheet_pose(laid, sheet(), straight=found.straightened)
        assert found.measured
        assert pose is not None
        assert lens_over(pose[0], found)[0][2] == pytest.approx(high, rel=within)


def test_views_of_a_calibration_sheet_lying_flat_leave_the_guessed_lens_unchanged() -> None:
    lens = true_lens(80.0, (0.0, 0.0))
    flat = [Seen(160 + dx, 120 + dy, height_mm(lens)) for dx, dy in ((0, 0), (40, 0), (0, 30), (-40, -20), (30, 30))]
    views = views_of(filmed(lens, flat))
    assert len(views) >= MIN_VIEWS
    assert measured(views, GUESS) == GUESS


@pytest.mark.parametrize("noise_px", [0.1, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_slight_tilts_of_the_calibration_sheet_leave_the_lens_unmeasured(seed: int, noise_px: float) -> None:
    lens, rng = true_lens(80.0, (-0.05, 0.0)), np.random.default_rng(seed)
    high = height_mm(lens)
    seen = slightly_tilted(8, 25, high, rng)
    assert measured(views_of([marked(lens, one, rng, noise_px=noise_px) for one in seen]), GUESS) == GUESS


def slightly_tilted(count: int, spread_mm: float, high: float, rng: np.random.Generator) -> list[Seen]:
    """Return positions of a lens `high` mm above a sheet, `spread_mm` from its middle and tilted by some degrees."""
    places, leans_deg = rng.normal((160, 120), spread_mm, (count, 2)), rng.normal(0, 2, (count, 2))
    return [Seen(x, y, high, *lean) for (x, y), lean in zip(places.tolist(), leans_deg.tolist(), strict=True)]


@pytest.mark.parametrize("seed", range(6))
def test_steep_views_after_60_nearly_flat_views_of_the_calibration_sheet_measure_the_lens(seed: int) -> None:
    lens, rng = true_lens(80.0, (-0.05, 0.0)), np.random.default_rng(seed)
    high = height_mm(lens)
    views = views_of([marked(lens, one, rng) for one in slightly_tilted(60, 40, high, rng)])
    assert len(views) == MAX_VIEWS
    assert not measured(views, GUESS).measured
    found = measured(more_views(views, [marked(lens, held(lens, lean), rng) for lean in ASLANT_DEG]), GUESS)
    assert found.measured
    assert found.angle_deg == pytest.approx(80.0, abs=0.5)


def test_a_lens_measured_from_the_most_views_allowed_takes_no_further_view() -> None:
    lens, rng = true_lens(62.2, (0.0, 0.0)), np.random.default_rng(1)
    leans = [rng.normal(0, 15, 2) for _ in range(80)]
    views = views_of([marked(lens, held(lens, (x, y)), rng) for x, y in leans])
    assert len(views) == MAX_VIEWS
    assert measured(views, GUESS).measured
    assert more_views(views, [marked(lens, held(lens, (35.0, 30.0)), rng)]) == views


@pytest.mark.parametrize("seed", range(6))
def test_noisy_views_of_a_partly_covered_calibration_sheet_do_not_change_the_lens(seed: int) -> None:
    """Four views of four markers each, with 2 px of noise, fit focal lengths up to 26 % off."""
    lens, rng = true_lens(62.2, (0.0, 0.0)), np.random.default_rng(seed)
    leans = ((10.0, 0.0), (-10.0, 0.0), (0.0, 10.0), (0.0, -10.0))
    views = views_of([marked(lens, held(lens, lean), rng, noise_px=2.0)[:4] for lean in leans])
    assert len(views) == MIN_VIEWS
    assert measured(views, GUESS) == GUESS


@pytest.mark.parametrize("seed", range(6))
def test_eight_noisy_views_tilted_by_10_and_20_degrees_still_measure_the_lens(seed: int) -> None:
    lens, rng = true_lens(62.2, (0.0, 0.0)), np.random.default_rng(seed)
    leans = [(turn * x, turn * y) for turn in (1, -1) for x, y in ((10.0, 0.0), (0.0, 10.0), (20.0, 5.0), (5.0, 20.0))]
    found = measured(views_of([marked(lens, held(lens, lean), rng, noise_px=2.0) for lean in leans]), GUESS)
    assert found.measured
    assert found.focal_px == pytest.approx(lens.focal_px, rel=0.05)


def test_measuring_a_lens_from_too_few_different_sheet_views_keeps_the_guessed_lens() -> None:
    """A repeated view counts once."""
    lens = true_lens(50.0, (0.0, 0.0))
    views = views_of(filmed(lens, [held(lens, lean) for lean in (*ASLANT_DEG[: MIN_VIEWS - 1], ASLANT_DEG[0])]))
    assert len(views) == MIN_VIEWS - 1
    assert measured(views, GUESS) == GUESS


def test_lens_calibration_stays_accurate_if_one_picture_shows_a_bent_calibration_sheet() -> None:
    """The sheet in one view is bent: its right half leans another way, by 4 mm at the edge."""
    lens = true_lens(66.0, (0.0, 0.0))
    shown = filmed(lens, [held(lens, lean) for lean in ASLANT_DEG])
    bent = tuple(
        Marker(one.number, one.corners_px + np.array([0, 14]) if one.number % 4 >= 2 else one.corners_px)
        for one in shown[1]
    )
    found = measured(views_of([shown[0], bent, *shown[2:]]), GUESS)
    assert found.measured
    assert found.angle_deg == pytest.approx(66.0, abs=0.4)


def test_inconsistent_calibration_sheet_views_leave_the_lens_unmeasured() -> None:
    lens, rng = true_lens(66.0, (0.0, 0.0)), np.random.default_rng(5)
    shaken = [
        tuple(Marker(one.number, one.corners_px + rng.normal(0, 6, (1, 2))) for one in markers)
        for markers in filmed(lens, [held(lens, lean) for lean in ASLANT_DEG])
    ]
    assert measured(views_of(shaken), GUESS) == GUESS


def test_removing_lens_distortion_restores_the_undistorted_points() -> None:
    lens = true_lens(70.0, (-0.2, 0.05))
    points = np.array([[10.0, 20.0], [640.0, 480.0], [1270.0, 900.0]])
    assert lens.straightened(lens.bent(points)) == pytest.approx(points, abs=0.05)


def test_calibration_with_lens_distortion_maps_floor_points_within_8_px() -> None:
    lens, seen = true_lens(62.2, (-0.08, 0.0)), Seen(160, 120, 285)
    straight = seen.floor_to_px(lens)
    straight /= straight[2, 2]
    rig = rig_of(straight, Plan(), np.zeros((960, 1280, 3), np.uint8), lens)
    points_mm = np.array([[20.0, 20.0], [160.0, 120.0], [300.0, 220.0]])
    shown = lens.bent(projected(points_mm, straight))
    assert np.abs(rig.to_px(points_mm) - shown).max() < 8
    assert np.abs(projected(points_mm, straight) - shown).max() > 10, "without it the corners are further off"
    assert through(GUESS, straight, Plan()) == pytest.approx(straight, abs=1e-4)


def test_calibration_sheet_markers_at_the_picture_edge_are_ignored() -> None:
    """Older OpenCVs find them, with corners many pixels off."""
    lens = true_lens(66.0, (0.0, 0.0))
    picture = photographed(lens, held(lens, ASLANT_DEG[0]), np.random.default_rng(1))
    whole = markers_in(picture)
    low = np.floor([marker.corners_px.min(0) for marker in whole]).astype(int).min(0)
    high = np.ceil([marker.corners_px.max(0) for marker in whole]).astype(int).max(0)
    for room_px, ignored in ((15, False), (6, True)):
        (left, top), (right, bottom) = low - room_px, high + room_px
        for shown in (picture[top:], picture[:bottom], picture[:, left:], picture[:, :right]):
            numbers = {marker.number for marker in markers_in(shown)}
            assert (numbers < {marker.number for marker in whole}) == ignored
