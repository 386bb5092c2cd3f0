"""The six layouts: found at any rotation, and nothing else is taken for one."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.pips.blobs import pips
from vision.pips.layouts import fits

GRID = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
EDGE_PX = 64.0


def laid(value: int, angle: float, spacing: float = 0.26) -> np.ndarray:
    """(n, 3) pips of a face at (100, 100)."""
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    at = np.array(GRID[value]) @ turn.T * spacing * EDGE_PX + 100
    return np.column_stack([at, np.full(len(at), 6.0)])


@given(value=st.integers(1, 6), angle=st.floats(0, 6.28), spacing=st.floats(0.21, 0.30))
@settings(max_examples=200, deadline=None)
def test_each_value_is_found_at_any_rotation_and_spacing(value: int, angle: float, spacing: float) -> None:
    best = fits(laid(value, angle, spacing), EDGE_PX)[0]
    assert best.value == value
    assert np.allclose(best.centre_xy, (100, 100), atol=0.5)


@given(angle=st.floats(0, 6.28))
@settings(max_examples=50, deadline=None)
def test_a_seventh_pip_is_no_face(angle: float) -> None:
    seven = np.vstack([laid(6, angle), [[100, 100, 6.0]]])
    assert all(fit.value != 6 for fit in fits(seven, EDGE_PX))


def test_a_row_of_four_is_no_face_of_four() -> None:
    row = np.array([[70 + 20 * i, 100, 6.0] for i in range(4)])
    assert all(fit.value != 4 for fit in fits(row, EDGE_PX))


def test_no_pips_make_no_face() -> None:
    assert fits(np.empty((0, 3)), EDGE_PX) == []


@pytest.mark.parametrize(
    ("body", "pip"),
    [
        ((225, 230, 232), (25, 25, 30)),
        ((30, 28, 28), (235, 235, 235)),
        ((40, 40, 180), (240, 240, 240)),
        ((200, 205, 210), (40, 40, 170)),
    ],
)
@pytest.mark.parametrize("value", range(1, 7))
def test_pips_are_found_in_any_colour_on_any_body(value: int, body: tuple[int, ...], pip: tuple[int, ...]) -> None:
    face = np.full((90, 90, 3), body, np.uint8)
    for x, y in GRID[value]:
        cv2.circle(face, (round(45 + 17 * x), round(45 + 17 * y)), 6, pip, -1, cv2.LINE_AA)
    assert fits(pips(face, EDGE_PX), EDGE_PX)[0].value == value
