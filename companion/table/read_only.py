"""The last known table, read-only: safe mode shows it while the table itself can't start."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from companion.errors import CompanionError, DeviceError
from companion.games.engine.views.phrase import Phrase
from companion.table.evolve import Record, replayed
from companion.table.journal import entries
from companion.table.projection import snapshot_of
from companion.table.snapshot import Snapshot
from companion.table.state import TableState
from companion.table.tray.memory import Memory
from companion.table.writer import Table

CURE = (
    "Safe mode: nothing can be played. See to it, or export everything (`pegpip export`), then start the table again."
)
"""Advice beside the reason why the table can't start."""


class LastState:
    """Stands in for a `Table` on the pages: one snapshot with a notice of what is wrong. It refuses every command.

    It shows the last good state of the data folder `folder`. `why` is a sentence on why the table can't start.
    """

    def __init__(self, folder: Path, why: str) -> None:
        self._why, self._state = why, TableState(last_good(folder), Memory())
        shown = snapshot_of(self._state)
        notice = Phrase("ill", {"what": why, "cure": CURE})
        self._snapshot = msgspec.structs.replace(shown, phase="over", options=(), notice=notice, pulse=1)

    def snapshot(self) -> Snapshot:
        """Return the snapshot of the last good state, with a notice of why the table can't start and no options."""
        return self._snapshot

    def state(self) -> TableState:
        """Return the last good state, before the tray was observed."""
        return self._state

    def subscribe(self, _subscriber: Callable[..., None]) -> Callable[[], None]:
        """Return a function that does nothing; the subscriber is never called."""
        return lambda: None

    def submit(self, _command: Any) -> Snapshot:
        """Refuse every command: raise DeviceError with the reason and the cure."""
        raise DeviceError(self._why, CURE)

    def health(self) -> tuple[bool, str]:
        """Return False, and the reason why the table can't start, with the cure."""
        return False, f"{self._why} {CURE}"


AnyTable = Table | LastState
"""A table that can be played at, or the read-only one of safe mode."""


def last_good(folder: Path) -> Record:
    """Return the record of a data folder's journal up to the first entry that can't be read or played.

    Nothing is written. Without a journal the record is empty.
    """
    record = Record()
    with contextlib.suppress(CompanionError):
        for entry in entries(folder):
            record = replayed((entry,), record)
    return record
