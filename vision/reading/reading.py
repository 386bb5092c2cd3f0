"""What was read in a picture: the dice, how sure each is, and why the whole is not to be trusted, if it is not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FrameBGR = NDArray[np.uint8]
"""(height, width, 3) uint8 in OpenCV's order: blue, green, red."""

Box = tuple[int, int, int, int]
"""Left, top, width, height in whole pixels."""


class Doubt(StrEnum):
    """Why a reading is not trusted."""

    COUNT = "count"
    """Not as many dice as expected; or where nobody knows how many, one more or one fewer is nearly as likely."""
    UNREAD = "unread"
    """A die whose value is not sure, or something of a die's size in which no face was found."""
    DISAGREE = "disagree"
    """Detector and classifier, or several frames, say different things of a die."""
    CUT_OFF = "cut_off"
    """A die, or something as large, lies across the edge of what is looked at."""
    COCKED = "cocked"
    """A die lies on another, or leans: two faces overlap, or one is of a size that no flat die has."""


@dataclass(frozen=True, slots=True)
class Die:
    """One die.

    Attributes:
        value: Of its upper face, 1 to 6; None when none could be read.
        box_xywh: Where it lies in the picture.
        confidence: 0 to 1.
    """

    value: int | None
    box_xywh: Box
    confidence: float

    @property
    def centre_xy(self) -> tuple[float, float]:
        """The middle of the box in pixels."""
        x, y, w, h = self.box_xywh
        return x + w / 2, y + h / 2


@dataclass(frozen=True, slots=True)
class Reading:
    """All dice of one picture, left to right, and a doubt, or None when the reading is trusted.

    >>> reading = Reading((Die(5, (0, 0, 40, 40), 0.99), Die(2, (80, 0, 40, 40), 0.98)), Doubt.COUNT)
    >>> reading.values, reading.trusted
    ((2, 5), False)
    """

    dice: tuple[Die, ...]
    doubt: Doubt | None

    @property
    def trusted(self) -> bool:
        """Whether the values may be used without asking a person."""
        return self.doubt is None

    @property
    def values(self) -> tuple[int, ...]:
        """The values that were read, sorted."""
        return tuple(sorted(die.value for die in self.dice if die.value is not None))
