"""Anytime-valid test of whether a set of dice is fair, updated after every throw.

The evidence is an e-process (Grünwald et al. 2020): the likelihood ratio of a mixture of dice with one biased face
against fair dice. Every face is as likely to be the biased one, and `BIASES` holds the chances that it may have. For
fair dice the ratio is a martingale that begins at 1, so the probability that it *ever* reaches 20 is at most 1 in 20
(Ville's inequality). One may look after each throw and stop at any time.
All dice of a set are counted together. A corrected reading counts with its corrected value.

A reader that confuses two values makes fair dice look uneven. So dice are called loaded only if the values also
contradict fair dice with an imperfect reader. Two kinds of reader are considered: one that confuses any one value with
any other at any rate, and one that makes rare random errors. The evidence against the best of these readers is at most
that against the true one, so the bound still holds (universal inference, Wasserman, Ramdas and Balakrishnan 2020).
Where a single confusion explains the values, it is named, and the photos can show whether it happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import permutations
from math import exp, inf, log, sqrt
from typing import Any

BIASES = ((0.13, 1 / 12), (0.195, 5 / 12), (0.25, 4 / 12), (0.4, 1 / 12), (0.8, 1 / 12))
"""Probability of the biased face, and its weight in the fairness test's mixture of biased dice; the weights sum to 1.
A higher weight reveals dice with about that bias after fewer throws, and all others after more."""
MIN_EVIDENCE = 20.0
"""Likelihood ratio from which dice are called uneven: a fair set ever reaches it with a probability of at most 1 /
MIN_EVIDENCE (Ville's inequality). They are loaded, not misread, if biased dice explain the values this many times
better than any reading error. Higher: fewer false alarms, more throws needed."""
MAX_SLIPS = 0.01
"""Largest share, 0 to 1, of the dice of one true value that a good reader misreads. Higher: loaded dice pass as
misread; lower: misread dice are called loaded."""
FINDABLE_CHANCE = 0.3
"""Probability of one face, 0 to 1, of loaded dice that the fairness test should find. Until it would find half of all
such sets, `pegpip dice` says that there are not enough throws. Lower: that takes more dice; higher: fewer."""
COURSE_POINTS = 120
"""Points to which the chart of the evidence against fair dice is thinned; it keeps fewer than twice as many.
Higher: a larger answer, with detail that a phone's width can't show. Lower: a coarser line."""
MEDIANS = ((0.19, 2300), (0.2, 1295), (0.22, 514), (0.25, 218), (0.3, 108), (0.4, 41), (0.6, 14), (1.0, 5))
"""Probability of a loaded set's most frequent face, and the median number of dice rolled until the test finds it
uneven. Measured by `make fairness`. Larger numbers of dice: `pegpip dice` asks for more throws."""
Counts = tuple[int, ...]
"""Number of dice that showed each face, from one to six."""


@dataclass(frozen=True, slots=True)
class Fairness:
    """Evidence on the fairness of a set of dice after some throws.

    Attributes:
        counts: Number of dice that showed each face, from one to six.
        throws: Number of throws.
        evidence: Natural logarithm of the likelihood ratio against fair dice now, 0 before the first throw.
        highest: Highest `evidence` after any throw so far.
    """

    counts: Counts = (0,) * 6
    throws: int = 0
    evidence: float = 0.0
    highest: float = 0.0

    def thrown(self, values: Iterable[int]) -> Fairness:
        """Return the evidence after one more throw of these values, 1 to 6; `self` is unchanged.

        `evidence` is the log-likelihood ratio of all counts so far (`log_likelihood_ratio`). `highest` is the largest
        ratio after any throw so far.
        """
        counts = list(self.counts)
        for value in values:
            counts[value - 1] += 1
        evidence = log_likelihood_ratio(counts)
        return Fairness(tuple(counts), self.throws + 1, evidence, max(self.highest, evidence))

    @property
    def rolled(self) -> int:
        """Number of dice rolled in all throws."""
        return sum(self.counts)

    @property
    def verdict(self) -> str:
        """Result so far: `even`, `uneven` or `loaded`.

        - `even`: the evidence against fair dice has never reached MIN_EVIDENCE.
        - `uneven`: MIN_EVIDENCE was reached, so the dice are unfair or the reader errs.
        - `loaded`: MIN_EVIDENCE was reached, and biased dice now explain the values at least MIN_EVIDENCE times better
          than any reading error.
        """
        if self.highest < log(MIN_EVIDENCE):
            return "even"
        # The imperfect reader that fits the values best: it confuses two values, or makes rare random errors.
        misread = max(max(_taken_for(self.counts, *pair) for pair in _PAIRS), _slipped(self.counts))
        beyond_reader = self.evidence + self.rolled * log(1 / 6) - misread
        return "loaded" if beyond_reader >= log(MIN_EVIDENCE) else "uneven"

    @property
    def confusion(self) -> tuple[int, int] | None:
        """Likeliest confusion of two values by the reader, as a pair (true value, value read).

        None if the verdict is not `uneven`, or if rare random misreadings explain the values better.
        """
        if self.verdict != "uneven":
            return None
        best = max(_PAIRS, key=lambda pair: _taken_for(self.counts, *pair))
        return best if _taken_for(self.counts, *best) >= _slipped(self.counts) else None

    def view(self) -> dict[str, Any]:
        """Return the result of the fairness test as JSON values.

        Returns:
            `throws`: their number. `counts`: face ("1" to "6") -> number of dice that showed it. `evidence`:
                likelihood ratio against fair dice, the highest after any throw. `enough`: threshold of `evidence`
                for uneven dice.
            `verdict`: `even`; `uneven`: loaded or misread; `loaded`: no reading error explains the values as well.
            `confusion`: [true value, value read] that the reader probably confuses, or None.
            `could_have_found`: smallest probability of a loaded face that this many dice would reveal in half of
                all such sets, or None with too few dice.
        """
        return {
            "throws": self.throws,
            "counts": {str(face): count for face, count in enumerate(self.counts, 1)},
            "evidence": exp(min(self.highest, 700.0)),
            "enough": MIN_EVIDENCE,
            "verdict": self.verdict,
            "confusion": list(self.confusion) if self.confusion else None,
            "could_have_found": could_have_found(self.rolled),
        }


def course_of(throws: Iterable[Sequence[int]]) -> list[list[float]]:
    """Return the evidence against fair dice after each throw, oldest first, as fewer than 2 * COURSE_POINTS points.

    The points are thinned: every n-th one is kept, counted back from the last one.

    Returns:
        Pairs of the number of dice rolled so far and the base-10 logarithm of the likelihood ratio. The first pair
        is [0, 0], unless thinning drops it.
    """
    fairness, course = Fairness(), [[0.0, 0.0]]
    for values in throws:
        fairness = fairness.thrown(values)
        course.append([fairness.rolled, round(fairness.evidence / log(10), 3)])
    step = max(1, len(course) // COURSE_POINTS)
    return course[::-1][::step][::-1]


def evidence_after(throws: Iterable[Sequence[int]]) -> Fairness:
    """Return the evidence after some throws, each a sequence of dice values."""
    return reduce(Fairness.thrown, throws, Fairness())


def log_likelihood_ratio(counts: Sequence[int]) -> float:
    """Return the natural logarithm of the likelihood ratio of the mixture of biased dice against fair dice.

    `counts` are the numbers of dice by face, from one to six. A positive result speaks against fair dice. In the
    mixture every face is equally likely to be the biased one, with the probabilities and weights of `BIASES`.
    """
    rolled = sum(counts)
    terms = [
        log(weight / 6) + count * log(6 * chance) + (rolled - count) * log(6 * (1 - chance) / 5)
        for count in counts
        for chance, weight in BIASES
    ]
    most = max(terms)
    return most + log(sum(exp(term - most) for term in terms))


def could_have_found(rolled: int) -> float | None:
    """Return the smallest bias that the fairness test finds within `rolled` dice in half of all sets so biased.

    The bias is given as the probability of the most frequent face, more than 1/6; the other five faces are equally
    likely. It is interpolated between the measured `MEDIANS`, on logarithmic scales of the dice and of the excess over
    1/6. With more dice than measured, the excess falls in proportion to 1 / sqrt(rolled). None if `rolled` is too small
    to find even a die that always shows one face.
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
"""All 30 ordered pairs (true value, value read): misreadings by the dice reader that may explain uneven counts."""


def _taken_for(counts: Counts, taken: int, shown: int) -> float:
    """Return the maximum log likelihood of the counts for fair dice and a reader that reads some `taken` as `shown`."""
    lost, gained = counts[taken - 1], counts[shown - 1]
    share = lost / (lost + gained) if lost < gained else 0.5
    others = sum(counts) - lost - gained
    return others * log(1 / 6) + _times_log(lost, share / 3) + _times_log(gained, (1 - share) / 3)


def _slipped(counts: Counts) -> float:
    """Return the highest log likelihood of the counts for fair dice and a reader that errs rarely.

    The reader misreads at most the share `MAX_SLIPS` of each value, as any other value. So each value is read with a
    probability from (1 - MAX_SLIPS) / 6 to (1 + 5 * MAX_SLIPS) / 6. The likeliest probabilities are the counts divided
    by one number, then clipped to these bounds. Bisection finds the number for which their sum is 1.
    """
    least, most = (1 - MAX_SLIPS) / 6, (1 + 5 * MAX_SLIPS) / 6
    low, high = 0.0, 1.0 + 6.0 * sum(counts)
    for _ in range(60):
        middle = (low + high) / 2
        whole = sum(min(most, max(least, count / middle)) for count in counts) if middle else inf
        low, high = (middle, high) if whole > 1 else (low, middle)
    chances = [min(most, max(least, count / high)) for count in counts]
    return sum(_times_log(count, chance / sum(chances)) for count, chance in zip(counts, chances, strict=True))


def _times_log(count: int, chance: float) -> float:
    """Return `count * log(chance)`; 0 for no dice, also at chance 0."""
    return count * log(chance) if count else 0.0
