"""Detection passes over a picture of unknown scale: small scales at first, larger ones only when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from vision.networks.detector import NMS_DISTANCE, Detection, Detector, non_max_suppression
from vision.reading.reading import FrameBGR

PASSES_PX = ((400, 283, 200), (566,), (800,), (1131,))
"""Long edges, in pixels, to which the picture is scaled in each pass. The second costs little more than the first.
Each later one costs about twice the one before. The first covers faces of 1/27 to 2/7 of the long
edge, the last finds dice of 1/75. A larger last edge finds smaller dice and takes more time."""

VISIBLE_FACE_PX = (16.0, 56.0)
"""Smallest and largest face, in pixels of the scaled picture, that the detector must find. A miss at such a scale
lowers the fused score. Scales at which dice of known size lie outside are skipped. Wider: slower, and lower scores."""
MAX_SIZE_LOG_RATIO = 0.35
"""Natural logarithm of the size ratio below which detections at two scales can be the same face. With a larger one
faces of different sizes at one place are merged."""
MAX_DETECTIONS = 60
"""Largest number of detections kept at each scale, and again after fusion: the best ones. Carpets give hundreds of
false ones. Larger: slower. Smaller: dice in a busy picture are dropped."""


def passes(picture_bgr: FrameBGR, detector: Detector, size_px: float | None = None) -> Iterator[list[Detection]]:
    """Search a picture for dice faces in passes at ever larger scales, and yield all detections so far after each.

    A pass tries the scales of one entry of PASSES_PX, and runs only when its result is asked for. Detections of all
    scales tried so far are fused, best first. With `size_px`, scales at which the detector would not see a face of that
    size in pixels are left out. A pass without a scale is skipped. If no scale is left, or `size_px` is None, all are
    tried.
    """
    least, most = VISIBLE_FACE_PX
    every = [[px / max(picture_bgr.shape[:2]) for px in edges_px] for edges_px in PASSES_PX]
    suited = [[scale for scale in scales if size_px and least <= scale * size_px <= most] for scales in every]
    by_scale: dict[float, list[Detection]] = {}
    for scales in filter(None, suited if any(suited) else every):
        by_scale |= {scale: detector.detect(picture_bgr, scale)[:MAX_DETECTIONS] for scale in scales}
        yield fuse(by_scale)


def fuse(by_scale: Mapping[float, Sequence[Detection]]) -> list[Detection]:
    """Return the best detection at each place over several scales, best first, at most MAX_DETECTIONS.

    First the class scores of each detection are fused: averaged over its own scale and all others at which a face of
    that size would be visible. A scale without a detection there counts as 0, so a texture that looks like a face at
    one scale gets a low score. Then the detection with the best fused score stays at each place, with its own position
    and size, in pixels of the unscaled picture.
    """
    every = [detection for detections in by_scale.values() for detection in detections]
    if not every:
        return []
    scales = np.array([scale for scale, detections in by_scale.items() for _ in detections])
    xy, sizes = np.array([(each.x, each.y) for each in every]), np.array([each.size_px for each in every])
    scores = np.array([each.scores for each in every])
    distances = np.hypot(*(xy[:, None] - xy).transpose(2, 0, 1))
    same_position = distances < NMS_DISTANCE * (sizes[:, None] + sizes)
    same = same_position & (np.abs(np.log(sizes[:, None] / sizes)) < MAX_SIZE_LOG_RATIO)
    total, count = np.zeros_like(scores), np.zeros((len(every), 1))
    for scale in by_scale:
        here = scales == scale
        in_range = (VISIBLE_FACE_PX[0] <= sizes * scale) & (sizes * scale <= VISIBLE_FACE_PX[1])
        visible = (here | in_range)[:, None]
        best_here = np.where(same & here, scores.max(1), 0.0)
        total += visible * (best_here.max(1) > 0)[:, None] * scores[best_here.argmax(1)]
        count += visible
    means = (total / count).astype(np.float32)
    fused = [replace(each, scores=mean) for each, mean in zip(every, means, strict=True)]
    return non_max_suppression(fused)[:MAX_DETECTIONS]
