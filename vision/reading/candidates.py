"""What may be a die: a face that the detector found and the classifier was shown, and which of them are taken for dice.

Both networks' words are put together here, and whether they are sure enough of how many dice there are and of what each
shows. Whatever else may be wrong with a reading is geometry (`vision.reading.vetoes`).
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
from vision.networks.detector import SAME_SIZE, Detection, same_place
from vision.reading.reading import Doubt
from vision.reading.vetoes import WHOLE_DIE

AFAR = 0.3
"""Weight of the detector's word on a value beside the classifier's."""
A_DIE = (0.55, 0.7)
"""When nobody says how many dice there are, a face that scores less than the first is none, one that scores more than
the second is one, and between them the last die is where the scores fall most: 94.9 % of 285 photos exact, 93.7 % where
0.6 alone parted them."""
LEAST_SURE = 0.95
"""Dice are trusted whose confidences, multiplied, are at least this: all must be right at once. Asked of each alone, a
throw of nine clear dice, one on a real rig and a rendered one of worn dice were read wrong and trusted."""
FAINT = 0.04
"""A die must be borne out all round if the classifier's doubt of it is more than so many times the square of the
detector's score: a faint red 3 in a real tray, read as a 6, had 0.08, a clear 3 as a 5 0.09, a worn 2 as a 4 0.04."""
FAINTER = 0.025
"""The same where nobody says how many dice there are: else dice with symbols and the plug of a USB stick (0.026) were
dice, and in a rendered tray the side of one that lay in its own shadow (0.035)."""
PLAIN = 0.995
"""A face of this confidence, of whose value the networks agree, is not shown again: of 465 photos, number told and
not, 415 and 378 are trusted so, with 0.97 413 and 374, none wrong; and a die's side with a 4 was taken for its upper
face elsewhere, 0.99 sure as it was marked, 0.86 larger."""
AS_SURE = 0.97
"""A face that was left out may be the upper one of a die if its value is so sure."""
LEAST_CLEAR = 0.6
"""A count is trusted when the surest face that was left out scores at most this part of the least sure die."""
DOUBTFUL = 0.4
"""A face less sure than this makes it likelier that the picture was looked at too closely or from too far."""
SAME_MAKE = math.log(1.8)
"""Dice of one throw differ in size by less than this, as a logarithm: common ones have 10 to 16 mm."""
FROM_ALL_SIDES = 0.9
"""A value is borne out that each view all round says by so much. Of faint faces in 465 photos, no number of dice
told, 14 of 22 dice were, the least by 0.92; none of three that are no dice: a symbol, a plug, a die's side (0.84). Of
19 values that the detector disputed in 567 photos, number told, 15 were, all rightly."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A detection that was shown to the classifier.

    Attributes:
        said: (7,) probabilities of no face and of 1 to 6.
        borne_out: Whether it was shown all round, and showed the same from each side.
    """

    detection: Detection
    said: NDArray[np.float64]
    borne_out: bool = False

    @property
    def score(self) -> float:
        """How surely a face lies there, 0 to 1, in the eyes of both networks."""
        return float(np.sqrt(self.detection.score) * (1 - self.said[0]))

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """(6,) probability of each value, given that it is a face."""
        afar = np.clip(self.detection.scores.astype(np.float64), 1e-3, None)
        both = self.said[1:] * (afar / afar.sum()) ** AFAR
        return both / both.sum()

    @property
    def value(self) -> int:
        """The likeliest value."""
        return int(self.values.argmax()) + 1

    @property
    def confidence(self) -> float:
        """How sure it is that this is a face of that value, 0 to 1."""
        return float((1 - self.said[0]) * self.values.max())

    @property
    def worth(self) -> float:
        """How surely it is a die of that value."""
        return self.score * float(self.values.max())

    @property
    def faintness(self) -> float:
        """How much doubt the classifier has left, beside how surely the detector saw it: near 0 where both are sure."""
        return (1 - self.confidence) / self.detection.score**2

    @property
    def disputed(self) -> bool:
        """Whether the detector says another value, and this one was not borne out all round."""
        return self.detection.value not in {None, self.value} and not self.borne_out

    @property
    def plain(self) -> bool:
        """Whether one view of it says all: nothing is unsure, neither its value nor whether it is a face."""
        return self.said[0] >= PLAIN or (self.confidence >= PLAIN and not self.disputed)


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The candidates that are taken for the dice of a picture, and those that are not; surest first."""

    taken: tuple[Candidate, ...] = ()
    left: tuple[Candidate, ...] = ()

    @property
    def values(self) -> tuple[int, ...]:
        """The values of the dice, sorted."""
        return tuple(sorted(one.value for one in self.taken))

    @property
    def worth(self) -> float:
        """How well they explain the picture: sure faces with sure values; doubtful ones count against it."""
        return sum(one.worth - DOUBTFUL for one in self.taken)

    @property
    def contested(self) -> bool:
        """Whether of two sides of a die the upper may be one that was left out: it is sure, or lies beside a die."""
        return any(
            one.score > DOUBTFUL and (one.confidence >= AS_SURE or any(_within(one, die, 1) for die in self.taken))
            for one in self.left
        )

    def doubt(self, expect: int | None) -> Doubt | None:
        """What the networks are not sure of: a closer look may remove it."""
        if expect is not None and len(self.taken) != expect:
            return Doubt.COUNT
        least = self.taken[-1].score if self.taken else A_DIE[0]
        alike = _alike([*self.taken, *self.left])
        if self.contested or any(one.score > LEAST_CLEAR * least or one not in alike for one in self.left):
            return Doubt.COUNT
        sure = math.prod(one.confidence for one in self.taken) >= LEAST_SURE
        faint = FAINTER if expect is None else FAINT
        if not sure or any(one.faintness > faint and not one.borne_out for one in self.taken):
            return Doubt.UNREAD
        return Doubt.DISAGREE if any(one.disputed for one in self.taken) else None


def selected(candidates: Sequence[Candidate], expect: int | None) -> Selection:
    """The dice among the candidates: as many as are expected, or those that are sure enough.

    Dice of one throw are of like size. What differs more in size from the surest must be of a sure value as well to be
    one that is expected, or a rival: pips look like small faces from too near. Those of the dice that are taken are
    no rivals, and none that are much smaller once there are as many dice as are expected.
    """
    candidates = sorted(candidates, key=lambda one: -one.score)
    alike = _alike(candidates)
    if expect is None:
        taken = alike[: _dice_among([one.score for one in alike])]
    else:
        likely = sorted(candidates, key=lambda one: -(one.score if one in alike else one.worth))[:expect]
        taken = [one for one in candidates if one in likely]
    rivals = [one for one in candidates if one not in taken and (one in alike or one.worth > DOUBTFUL)]
    left = [one for one in rivals if not _pip(one, taken, expect)]
    return Selection(tuple(taken), tuple(left))


def _alike(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that may be dice of one make, seen from as far away as the surest."""
    model = max(candidates, key=lambda one: one.score * one.confidence, default=None)
    return [] if model is None else [one for one in candidates if _apart(one, model) < SAME_MAKE]


def _pip(one: Candidate, dice: Sequence[Candidate], expect: int | None) -> bool:
    """Whether it is much smaller than a die on which it lies; or than all dice, where as many are expected."""
    larger = [die for die in dice if _apart(one, die) > SAME_MAKE and one.detection.size_px < die.detection.size_px]
    return len(larger) == expect or any(_within(one, die, WHOLE_DIE) for die in larger)


def _within(one: Candidate, die: Candidate, faces: float) -> bool:
    """Whether its middle is nearer to that of a die than so many of the die's faces."""
    return math.dist(one.detection.place[:2], die.detection.place[:2]) < faces * die.detection.size_px


def _apart(one: Candidate, other: Candidate) -> float:
    """Logarithm of how many times larger one of them is."""
    return abs(math.log(one.detection.size_px / other.detection.size_px))


def _dice_among(scores: Sequence[float]) -> int:
    """How many of these falling scores are of dice."""
    falls = [
        (score - following, count)
        for count, (score, following) in enumerate(pairwise([*scores, 0.0]), 1)
        if score >= A_DIE[0] and following < A_DIE[1]
    ]
    return max(falls, default=(0.0, 0))[1]


def combined(one: Candidate, views: Sequence[Candidate], all_round: NDArray[np.float64]) -> Candidate:
    """A candidate by the geometric mean of all that was said of it; one that is sure of its value may be borne out.

    Args:
        one: In doubt.
        views: All candidates of all looks, this one among them.
        all_round: (views, 7) what was said of it when it was shown from more sides.
    """
    borne_out = bool(all_round[:, one.value].min() >= FROM_ALL_SIDES)
    if one.confidence >= LEAST_SURE and (borne_out or one.disputed):
        return replace(one, borne_out=borne_out)
    same = [other for other in views if same_place(one.detection, other.detection) and _apart(one, other) < SAME_SIZE]
    said = geometric_mean(
        np.stack([geometric_mean(np.stack([other.said for other in same])), geometric_mean(all_round)])
    )
    surest = max(same, key=lambda other: other.score)
    scores = np.mean([other.detection.scores for other in same], axis=0).astype(np.float32)
    return Candidate(replace(surest.detection, scores=scores), said)
