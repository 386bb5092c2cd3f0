"""The lesson: a set of dice is taught throw by throw, and meanwhile no throw counts in the game."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from companion.errors import IllegalAction, counted
from companion.evidence.package import COMPRESSED
from companion.evidence.taught import TaughtSets
from vision.images.loading import jpeg
from vision.teaching.witness import MIN_THROWS, NO_FACE
from vision.watching.watcher import Settled

IDLE_S = 300.0
"""Seconds without a throw or label after which the lesson of a set of dice ends. While it is on, no throw counts in the
game. Higher: an abandoned lesson blocks the game longer. Lower: it ends while the owner fetches the dice."""


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A set of dice that is being taught, until `ends_s` if nothing happens.

    `settled` is its last throw until that is labelled, `number` its number, unlike that of any earlier lesson's throw.
    """

    name: str
    ends_s: float
    number: int = 0
    settled: Settled | None = None


class Teacher:
    """Teaches sets of dice. While a lesson is on, throws belong to it and not to the game. Thread-safe."""

    def __init__(self, taught: TaughtSets, clock: Callable[[], float] = time.monotonic) -> None:
        self.taught = taught
        self._clock = clock
        self._lesson: Lesson | None = None
        self._numbers = count(1)  # across lessons, so that an answer to a throw of an earlier one is refused
        self._lock = threading.Lock()  # of `_lesson`
        self._learning = threading.Lock()  # held by a label, so that a second one for its throw is refused

    def lesson(self) -> Lesson | None:
        """Return the lesson in which a set of dice is being taught; None if there is none or its time is over."""
        lesson = self._lesson
        return lesson if lesson is not None and self._clock() < lesson.ends_s else None

    def health(self) -> tuple[bool, str]:
        """Return whether throws count and every taught set could be read, and a sentence for the pages.

        While a lesson is on, no throw counts.
        """
        if self.lesson():
            return False, "The host is teaching the table dice. No throw counts until that ends (/teach)."
        return self.taught.health()

    def view(self) -> dict[str, Any]:
        """Return the state of the lesson as JSON for the page `/teach`.

        Returns:
            `set`: name of the set that is being taught, or None. `enough`: number of labelled throws from which a set
            is used. `sets`: every taught set, with `name`, `throws`, `faces` and `usable` (`TaughtSets.sets`).
            `throw`: None, or the throw that waits for its labels, with `number` and `dice`. Only dice that could be
            read are listed, each with `box_xywh` in pixels, `read` (its value as read) and `confidence`.
        """
        lesson, throw = self.lesson(), None
        if lesson is not None and lesson.settled is not None:
            dice = [die for die in lesson.settled.reading.dice if die.value is not None]
            rows = [{"box_xywh": die.box_xywh, "read": die.value, "confidence": die.confidence} for die in dice]
            throw = {"number": lesson.number, "dice": rows}
        name = lesson.name if lesson else None
        return {"set": name, "enough": MIN_THROWS, "sets": self.taught.sets(), "throw": throw}

    def begin(self, name: str) -> None:
        """Begin a lesson for this set of dice, in place of any other, until `end` or IDLE_S after its last use."""
        with self._lock:
            self._lesson = Lesson(name, self._clock() + IDLE_S)

    def end(self) -> None:
        """End the lesson, and drop a throw that waits for its labels: throws count in the game again."""
        with self._lock:
            self._lesson = None

    def offer(self, settled: Settled) -> None:
        """If a lesson is on, keep a throw with a readable die until it is labelled, in place of one that still waits.

        The lesson then ends IDLE_S from now. Without a lesson or a readable die nothing changes.
        """
        with self._lock:
            lesson = self.lesson()
            if lesson is not None and any(die.value is not None for die in settled.reading.dice):
                ends_s = self._clock() + IDLE_S
                self._lesson = replace(lesson, number=next(self._numbers), ends_s=ends_s, settled=settled)

    def picture_jpeg(self) -> bytes | None:
        """Return the picture of the throw that waits for its labels as JPEG; None if none waits."""
        lesson = self.lesson()
        return jpeg(lesson.settled.frame.image_bgr, *COMPRESSED) if lesson and lesson.settled else None

    def forget(self, name: str) -> None:
        """Delete everything that was taught of a set of dice. Raises DeviceError if its file can't be deleted."""
        self.taught.forget(name)

    def label(self, number: int, values: Sequence[int]) -> None:
        """Add the throw that waits, with its true values, to the set that is being taught.

        Afterwards no throw waits, unless another one was offered meanwhile, and the lesson goes on for IDLE_S from now.
        `number` is the throw's number in `view`. `values` has one value for each die, in the order of `view`: 1 to 6,
        or `NO_FACE` (0) for no die.

        Raises:
            IllegalAction: Another throw or none waits, the number of values is wrong, or a value is not 0 to 6.
            DeviceError: The set can't be stored.
        """
        with self._learning:  # learning may wait for all sets to load, and the camera must not wait for that
            lesson = self.lesson()
            if lesson is None or lesson.settled is None or lesson.number != number:
                raise IllegalAction("That throw is no longer there. Throw again.")
            reading, settled = lesson.settled.reading, lesson.settled
            read = [die for die in reading.dice if die.value is not None]
            if len(values) != len(read) or any(not NO_FACE <= value <= 6 for value in values):
                dice = counted(len(read), "die", "dice")
                raise IllegalAction(f"That throw has {dice}: give one value, 0 to 6, for each.")
            left = iter(values)
            labels = [None if die.value is None else next(left) for die in reading.dice]
            self.taught.learn(lesson.name, settled.frame.image_bgr, reading, labels, settled.rig)
            with self._lock:
                if self._lesson is lesson:
                    self._lesson = replace(lesson, ends_s=self._clock() + IDLE_S, settled=None)
