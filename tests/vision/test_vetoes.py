"""What geometry doubts: more has changed than the dice that were found can be."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.geometry.background import Mask
from vision.geometry.vetoes import Floats, heaped

FACE_PX = 16.0


def changed(*corners_xy: tuple[int, int], edge: int = 16) -> Mask:
    """A mask with squares of that edge."""
    mask = np.zeros((120, 160), np.uint8)
    for x, y in corners_xy:
        cv2.rectangle(mask, (x, y), (x + edge - 1, y + edge - 1), 255, -1)
    return mask


def at(*middles_xy: tuple[float, float]) -> Floats:
    """Middles of faces."""
    return np.array(middles_xy, np.float64).reshape(-1, 2)


def doubted(mask: Mask, faces: Sequence[tuple[float, float]], sides_px: float = 0.0) -> bool:
    """Whether dice with faces there, seen so far aslant, are doubted."""
    return heaped(mask, at(*faces), at(*faces) + np.array((sides_px, 0.0)), FACE_PX)


def test_flat_dice_alone_or_touching_are_not_heaped() -> None:
    assert not doubted(changed((20, 20), (80, 20), (96, 20)), [(28, 28), (88, 28), (104, 28)])


def test_a_die_of_which_half_is_seen_under_another_is() -> None:
    lower = changed((20, 20), (28, 20))
    assert doubted(lower, [(28, 28)])
    assert not doubted(lower, [(28, 28)], sides_px=8.0), "as much is seen of a die's sides"
    assert doubted(lower | changed((80, 20)), [(28, 28), (88, 28)])


def test_dice_that_are_larger_than_was_said_are_not_heaped() -> None:
    assert not doubted(changed((20, 20), (80, 20), (20, 80), edge=20), [(30, 30), (90, 30), (30, 90)])


def test_pips_and_glare_in_a_die_count_as_it_and_no_dice_are_not_heaped() -> None:
    hollow = changed((20, 20), edge=24)
    hollow[23:41, 23:41] = 0
    assert doubted(hollow, [(32, 32)])
    assert not doubted(hollow, [])
