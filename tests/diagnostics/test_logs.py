"""The log: limited for each place in the code, marked for journald, structured for programs."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
from unittest import mock

from companion.diagnostics import logs


class Logged:
    """A log of its own, on a clock that is set."""

    def __init__(self, *, structured: bool = False, **environment: str) -> None:
        self.now = 0.0
        self.stream = io.StringIO()
        root = logging.getLogger()
        self.before = root.handlers[:], root.level
        with contextlib.redirect_stderr(self.stream), mock.patch.dict(os.environ, environment, clear=True):
            logs.configure_logging(lambda: self.now, verbose=False, structured=structured)

    def close(self) -> list[str]:
        """Restore the root logger and return the lines that were written."""
        root = logging.getLogger()
        root.handlers[:], level = self.before
        root.setLevel(level)
        return self.stream.getvalue().splitlines()


def test_log_messages_beyond_ten_from_one_line_of_code_are_dropped() -> None:
    log = Logged()
    for number in range(100):
        logging.getLogger("camera").warning("no frame %d", number)
        if number == 50:
            logging.getLogger("strip").warning("another part")
    logging.getLogger("camera").warning("elsewhere")
    lines = log.close()
    assert lines[:10] == [f"WARNING camera: no frame {number}" for number in range(10)]
    assert lines[10:] == ["WARNING strip: another part", "WARNING camera: elsewhere"]


def test_the_first_log_message_after_a_minute_states_how_many_like_it_were_dropped() -> None:
    """The count is of one window: a window without dropped messages is followed by a message without a count."""
    log = Logged()
    for number in range(102):
        log.now = max(0.0, 61.0 * (number - 99))
        logging.getLogger("camera").warning("no frame %d", number)
    lines = log.close()
    assert len(lines) == 12
    assert lines[10] == "WARNING camera: no frame 100 (and 90 more like it, not written)"
    assert lines[11] == "WARNING camera: no frame 101"


def test_each_log_line_for_journald_starts_with_its_priority() -> None:
    log = Logged(JOURNAL_STREAM="8:1")
    try:
        raise OSError("gone")
    except OSError:
        logging.getLogger("strip").exception("it fell")
    lines = log.close()
    assert lines[0] == "<3>strip: it fell"
    assert all(line.startswith("<3>") for line in lines)
    assert "OSError: gone" in lines[-1]


def test_structured_logs_are_one_json_object_per_line() -> None:
    log = Logged(structured=True)
    logging.getLogger("camera").error("no\nframe %s", "é\udcff")
    (line,) = log.close()
    told = json.loads(line)
    assert (told["level"], told["part"], told["says"]) == ("error", "camera", "no\nframe é\udcff")
