"""The Pi's camera over the real picamera2 and a fake libcamera: field of view, exposure, focus and faults."""

from __future__ import annotations

import logging
import math
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.adapters.reader_setup import load_reader, save_rig
from companion.diagnostics.devices import check_camera
from companion.errors import DeviceError
from companion.settings.load import Settings
from tests.vision.fake_libcamera import SENSORS, fitted, removed
from tests.vision.fake_libcamera.sensors import Mode
from tests.waiting import PATIENCE_S
from vision.calibration.lamp_light import LampLight, lamp_light
from vision.calibration.lens import lens_of
from vision.calibration.procedure import Calibrating, Found
from vision.calibration.solving import Plan
from vision.calibration.store import Stored, load_rig
from vision.cameras import Frame
from vision.cameras.field import MODULES
from vision.cameras.flicker import country, flicker_period_us, mains_hz
from vision.cameras.picamera import FRAME_WAIT_S, Picamera2Camera
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock
from vision.networks import shipped_networks
from vision.reading.reading import FrameBGR, Reading
from vision.settings import CameraSettings
from vision.watching.watcher import RETRY_S, Ill, Watcher

pytestmark = pytest.mark.filterwarnings("ignore:setDaemon:DeprecationWarning")

SIZES_WH = [(1280, 960), (1280, 720)]
PATIENCE_FRAMES = 600
BOARDS: list[Pi] = []


class Pi:
    """A Pi whose sensor takes one frame for each call of `frame`, so that runs are reproducible."""

    def __init__(
        self, module: str = "Camera Module 3", *, size_wh: tuple[int, int] = (1280, 960), mains: int = 50, **board: Any
    ) -> None:
        self.board = fitted(module, steps=threading.Semaphore(0), **board)
        self.camera = Picamera2Camera(mains=mains, size_wh=size_wh)
        BOARDS.append(self)

    def start(self) -> Pi:
        self.camera.start()
        return self

    def frame(self) -> Frame:
        assert self.board.steps is not None
        self.board.steps.release()
        return self.camera.frame()

    def until(self, true: Callable[[Frame], bool]) -> Frame:
        """Return the first frame for which `true` returns True."""
        return next(frame for frame in (self.frame() for _ in range(PATIENCE_FRAMES)) if true(frame))

    def sent(self, name: str) -> list[Any]:
        """Return all values of the control `name` that have reached the sensor."""
        for _ in range(4):  # what was set is sent with the next request
            self.frame()
        return [controls[name] for _, controls in self.board.sent if name in controls]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while BOARDS:
        BOARDS.pop().camera.stop()
    removed()


def is_held(frame: Frame) -> bool:
    return frame.exposure is not None and frame.exposure.held


def widest_columns(modes: tuple[Mode, ...], size_wh: tuple[int, int]) -> float:
    """Return the sensor columns across a picture of that shape in the widest mode, computed from the crops alone."""
    return max(min(mode.crop_xywh[2], mode.crop_xywh[3] * size_wh[0] / size_wh[1]) for mode in modes)


@pytest.mark.parametrize("size_wh", SIZES_WH)
@pytest.mark.parametrize("module", SENSORS)
def test_each_camera_module_is_run_in_its_widest_mode(module: str, size_wh: tuple[int, int]) -> None:
    pi = Pi(module, size_wh=size_wh)
    pi.start()
    frame = pi.frame()
    used = pi.board.metadata[-1]["ScalerCrop"][2]
    assert used >= 0.99 * widest_columns(pi.board.sensor.modes, size_wh)
    assert frame.image_bgr.shape == (size_wh[1], size_wh[0], 3)
    assert pi.camera.field is not None
    assert pi.camera.field.used_w == pytest.approx(used, rel=0.01)
    mode = next(mode for mode in pi.board.sensor.modes if mode.size_wh == pi.camera.field.mode_wh)
    assert mode.fps >= 30
    known = next(one for one in MODULES if one.model == pi.board.sensor.model)
    assert pi.camera.field.angle_deg == pytest.approx(known.angle_deg(size_wh), rel=0.01)


@pytest.mark.parametrize("module", ["Camera Module 3", "Camera Module 3 Wide", "Camera Module 2", "HQ Camera"])
def test_a_cropped_mode_is_refused_with_the_cure(module: str) -> None:
    pi = Pi(module, cropped=True)
    pi.start()
    with pytest.raises(DeviceError, match=r"columns that its sensor could.*full-upgrade"):
        pi.frame()
    assert pi.board.holders == 0


def test_a_cropping_mode_is_used_if_the_sensor_has_no_other() -> None:
    only = SENSORS["Camera Module 3"]
    pi = Pi()
    pi.board.sensor = replace(only, modes=only.modes[:1])
    pi.start()
    pi.frame()
    assert "1536 x 864, 2304 of 4608 columns, 36.0 degrees" in str(pi.camera.field)


def test_the_camera_is_configured_with_three_buffers_and_no_raw_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    pi = Pi()
    pi.start()
    pi.frame()
    configuration = pi.camera._device.camera_configuration()
    assert configuration["raw"] is None
    assert configuration["buffer_count"] == 3
    assert pi.board.starts == 1


@pytest.mark.parametrize("ae_state", ["AeState", "AeLocked", ""])
@pytest.mark.parametrize("light", [0.02, 0.3, 1.0, 1.7])
def test_exposure_is_held_after_it_has_converged(light: float, ae_state: str) -> None:
    pi = Pi(light=light, ae_state=ae_state)
    pi.start()
    pi.until(is_held)
    assert pi.sent("AeFlickerPeriod") == [10_000]
    at, held = next((at, controls) for at, controls in pi.board.sent if controls.get("AeEnable") is False)
    before = pi.board.metadata[at - 1]
    assert before.get("AeState", 2) == 2
    assert before.get("AeLocked", True)
    asked = held["ExposureTime"] * held["AnalogueGain"]
    had = before["ExposureTime"] * before["AnalogueGain"] * before["DigitalGain"]
    assert asked == pytest.approx(min(had, 30_000 * 16.0), rel=0.03), "as bright as before, digital gain included"
    assert held["ExposureTime"] % 10_000 == 0, "a whole number of the lamp's periods"
    red, blue = next(controls["ColourGains"] for _, controls in pi.board.sent if "ColourGains" in controls)
    assert (red, blue) == pytest.approx(pi.board.awb, rel=0.02)


def test_exposure_is_not_held_while_the_light_still_changes() -> None:
    pi = Pi()
    pi.start()
    for number in range(200):
        pi.board.light = 1.0 + 0.5 * (number % 10)
        assert not is_held(pi.frame())
    assert True not in [not value for value in pi.sent("AeEnable")]


@pytest.mark.parametrize("factor", [1.5, 1 / 1.5, 3.0, 0.2])
def test_exposure_is_found_anew_when_the_light_changes(factor: float) -> None:
    pi = Pi(light=0.5)
    pi.start()
    pi.until(is_held)
    for _ in range(60):
        assert is_held(pi.frame()), "steady light keeps it"
    pi.board.light *= factor
    pi.until(lambda frame: not is_held(frame))
    again = pi.until(is_held)
    for _ in range(60):
        assert is_held(again := pi.frame())
    assert again.exposure is not None
    assert again.exposure.exposure_s * again.exposure.gain * pi.board.light == pytest.approx(0.018, rel=0.05)
    assert pi.sent("AeEnable") == [False, True, False]


def test_a_hand_over_the_tray_for_a_second_keeps_the_exposure_held() -> None:
    pi = Pi()
    pi.start()
    held = pi.until(is_held)
    held = pi.until(lambda frame: frame.at_s > held.at_s + 1.0)
    pi.board.light = 0.3
    assert pi.until(lambda frame: frame.at_s > held.at_s + 1.0)
    pi.board.light = 1.0
    pi.until(lambda frame: frame.at_s > held.at_s + 6.0)
    assert pi.sent("AeEnable") == [False]


def test_the_lens_is_held_where_it_found_focus() -> None:
    pi = Pi(sharp_at=4.25)
    pi.start()
    frame = pi.until(lambda frame: frame.exposure is not None and frame.exposure.lens_position is not None)
    assert frame.exposure is not None
    assert frame.exposure.lens_position == 4.25
    assert pi.sent("LensPosition") == [4.25]
    assert pi.sent("AfMode") == [2, 0]


def test_a_lens_without_focus_keeps_searching() -> None:
    pi = Pi(sharp_at=None)
    pi.start()
    frame = pi.until(is_held)
    assert frame.exposure is not None
    assert frame.exposure.lens_position is None
    assert pi.sent("AfMode") == [2]
    pi.board.sharp_at = 3.0
    pi.until(lambda frame: frame.exposure is not None and frame.exposure.lens_position == 3.0)


def test_a_known_lens_position_is_set_before_the_first_frame() -> None:
    pi = Pi(sharp_at=None)
    pi.camera.focus_at(3.5)
    pi.start()
    frame = pi.frame()
    assert frame.exposure is not None
    assert frame.exposure.lens_position == 3.5
    assert pi.board.metadata[0]["LensPosition"] == 3.5
    pi.camera.focus_at(None)
    pi.board.sharp_at = 2.0
    pi.until(lambda frame: frame.exposure is not None and frame.exposure.lens_position == 2.0)


def test_light_too_bright_for_a_whole_period_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    pi = Pi(light=9.0, mains=60)
    pi.start()
    with caplog.at_level(logging.WARNING):
        frame = pi.until(is_held)
    assert "an exposure of 2.0 ms shows the bands" in caplog.text
    assert frame.exposure is not None
    assert frame.exposure.exposure_s == pytest.approx(0.002, rel=0.02)


def test_a_sensor_without_flicker_control_still_gets_whole_periods() -> None:
    pi = Pi(advertises=(), light=0.9, mains=60)
    pi.start()
    pi.until(is_held)
    (exposure_us,) = pi.sent("ExposureTime")
    assert isinstance(exposure_us, int)
    assert exposure_us % 8333 == 0


def test_a_missing_camera_is_reported_and_opened_once_it_is_there() -> None:
    pi = Pi(absent=True)
    for _ in range(2):
        with pytest.raises(DeviceError, match=r"finds no camera.*ribbon.*rpicam-hello"):
            pi.start()
    pi.board.absent = False
    pi.start()
    assert pi.frame().image_bgr.any()


def test_a_camera_in_use_is_reported_and_leaks_no_file() -> None:
    pi = Pi(busy=True)
    open_files = 0
    for attempt in range(12):
        with pytest.raises(DeviceError, match=r"can't be opened \(.*busy\).*Close other programs"):
            pi.start()
        if attempt == 1:
            open_files = len(os.listdir("/proc/self/fd"))
    assert len(os.listdir("/proc/self/fd")) <= open_files
    pi.board.busy = False
    pi.start()
    assert pi.frame().image_bgr.any()


@pytest.mark.parametrize("fault", ["stalled", "unplugged"])
def test_a_camera_without_frames_is_reported_and_can_reopen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    pi = Pi()
    pi.start()
    assert pi.frame().image_bgr.any()
    capture = pi.camera._device.captured_request

    def soon(wait: float) -> object:
        waits.append(wait)
        return capture(wait=wait / 20)

    monkeypatch.setattr(pi.camera._device, "captured_request", soon)
    setattr(pi.board, fault, True)
    with pytest.raises(DeviceError, match=r"sends no pictures any more\. Check the ribbon"):
        pi.until(lambda frame: False)
    assert max(waits) <= 3.0
    assert pi.board.holders == 0
    if fault == "unplugged":
        with pytest.raises(DeviceError, match=r"does not start.*Remote I/O error"):
            pi.start()
        assert pi.board.holders == 0
    setattr(pi.board, fault, False)
    pi.start()
    assert pi.frame().image_bgr.any()


def test_a_library_error_becomes_a_device_error_and_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    pi = Pi().start()

    def fails(wait: float) -> object:
        raise RuntimeError("Stream main is not defined")

    monkeypatch.setattr(pi.camera._device, "captured_request", fails)
    with pytest.raises(DeviceError, match="Stream main is not defined"):
        pi.frame()
    assert pi.board.holders == 0


def test_a_camera_that_does_not_stop_is_closed_all_the_same(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pi = Pi().start()
    pi.frame()
    stop = pi.camera._device.stop

    def fails_once() -> None:
        monkeypatch.setattr(pi.camera._device or device, "stop", stop)
        raise RuntimeError("pipeline is gone")

    device = pi.camera._device
    monkeypatch.setattr(device, "stop", fails_once)
    pi.camera.stop()
    assert pi.board.holders == 0
    assert "pipeline is gone" in caplog.text


def test_pictures_are_blue_green_red_with_the_sensors_times() -> None:
    blue = np.full((960, 1280, 3), (200, 60, 20), np.uint8)
    pi = Pi(picture=blue).start()
    frames = [pi.frame() for _ in range(3)]
    b, g, r = frames[-1].image_bgr[480, 640].tolist()
    assert b > g > r
    times = [metadata["SensorTimestamp"] / 1e9 for metadata in pi.board.metadata]
    assert [frame.at_s for frame in frames] == times


class Blank:
    """Reads no dice in any picture."""

    def read(self, frame_bgr: FrameBGR, expect: int | None = None, *_: object) -> Reading:
        return Reading((), None)


@pytest.mark.parametrize("lasts", [1, 5])
@pytest.mark.parametrize("fault", ["stalled", "unplugged", "busy", "absent"])
def test_a_camera_that_fails_is_reported_and_watched_again(
    fault: str, lasts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, camera, pauses = fitted(), Picamera2Camera(), list[float]()
    ill = fault in ("busy", "absent")

    def suffer(ill: bool) -> None:
        setattr(board, fault, ill)
        monkeypatch.setattr("vision.cameras.picamera.FRAME_WAIT_S", 0.1 if ill else PATIENCE_S)

    def pause(seconds: float) -> bool:
        pauses.append(seconds)
        suffer(len(pauses) < lasts)
        return False

    suffer(ill)

    watcher = Watcher(camera, Blank(), pause=pause)
    told = list[str]()
    for event in watcher.events():
        if isinstance(event, Ill):
            told.append(event.error.what)
        elif not ill:  # it works, then it does not
            ill = True
            suffer(ill)
        elif told:
            watcher.stop()
    assert len(told) == len(pauses) == lasts
    longest_s = FRAME_WAIT_S + max(RETRY_S) + FRAME_WAIT_S
    assert max(pauses) <= max(RETRY_S)
    assert FRAME_WAIT_S <= 3.0, "told in time"
    assert longest_s <= 10.0, "and back: the try that still fails, the pause, and the try that succeeds"
    camera.stop()


def test_the_angle_of_view_is_that_of_the_used_part_of_the_sensor() -> None:
    angles = {one.title: round(one.angle_deg((1280, 960)), 1) for one in MODULES}
    assert angles["Camera Module 3"] == 51.9
    assert angles["Camera Module 2"] == 62.2
    assert math.isclose(angles["Camera Module 3 Wide"], 85.6, abs_tol=0.1)


def test_the_country_gives_the_mains_frequency_unless_a_setting_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, cmdline = tmp_path / "regdom", tmp_path / "cmdline"
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert mains_hz(0, country(told, cmdline)) == 60
    told.write_text("00\n")
    cmdline.write_text("quiet cfg80211.ieee80211_regdom=GB rootwait")
    assert country(told, cmdline) == "GB"
    assert mains_hz(0, "GB") == 50
    cmdline.write_text("quiet")
    told.write_text("CA\n")
    assert mains_hz(0, country(told, cmdline)) == 60
    assert mains_hz(50, "CA") == 50
    assert (flicker_period_us(50), flicker_period_us(60)) == (10_000, 8_333)


def lamp_seen(hz: float, mains: int, **board: Any) -> LampLight:
    """Return the flicker measured in the camera's frames under a lamp of `hz` hertz, with `mains` hertz set."""
    pi = Pi(mains=mains, lamp_hz=hz, **board).start()
    pi.until(is_held)
    for _ in range(4):
        pi.frame()
    return lamp_light([pi.frame() for _ in range(9)], mains)


@pytest.mark.parametrize("mains", [50, 60])
def test_an_exposure_of_whole_flicker_periods_shows_no_bands(mains: int) -> None:
    seen = lamp_seen(2 * mains, mains, lamp_depth=0.8, light=1.0)
    assert seen.bands is not None
    assert seen.bands < 0.02
    assert seen.whole_periods
    assert seen.advice() == ()


def test_moving_bands_are_measured_and_reported_with_a_cure() -> None:
    seen = lamp_seen(100, 50, lamp_depth=0.5, light=6.0)
    shown = 0.5 * abs(np.sinc(100 * 0.003)) / 2.2
    assert seen.bands == pytest.approx(shown, rel=0.15), "the display's gamma shrinks them"
    (advice,) = seen.advice()
    assert advice.code == "banding"
    assert "DC supply" in advice.says
    assert "10.0 ms" in advice.says


def test_standing_bands_are_inferred_from_the_exposure() -> None:
    seen = lamp_seen(120, 60, lamp_depth=0.5, light=6.0)
    assert seen.bands is not None
    assert seen.bands < 0.02
    (advice,) = seen.advice()
    assert advice.code == "exposure"
    assert "3.0 ms is no multiple of a lamp's 8.3 ms" in advice.says


def test_the_doctor_names_the_sensor_mode_and_reports_flicker() -> None:
    fitted("Camera Module 3 Wide", lamp_hz=100, lamp_depth=0.6, light=9.0)
    found = {one.part: one for one in check_camera(Settings(camera=CameraSettings("picamera2", mains_hz=50)))}
    assert found["camera"].ok
    assert "Camera Module 3 Wide, sensor mode 2304 x 1296, 3456 of 4608 columns, 85.6 degrees" in found["camera"].says
    assert not found["lamp"].ok
    assert "DC supply" in found["lamp"].cure


def test_the_doctor_refuses_a_cropped_mode() -> None:
    fitted("Camera Module 3", cropped=True)
    (found,) = check_camera(Settings(camera=CameraSettings("picamera2")))
    assert not found.ok
    assert "2304 of the 3456 columns" in found.says
    assert "full-upgrade" in found.cure


def calibrating(pi: Pi) -> Calibrating:
    return Calibrating(pi.frame, Plan(mains_hz=50), lambda sentence: None, wait_s=60.0)


def flat() -> Found:
    """Return the pose of a flat sheet under the lens."""
    return Found(np.diag([4.0, 4.0, 1.0]), lens_of((1280, 960), 51.9), ())


def test_calibrating_measures_the_lens_position_on_the_sheet() -> None:
    pi = Pi(sharp_at=2.5).start()
    pi.until(lambda frame: frame.exposure is not None and frame.exposure.lens_position == 2.5)
    pi.board.sharp_at = 3.25  # the sheet lies elsewhere than what was in focus before
    found = calibrating(pi).focus(flat(), pi.camera)
    assert found.lens_position == 3.25
    assert pi.sent("LensPosition")[-1] == 3.25
    pi.board.sharp_at = None
    pi.camera.stop()
    pi.start()
    frame = pi.frame()
    assert frame.exposure is not None
    assert frame.exposure.lens_position == 3.25, "kept over the restart, on felt without any contrast"


def test_calibrating_without_focus_gives_advice() -> None:
    pi = Pi(sharp_at=None).start()
    found = calibrating(pi).focus(flat(), pi.camera)
    assert found.lens_position is None
    assert [one.code for one in found.advice] == ["focus"]


def test_calibrating_leaves_a_fixed_focus_lens_alone() -> None:
    pi = Pi("Camera Module 2").start()
    assert calibrating(pi).focus(flat(), pi.camera).lens_position is None
    assert pi.sent("AfMode") == []


def test_the_reference_is_taken_after_exposure_has_been_held() -> None:
    pi = Pi(light=0.4, lamp_hz=100, lamp_depth=0.6).start()
    steps = calibrating(pi)
    empty_bgr = steps.empty_tray()
    at = next(at for at, controls in pi.board.sent if controls.get("AeEnable") is False)
    assert pi.board.frames > at + 60
    assert abs(float(empty_bgr.mean()) - 255 * 0.18 ** (1 / 2.2)) < 3
    assert steps.lamp is not None
    assert steps.lamp.advice() == ()


def test_the_stored_lens_position_is_set_at_the_next_start(tmp_path: Path) -> None:
    clock = SteppedClock()
    rig = VirtualCamera(1, clock, clock.sleep, seed=8).rig()
    save_rig(tmp_path, Stored("picamera2", "2026-01-01 00:00", rig, lens_position=4.5))
    kept = load_rig(tmp_path)
    assert kept is not None
    assert kept.lens_position == 4.5
    pi = Pi()
    load_reader("picamera2", pi.camera, tmp_path, shipped_networks())
    pi.start()
    frame = pi.frame()
    assert frame.exposure is not None
    assert frame.exposure.lens_position == 4.5
