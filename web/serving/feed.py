"""The newest snapshot, encoded once for all requests and all event streams."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from companion.table.read_only import AnyTable
from companion.table.snapshot import News, Notice, Snapshot
from web.local_paths import without_paths


@dataclass(frozen=True, slots=True)
class StreamMessage:
    """A snapshot, encoded.

    Attributes:
        pulse: Counts every visible change since the start; orders the messages.
        number: Version number of the table, for commands.
        json: JSON for an answer.
        event: Server-sent event for the event streams.
    """

    pulse: int
    number: int
    json: bytes
    event: bytes

    @classmethod
    def of(cls, snapshot: Snapshot, folder: Path | None = None) -> StreamMessage:
        """Encode a snapshot. Local paths in its notice, such as the data folder's (`folder`), become "…"."""
        notice = snapshot.notice
        if notice is not None and notice.code == "ill":
            args = {name: without_paths(str(told), folder) for name, told in notice.args.items()}
            snapshot = msgspec.structs.replace(snapshot, notice=Notice(notice.code, args))
        body = msgspec.json.encode(snapshot)
        return cls(snapshot.pulse, snapshot.number, body, b"id: %d\ndata: %s\n\n" % (snapshot.number, body))


class Feed:
    """Follows the table. The writer's thread encodes each snapshot and wakes the tasks that send it.

    Args:
        table: The table, whose snapshots are followed until `close`.
        folder: The data folder. Its path is left out of notices.

    Attributes:
        newest: The newest snapshot. May be read from any thread.
    """

    def __init__(self, table: AnyTable, folder: Path | None = None) -> None:
        self._folder = folder
        self.newest = StreamMessage.of(table.snapshot(), folder)
        self._lock = threading.Lock()
        self._wake: Callable[[], None] = lambda: None
        self._unsubscribe = table.subscribe(self._take)
        self._take(table.snapshot(), News())

    def call(self, wake: Callable[[], None]) -> None:
        """Have `wake` called after each new snapshot, in the writer's thread. It replaces the function set before."""
        self._wake = wake

    def close(self) -> None:
        """Stop following the table."""
        self._unsubscribe()

    def _take(self, snapshot: Snapshot, _: News) -> None:
        """Encode a snapshot and wake the stream, unless it is older than the newest or the same."""
        if (snapshot.pulse, snapshot.number) == (self.newest.pulse, self.newest.number):
            return
        message = StreamMessage.of(snapshot, self._folder)
        with self._lock:
            if message.pulse < self.newest.pulse:
                return
            self.newest = message
        self._wake()
