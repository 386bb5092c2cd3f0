"""Rings of pips: painted and bare ones count, what shines through a clear die does not, and noise tells nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.claims import Face, crowded_out
from vision.evaluation.conditions import CONDITIONS, picture
from vision.hollows import Rings, rings
from vision.pips.layouts import PIPS_AT
from vision.reading import FrameBGR
from vision.rig_reader import RigReader
from vision.second_look import AHEAD, FAINTEST, FITS, looked_again

EDGE_PX = 60.0
BY_NAME = {condition.name: condition for condition in CONDITIONS}
IVORY, INK = (205, 225, 230), (30, 30, 30)
RUBY, WHITE, FAINT = (30, 20, 170), (235, 235, 235), (98, 95, 183)
"""`FAINT` is a seventh of white and six of ruby in linear light: what shines through."""


def die(value: int, bare: Sequence[int] = (), below: int = 0, body: tuple[int, int, int] = IVORY) -> FrameBGR:
    """(140, 140, 3) a die's face, upright, in the middle of a dark felt.

    Args:
        value: 1 to 6.
        bare: Which of its pips, by number, have no paint but a rim.
        below: What the lower face shows, if it shines through; 0 for an opaque die.
        body: Colour.
    """
    frame = np.full((140, 140, 3), (40, 60, 40), np.uint8)
    cv2.rectangle(frame, (40, 40), (100, 100), body, -1)
    for x, y in PIPS_AT.get(below, ()):
        cv2.circle(frame, (70 - 11 * y, 70 + 11 * x), 5, FAINT, -1, cv2.LINE_AA)
    paint = WHITE if body == RUBY else INK
    rim = tuple(int(0.88 * level) for level in body)
    for number, (x, y) in enumerate(PIPS_AT[value]):
        at = (70 + 16 * x, 70 + 16 * y)
        if number in bare:
            cv2.circle(frame, at, 5, rim, 1, cv2.LINE_AA)
        else:
            cv2.circle(frame, at, 4, paint, -1, cv2.LINE_AA)
    noise = np.random.default_rng(value).normal(0, 2.2, frame.shape)
    return np.clip(cv2.GaussianBlur(frame, (0, 0), 0.5) + noise, 0, 255).astype(np.uint8)


def face_of(value: int, **but: object) -> Face:
    corners = np.array([[40, 40], [100, 40], [100, 100], [40, 100]], float)
    face = Face(value, (70.0, 70.0), 0.0, corners, 1.0, 1.0, 0.9, 0.0, (), False, (value,))
    return replace(face, **but)  # type: ignore[arg-type]


def telling(told: Rings) -> bool:
    return told.fits >= FITS and told.ahead >= AHEAD and told.faintest >= FAINTEST


@pytest.mark.parametrize("value", [1, 2, 3, 4, 5, 6])
def test_painted_pips_are_counted_whether_the_die_is_opaque_or_clear(value: int) -> None:
    for frame in (die(value), die(value, body=RUBY), die(value, body=RUBY, below=7 - value)):
        told = rings(frame, (70.0, 70.0), 0.0, EDGE_PX)
        assert told.value == value
        assert telling(told)


@pytest.mark.parametrize(("value", "bare"), [(2, [0]), (3, [0, 2]), (4, [1]), (5, [4]), (5, [0, 4]), (6, [1, 4])])
def test_bare_pips_are_counted_too(value: int, bare: list[int]) -> None:
    for body in (IVORY, RUBY):
        told = rings(die(value, bare, body=body), (70.0, 70.0), 0.0, EDGE_PX)
        assert (told.value, told.shining) == (value, 0)


def test_a_rim_in_a_clear_die_is_no_pip_of_its_lower_face() -> None:
    assert rings(die(5, [4], body=RUBY), (70.0, 70.0), 0.0, EDGE_PX).shining == 0
    assert rings(die(4, below=3, body=RUBY), (70.0, 70.0), 0.0, EDGE_PX).shining > 0


def test_a_plain_patch_tells_nothing() -> None:
    noise = np.random.default_rng(1).normal(120, 4, (140, 140, 3)).clip(0, 255).astype(np.uint8)
    told = rings(noise, (70.0, 70.0), 0.0, EDGE_PX)
    assert not telling(told)


def test_a_face_read_surely_is_doubted_if_its_rings_show_another_value() -> None:
    [face] = looked_again(die(3, [0, 2]), [face_of(1)], EDGE_PX)
    assert face.value == 3
    assert looked_again(die(1), [face_of(1)], EDGE_PX)[0].sure


def test_a_doubt_is_ended_by_rings_with_which_another_look_agrees() -> None:
    doubted = face_of(3, gap=0.2, also=(3, 5))
    [face] = looked_again(die(5, [0, 1]), [doubted], EDGE_PX)
    assert (face.value, face.sure) == (5, True)


def test_a_ringed_face_is_not_crowded_out() -> None:
    one, other = face_of(5), face_of(5, centre_xy=(85.0, 70.0))
    assert crowded_out([one, other])
    assert not crowded_out([replace(one, ringed=True), replace(other, ringed=True)])


@pytest.mark.parametrize(("condition", "seed"), [("worn paint", 26), ("worn paint", 242), ("translucent", 34)])
def test_rendered_faces_once_misread_or_doubted_are_trusted(condition: str, seed: int) -> None:
    shown = picture(BY_NAME[condition], seed)
    reading = RigReader(shown.rig).read(shown.image_bgr)
    assert (reading.values, reading.doubt) == (shown.values, None)
