"""The event stream: one encoding of each snapshot, shared by every phone that listens.

A stream is a generator that waits on one condition; the writer's thread only encodes and wakes. A phone that reads
slowly skips to the newest snapshot: nothing is queued for anybody.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from companion.session.snapshot import Snapshot
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
        self._changed = threading.Condition()
        self._frame = Frame.of(table.snapshot())
        self._limit, self._heartbeat_s = limit, heartbeat_s
        self._streams = 0
        self._closed = False
        self._unsubscribe = table.subscribe(self._take)
        self._take(table.snapshot())

    def _take(self, snapshot: Snapshot) -> None:
        if snapshot.pulse == self._frame.pulse and snapshot.number == self._frame.number:
            return
        frame = Frame.of(snapshot)
        with self._changed:
            if snapshot.pulse >= self._frame.pulse:
                self._frame = frame
                self._changed.notify_all()

    @property
    def newest(self) -> Frame:
        """The newest snapshot."""
        return self._frame

    @property
    def streams(self) -> int:
        """How many phones listen now."""
        return self._streams

    def close(self) -> None:
        """End all streams, so that the server can stop."""
        self._unsubscribe()
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def open(self) -> Iterator[bytes] | None:
        """A new stream: the newest snapshot first; None when the limit is reached."""
        with self._changed:
            if self._streams >= self._limit or self._closed:
                return None
            self._streams += 1
        return Stream(self)

    def left(self) -> None:
        """A stream has ended."""
        with self._changed:
            self._streams -= 1

    def newer(self, than: Frame | None) -> Frame | None:
        """Wait for a frame that is not this one; None when a heartbeat is due. Raises StopIteration at the end."""
        with self._changed:
            if self._frame is than and not self._closed:
                self._changed.wait(self._heartbeat_s)
            if self._closed:
                raise StopIteration
            return None if self._frame is than else self._frame


class Stream:
    """What the server iterates over for one phone; `close` (which the server always calls) gives the place back."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._seen: Frame | None = None
        self._open = True

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> bytes:
        if not self._open:
            raise StopIteration
        frame = self._feed.newer(self._seen)
        if frame is None:
            return KEEP_ALIVE
        first, self._seen = self._seen is None, frame
        return b"retry: %d\n%s" % (RETRY_MS, frame.event) if first else frame.event

    def close(self) -> None:
        """The phone has gone, or the server stops."""
        if self._open:
            self._open = False
            self._feed.left()
