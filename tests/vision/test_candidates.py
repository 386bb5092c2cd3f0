"""Candidates: fusing detections of several scales, and selecting the dice among the candidates."""

from __future__ import annotations

import numpy as np
import pytest

from vision.networks.detector import Detection
from vision.networks.multiscale import fuse
from vision.reading.candidates import MIN_JOINT_CONFIDENCE, Candidate, select
from vision.reading.reading import Doubt


def seen(x: float, size_px: float, score: float, value: int = 3) -> Detection:
    """Return a detection at (x, 50) with that size, score and value."""
    return Detection(x, 50.0, size_px, np.identity(6, dtype=np.float32)[value - 1] * np.float32(score))


def read(x: float, size_px: float, score: float, sure: float = 0.99, value: int = 3) -> Candidate:
    """Return a candidate whose value has the probability `sure` by the classifier."""
    probabilities = np.full(7, (1 - sure) / 5)
    probabilities[0], probabilities[value] = 0.0, sure
    return Candidate(seen(x, size_px, score, value), probabilities)


def test_scale_fusion_averages_scores_over_scales_at_which_the_die_is_large_enough() -> None:
    (once,) = fuse({1.0: [seen(50, 40, 0.8)], 0.5: []})
    (twice,) = fuse({1.0: [seen(50, 40, 0.8)], 0.5: [seen(53, 44, 0.6)]})
    (near,) = fuse({1.0: [seen(50, 40, 0.8)], 0.2: []})
    assert [one.score for one in (once, twice, near)] == pytest.approx([0.4, 0.7, 0.8])


def test_scale_fusion_keeps_dice_side_by_side_but_only_the_surer_of_nested_faces() -> None:
    beside = fuse({1.0: [seen(50, 40, 0.8)], 0.5: [seen(90, 40, 0.6)]})
    pip = fuse({1.0: [seen(50, 40, 0.8), seen(50, 18, 0.6, 1)], 0.5: [seen(50, 40, 0.8)]})
    assert [one.score for one in beside] == pytest.approx([0.4, 0.3])
    assert [(one.size_px, one.value) for one in pip] == [(40, 3)], "a pip that lies on a surer face is none"
    (larger,) = fuse({1.0: [seen(50, 40, 0.8)], 0.5: [seen(50, 80, 0.6)]})
    assert larger.size_px == 80
    assert larger.score == pytest.approx(0.6), "the smaller face's scores are not averaged with it"


def test_a_die_value_detected_at_two_scales_beats_a_surer_one_detected_at_one_scale() -> None:
    (one,) = fuse({1.0: [seen(50, 40, 0.8, 3)], 0.7: [seen(50, 40, 0.6, 2)], 0.5: [seen(50, 40, 0.6, 2)]})
    assert one.value == 2


def test_scale_fusion_of_no_detections_returns_an_empty_list() -> None:
    assert fuse({1.0: [], 0.5: []}) == []


def test_dice_selection_doubts_the_number_of_dice_if_a_too_small_face_has_high_confidence() -> None:
    """A confident small face beside the dice may be one more die, so their number is in doubt."""
    dice = [read(50, 60, 0.9), read(150, 70, 0.85)]
    unclear, clear = read(250, 15, 0.3, 0.3), read(250, 15, 0.8)
    found = select([*dice, unclear], None)
    assert (found.values, found.rejected, found.doubt(None)) == ((3, 3), (), None)
    found = select([*dice, clear], None)
    assert (found.values, found.rejected, found.doubt(None)) == ((3, 3), (clear,), Doubt.COUNT)


def test_without_an_expected_dice_count_a_tiny_face_beside_the_dice_makes_the_count_doubtful() -> None:
    """A small face on a die, or beside a full expected number of dice, is taken for a pip."""
    dice, on_a_die, beside = [read(50, 60, 0.9), read(150, 70, 0.85)], read(80, 15, 0.8), read(200, 15, 0.8)
    assert select([*dice, on_a_die], None).doubt(None) is None
    assert select([*dice, beside], None).doubt(None) is Doubt.COUNT
    assert select([*dice, beside], 2).doubt(2) is None


def test_selecting_dice_reports_a_doubt_if_a_tray_expected_to_be_empty_holds_a_die() -> None:
    die = read(50, 60, 0.9)
    found = select([die], 0)
    assert (found.dice, found.rejected, found.doubt(0)) == ((), (die,), Doubt.COUNT)
    assert select([], 0).doubt(0) is None


def test_selecting_from_no_candidates_gives_no_dice_and_doubts_an_expected_count() -> None:
    for expect, doubt in ((None, None), (2, Doubt.COUNT)):
        found = select([], expect)
        assert (found.dice, found.rejected, found.doubt(expect)) == ((), (), doubt)


def test_dice_selection_trusts_2_dice_but_doubts_7_of_the_same_confidence() -> None:
    few, many = ([read(50 + 100 * at, 60, 0.9, 0.9) for at in range(count)] for count in (2, 7))
    assert select(few, 2).doubt(2) is None
    assert all(one.confidence >= MIN_JOINT_CONFIDENCE for one in many)
    assert select(many, 7).doubt(7) is Doubt.UNREAD


@pytest.mark.parametrize(
    ("scores", "dice"),
    [
        ((0.9, 0.85, 0.58, 0.05), 3),  # a faint die, and nothing else near it
        ((0.9, 0.85, 0.58, 0.5), 2),  # a faint candidate, and another that scores nearly as high
        ((0.9, 0.5), 1),
        ((0.9, 0.72, 0.71), 3),
        ((0.5, 0.0), 0),
        ((), 0),
    ],
)
def test_dice_of_unknown_count_are_those_above_the_largest_drop_from_a_high_score(
    scores: tuple[float, ...], dice: int
) -> None:
    candidates = [read(50 + 100 * at, 60, score**2, 1.0) for at, score in enumerate(scores)]
    assert len(select(candidates, None).dice) == dice


def test_a_low_detector_score_alone_makes_dice_selection_doubt_a_die() -> None:
    clear, faint = read(50, 60, 0.9, 0.9), read(150, 60, 0.4, 0.9)
    assert clear.confidence == pytest.approx(faint.confidence, abs=0.01)
    assert select([clear], 1).doubt(1) is None
    assert select([faint], 1).doubt(1) is Doubt.UNREAD
