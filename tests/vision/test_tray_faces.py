"""The network for faces in the tray: any side, a little off, far off; and what is said when its file is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from companion.errors import SetupError
from vision.evaluation.conditions import CONDITIONS, picture
from vision.evaluation.scene import Rendered
from vision.tray_faces import TrayFaces, asked, shipped


@pytest.fixture(scope="module")
def shown() -> Rendered:
    [worn] = [condition for condition in CONDITIONS if condition.name == "worn paint"]
    return picture(worn, 5)


def seen(shown: Rendered, off_edges: float = 0.0, quarters: int = 0) -> list[int]:
    edge_px = shown.rig.die_px
    poses = [
        (die.centre_xy[0] + off_edges * edge_px, die.centre_xy[1], turn + quarters * np.pi / 2)
        for die, turn in zip(shown.dice, shown.turns, strict=True)
    ]
    return shipped().values(shown.image_bgr, poses, edge_px).argmax(1).tolist()


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
@pytest.mark.parametrize("off_edges", [-0.05, 0.0, 0.05])
def test_worn_faces_are_read_from_every_side_and_a_little_off(shown: Rendered, off_edges: float, quarters: int) -> None:
    assert seen(shown, off_edges, quarters) == [die.value for die in shown.dice]


def test_far_off_its_place_no_face_is_seen(shown: Rendered) -> None:
    assert seen(shown, 0.45) == [0] * len(shown.dice)


def test_nothing_asked_nothing_said(shown: Rendered) -> None:
    assert shipped().values(shown.image_bgr, [], 60.0).shape == (0, 7)
    said = asked(shown.image_bgr, [(100.0, 100.0, 0.3)], 60.0)
    assert said is not None
    assert said.sum() == pytest.approx(1)


def test_a_missing_file_is_told_with_what_to_do() -> None:
    with pytest.raises(SetupError, match=r"tray\.onnx is missing; install"):
        TrayFaces(Path("no such folder") / "tray.onnx")
