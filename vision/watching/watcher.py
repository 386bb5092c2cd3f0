"""Watches a tray: turns a camera's frames into events, such as motion and readings of dice at rest.

A camera that fails is opened again after growing pauses. Watching ends only by `stop` or at the end of a recording.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from companion.errors import DeviceError
from vision.cameras import Camera, Frame
from vision.geometry.rig import LocatedDie, Rig, place
from vision.reading.reader import Read, die_size_px
from vision.reading.reading import Reading
from vision.watching.agreement import agreed, same_dice
from vision.watching.ego_motion import ego_motion
from vision.watching.handheld import HELD, PAUSED
from vision.watching.light_monitor import LightMonitor
from vision.watching.stillness import (
    FIXED,
    STILL_S,
    Phase,
    StillnessCriterion,
    StillnessDetector,
    small_picture,
    step,
)

FRAMES_READ = 3
"""Number of successive frames of the tray at rest that must be read alike before a reading is trusted. Larger: later
readings. Smaller: more misreadings are trusted."""
MAX_READINGS_IN_DOUBT = 10
"""Largest number of readings of the same dice by a hand-held camera while they are in doubt; after the last the doubt
is reported. More make a person wait longer; fewer report doubts that another view would resolve."""
REREAD_INTERVAL_S = 0.1
"""Interval, in seconds, at which doubtful readings of a hand-held camera are repeated. Meanwhile the camera moves a
little and sees the dice from another place. Longer: a lasting doubt is reported later; shorter: both readings see
nearly the same picture."""
LIGHT_SETTLES_S = 0.095
"""Seconds after the first still frame in which later frames are not read, if the strip is dimmed. Delivery takes 45 ms,
dimming up to 33, a begun exposure 20: of 30 a second, the frame at 100 ms is read first. After a doubtful reading the
strip may take as long to shine again. Shorter: coloured light is read, and doubtful readings are repeated; longer: a
later reading."""
RETRY_S = (0.5, 1.0, 2.0, 4.0)
"""Pauses in seconds before a failed camera is opened again, after the first failure, the second and so on; the last one
repeats. Longer: a mended camera is used later; shorter: more attempts and reports."""


@dataclass(frozen=True, slots=True)
class Moving:
    """Something began to move in the tray."""


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """The tray came to rest at `at_s` seconds on the camera's clock, and was read.

    Attributes:
        frame: The last frame that was read.
        reading: The merged reading of all frames that were read.
        thrown: Dice in the throw zone.
        kept: Dice in the keep zone.
        emptied: Whether the throw zone was seen at rest without dice between the last throw and this one.
        expected: Number of dice that the reader expected, or None.
        rig: The calibration that it was read with, or None.
        doubted_frames: Every frame that was taken to be read, oldest first, if the reading is in doubt; else none.
    """

    at_s: float
    frame: Frame
    reading: Reading
    thrown: tuple[LocatedDie, ...]
    kept: tuple[LocatedDie, ...]
    emptied: bool
    expected: int | None = None
    rig: Rig | None = None
    doubted_frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True)
class Ill:
    """The camera failed with `error`. The watcher opens it again."""

    error: DeviceError


@dataclass(frozen=True, slots=True)
class Dark:
    """The picture became too dark to read. `Moving` follows in the light."""


Event = Moving | Settled | Dark | Ill


class Watcher:
    """Watches one camera: detects motion and rest, and reads the dice at rest.

    Args:
        camera: Source of the frames. The watcher starts and stops it.
        read: Reads the dice of a frame, as `Reader.read` does.
        rig: The calibration. With None the whole picture is the throw zone and the camera may be held by hand.
        expect: Returns the number of dice in the tray, or None if unknown; called before each reading.
        dim: Called with True before still frames and with False after, to dim lights near the tray; None for none.
        pause: Waits for a number of seconds and returns whether watching was stopped. The default waits for `stop`.
    """

    def __init__(
        self,
        camera: Camera,
        read: Read,
        rig: Rig | None = None,
        expect: Callable[[], int | None] = lambda: None,
        dim: Callable[[bool], None] | None = None,
        pause: Callable[[float], bool] | None = None,
    ) -> None:
        self._camera, self._expect, self._dim = camera, expect, dim
        self._setup = self._read_by = (read, rig)
        self._size_px: float | None = None
        self._emptied = True  # kept while the camera is opened again: the dice of before may still lie there
        self._stopped = threading.Event()
        self._pause = pause or self._stopped.wait

    @property
    def rig(self) -> Rig | None:
        """The calibration in use, or None."""
        return self._setup[1]

    def read_with(self, read: Read, rig: Rig | None) -> None:
        """Replace the reader and the calibration from the next reading on. May be called from any thread."""
        self._setup = (read, rig)  # one assignment, so that no reading mixes the old reader with the new rig

    def stop(self) -> None:
        """End `events` after the frame in progress. May be called from any thread."""
        self._stopped.set()

    def events(self) -> Iterator[Event]:
        """Start the camera and yield `Event`s until `stop` is called or a recording ends; then stop the camera.

        A DeviceError of the camera becomes an `Ill` event. After a pause, longer at each failure, the camera starts
        again. A reading is dropped if `read_with` has replaced its reader since it began.
        """
        failures = 0
        while not self._stopped.is_set():
            try:
                self._camera.start()
                for event in self._watched():
                    failures = 0
                    if not self._stopped.is_set() and not self._outdated(event):  # after a stop, too few may be read
                        yield event
            except DeviceError as ill:
                self._camera.stop()
                yield Ill(ill)
                if self._pause(RETRY_S[min(failures, len(RETRY_S) - 1)]):
                    return
                failures += 1
            else:
                return

    def _outdated(self, event: Event) -> bool:
        """Return whether an event is a reading whose reader was replaced by `read_with` since it began."""
        return isinstance(event, Settled) and self._read_by is not self._setup

    def _watched(self) -> Iterator[Event]:
        """Yield the events of a started camera until `stop` or the end of a recording, then stop the camera.

        `Moving` comes when a motion begins, `Dark` when it gets too dark to read, and `Settled` when the tray at rest
        was read. After a doubtful reading the tray is read again when the light changes, without a `Moving`.

        Without a calibration, as with a hand-held camera, a doubtful reading of dice is held back. The dice are read
        again while they lie still; a reading that is trusted or finds no dice replaces it. Otherwise the last doubtful
        reading is yielded when the dice move, it gets dark, watching ends, or after MAX_READINGS_IN_DOUBT readings.
        With lights near the tray nothing is held back, because repeated dimming would flicker. Raises DeviceError if
        the camera fails.
        """
        detector, hasty = StillnessDetector(), True
        told: Phase | None = None
        criterion, doubted, tries = self._criterion, None, 0
        light = LightMonitor(LIGHT_SETTLES_S if self._dim else 0.0)
        try:
            while not self._stopped.is_set() and (frame := self._camera.frame()) is not None:
                now = small_picture(frame.image_bgr)
                detector, phase = step(detector, now, frame.at_s, criterion)
                criterion = self._criterion
                in_other_light = light.differs(now, frame.at_s, spots=self.rig is not None)
                if phase in (Phase.MOVING, Phase.DARK):
                    if doubted is not None:
                        yield doubted
                        self._emptied, doubted = False, None
                    if phase is not told:
                        told = phase
                        yield Moving() if phase is Phase.MOVING else Dark()
                elif phase is Phase.WAITING and told is Phase.MOVING and hasty and self.rig is not None:
                    until_s, settled = self._read_as_they_come(detector, frame)
                    hasty = settled is not None
                    detector = detector.at_rest() if settled is not None else detector.still_since(until_s)
                    if settled is not None:
                        told, self._emptied = None, not settled.thrown
                        light.end()
                        yield settled
                elif (
                    phase is Phase.SETTLED
                    or (phase is Phase.RESTING and told is Phase.MOVING)
                    or (phase is Phase.RESTING and in_other_light)
                    or (doubted is not None and frame.at_s >= doubted.at_s + REREAD_INTERVAL_S)
                ):
                    tries = tries + 1 if doubted is not None else 1
                    told, hasty = None, True
                    settled = self._read(frame)
                    criterion = self._criterion if self.rig is not None else PAUSED
                    if (
                        self.rig is None
                        and self._dim is None
                        and settled.reading.dice
                        and not settled.reading.trusted
                        and tries < MAX_READINGS_IN_DOUBT
                    ):
                        doubted = settled
                        continue
                    doubted = None
                    light.end() if settled.reading.trusted else light.begin(small_picture(settled.frame.image_bgr))
                    self._emptied = not settled.thrown and settled.reading.trusted
                    yield settled
            if doubted is not None:
                yield doubted
        finally:
            self._camera.stop()

    @property
    def _criterion(self) -> StillnessCriterion:
        """Criterion of rest: a camera without a calibration may be held by hand."""
        return HELD if self.rig is None else FIXED

    def _read_as_they_come(self, detector: StillnessDetector, first: Frame) -> tuple[float, Settled | None]:
        """Read frames of a calibrated camera while the stillness detection waits STILL_S, to save that time.

        Lights near the tray are dimmed meanwhile. `first`, the first still frame, was taken before they were dimmed.
        Its reading only counts if it is trusted and agrees with the next one.

        Returns:
            Time of the last frame, in seconds, and the settled reading. The reading is None if something moved, a later
                frame was in doubt, the readings disagreed, the recording ended or the watcher was stopped. The caller
                then reads the dice anew once they have been still for long enough.
        """
        self._read_by = read, rig = self._setup
        expect = self._expect()
        at_s, clear_s = first.at_s, first.at_s + (LIGHT_SETTLES_S if self._dim else 0.0)
        with self._less_light():
            still, last = first, None if self._dim else detector.last
            readings = [early] if (early := read(first.image_bgr, expect, None, None)).trusted else []
            while not self._stopped.is_set() and (frame := self._camera.frame()) is not None:
                at_s = frame.at_s
                if at_s < clear_s:
                    continue
                now = small_picture(frame.image_bgr)
                if last is not None and self._criterion.moved(last, now):
                    break
                last = now
                if len(readings) < FRAMES_READ:
                    still, reading = frame, read(frame.image_bgr, expect, readings[-1] if readings else None, None)
                    if not reading.trusted:
                        break
                    if readings == [early] and not same_dice(early, reading):
                        readings.clear()
                    readings.append(reading)
                if len(readings) == FRAMES_READ and at_s >= detector.since_s + STILL_S:
                    agreement = agreed(readings)
                    return at_s, self._settled(still, at_s, agreement, rig, expect) if agreement.trusted else None
        return at_s, None

    def _read(self, frame: Frame) -> Settled:
        """Read up to FRAMES_READ successive frames of the still tray, from `frame` on, and merge their readings.

        The frames are taken first, then read in order. If there are lights near the tray, they are dimmed meanwhile,
        and frames taken before they are dim, including `frame`, are skipped. If a recording ends before that, its last
        frame is read.

        Reading ends early, but not before one frame is read, if the watcher is stopped, or after a frame whose reading
        is in doubt: later frames can't remove the doubt. Such a result has all frames as `doubted_frames`. The
        stillness detector gets none of the frames after `frame`.
        """
        self._read_by = read, rig = self._setup
        expect = self._expect()
        frames, clear_s = [frame], frame.at_s + (LIGHT_SETTLES_S if self._dim else 0.0)
        with self._less_light():
            while len(frames) < FRAMES_READ and (following := self._camera.frame()) is not None:
                frames = [*frames, following] if frames[-1].at_s >= clear_s else [following]
        readings, previous, size_px = list[Reading](), None, self._size_px if rig is None else None
        for still in frames:
            readings.append(read(still.image_bgr, expect, previous, size_px))
            previous = readings[-1]
            if self._stopped.is_set() or not readings[-1].trusted:
                break
        last = frames[len(readings) - 1]
        self._size_px = die_size_px(readings[-1])
        settled = self._settled(last, last.at_s, agreed(readings), rig, expect)
        return settled if settled.reading.trusted else replace(settled, doubted_frames=tuple(frames))

    @contextlib.contextmanager
    def _less_light(self) -> Iterator[None]:
        """Context manager: dim the lights near the tray, if any, and undo that at the end, also after an error."""
        dim = self._dim or (lambda _on: None)
        dim(True)
        try:
            yield
        finally:
            dim(False)

    def _settled(self, frame: Frame, at_s: float, reading: Reading, rig: Rig | None, expected: int | None) -> Settled:
        """Return the `Settled` event for a reading whose last frame is `frame`; the tray came to rest at `at_s`.

        A rig for another size of picture is ignored. `expected` is the number of dice that the reader expected, if any.
        """
        rig = rig if rig is not None and rig.fits(frame.image_bgr) else None
        thrown, kept = place(reading, rig)
        return Settled(at_s, frame, reading, thrown, kept, self._emptied, expected, rig)


def latest(settled: Settled, last: Settled | None, *, held: bool = False) -> Settled:
    """Return `settled` itself if it is a new throw; else a copy with the doubt of `last`, the previous call's result.

    A throw is new in each of these cases:

    - `last` is None, or the throw zone was empty in between.
    - The number, values or places of the dice differ. If the camera is `held` by hand, its motion is undone first.
    - The reading of `last` was in doubt, and now has another doubt or none.

    If the same dice are in doubt only now, that is no new throw.
    """
    if last is None or settled.emptied or (not last.reading.trusted and settled.reading.doubt != last.reading.doubt):
        return settled
    if held:
        motion = ego_motion(small_picture(last.frame.image_bgr), small_picture(settled.frame.image_bgr))
        height, width = last.frame.image_bgr.shape[:2]
        same = same_dice(last.reading, settled.reading, lambda xy: motion.moved(xy, (width, height)))
    else:
        same = same_dice(last.reading, settled.reading)
    if not same:
        return settled
    return replace(settled, reading=replace(settled.reading, doubt=last.reading.doubt))
