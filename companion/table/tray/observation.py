"""Observations of the tray: the dice of a settled tray by zone, and the record of a reading kept in the journal."""

from __future__ import annotations

from typing import Any

import msgspec


class Die(msgspec.Struct, frozen=True):
    """A die in the tray: value, place in the tray in millimetres, how sure (0 to 1), its box in the photo."""

    value: int
    x_mm: float
    y_mm: float
    confidence: float
    box_xywh: tuple[int, int, int, int]


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """A tray at rest. `doubt` is None when the reading is trusted, else a code of `vision.reading.reading.Reading`.

    Attributes:
        thrown: Dice in the throw zone.
        kept: Dice in the keep zone.
        photo_jpeg: The picture it was read from.
        at_s: When, on the table's monotonic clock.
        emptied: Whether the throw zone has been seen without any dice since the observation before this one.
        keep_zone: Whether the tray has a keep zone; without one every die lies in the throw zone.
    """

    thrown: tuple[Die, ...]
    kept: tuple[Die, ...]
    doubt: str | None
    photo_jpeg: bytes | None
    at_s: float
    emptied: bool
    keep_zone: bool = True


class RecordedDie(msgspec.Struct, frozen=True):
    """A die as the reader saw it.

    Attributes:
        box_xywh: Its box in the photo, in pixels.
        read: The value that was read.
        confidence: Confidence of that value, 0 to 1.
        kept: Whether the die was in the keep zone.
    """

    box_xywh: tuple[int, int, int, int]
    read: int
    confidence: float
    kept: bool


class RecordedReading(msgspec.Struct, frozen=True):
    """The reading of a throw as the journal keeps it: the code of its doubt, if any, and its dice."""

    doubt: str | None
    dice: tuple[RecordedDie, ...]


def reading_record(observation: Observation) -> dict[str, Any]:
    """Encode the reading behind a throw for its journal entry, in the form of `RecordedReading`."""
    dice = tuple(
        RecordedDie(die.box_xywh, die.value, round(die.confidence, 4), kept)
        for zone, kept in ((observation.thrown, False), (observation.kept, True))
        for die in zone
    )
    record: dict[str, Any] = msgspec.to_builtins(RecordedReading(observation.doubt, dice))
    return record
