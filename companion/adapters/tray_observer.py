"""The observer of the tray: a thread that turns what the watcher sees into commands for the table."""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable, Iterable

import cv2

from companion.errors import CompanionError
from companion.table.commands import Command, NoteMotion, Observe
from companion.table.snapshot import Snapshot
from companion.table.tray.observation import Die, Observation
from vision.geometry.rig import LocatedDie
from vision.reading.reading import FrameBGR
from vision.watching import watcher as watch

log = logging.getLogger(__name__)

STOPPING_S = 5.0
"""So long the parts that are stopped after it wait for a look to be over, ..."""
LONGEST_LOOK_S = 15.0
"""... and so long the end of the program: OpenCV that comes back while Python ends aborts it."""
PHOTO_QUALITY = 85
"""JPEG quality of a throw's photo: pips stay sharp, and a day of throws fits under the cap."""


class TrayObserver:
    """Runs the watcher and tells the table what it sees. The table never waits for it.

    Args:
        name: The camera's.
        watcher: What it runs.
        submit: Tells the table.
        prepare: Called when something moves, on the thread that reads: what reading needs is made ready meanwhile.
        release: Called when that has come to an end: what reading took is given back.
    """

    def __init__(
        self,
        name: str,
        watcher: watch.Watcher,
        submit: Callable[[Command], Snapshot],
        prepare: Callable[[], object] = lambda: None,
        release: Callable[[], object] = lambda: None,
    ) -> None:
        self._name, self._watcher, self._submit = name, watcher, submit
        self._prepare, self._release = prepare, release
        self._illness: str | None = None
        self.ended = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to watch, on a thread of its own; again when that has fallen. May be called twice."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="observer", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop watching. May be called twice."""
        self._watcher.stop()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(timeout=STOPPING_S)
            if thread.is_alive():
                atexit.register(thread.join, timeout=LONGEST_LOOK_S)

    def alive(self) -> bool:
        """Whether its thread runs, or has come to the end of a recording."""
        return self.ended or (self._thread is not None and self._thread.is_alive())

    def health(self) -> tuple[bool, str]:
        """Whether the camera works, and a sentence for the page."""
        if self._illness is not None:
            return False, f"{self._illness} Until then, enter throws by phone."
        if self.ended:
            return False, f"The recording {self._name} has ended. Start again, or enter throws by phone."
        return True, f"{self._name} camera"

    def _run(self) -> None:
        for event in self._watcher.events():
            self._illness = str(event.error) if isinstance(event, watch.Ill) else None
            then = self._prepare if isinstance(event, watch.Moving) else self._release
            command = command_of(event)
            if command is not None:
                self._tell(command)
            del event, command  # their picture would be kept until something happens
            then()
        self.ended = True

    def _tell(self, command: Command) -> None:
        try:
            self._submit(command)
        except CompanionError as refused:
            log.warning("the table refused what the camera saw: %s", refused)


def command_of(event: watch.Event) -> Command | None:
    """The command that a watcher's event is to the table, if any."""
    if isinstance(event, watch.Moving):
        return NoteMotion()
    if isinstance(event, watch.Settled):
        return Observe(observation_of(event))
    return None


def observation_of(event: watch.Settled) -> Observation:
    """A settled tray as the session takes it."""
    return Observation(
        thrown=_seen(event.thrown),
        kept=_seen(event.kept),
        doubt=event.reading.doubt,
        photo_jpeg=jpeg(event.frame.image_bgr),
        at_s=event.at_s,
        emptied=event.emptied,
        keep_zone=event.keep_zone,
    )


def jpeg(image_bgr: FrameBGR, quality: int = PHOTO_QUALITY) -> bytes:
    """A picture as JPEG."""
    done, coded = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done, "a picture from a camera can always be coded"
    return coded.tobytes()


def _seen(placed: Iterable[LocatedDie]) -> tuple[Die, ...]:
    """The dice with a value: of what could not be read the doubt tells, and the photo shows it."""
    return tuple(
        Die(die.value, one.x_mm, one.y_mm, die.confidence, die.box_xywh)
        for one in placed
        if (die := one.die).value is not None
    )
