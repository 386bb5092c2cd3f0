"""The watcher while the light changes: dimmed, off, and on again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

from companion.adapters.tray_observer import TrayObserver
from tests.vision.camera_standins import DIM_AFTER_S, Film, no_dice, virtual_camera
from tests.waiting import until
from vision.cameras import Frame
from vision.cameras.simulated.camera import FPS, VirtualCamera
from vision.networks import load_networks
from vision.reading.reader import Reader
from vision.reading.reading import Doubt, FrameBGR, Reading
from vision.research.evaluation.fault_injection import FaultInjection
from vision.watching.watcher import Dark, Event, Moving, Settled, Watcher


@pytest.fixture
def camera() -> VirtualCamera:
    return virtual_camera()


def events_with_light_off(camera: VirtualCamera, hand: Callable[[], None]) -> list[Event]:
    """Watch dice that lie in the tray. In the dark from 3 to 6 s, a hand does something at 4 s."""
    camera.tray.throw([0, 1, 2], strength=0.4)

    def film() -> Frame | None:
        frame = camera.frame()
        lit = not 3 <= frame.at_s < 6
        camera.disturb = FaultInjection(lamp=1.0 if lit else 0.002).over
        if round(frame.at_s * FPS) == 4 * FPS:
            hand()
        return frame if frame.at_s < 9 else None

    return list(Watcher(Film(film), Reader(load_networks(), camera.rig()).read, camera.rig()).events())


def test_a_doubtful_tray_reading_is_repeated_after_the_light_changes(camera: VirtualCamera) -> None:
    """A lamp that fades up again moves nothing in the picture: the doubt of the dim light stayed."""

    def film() -> Frame | None:
        frame = camera.frame()
        camera.disturb = FaultInjection(lamp=min(1.0, max(0.5, 0.5 + (frame.at_s - 1) / 2))).over
        return frame if frame.at_s < 3 else None

    def dim(frame_bgr: FrameBGR, *_: object) -> Reading:
        return Reading((), Doubt.UNREAD if frame_bgr.mean() < 0.8 * camera.rig().empty_bgr.mean() else None)

    camera.disturb = FaultInjection(lamp=0.5).over
    first, *_, last = Watcher(Film(film), dim, camera.rig()).events()
    assert isinstance(first, Settled)
    assert first.reading.doubt is Doubt.UNREAD
    assert isinstance(last, Settled)
    assert last.reading.trusted


def test_the_camera_watcher_repeats_a_doubtful_reading_once_a_spot_of_light_has_faded(camera: VirtualCamera) -> None:
    """No two frames of the fading spot differ by much, nor does it change the median level."""

    def film() -> Frame | None:
        frame = camera.frame()
        light = max(0.0, 1.6 - max(0.0, frame.at_s - 1) / 2)
        camera.disturb = lambda picture, _now_s: lit(picture, light)
        return frame if frame.at_s < 5 else None

    def lit(picture: FrameBGR, light: float) -> FrameBGR:
        spotted = picture.copy()
        spotted[300:520, 700:900] = np.clip(picture[300:520, 700:900] * (1 + light), 0, 255)
        return spotted

    def glare(frame_bgr: FrameBGR, *_: object) -> Reading:
        spot, empty = (picture[300:520, 700:900].mean() for picture in (frame_bgr, camera.rig().empty_bgr))
        return Reading((), Doubt.UNREAD if spot > 1.3 * empty else None)

    camera.disturb = lambda picture, _now_s: lit(picture, 1.6)
    first, *again, last = Watcher(Film(film), glare, camera.rig()).events()
    assert isinstance(first, Settled)
    assert first.reading.doubt is Doubt.UNREAD
    assert not any(isinstance(event, Moving) for event in again)
    assert isinstance(last, Settled)
    assert last.reading.trusted


@pytest.mark.parametrize("strip_light", [0.3, 1.0])
def test_a_doubtful_tray_is_reread_when_the_lamp_changes_not_when_the_dimmed_strip_lights_up_again(
    camera: VirtualCamera, strip_light: float
) -> None:
    """The strip adds `strip_light` of the lamp's light to the whole tray, except while it is dimmed."""
    now_s, dimmed_s, bright_s = 0.0, math.inf, -math.inf

    def film() -> Frame | None:
        nonlocal now_s
        now_s += 1 / FPS
        dim = dimmed_s + DIM_AFTER_S < now_s <= bright_s + DIM_AFTER_S
        lamp = 0.5 if now_s < 3 else 0.8
        camera.disturb = FaultInjection(lamp=lamp * (1.0 if dim else 1.0 + strip_light)).over
        frame = camera.frame()
        return replace(frame, at_s=now_s) if now_s < 5 else None

    def dim_strip(on: bool) -> None:
        nonlocal dimmed_s, bright_s
        dimmed_s, bright_s = (now_s, math.inf) if on else (dimmed_s, now_s)

    def doubtful(*_: object) -> Reading:
        return Reading((), Doubt.UNREAD)

    events = list(Watcher(Film(film), doubtful, camera.rig(), dim=dim_strip).events())
    first, *again = [event for event in events if isinstance(event, Settled)]
    assert first.at_s < 1
    assert again
    assert all(event.at_s >= 3 for event in again)


@pytest.mark.parametrize(("hand", "dice"), [("throw", 3), ("lift", 0), ("wait", 3)])
def test_dice_thrown_or_lifted_in_the_dark_are_read_once_the_light_is_on_again(
    camera: VirtualCamera, hand: str, dice: int
) -> None:
    hands = {"throw": lambda: camera.tray.throw([0, 1, 2]), "lift": camera.tray.lift, "wait": lambda: None}
    *before, dark, moving, settled = events_with_light_off(camera, hands[hand])
    assert not any(isinstance(event, Dark) for event in before)
    assert (type(dark), type(moving)) == (Dark, Moving)
    assert isinstance(settled, Settled)
    assert (len(settled.thrown), settled.reading.trusted) == (dice, True)


def test_a_watcher_that_starts_in_the_dark_emits_dark_then_moving_then_settled(camera: VirtualCamera) -> None:
    def film() -> Frame | None:
        camera.disturb = FaultInjection(lamp=0.0 if camera.frame().at_s < 1 else 1.0).over
        frame = camera.frame()
        return frame if frame.at_s < 3 else None

    assert [type(event) for event in Watcher(Film(film), no_dice, camera.rig()).events()] == [Dark, Moving, Settled]


def test_the_tray_observer_reports_a_camera_that_sees_only_black(camera: VirtualCamera) -> None:
    camera.disturb = FaultInjection(lamp=0.002).over

    def film() -> Frame | None:
        frame = camera.frame()
        return frame if frame.at_s < 2 else None

    observer = TrayObserver("film", Watcher(Film(film), no_dice, camera.rig()), Mock())
    observer.start()
    until(lambda: observer.ended)
    well, says = observer.health()
    assert not well
    assert "Switch the lamp on" in says
