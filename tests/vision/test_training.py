"""Training: held-out sets, hard examples, initial weights, exported networks. Some need the extra `train`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.networks.detector import Detection
from vision.research.training.datasets import Photo, kept_back, photo_sets
from vision.research.training.lessons import misread, with_lessons, with_tray_lessons

MODELS = Path(__file__).parents[2] / "vision" / "models"


def test_about_a_third_of_a_training_sets_throws_is_held_out(tmp_path: Path) -> None:
    folder = tmp_path / "pxl_trays"
    folder.mkdir()
    cv2.imwrite(str(folder / "one.png"), np.zeros((60, 60, 3), np.uint8))
    groups = [f"g{n // 2}" for n in range(120)]
    rows = [{"image": "one.png", "boxes": [[9, 9, 20, 30, 1 + n % 6]], "group": of} for n, of in enumerate(groups)]
    (folder / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)))
    learnt = photo_sets([tmp_path])["pxl_trays"]
    kept = [group for group in groups if kept_back("pxl_trays", group)]
    assert 24 <= len(kept) <= 56
    assert len(learnt) + len(kept) == len(rows)
    assert not kept_back("epanemu_phone", kept[0])


class _Marking:
    """Stand-in for the detector: finds a 3 near the first die, a 2 on the second (a 6), and a 1 on bare ground."""

    def detect(self, _bgr: object, _scale: float) -> list[Detection]:
        """See the class."""
        places = [(32.0, 41.0, 3), (80.0, 40.0, 2), (60.0, 75.0, 1)]
        return [Detection(x, y, 22.0, np.identity(6, dtype=np.float32)[value - 1]) for x, y, value in places]


class _Saying:
    """Stand-in for the classifier: every face is a 3."""

    said = (0.04, 0.02, 0.02, 0.6, 0.02, 0.02, 0.28)

    def classify(self, _bgr: object, places: list[object], _views: object) -> object:
        """See the class."""
        return np.tile(self.said, (len(places), 1))


def test_lessons_raise_the_weight_of_misread_dice_and_take_false_detections_of_fully_labelled_photos() -> None:
    dice = np.array([(30, 40, 24, 3), (80, 40, 24, 6)], np.float32)
    photo = Photo(np.zeros((90, 120, 3), np.uint8), dice)
    (learnt,) = with_lessons([photo], _Marking(), _Saying())  # type: ignore[arg-type]
    assert learnt.dice[0].tolist() == [32, 41, 22, 3], "as the detector marks it"
    assert learnt.dice[1].tolist() == [80, 40, 24, 6], "marked as something else, so as it is labelled"
    assert learnt.strays.tolist() == [[60, 75, 22]]
    assert learnt.hard[1] > learnt.hard[0]
    (partly,) = with_lessons([Photo(photo.bgr, dice, complete=False)], _Marking(), _Saying())  # type: ignore[arg-type]
    assert len(partly.strays) == 0, "dice without a label may lie there"


def test_false_detections_in_rendered_trays_become_training_negatives() -> None:
    dice = np.array([(30, 40, 24, 3), (80, 51, 24, 6), (60, 65, 24, 2)], np.float32)
    tray = Photo(np.zeros((90, 120, 3), np.uint8), dice)
    (learnt,) = with_tray_lessons([tray], _Marking(), _Saying())  # type: ignore[arg-type]
    assert np.array_equal(learnt.dice, dice), "where a rendered die lies is known"
    assert learnt.strays.tolist() == [], "each mark is less than half a face off a die"
    (learnt,) = with_tray_lessons([Photo(tray.bgr, dice[:1])], _Marking(), _Saying())  # type: ignore[arg-type]
    assert learnt.strays.tolist() == [[80, 40, 22], [60, 75, 22]]
    assert len(learnt.hard) == 1


def test_training_counts_a_confidently_misread_die_as_a_hard_example_only_if_rendered() -> None:
    """People label some dice wrongly; labels of rendered dice are exact."""
    photo = Photo(np.zeros((90, 120, 3), np.uint8), np.array([(30, 40, 24, 3), (80, 40, 24, 6)], np.float32))
    surely_a_three = _Saying()
    surely_a_three.said = (0.01, 0.01, 0.01, 0.94, 0.01, 0.01, 0.01)
    (photographed,) = with_lessons([photo], _Marking(), surely_a_three)  # type: ignore[arg-type]
    (rendered,) = with_tray_lessons([photo], _Marking(), surely_a_three)  # type: ignore[arg-type]
    assert photographed.hard[0] == rendered.hard[0] < photographed.hard[1] < 0.5 < rendered.hard[1]


def test_training_repeats_a_photo_once_per_misread_die_and_labels_only_misread_dice() -> None:
    dice = np.array([(30, 40, 24, 3), (80, 51, 24, 6), (60, 65, 24, 2)], np.float32)
    easy, hard = np.array([0.1, 0.11, 0.12], np.float32), np.array([0.1, 0.9, 0.2], np.float32)
    bgr = np.zeros((90, 120, 3), np.uint8)
    lessons = misread([Photo(bgr, dice, hard=easy), Photo(bgr, dice, hard=hard)])
    assert [one.dice.tolist() for one in lessons] == [dice[1:].tolist()] * 2, "a tray with two is drawn twice as often"
    assert not any(one.complete or len(one.hard) for one in lessons), (
        "what lies beside them may be a die; all count alike"
    )


@pytest.mark.parametrize("name", ["centres", "faces"])
def test_a_training_network_with_shipped_weights_has_the_shipped_outputs(name: str) -> None:
    torch = pytest.importorskip("torch")
    from torch import nn

    from vision.research.training import centres, faces_net
    from vision.research.training.begin import begin

    networks: dict[str, tuple[Callable[[], nn.Module], Callable[[nn.Module], nn.Module], tuple[int, ...]]] = {
        "centres": (centres.detector, centres.Exported, (1, 3, 96, 64)),
        "faces": (faces_net.Faces, faces_net.Exported, (4, 3, 96, 96)),
    }
    make, exported, shape = networks[name]
    shown = np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)
    network = make()
    begin(network, MODELS / f"{name}.onnx", lambda: network(torch.from_numpy(shown)))
    shipped = cv2.dnn.readNetFromONNX(str(MODELS / f"{name}.onnx"))
    shipped.setInput(shown)
    with torch.no_grad():
        said = exported(network).eval()(torch.from_numpy(shown)).numpy()
    assert np.abs(said - shipped.forward()).max() < 1e-4


def test_exporting_splits_a_dilated_convolution_without_changing_outputs() -> None:
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("torch")
    from vision.research.training.exporting import taken_apart

    weights = np.random.default_rng(1).normal(0, 0.1, (24, 16, 3, 3)).astype(np.float32)
    dilated = onnx.helper.make_node(
        "Conv", ["shown", "weights"], ["said"], name="dilated", kernel_shape=[3, 3], pads=[2] * 4, dilations=[2, 2]
    )
    shown, said = (
        onnx.helper.make_tensor_value_info(name, 1, [1, channels, "height", "width"])
        for name, channels in (("shown", 16), ("said", 24))
    )
    graph = onnx.helper.make_graph([dilated], "g", [shown], [said], [onnx.numpy_helper.from_array(weights, "weights")])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=7)
    whole = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
    apart = cv2.dnn.readNetFromONNX(np.frombuffer(taken_apart(model).SerializeToString(), np.uint8))
    assert len(apart.getLayerNames()) > len(whole.getLayerNames())
    for shape in ((8, 12), (30, 26), (2, 40)):
        levels = np.random.default_rng(2).uniform(-1, 1, (1, 16, *shape)).astype(np.float32)
        for network in (whole, apart):
            network.setInput(levels)
        assert np.abs(whole.forward() - apart.forward()).max() < 1e-4


def test_the_classifier_input_shows_unpainted_pips_as_strongly_as_painted() -> None:
    torch = pytest.importorskip("torch")
    from vision.research.training.faces_net import departures

    levels = np.full((96, 96, 3), (40, 50, 190), np.float32)
    levels[24:40, 24:40] = 250
    levels[60:72, 60:72] -= 16
    shown = departures(torch.from_numpy((levels / 127.5 - 1).transpose(2, 0, 1)[None]))[0].numpy()
    assert np.abs(shown[:, 50, 50]).max() < 0.1, "the die's own colour"
    assert (shown[:, 30, 30] > 0.9).all(), "painted"
    assert (shown[:, 66, 66] < -0.9).all(), "bare"


def test_training_from_weights_of_another_architecture_is_refused() -> None:
    pytest.importorskip("torch")
    from vision.research.training.begin import begin
    from vision.research.training.centres import glance

    with pytest.raises(SystemExit, match="another make"):
        begin(glance(), MODELS / "centres.onnx", lambda: None)
