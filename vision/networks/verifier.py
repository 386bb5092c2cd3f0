"""Verifier: a small CNN that tells a die from what only looks like the face of one, by what surrounds the face.

The half of a domino, the pips of a playing card and the stalk of an apple can look like faces. Around the face of a die
are its edges, its sides and its shadow, at the size that the pips give.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vision.networks.classifier import Place, crop_face, rotation
from vision.networks.network import Network
from vision.reading.reading import FrameBGR

MODEL = Path(__file__).parent.parent / "models" / "context.onnx"
"""The verifier's ONNX file."""
CONTEXT_PX = 72
"""Width and height of the verifier's input, a crop around one face, in pixels. The trained weights fix it: another
value needs a new training. Larger: more detail, more time."""
VIEWS = tuple((turn * np.pi / 4, factor) for turn in range(4) for factor in (1.0, 1.2))
"""Views of a face, as (rotation in radians, factor of its size), whose logits are averaged. More take more time; larger
factors show more ground."""


class Verifier:
    """The verifier network. One thread at a time may use it."""

    def __init__(self, model: Path = MODEL) -> None:
        self.network = Network(model)

    def are_dice(self, picture_bgr: FrameBGR, places: Sequence[Place]) -> bool:
        """Return whether the faces at the places, at least one, are those of dice, judged by all of them together.

        They are if the mean of the network's logits over all faces and views is positive.
        """
        logits = []
        for x, y, size_px in places:
            views = ((2 * factor * size_px, rotation(turn)) for turn, factor in VIEWS)  # three faces wide
            crops = [crop_face(picture_bgr, (x, y), width_px, turned, CONTEXT_PX) for width_px, turned in views]
            logits.append(self.network.forward(crops).mean())
        return bool(np.mean(logits) > 0)
