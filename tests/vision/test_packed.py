"""Dice that touch are laid where they lie, from nothing but the silhouette that they make together."""

from __future__ import annotations

import math
from itertools import pairwise

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.cameras.simulated.camera import LENS, rig_over
from vision.geometry.background import cube_outline
from vision.geometry.rig import Rig
from vision.packed import filling, packed, worths
from vision.poses import Pose
from vision.rig_reader import RigReader

Mask = NDArray[np.uint8]
ORIGIN = (0, 0)


@pytest.fixture(scope="module")
def rig() -> Rig:
    width, height = LENS.size_wh
    return rig_over(np.full((height, width, 3), 60, np.uint8))


def silhouette(rig: Rig, poses: list[Pose]) -> Mask:
    mask = np.zeros(rig.empty_bgr.shape[:2], np.uint8)
    for x, y, turn in poses:
        cv2.fillConvexPoly(mask, cube_outline(rig, (x, y), turn).round().astype(np.int32), 255)
    return mask


def side_by_side(rig: Rig, count: int, at_xy: tuple[float, float], turn: float) -> list[Pose]:
    """A row of dice, face to face, each a quarter of an edge further along than the last."""
    along = np.array([math.cos(turn), math.sin(turn)]) * rig.die_px * 1.02
    beside = np.array([-along[1], along[0]]) / 4
    return [(*(np.array(at_xy) + n * (along + beside)), turn) for n in range(count)]


def part_of(mask: Mask) -> tuple[Mask, tuple[int, int]]:
    x, y, w, h = cv2.boundingRect(mask)
    x, y = x - 6, y - 6
    return mask[y : y + h + 12, x : x + w + 12], (x, y)


def off_px(found: tuple[Pose, ...], true: list[Pose]) -> float:
    return max(min(math.dist(one[:2], other[:2]) for other in found) for one in true)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize(("at_xy", "turn"), [((250, 250), 0.2), ((640, 480), 0.7), ((930, 620), 1.3)])
def test_so_many_dice_are_laid_where_they_lie(rig: Rig, count: int, at_xy: tuple[float, float], turn: float) -> None:
    true = side_by_side(rig, count, at_xy, turn)
    piece, corner = part_of(silhouette(rig, true))
    packing = packed(piece, piece, rig, corner)
    assert packing is not None
    assert len(packing.poses) == count
    assert off_px(packing.poses, true) < 0.06 * rig.die_px
    assert packing.filled > 0.95
    for one, other in pairwise(packing.poses):
        assert math.dist(one[:2], other[:2]) > 0.9 * rig.die_px


def test_shaded_sides_may_lack(rig: Rig) -> None:
    true = [(900.0, 300.0, 0.5)]
    whole, corner = part_of(silhouette(rig, true))
    upper = np.zeros_like(whole)
    square = cv2.boxPoints(((900 - corner[0], 300 - corner[1]), (rig.die_px,) * 2, math.degrees(0.5)))
    cv2.fillConvexPoly(upper, square.round().astype(np.int32), 255)
    packing = packed(upper, whole, rig, corner)
    assert packing is not None
    assert off_px(packing.poses, true) < 0.06 * rig.die_px


def test_what_is_filled_counts_and_what_lies_beside_costs(rig: Rig) -> None:
    true = side_by_side(rig, 2, (400, 400), 0.4)
    mask = silhouette(rig, true)
    worth = worths(mask, mask)
    assert filling(worth, rig, ORIGIN, []) == 0
    assert filling(worth, rig, ORIGIN, true) == pytest.approx(1, abs=0.02)
    assert filling(worth, rig, ORIGIN, true[:1]) == pytest.approx(0.55, abs=0.06)
    beside = [true[0], (true[1][0] + 200, true[1][1], 0.4)]
    assert filling(worth, rig, ORIGIN, beside) < filling(worth, rig, ORIGIN, true[:1]) - 0.4
    twice = [true[0], true[0]]
    assert filling(worth, rig, ORIGIN, twice) < filling(worth, rig, ORIGIN, true[:1]) - 0.4


def test_a_speck_and_a_heap_are_left_alone(rig: Rig) -> None:
    speck, heap = np.zeros((2, 400, 400), np.uint8)
    speck[100:110, 100:110] = 255
    heap[5:395, 5:395] = 255
    for piece in (speck, heap):
        assert packed(piece, piece, rig, (300, 200)) is None


def test_touching_dice_without_paint_are_found_as_two_and_doubted(rig: Rig) -> None:
    true = side_by_side(rig, 2, (600, 300), 0.3)
    frame = rig.empty_bgr.copy()
    frame[silhouette(rig, true) > 0] = (205, 225, 230)
    reading = RigReader(rig).read(frame)
    assert len(reading.dice) == 2
    assert reading.doubt == "unread"
