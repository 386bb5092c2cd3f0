"""What was read in a picture: the dice, how sure each is, and why the whole is not to be trusted, if it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FrameBGR = NDArray[np.uint8]
"""(height, width, 3) uint8 in OpenCV's order: blue, green, red."""


@dataclass(frozen=True, slots=True)
class Die:
    """One die: its upper face's value 1 to 6, its box in pixels (x, y, width, height), its confidence 0 to 1."""

    value: int
    box_xywh: tuple[int, int, int, int]
    confidence: float

    @property
    def centre_xy(self) -> tuple[float, float]:
        """The middle of the box in pixels."""
        x, y, w, h = self.box_xywh
        return x + w / 2, y + h / 2


@dataclass(frozen=True, slots=True)
class Reading:
    """All dice of one picture, left to right, and a doubt's short code, or None when the reading is trusted.

    Doubts: `count` (not as many dice as expected), `disagree` (the readers differ), `unread` (a die that no reader
    could read), `cut_off`, `touching`, `cocked`, `blur`, `dark`, `glare`.
    """

    dice: tuple[Die, ...]
    doubt: str | None

    @property
    def trusted(self) -> bool:
        """Whether the values may be used without asking a person."""
        return self.doubt is None

    @property
    def values(self) -> tuple[int, ...]:
        """The values of the upper faces, sorted."""
        return tuple(sorted(die.value for die in self.dice))


class Reader(Protocol):
    """Anything that reads the dice of a picture."""

    def read(self, frame_bgr: FrameBGR, expect: int | None = None) -> Reading:
        """Read one picture. `expect`: the number of dice that lie there, when the rules or a person know it."""
