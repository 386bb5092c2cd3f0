"""Finds what may be faces in a picture of unknown scale: looked at as a whole first, and closer only when asked to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from vision.networks.detector import Detection, Detector, non_max_suppression, same_place
from vision.reading import FrameBGR

LOOKS_PX = ((400, 200), (800, 566), (1131,))
"""Long edges to which a picture is brought, look by look. The network knows faces of 15 to 58 px: at 400 and 200 px
these are 1/27 to 2/7 of the long edge, six dice that fill a picture or lie far apart in it. The closer looks cost four
times as much each; the closest finds dice of 1/75 of the long edge."""
LARGEST_MAGNIFICATION = 2.0
"""A picture is never magnified more: it holds no more detail, and noise looks like pips."""
A_ONE = 1 / 6
"""What a one counts when nobody says how many dice there are: looked at too closely, the pips of a six are six ones."""
SURE = 0.35
"""Score from which a detection counts as a die when nobody says how many there are."""


def looks(picture_bgr: FrameBGR, detector: Detector, expect: int | None = None) -> Iterator[list[Detection]]:
    """What may be faces, surest first, after each look; each look makes use of those before it.

    The size in which the expected dice are surest gives places and sizes; the scores of the sizes next to it are added
    where they show the same dice, so that a value must be seen in more than one size to win.
    """
    long_edge = max(picture_bgr.shape[:2])
    seen: dict[float, list[Detection]] = {}
    for edges_px in LOOKS_PX:
        scales = [px / long_edge for px in edges_px if px / long_edge <= LARGEST_MAGNIFICATION]
        if scales or not seen:
            seen |= {scale: detector.detect(picture_bgr, scale) for scale in scales or [LARGEST_MAGNIFICATION]}
            by_scale = [seen[scale] for scale in sorted(seen)]
            best = int(np.argmax([_worth(ones, expect) for ones in by_scale]))
            yield fused(by_scale[max(0, best - 1) : best + 2], by_scale[best])


def _worth(ones: Sequence[Detection], expect: int | None) -> float:
    """How well a size shows dice: the sum of the scores of those expected, or of all sure ones."""
    if expect is not None:
        return sum(one.score for one in ones[:expect])
    return sum(one.score * (A_ONE if one.value == 1 else 1.0) for one in ones if one.score >= SURE)


def fused(by_scale: Sequence[Sequence[Detection]], chosen: Sequence[Detection]) -> list[Detection]:
    """One detection for each place, with the mean of the scores of the sizes; the chosen size gives place and size."""
    every = [*chosen, *non_max_suppression([one for ones in by_scale for one in ones])]
    places: list[Detection] = []
    for one in every:
        if not any(same_place(one, other) for other in places):
            places.append(one)
    means = []
    for place in places:
        seen = [next((one for one in ones if same_place(one, place)), None) for ones in by_scale]
        total = np.sum([one.scores for one in seen if one is not None], axis=0) / len(by_scale)
        means.append(Detection(place.x, place.y, place.size_px, total.astype(np.float32)))
    return sorted(means, key=lambda one: -one.score)
