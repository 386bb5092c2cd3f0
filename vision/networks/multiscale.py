"""Finds what may be faces in a picture of unknown scale: looked at as a whole first, and closer only when asked to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from vision.networks.detector import Mark, Network, apart, same_place
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
"""Score from which a mark counts as a die when nobody says how many there are."""


def looks(picture_bgr: FrameBGR, network: Network, expect: int | None = None) -> Iterator[list[Mark]]:
    """What may be faces, surest first, after each look; each look makes use of those before it.

    The size in which the expected dice are surest gives places and sizes; the scores of the sizes next to it are added
    where they mark the same dice, so that a value must be seen in more than one size to win.
    """
    long_edge = max(picture_bgr.shape[:2])
    seen: dict[float, list[Mark]] = {}
    for edges_px in LOOKS_PX:
        scales = [px / long_edge for px in edges_px if px / long_edge <= LARGEST_MAGNIFICATION]
        if scales or not seen:
            seen |= {scale: network.marks(picture_bgr, scale) for scale in scales or [LARGEST_MAGNIFICATION]}
            by_scale = [seen[scale] for scale in sorted(seen)]
            best = int(np.argmax([_worth(marks, expect) for marks in by_scale]))
            yield _fused(by_scale[max(0, best - 1) : best + 2], by_scale[best])


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
