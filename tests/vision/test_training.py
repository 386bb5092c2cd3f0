"""What training begins with and keeps back. Its networks need the extra `train`; without it they are passed over."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.training.datasets import kept_back, photo_sets

MODELS = Path(__file__).parents[2] / "vision" / "models"


def test_a_third_of_the_throws_is_kept_back_whole(tmp_path: Path) -> None:
    folder = tmp_path / "pxl_trays"
    folder.mkdir()
    cv2.imwrite(str(folder / "one.png"), np.zeros((60, 60, 3), np.uint8))
    rows = [{"image": "one.png", "boxes": [[9, 9, 20, 30, 1 + n % 6]], "group": f"g{n // 2}"} for n in range(120)]
    (folder / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)))
    learnt = photo_sets([tmp_path])["pxl_trays"]
    kept = [row for row in rows if kept_back("pxl_trays", row["group"])]
    assert 24 <= len(kept) <= 56
    assert len(learnt) + len(kept) == len(rows)
    assert not kept_back("epanemu_phone", kept[0]["group"])


@pytest.mark.parametrize("name", ["centres", "faces"])
def test_a_network_begun_with_shipped_weights_says_what_the_shipped_one_says(name: str) -> None:
    torch = pytest.importorskip("torch")
    from vision.training import centres, faces_net
    from vision.training.begin import begin

    make, exported, shape = {
        "centres": (centres.detector, centres.Exported, (1, 3, 96, 64)),
        "faces": (faces_net.Faces, faces_net.Exported, (4, 3, 48, 48)),
    }[name]
    shown = np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)
    network = make()
    begin(network, MODELS / f"{name}.onnx", lambda: network(torch.from_numpy(shown)))
    shipped = cv2.dnn.readNetFromONNX(str(MODELS / f"{name}.onnx"))
    shipped.setInput(shown)
    with torch.no_grad():
        said = exported(network).eval()(torch.from_numpy(shown)).numpy()
    assert np.abs(said - shipped.forward()).max() < 1e-4


def test_weights_of_another_make_are_refused() -> None:
    pytest.importorskip("torch")
    from vision.training.begin import begin
    from vision.training.centres import glance

    with pytest.raises(SystemExit, match="another make"):
        begin(glance(), MODELS / "centres.onnx", lambda: None)
