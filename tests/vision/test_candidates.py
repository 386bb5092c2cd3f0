"""What the networks say in several scales is put together: what is a die, what a rival, and what only a pip."""

from __future__ import annotations

import numpy as np
import pytest

from vision.networks.detector import Detection
from vision.networks.multiscale import fused
from vision.reading.candidates import LEAST_SURE, Candidate, selected
from vision.reading.reading import Doubt


def seen(x: float, size_px: float, score: float, value: int = 3) -> Detection:
    """A face that a look saw."""
    return Detection(x, 50.0, size_px, np.identity(6, dtype=np.float32)[value - 1] * np.float32(score))


def read(x: float, size_px: float, score: float, sure: float = 0.99, value: int = 3) -> Candidate:
    """A face that was shown to the classifier, which says that it is one, of that value with that probability."""
    said = np.full(7, (1 - sure) / 5)
    said[0], said[value] = 0.0, sure
    return Candidate(seen(x, size_px, score, value), said)


def test_a_face_scores_the_mean_of_the_scales_in_which_it_can_be_seen() -> None:
    (once,) = fused({1.0: [seen(50, 40, 0.8)], 0.5: []})
    (twice,) = fused({1.0: [seen(50, 40, 0.8)], 0.5: [seen(53, 44, 0.6)]})
    (near,) = fused({1.0: [seen(50, 40, 0.8)], 0.2: []})
    assert [one.score for one in (once, twice, near)] == pytest.approx([0.4, 0.7, 0.8])


def test_what_is_seen_elsewhere_or_much_smaller_in_another_scale_bears_nothing_out() -> None:
    beside = fused({1.0: [seen(50, 40, 0.8)], 0.5: [seen(90, 40, 0.6)]})
    pip = fused({1.0: [seen(50, 40, 0.8), seen(50, 18, 0.6, 1)], 0.5: [seen(50, 40, 0.8)]})
    assert [one.score for one in beside] == pytest.approx([0.4, 0.3])
    assert [(one.size_px, one.value) for one in pip] == [(40, 3)], "a pip that lies on a surer face is none"


def test_a_value_must_be_seen_in_more_than_one_scale_to_win() -> None:
    (one,) = fused({1.0: [seen(50, 40, 0.8, 3)], 0.7: [seen(50, 40, 0.6, 2)], 0.5: [seen(50, 40, 0.6, 2)]})
    assert one.value == 2


def test_nothing_seen_is_no_face() -> None:
    assert fused({1.0: [], 0.5: []}) == []


def test_faces_much_smaller_than_the_surest_are_no_dice_but_rivals_when_they_are_sure() -> None:
    dice = [read(50, 60, 0.9), read(150, 70, 0.85)]
    unclear, clear = read(250, 15, 0.3, 0.3), read(250, 15, 0.8)
    found = selected([*dice, unclear], None)
    assert (found.values, found.left, found.doubt(None)) == ((3, 3), (), None)
    found = selected([*dice, clear], None)
    assert (found.values, found.left, found.doubt(None)) == ((3, 3), (clear,), Doubt.COUNT)


def test_what_is_much_smaller_is_no_rival_where_it_lies_on_a_die_or_all_that_are_expected_are_there() -> None:
    dice, on_a_die, beside = [read(50, 60, 0.9), read(150, 70, 0.85)], read(80, 15, 0.8), read(200, 15, 0.8)
    assert selected([*dice, on_a_die], None).doubt(None) is None
    assert selected([*dice, beside], None).doubt(None) is Doubt.COUNT
    assert selected([*dice, beside], 2).doubt(2) is None


def test_a_face_beside_a_die_may_be_the_upper_one() -> None:
    """Seen aslant a die shows two sides, whose middles are nearer than those of two dice."""
    die, side, another = read(50, 60, 0.9), read(100, 60, 0.26, 0.8), read(115, 60, 0.26, 0.8)
    assert selected([die, another], 1).doubt(1) is None
    assert selected([die, side], 1).contested


def test_of_as_many_as_are_expected_one_of_another_size_is_taken_only_when_it_is_surer() -> None:
    dice, faint, pip = [read(50, 60, 0.9), read(150, 70, 0.85)], read(250, 60, 0.4, 0.7), read(350, 15, 0.4, 0.3)
    assert selected([*dice, pip, faint], 3).taken == (*dice, faint)
    small = read(350, 15, 0.5, 0.99)
    assert selected([*dice, faint, small], 3).taken == (*dice, small)


def test_no_candidates_are_no_dice() -> None:
    assert selected([], None).taken == () == selected([], 2).left


def test_dice_each_sure_enough_alone_are_in_doubt_when_all_at_once_are_not() -> None:
    few, many = ([read(50 + 100 * at, 60, 0.9, 0.9) for at in range(count)] for count in (2, 7))
    assert selected(few, 2).doubt(2) is None
    assert all(one.confidence >= LEAST_SURE for one in many)
    assert selected(many, 7).doubt(7) is Doubt.UNREAD


@pytest.mark.parametrize(
    ("scores", "dice"),
    [
        ((0.9, 0.85, 0.58, 0.05), 3),  # a faint die, and nothing else near it
        ((0.9, 0.85, 0.58, 0.5), 2),  # faint, as much else is
        ((0.9, 0.5), 1),
        ((0.9, 0.72, 0.71), 3),
        ((0.5, 0.0), 0),
        ((), 0),
    ],
)
def test_where_nobody_says_how_many_the_last_die_is_where_the_scores_fall_most(
    scores: tuple[float, ...], dice: int
) -> None:
    candidates = [read(50 + 100 * at, 60, score**2, 1.0) for at, score in enumerate(scores)]
    assert len(selected(candidates, None).taken) == dice


def test_a_die_that_the_detector_hardly_saw_must_be_the_surer_to_the_classifier() -> None:
    clear, faint = read(50, 60, 0.9, 0.9), read(150, 60, 0.4, 0.9)
    assert clear.confidence == pytest.approx(faint.confidence, abs=0.01)
    assert selected([clear], 1).doubt(1) is None
    assert selected([faint], 1).doubt(1) is Doubt.UNREAD
