"""The newest snapshot, encoded once for everybody who asks and everybody who listens."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from companion.table.read_only import AnyTable
from companion.table.snapshot import News, Snapshot


@dataclass(frozen=True, slots=True)
class StreamMessage:
    """A snapshot as it goes over the wire: as JSON, and as a server-sent event."""

    pulse: int
    number: int
    json: bytes
    event: bytes

    @classmethod
    def of(cls, snapshot: Snapshot) -> StreamMessage:
        """Encode a snapshot."""
        body = msgspec.json.encode(snapshot)
        return cls(snapshot.pulse, snapshot.number, body, b"id: %d\ndata: %s\n\n" % (snapshot.number, body))


class Feed:
    """Follows the table; the writer's thread only encodes and rings.

    Attributes:
        newest: The newest snapshot. May be read from any thread.
    """

    def __init__(self, table: AnyTable) -> None:
        self.newest = StreamMessage.of(table.snapshot())
        self._lock = threading.Lock()
        self._ring: Callable[[], None] = lambda: None
        self._unsubscribe = table.subscribe(self._take)
        self._take(table.snapshot(), News())

    def call(self, ring: Callable[[], None]) -> None:
        """Ring, from the writer's thread, whenever there is a newer one; instead of what was rung before."""
        self._ring = ring

    def close(self) -> None:
        """Follow the table no longer."""
        self._unsubscribe()

    def _take(self, snapshot: Snapshot, _: News) -> None:
        if (snapshot.pulse, snapshot.number) == (self.newest.pulse, self.newest.number):
            return
        message = StreamMessage.of(snapshot)
        with self._lock:
            if message.pulse < self.newest.pulse:
                return
            self.newest = message
        self._ring()
