"""The second look: it ends a doubt only where two looks agree, and raises one where a face may show another value."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision import second_look, tray_faces
from vision.claims import Face
from vision.evaluation.clips import HAPPENINGS, watched
from vision.evaluation.conditions import CONDITIONS, picture
from vision.reading import FrameBGR
from vision.rig_reader import RigReader
from vision.second_look import looked_again

EDGE_PX = 50.0
PLAIN_SEED = 0
"""Of a picture with ivory dice, all of them plain."""
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


def read(frame: FrameBGR, face: Face) -> tuple[int, bool]:
    [seen] = looked_again(frame, [face], EDGE_PX)
    return seen.value, seen.sure


def test_a_doubt_ends_where_the_network_and_another_look_say_the_same() -> None:
    assert read(die_of(4), doubted(4)) == (4, True)
    assert read(die_of(4), doubted(3, gap=0.2, also=(3, 4))) == (4, True)


def test_rings_are_such_another_look() -> None:
    assert read(die_of(4), doubted(3)) == (4, True)


def test_the_network_alone_is_told_but_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_look, "LEAST_EDGE_PX", 1000.0)  # no rings
    assert read(die_of(4), doubted(3)) == (4, False)


def test_nothing_speaks_for_a_die_that_leaves_its_silhouette_unfilled() -> None:
    assert read(die_of(4), doubted(4, solid=0.5)) == (4, False)
    assert read(die_of(4), doubted(4, inside=0.8)) == (4, False)


def test_a_hollow_without_paint_is_a_pip() -> None:
    value, sure = read(die_of(4, "hollow"), doubted(4))
    assert value == 5 or not sure


def test_what_shows_no_face_is_a_doubt() -> None:
    value, sure = read(np.full((120, 120, 3), (40, 60, 40), np.uint8), doubted(4, gap=0.9, worn=False, crowded=True))
    assert (value, sure) == (4, False)


def test_without_the_network_doubts_stay_and_plain_dice_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tray_faces, "shipped", lambda: tray_faces.TrayFaces(Path("no such folder") / "tray.onnx"))
    assert read(die_of(4), doubted(4, gap=0.2)) == (4, False)
    shown = picture(BY_NAME["ivory"], PLAIN_SEED)
    assert RigReader(shown.rig).read(shown.image_bgr).values == shown.values


def test_plain_dice_are_not_shown_to_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tray_faces, "shipped", lambda: pytest.fail("the network was loaded for nothing"))
    shown = picture(BY_NAME["ivory"], PLAIN_SEED)
    reading = RigReader(shown.rig).read(shown.image_bgr)
    assert (reading.values, reading.doubt) == (shown.values, None)


def test_a_face_that_is_not_plain_is_never_left_as_it_was_against_the_network() -> None:
    two = doubted(2, worn=False, gap=0.8)
    value, sure = read(die_of(4), two)
    assert value == 4 or not sure
    assert read(die_of(2), two) == (2, True)


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
