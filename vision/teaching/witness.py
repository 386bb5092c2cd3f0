"""The witness: weighs candidates against labelled faces of the same set of dice, by the classifier's own features.

The classifier's probability of each label is multiplied by exp(-weight * distance), where the distance is the cosine
distance to the nearest example of that label. Such an adapter needs no training (Tip-Adapter, Zhang et al. 2022). Its
weight is fitted to the examples, each throw against the others. Where examples do not help, the weight is 0 and every
reading stays as it is. The witness confirms a value or contradicts it. It never names another one, and never adds or
removes a die (docs/lab/teaching.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.networks.classifier import Classifier, Probabilities, Views
from vision.reading.candidates import Candidate, Selection
from vision.reading.reading import FrameBGR

Features = NDArray[np.float32]
"""(views, d) features of a face in several views; each row has length 1."""
Distances = NDArray[np.float64]
"""(7,) distance to the nearest example of each label; infinite for a label without examples."""

EXAMPLE_VIEWS: Views = tuple((step * np.pi / 4, 1.0) for step in range(8))
"""Views of a face whose features an example keeps: (rotation in radians, factor of the size), 45 degrees apart. A die
may lie at any angle, and features change with it. Fewer steps: angles between them match worse. Stored sets hold a
row for each view: with another number they count as damaged."""
QUERY_VIEWS = EXAMPLE_VIEWS[:2]
"""Views in which a die that was just read is compared with the examples, whose EXAMPLE_VIEWS cover the other angles.
More: each comparison takes longer."""
MIN_THROWS = 3
"""Least number of throws with labelled examples from which readings are compared with a taught set of dice. Fewer can't
be checked against each other. Higher: people must label more throws before teaching has an effect."""
WEIGHTS = (0.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 80.0)
"""Values tried for the weight of a face's distance to the nearest example. The one with the least log loss on the
examples is used. A larger weight lets the examples outweigh the classifier more; 0 ignores them."""
NEAR_QUANTILE, NEAR_FACTOR = 0.95, 1.5
"""A face is left as it was read if its distance to all examples exceeds NEAR_FACTOR times a quantile. That is the
NEAR_QUANTILE of each example's distance to the nearest of its label in another throw. Larger values also compare faces
of other dice; smaller ones skip more faces of the taught set."""
MIN_CONFIRMED = 0.95
"""Probability, 0 to 1, of a die's value after the comparison with the examples, from which the die is confirmed. It
then counts as if all augmented views agreed. Higher: fewer dice are confirmed; lower: misread dice may be, too."""
NO_FACE = 0
"""Label of an example that is no upper face of a die, and index of its probability. The classifier's outputs, stored
sets and the API fix it."""
LABELS = 7
"""Number of labels: `NO_FACE`, and the values 1 to 6. The classifier's outputs fix it."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A labelled face.

    Attributes:
        throw: Number of its throw; tells the throws of a set apart.
        label: Its value, or `NO_FACE`.
        probabilities: (7,) the classifier's.
        features: Its features in `EXAMPLE_VIEWS`.
        patch_jpeg: Its picture, from which another classifier can compute features and probabilities.
    """

    throw: int
    label: int
    probabilities: Probabilities
    features: Features
    patch_jpeg: bytes = b""


class Witness:
    """The examples of one set of dice. Immutable.

    Args:
        examples: The labelled faces. The witness is fitted to them at once, so that no reading waits for it.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = tuple(examples)
        throws, labels = {each.throw for each in examples}, {each.label for each in examples}
        self.usable = len(throws) >= MIN_THROWS and len(labels) > 1
        """Whether there are `MIN_THROWS` throws with at least two labels."""
        if self.usable:
            views = len(EXAMPLE_VIEWS)
            self._rows = np.concatenate([each.features for each in examples])
            self._labels = np.repeat([each.label for each in examples], views)
            self._throws = np.repeat([each.throw for each in examples], views)
            self._weight, self._near, self._error = self._fitted()

    def weigh(self, selection: Selection, picture_bgr: FrameBGR, classifier: Classifier) -> tuple[Selection, bool]:
        """Compare the dice of a selection with the learned examples, and raise the confidence of dice that agree.

        Return the selection, with its dice by falling score, and whether the examples contradict a confident die: they
        give it another value or call it no face. Dice keep their values; only dice that were not confident and agree
        with the examples change. If the examples are too few (`usable` is False), return the selection as it is, and
        False.
        """
        if not self.usable or not selection.dice:
            return selection, False
        places = [die.detection.place for die in selection.dice]
        dice, contradicted = [], False
        for die, features in zip(selection.dice, classifier.features(picture_bgr, places, QUERY_VIEWS), strict=True):
            fused = self._verdict(die, features)
            if fused is not None and not die.confident and fused.argmax() == die.value:
                die = _surer(die, fused)
            elif fused is not None and die.confident and fused.argmax() != die.value:
                contradicted = True
            dice.append(die)
        return replace(selection, dice=tuple(sorted(dice, key=lambda die: -die.score))), contradicted

    def _verdict(self, die: Candidate, features: Features) -> Probabilities | None:
        """Return a die's (7,) probabilities (no face, 1 to 6), weighted by distance to each label's nearest example.

        The fitted error rate is spread evenly over all seven. Returns None if the die is unlike all examples, or if the
        fitted weight of the distances is 0, because they do not help.
        """
        distances = self._nearest(features)
        if self._weight == 0.0 or distances.min() > self._near:
            return None
        return (1 - self._error) * _fused(die.probabilities, distances, self._weight) + self._error / LABELS

    def _fitted(self) -> tuple[float, float, float]:
        """Return the weight, distance limit and error rate for comparing new faces with the labelled ones.

        All three are fitted to the labelled faces, each compared only with faces of other throws.

        Returns:
            Weight of the distances in `_fused`: the one of WEIGHTS with the least log loss, the smallest on a tie.
                0 means that distances do not help.
            Limit of the cosine distance: a face further from all examples is not judged.
            Error rate of values judged with that weight, by Laplace's estimate (errors + 1) / (faces + 2).
        """
        labels = np.array([each.label for each in self.examples])
        at = np.arange(len(labels)), labels
        nearest = np.stack([self._nearest(each.features[: len(QUERY_VIEWS)], each.throw) for each in self.examples])
        equal = nearest[at][np.isfinite(nearest[at])]
        near = NEAR_FACTOR * float(np.quantile(equal, NEAR_QUANTILE)) if len(equal) else 0.0
        fits = []
        for weight in WEIGHTS:
            pairs = zip(self.examples, nearest, strict=True)
            fused = np.stack([_fused(each.probabilities, distances, weight) for each, distances in pairs])
            loss = -np.log(np.clip(fused[at], 1e-6, 1.0)).mean()
            fits.append((float(loss), weight, int((fused.argmax(1) != labels).sum())))
        _, weight, wrong = min(fits)
        return weight, near, (wrong + 1) / (len(labels) + 2)

    def _nearest(self, features: Features, left_out_throw: int | None = None) -> Distances:
        """Return an array (7,): for each label, the smallest cosine distance of a face to that label's examples.

        Label 0 is `NO_FACE`, the others are the values 1 to 6. `features` has a row for each view of the face; the
        nearest view counts. Examples of throw `left_out_throw` are left out. A label without examples is infinitely
        far.
        """
        distances = np.asarray(1.0 - (self._rows @ features.T).max(1), np.float64)
        among = self._throws != left_out_throw
        return np.array([distances[among & (self._labels == label)].min(initial=np.inf) for label in range(LABELS)])


def _surer(die: Candidate, fused: Probabilities) -> Candidate:
    """Return a die with its probabilities updated from `fused`, (7,) probabilities that favour its value.

    The no-face probability becomes the lower of the old and the fused one; the values share the rest as in `fused`. If
    the highest of `fused` is at least MIN_CONFIRMED, the die is also marked as confirmed. A die's value depends on the
    detector's scores, too: if that value would change, the die is returned unchanged.
    """
    no_face = min(float(die.probabilities[NO_FACE]), float(fused[NO_FACE]))
    probabilities = np.concatenate([[no_face], (1 - no_face) * fused[1:] / fused[1:].sum()])
    confirmed = die.confirmed or bool(fused.max() >= MIN_CONFIRMED)
    surer = replace(die, probabilities=probabilities, confirmed=confirmed)
    return surer if surer.value == die.value else die


def _fused(probabilities: Probabilities, distances: Distances, weight: float) -> Probabilities:
    """Return the (7,) probabilities of a face, each multiplied by exp(-weight * distance) and then normalised.

    Probabilities are first raised to at least 1e-6. Distances are relative to the smallest one, which must be finite; a
    label without examples (infinite distance) counts as the nearest.
    """
    beyond = np.where(np.isfinite(distances), distances - distances.min(), 0.0)
    fused = np.clip(probabilities, 1e-6, 1.0) * np.exp(-weight * beyond)
    return np.asarray(fused / fused.sum(), np.float64)
