"""Supervise the parts: report and restart one that has failed, and notify systemd's watchdog.

A part has failed when its thread ended by an exception or stopped looping. The watchdog is notified only while the
table's writer, the camera's loop and the server all respond.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from companion.diagnostics.health import Health
from companion.errors import cause
from companion.service.parts import Part

log = logging.getLogger(__name__)

CHECK_EVERY_S = 1.0
"""Interval in seconds at which the supervisor checks the service's parts and starts failed ones again. Longer: a failed
part stays down longer. The check also notifies systemd's watchdog when that is due, every `watchdog_s` seconds: with an
interval near that, systemd restarts a healthy service."""
STOP_TIMEOUT_S = 10.0
"""Longest wait, in seconds, for a running check of the parts when the program stops. Longer: a hanging check delays the
stop; shorter: a slow check may go on while the parts stop."""
SHOWN_AFTER_RESTART_S = 6.0
"""Seconds for which a failure is shown after the part runs again. Too short: no page has fetched it; longer: the page
warns of a part that works."""


@dataclass(frozen=True, slots=True)
class Fall:
    """The last failure of a part, of `count` so far: why, and when it ran again (None: it is down)."""

    why: str
    count: int
    again_s: float | None = None


class Supervisor:
    """Checks every part once a second on its own thread.

    Parts without `alive` are only started again if their first start failed. `notify` notifies the watchdog every
    `every_s` seconds, or never, as long as each of `must_respond` returns that its component responds.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        must_respond: Mapping[str, Callable[[], bool]],
        notify: Callable[[], object],
        every_s: float | None,
        clock: Callable[[], float],
    ) -> None:
        self._parts = parts
        self._unstarted: set[str] = set()
        self._must_respond, self._notify, self._every_s, self._clock = must_respond, notify, every_s, clock
        self._falls: dict[str, Fall] = {}
        self._causes: dict[str, str] = {}
        self._silent: list[str] = []
        self._fed_s = clock()
        self._done = threading.Event()
        self._thread: threading.Thread | None = None
        self._hook = threading.excepthook

    def start(self) -> None:
        """Start the supervisor's thread, which calls `step` every CHECK_EVERY_S seconds.

        Start the parts with `begin` first. Until `stop`, `threading.excepthook` is replaced, to record exceptions that
        end other threads.
        """
        self._hook, threading.excepthook = threading.excepthook, self._fell
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
        self._thread.start()

    def begin(self, part: Part) -> None:
        """Start a part. A failure of a needed part is raised; any other is recorded, and `step` tries again."""
        try:
            part.start()
        except Exception as fault:
            if part.needed:
                raise
            log.exception("%s can't be started", part.name)
            self._unstarted.add(part.name)
            self._falls[part.name] = Fall(cause(fault), 1)

    def stop(self) -> None:
        """Stop the checks, and restore `threading.excepthook`; wait for a running check, at most STOP_TIMEOUT_S."""
        self._done.set()
        if self._thread is not None:
            self._thread.join(timeout=STOP_TIMEOUT_S)
        threading.excepthook = self._hook

    def health(self) -> tuple[bool, str]:
        """Return whether the supervisor's thread runs and every component responds, and a sentence for the page.

        The components are those of `must_respond`, as found at the last `step`. On failure the sentence says that the
        supervisor has stopped, or names the components without an answer, and says to restart the table.
        """
        if self._thread is None or not self._thread.is_alive():
            return False, "The supervisor has stopped, so failed parts are not restarted. Restart the table."
        if self._silent:
            return False, f"No answer from {', '.join(self._silent)}. Restart the table if it stays like that."
        return True, "every part responds"

    def supervised(self, name: str, check: Health) -> Health:
        """Return a health check of the part `name`: False and why while the part is down, else `check`.

        For SHOWN_AFTER_RESTART_S after a restart the result stays False. From then on, the text of `check` also tells
        the number of failures and the last cause.
        """

        def health() -> tuple[bool, str]:
            fall = self._falls.get(name)
            if fall is None:
                return check()
            if fall.again_s is None:
                return False, f"It has stopped ({fall.why}) and is being started again."
            if self._clock() < fall.again_s + SHOWN_AFTER_RESTART_S:
                return False, f"It had stopped ({fall.why}) and was started again."
            ok, says = check()
            return ok, f"{says}; started again {fall.count} time{'s' * (fall.count > 1)}, last after {fall.why}"

        return health

    def step(self) -> None:
        """Start failed parts again, and notify systemd's watchdog if that is due before the next step.

        The watchdog is not notified if no interval is set, or while a component in `must_respond` does not respond.
        """
        for part in self._parts:
            self._revive(part)
        self._silent = [name for name, lives in self._must_respond.items() if not lives()]
        if self._every_s is None or self._silent:
            return
        if self._clock() >= self._fed_s + self._every_s - CHECK_EVERY_S:
            self._fed_s = self._clock()
            self._notify()

    def _revive(self, part: Part) -> None:
        """Start a part if it is down; if it is up again after a failure, record the time at which that was first seen.

        The first call that finds the part down logs and counts a failure. While the part stays down, each further
        exception that has ended its thread is logged and counted, too. If the start fails, nothing is raised: the error
        becomes the failure's cause, and the next call tries again. A part whose first start failed is down until a
        start succeeds; `begin` has logged and counted that failure.
        """
        fall = self._falls.get(part.name)
        if part.name not in self._unstarted and (part.alive is None or part.alive()):
            if fall is not None and fall.again_s is None:
                self._falls[part.name] = Fall(fall.why, fall.count, self._clock())
            return
        ended_by = self._causes.pop(part.name, None)
        if fall is None or fall.again_s is not None or ended_by is not None:
            why = ended_by or "its thread has ended, or hangs"
            log.error("%s has stopped: %s", part.name, why)
            self._falls[part.name] = Fall(why, fall.count + 1 if fall else 1)
        try:
            part.start()
            self._unstarted.discard(part.name)
        except Exception as refused:  # noqa: BLE001 - it is reported, and tried again in a second
            self._falls[part.name] = Fall(cause(refused), self._falls[part.name].count)

    def _run(self) -> None:
        """Call `step` every CHECK_EVERY_S seconds until `stop`; errors are logged."""
        while not self._done.wait(CHECK_EVERY_S):
            try:
                self.step()
            except Exception:
                log.exception("the check of the parts failed")

    def _fell(self, ended: threading.ExceptHookArgs, /) -> None:
        """Record why a thread ended by an exception, then call the former `threading.excepthook`."""
        if ended.thread is not None:
            self._causes[ended.thread.name] = cause(ended.exc_value or ended.exc_type())
        self._hook(ended)
