"""Throws that the reader doubted or misread, with each die's box: to look over, and as training data.

The values of a throw are known, but not which die shows which. Where `matched_values` can tell, the throw is settled;
otherwise a person labels it die by die. Their labels are kept in a file beside the journal, which stays unchanged.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from companion.errors import IllegalAction, counted, explained
from companion.history.accuracy import CameraThrow, camera_throws
from companion.history.export import PastGames
from companion.table.atomic import free_path, write_file
from companion.table.journal import entries_at
from companion.table.snapshot import Thrown

log = logging.getLogger(__name__)

FILE_NAME = "review.json"
"""File of the labels that people gave, in the data folder."""
ASIDE = "review.damaged-"
"""Start of the name that a damaged file of labels gets, `review.damaged-N.json`."""
NO_DIE = 0
"""Label of a box that holds no die. Stored in `review.json`, so another number would make stored labels wrong."""


class LabelledDie(msgspec.Struct, frozen=True):
    """One box of a throw to look over, decoded from its journal entry.

    Attributes:
        box_xywh: Box in pixels of the photo.
        read: Value that the reader gave, 1 to 6.
        confidence: Confidence of that value, 0 to 1.
        kept: Whether the die is in the keep zone.
        value: Its true value; `NO_DIE` where the box holds no die; None where a person must label it.
    """

    box_xywh: tuple[int, int, int, int]
    read: int
    confidence: float
    kept: bool
    value: int | None = None


class RecordedReading(msgspec.Struct, frozen=True):
    """The reading of a throw in its journal entry, as `reading_record` of `companion.table` writes it."""

    doubt: str | None
    dice: tuple[LabelledDie, ...]


class ReviewedThrow(msgspec.Struct, frozen=True, kw_only=True):
    """A throw to look over.

    Attributes:
        throw: Number of the throw and its photo.
        game: Number of its game.
        player: Player who threw.
        values: Values that count in the game.
        source: `corrected`, `answered` (the reader doubted and a person gave the values), or `camera`.
        doubt: Code of the reader's doubt, or None.
        dice: Every box in the photo.
        settled: Whether each box has a label. Only settled throws are training data.
        by_hand: Whether a person gave the labels, one for each box.
    """

    throw: int
    game: int
    player: str
    values: tuple[int, ...]
    source: str
    doubt: str | None
    dice: tuple[LabelledDie, ...]
    settled: bool
    by_hand: bool


def matched_values(read: Sequence[int], truth: Sequence[int]) -> tuple[int | None, ...]:
    """Return the true value of each box in a photo, from the values read and the true values of the throw.

    - Fewer boxes than dice: None for every box.
    - A value that no more boxes show than dice have: these boxes are right.
    - A value that dice have, but more boxes show: None, as one can't tell which of these boxes are right.
    - A value that no die has, with as many boxes as dice: the one value that too few boxes show; None if several.
    - A value that no die has, with more boxes than dice: None if too few boxes show some value, else `NO_DIE`.

    Args:
        read: Value read of each box.
        truth: True values of the throw, in any order.

    Returns:
        True value of each box in the order of `read`: `NO_DIE` for no die, None where it can't be told.

    >>> matched_values(read=(1, 5, 5), truth=(1, 5, 6))
    (1, None, None)
    >>> matched_values(read=(1, 5, 4), truth=(1, 5, 6))
    (1, 5, 6)
    """
    have, want = Counter(read), Counter(truth)
    spare = want - have  # values that no die was read as
    if want.total() > have.total():
        return (None,) * len(read)  # a die was not detected: no box can be matched
    if want.total() == have.total():
        rest = next(iter(spare)) if len(spare) == 1 else None
    else:
        rest = None if spare else NO_DIE
    # Two dice have the same reading and only one is right: it is ambiguous which.
    return tuple(value if have[value] <= want[value] else rest if not want[value] else None for value in read)


class Review:
    """The doubted and corrected throws of a data folder, and the labels that people gave. Thread-safe."""

    def __init__(self, folder: Path, past: PastGames | None = None) -> None:
        self._folder, self._past = folder, past or PastGames(folder)
        self._lock = threading.Lock()
        self._readings: dict[int, RecordedReading | None] = {}  # by the number of the throw's entry

    def throws(self) -> list[ReviewedThrow]:
        """Return the doubted and corrected throws that were not taken back, with their labels, newest first.

        Throws without a reading in their journal entry are left out. A damaged file of labels is renamed and logged,
        and counts as empty. Raises DeviceError if the journal or the labels can't be read.
        """
        with self._lock:
            labels = self._labels()
            throws = [_reviewed(*each, labels.get(each[1].number)) for each in self._to_look_over()]
        return sorted(throws, key=lambda each: -each.throw)

    def camera_throws(self) -> list[CameraThrow]:
        """Return every throw that stands and that the camera read, oldest first.

        Raises DeviceError if the journal can't be read.
        """
        return camera_throws(self._past, self._folder)

    def label(self, throw: int, values: Sequence[int]) -> None:
        """Store a person's label of each box of a throw in `review.json`, in place of the throw's earlier labels.

        `values` are the true value of each box, in the order of `ReviewedThrow.dice`; `NO_DIE` for no die. A damaged
        file is first renamed and logged; the new file then has only this throw's labels.

        Raises:
            IllegalAction: The throw is not in `throws()`, or the number of values is not that of the boxes.
            DeviceError: The journal or the labels can't be read, or the file can't be written; the earlier labels stay.
        """
        with self._lock:
            reading = next((reading for _, thrown, reading in self._to_look_over() if thrown.number == throw), None)
            if reading is None:
                raise IllegalAction(f"Throw {throw} has no photo with dice to label. Choose one of the listed throws.")
            if len(values) != len(reading.dice):
                dice = counted(len(reading.dice), "die", "dice")
                raise IllegalAction(f"The photo of throw {throw} has {dice}: give one value for each.")
            labels = {**self._labels(), throw: tuple(values)}
            cure = "Free some space or make the folder writable."
            with explained(f"The labels can't be kept in {self._folder}", cure):
                write_file(self._folder / FILE_NAME, (msgspec.json.encode(labels),))

    def health(self) -> tuple[bool, str]:
        """Return whether no damaged file of labels lies set aside, and a sentence for the page."""
        for aside in self._folder.glob(f"{ASIDE}*.json"):
            cure = f"Mend it as {FILE_NAME}, or label the dice anew; then move it to another folder."
            return False, f"The labels of reviewed throws were damaged. The file as it was is {aside}. {cure}"
        return True, "no damaged labels"

    def _labels(self) -> dict[int, tuple[int, ...]]:
        """Return the labels that people gave: throw number -> value of each box in its photo, NO_DIE for no die.

        Empty if the file is missing. A damaged file is renamed and logged, and `health` reports it; the result is then
        empty, too. Raises DeviceError if the file can't be read or renamed.
        """
        file = self._folder / FILE_NAME
        cure = "Make the file readable, or move it away; the dice are then labelled anew."
        with explained(f"The labels in {file} can't be read", cure), suppress(FileNotFoundError):
            try:
                return msgspec.json.decode(file.read_bytes(), type=dict[int, tuple[int, ...]])
            except (msgspec.MsgspecError, UnicodeDecodeError) as spoilt:
                log.warning("%s is damaged (%s): it is set aside", file, spoilt)
                file.rename(free_path(self._folder, ASIDE, ".json"))
        return {}

    def _to_look_over(self) -> list[tuple[int, Thrown, RecordedReading]]:
        """Return game number, throw and recorded reading of each doubted or corrected throw, oldest first.

        Throws that were taken back, and throws without a reading in their journal entry, are left out. Raises
        DeviceError if the journal can't be read.
        """
        doubted = [(game.number, line.number, line.thrown) for game, line in self._past.doubted() if line.thrown]
        unknown = [number for _, number, _ in doubted if number not in self._readings]
        for entry in entries_at(self._folder, unknown):  # read once: an entry never changes
            seen = entry.body.get("seen")
            self._readings[entry.number] = msgspec.convert(seen, RecordedReading) if seen else None
        return [(game, thrown, reading) for game, number, thrown in doubted if (reading := self._readings.get(number))]


def _reviewed(game: int, thrown: Thrown, reading: RecordedReading, labels: tuple[int, ...] | None) -> ReviewedThrow:
    """Return a throw of game number `game` for review, with a label for each box where one is known.

    `labels` are a person's for all boxes, those in the keep zone included. If they are None or not one for each box,
    the values read are matched with the throw's (`matched_values`); dice in the keep zone get the value read.
    """
    by_hand = labels is not None and len(labels) == len(reading.dice)
    if labels is None or not by_hand:
        matched = iter(matched_values([die.read for die in reading.dice if not die.kept], thrown.values))
        values = tuple(die.read if die.kept else next(matched) for die in reading.dice)
    else:
        values = labels
    dice = tuple(msgspec.structs.replace(die, value=value) for die, value in zip(reading.dice, values, strict=True))
    return ReviewedThrow(
        throw=thrown.number,
        game=game,
        player=thrown.player,
        values=thrown.values,
        source=thrown.source,
        doubt=reading.doubt,
        dice=dice,
        settled=bool(dice) and None not in values,
        by_hand=by_hand,
    )
