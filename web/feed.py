"""The event stream: one encoding of each snapshot, shared by every phone that listens.

The writer's thread only encodes and rings. A phone that reads slowly skips to the newest snapshot: nothing is queued
for anybody.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import msgspec

from companion.session.snapshot import News, Snapshot
from web.parts import TablePart

KEEP_ALIVE = b": still here\n\n"
RETRY_MS = 1000


@dataclass(frozen=True, slots=True)
class Frame:
    """A snapshot as it goes over the wire: as JSON, and as a server-sent event."""

    pulse: int
    number: int
    json: bytes
    event: bytes

    @classmethod
    def of(cls, snapshot: Snapshot) -> Frame:
        """Encode a snapshot."""
        body = msgspec.json.encode(snapshot)
        return cls(snapshot.pulse, snapshot.number, body, b"id: %d\ndata: %s\n\n" % (snapshot.number, body))


class Feed:
    """The newest snapshot, encoded once, and everyone who waits for the next."""

    def __init__(self, table: TablePart, limit: int, heartbeat_s: float) -> None:
        self.newest = Frame.of(table.snapshot())
        self.heartbeat_s = heartbeat_s
        self.closed = False
        self._limit = limit
        self._streams: set[Stream] = set()
        self._lock = threading.Lock()
        self._unsubscribe = table.subscribe(self._take)
        self._take(table.snapshot(), News())

    def _take(self, snapshot: Snapshot, _: News) -> None:
        if (snapshot.pulse, snapshot.number) == (self.newest.pulse, self.newest.number):
            return
        frame = Frame.of(snapshot)
        with self._lock:
            if frame.pulse < self.newest.pulse:
                return
            self.newest = frame
        self._ring()

    @property
    def streams(self) -> int:
        """How many phones listen now."""
        return len(self._streams)

    def open(self) -> Stream | None:
        """A new stream: the newest snapshot first; None when the limit is reached."""
        with self._lock:
            if len(self._streams) >= self._limit or self.closed:
                return None
            stream = Stream(self)
            self._streams.add(stream)
        return stream

    def leave(self, stream: Stream) -> None:
        """A stream has ended; told once or more often."""
        with self._lock:
            self._streams.discard(stream)

    def close(self) -> None:
        """End all streams, so that the server can stop."""
        self._unsubscribe()
        self.closed = True
        self._ring()

    def _ring(self) -> None:
        with self._lock:
            listening = tuple(self._streams)
        for stream in listening:
            stream.ring()


class Stream:
    """What the server iterates over for one phone; `close` (which the server always calls) gives the place back.

    Each stream waits at a bell of its own: woken by a shared condition, two hundred threads would queue for its lock.
    """

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._seen: Frame | None = None
        self._bell = threading.Event()

    def ring(self) -> None:
        """There is something new."""
        self._bell.set()

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> bytes:
        if self._feed.newest is self._seen:
            self._bell.wait(self._feed.heartbeat_s)
        self._bell.clear()  # before looking: what comes from here on rings again
        if self._feed.closed:
            raise StopIteration
        frame = self._feed.newest
        if frame is self._seen:
            return KEEP_ALIVE
        first, self._seen = self._seen is None, frame
        return b"retry: %d\n%s" % (RETRY_MS, frame.event) if first else frame.event

    def close(self) -> None:
        """The phone has gone, or the server stops."""
        self._feed.leave(self)
