"""The table as it was last known, for looking at only: what safe mode shows while the table itself can't start."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from companion.errors import CompanionError, DeviceError
from companion.games.engine.views.phrase import Phrase
from companion.table.evolve import Record, Unplayable, replayed
from companion.table.journal import read_entries
from companion.table.projection import snapshot_of
from companion.table.snapshot import Snapshot, Thrown
from companion.table.state import TableState
from companion.table.tray.interpret import Memory
from companion.table.writer import Table

CURE = (
    "Safe mode: nothing can be played. See to it, or export everything (`pegpip export`), then start the table again."
)


class LastState:
    """Fulfils what the pages need of a table: one snapshot that says what is wrong, and no command is carried out."""

    def __init__(self, folder: Path, why: str) -> None:
        self._why, self._record = why, last_good(folder)
        shown = snapshot_of(TableState(self._record, Memory()))
        notice = Phrase("ill", {"what": why, "cure": CURE})
        self._snapshot = msgspec.structs.replace(shown, phase="over", options=(), notice=notice, pulse=1)

    def snapshot(self) -> Snapshot:
        """The last good state."""
        return self._snapshot

    def throws(self) -> tuple[Thrown, ...]:
        """Every throw of the last game, oldest first."""
        return self._record.game.throws if self._record.game else ()

    def subscribe(self, _reader: Callable[..., None]) -> Callable[[], None]:
        """Nothing will ever change."""
        return lambda: None

    def submit(self, _command: Any) -> Snapshot:
        """Raises DeviceError, always."""
        raise DeviceError(self._why, CURE)

    def question_photo(self, _question: int) -> None:
        """There is no open question."""

    def health(self) -> tuple[bool, str]:
        """Why it is all that can be shown."""
        return False, f"{self._why} {CURE}"


AnyTable = Table | LastState
"""One to play at, or to look at only."""


def last_good(folder: Path) -> Record:
    """What the journal says up to the first entry that can't be read or played; nothing of it is changed."""
    try:
        return replayed(read_entries(folder))
    except Unplayable as no:
        return no.record
    except CompanionError:
        return Record()
