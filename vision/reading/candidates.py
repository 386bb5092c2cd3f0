"""Candidates for dice: detections that the classifier has scored too, and the selection of dice among them.

The scores of both networks are fused here. A selection is confident if the number of dice and each value are. Geometry
checks the rest (`vision.reading.vetoes`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vision.networks.classifier import geometric_mean
from vision.networks.detector import Detection, same_place
from vision.reading.reading import Doubt
from vision.reading.vetoes import DIE_OUTLINE_RADIUS

DETECTOR_WEIGHT = 0.3
"""Exponent of the detector's class scores in their geometric fusion with the classifier's probabilities. At 0 the
classifier alone names the value, at 1 both count alike; a higher one trusts the detector more."""
COUNT_THRESHOLDS = (0.55, 0.7)
"""Candidate scores, 0 to 1, for counting dice when the number is unknown. Below the first a candidate is no die, from
the second on it is one. In between, the count ends where the sorted scores drop most. Without a die the first takes a
die's place in MAX_RIVAL_RATIO. Higher: faint dice are left out; lower: other things are counted."""
MIN_JOINT_CONFIDENCE = 0.95
"""Product of all dice's confidences, 0 to 1, below which a reading is not trusted: every value must be right at once.
Also the probability that every augmented view must give a value to confirm it. In the tray, also the least product of
1 - score over the rejected candidates, if the number of dice is unknown. A higher one doubts more readings."""
MAX_WEAKNESS = 0.04
"""Largest (1 - confidence) / detector score**2 of a die when the number of dice is known. Above it a reading is trusted
only if augmented views or taught examples confirm the value. It catches faint pips and side faces that the detector
hardly sees. A higher one trusts more of them."""
MAX_WEAKNESS_UNCOUNTED = 0.025
"""Largest (1 - confidence) / detector score**2 of a die when the number of dice is unknown. It is stricter than
MAX_WEAKNESS, because no known number reveals a symbol or a plug that was taken for a die. Higher: more are trusted."""
HIGH_CONFIDENCE = 0.995
"""Confidence, 0 to 1, from which a candidate is not classified in further views: it is surely no face, or has a value
on which the networks agree. A lower one saves time and trusts a single view more often."""
MAX_RIVAL_RATIO = 0.6
"""Ratio of the best rejected candidate's score to the worst accepted one's, above which the count is in doubt. A higher
one trusts more readings that may have missed a die."""
SCORE_BASELINE = 0.4
"""Quality, 0 to 1, above which a die adds to `Selection.quality`, by which the best pass is chosen; a weaker one
subtracts. Rivals of unusual size count only above it. Detections count only if their score is above its square, as
their quality can't reach it else. Higher: dice are missed; lower: more doubts."""
MAX_DIE_SIZE_LOG_RATIO = math.log(1.8)
"""Natural logarithm of the size ratio, 1.8, up to which two candidates can be dice of one throw. Dice of 10 and 16 mm,
a ratio of 1.6, still pass. Larger admits pips; smaller rejects dice of mixed sizes."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A detected face with the classifier's probabilities for it.

    Attributes:
        detection: The detector's box, score and class scores.
        probabilities: (7,) the classifier's: no face, then the values 1 to 6.
        confirmed: Whether every augmented view, or the comparison with labelled examples, gave the same value.
    """

    detection: Detection
    probabilities: NDArray[np.float64]
    confirmed: bool = False

    @cached_property
    def score(self) -> float:
        """Fused score that this is a face, 0 to 1: detector score and the classifier's probability of a face."""
        return float(np.sqrt(self.detection.score) * (1 - self.probabilities[0]))

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """(6,) fused probability of each value, given that this is a face."""
        detector = np.clip(self.detection.scores.astype(np.float64), 1e-3, None)
        fused = self.probabilities[1:] * (detector / detector.sum()) ** DETECTOR_WEIGHT
        return fused / fused.sum()

    @property
    def value(self) -> int:
        """The most probable value, 1 to 6."""
        return int(self.values.argmax()) + 1

    @cached_property
    def confidence(self) -> float:
        """Probability that this is a face with `value`, 0 to 1."""
        return float((1 - self.probabilities[0]) * self.values.max())

    @property
    def quality(self) -> float:
        """Candidate's `score` times the fused probability of its `value`, 0 to 1."""
        return self.score * float(self.values.max())

    @property
    def weakness(self) -> float:
        """(1 - confidence) / detector score squared: near 0 when both networks are confident, else larger."""
        return (1 - self.confidence) / self.detection.score**2

    @property
    def networks_disagree(self) -> bool:
        """Whether the detector names another value and this one is not `confirmed`."""
        return self.detection.value not in {None, self.value} and not self.confirmed

    @property
    def confident(self) -> bool:
        """Whether one view suffices: surely no face, or a face of a sure value on which the networks agree."""
        return self.probabilities[0] >= HIGH_CONFIDENCE or (
            self.confidence >= HIGH_CONFIDENCE and not self.networks_disagree
        )


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The dice chosen among a picture's candidates, and the rivals.

    Attributes:
        dice: The accepted candidates, best score first.
        rejected: Other candidates that may be dice, best score first.
    """

    dice: tuple[Candidate, ...] = ()
    rejected: tuple[Candidate, ...] = ()

    @property
    def values(self) -> tuple[int, ...]:
        """Values of the dice, sorted."""
        return tuple(sorted(die.value for die in self.dice))

    @property
    def quality(self) -> float:
        """How well the dice explain the picture: the sum over the dice of quality minus SCORE_BASELINE."""
        return sum(die.quality - SCORE_BASELINE for die in self.dice)

    def doubt(self, expect: int | None) -> Doubt | None:
        """Return the doubt that the networks' scores leave about the dice, or None. Another pass may resolve it.

        The first doubt that applies is returned:

        - `COUNT`: there are not `expect` dice (None: any number), or a rejected candidate may be a die. It may be one
          if its score is over MAX_RIVAL_RATIO times a die's lowest, or if the best candidate has a much different size.
        - `UNREAD`: the product of the dice's confidences is too low, or an unconfirmed die is too weak. With `expect`
          None less weakness is allowed.
        - `DISAGREE`: the detector names another value for an unconfirmed die.
        """
        if expect is not None and len(self.dice) != expect:
            return Doubt.COUNT
        lowest = self.dice[-1].score if self.dice else COUNT_THRESHOLDS[0]
        similar = _similar_in_size([*self.dice, *self.rejected])
        if any(reject.score > MAX_RIVAL_RATIO * lowest or reject not in similar for reject in self.rejected):
            return Doubt.COUNT
        sure = math.prod(die.confidence for die in self.dice) >= MIN_JOINT_CONFIDENCE
        limit = MAX_WEAKNESS_UNCOUNTED if expect is None else MAX_WEAKNESS
        if not sure or any(die.weakness > limit and not die.confirmed for die in self.dice):
            return Doubt.UNREAD
        return Doubt.DISAGREE if any(die.networks_disagree for die in self.dice) else None


def select(candidates: Sequence[Candidate], expect: int | None) -> Selection:
    """Choose the dice among a picture's candidates, and list the rejected candidates that may be dice.

    - With `expect`: the dice are the candidates with the `expect` highest scores, whatever their size.
    - With None: as many as the scores suggest, all of about the best one's size. Dice of one throw have similar sizes.
    - Rejected: other candidates of about that size or of good quality, unless they are probably pips. A pip is much
      smaller than the chosen die on which it lies, or than all chosen dice if there are `expect` of them.
    """
    candidates = sorted(candidates, key=lambda candidate: -candidate.score)
    similar = _similar_in_size(candidates)
    dice = similar[: _count_dice(similar)] if expect is None else candidates[:expect]
    rivals = [each for each in candidates if each not in dice and (each in similar or each.quality > SCORE_BASELINE)]
    rejected = [rival for rival in rivals if not _is_pip(rival, dice, expect)]
    return Selection(tuple(dice), tuple(rejected))


def _similar_in_size(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates whose size is within MAX_DIE_SIZE_LOG_RATIO of the best one's, in the order given."""
    best = max(candidates, key=lambda candidate: candidate.score * candidate.confidence, default=None)
    if best is None:
        return []
    return [candidate for candidate in candidates if _size_log_ratio(candidate, best) < MAX_DIE_SIZE_LOG_RATIO]


def _is_pip(candidate: Candidate, dice: Sequence[Candidate], expect: int | None) -> bool:
    """Return whether a candidate is only a pip: much smaller than an accepted die that it lies on.

    Also True, wherever the candidate lies, if there are `expect` accepted dice, at least one, and all are much larger.
    With `expect` None, the number of dice is unknown.
    """
    larger = [
        die
        for die in dice
        if _size_log_ratio(candidate, die) > MAX_DIE_SIZE_LOG_RATIO
        and candidate.detection.size_px < die.detection.size_px
    ]
    centre_xy = candidate.detection.place[:2]
    return len(larger) == expect != 0 or any(
        math.dist(centre_xy, die.detection.place[:2]) < DIE_OUTLINE_RADIUS * die.detection.size_px for die in larger
    )


def _size_log_ratio(first: Candidate, second: Candidate) -> float:
    """Return the absolute natural logarithm of the ratio of two candidates' sizes; 0 for equal ones."""
    return abs(math.log(first.detection.size_px / second.detection.size_px))


def _count_dice(candidates: Sequence[Candidate]) -> int:
    """Estimate the number of dice from the scores of candidates, given best first.

    Only drops from a score of at least `COUNT_THRESHOLDS[0]` to a score below `COUNT_THRESHOLDS[1]` count; after the
    last score comes 0. The result is the number of scores before the largest of these drops; 0 if there is none.
    """
    scores = [candidate.score for candidate in candidates]
    drops = [
        (score - following, count)
        for count, (score, following) in enumerate(pairwise([*scores, 0.0]), 1)
        if score >= COUNT_THRESHOLDS[0] and following < COUNT_THRESHOLDS[1]
    ]
    return max(drops, default=(0.0, 0))[1]


def merge_predictions(candidate: Candidate, others: Sequence[Candidate], augmented: NDArray[np.float64]) -> Candidate:
    """Return an uncertain die's candidate, checked by its augmented views or merged with all passes' predictions.

    `augmented` has the classifier's probabilities for each view, (views, 7). The value is sure if every view gives it
    at least MIN_JOINT_CONFIDENCE. `others` are all candidates of all passes, the die's own included.

    A candidate whose own confidence is below MIN_JOINT_CONFIDENCE is merged. For any other:
    - The value is sure: the candidate is returned, `confirmed`.
    - It is not sure, and the candidate has `networks_disagree`: the candidate is returned, not `confirmed`.
    - Else it is merged.

    Merging takes all candidates at the die's place. The classifier's predictions, the views' included, are averaged
    geometrically, the detector's class scores arithmetically. The result has the box of the best-scored candidate and
    is not confirmed.
    """
    confirmed = bool(augmented[:, candidate.value].min() >= MIN_JOINT_CONFIDENCE)
    if candidate.confidence >= MIN_JOINT_CONFIDENCE and (confirmed or candidate.networks_disagree):
        return replace(candidate, confirmed=confirmed)
    same = [other for other in others if same_place(candidate.detection, other.detection)]
    earlier = geometric_mean(np.stack([other.probabilities for other in same]))
    probabilities = geometric_mean(np.stack([earlier, geometric_mean(augmented)]))
    best = max(same, key=lambda other: other.score)
    scores = np.mean([other.detection.scores for other in same], axis=0).astype(np.float32)
    return Candidate(replace(best.detection, scores=scores), probabilities)
