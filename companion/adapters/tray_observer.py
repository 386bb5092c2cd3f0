"""The tray observer: a thread that turns the watcher's events into commands for the table."""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections.abc import Callable, Iterable

from companion.errors import CompanionError
from companion.table.commands import Command, NoteMotion, Observe, OverlookTray
from companion.table.snapshot import Snapshot
from companion.table.tray.observation import Die, Observation
from vision.geometry.rig import LocatedDie, has_keep_zone
from vision.images.loading import jpeg
from vision.watching import watcher as watch

log = logging.getLogger(__name__)

JOIN_TIMEOUT_S = 5.0
"""Longest wait in seconds for a running reading when the observer stops. Longer: other parts stop later."""
EXIT_TIMEOUT_S = 15.0
"""Longest wait in seconds for a running reading when the interpreter exits. Too short: OpenCV aborts the process."""
PHOTO_QUALITY = 85
"""JPEG quality, 0 to 100, of a throw's photo in the data folder, and of its picture in the report of the guided check.
Lower: pips blur; higher: fewer photos fit into their quota."""
IN_THE_DARK = "The camera sees only black. Switch the lamp on, or uncover the lens; the table goes on by itself."
"""Health sentence, with the cure, while the camera's pictures are too dark to see anything."""


class TrayObserver:
    """Runs the watcher on a thread of its own and submits its events to the table, which never waits for it.

    Args:
        name: Name of the camera.
        watcher: Source of the events.
        submit: Submits a command to the table.
        prepare: Called on that thread when something moves, to begin to load what reading needs.
        release: Called on that thread after any other event, to free what reading took.
        offer: Called on that thread with each reading and its photo, before the table hears of it.
    """

    def __init__(
        self,
        name: str,
        watcher: watch.Watcher,
        submit: Callable[[Command], Snapshot],
        prepare: Callable[[], object] = lambda: None,
        release: Callable[[], object] = lambda: None,
        offer: Callable[[watch.Settled, bytes], None] = lambda _settled, _jpeg: None,
    ) -> None:
        self._name, self._watcher, self._submit = name, watcher, submit
        self._prepare, self._release, self._offer = prepare, release, offer
        self._illness: str | None = None
        self.ended = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread that watches the tray, unless it runs; also again after a crash."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="observer", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop watching the tray for good; wait up to JOIN_TIMEOUT_S for a running reading.

        If the reading takes longer, the exit of the program waits for it, up to EXIT_TIMEOUT_S.
        """
        self._watcher.stop()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(timeout=JOIN_TIMEOUT_S)
            if thread.is_alive():
                atexit.register(thread.join, timeout=EXIT_TIMEOUT_S)

    def alive(self) -> bool:
        """Whether the thread that watches the tray runs, or ended without a crash, by `stop` or with a recording."""
        return self.ended or (self._thread is not None and self._thread.is_alive())

    def health(self) -> tuple[bool, str]:
        """Return whether the camera delivers readable frames, and a text about it for the page.

        The first value is False also in the dark, and after the end of a recording.
        """
        if self._illness is not None:
            return False, f"{self._illness} Until then, enter throws by phone."
        if self.ended:
            return False, f"The recording {self._name} has ended. Start again, or enter throws by phone."
        return True, f"{self._name} camera"

    def _run(self) -> None:
        """Submit each event of the watcher to the table as a command, until the watcher ends; then set `ended`.

        A settled reading and its photo go to `offer` first, to be kept as evidence. After the command for a `Moving`
        event, `prepare` loads the networks; after any other command, `release` frees them. Until the next event,
        `health` reports a camera fault or the dark. A command that the table refuses is logged.
        """
        for event in self._watcher.events():
            match event:
                case watch.Ill(error=error):
                    self._illness = str(error)
                case watch.Dark():
                    self._illness = IN_THE_DARK
                case _:
                    self._illness = None
            then = self._prepare if isinstance(event, watch.Moving) else self._release
            command = command_of(event)
            if isinstance(event, watch.Settled) and isinstance(command, Observe):
                self._offer(event, command.observation.photo_jpeg or b"")
            try:
                self._submit(command)
            except CompanionError as refused:
                log.warning("the table refused what the camera saw: %s", refused)
            del event, command  # would keep their picture in memory until the next event
            then()
        self.ended = True


def command_of(event: watch.Event) -> Command:
    """Convert a watcher's event to a command for the table."""
    if isinstance(event, watch.Settled):
        return Observe(observation_of(event))
    return NoteMotion(moving=isinstance(event, watch.Moving))


def kept_out(command: Command) -> Command:
    """Convert a command of the tray observer to one that keeps the tray's dice out of the game, as in a lesson."""
    return OverlookTray(command.observation) if isinstance(command, Observe) else NoteMotion(moving=False)


def observation_of(event: watch.Settled) -> Observation:
    """Convert a settled tray to an observation with its photo as JPEG.

    The time is now, by the monotonic clock; the frame's time is not used, as in a video it begins at 0.
    """
    return Observation(
        thrown=_seen(event.thrown),
        kept=_seen(event.kept),
        doubt=event.reading.doubt,
        photo_jpeg=jpeg(event.frame.image_bgr, PHOTO_QUALITY),
        at_s=time.monotonic(),
        emptied=event.emptied,
        keep_zone=has_keep_zone(event.rig),
    )


def _seen(placed: Iterable[LocatedDie]) -> tuple[Die, ...]:
    """Convert located dice to dice of an observation. A die without a value (None) is left out."""
    return tuple(
        Die(die.value, one.x_mm, one.y_mm, die.confidence, die.box_xywh)
        for one in placed
        if (die := one.die).value is not None
    )
