"""Camera faults: each is reported with a cure, and the camera can be opened again."""

from __future__ import annotations

import errno
import itertools
import logging
import os
import threading
from pathlib import Path
from unittest.mock import Mock

import cv2
import numpy as np
import pytest

from companion.errors import DeviceError, SetupError
from tests.vision.camera_standins import Clock, Usb, photos_of, video_capture, written_photo, written_video
from tests.waiting import until
from vision.cameras import capture
from vision.cameras.capture import IndexCamera
from vision.cameras.files import FilesCamera
from vision.cameras.opening import open_camera
from vision.cameras.picamera import Picamera2Camera


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("picamera", "did you mean 'picamera2'"),
        ("Virtual", "did you mean 'virtual'"),
        ("file:photos", "did you mean 'files:DIR'"),
        ("webcam", "known: virtual, picamera2, opencv:INDEX, files:DIR, video:FILE"),
        ("", "known: virtual"),
        ("opencv", "as in 'opencv:0'"),
        ("opencv:", "as in 'opencv:0'"),
        ("opencv:-1", "index is 0 to 63"),
        ("opencv:front", "index is 0 to 63"),
        ("opencv:64", "index is 0 to 63"),
        ("opencv:000000000700", "index is 0 to 63"),
        ("opencv:" + "9" * 5000, "index is 0 to 63"),
        ("virtual:3", "takes nothing after it"),
        ("files:nowhere-at-all", "There is no folder"),
        ("video:nowhere.mp4", "There is no video file"),
        ("files:~nobody-by-that-name/dice", "can't be opened (Could not determine home directory.): check the path"),
        ("video:~nobody-by-that-name/dice.mp4", "check the path"),
        ("files:" + "d" * 300, "d" * 300),
        ("video:" + "d" * 300, "d" * 300),
    ],
)
def test_opening_a_camera_with_a_wrong_setting_raises_setup_error_with_one_hint(spec: str, said: str) -> None:
    with pytest.raises(SetupError) as wrong:
        open_camera(spec)
    assert len(wrong.value.problems) == 1
    assert said in wrong.value.problems[0]


def test_the_error_for_a_photo_folder_without_photos_lists_the_formats(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no photo")
    with pytest.raises(SetupError, match=r"holds no photos: put some into it \(\.bmp, \.gif, \.jpeg, \.jpg"):
        open_camera(f"files:{tmp_path}")


def test_a_photo_folder_in_a_place_that_cannot_be_entered_is_a_setup_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(SetupError, match=r"can't be listed \(Permission denied\)"):
        FilesCamera(Path("another/dice"))


def test_the_photo_folder_camera_skips_an_unreadable_photo_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "1.jpg").write_bytes(b"a web page, saved as a photo")
    (tmp_path / "2.png").write_bytes(b"")
    written_photo(tmp_path / "3.png", (0, 0, 255))
    camera = photos_of(tmp_path)
    with caplog.at_level(logging.WARNING):
        frame = camera.frame()
    assert frame is not None
    assert frame.image_bgr[24, 32].tolist() == [0, 0, 255]
    warned = [str(record.args[0]) for record in caplog.records if isinstance(record.args, tuple) and record.args]
    assert [Path(file).name for file in warned] == ["1.jpg", "2.png"]
    assert capfd.readouterr().err == ""


def test_a_photo_folder_camera_without_a_readable_photo_fails_until_one_is_added(tmp_path: Path) -> None:
    (tmp_path / "1.jpg").write_bytes(b"no picture")
    camera = photos_of(tmp_path)
    with pytest.raises(DeviceError, match="Not one photo"):
        camera.frame()
    written_photo(tmp_path / "1.jpg", (9, 9, 9))
    camera.start()
    assert camera.frame() is not None


@pytest.mark.parametrize("content", [b"", b"this is no video", b"\x00\x00\x00\x18ftypmp42"])
def test_starting_a_video_file_camera_on_a_file_that_is_no_video_fails_without_opencv_output(
    tmp_path: Path, content: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "throws.avi"
    path.write_bytes(content)
    camera = open_camera(f"video:{path}")
    with pytest.raises(DeviceError, match=r"can't be read as a video\. Convert it"):
        camera.start()
    assert capfd.readouterr().err == ""


def test_a_truncated_video_file_gives_some_ordered_frames_and_then_ends(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = written_video(tmp_path / "throws.avi", frames=40)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    camera = open_camera(f"video:{path}")
    camera.start()
    frames = list(iter(camera.frame, None))
    assert 0 < len(frames) < 40
    assert all(earlier.at_s < later.at_s for earlier, later in itertools.pairwise(frames))
    assert capfd.readouterr().err == ""


@pytest.fixture
def usb(monkeypatch: pytest.MonkeyPatch) -> Usb:
    """A USB camera with the index 0."""
    usb = Usb()
    monkeypatch.setattr(cv2, "VideoCapture", video_capture(usb))
    return usb


def test_starting_a_missing_usb_camera_again_succeeds_once_the_camera_is_plugged_in(usb: Usb) -> None:
    camera = open_camera("opencv:1")
    with pytest.raises(DeviceError, match=r"no camera 1.*another index"):
        camera.start()
    usb.plugged.add(1)
    camera.start()
    assert camera.frame() is not None
    camera.stop()


def test_a_usb_camera_that_repeats_one_picture_fails_until_its_picture_changes(usb: Usb) -> None:
    clock, picture = Clock(), np.arange(48 * 64 * 3, dtype=np.uint8).reshape(48, 64, 3)
    usb.read = lambda: (True, picture.copy())
    camera = IndexCamera(0, clock)
    camera.start()
    camera.frame()
    clock.sleep(9)
    camera.frame()
    for _ in range(2):
        clock.sleep(4)
        camera.start()
        with pytest.raises(DeviceError, match="the same picture"):
            camera.frame()
    camera.start()
    picture[0, 0] += 1
    camera.frame()
    camera.stop()


@pytest.mark.parametrize("level", [0, 255])
def test_a_usb_camera_that_sends_only_black_or_only_white_is_not_called_frozen(usb: Usb, level: int) -> None:
    usb.read = lambda: (True, np.full((48, 64, 3), level, np.uint8))
    camera = IndexCamera(0, clock := Clock())
    camera.start()
    camera.frame()
    clock.sleep(60)
    assert np.all(camera.frame().image_bgr == level)
    camera.stop()


def test_starting_a_missing_usb_camera_prints_no_opencv_output(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DeviceError):
        open_camera("opencv:63").start()
    assert capfd.readouterr() == ("", "")


NO_PICTURES = [(False, None), (True, None), (True, np.empty((0, 0, 3), np.uint8)), cv2.error("select() timeout")]


@pytest.mark.parametrize("read", [Mock(side_effect=[given]) for given in NO_PICTURES])
def test_an_unplugged_usb_camera_raises_a_device_error_and_can_restart(read: Mock, usb: Usb) -> None:
    works, camera = usb.read, open_camera("opencv:0")
    camera.start()
    assert camera.frame() is not None
    usb.read = read
    with pytest.raises(DeviceError, match="sends no pictures any more"):
        camera.frame()
    usb.read = works
    camera.start()
    assert camera.frame() is not None
    camera.stop()


def test_a_hanging_usb_camera_raises_a_device_error_and_is_released_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wakes = threading.Event()
    released = threading.Event()

    def hangs() -> tuple[bool, object]:
        wakes.wait(60)
        return False, None

    class Capture(video_capture(Usb(read=hangs))):  # type: ignore[misc]
        def release(self) -> None:
            released.set()

    monkeypatch.setattr(cv2, "VideoCapture", Capture)
    monkeypatch.setattr(capture, "FRAME_WAIT_S", 0.02)
    camera = IndexCamera(0)
    camera.start()
    try:
        with pytest.raises(DeviceError, match="sends no pictures any more"):
            camera.frame()
        assert not released.is_set()
    finally:
        wakes.set()
    assert released.wait(60)


def test_a_usb_camera_whose_opening_hangs_raises_a_device_error(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = threading.Event()
    usb = Usb()

    class Capture(video_capture(usb)):  # type: ignore[misc]
        def isOpened(self) -> bool:
            answers.wait(60)
            return True

    monkeypatch.setattr(cv2, "VideoCapture", Capture)
    monkeypatch.setattr(capture, "OPEN_WAIT_S", 0.02)
    camera = IndexCamera(0)
    try:
        with pytest.raises(DeviceError, match="no camera 0"):
            camera.start()
    finally:
        answers.set()


def test_a_usb_camera_restarts_only_after_its_device_has_been_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that is still open is busy, and closing it takes a while."""
    held = threading.Semaphore(1)

    class Capture(video_capture(Usb())):  # type: ignore[misc]
        def __init__(self, index: int) -> None:
            self.free = held.acquire(blocking=False)
            super().__init__(index)

        def isOpened(self) -> bool:
            return bool(self.free)

        def release(self) -> None:
            threading.Event().wait(0.1)
            if self.free:
                held.release()

    monkeypatch.setattr(cv2, "VideoCapture", Capture)
    camera = IndexCamera(0)
    for _ in range(3):
        camera.start()
        assert camera.frame() is not None
        camera.stop()


def test_repeated_starts_of_a_usb_camera_hanging_on_open_use_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    answers, opened = threading.Event(), []

    def hangs(index: int) -> cv2.VideoCapture:
        opened.append(index)
        answers.wait(60)
        raise cv2.error("gone")

    monkeypatch.setattr(capture, "_opened", hangs)
    monkeypatch.setattr(capture, "OPEN_WAIT_S", 0.02)
    camera = IndexCamera(0)
    try:
        for _ in range(3):
            with pytest.raises(DeviceError, match="no camera 0"):
                camera.start()
        assert until(lambda: opened)
        assert opened == [0]
    finally:
        answers.set()


def import_fault(fault: Exception, monkeypatch: pytest.MonkeyPatch) -> DeviceError:
    """Return the error of a Pi's camera whose library can't be imported."""
    monkeypatch.setattr("importlib.import_module", Mock(side_effect=fault))
    with pytest.raises(DeviceError) as ill:
        Picamera2Camera().start()
    return ill.value


def test_the_error_for_a_missing_picamera2_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ill = import_fault(ModuleNotFoundError("No module named 'picamera2'", name="picamera2"), monkeypatch)
    assert "sudo apt install python3-picamera2" in ill.cure
    assert "--system-site-packages" in ill.cure


@pytest.mark.parametrize(
    "fault",
    [
        ValueError("numpy.dtype size changed, may indicate binary incompatibility. Expected 96, got 88"),
        ImportError("numpy.core.multiarray failed to import"),
        ModuleNotFoundError("No module named 'simplejpeg'", name="simplejpeg"),
    ],
)
def test_an_error_at_the_picamera2_import_names_numpys_version_and_a_cure(
    fault: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    ill = import_fault(fault, monkeypatch)
    assert f"NumPy {np.__version__}" in ill.what
    assert str(fault) in ill.what
    assert "simplejpeg" in ill.cure
