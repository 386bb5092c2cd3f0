"""Looks after the parts that run: one that has fallen is told and started again; the watchdog is fed by proofs of life.

A part falls when its thread ends by an exception, of any type, or no longer goes round. Only the table's writer, the
camera's loop and the server feed systemd's watchdog: while one of them gives no proof, nothing does.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from companion.diagnostics.health import Check
from companion.service.parts import Part

log = logging.getLogger(__name__)

LOOK_S = 1.0
"""So often the parts are looked at."""
STOPPING_S = 10.0
"""So long its end waits for a look that is under way: at most the proofs of all parts."""
REPORTED_S = 6.0
"""So long a fall is told after the part runs again: as long as a page needs to hear of it."""


@dataclass(frozen=True, slots=True)
class Fall:
    """A part that fell: why, when (on the clock), how often by now, and when it was running again."""

    why: str
    count: int
    again_s: float | None = None


class Supervisor:
    """Looks at every part once a second, on a thread of its own.

    Args:
        parts: Those with a proof of life are looked after.
        proofs: What the watchdog lives by: a name and whether it lives, within a second or two.
        feed: Tells the watchdog that all live.
        every_s: How often the watchdog is to be fed; None without one.
        clock: Seconds, monotonic.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        proofs: Mapping[str, Callable[[], bool]],
        feed: Callable[[], object],
        every_s: float | None,
        clock: Callable[[], float],
    ) -> None:
        self._parts = [part for part in parts if part.alive is not None]
        self._proofs, self._feed, self._every_s, self._clock = proofs, feed, every_s, clock
        self._falls: dict[str, Fall] = {}
        self._causes: dict[str, str] = {}
        self._silent: list[str] = []
        self._fed_s = clock()
        self._done = threading.Event()
        self._thread: threading.Thread | None = None
        self._hook = threading.excepthook

    def start(self) -> None:
        """Begin to look after the parts, which have been started."""
        self._hook, threading.excepthook = threading.excepthook, self._fell
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
        self._thread.start()

    def begin(self, part: Part) -> None:
        """Start a part. An error of a part that is not needed is told as a fall, and `step` starts it again."""
        try:
            part.start()
        except Exception as fault:
            if part.needed:
                raise
            log.exception("%s can't be started", part.name)
            self._falls[part.name] = Fall(f"{type(fault).__name__}: {fault}".rstrip(": "), 1)

    def stop(self) -> None:
        """Look no more, before the parts are stopped."""
        self._done.set()
        if self._thread is not None:
            self._thread.join(timeout=STOPPING_S)
        threading.excepthook = self._hook

    def health(self) -> tuple[bool, str]:
        """Whether everything proves that it lives, and a sentence for the page."""
        if self._thread is None or not self._thread.is_alive():
            return False, "Nobody looks after the parts any more. Start the table again."
        if self._silent:
            return False, f"No sign of life from {', '.join(self._silent)}. If it does not come back, start again."
        return True, "every part gives signs of life"

    def telling(self, name: str, check: Check) -> Check:
        """The check of a part that also tells that it fell."""

        def health() -> tuple[bool, str]:
            fall = self._falls.get(name)
            if fall is None:
                return check()
            if fall.again_s is None:
                return False, f"It has stopped ({fall.why}) and is being started again."
            if self._clock() < fall.again_s + REPORTED_S:
                return False, f"It had stopped ({fall.why}) and was started again."
            ok, says = check()
            return ok, f"{says}; started again {fall.count} times, last after {fall.why}"

        return health

    def step(self) -> None:
        """Look at every part once. The thread calls this; tests call it with a clock of their own."""
        for part in self._parts:
            self._revive(part)
        self._silent = [name for name, lives in self._proofs.items() if not lives()]
        if self._every_s is not None and not self._silent and self._clock() >= self._fed_s + self._every_s - LOOK_S:
            self._fed_s = self._clock()
            self._feed()

    def _revive(self, part: Part) -> None:
        assert part.alive is not None
        fall = self._falls.get(part.name)
        if part.alive():
            if fall is not None and fall.again_s is None:
                self._falls[part.name] = Fall(fall.why, fall.count, self._clock())
            return
        why = self._causes.pop(part.name, "its thread has ended, or hangs")
        if fall is None or fall.again_s is not None:
            log.error("%s has stopped: %s", part.name, why)
            self._falls[part.name] = Fall(why, fall.count + 1 if fall else 1)
        try:
            part.start()
        except Exception as refused:  # noqa: BLE001 - it is told, and tried again in a second
            self._falls[part.name] = Fall(str(refused), self._falls[part.name].count)

    def _run(self) -> None:
        while not self._done.wait(LOOK_S):
            try:
                self.step()
            except Exception:
                log.exception("looking after the parts failed")

    def _fell(self, ended: threading.ExceptHookArgs, /) -> None:
        if ended.thread is not None:
            self._causes[ended.thread.name] = f"{ended.exc_type.__name__}: {ended.exc_value}".rstrip(": ")
        self._hook(ended)
