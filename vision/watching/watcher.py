"""Watching a tray: frames in; out comes what a table must know: something moves, or it has come to rest and was read.

A camera that fails is opened again, with growing pauses; watching ends by `stop` or with the recording only.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from companion.errors import DeviceError
from vision.cameras import Camera, Frame
from vision.geometry.rig import LocatedDie, Rig, place
from vision.reading.reader import Reads, size_of
from vision.reading.reading import Reading
from vision.watching.agreement import agreed, same_dice
from vision.watching.handheld import HELD, PAUSED
from vision.watching.stillness import FIXED, STILL_S, Phase, StillnessCriterion, StillnessDetector, step, structure

FRAMES_READ = 3
"""Still frames that must agree before a reading is trusted."""
TRIES = 10
"""Most readings of the same dice while they are in doubt, under a camera that may be held by hand."""
AGAIN_S = 0.1
"""Time from a doubtful reading to the next, in seconds: the hand has moved a little by then."""
LIGHT_SETTLES_S = 0.05
"""Time in seconds from asking for less light to the first frame exposed wholly under it.

The strip's transfer takes up to 30 ms, and a frame may be under way."""
RETRY_S = (0.5, 1.0, 2.0, 4.0)
"""Pauses in seconds before a camera that failed is opened again; the last one repeats."""


@dataclass(frozen=True, slots=True)
class Moving:
    """Something moves in the tray."""

    at_s: float


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """The tray has come to rest and was read.

    Attributes:
        at_s: When that was seen, on the camera's clock.
        frame: The last of the frames that were read.
        reading: What they agree on.
        thrown: Dice in the throw zone.
        kept: Dice in the keep zone.
        emptied: Whether the throw zone was at rest without any dice since the last time that dice lay in it.
        keep_zone: Whether there is a keep zone.
    """

    at_s: float
    frame: Frame
    reading: Reading
    thrown: tuple[LocatedDie, ...]
    kept: tuple[LocatedDie, ...]
    emptied: bool
    keep_zone: bool = True


@dataclass(frozen=True, slots=True)
class Ill:
    """The camera failed; it is being opened again."""

    error: DeviceError


Event = Moving | Settled | Ill


class Watcher:
    """Follows one camera.

    Args:
        camera: Where frames come from.
        reader: Reads the dice of a frame.
        rig: The calibration, or None: then the whole picture is the throw zone, and the camera may be held by hand.
        expect: How many dice lie in the tray, as far as the rules know; asked anew at each reading.
        dim: Told True before the still frames are taken and False at once after: coloured lights near the tray are
            dimmed meanwhile. None: there are none.
        pause: Waits that many seconds, and says whether watching was stopped meanwhile.
    """

    def __init__(
        self,
        camera: Camera,
        reader: Reads,
        rig: Rig | None = None,
        expect: Callable[[], int | None] = lambda: None,
        dim: Callable[[bool], None] | None = None,
        pause: Callable[[float], bool] | None = None,
    ) -> None:
        self._camera, self._expect, self._dim = camera, expect, dim
        self._setup = (reader, rig)
        self._size_px: float | None = None
        self._stopped = threading.Event()
        self._pause = pause or self._stopped.wait

    @property
    def rig(self) -> Rig | None:
        """The calibration that is read with."""
        return self._setup[1]

    def read_with(self, reader: Reads, rig: Rig | None) -> None:
        """Read with another calibration from the next reading on; from any thread."""
        self._setup = (reader, rig)  # both at once: no reading is placed with a rig that its reader did not know

    def stop(self) -> None:
        """End `events` soon, after the look that is taken just now; from any thread."""
        self._stopped.set()

    def events(self) -> Iterator[Event]:
        """Each thing that happens, until `stop` or the end of a recording."""
        failures = 0
        while not self._stopped.is_set():
            try:
                self._camera.start()
                for event in self._watched():
                    failures = 0
                    if not self._stopped.is_set():  # else fewer frames may have been read than must agree
                        yield event
            except DeviceError as ill:
                self._camera.stop()
                yield Ill(ill)
                if self._pause(RETRY_S[min(failures, len(RETRY_S) - 1)]):
                    return
                failures += 1
            else:
                return

    def _watched(self) -> Iterator[Event]:
        detector, moving, emptied, hasty = StillnessDetector(), False, True, True
        criterion, doubted, tries = self._criterion, None, 0
        try:
            while not self._stopped.is_set() and (frame := self._camera.frame()) is not None:
                detector, phase = step(detector, structure(frame.image_bgr), frame.at_s, criterion)
                criterion = self._criterion
                if phase is Phase.MOVING:
                    if doubted is not None:
                        yield doubted
                        emptied, doubted = False, None
                    if not moving:
                        moving = True
                        yield Moving(frame.at_s)
                elif phase is Phase.WAITING and moving and hasty and self.rig is not None:
                    until_s, settled = self._read_as_they_come(detector, frame, emptied)
                    hasty = settled is not None
                    detector = detector.at_rest() if settled is not None else detector.still_since(until_s)
                    if settled is not None:
                        moving, emptied = False, not settled.thrown
                        yield settled
                elif phase is Phase.SETTLED or (phase is Phase.RESTING and moving) or _due(doubted, frame):
                    tries = tries + 1 if doubted is not None else 1
                    moving, hasty = False, True
                    settled = self._read(frame, emptied)
                    criterion = self._criterion if self.rig is not None else PAUSED
                    if self._reads_again(settled, tries):
                        doubted = settled
                        continue
                    doubted = None
                    emptied = not settled.thrown and settled.reading.trusted
                    yield settled
            if doubted is not None:
                yield doubted
        finally:
            self._camera.stop()

    @property
    def _criterion(self) -> StillnessCriterion:
        return HELD if self.rig is None else FIXED

    def _reads_again(self, settled: Settled, tries: int) -> bool:
        """Whether later frames may remove a doubt: by hand each is taken from a little elsewhere.

        Not at a table with lights, which would flicker.
        """
        seen_in_doubt = bool(settled.reading.dice) and not settled.reading.trusted
        return self.rig is None and self._dim is None and seen_in_doubt and tries < TRIES

    def _read_as_they_come(
        self, detector: StillnessDetector, first: Frame, emptied: bool
    ) -> tuple[float, Settled | None]:
        """What the still frames agree on, read while it is seen whether they stay still.

        The first is read while the light settles. It counts where it is trusted and the next one bears it out: that
        coloured light may have been in it takes nothing from what the others say under less.

        Returns:
            When the last frame was taken; and nothing where one was moved or in doubt: that is not settled in haste.
        """
        (reader, rig), expect = self._setup, self._expect()
        at_s, clear_s = first.at_s, first.at_s + (LIGHT_SETTLES_S if self._dim else 0.0)
        with self._less_light():
            still, last = first, None if self._dim else detector.last
            readings = [early] if (early := reader.read(first.image_bgr, expect)).trusted else []
            while not self._stopped.is_set() and (frame := self._camera.frame()) is not None:
                at_s = frame.at_s
                if at_s < clear_s:
                    continue
                now = structure(frame.image_bgr)
                if last is not None and self._criterion.moved(last, now):
                    break
                last = now
                if len(readings) < FRAMES_READ:
                    still, reading = frame, reader.read(frame.image_bgr, expect)
                    if not reading.trusted:
                        break
                    if readings == [early] and not same_dice(early, reading):
                        readings.clear()
                    readings.append(reading)
                if len(readings) == FRAMES_READ and at_s >= detector.since_s + STILL_S:
                    agreement = agreed(readings)
                    return at_s, _settled(still, at_s, agreement, rig, emptied) if agreement.trusted else None
        return at_s, None

    def _read(self, frame: Frame, emptied: bool) -> Settled:
        """What several still frames agree on; without a rig the first in doubt ends it, as reading takes long there."""
        (reader, rig), expect = self._setup, self._expect()
        frames = self._stills(frame)
        readings, again, size_px = list[Reading](), None, self._size_px if rig is None else None
        for still in frames:
            readings.append(reader.read(still.image_bgr, expect, again, size_px))
            again = readings[-1] if rig is None else None
            if self._stopped.is_set() or (rig is None and not readings[-1].trusted):
                break
        last = frames[len(readings) - 1]
        self._size_px = size_of(readings[-1])
        return _settled(last, last.at_s, agreed(readings), rig, emptied)

    def _stills(self, first: Frame) -> list[Frame]:
        """The frame at hand and those that follow, or those taken under less light; fewer when the recording ends.

        Settling sees none of them, so the change of light is no movement.
        """
        frames, clear_s = [first], first.at_s + (LIGHT_SETTLES_S if self._dim else 0.0)
        with self._less_light():
            while len(frames) < FRAMES_READ and (following := self._camera.frame()) is not None:
                frames = [*frames, following] if frames[-1].at_s >= clear_s else [following]
        return frames

    @contextlib.contextmanager
    def _less_light(self) -> Iterator[None]:
        if self._dim is None:
            yield
            return
        self._dim(True)
        try:
            yield
        finally:
            self._dim(False)


def _settled(frame: Frame, at_s: float, reading: Reading, rig: Rig | None, emptied: bool) -> Settled:
    rig = rig if rig is not None and rig.fits(frame.image_bgr) else None
    thrown, kept = place(reading, rig)
    return Settled(at_s, frame, reading, thrown, kept, emptied, rig is not None and rig.keep.width_mm > 0)


def _due(doubted: Settled | None, frame: Frame) -> bool:
    return doubted is not None and frame.at_s >= doubted.at_s + AGAIN_S
