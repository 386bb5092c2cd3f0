"""Finds dice in a picture of unknown scale: the network looks at it in several sizes, the best one counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.network import LONG_EDGES_PX, Mark, Network, apart, same_place
from vision.reading import FrameBGR

LARGEST_MAGNIFICATION = 2.0
"""A picture is never magnified more: it holds no more detail, and noise looks like pips."""
A_ONE = 1 / 6
"""What a one counts when nobody says how many dice there are: looked at too closely, the pips of a six are six ones."""
FINER = 2**0.5
"""From one size to the next."""
LONGEST_EDGE_PX = 1600
"""No picture is looked at larger: it would take a second."""
SURE = 0.35
"""Score from which a mark counts as a die when nobody says how many there are."""


def detected(picture_bgr: FrameBGR, network: Network, expect: int | None = None) -> list[Mark]:
    """What may be faces in a picture, surest first; more than `expect`, the number of dice, where that is given.

    The size in which the expected dice are surest is taken; the scores of the sizes next to it are added where they
    mark the same dice, so that a value must be seen in more than one size to win.
    """
    long_edge = max(picture_bgr.shape[:2])
    scales = [px / long_edge for px in LONG_EDGES_PX if px / long_edge <= LARGEST_MAGNIFICATION]
    by_scale = [network.marks(picture_bgr, scale) for scale in scales]
    if not by_scale:
        return []
    best = int(np.argmax([_worth(marks, expect) for marks in by_scale]))
    while best == 0 and FINER * scales[0] <= min(LARGEST_MAGNIFICATION, LONGEST_EDGE_PX / long_edge):
        # Dice seem to be smaller than they should: only then is a larger picture worth its time.
        scales.insert(0, FINER * scales[0])
        by_scale.insert(0, network.marks(picture_bgr, scales[0]))
        best = int(np.argmax([_worth(marks, expect) for marks in by_scale]))
    return _fused(by_scale[max(0, best - 1) : best + 2], by_scale[best])


def _worth(marks: Sequence[Mark], expect: int | None) -> float:
    """How well a size shows dice: the sum of the scores of those expected, or of all sure ones."""
    if expect is not None:
        return sum(mark.score for mark in marks[:expect])
    return sum(mark.score * (A_ONE if mark.value == 1 else 1.0) for mark in marks if mark.score >= SURE)


def _fused(by_scale: Sequence[Sequence[Mark]], chosen: Sequence[Mark]) -> list[Mark]:
    """One mark for each place, with the mean of the scores of the sizes; the chosen size gives place and size."""
    every = [*chosen, *apart([mark for marks in by_scale for mark in marks])]
    places: list[Mark] = []
    for mark in every:
        if not any(same_place(mark, other) for other in places):
            places.append(mark)
    fused = []
    for place in places:
        seen = [next((mark for mark in marks if same_place(mark, place)), None) for marks in by_scale]
        total = np.sum([mark.scores for mark in seen if mark is not None], axis=0) / len(by_scale)
        fused.append(Mark(place.x, place.y, place.size_px, total.astype(np.float32)))
    return sorted(fused, key=lambda mark: -mark.score)
