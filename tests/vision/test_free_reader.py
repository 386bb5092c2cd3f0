"""Pictures of unknown scale: painted dice are read; what no look is sure of is looked at again, larger."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from vision.free_reader import LEAST_SURE, FreeReader
from vision.networks.classifier import LARGER_VIEWS, VIEWS, Faces, Place, Probabilities, Views
from vision.networks.detector import Mark, Network
from vision.reading import FrameBGR
from vision.training.makes import some_make
from vision.training.painted import painted

BARE = np.full((240, 320, 3), 120, np.uint8)


def picture_of_dice(count: int, seed: int) -> tuple[FrameBGR, tuple[int, ...]]:
    """Dice of one make in a row, seen from above, and their values."""
    rng = np.random.default_rng(seed)
    picture = np.full((240, 110 * count + 60, 3), rng.uniform(60, 200, 3), np.float32)
    make = some_make(rng)
    dice = [painted(picture, (90 + 110 * at, 120), 44, make, 0.1, rng) for at in range(count)]
    return np.clip(picture, 0, 255).astype(np.uint8), tuple(sorted(value for *_, value in dice))


class OneMark(Network):
    """Stands in for the detector: in each look the same face, said to be a one or a two."""

    def __init__(self) -> None:
        self.looks = 0

    def marks(self, picture_bgr: FrameBGR, scale: float) -> list[Mark]:
        self.looks += 1
        return [Mark(160.0, 120.0, 40.0, np.array([0.5, 0.5, 0, 0, 0, 0], np.float32))]


class Unsure(Faces):
    """Stands in for the second network: in doubt until it is shown the face larger."""

    def __init__(self) -> None:
        self.asked: list[Views] = []

    def values(self, picture_bgr: FrameBGR, places: Sequence[Place], views: Views = VIEWS) -> Probabilities:
        self.asked.append(views)
        said = [0.0, 0.0, 1.0, 0, 0, 0, 0] if views is LARGER_VIEWS else [0.0, 0.55, 0.45, 0, 0, 0, 0]
        return np.array([said] * len(places)).reshape(-1, 7)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_painted_dice_are_read_and_none_is_made_up(seed: int) -> None:
    picture, values = picture_of_dice(3, seed)
    reading = FreeReader(Network(), Faces()).read(picture, 3)
    assert reading.values == values
    blind = FreeReader(Network(), Faces()).read(picture)
    assert not blind.trusted or blind.values == values


def test_a_bare_ground_holds_no_die() -> None:
    assert FreeReader(Network(), Faces()).read(BARE).values == ()


def test_what_no_look_is_sure_of_is_shown_larger() -> None:
    detector, faces = OneMark(), Unsure()
    reading = FreeReader(detector, faces).read(BARE, 1)
    assert detector.looks > 1, "it looks closer first"
    assert faces.asked[-1] is LARGER_VIEWS
    assert faces.asked[:-1] == [VIEWS] * (len(faces.asked) - 1)
    assert reading.values == (2,)
    assert reading.dice[0].confidence < 1


def test_who_is_sure_is_not_asked_again() -> None:
    class Sure(Unsure):
        def values(self, picture_bgr: FrameBGR, places: Sequence[Place], views: Views = VIEWS) -> Probabilities:
            self.asked.append(views)
            return np.array([[0, 0, LEAST_SURE + 0.04, 0.01, 0, 0, 0]] * len(places))

    detector, faces = OneMark(), Sure()
    reading = FreeReader(detector, faces).read(BARE, 1)
    assert (reading.values, reading.doubt) == ((2,), "disagree"), "the detector's first word is one"
    assert faces.asked == [VIEWS]
