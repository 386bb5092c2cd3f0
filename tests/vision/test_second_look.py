"""The second look: it ends a doubt only where something else agrees, and raises one where paint may be lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision import faces
from vision.claims import Face
from vision.evaluation.clips import HAPPENINGS, watched
from vision.evaluation.conditions import CONDITIONS, picture
from vision.reading import FrameBGR
from vision.rig_reader import RigReader
from vision.second_look import RIMMED, SMOOTH, looked_again, roughness

EDGE_PX = 50.0
BY_NAME = {condition.name: condition for condition in CONDITIONS}


def die_of(value: int, middle: str = "bare") -> FrameBGR:
    """(120, 120, 3) an ivory face, upright, in the middle of a dark felt; a four's middle may hold an empty hollow."""
    frame = np.full((120, 120, 3), (40, 60, 40), np.uint8)
    cv2.rectangle(frame, (35, 35), (85, 85), (205, 225, 230), -1)
    corners = {2: [(-1, -1), (1, 1)], 4: [(-1, -1), (1, 1), (-1, 1), (1, -1)]}[value]
    for x, y in corners:
        cv2.circle(frame, (60 + 13 * x, 60 + 13 * y), 5, (30, 30, 30), -1, cv2.LINE_AA)
    if middle == "hollow":
        cv2.circle(frame, (60, 60), 5, (135, 150, 155), 1, cv2.LINE_AA)
    noise = np.random.default_rng(1).normal(0, 1.5, frame.shape)
    return np.clip(cv2.GaussianBlur(frame, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


def doubted(value: int, **but: object) -> Face:
    corners = np.array([[35, 35], [85, 35], [85, 85], [35, 85]], float)
    face = Face(value, (60.0, 60.0), 0.0, corners, 1.0, 1.0, 0.55, 0.0, (), True)
    return replace(face, **but)  # type: ignore[arg-type]


def test_a_worn_face_that_the_network_reads_alike_is_no_longer_in_doubt() -> None:
    [face] = looked_again(die_of(4), [doubted(4)], EDGE_PX)
    assert (face.value, face.sure) == (4, True)


def test_the_network_alone_is_not_believed() -> None:
    [face] = looked_again(die_of(4), [doubted(3)], EDGE_PX)
    assert not face.sure


def test_it_is_believed_against_the_places_where_another_look_agreed() -> None:
    [face] = looked_again(die_of(4), [doubted(3, gap=0.2, also=(3, 4))], EDGE_PX)
    assert (face.value, face.sure) == (4, True)


def test_it_does_not_speak_for_a_die_that_leaves_its_silhouette_unfilled() -> None:
    [face] = looked_again(die_of(4), [doubted(4, solid=0.65)], EDGE_PX)
    assert not face.sure


def test_a_four_with_a_rim_in_its_middle_stays_in_doubt() -> None:
    bare, hollow = (roughness(die_of(4, middle), doubted(4), EDGE_PX) for middle in ("bare", "hollow"))
    assert bare < SMOOTH < RIMMED < hollow
    [face] = looked_again(die_of(4, "hollow"), [doubted(4)], EDGE_PX)
    assert not face.sure


def test_beside_worn_dice_a_plain_four_with_a_rim_becomes_a_doubt() -> None:
    plain = doubted(4, worn=False, gap=0.9)
    other = doubted(6, gap=0.2, solid=0.5)
    assert plain.sure
    assert not looked_again(die_of(4, "hollow"), [plain, other], EDGE_PX)[0].sure
    assert looked_again(die_of(4), [plain, other], EDGE_PX)[0].sure


def test_without_the_network_the_doubt_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faces, "shipped", lambda: faces.Faces(Path("no such folder") / "faces.onnx"))
    [face] = looked_again(die_of(4), [doubted(4)], EDGE_PX)
    assert not face.sure


def test_plain_faces_are_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faces, "shipped", lambda: pytest.fail("the network was loaded for nothing"))
    plain = doubted(4, worn=False, gap=0.9)
    assert looked_again(die_of(4), [plain], EDGE_PX) == [plain]


def test_a_sure_face_that_is_not_plain_is_in_doubt_where_the_network_sees_another_value() -> None:
    two = doubted(2, worn=False, gap=0.8)
    [face] = looked_again(die_of(4), [two], EDGE_PX)
    assert not face.sure
    [face] = looked_again(die_of(2), [two], EDGE_PX)
    assert (face.value, face.sure) == (2, True)


def test_a_rendered_picture_of_worn_dice_is_trusted() -> None:
    shown = picture(BY_NAME["worn paint"], 5)
    reading = RigReader(shown.rig).read(shown.image_bgr)
    assert (reading.values, reading.doubt) == (shown.values, None)


def test_dice_of_the_grounds_colour_that_left_no_silhouette_are_told_but_in_doubt() -> None:
    shown = picture(BY_NAME["leather, wood"], 1)
    reading = RigReader(shown.rig).read(shown.image_bgr)
    assert (reading.values, reading.doubt) == (shown.values, "unread")


def test_a_lone_pip_of_a_die_on_its_edge_is_no_one() -> None:
    [cocked] = [happening for happening in HAPPENINGS if happening.name == "cocked"]
    assert watched(cocked, 706).invented == 0
