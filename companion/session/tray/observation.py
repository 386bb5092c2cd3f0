"""What the tray shows: the dice of a settled tray by zone, as the session takes them from whatever sees the tray."""

from __future__ import annotations

import msgspec


class Die(msgspec.Struct, frozen=True):
    """A die in the tray: value, place in the tray in millimetres, how sure (0 to 1), its box in the photo."""

    value: int
    x_mm: float
    y_mm: float
    confidence: float
    box_xywh: tuple[int, int, int, int]


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """A tray at rest. `doubt` is None when the reading is trusted, else a code of `vision.reading.Reading`.

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
