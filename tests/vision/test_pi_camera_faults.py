"""A Pi camera that is missing, busy, stalled or unplugged: reported, closed, and opened again once it works."""

from __future__ import annotations

import os

import numpy as np
import pytest

from companion.errors import DeviceError
from tests.vision.camera_standins import no_dice
from tests.vision.fake_libcamera import fitted
from tests.vision.one_frame_pi import Pi
from tests.vision.one_frame_pi import closed as closed
from tests.waiting import PATIENCE_S
from vision.cameras import FRAME_WAIT_S
from vision.cameras.picamera import Picamera2Camera
from vision.watching.watcher import RETRY_S, Ill, Watcher

pytestmark = pytest.mark.filterwarnings("ignore:setDaemon:DeprecationWarning")


def test_a_missing_pi_camera_is_reported_and_opens_once_connected() -> None:
    pi = Pi(absent=True)
    for _ in range(2):
        with pytest.raises(DeviceError, match=r"finds no camera.*ribbon.*rpicam-hello"):
            pi.start()
    pi.board.absent = False
    pi.start()
    assert pi.frame().image_bgr.any()


def test_failed_starts_of_a_busy_pi_camera_are_reported_and_leak_no_file_descriptors() -> None:
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
def test_a_stalled_or_unplugged_pi_camera_is_reported_and_can_restart(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    pi = Pi().start()
    assert pi.frame().image_bgr.any()
    capture = pi.camera._device.captured_request

    def soon(wait: float) -> object:
        waits.append(wait)
        return capture(wait=wait / 20)

    monkeypatch.setattr(pi.camera._device, "captured_request", soon)
    setattr(pi.board, fault, True)
    with pytest.raises(DeviceError, match=r"sends no pictures any more\. Check the ribbon.*A running table"):
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


def test_a_picamera2_error_closes_the_pi_camera_with_a_device_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pi = Pi().start()

    def fails(wait: float) -> object:
        raise RuntimeError("Stream main is not defined")

    monkeypatch.setattr(pi.camera._device, "captured_request", fails)
    with pytest.raises(DeviceError, match="Stream main is not defined"):
        pi.frame()
    assert pi.board.holders == 0


def test_a_pi_camera_whose_stop_fails_is_closed_and_the_error_is_logged(
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


def test_pi_camera_frames_are_bgr_with_the_sensors_timestamps() -> None:
    blue = np.full((960, 1280, 3), (200, 60, 20), np.uint8)
    pi = Pi(picture=blue).start()
    frames = [pi.frame() for _ in range(3)]
    b, g, r = frames[-1].image_bgr[480, 640].tolist()
    assert b > g > r
    times = [metadata["SensorTimestamp"] / 1e9 for metadata in pi.board.metadata]
    assert [frame.at_s for frame in frames] == times


@pytest.mark.parametrize("lasts", [1, 5])
@pytest.mark.parametrize("fault", ["stalled", "unplugged", "busy", "absent"])
def test_the_watcher_reports_a_failing_pi_camera_and_then_watches_again(
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

    watcher = Watcher(camera, no_dice, pause=pause)
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
