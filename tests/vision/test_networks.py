"""Networks: loaded when needed, released while idle, bounded in memory; a missing file is reported early."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.adapters.tray_observer import TrayObserver
from companion.errors import SetupError
from companion.table.commands import Command, Observe
from companion.table.snapshot import Snapshot
from tests.waiting import PATIENCE_S, until
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.clock import SteppedClock
from vision.networks import Networks, detector, shipped_networks
from vision.networks.classifier import PHOTO_VIEWS, Classifier
from vision.networks.detector import LIGHT_MODEL, MODEL, Detector, Maps
from vision.networks.network import Network, Runtime, open_runtime
from vision.reading.reader import Reader
from vision.reading.reading import FrameBGR
from vision.watching.watcher import Watcher


def loaded(networks: Networks) -> list[bool]:
    return [each.network._runtime is not None for each in networks._all()]


def resident_kb() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def test_reading_an_empty_tray_loads_only_the_lightweight_dice_detector() -> None:
    networks, camera = shipped_networks(), VirtualCamera(0, seed=1, sleep=lambda _s: None)
    assert loaded(networks) == [False] * 4
    assert Reader(networks, camera.rig()).read(camera.frame().image_bgr).dice == ()
    assert loaded(networks) == [True, False, False, False]
    networks.load()
    assert loaded(networks) == [True] * 4


def test_all_dice_reading_networks_load_at_the_first_throw_and_are_freed_when_observation_ends() -> None:
    networks, clock = shipped_networks(), SteppedClock()
    camera = VirtualCamera(3, clock, clock.sleep, seed=1)
    watcher, seen = Watcher(camera, Reader(networks, camera.rig()).read, camera.rig()), list[list[bool]]()

    def submit(command: Command) -> Snapshot:
        if isinstance(command, Observe):
            seen.append(loaded(networks))
            camera.tray.throw()
            if len(seen) == 2:
                watcher.stop()
        return None  # type: ignore[return-value]  # nobody looks at it

    observer = TrayObserver("virtual", watcher, submit, networks.load, networks.release)
    observer.start()
    assert until(lambda: observer.ended or not observer.alive())
    assert seen == [[True, False, False, False], [True] * 4]  # the empty tray, a throw
    assert loaded(networks) == [False] * 4


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_releasing_the_dice_networks_frees_30_mb_after_a_large_pass() -> None:
    networks = shipped_networks()
    networks.detector.detect(np.zeros((640, 864, 3), np.uint8), 1.0)
    taken = resident_kb()
    networks.release()
    assert resident_kb() < taken - 30_000


CLOSEST_LOOK = """
import cv2, numpy as np
from vision.networks.detector import Detector
cv2.setNumThreads(1)
detector, peaks_kb = Detector(), []
for scale in (0.1, 1.0):
    detector.detect(np.zeros((848, 1131, 3), np.uint8), scale)
    peaks_kb += [int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(peaks_kb[1] - peaks_kb[0])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_largest_detector_pass_over_a_photo_needs_under_85_mb() -> None:
    ran = subprocess.run([sys.executable, "-c", CLOSEST_LOOK], check=True, capture_output=True, text=True)
    assert 20_000 < int(ran.stdout) < 85_000


@pytest.mark.parametrize("width", [1120, 1152])
@pytest.mark.parametrize("model", [MODEL, LIGHT_MODEL])
def test_dice_detector_output_for_a_picture_read_in_parts_equals_the_whole(
    model: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise_bgr = np.random.default_rng(1).integers(0, 256, (30, 144, 3), np.uint8)
    shown_bgr = cv2.resize(noise_bgr, (width, 224), interpolation=cv2.INTER_CUBIC)
    for picture_bgr in (shown_bgr, shown_bgr.transpose(1, 0, 2)):
        seeing, said = Detector(model), list[Maps]()
        for most_px in (picture_bgr.shape[0] * picture_bgr.shape[1], 180_000):
            monkeypatch.setattr(detector, "MAX_FORWARD_PX", most_px)
            said.append(seeing._maps(picture_bgr))
        assert said[0].shape == said[1].shape
        assert np.abs(said[0] - said[1]).max() < 1e-4  # a cell that missed part of what it depends on: 3e-4


def test_reloading_a_dice_network_warms_it_up_at_its_last_input_size(monkeypatch: pytest.MonkeyPatch) -> None:
    networks = shipped_networks()
    networks.light.detect(np.zeros((96, 128, 3), np.uint8), 1.0)
    networks.release()
    shown: list[tuple[int, ...]] = []
    forward = Network.forward

    def noting(self: Network, pictures_bgr: Sequence[FrameBGR], *, features: bool = False) -> NDArray[np.float32]:
        shown.append(np.shape(pictures_bgr))
        return forward(self, pictures_bgr, features=features)

    monkeypatch.setattr(Network, "forward", noting)
    networks.load()
    networks.load()
    assert shown == [(1, 96, 128, 3)]
    assert loaded(networks) == [True] * 4


def test_a_tray_reading_waits_while_neural_networks_load_and_loads_none_of_them_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    networks, camera = shipped_networks(), VirtualCamera(0, seed=1, sleep=lambda _s: None)
    opens, asked, opened, forward = Event(), Event(), list[Path](), Network.forward

    def opening(model: Path, *, whole_pictures: bool) -> Runtime:
        opened.append(model)
        opens.set()
        assert asked.wait(PATIENCE_S)
        return open_runtime(model, whole_pictures=whole_pictures)

    def asking(self: Network, pictures_bgr: Sequence[FrameBGR]) -> NDArray[np.float32]:
        asked.set()
        return forward(self, pictures_bgr)

    monkeypatch.setattr("vision.networks.network.open_runtime", opening)
    monkeypatch.setattr(Network, "forward", asking)
    networks.load_soon()
    assert opens.wait(PATIENCE_S)
    assert Reader(networks, camera.rig()).read(camera.frame().image_bgr).dice == ()
    assert until(lambda: loaded(networks) == [True] * 4)
    assert len(opened) == 4


class _ByColour:
    """Stand-in for a network: a face in colour is a 5, a grey one a 3, and a nearly black one none."""

    def __init__(self) -> None:
        self.shown = 0

    def forward(self, pictures_bgr: Sequence[FrameBGR], **_: bool) -> NDArray[np.float32]:
        self.shown += len(pictures_bgr)
        kinds = [0 if one.max() < 20 else 5 if np.ptp(one, axis=2).any() else 3 for one in pictures_bgr]
        return (0.94 * np.identity(7)[kinds] + 0.01).astype(np.float32)


@pytest.mark.parametrize(
    ("bgr", "value", "least", "most", "shown"),
    [
        ((90, 60, 200), 5, 0.3, 0.5, 2),
        ((10, 60, 200), 5, 0.94, 1, 2),  # its darkest channel shows nothing
        ((90, 100, 110), 5, 0.94, 1, 1),  # too little colour
    ],
)
def test_the_classifier_is_less_sure_if_an_image_of_per_pixel_channel_minima_shows_another_value(
    bgr: tuple[int, int, int], value: int, least: float, most: float, shown: int
) -> None:
    classifier, network = Classifier(), _ByColour()
    classifier.network = network  # type: ignore[assignment]
    said = classifier.classify(np.full((120, 120, 3), bgr, np.uint8), [(60.0, 60.0, 40.0)], PHOTO_VIEWS.first)[0]
    assert said.argmax() in {value, 3}
    assert least <= said[value] <= most
    assert network.shown == shown


def test_a_neural_network_raises_a_setup_error_if_its_onnx_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"gone\.onnx is missing"):
        Network(tmp_path / "gone.onnx")


def test_loading_a_damaged_network_file_fails_with_advice_to_reinstall(tmp_path: Path) -> None:
    (tmp_path / "faces.onnx").write_bytes(bytes(range(256)) * 8)
    with pytest.raises(SetupError, match=r"faces\.onnx is damaged; reinstall Peg & Pip"):
        Network(tmp_path / "faces.onnx").load()


def test_each_frame_of_the_virtual_camera_has_noise_of_its_own() -> None:
    camera = VirtualCamera(0, seed=1, sleep=lambda _s: None)
    one, other = (camera.frame().image_bgr.astype(np.int16) for _ in range(2))
    assert 2.0 < np.std(one - other) < 4.5  # two frames of 2.2 levels each
    assert abs(np.mean(one - other)) < 0.05
