"""The feed: the table's newest snapshot, encoded once for all requests and all event streams."""

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
    """An encoded snapshot.

    Attributes:
        pulse: `Snapshot.pulse`, which grows with every visible change: orders the messages.
        number: `Snapshot.number`, which a command must name.
        json: The snapshot as JSON.
        event: The snapshot as a server-sent event, whose `id` is `number`.
    """

    pulse: int
    number: int
    json: bytes
    event: bytes

    @classmethod
    def of(cls, snapshot: Snapshot, folder: Path | None = None) -> StreamMessage:
        """Return a snapshot of the table encoded as JSON and as a server-sent event; the snapshot is unchanged.

        File paths in a notice of a failed part become "…".

        Args:
            snapshot: The snapshot.
            folder: The data folder: its path is recognised even if it contains spaces.
        """
        notice = snapshot.notice
        if notice is not None and notice.code == "ill":
            args = {name: without_paths(str(told), folder) for name, told in notice.args.items()}
            snapshot = msgspec.structs.replace(snapshot, notice=Notice(notice.code, args))
        body = msgspec.json.encode(snapshot)
        return cls(snapshot.pulse, snapshot.number, body, b"id: %d\ndata: %s\n\n" % (snapshot.number, body))


class Feed:
    """Subscribes to the table and encodes each new snapshot, in the writer's thread.

    Args:
        table: The table to subscribe to, until `close`.
        folder: The data folder, whose path is left out of notices (`StreamMessage.of`).

    Attributes:
        newest: The newest snapshot. May be read from any thread.
    """

    def __init__(self, table: AnyTable, folder: Path | None = None) -> None:
        self._folder = folder
        self.newest = StreamMessage.of(table.snapshot(), folder)
        self._lock = threading.Lock()
        self._wake: Callable[[], None] = lambda: None
        self._unsubscribe = table.subscribe(self._publish)
        self._publish(table.snapshot(), News())

    def on_change(self, wake: Callable[[], None]) -> None:
        """Set the one function that is called after each new snapshot, in the writer's thread. It must not block."""
        self._wake = wake

    def close(self) -> None:
        """Unsubscribe from the table: `newest` does not change any more."""
        self._unsubscribe()

    def _publish(self, snapshot: Snapshot, _: News) -> None:
        """Make a snapshot the newest and call the function set by `on_change`.

        An older snapshot, or a repeated one, is ignored.
        """
        if (snapshot.pulse, snapshot.number) == (self.newest.pulse, self.newest.number):
            return
        message = StreamMessage.of(snapshot, self._folder)
        with self._lock:
            if message.pulse < self.newest.pulse:
                return
            self.newest = message
        self._wake()
