"""The table's log: one line for each message, marked for journald, at a limited rate for each place in the code."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable

MAX_LINES = 10
"""Most messages that one place in the code may log within WINDOW_S; further ones are only counted. More: a failing loop
fills the SD card; fewer: causes are lost."""
WINDOW_S = 60.0
"""Seconds of the window in which one place in the code may log MAX_LINES messages. Longer: fewer are written."""

_PRIORITIES = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
"""Pairs of the lowest level of Python's logging and its syslog priority (sd-daemon(3)); lower levels have 7, debug."""


class RateLimit(logging.Filter):
    """Drops messages of a place in the code that logs too often, so that a failing loop does not fill the SD card."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._clock = clock
        self._windows: dict[tuple[str, int], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write a log record: at most MAX_LINES records a window from each line of code.

        A window of WINDOW_S starts with a record. The first record after its end starts the next window. If the last
        window dropped records, the message of this first record is changed to say how many.
        """
        place, now = (record.pathname, record.lineno), self._clock()
        since, count = self._windows.get(place, (now, 0))
        if now - since >= WINDOW_S:
            left_out = max(0, count - MAX_LINES)
            if left_out:
                record.msg = f"{record.getMessage()} (and {left_out} more like it, not written)"
                record.args = None
            since, count = now, 0
        self._windows[place] = since, count + 1
        return count < MAX_LINES


class Marked(logging.Formatter):
    """Formats messages for journald: each line starts with its priority, as in `<4>web.app: text`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of the message and its traceback, each with the priority."""
        priority = next((number for level, number in _PRIORITIES if record.levelno >= level), 7)
        return "\n".join(f"<{priority}>{line}" for line in super().format(record).splitlines())


class Structured(logging.Formatter):
    """Formats each message as one JSON object: `t` (seconds since 1970), `level`, `part`, `says`, and any `trace`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a log record as one line of JSON, in ASCII.

        The keys are `t` (seconds since 1970), `level` in lower case, `part` (the logger's name), `says` (the message)
        and, for an exception, `trace`.
        """
        level, says = record.levelname.lower(), record.getMessage()
        line = {"t": record.created, "level": level, "part": record.name, "says": says}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line)  # in ASCII: a file name that is no UTF-8 can't be encoded


def configure_logging(clock: Callable[[], float], *, verbose: bool, structured: bool) -> None:
    """Configure logging of the whole process to standard error, in place of any earlier configuration.

    Each line of code may log MAX_LINES messages in WINDOW_S; further messages are dropped. With `JOURNAL_STREAM` in the
    environment, which systemd sets, lines that are not JSON start with their priority for journald.

    Args:
        clock: Monotonic clock, in seconds.
        verbose: Log from level INFO on, not only from WARNING on.
        structured: Write one JSON object a line.
    """
    handler = logging.StreamHandler()
    handler.addFilter(RateLimit(clock))
    if structured:
        handler.setFormatter(Structured())
    elif "JOURNAL_STREAM" in os.environ:
        handler.setFormatter(Marked("%(name)s: %(message)s"))
    else:
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler], force=True)
