"""What the table logs: a line a message, marked for journald, and no message without end."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping
from typing import TextIO

import msgspec

AT_ONCE = 10
"""So many lines of one place in the code may come in a window ..."""
WINDOW_S = 60.0
"""... of so long; what is more is counted, and told with the next that may come."""

_PRIORITIES = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
"""Level -> priority of syslog, `sd-daemon(3)`."""


class Limit(logging.Filter):
    """Lets a place in the code say only so much in a while: a loop that fails thirty times a second fills no card."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._clock = clock
        self._windows: dict[tuple[str, int], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written; the first after a silence says how many were not."""
        place, now = (record.pathname, record.lineno), self._clock()
        since, count = self._windows.get(place, (now, 0))
        if now - since >= WINDOW_S:
            left_out = max(0, count - AT_ONCE)
            if left_out:
                record.msg = f"{record.getMessage()} (and {left_out} more like it, not written)"
                record.args = None
            since, count = now, 0
        self._windows[place] = since, count + 1
        return count < AT_ONCE


class Marked(logging.Formatter):
    """Lines as journald takes them: `<4>web.app: what happened`, each line of a trace marked alike."""

    def format(self, record: logging.LogRecord) -> str:
        """The marked lines."""
        priority = next((number for level, number in _PRIORITIES if record.levelno >= level), 7)
        return "\n".join(f"<{priority}>{line}" for line in super().format(record).splitlines())


class Structured(logging.Formatter):
    """One JSON object a line: `t` in seconds, `level`, `part`, `says`, and `trace` where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """The object."""
        level, says = record.levelname.lower(), record.getMessage()
        line = {"t": record.created, "level": level, "part": record.name, "says": says}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


def begin(
    clock: Callable[[], float],
    *,
    verbose: bool,
    structured: bool,
    stream: TextIO | None = None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Log to standard error from now on.

    Args:
        clock: In seconds, never backwards.
        verbose: Tell what happens, not only what goes wrong.
        structured: One JSON object a line, for programs.
        stream: Another than standard error.
        environment: Where `JOURNAL_STREAM` says that journald listens; the process's own without one.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.addFilter(Limit(clock))
    for_journald = "JOURNAL_STREAM" in (os.environ if environment is None else environment)
    if structured:
        handler.setFormatter(Structured())
    elif for_journald:
        handler.setFormatter(Marked("%(name)s: %(message)s"))
    else:
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler], force=True)
