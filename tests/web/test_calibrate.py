"""Calibrating from a phone: hosts only, with the camera's own pictures, kept only once sheet and tray are taken."""

from __future__ import annotations

import contextlib
import math
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.adapters.calibration_service import NO_PICTURE, CalibrationService
from companion.adapters.frame_buffer import FrameBuffer
from companion.errors import DeviceError
from tests.web.calibrating import Calibration
from tests.web.calibrating import calibration as calibration
from tests.web.pub import Pub
from vision.calibration import procedure
from vision.calibration.lamp_light import LampLight
from vision.calibration.sheet import raster, sheet
from vision.calibration.store import FILE_NAME, load_calibration
from vision.cameras import Frame
from vision.cameras.field import SensorField
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock
from vision.images.loading import picture_of_bytes
from vision.reading.reading import FrameBGR
from vision.research.evaluation.fault_injection import FaultInjection

ROUTES = ("", ".jpg", "/sheet.pdf")
ACTS = ("sheet", "empty", "die", "lay")

SAME = 4.0
"""Largest mean difference of two pictures of one tray, in grey levels: the camera's noise and the JPEG's loss."""
PLACE = np.array([[120.0, 120.0]])


def codes(look: dict[str, Any]) -> set[str]:
    return {one["code"] for one in look["advice"]}


def test_unpaired_phone_gets_calibration_page_but_401_by_calibration_api(calibration: Calibration) -> None:
    stranger = calibration.pub.stranger()
    assert {stranger.get(f"/api/calibrate{route}").status_code for route in ROUTES} == {401}
    assert {stranger.post(f"/api/calibrate/{act}", json={}).status_code for act in ACTS} == {401}
    assert stranger.get("/calibrate").status_code == 200, "the page tells how to become a host"


def test_photos_of_the_calibration_sheet_and_then_the_empty_tray_store_a_calibration(calibration: Calibration) -> None:
    assert "no_sheet" in codes(calibration.host.get("/api/calibrate").json)
    look = calibration.act("lay", lies=True).json
    assert (len(look["markers"]), len(look["zones"]), look["sheet"]) == (8, 2, False)
    assert codes(look) == set()
    assert look["lens"] == {"views": 4, "of": 4, "degrees": pytest.approx(62.2, abs=0.2), "measured": True}
    assert calibration.act("sheet").json["sheet"]
    assert "lift the sheet out" in calibration.act("empty").json["message"]
    assert not (calibration.folder / FILE_NAME).exists()
    look = calibration.act("lay", lies=False).json
    assert (look["markers"], codes(look)) == ([], set()), "with the sheet taken, that it is gone is well"
    look = calibration.act("empty").json
    assert look["says"].startswith("Calibrated 2030-01-31 20:00")
    assert (look["lens"]["measured"], look["lens"]["degrees"]) == (True, pytest.approx(62.2, abs=0.2))
    stored = load_calibration(calibration.folder)
    assert stored is not None
    assert stored.camera == "virtual"
    assert np.abs(stored.rig.to_px(PLACE) - calibration.camera.rig().to_px(PLACE)).max() < 1
    assert stored.rig.camera_mm == pytest.approx((160, 120, 285), abs=2)


def test_calibration_stores_the_entered_tray_width_and_die_size(calibration: Calibration) -> None:
    calibration.act("lay", lies=True)
    look = calibration.act("sheet", width_mm=300, height_mm=220, keep_mm=0, die_mm=14, lens_mm=300).json
    assert look["zones"][1][0] == look["zones"][1][1], "a keep zone of no width"
    calibration.act("lay", lies=False)
    assert calibration.act("empty").status_code == 200
    stored = load_calibration(calibration.folder)
    assert stored is not None
    assert (stored.rig.throw.width_mm, stored.rig.die_mm) == (300, 14)
    assert stored.rig.camera_mm[2] == pytest.approx(300, abs=3)


def test_calibration_uses_sensor_angle_for_unmeasured_lens_and_configured_hertz(
    calibration: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sheet was not held aslant, so that the lens is not measured."""
    field = SensorField("ov5647", (1296, 972), 2592, 2592)
    for name, value in (("field", field), ("autofocus", False), ("focus_at", lambda _position: None)):
        monkeypatch.setattr(calibration.camera, name, value, raising=False)
    calibration.camera.lay_sheet(raster(sheet()), sheet().size_mm)
    look = calibration.act("sheet").json
    assert (look["lens"]["measured"], look["lens"]["degrees"]) == (False, 53.5)
    calibration.camera.lift_sheet()
    assert calibration.act("empty").status_code == 200
    assert calibration.part._steps.lamp is not None
    assert calibration.part._steps.lamp.mains_hz == 60
    stored = load_calibration(calibration.folder)
    assert stored is not None
    assert stored.sensor == "ov5647"


def test_calibration_api_adds_lamp_banding_advice_to_focus_advice_of_an_earlier_step(
    calibration: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The motorised lens finds no focus on the sheet, and bands run over the empty tray."""
    for name, value in (("field", None), ("autofocus", True), ("focus_at", lambda _position: None)):
        monkeypatch.setattr(calibration.camera, name, value, raising=False)
    monkeypatch.setattr(procedure, "lamp_light", lambda *_: LampLight(0.1, None, 50))
    calibration.act("lay", lies=True)
    assert codes(calibration.act("sheet").json) == {"focus"}
    calibration.act("lay", lies=False)
    assert codes(calibration.act("empty").json) == {"focus", "banding"}


def test_a_calibration_step_that_is_not_possible_yet_is_refused_with_what_to_do(calibration: Calibration) -> None:
    early, unseen = calibration.act("empty"), calibration.act("sheet")
    assert (early.status_code, unseen.status_code) == (422, 422)
    assert "take it first" in early.json["message"]
    assert "Lay it flat" in unseen.json["message"]


def test_a_failed_second_picture_of_the_calibration_sheet_discards_the_first(calibration: Calibration) -> None:
    calibration.act("lay", lies=True)
    assert calibration.act("sheet").json["sheet"]
    calibration.act("lay", lies=False)
    assert calibration.act("sheet", width_mm=300).status_code == 422
    assert not calibration.host.get("/api/calibrate").json["sheet"]
    assert "take it first" in calibration.act("empty").json["message"]
    assert not (calibration.folder / FILE_NAME).exists()


def test_the_empty_tray_step_ignores_another_owners_failed_sheet_photo_meanwhile(
    calibration: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another owner takes the sheet of a wider tray while the first waits for the picture."""
    calibration.act("lay", lies=True)
    calibration.act("sheet", width_mm=280)
    calibration.act("lay", lies=False)
    other = other_owner_during("empty_tray", calibration.part, monkeypatch)
    calibration.part.take_empty()
    other.join()
    stored = load_calibration(calibration.folder)
    assert stored is not None
    assert stored.rig.throw.width_mm == 280 - stored.rig.keep.width_mm


def test_a_calibration_sheet_photo_is_discarded_when_another_owners_sheet_photo_fails(
    calibration: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pose would be stored with the measures of a tray that the other owner entered meanwhile."""
    calibration.act("lay", lies=True)
    other = other_owner_during("sheet", calibration.part, monkeypatch)
    assert calibration.act("sheet", width_mm=280).status_code == 200
    other.join()
    with pytest.raises(DeviceError, match="take it first"):
        calibration.part.take_empty()


def other_owner_during(step: str, part: CalibrationService, monkeypatch: pytest.MonkeyPatch) -> threading.Thread:
    """Let another owner, on the returned thread, take the sheet of a wider tray in vain while `step` goes on."""
    measures = {"width_mm": 300.0, "height_mm": 220.0, "keep_mm": 0.0, "bar_mm": 100.0, "die_mm": 14.0}
    take = getattr(part._steps, step)

    def in_vain() -> None:
        with contextlib.suppress(DeviceError):
            part.take_sheet(measures, None)

    other = threading.Thread(target=in_vain)

    def interrupted(**more: Any) -> Any:
        monkeypatch.setattr(part._steps, "sheet", not_found)
        other.start()
        return take(**more)

    monkeypatch.setattr(part._steps, step, interrupted)
    return other


def not_found() -> None:
    raise DeviceError("The sheet was not found.", "Lay it flat.")


def test_calibration_refuses_an_empty_tray_picture_that_a_moving_hand_disturbs(calibration: Calibration) -> None:
    calibration.act("lay", lies=True)
    calibration.act("sheet")
    calibration.act("lay", lies=False)
    calibration.camera.disturb = FaultInjection(hand_until_s=math.inf).over
    assert "moves" in calibration.act("empty").json["message"]
    assert not (calibration.folder / FILE_NAME).exists()


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("sheet", {"width_mm": 1}),
        ("sheet", {"die_mm": "big"}),
        ("sheet", {"strange": 1}),
        ("empty", {"strange": 1}),
        ("lay", {}),
    ],
)
def test_malformed_calibration_requests_are_refused_with_400(
    calibration: Calibration, what: str, body: dict[str, Any]
) -> None:
    assert calibration.act(what, **body).status_code == 400


def test_calibration_refuses_a_keep_zone_that_leaves_no_room_to_throw(calibration: Calibration) -> None:
    refused = calibration.act("sheet", width_mm=300, keep_mm=280)
    assert (refused.status_code, refused.json["error"]) == (422, "no_throw_zone")


def test_calibration_sheet_api_serves_a_letter_pdf_and_404_for_paper_a0(calibration: Calibration) -> None:
    assert calibration.host.get("/api/calibrate/sheet.pdf?paper=letter").data.startswith(b"%PDF")
    assert calibration.host.get("/api/calibrate/sheet.pdf?paper=a0").status_code == 404


def test_calibration_says_before_printing_that_the_tray_is_too_small_for_the_sheet(calibration: Calibration) -> None:
    assert calibration.act("sheet", width_mm=200, height_mm=150, keep_mm=0).status_code == 422
    assert codes(calibration.host.get("/api/calibrate").json) == {"small_tray"}
    refused = calibration.host.get("/api/calibrate/sheet.pdf")
    assert refused.status_code == 422
    assert "pegpip calibrate --corners" in refused.json["message"]


def test_the_calibration_picture_is_the_cameras_newest_frame(calibration: Calibration) -> None:
    def shown() -> FrameBGR:
        got = calibration.host.get("/api/calibrate.jpg")
        assert (got.mimetype, got.data[:2]) == ("image/jpeg", b"\xff\xd8")
        return picture_of_bytes(got.data, "the answer")

    before = shown()
    assert apart(before, newest(calibration)) < SAME
    calibration.act("lay", lies=True)
    after = shown()
    assert apart(after, newest(calibration)) < SAME
    assert apart(before, after) > 5 * SAME, "the sheet lies in the picture"


def newest(calibration: Calibration) -> FrameBGR:
    """Return the camera's newest frame (h, w, 3)."""
    frame = calibration.buffer.newest()
    assert frame is not None
    return frame.image_bgr


def apart(one: FrameBGR, other: FrameBGR) -> float:
    """Return the mean difference of two pictures (h, w, 3) of one size, in grey levels."""
    assert one.shape == other.shape
    return float(np.abs(one.astype(int) - other.astype(int)).mean())


def test_the_openapi_description_lists_every_calibration_route(calibration: Calibration) -> None:
    described = set(calibration.host.get("/api/openapi.json").json["paths"])
    rules = {rule.rule for rule in calibration.pub.app.url_map.iter_rules() if rule.rule.startswith("/api/calibrate")}
    assert len(rules) == 7
    assert rules <= described


def test_without_a_calibration_service_the_calibration_page_and_api_do_not_exist(pub: Pub) -> None:
    assert pub.stranger().get("/calibrate").status_code == 404
    assert "/api/calibrate" not in pub.stranger().get("/api/openapi.json").json["paths"]


class Silent:
    name = "silent"

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def frame(self) -> Frame | None:
        return None


def test_a_second_calibration_measures_the_lens_from_views_of_its_own(calibration: Calibration) -> None:
    for step, body in (("lay", {"lies": True}), ("sheet", {}), ("lay", {"lies": False}), ("empty", {})):
        assert calibration.act(step, **body).status_code == 200
    printed = sheet("a4", (320.0, 240.0), 80.0)
    calibration.camera.lay_sheet(raster(printed), printed.size_mm)  # flat only: that tells nothing about the lens
    lens = calibration.act("sheet").json["lens"]
    assert (lens["views"], lens["measured"]) == (1, False)


def test_calibrating_a_camera_without_pictures_reports_no_picture(tmp_path: Path) -> None:
    part = CalibrationService("opencv:0", FrameBuffer(Silent()), tmp_path, lambda: "now")
    assert part.picture_jpeg() is None
    assert part.look()["advice"] == [NO_PICTURE]
    with FrameBuffer(Silent()).following(0.01) as following_frame, pytest.raises(DeviceError, match="no pictures"):
        following_frame()
    with pytest.raises(DeviceError, match="real"):
        part.lay_sheet(True)


def test_frame_buffer_makes_other_readers_wait_while_one_has_reserved_it(calibration: Calibration) -> None:
    buffer = FrameBuffer(calibration.camera)
    first = buffer.frame()
    assert buffer.newest() is first
    got: list[Frame | None] = []
    with buffer.following(10.0) as following_frame:
        table = threading.Thread(target=lambda: got.append(buffer.frame()))
        table.start()
        taken_s = [following_frame().at_s for _ in range(3)]
        assert got == []
    table.join()
    assert taken_s == sorted(set(taken_s))
    assert len(got) == 1


def test_the_calibration_page_has_no_picture_of_a_camera_that_was_closed(tmp_path: Path) -> None:
    clock = SteppedClock()
    buffer = FrameBuffer(VirtualCamera(1, clock, clock.sleep, seed=3))
    part = CalibrationService("opencv:0", buffer, tmp_path, lambda: "now")
    buffer.frame()
    assert part.picture_jpeg() is not None
    buffer.stop()
    assert part.picture_jpeg() is None
    assert part.look()["advice"] == [NO_PICTURE]


def test_a_camera_frame_buffer_that_was_reserved_for_5_s_gives_its_next_frame_5_s_later() -> None:
    clock = SteppedClock()
    buffer = FrameBuffer(VirtualCamera(1, clock, clock.sleep, seed=3))
    first = buffer.frame()
    assert first is not None
    buffer.reserve(5.0)
    after = buffer.frame()
    assert after is not None
    assert after.at_s == pytest.approx(first.at_s + 5.0, abs=0.1)


def test_calibration_measures_and_stores_a_die_size_after_the_empty_tray(calibration: Calibration) -> None:
    assert "empty tray first" in calibration.act("die").json["message"]
    for what, body in (("lay", {"lies": True}), ("sheet", {"die_mm": 12}), ("lay", {"lies": False}), ("empty", {})):
        assert calibration.act(what, **body).status_code == 200
    assert "No single die" in calibration.act("die").json["message"]
    calibration.camera.tray.move(0, 120, 120)
    assert calibration.act("die").status_code == 200
    stored = load_calibration(calibration.folder)
    assert stored is not None
    assert stored.rig.die_mm == 16
    assert stored.lens_deg == pytest.approx(62.2, abs=0.2)
