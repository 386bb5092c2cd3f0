"""Simulated dice touch as cubes: face to face, stacked or leaning, and never intersect."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from companion.adapters.hands import VirtualHands
from companion.table.tray.observation import Die
from tests.vision.camera_standins import virtual_camera
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.contact import CORNERS, Walls, touch
from vision.cameras.simulated.physics import MAX_FLAT_DEG, MIN_GAP_MM, SUNK_MM, Bodies, advance, laid_out, leaning_deg
from vision.cameras.simulated.tray import DIE_MM, Pose, VirtualTray, apart_mm
from vision.reading.reading import Floats

WALLS = Walls((0.0, 240.0), (0.0, 240.0))
LYING_MM = DIE_MM / 2 - SUNK_MM


def leaning(degrees: float) -> Floats:
    """Return the (3, 3) rotation by `degrees` about the y axis."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def two_dice(first: tuple[float, float, float], second: tuple[float, float, float]) -> Bodies:
    bodies = laid_out(2)
    bodies.at_mm[:] = first, second
    return bodies


def come_to_rest(bodies: Bodies) -> None:
    for _ in range(60):
        advance(bodies, np.ones(bodies.count, bool), DIE_MM, WALLS, 0.05)
        if bodies.resting.all():
            return
    pytest.fail("no rest after three seconds")


def cocked(pose: Pose) -> bool:
    """Whether a die is tilted, or lies on another one."""
    return float(pose.at_mm[2]) > 0.6 * DIE_MM or leaning_deg(pose.rotation) > MAX_FLAT_DEG


def overlap_mm(one: Pose, other: Pose) -> float:
    touched = touch((one.at_mm, other.at_mm), (one.rotation, other.rotation), DIE_MM)
    return 0.0 if touched is None else float(touched.depth_mm.max())


def thrown(seed: int, dice: int = 7) -> tuple[Pose, ...]:
    tray = VirtualTray(dice, np.random.default_rng(seed))
    tray.throw(strength=0.5)
    while not all(die["resting"] for die in tray.dice()):
        poses = tray.advance(0.04)
    return poses


@pytest.mark.parametrize("gap_mm", [0.5, 3.0])
def test_simulated_dice_half_a_millimetre_or_more_apart_have_no_contact(gap_mm: float) -> None:
    apart = np.array([100.0, 100.0, 8.0]), np.array([100.0 + DIE_MM + gap_mm, 104.0, 8.0])
    assert touch(apart, (np.identity(3), np.identity(3)), DIE_MM) is None


def test_the_contact_normal_of_two_simulated_dice_face_to_face_is_the_face_normal() -> None:
    at = np.array([100.0, 100.0, 8.0]), np.array([115.5, 103.0, 8.0])
    touched = touch(at, (np.identity(3), np.identity(3)), DIE_MM)
    assert touched is not None
    assert touched.normal == pytest.approx([1, 0, 0])
    assert touched.depth_mm == pytest.approx(0.5)


def test_simulated_dice_touch_at_crossed_edges_without_a_corner_inside() -> None:
    upright = leaning(45.0)
    across = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]) @ upright
    reach = DIE_MM / math.sqrt(2)
    for gap_mm, touches in ((-0.3, True), (0.3, False)):
        at = np.array([0.0, 0.0, 0.0]), np.array([1.3, 1.7, 2 * reach + gap_mm])
        assert (touch(at, (upright, across), DIE_MM) is not None) == touches


def test_two_simulated_dice_that_collide_rest_with_centres_1_to_1_2_edges_apart() -> None:
    """Dice were once simulated as spheres, which kept them 1.44 edges apart."""
    bodies = two_dice((100, 100, LYING_MM), (125, 102, LYING_MM))
    bodies.velocity[1] = (-300, 0, 0)
    come_to_rest(bodies)
    assert DIE_MM - 0.1 < bodies.at_mm[1, 0] - bodies.at_mm[0, 0] < 1.2 * DIE_MM


def test_a_simulated_die_dropped_on_another_lies_on_top_and_is_cocked() -> None:
    bodies = two_dice((100, 100, LYING_MM), (102, 99, LYING_MM + DIE_MM + 1))
    come_to_rest(bodies)
    assert bodies.at_mm[1, 2] == pytest.approx(LYING_MM + DIE_MM, abs=0.2)
    assert cocked(Pose(1, bodies.at_mm[1], bodies.rotation[1]))
    assert not cocked(Pose(0, bodies.at_mm[0], bodies.rotation[0]))


def test_a_simulated_die_leaning_on_a_wall_rests_there_cocked() -> None:
    bodies = laid_out(1)
    bodies.rotation[0] = leaning(-45.0)
    bodies.at_mm[0] = np.array([0.0, 100.0, 0.0]) - (CORNERS @ bodies.rotation[0].T * DIE_MM).min(0) * (1, 0, 1)
    come_to_rest(bodies)
    assert leaning_deg(bodies.rotation[0]) > MAX_FLAT_DEG
    assert cocked(Pose(0, bodies.at_mm[0], bodies.rotation[0]))


def test_a_lone_simulated_die_balanced_on_an_edge_falls_flat() -> None:
    bodies = laid_out(1)
    bodies.rotation[0] = leaning(45.0)
    bodies.at_mm[0] = (100, 100, DIE_MM / math.sqrt(2))
    come_to_rest(bodies)
    assert leaning_deg(bodies.rotation[0]) < 0.01


@pytest.mark.parametrize(("gap_mm", "falls"), [(MIN_GAP_MM / 2, False), (1.5 * MIN_GAP_MM, True)])
def test_a_simulated_die_on_edge_leans_on_a_touching_die_and_falls_next_to_a_gap(gap_mm: float, falls: bool) -> None:
    reach = DIE_MM / math.sqrt(2)
    bodies = two_dice((100, 100, reach), (100 + reach + DIE_MM / 2 + gap_mm, 100, LYING_MM))
    bodies.rotation[0] = leaning(45.0)
    come_to_rest(bodies)
    assert (leaning_deg(bodies.rotation[0]) < MAX_FLAT_DEG) == falls


@pytest.mark.parametrize("removed", [lambda tray: tray.lift([0]), lambda tray: tray.move(0, 280, 100)])
def test_a_simulated_die_falls_when_the_die_under_it_is_removed(removed: Callable[[VirtualTray], None]) -> None:
    tray = VirtualTray(2, np.random.default_rng(1))
    tray.move(0, 100, 100)
    tray.move(1, 160, 100)
    tray._bodies.at_mm[1] = (100, 100, DIE_MM * 1.5)
    assert cocked(tray.advance(0.04)[1])
    removed(tray)
    for _ in range(30):
        pose = tray.advance(0.04)[-1]
    assert not cocked(pose)
    assert pose.at_mm[2] == pytest.approx(LYING_MM, abs=0.05)


@pytest.mark.parametrize("seed", range(4))
def test_simulated_dice_at_rest_lie_inside_the_walls_without_overlap(seed: int) -> None:
    poses = thrown(seed)
    for one, other in itertools.combinations(poses, 2):
        assert overlap_mm(one, other) < 0.3
    for pose in poses:
        corners = pose.at_mm + CORNERS @ pose.rotation.T * DIE_MM
        assert corners[:, :2].min() > 0
        assert corners[:, :2].max() < 240


@pytest.mark.parametrize(("dice", "count", "rolls"), [(3, 4, 3), (3, 3, 3), (3, 1, 1), (7, 4, 4)])
def test_simulated_hands_throw_as_many_dice_as_asked_or_all_if_fewer_exist(dice: int, count: int, rolls: int) -> None:
    camera = virtual_camera(dice, seed=3)
    for die in range(dice):
        camera.tray.move(die, 60.0, 40.0 + 25.0 * die)
    seen = [Die(1, die["x_mm"], die["y_mm"], 1.0, (0, 0, 1, 1)) for die in camera.tray.dice()[:3]]
    VirtualHands(camera, lambda: seen).throw_on(count)
    assert [die["resting"] for die in camera.tray.dice()].count(False) == rolls


def test_the_seed_decides_the_simulated_throw() -> None:
    one, again, other = thrown(5, 3), thrown(5, 3), thrown(6, 3)
    assert apart_mm(one, again) == 0
    assert apart_mm(one, other) > DIE_MM


@pytest.mark.parametrize("seed", range(3))
def test_a_throw_has_one_cocked_die_at_cocked_share_1_and_none_at_share_0(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.cameras.simulated.tray.COCKED_SHARE", 1.0)
    assert [cocked(pose) for pose in thrown(seed, 3)].count(True) == 1
    monkeypatch.setattr("vision.cameras.simulated.tray.COCKED_SHARE", 0.0)
    assert not any(cocked(pose) for pose in thrown(seed, 3))


def test_virtual_cameras_without_a_seed_show_the_same_tray_whatever_lay_in_another() -> None:
    before = VirtualCamera(0).rig().empty_bgr
    used = VirtualCamera(3, sleep=lambda _s: None)
    used.lay_sheet(np.zeros((60, 80, 3), np.uint8), (120.0, 90.0))
    used.frame()
    used.lift_sheet()
    assert np.array_equal(VirtualCamera(0).rig().empty_bgr, before)
    assert np.array_equal(used.rig().empty_bgr, before)
    assert not np.array_equal(VirtualCamera(0, seed=5).rig().empty_bgr, before)
