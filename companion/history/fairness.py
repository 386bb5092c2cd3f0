"""Honest dice: whether the values that were thrown are those of fair dice, looked at after every throw.

The evidence against fair dice is a likelihood ratio: how much likelier the values are under a die of unknown chances
(a Dirichlet prior, `PRIOR` on each face) than under a fair one. For fair dice it is a martingale that begins at 1, so
the chance that it *ever* reaches 20 is at most 1 in 20 (Ville's inequality): one may look after each throw and stop at
will. All dice of a set are counted together; corrected readings count as what they were corrected to.

A reader that takes one value for another makes fair dice look uneven. So before dice are called loaded the values must
also speak against every fair set of dice whose reader takes any one value for any one other, however often, or slips
between all of them now and then. That ratio is smaller than the one against the reader and dice that there really are,
so the same bound holds (universal inference, Wasserman, Ramdas and Balakrishnan 2020). Where a single confusion would
explain the values, it is named, and photos can tell which it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import permutations
from math import exp, inf, log, sqrt
from typing import Any

PRIOR = 20.0  # on each face: finds a face that comes 1 in 4 soonest, of 5, 10, 20, 40, 80
ENOUGH = 20.0  # 1 / 0.05
SLIPS = 0.01  # of a value's readings that a good reader may take for others without anybody noticing
COURSE_POINTS = 120
# The chance of one face, and after how many dice half of such sets are found uneven: medians of 4,000 sets each
# (`make fairness`).
MEDIANS = (
    (0.18, 18451),
    (0.19, 4178),
    (0.2, 1598),
    (0.22, 555),
    (0.25, 238),
    (0.3, 116),
    (0.4, 57),
    (0.6, 28),
    (1.0, 14),
)
Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fairness:
    """What the throws of a set of dice have shown so far.

    Attributes:
        counts: How often each face came, from one to six.
        throws: How many throws that were.
        evidence: Logarithm of the likelihood ratio against fair dice now.
        highest: The highest it ever was after a throw.
    """

    counts: Counts = (0,) * 6
    throws: int = 0
    evidence: float = 0.0
    highest: float = 0.0

    def thrown(self, values: Iterable[int]) -> Fairness:
        """With one more throw."""
        counts, evidence = list(self.counts), self.evidence
        rolled = sum(counts)
        for value in values:
            evidence += log(6 * (PRIOR + counts[value - 1]) / (6 * PRIOR + rolled))
            counts[value - 1] += 1
            rolled += 1
        return Fairness(tuple(counts), self.throws + 1, evidence, max(self.highest, evidence))

    @property
    def rolled(self) -> int:
        """How many dice were thrown in all."""
        return sum(self.counts)

    @property
    def is_uneven(self) -> bool:
        """Whether the values as read were ever too uneven for fair dice and a faultless reader."""
        return self.highest >= log(ENOUGH)

    @property
    def verdict(self) -> str:
        """`even` so far; `uneven`: the dice or the reader; `loaded`: no slip of the reader explains it either."""
        if not self.is_uneven:
            return "even"
        return "loaded" if self.evidence_beyond_reader >= log(ENOUGH) else "uneven"

    @property
    def confusion(self) -> tuple[int, int] | None:
        """The value that may have been taken for which other, where that explains uneven values best."""
        if self.verdict != "uneven":
            return None
        best = max(_PAIRS, key=lambda pair: _taken_for(self.counts, *pair))
        return best if _taken_for(self.counts, *best) >= _slipped(self.counts) else None

    @property
    def evidence_beyond_reader(self) -> float:
        """Logarithm of the likelihood ratio against fair dice and the reader that explains the values best."""
        explained = max(max(_taken_for(self.counts, *pair) for pair in _PAIRS), _slipped(self.counts))
        return self.evidence + self.rolled * log(1 / 6) - explained

    def view(self) -> dict[str, Any]:
        """Plain JSON values.

        `evidence` is how much likelier the values are under uneven dice than under fair ones, at its highest; from
        `enough` on they are uneven. `could_have_found`: the chance of one face from which half of all such sets would
        have been found by now.
        """
        return {
            "throws": self.throws,
            "counts": {str(face): count for face, count in enumerate(self.counts, 1)},
            "evidence": exp(min(self.highest, 700.0)),
            "enough": ENOUGH,
            "verdict": self.verdict,
            "confusion": list(self.confusion) if self.confusion else None,
            "could_have_found": could_have_found(self.rolled),
        }


def course_of(throws: Iterable[Sequence[int]]) -> list[list[float]]:
    """How the evidence went: so many dice had been rolled, the likelihood ratio's logarithm to base 10; thinned out."""
    fairness, course = Fairness(), [[0.0, 0.0]]
    for values in throws:
        fairness = fairness.thrown(values)
        course.append([fairness.rolled, round(fairness.evidence / log(10), 3)])
    step = max(1, len(course) // COURSE_POINTS)
    return course[::-1][::step][::-1]


def watched(throws: Iterable[Sequence[int]]) -> Fairness:
    """What those throws show."""
    return reduce(Fairness.thrown, throws, Fairness())


def could_have_found(rolled: int) -> float | None:
    """The chance of one face from which half of all such sets would have been found by now; None before any would.

    The other five faces share the rest. Between the chances of `MEDIANS` what is too much shrinks evenly on a scale of
    logarithms.
    """
    if rolled < MEDIANS[-1][1]:
        return None
    if rolled >= MEDIANS[0][1]:
        chance, rolls = MEDIANS[0]
        return 1 / 6 + (chance - 1 / 6) * sqrt(rolls / rolled)
    place = next(place for place, (_, rolls) in enumerate(MEDIANS) if rolls <= rolled)
    (fainter, late), (stronger, early) = MEDIANS[place - 1], MEDIANS[place]
    part = log(rolled / early) / log(late / early)
    excess = (1 - part) * log(stronger - 1 / 6) + part * log(fainter - 1 / 6)
    return 1 / 6 + exp(excess)


_PAIRS = tuple(permutations(range(1, 7), 2))


def _taken_for(counts: Counts, taken: int, shown: int) -> float:
    """Log likelihood of the values of fair dice when one is taken for another as often as explains them best."""
    lost, gained = counts[taken - 1], counts[shown - 1]
    share = lost / (lost + gained) if lost < gained else 0.5
    others = sum(counts) - lost - gained
    return others * log(1 / 6) + _times_log(lost, share / 3) + _times_log(gained, (1 - share) / 3)


def _slipped(counts: Counts) -> float:
    """The same when every value slips now and then: of each at most `SLIPS`, to any others, as explains them best."""
    least, most = (1 - SLIPS) / 6, (1 + 5 * SLIPS) / 6
    low, high = 0.0, 1.0 + 6.0 * sum(counts)
    for _ in range(60):  # chances in proportion to counts, cut off at both ends, that make up 1
        middle = (low + high) / 2
        whole = sum(min(most, max(least, count / middle)) for count in counts) if middle else inf
        low, high = (middle, high) if whole > 1 else (low, middle)
    chances = [min(most, max(least, count / high)) for count in counts]
    return sum(_times_log(count, chance / sum(chances)) for count, chance in zip(counts, chances, strict=True))


def _times_log(count: int, chance: float) -> float:
    return count * log(chance) if count else 0.0
