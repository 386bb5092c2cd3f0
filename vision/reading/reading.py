"""The result of reading a picture: the dice, their confidence, and the doubt if the reading is not trusted."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from companion.errors import Doubt as Doubt

Floats = NDArray[np.float64]
FrameBGR = NDArray[np.uint8]
"""(height, width, 3) uint8 in OpenCV's channel order: blue, green, red."""

Box = tuple[int, int, int, int]
"""Left, top, width, height in whole pixels."""


@dataclass(frozen=True, slots=True)
class Die:
    """One die in a picture.

    Attributes:
        value: Value of the upper face, 1 to 6; None if it could not be read.
        box_xywh: Bounding box in pixels of the picture.
        confidence: Confidence of the value, 0 to 1.
    """

    value: int | None
    box_xywh: Box
    confidence: float

    @property
    def centre_xy(self) -> tuple[float, float]:
        """Centre (x, y) of the die's bounding box, in pixels of the picture."""
        x, y, w, h = self.box_xywh
        return x + w / 2, y + h / 2


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate that the reader chose as a die or rejected, with the scores of both networks.

    Attributes:
        box_xywh: Bounding box in pixels of the picture.
        accepted: Whether it was chosen as a die.
        score: Fused score that it is a face, 0 to 1.
        probabilities: (7) the classifier's: no face, then the values 1 to 6.
        detected: (6) the detector's class scores.
    """

    box_xywh: Box
    accepted: bool
    score: float
    probabilities: tuple[float, ...]
    detected: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """All dice of one picture, left to right, and the doubt; a reading without a doubt is trusted.

    `candidates` holds what the dice were chosen from, for records. A comparison of two readings ignores it.

    >>> reading = Reading((Die(5, (0, 0, 40, 40), 0.99), Die(2, (80, 0, 40, 40), 0.98)), Doubt.COUNT)
    >>> reading.values, reading.trusted
    ((2, 5), False)
    """

    dice: tuple[Die, ...]
    doubt: Doubt | None
    candidates: tuple[Scored, ...] = field(default=(), compare=False, repr=False)

    @property
    def trusted(self) -> bool:
        """Whether the dice's values may be used without asking a person: the reading has no doubt."""
        return self.doubt is None

    @property
    def values(self) -> tuple[int, ...]:
        """Values of the dice, sorted in ascending order; unread dice are left out."""
        return tuple(sorted(die.value for die in self.dice if die.value is not None))
