"""Scaling pictures: the size is as wanted, no pixel is skipped and nothing shifts."""

from __future__ import annotations

import numpy as np
import pytest

from vision.images.scaling import halved, scaled


@pytest.mark.parametrize("scale", [0.1, 0.254, 0.381, 0.5, 0.51, 0.99, 1.0, 1.7])
@pytest.mark.parametrize("shape", [(97, 131), (960, 1280), (3, 500)])
def test_a_scaled_picture_has_the_requested_size_and_keeps_its_colour(shape: tuple[int, int], scale: float) -> None:
    picture = np.full((*shape, 3), (10, 120, 250), np.uint8)
    shown = scaled(picture, scale)
    assert shown.shape == (*(max(1, round(side * scale)) for side in shape), 3)
    assert (shown == (10, 120, 250)).all()


@pytest.mark.parametrize("scale", [0.5, 0.25, 0.2])
def test_scaling_a_picture_down_averages_a_checkerboard_to_grey(scale: float) -> None:
    board = np.indices((128, 128)).sum(0) % 2 * 255
    shown = scaled(np.repeat(board[:, :, None], 3, 2).astype(np.uint8), scale)
    assert np.ptp(shown) <= 1
    assert shown[0, 0, 0] in (127, 128)


@pytest.mark.parametrize("scale", [0.9, 0.51, 0.5, 0.3, 0.01])
def test_repeated_picture_halving_leaves_a_remaining_scale_factor_above_one_half(scale: float) -> None:
    small, left = halved(np.zeros((512, 640, 3), np.uint8), scale)
    assert 0.5 < left <= 1
    assert left / scale == 512 / small.shape[0] == 640 / small.shape[1]


def test_scaling_a_picture_down_keeps_a_bright_square_at_its_scaled_place() -> None:
    picture = np.zeros((400, 400, 3), np.uint8)
    picture[236:245, 116:125] = 255
    for scale in (0.6, 0.35, 0.2):
        shown = scaled(picture, scale)[:, :, 0].astype(float)
        middle = [float((shown.sum(axis) * (np.arange(shown.shape[0]) + 0.5)).sum() / shown.sum()) for axis in (0, 1)]
        assert middle == pytest.approx([120.5 * scale, 240.5 * scale], abs=0.15)
