"""Stillness detection and the watcher: each throw is reported once, and a disturbance is no throw."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.errors import DeviceError
from tests.vision.camera_standins import DIM_AFTER_S, Film, no_dice, virtual_camera
from vision.cameras import Frame
from vision.cameras.simulated.camera import FPS, VirtualCamera
from vision.cameras.simulated.tray import Pose
from vision.networks import load_networks
from vision.reading.reader import Reader
from vision.reading.reading import Die, Doubt, FrameBGR, Reading
from vision.research.evaluation.fault_injection import FaultInjection
from vision.watching.stillness import STILL_S, Phase, StillnessDetector, small_picture, step
from vision.watching.watcher import FRAMES_READ, Ill, Moving, Settled, Watcher


@pytest.fixture
def camera() -> VirtualCamera:
    return virtual_camera()


def phases(camera: VirtualCamera, seconds: float, detector: StillnessDetector) -> tuple[StillnessDetector, list[Phase]]:
    seen = []
    for _ in range(int(seconds * FPS)):
        frame = camera.frame()
        detector, phase = step(detector, small_picture(frame.image_bgr), frame.at_s)
        seen.append(phase)
    return detector, seen


def rested(camera: VirtualCamera) -> StillnessDetector:
    camera.tray.throw(strength=0.4)
    detector, seen = phases(camera, 5, StillnessDetector())
    assert seen[-1] is Phase.RESTING
    return detector


def test_the_stillness_detector_reports_motion_and_exactly_one_settling_for_a_throw(camera: VirtualCamera) -> None:
    detector, _ = phases(camera, 1, StillnessDetector())
    camera.tray.throw()
    _, seen = phases(camera, 5, detector)
    assert Phase.MOVING in seen
    assert seen.count(Phase.SETTLED) == 1


@pytest.mark.parametrize("lamp", [0.6, 1.1])
def test_switching_a_lamp_does_not_make_the_stillness_detector_settle(camera: VirtualCamera, lamp: float) -> None:
    detector = rested(camera)
    camera.disturb = FaultInjection(lamp=lamp).over
    assert Phase.SETTLED not in phases(camera, 1, detector)[1]


def test_the_stillness_detector_at_rest_reports_no_new_settling_after_a_knock(camera: VirtualCamera) -> None:
    detector = rested(camera)
    camera.disturb = FaultInjection(knock_at_s=camera.frame().at_s).over
    assert Phase.SETTLED not in phases(camera, 2, detector)[1]


def test_the_stillness_detector_settles_neither_during_nor_after_a_passing_hand(camera: VirtualCamera) -> None:
    detector = rested(camera)
    camera.disturb = FaultInjection(hand_until_s=camera.frame().at_s + 2).over
    detector, seen = phases(camera, 1.9, detector)
    assert Phase.SETTLED not in seen
    assert Phase.SETTLED not in phases(camera, 2, detector)[1]


def number_of(frame: Frame) -> int:
    return round(frame.at_s * FPS)


def thrown(camera: VirtualCamera) -> Frame | None:
    """Return the next frame of eight seconds, in which dice are thrown after one second."""
    frame = camera.frame()
    if number_of(frame) == int(FPS):
        camera.tray.throw(strength=0.4)
    return frame if number_of(frame) < 8 * FPS else None


def test_watcher_emits_settled_for_the_empty_tray_then_the_throw_then_the_lifting(camera: VirtualCamera) -> None:
    def lifted() -> Frame | None:
        frame = thrown(camera)
        if frame is not None and number_of(frame) == int(6 * FPS):
            camera.tray.lift()
        return frame

    events = list(Watcher(Film(lifted), Reader(load_networks(), camera.rig()).read, camera.rig()).events())
    settled = [event for event in events if isinstance(event, Settled)]
    assert [len(event.thrown) for event in settled] == [0, 7, 0]
    assert settled[1].emptied
    assert settled[1].reading.trusted
    assert any(isinstance(event, Moving) for event in events)


MOVED_MM = 0.1


def settled_of(
    camera: VirtualCamera, then: Callable[[float, float], None], dim: Callable[[bool], None] | None = None
) -> list[Settled]:
    """Watch a throw. `then` gets each frame's time, and that of the dice's last motion."""
    rest_s, lay = 0.0, tuple[Pose, ...]()

    def frame() -> Frame | None:
        nonlocal rest_s, lay
        taken, lie = thrown(camera), camera.tray.advance(0.0)
        moved = any(np.abs(one.at_mm - was.at_mm).max() > MOVED_MM for one, was in zip(lie, lay, strict=False))
        if taken is not None:
            rest_s = taken.at_s if moved or len(lie) != len(lay) else rest_s
            then(taken.at_s, rest_s)
        lay = lie
        return taken

    watcher = Watcher(Film(frame), Reader(load_networks(), camera.rig()).read, camera.rig(), dim=dim)
    return [event for event in watcher.events() if isinstance(event, Settled)]


def test_the_virtual_camera_reuses_its_picture_while_dice_only_tremble(camera: VirtualCamera) -> None:
    drawn: list[FrameBGR] = []

    def note(picture: FrameBGR, _now_s: float) -> FrameBGR:
        drawn.append(picture)
        return picture

    camera.disturb = note
    camera.tray.throw(strength=0.4)
    moved, lay = list[bool](), camera.tray.advance(0.0)
    for _ in range(4 * int(FPS)):
        camera.frame()
        lie = camera.tray.advance(0.0)
        moved.append(lie != lay)
        lay = lie
    trembling = [at for at in range(1, len(drawn)) if moved[at] and drawn[at] is drawn[at - 1]]
    assert len(trembling) >= 2
    assert not any(moved[trembling[-1] + 1 :])
    assert drawn[-1] is drawn[trembling[0]]


@pytest.mark.parametrize(("dim", "frames"), [(None, 2), (lambda _on: None, 3)])
def test_the_watcher_reads_a_throw_early_and_reports_it_as_soon_as_stillness_is_proven(
    camera: VirtualCamera, dim: Callable[[bool], None] | None, frames: int
) -> None:
    """A strip that is dimmed for the reading delays it by one frame."""
    rest_s: list[float] = []
    _, throw = settled_of(camera, lambda now_s, at_s: rest_s.append(at_s), dim)
    assert throw.reading.trusted
    assert throw.at_s - rest_s[-1] <= STILL_S + frames / FPS, "told at the first frame that proves the rest"
    assert dim or throw.frame.at_s < throw.at_s - 0.5 / FPS, "and nothing is left to read by then"


@pytest.mark.parametrize("doubt", [None, Doubt.UNREAD])
def test_the_watcher_rereads_a_frame_misread_under_led_strip_light_with_the_strip_dimmed(
    camera: VirtualCamera, doubt: Doubt | None
) -> None:
    reader, dimmed, readings = Reader(load_networks(), camera.rig()), list[bool](), list[Reading]()

    def dazzled(frame_bgr: FrameBGR, expect: int | None, *_: object) -> Reading:
        reading = reader.read(frame_bgr, expect)
        if len(readings) == FRAMES_READ:  # those of the empty tray went before
            reading = Reading(tuple(replace(die, value=1) for die in reading.dice), doubt)
        readings.append(reading)
        return reading

    watcher = Watcher(Film(lambda: thrown(camera)), dazzled, camera.rig(), dim=dimmed.append)
    _, throw = (event for event in watcher.events() if isinstance(event, Settled))
    assert throw.reading.trusted
    assert len(set(throw.reading.values)) > 1
    assert len(readings) == FRAMES_READ + 1 + FRAMES_READ
    assert dimmed == [True, False] * 2, "once each: what was read in haste was not read again"


def test_a_die_pushed_before_the_throw_is_reported_is_read_at_its_new_place(camera: VirtualCamera) -> None:
    pushed_s: list[float] = []

    def push(now_s: float, rest_s: float) -> None:
        if not pushed_s and rest_s > 1.5 and now_s >= rest_s + STILL_S / 2:
            pushed_s.append(now_s)
            camera.tray.move(0, 120.0, 120.0)

    _, throw = settled_of(camera, push)
    assert throw.at_s >= pushed_s[0] + STILL_S
    assert throw.reading.trusted
    assert any(np.hypot(die.x_mm - 120, die.y_mm - 120) < 20 for die in throw.thrown)


def test_the_watcher_sees_no_motion_when_it_dims_the_led_strip(camera: VirtualCamera) -> None:
    # A strip along the tray's upper edge: its amber light falls into the picture and is gone when it is dimmed.
    shape = camera.frame().image_bgr.shape
    light = np.exp(-np.arange(shape[0]) / 90.0)[:, None, None] * np.array([0, 40, 90])
    bright, dark = (np.broadcast_to(light * share, shape).astype(np.uint8) for share in (1.0, 0.07))
    dimmed: list[tuple[bool, float]] = []
    taken: list[Frame] = []  # the first and the newest

    def lit() -> Frame | None:
        frame = thrown(camera)
        if frame is None:
            return None
        dim = bool(dimmed) and dimmed[-1][0] and frame.at_s > dimmed[-1][1] + DIM_AFTER_S
        taken[1:] = [Frame(cv2.add(frame.image_bgr, dark if dim else bright), frame.at_s)]
        return taken[-1]

    def dim(on: bool) -> None:
        dimmed.append((on, taken[-1].at_s))

    events = list(Watcher(Film(lit), Reader(load_networks(), camera.rig()).read, camera.rig(), dim=dim).events())
    settled = [event for event in events if isinstance(event, Settled)]
    assert [len(event.thrown) for event in settled] == [0, 7], "each once: the light is no throw"
    assert sum(isinstance(event, Moving) for event in events) == 1
    assert [on for on, _ in dimmed] == [True, False] * 2
    for (_, asked_s), (_, over_s), event in zip(dimmed[::2], dimmed[1::2], settled, strict=True):
        assert asked_s < event.at_s <= over_s
        assert over_s - asked_s < 0.2, "and back at once"
        assert event.frame.image_bgr[2].mean() < 0.8 * taken[0].image_bgr[2].mean(), "the photo is without it"


def test_the_tray_watcher_undims_the_led_strip_if_the_camera_fails_while_it_is_dimmed(camera: VirtualCamera) -> None:
    asked: list[bool] = []

    def failing() -> Frame | None:
        if asked and asked[-1]:
            raise DeviceError("The camera is gone.", "Plug it in.")
        return camera.frame()

    watcher = Watcher(Film(failing), no_dice, camera.rig(), dim=asked.append, pause=lambda _s: True)
    assert isinstance(list(watcher.events())[-1], Ill)
    assert asked == [True, False]


def test_the_watcher_reports_two_failed_camera_starts_and_then_goes_on(camera: VirtualCamera) -> None:
    pauses, starts = list[float](), itertools.count(1)

    def start() -> None:
        if next(starts) < 3:
            raise DeviceError("The camera is gone.", "Plug it in.")

    def frame() -> Frame | None:
        taken = camera.frame()
        return taken if number_of(taken) < 10 else None

    def pause(seconds: float) -> bool:
        pauses.append(seconds)
        return False

    told = list(Watcher(Film(frame, start), no_dice, pause=pause).events())
    assert [isinstance(event, Ill) for event in told[:2]] == [True, True]
    assert pauses == [0.5, 1.0]
    assert any(isinstance(event, Settled) for event in told)


def test_the_watcher_reports_no_emptied_tray_after_a_camera_failure(camera: VirtualCamera) -> None:
    """The die lies there as before, so a tray that was knocked meanwhile shows no new throw."""

    def failing() -> Frame | None:
        frame = camera.frame()
        if number_of(frame) == 20:
            raise DeviceError("The camera is gone.", "Plug it in.")
        return frame if number_of(frame) < 40 else None

    one_die = Reading((Die(5, (600, 400, 60, 60), 1.0),), None)
    told = list(Watcher(Film(failing), lambda *_: one_die, camera.rig(), pause=lambda _s: False).events())
    assert any(isinstance(event, Ill) for event in told)
    assert [event.emptied for event in told if isinstance(event, Settled)] == [True, False]


@pytest.mark.parametrize("hasty", [False, True], ids=["settled", "in haste"])
def test_a_watcher_stopped_during_a_reading_does_not_report_that_reading(camera: VirtualCamera, hasty: bool) -> None:
    looks: list[int] = []

    def stopping(*_: object) -> Reading:
        looks.append(len(looks))
        if len(looks) == 1 + FRAMES_READ * hasty:
            watcher.stop()
        return Reading((), None)

    watcher = Watcher(Film(lambda: thrown(camera)), stopping, camera.rig())
    settled = [event for event in watcher.events() if isinstance(event, Settled)]
    assert len(looks) == 1 + FRAMES_READ * hasty
    assert len(settled) == hasty, "of the empty tray before the throw"


def test_a_doubtful_first_frame_is_reported_at_once_with_all_frames_of_the_throw(camera: VirtualCamera) -> None:
    """A beer glass in the tray: reading the other frames would triple the wait, and can't remove the doubt."""
    looks: list[FrameBGR] = []

    def doubtful(frame_bgr: FrameBGR, *_: object) -> Reading:
        looks.append(frame_bgr)
        return Reading((), Doubt.UNREAD)

    first = next(Watcher(camera, doubtful, camera.rig()).events())
    assert isinstance(first, Settled)
    assert len(looks) == 1
    assert first.frame.image_bgr is looks[0]
    assert len(first.doubted_frames) == FRAMES_READ


def test_the_watcher_applies_a_new_calibration_from_the_next_reading_on(camera: VirtualCamera) -> None:
    watcher = Watcher(camera, lambda *_: Reading((), Doubt.UNREAD))
    settled = (event for event in watcher.events() if isinstance(event, Settled))
    first = next(settled)
    rig = camera.rig()
    watcher.read_with(lambda *_: Reading((), Doubt.CUT_OFF), rig)
    camera.tray.throw(strength=0.4)
    second = next(settled)
    assert (first.reading.doubt, first.rig) == (Doubt.UNREAD, None)
    assert (second.reading.doubt, second.rig) == (Doubt.CUT_OFF, rig)
    assert watcher.rig is rig


@pytest.mark.parametrize("calibrated", [True, False])
def test_watcher_drops_a_reading_begun_before_a_calibration_and_ended_after(
    calibrated: bool, camera: VirtualCamera
) -> None:
    old, new = camera.rig() if calibrated else None, camera.rig()

    def recalibrated(*_: object) -> Reading:
        watcher.read_with(lambda *_: Reading((), Doubt.CUT_OFF), new)
        camera.tray.throw(strength=0.4)
        return Reading((), Doubt.UNREAD)

    watcher = Watcher(camera, recalibrated, old)
    first = next(event for event in watcher.events() if isinstance(event, Settled))
    assert (first.reading.doubt, first.rig) == (Doubt.CUT_OFF, new)


def test_watcher_without_calibration_gives_the_reader_the_previous_reading_of_the_throw(camera: VirtualCamera) -> None:
    known: list[tuple[int, bool, bool]] = []
    reader = Reader(load_networks())

    def noting(
        frame_bgr: FrameBGR, expect: int | None, previous: Reading | None = None, size_px: float | None = None
    ) -> Reading:
        reading = reader.read(frame_bgr, expect, previous, size_px)
        known.append((len(reading.dice), previous is not None, size_px is not None))
        return reading

    watcher = Watcher(Film(lambda: thrown(camera)), noting)
    *_, throw = (event for event in watcher.events() if isinstance(event, Settled))
    count = len(throw.reading.dice)
    assert throw.reading.trusted
    assert [one for one in known if one[0] == count][:FRAMES_READ] == [
        (count, False, False), (count, True, False), (count, True, False),
    ]  # fmt: skip
