"""Contract of the libraries that run a network: equal outputs, an error for a damaged file, and which is chosen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from weakref import WeakSet

import cv2
import numpy as np
import pytest

from vision.networks import classifier, detector, verifier
from vision.networks.network import Network, OpenCVRuntime, Runtime, open_runtime
from vision.reading.reading import FrameBGR

pytest.importorskip("onnxruntime", reason="no ONNX Runtime for this machine")
from vision.networks.onnx_runtime import OnnxRuntime

MAX_DIFFERENCE = 1e-4
PICTURES = sorted((Path(__file__).parents[2] / "fixtures" / "images").rglob("*.jpg"))


def inputs(model: Path, count: int) -> list[FrameBGR]:
    """Return crops of fixture pictures in the network's size: square for single faces, 320 x 240 for a detector."""
    square = {classifier.MODEL: (classifier.CROP_PX,) * 2, verifier.MODEL: (verifier.CONTEXT_PX,) * 2}
    size = square.get(model, (320, 240))
    return [cv2.resize(cv2.imread(str(file)), size, interpolation=cv2.INTER_AREA) for file in PICTURES[:count]]


@pytest.mark.parametrize(
    ("model", "count", "features"),
    [
        (detector.MODEL, 1, False),  # exported detectors take one picture at a time
        (detector.LIGHT_MODEL, 1, False),
        (classifier.MODEL, 1, False),
        (classifier.MODEL, classifier.BATCH_SIZE, False),
        (classifier.MODEL, 7, True),
        (verifier.MODEL, len(verifier.VIEWS), False),
    ],
)
def test_onnx_runtime_and_opencv_give_equal_outputs_and_features(model: Path, count: int, features: bool) -> None:
    pictures = inputs(model, count)
    by_opencv, by_onnx = (runtime(model).run(pictures, features=features) for runtime in (OpenCVRuntime, OnnxRuntime))
    assert by_onnx.shape == by_opencv.shape
    assert not features or by_onnx.shape == (7, 128)
    assert np.ptp(by_opencv) > 0.1
    assert np.abs(by_onnx - by_opencv).max() < MAX_DIFFERENCE


@pytest.mark.parametrize("runtime", [OpenCVRuntime, OnnxRuntime])
@pytest.mark.parametrize("keep", [0.0, 0.001, 0.3, 0.999])
def test_a_truncated_or_missing_network_file_raises_value_error_in_each_runtime(
    runtime: type[Runtime], keep: float, tmp_path: Path
) -> None:
    content = detector.LIGHT_MODEL.read_bytes()
    (tmp_path / "cut.onnx").write_bytes(content[: int(keep * len(content))])
    with pytest.raises(ValueError, match=r"\w"):
        runtime(tmp_path / "cut.onnx")  # type: ignore[call-arg]  # a protocol has no constructor
    with pytest.raises(ValueError, match=r"gone\.onnx"):
        runtime(tmp_path / "gone.onnx")  # type: ignore[call-arg]


def test_onnx_runtime_runs_networks_of_crops_where_installed_and_opencv_all_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert isinstance(open_runtime(classifier.MODEL), OnnxRuntime)
    assert isinstance(open_runtime(detector.LIGHT_MODEL, whole_pictures=True), OpenCVRuntime)
    monkeypatch.setenv("PEGPIP_RUNTIME", "opencv")
    assert isinstance(open_runtime(classifier.MODEL), OpenCVRuntime)
    monkeypatch.delenv("PEGPIP_RUNTIME")
    monkeypatch.setitem(sys.modules, "vision.networks.onnx_runtime", None)  # as if the import failed
    assert isinstance(open_runtime(classifier.MODEL), OpenCVRuntime)


def test_releasing_a_neural_network_frees_it_and_later_use_gives_equal_output(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = WeakSet[Runtime]()

    def noted(model: Path, *, whole_pictures: bool) -> Runtime:
        opened.add(runtime := open_runtime(model, whole_pictures=whole_pictures))
        return runtime

    monkeypatch.setattr("vision.networks.network.open_runtime", noted)
    network = Network(classifier.MODEL)
    before = network.forward(inputs(classifier.MODEL, 2), features=True)
    assert len(opened) == 1
    network.release()
    assert len(opened) == 0
    assert np.array_equal(network.forward(inputs(classifier.MODEL, 2), features=True), before)


def test_loading_the_dice_networks_writes_nothing_to_the_home_folder(tmp_path: Path) -> None:
    code = "import sys; from vision.networks import load_networks; load_networks(); assert 'onnxruntime' in sys.modules"
    unset = ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME", "PEGPIP_RUNTIME")
    here = {key: value for key, value in os.environ.items() if key not in unset}
    subprocess.run([sys.executable, "-c", code], env={**here, "HOME": str(tmp_path)}, check=True)
    assert not list(tmp_path.iterdir()), "ONNX Runtime keeps what it reports in ~/.cache"
