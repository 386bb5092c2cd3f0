"""Count failed starts, so that a table that can't start ends in safe mode instead of restarting for ever."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

from companion.table.atomic import write_file

FILE_NAME = ".starts.json"
"""JSON file with the reasons of the table's failed starts since the last good one."""
REVERT_AFTER = 2
"""Failed starts in a row after which the last good settings are used. At 1 a single chance failure would undo a change
of settings. It must be below SAFE_MODE_AFTER, otherwise safe mode comes first and they are never tried."""
SAFE_MODE_AFTER = 3
"""Failed starts in a row after which the table starts in safe mode. Also the most reasons stored. Higher: people wait
longer for a page. Must be below StartLimitBurst in systemd/pegpip.service, or systemd gives up before safe mode."""
UNREADY = "It ended before it was ready, without a word."
"""Reason stored for a failed start of the table that gave none itself, as in a crash. Safe mode shows it."""


class Starts:
    """The failed starts since the last good one, each with its reason.

    They are stored in systemd's runtime folder if there is one, which outlives a restart but not a reboot; else in the
    data folder. Where neither can be written, nothing is counted: errors of the disk are ignored.
    """

    def __init__(self, folder: Path) -> None:
        self._file = Path(os.environ.get("RUNTIME_DIRECTORY") or folder) / FILE_NAME
        self._reasons: list[str] = []

    def begin(self) -> list[str]:
        """Store this start as a failed one, so that even a crash is counted; `ready` and `withdraw` take it back.

        Return the reasons of earlier failed starts, oldest first; empty if they can't be read. Disk errors are ignored:
        if the file can't be written, this start is not counted.
        """
        with contextlib.suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
            self._reasons = msgspec.json.decode(self._file.read_bytes(), type=list[str])
        before = list(self._reasons)
        self._reasons.append(UNREADY)
        self._write()
        return before

    def failed(self, why: str) -> None:
        """Store `why` as the reason of the present start's failure."""
        self._reasons[-1:] = [why]
        self._write()

    def withdraw(self) -> None:
        """Remove the present start from the failed ones, because its end says nothing about the table."""
        self._reasons.pop()
        self._write()

    def ready(self) -> None:
        """Forget all failed starts: the present one succeeded, or shows their reason in safe mode."""
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)

    def _write(self) -> None:
        """Write the reasons of the last SAFE_MODE_AFTER failed starts to the file."""
        with contextlib.suppress(OSError):
            write_file(self._file, (msgspec.json.encode(self._reasons[-SAFE_MODE_AFTER:]),))
