"""A Pi camera under a lamp on the mains, its angle of view, and its calibration."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.adapters.reader_setup import load_reader, save_calibration
from companion.diagnostics.devices import check_camera
from companion.diagnostics.versions import check_versions
from companion.settings.load import Settings
from tests.vision.camera_standins import virtual_camera
from tests.vision.fake_libcamera import fitted
from tests.vision.one_frame_pi import Pi, exposure_of, focused_at, is_held
from tests.vision.one_frame_pi import closed as closed
from vision.calibration.lamp_light import LampLight, lamp_light
from vision.calibration.lens import lens_of
from vision.calibration.procedure import Calibrating, Found, calibrated
from vision.calibration.solving import Plan
from vision.calibration.store import Stored, load_calibration
from vision.cameras.field import MODULES
from vision.cameras.flicker import country, mains_hz, steady_exposure
from vision.networks import shipped_networks
from vision.settings import CameraSettings

pytestmark = pytest.mark.filterwarnings("ignore:setDaemon:DeprecationWarning")


def test_three_pi_camera_modules_have_their_known_angle_of_view_at_1280_x_960() -> None:
    angles = {one.title: round(one.angle_deg((1280, 960)), 1) for one in MODULES}
    assert angles["Camera Module 3"] == 51.9
    assert angles["Camera Module 2"] == 62.2
    assert math.isclose(angles["Camera Module 3 Wide"], 85.6, abs_tol=0.1)


def test_lamp_mains_frequency_is_the_setting_or_else_that_of_the_country(
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
    assert mains_hz(0, "SX") == 60


@pytest.mark.parametrize("periods", [1, 2, 3])
def test_an_exposure_that_the_sensor_rounded_down_is_set_back_to_whole_flicker_periods(periods: int) -> None:
    """A Camera Module 2 told to expose for 20 ms reports 19,981 us; the exposure was halved, the gain doubled."""
    exposure_us, gain = steady_exposure(periods * 10_000 - 19, 2.0, (1.0, 16.0), 10_000)
    assert exposure_us == periods * 10_000
    assert gain == pytest.approx(2.0, rel=0.01)


def lamp_seen(hz: float, mains: int, **board: Any) -> LampLight:
    """Return the flicker measured in the camera's frames under a lamp of `hz` hertz, with `mains` hertz set."""
    pi = Pi(mains=mains, lamp_hz=hz, **board).start()
    pi.until(is_held)
    for _ in range(4):
        pi.frame()
    return lamp_light([pi.frame() for _ in range(9)], mains)


@pytest.mark.parametrize("mains", [50, 60])
def test_a_pi_camera_exposure_of_whole_flicker_periods_shows_no_bands(mains: int) -> None:
    seen = lamp_seen(2 * mains, mains, lamp_depth=0.8, light=1.0)
    assert seen.bands is not None
    assert seen.bands < 0.02
    assert seen.advice() == ()


def test_lamp_bands_moving_through_frames_are_measured_and_get_advice() -> None:
    seen = lamp_seen(100, 50, lamp_depth=0.5, light=6.0)
    shown = 0.5 * abs(np.sinc(100 * 0.003)) / 2.2
    assert seen.bands == pytest.approx(shown, rel=0.15), "the display's gamma shrinks them"
    (advice,) = seen.advice()
    assert advice.code == "banding"
    assert "DC supply" in advice.says
    assert "10.0 ms" in advice.says


def test_lamp_check_warns_of_an_exposure_that_is_no_multiple_of_the_lamps_period() -> None:
    seen = lamp_seen(120, 60, lamp_depth=0.5, light=6.0)
    assert seen.bands is not None
    assert seen.bands < 0.02
    (advice,) = seen.advice()
    assert advice.code == "exposure"
    assert "3.0 ms is no multiple of a lamp's 8.3 ms" in advice.says


def test_doctor_camera_check_reports_the_sensor_mode_and_fails_a_flickering_lamp() -> None:
    fitted("Camera Module 3 Wide", lamp_hz=100, lamp_depth=0.6, light=9.0)
    found = {one.part: one for one in check_camera(Settings(camera=CameraSettings("picamera2", mains_hz=50)))}
    assert found["camera"].ok
    assert "Camera Module 3 Wide, sensor mode 2304 x 1296, 3456 of 4608 columns, 85.6 degrees" in found["camera"].says
    assert not found["lamp"].ok
    assert "DC supply" in found["lamp"].cure


def test_the_doctor_commands_version_report_names_picamera2s_version() -> None:
    fitted("Camera Module 3")
    found = check_versions("picamera2")
    assert re.search(r"picamera2 \d+\.\d+", found.says), found.says
    assert found.ok


def test_the_doctor_command_fails_a_cropped_sensor_mode_and_advises_an_upgrade() -> None:
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


def test_calibration_focuses_on_the_sheet_and_keeps_the_lens_position() -> None:
    pi = Pi(sharp_at=2.5).start()
    pi.until(focused_at(2.5))
    pi.board.sharp_at = 3.25  # the sheet lies elsewhere than what was in focus before
    found = calibrating(pi).focus(flat(), pi.camera)
    assert found.lens_position == 3.25
    assert pi.sent("LensPosition")[-1] == 3.25
    pi.board.sharp_at = None
    pi.camera.stop()
    pi.start()
    frame = pi.frame()
    assert exposure_of(frame).lens_position == 3.25, "kept over the restart, on felt without any contrast"


def test_calibration_focusing_ignores_frames_with_the_old_lens_position() -> None:
    """The table's thread may pass on frames that it took before the lens began to focus."""
    pi = Pi(sharp_at=2.5).start()
    old = pi.until(focused_at(2.5))
    under_way = [replace(old, at_s=old.at_s + 0.001 * number) for number in range(3)]
    pi.board.sharp_at = 3.25
    steps = Calibrating(lambda: under_way.pop(0) if under_way else pi.frame(), Plan(), lambda _sentence: None)
    assert steps.focus(flat(), pi.camera).lens_position == 3.25


def test_calibration_gives_focus_advice_when_autofocus_fails() -> None:
    pi = Pi(sharp_at=None).start()
    found = calibrating(pi).focus(flat(), pi.camera)
    assert found.lens_position is None
    assert [one.code for one in found.advice] == ["focus"]


def test_calibration_sends_no_autofocus_command_to_a_fixed_focus_camera() -> None:
    pi = Pi("Camera Module 2").start()
    assert calibrating(pi).focus(flat(), pi.camera).lens_position is None
    assert pi.sent("AfMode") == []


def test_calibration_takes_the_empty_tray_picture_only_after_locking_the_exposure() -> None:
    pi = Pi(light=0.4, lamp_hz=100, lamp_depth=0.6).start()
    steps = calibrating(pi)
    empty_bgr = steps.empty_tray()
    at = next(at for at, controls in pi.board.sent if controls.get("AeEnable") is False)
    assert pi.board.frames > at + 60
    assert abs(float(empty_bgr.mean()) - 255 * 0.18 ** (1 / 2.2)) < 3
    assert steps.lamp is not None
    assert steps.lamp.advice() == ()


def test_the_lens_position_stored_by_calibration_is_set_at_camera_start(tmp_path: Path) -> None:
    save_calibration(tmp_path, Stored("picamera2", "2026-01-01 00:00", virtual_camera(1).rig(), lens_position=4.5))
    kept = load_calibration(tmp_path)
    assert kept is not None
    assert kept.lens_position == 4.5
    pi = Pi()
    load_reader("picamera2", pi.camera, tmp_path, shipped_networks())
    pi.start()
    frame = pi.frame()
    assert exposure_of(frame).lens_position == 4.5


def test_health_fails_a_calibration_made_with_another_pi_camera_sensor(tmp_path: Path) -> None:
    """A module was exchanged for one with another lens; its pictures have the same size."""
    done = calibrated(flat(), Plan(sensor="imx219"), virtual_camera(1).rig().empty_bgr)
    save_calibration(tmp_path, done.stored("picamera2", "2026-01-01 00:00"))
    for module, well in (("Camera Module 2", True), ("Camera Module 3", False)):
        pi = Pi(module)
        setup = load_reader("picamera2", pi.camera, tmp_path, shipped_networks())
        pi.start()
        assert setup.health()[0] == well
        pi.camera.stop()
    assert "sensor is 'imx708', the calibration is for 'imx219'" in setup.health()[1]
