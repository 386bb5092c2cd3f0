"""The Pi's camera over the real picamera2 and a fake libcamera: field of view, exposure, focus and faults."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from companion.errors import DeviceError
from tests.vision.fake_libcamera import SENSORS
from tests.vision.fake_libcamera.sensors import Mode
from tests.vision.one_frame_pi import SIZES_WH, Pi, exposure_of, focused_at, is_held
from tests.vision.one_frame_pi import closed as closed
from vision.cameras.field import MODULES

pytestmark = pytest.mark.filterwarnings("ignore:setDaemon:DeprecationWarning")


def widest_columns(modes: tuple[Mode, ...], size_wh: tuple[int, int]) -> float:
    """Return the sensor columns across a picture of that shape in the widest mode, computed from the crops alone."""
    return max(min(mode.crop_xywh[2], mode.crop_xywh[3] * size_wh[0] / size_wh[1]) for mode in modes)


@pytest.mark.parametrize("size_wh", SIZES_WH)
@pytest.mark.parametrize("module", SENSORS)
def test_each_pi_camera_module_uses_its_widest_sensor_mode(module: str, size_wh: tuple[int, int]) -> None:
    pi = Pi(module, size_wh=size_wh).start()
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
def test_a_pi_camera_in_a_cropped_sensor_mode_is_refused_with_upgrade_advice(module: str) -> None:
    pi = Pi(module, cropped=True).start()
    with pytest.raises(DeviceError, match=r"columns that its sensor could.*full-upgrade"):
        pi.frame()
    assert pi.board.holders == 0


def test_a_pi_camera_whose_only_sensor_mode_crops_is_still_used() -> None:
    only = SENSORS["Camera Module 3"]
    pi = Pi()
    pi.board.sensor = replace(only, modes=only.modes[:1])
    pi.start()
    pi.frame()
    assert "1536 x 864, 2304 of 4608 columns, 36.0 degrees" in str(pi.camera.field)


def test_the_pi_camera_is_set_up_with_three_buffers_and_no_raw_stream() -> None:
    pi = Pi().start()
    pi.frame()
    configuration = pi.camera._device.camera_configuration()
    assert configuration["raw"] is None
    assert configuration["buffer_count"] == 3
    assert pi.board.starts == 1


@pytest.mark.parametrize("ae_state", ["AeState", "AeLocked", ""])
@pytest.mark.parametrize("light", [0.02, 0.3, 1.0, 1.7])
def test_the_pi_camera_holds_exposure_and_colour_gains_once_converged(light: float, ae_state: str) -> None:
    pi = Pi(light=light, ae_state=ae_state).start()
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


def test_a_monochrome_pi_camera_holds_its_exposure_until_the_light_changes() -> None:
    """A monochrome sensor advertises no white balance: setting one would fail, and the camera would be opened again."""
    pi = Pi("Global Shutter Camera", light=0.5)
    pi.board.sensor = replace(pi.board.sensor, mono=True)
    pi.start()
    pi.until(is_held)
    assert pi.sent("AeEnable") == [False]
    for _ in range(30):
        pi.frame()
    pi.board.light = 1.5
    pi.until(lambda frame: not is_held(frame))
    pi.until(is_held)


def test_the_pi_camera_leaves_automatic_exposure_on_while_the_light_changes() -> None:
    pi = Pi().start()
    for number in range(200):
        pi.board.light = 1.0 + 0.5 * (number % 10)
        assert not is_held(pi.frame())
    assert all(pi.sent("AeEnable"))


@pytest.mark.parametrize("factor", [1.5, 1 / 1.5, 3.0, 0.2])
def test_the_pi_camera_measures_its_locked_exposure_again_after_a_light_change(factor: float) -> None:
    pi = Pi(light=0.5).start()
    pi.until(is_held)
    for _ in range(60):
        assert is_held(pi.frame()), "steady light keeps it"
    pi.board.light *= factor
    pi.until(lambda frame: not is_held(frame))
    again = pi.until(is_held)
    for _ in range(60):
        assert is_held(again := pi.frame())
    assert exposure_of(again).exposure_s * exposure_of(again).gain * pi.board.light == pytest.approx(0.018, rel=0.05)
    assert pi.sent("AeEnable") == [False, True, False]


def test_a_hand_over_the_tray_for_one_second_leaves_the_pi_cameras_exposure_locked() -> None:
    pi = Pi().start()
    held = pi.until(is_held)
    held = pi.until(lambda frame: frame.at_s > held.at_s + 1.0)
    pi.board.light = 0.3
    assert pi.until(lambda frame: frame.at_s > held.at_s + 1.0)
    pi.board.light = 1.0
    pi.until(lambda frame: frame.at_s > held.at_s + 6.0)
    assert pi.sent("AeEnable") == [False]


def test_the_pi_camera_lens_is_held_where_autofocus_found_focus() -> None:
    pi = Pi(sharp_at=4.25).start()
    frame = pi.until(lambda frame: exposure_of(frame).lens_position is not None)
    assert exposure_of(frame).lens_position == 4.25
    assert pi.sent("LensPosition") == [4.25]
    assert pi.sent("AfMode") == [2, 0]


def test_a_pi_camera_that_finds_no_focus_keeps_autofocus_on_until_sharp() -> None:
    pi = Pi(sharp_at=None).start()
    frame = pi.until(is_held)
    assert exposure_of(frame).lens_position is None
    assert pi.sent("AfMode") == [2]
    pi.board.sharp_at = 3.0
    pi.until(focused_at(3.0))


def test_a_known_pi_camera_lens_position_is_set_before_the_first_frame() -> None:
    pi = Pi(sharp_at=None)
    pi.camera.focus_at(3.5)
    pi.start()
    frame = pi.frame()
    assert exposure_of(frame).lens_position == 3.5
    assert pi.board.metadata[0]["LensPosition"] == 3.5
    pi.camera.focus_at(None)
    pi.board.sharp_at = 2.0
    pi.until(focused_at(2.0))


def test_a_pi_camera_exposure_below_a_flicker_period_logs_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    """A shorter exposure shows the bands of a lamp that flickers with the mains."""
    pi = Pi(light=9.0, mains=60).start()
    with caplog.at_level(logging.WARNING):
        frame = pi.until(is_held)
    assert "an exposure of 2.0 ms shows the bands" in caplog.text
    assert exposure_of(frame).exposure_s == pytest.approx(0.002, rel=0.02)


def test_a_pi_sensor_without_flicker_control_exposes_whole_flicker_periods() -> None:
    pi = Pi(advertises=(), light=0.9, mains=60).start()
    pi.until(is_held)
    (exposure_us,) = pi.sent("ExposureTime")
    assert isinstance(exposure_us, int)
    assert exposure_us > 0
    assert exposure_us % 8333 == 0
