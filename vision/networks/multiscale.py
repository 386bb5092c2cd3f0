"""Finds what may be faces in a picture of unknown scale: looked at as a whole first, and closer only when asked to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from vision.networks.detector import SAME_PLACE, SAME_SIZE, Detection, Detector, non_max_suppression
from vision.reading.reading import FrameBGR

LOOKS_PX = ((400, 283, 200), (566,), (800,), (1131,))
"""Long edges to which a picture is brought, look by look. The network knows faces of 15 to 58 px: at 400 to 200 px
these are 1/27 to 2/7 of the long edge, six dice that fill a picture or lie far apart in it. Each closer look costs
twice as much as the one before; the closest finds dice of 1/75 of the long edge."""
LARGEST_MAGNIFICATION = 2.0
"""A picture is never magnified more: it holds no more detail, and noise looks like pips."""
KNOWN_PX = (16.0, 56.0)
"""Faces of these sizes the network can't miss: it knows a little more."""
MOST = 60
"""So many detections of each scale, and of all together, are used, the surest: a carpet has hundreds."""


def looks(picture_bgr: FrameBGR, detector: Detector) -> Iterator[tuple[float, list[Detection]]]:
    """What may be faces, surest first, after each look, and its closest scale; each makes use of those before it."""
    long_edge = max(picture_bgr.shape[:2])
    seen: dict[float, list[Detection]] = {}
    for edges_px in LOOKS_PX:
        scales = [px / long_edge for px in edges_px if px / long_edge <= LARGEST_MAGNIFICATION]
        if scales or not seen:
            seen |= {scale: detector.detect(picture_bgr, scale)[:MOST] for scale in scales or [LARGEST_MAGNIFICATION]}
            yield max(seen), fused(seen)


def fused(seen: Mapping[float, Sequence[Detection]]) -> list[Detection]:
    """One detection for each place, by the mean of its scores in all scales in which its size can be seen.

    A value must be seen in more than one scale to win, and what only looks like a face in one of them scores less.
    """
    every = [one for ones in seen.values() for one in ones]
    if not every:
        return []
    scales = np.array([scale for scale, ones in seen.items() for _ in ones])
    xy, sizes = np.array([(one.x, one.y) for one in every]), np.array([one.size_px for one in every])
    scores = np.array([one.scores for one in every])
    away = np.hypot(*(xy[:, None] - xy).transpose(2, 0, 1))
    same = (away < SAME_PLACE * (sizes[:, None] + sizes)) & (np.abs(np.log(sizes[:, None] / sizes)) < SAME_SIZE)
    total, looks = np.zeros_like(scores), np.zeros((len(every), 1))
    for scale in seen:
        here = scales == scale
        known = (here | ((KNOWN_PX[0] <= sizes * scale) & (sizes * scale <= KNOWN_PX[1])))[:, None]
        seen_here = np.where(same & here, scores.max(1), 0.0)
        total += known * (seen_here.max(1) > 0)[:, None] * scores[seen_here.argmax(1)]
        looks += known
    means = (total / looks).astype(np.float32)
    return non_max_suppression([replace(one, scores=mean) for one, mean in zip(every, means, strict=True)])[:MOST]
