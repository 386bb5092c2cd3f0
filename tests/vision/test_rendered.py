"""Rendered pictures: labelled by their own geometry, the same each time, and readable."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from vision.cameras.simulated.camera import LENS, VirtualCamera
from vision.cameras.simulated.rendering import face_up
from vision.cameras.simulated.tray import DIE_MM, Pose
from vision.networks import load_networks
from vision.reading.reader import Reader
from vision.research.evaluation.conditions import CONDITIONS, Condition, lying, picture
from vision.research.evaluation.kinds import ALL_KINDS, IVORY, RED
from vision.research.evaluation.raycast import LyingDie, corners_of, draw, linear
from vision.research.evaluation.scene import flat_turn

BY_NAME = {condition.name: condition for condition in CONDITIONS}


def pips_px(value: int, turned: float) -> np.ndarray:
    """Return the (n, 2) pixel positions of the white pips of a red die under the lens, found in its rendering."""
    at_mm = np.array([*LENS.middle_mm, DIE_MM / 2])
    lying = LyingDie(at_mm, flat_turn(value, turned), DIE_MM, RED, 1)
    light = np.zeros((LENS.size_wh[1], LENS.size_wh[0], 3), np.float32)
    draw(light, LENS, [lying], [], np.ones(3))
    green = light[:, :, 1]
    _, _, stats, middles = cv2.connectedComponentsWithStats((green > green.max() / 2).astype(np.uint8))
    return middles[1:][stats[1:, cv2.CC_STAT_AREA] > 20]


@pytest.mark.parametrize("value", range(1, 7))
def test_a_rendered_flat_die_shows_as_many_pips_as_its_label_says(value: int) -> None:
    assert face_up(flat_turn(value, 0.4)) == value
    assert len(pips_px(value, 0.4)) == value


def test_turning_a_six_turns_its_rendered_pips_by_the_same_angle_the_same_way() -> None:
    """The two rows of a six, seen from above, turn from x (right) to y (down)."""
    rows = []
    for turned in (0.0, 0.4):
        _, vectors = cv2.PCACompute(pips_px(6, turned).astype(np.float32), mean=None)
        rows.append(math.atan2(vectors[0][1], vectors[0][0]))
    assert (rows[1] - rows[0]) % math.pi == pytest.approx(0.4, abs=0.03)


@pytest.mark.parametrize("condition", [BY_NAME["ivory"], BY_NAME["blur, bent, jpeg"]], ids=lambda c: str(c.name))
def test_the_seed_decides_the_rendered_tray_picture_and_its_labels(condition: Condition) -> None:
    one, again, other = picture(condition, 3), picture(condition, 3), picture(condition, 4)
    assert np.array_equal(one.image_bgr, again.image_bgr)
    assert one.dice == again.dice
    assert not np.array_equal(one.image_bgr, other.image_bgr)
    assert one.dice != other.dice


@pytest.mark.parametrize("seed", range(2))
def test_the_labels_of_a_rendered_picture_lie_on_its_dice(seed: int) -> None:
    shown = picture(BY_NAME["ivory"], seed)
    assert 2 <= len(shown.dice) <= 7
    darkest_body = 0.3 * linear(IVORY.kind.body_bgr).mean()
    for die in shown.dice:
        x, y, w, h = die.box_xywh
        face = shown.image_bgr[y : y + h, x : x + w]
        was = shown.rig.empty_bgr[y : y + h, x : x + w]
        # Most of a face is body, and an ivory body is brighter than any felt.
        assert np.median(linear(face).mean(2)) > darkest_body > np.median(linear(was).mean(2))


def test_most_crowded_dice_of_a_rendered_tray_nearly_touch_and_none_intersect() -> None:
    touching = 0
    for seed in range(20):
        dice = lying((IVORY,), 12, np.random.default_rng(seed), crowded=True)
        for at, one in enumerate(dice):
            rest = dice[:at] + dice[at + 1 :]
            assert max(common_mm2(one, other, 1.0) for other in rest) < 0.01
            touching += max(common_mm2(one, other, 1.04) for other in rest) > 0
    assert touching > 0.5 * 20 * 12


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_both_renderers_draw_no_side_of_a_die_over_the_upper_face_of_a_touching_die(order: tuple[int, int]) -> None:
    """The side of a die that faces the middle of the tray must not be drawn over a neighbour's upper face."""
    edge = LENS.middle_mm[0] + 90.0
    places = [np.array([edge + off, LENS.middle_mm[1], DIE_MM / 2]) for off in (-DIE_MM / 2, DIE_MM / 2)]
    (x, y), (x0, y0) = (LENS.project(np.array([edge - inwards, places[0][1], DIE_MM])).round() for inwards in (1.5, 12))
    seen = np.s_[int(y) - 3 : int(y) + 4, int(x) - 3 : int(x) + 1]
    assert abs(y - y0) < 1 < x - x0

    light = np.zeros((LENS.size_wh[1], LENS.size_wh[0], 3), np.float32)
    dice = [LyingDie(at, flat_turn(1, 0.0), DIE_MM, made, 1) for at, made in zip(places, (IVORY, RED), strict=True)]
    draw(light, LENS, [dice[one] for one in order], [], np.ones(3))
    blue, _, red = light[seen].reshape(-1, 3).mean(0)
    assert blue > 0.5 * red, "ivory"

    camera = VirtualCamera(2, seed=1)
    poses = [Pose(one, places[one], flat_turn(1, 0.0)) for one in (0, 1)]
    alone, both = (camera._composed(tuple(which))[seen] for which in (poses[:1], [poses[one] for one in order]))
    assert np.abs(alone.astype(int) - both).mean() < 6, "as without the other, but for its shadow"


def common_mm2(one: LyingDie, other: LyingDie, larger: float) -> float:
    """Return the floor area, in mm2, that two dice share when they are scaled by `larger`."""
    hulls = [
        cv2.convexHull((die.at_mm + larger * (corners_of(die) - die.at_mm))[:, :2].astype(np.float32))
        for die in (one, other)
    ]
    return float(cv2.intersectConvexConvex(*hulls)[0])


def test_an_easy_rendered_tray_picture_is_read_right_and_trusted() -> None:
    shown = picture(BY_NAME["ivory"], 1)
    reading = Reader(load_networks(), shown.rig).read(shown.image_bgr)
    assert (reading.values, reading.doubt) == (shown.values, None)


def test_the_list_of_rendered_dice_kinds_has_no_duplicates() -> None:
    assert len(set(ALL_KINDS)) == len(ALL_KINDS)


def test_a_rendered_die_seen_off_centre_fills_over_90_percent_of_its_projected_outline() -> None:
    # A little off the middle the sides are narrow bands: their lower ends must not be lost between the rays' steps.
    at_mm = np.array([LENS.middle_mm[0] + 50, LENS.middle_mm[1] - 70, DIE_MM / 2])
    lying = LyingDie(at_mm, flat_turn(4, -0.1), DIE_MM, RED, 1)
    light = np.zeros((LENS.size_wh[1], LENS.size_wh[0], 3), np.float32)
    draw(light, LENS, [lying], [], np.ones(3))
    outline = np.zeros(light.shape[:2], np.uint8)
    cv2.fillConvexPoly(outline, cv2.convexHull(LENS.project(corners_of(lying)).round().astype(np.int32)), 1)
    assert (light[outline > 0].max(1) > 0).mean() > 0.9
