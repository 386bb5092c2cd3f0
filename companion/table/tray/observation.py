"""Observations of the tray: the dice at rest by zone, and their record in the journal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from companion.errors import Doubt


class Die(msgspec.Struct, frozen=True):
    """A die in the tray, with the value that was read, 1 to 6, and its confidence, 0 to 1.

    x is its place along the tray's longer side, and y along the shorter one. Its box is in pixels of the photo.
    """

    value: int
    x_mm: float
    y_mm: float
    confidence: float
    box_xywh: tuple[int, int, int, int]


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """A tray at rest: the dice in the throw zone and in the keep zone, and the photo that they were read from.

    Attributes:
        doubt: Why the reader does not trust its reading; None if it does.
        at_s: Time on the table's monotonic clock.
        emptied: Whether the throw zone has been seen without any dice since the observation before this one.
        keep_zone: Whether the tray has a keep zone; without one every die is in the throw zone.
    """

    thrown: tuple[Die, ...]
    kept: tuple[Die, ...]
    doubt: Doubt | None
    photo_jpeg: bytes | None
    at_s: float
    emptied: bool
    keep_zone: bool = True


def empty_tray(at_s: float) -> Observation:
    """Return the observation of a tray that is known to be empty at a time on the table's clock, without a photo."""
    return Observation(thrown=(), kept=(), doubt=None, photo_jpeg=None, at_s=at_s, emptied=True)


def reading_record(observation: Observation) -> dict[str, Any]:
    """Return the reading behind a throw as JSON, for the key `seen` of its journal entry: `doubt` and `dice`.

    `doubt` is None for a trusted reading. Each die has `box_xywh`, `read` (the value, 1 to 6), `confidence`, and `kept`
    (whether it lies in the keep zone). Dice whose value was not read are not in an observation, so they are missing.
    """
    zones = ((observation.thrown, False), (observation.kept, True))
    dice = [
        {"box_xywh": die.box_xywh, "read": die.value, "confidence": round(die.confidence, 4), "kept": kept}
        for zone, kept in zones
        for die in zone
    ]
    return {"doubt": observation.doubt, "dice": dice}


def values_of(dice: Iterable[Die]) -> tuple[int, ...]:
    """Return the values of the dice, ascending."""
    return tuple(sorted(die.value for die in dice))
