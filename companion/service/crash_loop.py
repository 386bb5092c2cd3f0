"""Counts starts that came to nothing: a table that can't start ends in a page that says why, and not in a loop."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from companion.table.atomic import write_file

FILE_NAME = ".starts.json"
TRIES = 3
"""So many starts may fail; the next is in safe mode."""
UNREADY = "It ended before it was ready, without a word."


class Starts:
    """The starts since the last that was ready, each with what it said at its end.

    Kept in systemd's runtime folder where there is one: it outlives a restart, not a reboot. Else in the data folder.
    Where neither can be written nothing is counted.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        given = (os.environ if environment is None else environment).get("RUNTIME_DIRECTORY", "")
        self._file = Path(given or folder) / FILE_NAME
        self._said: list[str] = []

    def begin(self) -> list[str]:
        """What the failed starts before this one said, oldest first; this one counts as failed until it is ready."""
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            self._said = msgspec.json.decode(self._file.read_bytes(), type=list[str])
        before = list(self._said)
        self._said.append(UNREADY)
        self._write()
        return before

    def failed(self, why: str) -> None:
        """The start has failed, for that reason."""
        self._said[-1:] = [why]
        self._write()

    def ready(self) -> None:
        """The start is good, or tells of the others: from now on the count begins anew."""
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            write_file(self._file, (msgspec.json.encode(self._said[-TRIES:]),))
