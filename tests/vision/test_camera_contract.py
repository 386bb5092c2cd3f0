"""The contract that every camera keeps, checked for all five."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.adapters.tray_observer import observation_of
from companion.errors import DeviceError
from tests.vision.camera_standins import Clock, Usb, photos_of, video_capture, written_photo, written_video
from tests.vision.fake_libcamera import fitted, removed
from tests.vision.harmed import coded, oriented
from vision.cameras import Camera, Frame
from vision.cameras.capture import IndexCamera, VideoCamera
from vision.cameras.files import FilesCamera
from vision.cameras.limited import LimitedCamera
from vision.cameras.opening import CAMERAS, open_camera
from vision.cameras.picamera import Picamera2Camera
from vision.reading.reading import Reading
from vision.watching.watcher import Settled

pytestmark = pytest.mark.filterwarnings("ignore:setDaemon:DeprecationWarning")


@pytest.fixture(autouse=True)
def without_picamera2() -> Iterator[None]:
    yield
    removed()


def virtual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Camera:
    from vision.cameras.simulated.camera import VirtualCamera

    clock = Clock()
    return VirtualCamera(2, clock, clock.sleep)


def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Camera:
    written_photo(tmp_path / "1.png", (0, 0, 255))
    clock = Clock()
    return FilesCamera(tmp_path, clock, clock.sleep, size_wh=(64, 48))


def video(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Camera:
    return open_camera(f"video:{written_video(tmp_path / 'throws.avi')}")


def opencv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Camera:
    monkeypatch.setattr(cv2, "VideoCapture", video_capture(Usb()))
    return IndexCamera(0, Clock())


def picamera2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Camera:
    fitted()
    return Picamera2Camera(Clock())


Build = Callable[[Path, pytest.MonkeyPatch], Camera]
BUILDS: list[Build] = [virtual, files, video, opencv, picamera2]
every_camera = pytest.mark.parametrize("build", BUILDS, ids=lambda b: b.__name__)


def test_the_camera_contract_tests_cover_every_registered_camera_type() -> None:
    assert {build.__name__ for build in BUILDS} == set(CAMERAS)


def test_the_fake_video_capture_of_the_camera_how_to_opens_the_example_address() -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/add-a-camera.md").read_text(encoding="utf-8")
    shown = eval(page.partition('"VideoCapture", ')[2].partition(")\n")[0])
    assert shown("rtsp://camera/1").isOpened()


def taken(camera: Camera, count: int) -> list[Frame]:
    frames = [camera.frame() for _ in range(count)]
    return [frame for frame in frames if frame is not None]


@every_camera
def test_each_camera_type_gives_ordered_colour_frames_also_after_a_restart(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera = build(tmp_path, monkeypatch)
    assert camera.name
    camera.stop()
    for _ in range(2):
        camera.start()
        camera.start()
        frames = taken(camera, 6)
        assert len(frames) == 6
        assert all(earlier.at_s < later.at_s for earlier, later in itertools.pairwise(frames))
        for frame in frames:
            assert frame.image_bgr.dtype == np.uint8
            assert frame.image_bgr.ndim == 3
            assert frame.image_bgr.shape[2] == 3
            assert frame.image_bgr.shape == frames[0].image_bgr.shape
        camera.stop()
        camera.stop()


@every_camera
def test_drawing_on_a_camera_frame_changes_no_later_frame(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera = build(tmp_path, monkeypatch)
    camera.start()
    first, second = taken(camera, 2)
    kept = second.image_bgr.copy()
    first.image_bgr[:] = 7
    assert np.array_equal(second.image_bgr, kept)
    third = taken(camera, 1)[0]
    assert not np.all(third.image_bgr == 7, axis=2).any()
    camera.stop()


@pytest.mark.parametrize("build", [build for build in BUILDS if build is not virtual], ids=lambda b: b.__name__)
def test_all_cameras_but_virtual_raise_device_error_on_frame_before_start(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DeviceError, match="Start it first"):
        build(tmp_path, monkeypatch).frame()


def test_the_video_file_camera_gives_the_files_frame_times_then_no_frame(tmp_path: Path) -> None:
    camera = open_camera(f"video:{written_video(tmp_path / 'throws.avi', frames=5, fps=10)}")
    camera.start()
    frames = taken(camera, 5)
    assert [frame.at_s for frame in frames] == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert [round(float(frame.image_bgr.mean()), -1) for frame in frames] == [0, 10, 20, 30, 40]
    assert camera.frame() is None
    assert camera.frame() is None
    camera.stop()


def test_an_observation_from_a_video_carries_the_present_time_not_the_time_in_the_video() -> None:
    """With the video's own time, long past for the table, an empty tray banked at once instead of after two seconds."""
    frame = Frame(np.zeros((48, 64, 3), np.uint8), 12.0)
    began_s = time.monotonic()
    seen = observation_of(Settled(12.0, frame, Reading((), None), (), (), emptied=False))
    assert began_s <= seen.at_s <= time.monotonic()


def test_a_time_limited_camera_that_ended_with_its_video_can_be_started_again(tmp_path: Path) -> None:
    camera = LimitedCamera(open_camera(f"video:{written_video(tmp_path / 'throws.avi', frames=2)}"), 60.0)
    camera.start()
    assert list(map(bool, (camera.frame(), camera.frame(), camera.frame()))) == [True, True, False]
    assert camera.ended
    camera.stop()
    camera.start()
    assert not camera.ended
    assert [frame.at_s for frame in taken(camera, 3)] == pytest.approx([0, 0.1])
    camera.stop()


def test_the_video_file_camera_skips_frames_for_a_reader_that_is_behind(tmp_path: Path) -> None:
    now = [0.0]
    camera = VideoCamera(written_video(tmp_path / "throws.avi", frames=90, fps=30), lambda: now[0])
    camera.start()
    times = [frame.at_s for frame in taken(camera, 3)]
    now[0] = 3.0  # reading took three seconds
    behind = [frame.at_s for frame in taken(camera, 6)]
    now[0] = behind[-1]
    rest = [frame.at_s for frame in iter(camera.frame, None)]
    camera.stop()
    gaps = [later - earlier for earlier, later in itertools.pairwise([*times, *behind, *rest])]
    assert gaps == pytest.approx([1 / 30] * 2 + [0.1] * 6 + [1 / 30] * len(rest), abs=0.002)
    assert rest[-1] == pytest.approx(89 / 30, abs=0.002)


def test_late_frames_of_a_webm_claiming_1000_fps_are_70_to_140_ms_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenCV tells 1,000 frames a second for it, although its frames are 33 ms apart."""

    class Recording:
        frames = 0

        def __init__(self, _path: str) -> None: ...

        def isOpened(self) -> bool:
            return True

        def get(self, property_: int) -> float:
            return {cv2.CAP_PROP_FPS: 1000.0, cv2.CAP_PROP_POS_MSEC: 33.0 * (self.frames - 1)}[property_]

        def grab(self) -> bool:
            self.frames += 1
            return True

        def read(self) -> tuple[bool, np.ndarray]:
            return self.grab(), np.zeros((48, 64, 3), np.uint8)

    monkeypatch.setattr(cv2, "VideoCapture", Recording)
    now = [0.0]
    camera = VideoCamera(Path("throws.webm"), lambda: now[0])
    camera.start()
    taken(camera, 1)
    now[0] = 3.0  # reading took three seconds
    times = [frame.at_s for frame in taken(camera, 6)]
    assert all(0.07 < later - earlier < 0.14 for earlier, later in itertools.pairwise([0.0, *times]))


def test_photo_folder_camera_shows_photos_in_number_order_with_grey_between(tmp_path: Path) -> None:
    for name, colour_bgr in (("2.png", (0, 0, 255)), ("10.png", (0, 255, 0)), ("1.png", (255, 0, 0))):
        written_photo(tmp_path / name, colour_bgr)
    clock = Clock()
    frames = taken(photos_of(tmp_path, clock), 3 * 70 - 1)
    middles = [tuple(int(channel) for channel in frame.image_bgr[24, 32]) for frame in frames]
    shown = [(colour_bgr, len(list(run))) for colour_bgr, run in itertools.groupby(middles)]
    grey = (128, 128, 128)
    assert [colour for colour, _ in shown] == [(255, 0, 0), grey, (0, 0, 255), grey, (0, 255, 0), grey]
    assert all(abs(count - (9 if colour == grey else 61)) <= 1 for colour, count in shown)
    assert max(clock.slept_s) <= 0.1
    assert frames[-1].at_s - frames[0].at_s == pytest.approx(3 * 4.6, abs=0.4)


def test_the_photo_folder_camera_starts_over_after_the_last_photo(tmp_path: Path) -> None:
    written_photo(tmp_path / "1.png", (0, 0, 255))
    reds = [bool(frame.image_bgr[24, 32, 2] == 255) for frame in taken(photos_of(tmp_path), 300)]
    assert sum(later and not earlier for earlier, later in itertools.pairwise(reds)) == 4


def test_the_photo_folder_camera_fits_a_tall_photo_whole_and_fills_up_with_grey(tmp_path: Path) -> None:
    written_photo(tmp_path / "tall.png", (0, 0, 255), size_wh=(30, 60))
    (frame,) = taken(photos_of(tmp_path), 1)
    red = (frame.image_bgr == (0, 0, 255)).all(axis=2)
    grey = (frame.image_bgr == 128).all(axis=2)
    assert (red | grey).all()
    assert red.any(axis=1).sum() == 48
    assert red.any(axis=0).sum() == 24


def test_the_photo_folder_camera_applies_the_exif_orientation(tmp_path: Path) -> None:
    image_bgr = np.zeros((32, 64, 3), np.uint8)
    image_bgr[:, :32] = 255  # white on the left as stored
    jpeg = coded(image_bgr, ".jpg")
    (tmp_path / "turned.jpg").write_bytes(oriented(jpeg, 6))  # turn a quarter clockwise to show
    (frame,) = taken(photos_of(tmp_path, size_wh=(32, 64)), 1)
    assert frame.image_bgr[:28].mean() > 250
    assert frame.image_bgr[36:].mean() < 5


def test_a_usb_camera_is_set_to_mjpeg_1280_x_960_and_a_one_frame_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    usb = Usb()
    monkeypatch.setattr(cv2, "VideoCapture", video_capture(usb))
    camera = open_camera("opencv:0")
    camera.start()
    assert usb.settings == {
        cv2.CAP_PROP_FOURCC: cv2.VideoWriter.fourcc(*"MJPG"),
        cv2.CAP_PROP_FRAME_WIDTH: 1280,
        cv2.CAP_PROP_FRAME_HEIGHT: 960,
        cv2.CAP_PROP_BUFFERSIZE: 1,
    }
    camera.stop()
