"""Hand-held cameras: the camera's own motion is no throw; dice that move against the ground are."""

from __future__ import annotations

import operator
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.camera_standins import Film, virtual_camera
from vision.cameras import Frame
from vision.cameras.simulated.camera import FPS
from vision.reading.reading import Die, Doubt, FrameBGR, Reading
from vision.research.evaluation.handheld import Handheld
from vision.watching.ego_motion import ego_motion
from vision.watching.handheld import HELD, MAX_CHANGED_IN_DIE, most_changed_in_die
from vision.watching.stillness import FIXED, Phase, StillnessCriterion, StillnessDetector, small_picture, step
from vision.watching.watcher import MAX_READINGS_IN_DOUBT, Event, Moving, Settled, Watcher, latest

SIZE_WH = (1280, 960)


def filmed(seed: int, seconds: float, thrown_at_s: float) -> list[Frame]:
    """Return frames of a virtual tray by a hand-held camera, with a throw at `thrown_at_s` seconds."""
    camera = virtual_camera(4, seed)
    hand = Handheld(camera, seed)
    frames = []
    for number in range(int(seconds * FPS)):
        if number == int(thrown_at_s * FPS):
            camera.tray.throw(strength=0.4)
        frame = hand.frame()
        assert frame is not None
        frames.append(frame)
    return frames


def phases(frames: list[Frame], criterion: StillnessCriterion) -> list[Phase]:
    detector, seen = StillnessDetector(), []
    for frame in frames:
        detector, phase = step(detector, small_picture(frame.image_bgr), frame.at_s, criterion)
        seen.append(phase)
    return seen


def test_the_stillness_detector_settles_once_after_a_throw_filmed_by_a_hand_held_camera() -> None:
    frames = filmed(2, 2.6, 0.6)
    seen = phases(frames, HELD)
    thrown = int(0.6 * FPS)
    assert Phase.SETTLED in seen[:thrown], "the empty tray, though the camera moves"
    assert Phase.MOVING not in seen[:thrown]
    assert Phase.MOVING in seen[thrown:]
    assert seen[thrown:].count(Phase.SETTLED) == 1
    assert seen[-1] is Phase.RESTING
    assert phases(frames, FIXED).count(Phase.SETTLED) == 0, "for a camera in a rig this is no rest at all"


@lru_cache
def textured(seed: int) -> FrameBGR:
    grain = np.random.default_rng(seed).normal(0, 1, (SIZE_WH[1], SIZE_WH[0])).astype(np.float32)
    coarse = cv2.GaussianBlur(grain, (0, 0), 16)
    grey = np.clip(120 + 25 * coarse / coarse.std(), 0, 255).astype(np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2)


def seen_from(
    picture: FrameBGR, turn_deg: float, zoom: float, by_px: tuple[float, float]
) -> tuple[FrameBGR, NDArray[np.float64]]:
    """Return the picture after a motion of the camera, and the (2, 3) matrix of that motion."""
    matrix = cv2.getRotationMatrix2D((SIZE_WH[0] / 2, SIZE_WH[1] / 2), turn_deg, zoom)
    matrix[:, 2] += by_px
    seen = cv2.warpAffine(picture, matrix, SIZE_WH, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(seen, np.uint8), np.asarray(matrix)


@pytest.mark.parametrize(
    ("turn_deg", "zoom", "by_px"),
    [(0, 1, (0, 0)), (0, 1, (11, -7)), (1, 1.01, (-4, 9)), (-2, 0.98, (30, 40)), (1, 1, (-150, 90))],
)
def test_a_hand_held_cameras_motion_between_two_frames_is_estimated_within_3_px(
    turn_deg: float, zoom: float, by_px: tuple[float, float]
) -> None:
    picture = textured(3)
    other, matrix = seen_from(picture, turn_deg, zoom, by_px)
    by = ego_motion(small_picture(picture), small_picture(other))
    for point in ((400.0, 300.0), (640.0, 480.0), (900.0, 700.0)):
        there = matrix @ np.array([*point, 1.0])
        assert by.moved(point, SIZE_WH) == pytest.approx(tuple(there), abs=3.0), "within a twentieth of a die"
    assert most_changed_in_die(small_picture(picture), small_picture(other), by) <= MAX_CHANGED_IN_DIE


@pytest.mark.parametrize("by_px", [(0.0, 0.0), (9.0, -6.0)])
def test_only_a_moving_die_counts_as_motion_under_a_hand_held_camera(by_px: tuple[float, float]) -> None:
    before, after = textured(4).copy(), textured(4).copy()
    before[400:460, 600:660] = 230
    after[400:460, 630:690] = 230
    moved, _ = seen_from(after, 0.3, 1.0, by_px)
    one, other = small_picture(before), small_picture(moved)
    assert most_changed_in_die(one, other, ego_motion(one, other)) > MAX_CHANGED_IN_DIE
    lying, _ = seen_from(before, 0.3, 1.0, by_px)
    other = small_picture(lying)
    assert most_changed_in_die(one, other, ego_motion(one, other)) <= MAX_CHANGED_IN_DIE


def settled(picture: FrameBGR, dice: tuple[Die, ...], doubt: Doubt | None = None, at_s: float = 1.0) -> Settled:
    return Settled(at_s, Frame(picture, at_s), Reading(dice, doubt), (), (), emptied=False)


def test_unmoved_dice_are_no_new_throw_after_a_hand_held_camera_moved() -> None:
    picture = textured(5)
    first = settled(picture, (Die(3, (600, 400, 60, 60), 1.0),))
    wandered, _ = seen_from(picture, 0, 1, (80, -50))
    same = settled(wandered, (Die(3, (681, 349, 60, 60), 1.0),))
    elsewhere = settled(wandered, (Die(3, (600, 400, 60, 60), 1.0),))
    other = settled(wandered, (Die(4, (681, 349, 60, 60), 1.0),))
    assert latest(same, first, held=True) is not same
    assert latest(elsewhere, first, held=True) is elsewhere
    assert latest(other, first, held=True) is other
    assert latest(same, first) is same, "a camera in a rig does not wander"
    emptied = replace(same, emptied=True)
    assert latest(emptied, first, held=True) is emptied


def test_dice_already_read_without_doubt_are_no_new_throw_if_a_later_reading_of_them_is_doubtful() -> None:
    picture, dice = textured(6), (Die(3, (600, 400, 60, 60), 1.0),)
    sure, unsure = settled(picture, dice), settled(picture, dice, Doubt.COUNT)
    last = latest(unsure, sure)
    assert last is not unsure
    assert last.reading.trusted
    assert latest(sure, last) is not sure
    assert latest(sure, unsure) is sure
    assert latest(unsure, unsure) is not unsure


def told(frames: int, sure_from: int = 1000, moves_at: int | None = None) -> tuple[list[tuple[Event, int]], int]:
    """Return the events of a recording of one die, each with the number of frames taken before it, and the readings.

    The die is trusted from reading number `sure_from` on. Frame number `moves_at` shows another picture.
    """
    film = [*(Frame(textured(9 if at == moves_at else 8), at / FPS) for at in range(frames)), None]
    shown = iter(film)
    readings: list[Reading] = []

    def read(*_: object) -> Reading:
        doubt = None if len(readings) + 1 >= sure_from else Doubt.DISAGREE
        readings.append(Reading((Die(2, (600, 400, 60, 60), 0.9),), doubt))
        return readings[-1]

    events = Watcher(Film(lambda: next(shown)), read).events()
    return [(event, len(film) - operator.length_hint(shown)) for event in events], len(readings)


def test_the_camera_watcher_repeats_a_doubtful_reading_and_reports_only_the_sure_one() -> None:
    assert [event.reading.trusted for event, _ in told(40, sure_from=4)[0] if isinstance(event, Settled)] == [True]


def test_camera_watcher_stops_rereading_doubtful_dice_and_reports_the_doubt_once() -> None:
    events, readings = told(70)
    assert [event.reading.doubt for event, _ in events if isinstance(event, Settled)] == ["disagree"]
    assert readings == MAX_READINGS_IN_DOUBT, "one frame each: the others would not remove it"


def test_the_watcher_reports_dice_still_in_doubt_when_they_move_or_the_video_ends() -> None:
    assert [(type(event), taken) for event, taken in told(10, moves_at=8)[0]] == [(Settled, 9), (Moving, 9)]
    assert [(type(event), taken) for event, taken in told(8)[0]] == [(Settled, 9)], "8 frames and the end"
