"""Throws that the reader doubted or had wrong, each die where it lay: to look over, and to make a better reader from.

A throw's values are known, not which die shows which: where that follows (`told_apart`) the throw is settled, else a
person says it die by die. What they say is kept beside the journal, whose lines it does not change.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from companion.errors import IllegalAction
from companion.history.export import PastGames
from companion.table.atomic import write_file
from companion.table.journal import Entry, entries_at
from companion.table.snapshot import Thrown
from companion.table.tray.observation import RecordedReading

log = logging.getLogger(__name__)

FILE_NAME = "review.json"
NO_DIE = 0
"""The value of a box that holds no die."""


class LabelledDie(msgspec.Struct, frozen=True):
    """A die of a throw to look over: as seen, and what it shows (0: no die; None: a person must say)."""

    box_xywh: tuple[int, int, int, int]
    read: int
    confidence: float
    kept: bool
    value: int | None


class ReviewedThrow(msgspec.Struct, frozen=True, kw_only=True):
    """A throw to look over.

    Attributes:
        throw: Its number, that of its photo.
        game: The number of its game.
        player: Who threw.
        values: What was thrown, as the game has it.
        source: `corrected`, `answered` (the reader doubted and a person said), or `camera`.
        doubt: The reader's doubt, if any.
        dice: Every die in the photo.
        settled: Whether it is known what each of them shows: only then it can be learnt from.
        by_hand: Whether a person has said so die by die.
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
    """What each die shows, given what was read of it and what all of them show together; None where that is open.

    A die whose reading fits keeps it. What is left over is clear when all of it shows one value, or is no die at all.

    >>> matched_values(read=(1, 5, 5), truth=(1, 5, 6))
    (1, None, None)
    >>> matched_values(read=(1, 5, 4), truth=(1, 5, 6))
    (1, 5, 6)
    """
    have, want = Counter(read), Counter(truth)
    spare = want - have  # values that nobody read
    if want.total() > have.total():
        return (None,) * len(read)  # a die was not seen: nothing says which box is whose
    if want.total() == have.total():
        rest = next(iter(spare)) if len(spare) == 1 else None
    else:
        rest = None if spare else NO_DIE
    # Of two that read the same and only one right, it is open which.
    return tuple(value if have[value] <= want[value] else rest if not want[value] else None for value in read)


class Review:
    """The throws of a data folder that are worth a look. Any thread may ask."""

    def __init__(self, folder: Path, past: PastGames | None = None) -> None:
        self._folder, self._past = folder, past or PastGames(folder)
        self._lock = threading.Lock()
        self._seen: dict[int, RecordedReading | None] = {}  # by the number of the throw's entry

    def throws(self) -> list[ReviewedThrow]:
        """The doubtful and the corrected throws that stand, newest first."""
        with self._lock:
            said = self._said()
            found = [
                _reviewed(game, thrown, seen, said.get(thrown.number)) for game, thrown, seen in self._to_look_over()
            ]
        return sorted(found, key=lambda each: -each.throw)

    def say(self, throw: int, values: Sequence[int]) -> None:
        """Say what each die of such a throw's photo shows, 0 for what is no die. Raises IllegalAction."""
        with self._lock:
            seen = next((seen for _, thrown, seen in self._to_look_over() if thrown.number == throw), None)
            if seen is None:
                raise IllegalAction(f"Throw {throw} has no photo with dice to tell apart.")
            if len(values) != len(seen.dice):
                raise IllegalAction(f"The photo of throw {throw} has {len(seen.dice)} dice: name a value for each.")
            said = {**self._said(), throw: tuple(values)}
            write_file(self._folder / FILE_NAME, (msgspec.json.encode(said),))

    def _said(self) -> dict[int, tuple[int, ...]]:
        try:
            return msgspec.json.decode((self._folder / FILE_NAME).read_bytes(), type=dict[int, tuple[int, ...]])
        except FileNotFoundError:
            return {}
        except msgspec.MsgspecError as spoilt:
            log.warning("what was said of the dice can't be read (%s): it must be said again", spoilt)
            return {}

    def _to_look_over(self) -> list[tuple[int, Thrown, RecordedReading]]:
        """The number of its game, the throw, and what was seen of it: that of an entry never changes."""
        doubted = [(game.number, line.number, line.thrown) for game, line in self._past.doubted() if line.thrown]
        unknown = [number for _, number, _ in doubted if number not in self._seen]
        self._seen |= {entry.number: _seen(entry) for entry in entries_at(self._folder, unknown)}
        return [(game, thrown, seen) for game, number, thrown in doubted if (seen := self._seen.get(number))]


def _seen(entry: Entry) -> RecordedReading | None:
    return msgspec.convert(entry.body["seen"], RecordedReading) if "seen" in entry.body else None


def _reviewed(game: int, thrown: Thrown, seen: RecordedReading, said: tuple[int, ...] | None) -> ReviewedThrow:
    loose = [die.read for die in seen.dice if not die.kept]
    apart = iter(matched_values(loose, thrown.values))
    guessed = tuple(die.read if die.kept else next(apart) for die in seen.dice)
    by_hand = said is not None and len(said) == len(seen.dice)
    values = said if by_hand and said is not None else guessed
    dice = tuple(
        LabelledDie(die.box_xywh, die.read, die.confidence, die.kept, value)
        for die, value in zip(seen.dice, values, strict=True)
    )
    return ReviewedThrow(
        throw=thrown.number,
        game=game,
        player=thrown.player,
        values=thrown.values,
        source=thrown.source,
        doubt=seen.doubt,
        dice=dice,
        settled=bool(dice) and None not in values,
        by_hand=by_hand,
    )
