"""The event stream, `GET /api/events`: each snapshot is encoded once and sent to every client that listens.

A native ASGI application: a client costs a connection and a waiting coroutine, but no thread and no queue. A client
that reads slowly skips to the newest snapshot; one that reads nothing is disconnected by the kernel.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from web import guard
from web.responses import HEADERS as SECURITY_HEADERS
from web.responses import asgi_refusal
from web.serving.feed import Feed, StreamMessage
from web.serving.limits import Limits, Taken

log = logging.getLogger(__name__)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

PATH = "/api/events"
"""Path of the event stream's URL."""
KEEP_ALIVE = b": still here\n\n"
"""A comment line of the event stream, sent at each heartbeat without a change. A page that gets nothing reconnects."""
RETRY_MS = 1000
"""Milliseconds until a client with an `EventSource` reopens a broken stream, sent as the `retry` field. The table's
pages ignore it: `core.js` reads the stream with `fetch` and has its own pause. Higher: clients stay outdated longer
after a restart; lower: they try more often while the table is down."""
WRITES_PER_TURN = 100
"""Streams that are written to in one turn of the event loop. Higher: other requests wait longer."""
HEADERS = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),
    *((name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()),
)
"""Response headers of the event stream, security headers included; `x-accel-buffering` stops buffering by proxies."""


@dataclass(slots=True, eq=False)
class Listener:
    """A client of the event stream.

    Attributes:
        send: ASGI's function that sends a message to the client.
        connection: The client's `Connection`; None under a server that has no such objects, as in tests.
        seen: The snapshot last sent to it; None before the first.
    """

    send: Send
    connection: Any
    seen: StreamMessage | None = None

    async def send_newest_or_keep_alive(self, newest: StreamMessage) -> None:
        """Send the snapshot `newest`, or a keep-alive if the client has it already.

        Sends nothing while the client reads too slowly (flow control).
        """
        if self.connection is not None and self.connection.backed_up:
            return
        if newest is self.seen:
            event = KEEP_ALIVE
        else:
            event = newest.event if self.seen else b"retry: %d\n%s" % (RETRY_MS, newest.event)
        self.seen = newest
        await self.send({"type": "http.response.body", "body": event, "more_body": True})

    async def end(self) -> None:
        """End the stream. Abort the connection of a client that is backed up: it would delay the server's stop."""
        if self.connection is not None and self.connection.backed_up:
            self.connection.transport.abort()
        else:
            await self.send({"type": "http.response.body", "body": b""})


class EventStream:
    """The ASGI application of the event stream. It runs in the server's event loop; the table's writer only wakes it.

    `len()` gives the number of its clients.

    Args:
        feed: Holds the newest snapshot, and calls back when there is another.
        hosts: Host names that a request's Host header may contain.
        is_paired: Returns whether a token belongs to a paired phone, whose streams are not limited by its IP address.
        limits: Limits on the number of streams.
    """

    def __init__(self, feed: Feed, hosts: guard.Hosts, is_paired: Callable[[str | None], bool], limits: Limits) -> None:
        self._feed, self._hosts, self._is_paired, self._limits = feed, hosts, is_paired, limits
        self._listeners: set[Listener] = set()
        self._taken = Taken(limits.streams, limits.streams_each)
        self._open = 0  # also those whose answer has yet to begin
        self._changed = asyncio.Event()
        self._broadcast: asyncio.Task[None] | None = None
        self._closed = False

    def __len__(self) -> int:
        return len(self._listeners)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve a client by the ASGI protocol until it disconnects; answer 503 if there is no stream left for it."""
        headers = dict(scope["headers"])
        address = scope["client"][0] if scope["client"] else ""
        if not self._hosts.allows(headers.get(b"host", b"").decode("latin-1")):
            return await asgi_refusal(send, 403, *guard.FOREIGN_HOST)
        if scope["method"] not in {"GET", "HEAD"}:
            return await asgi_refusal(send, 405)
        privileged = self._limits.is_own(address) or self._is_paired(guard.token_of(headers.get(b"cookie", b"")))
        if not self._take_place(address, privileged):
            words = "Too many phones listen. Ask /api/state every second instead."
            return await asgi_refusal(send, 503, "streams_full", words, retry_after_s=10)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            if scope["method"] == "HEAD":
                return await send({"type": "http.response.body", "body": b""})
            await self._listen(Listener(send, scope.get("state", {}).get("connection")), receive)
        finally:
            self._open -= 1
            if not privileged:
                self._taken.give_back(address)

    async def close(self) -> None:
        """End all streams and accept no more, so that the server can stop. Returns once they have ended."""
        self._closed = True
        self._feed.on_change(lambda: None)
        if self._broadcast is not None:
            self._changed.set()
            await self._broadcast

    def _take_place(self, address: str, privileged: bool) -> bool:
        """Reserve a place for one more event stream; return False if there is none, and always after `close`.

        A place counts towards the limit on all streams and, unless `privileged`, towards the limit of the IP `address`.
        After True the caller must give the place back when the stream ends. Streams of this machine and of paired
        phones are privileged: `streams_spare` more streams may be open for them.
        """
        most = self._limits.streams + (self._limits.streams_spare if privileged else 0)
        if self._closed or self._open >= most or not (privileged or self._taken.take(address)):
            return False
        self._open += 1
        return True

    async def _listen(self, listener: Listener, receive: Receive) -> None:
        """Send the newest snapshot to a listener, let `_send_to_all` serve it, and return once it has disconnected.

        The first listener starts the task `_send_to_all`. `receive` is ASGI's function that reports the disconnect.
        """
        if self._broadcast is None:
            loop = asyncio.get_running_loop()

            def wake() -> None:
                with contextlib.suppress(RuntimeError):  # the loop is closed: the next server has its own
                    loop.call_soon_threadsafe(self._changed.set)

            self._feed.on_change(wake)
            self._broadcast = loop.create_task(self._send_to_all())
        self._listeners.add(listener)
        try:
            await listener.send_newest_or_keep_alive(self._feed.newest)
            while (await receive())["type"] != "http.disconnect":
                pass
        finally:
            self._listeners.discard(listener)

    async def _send_to_all(self) -> None:
        """Send the newest snapshot to all clients at each change, until `close`; then end their event streams.

        Clients that are backed up are skipped. After `heartbeat_s` seconds without a change, each client gets a
        keep-alive, or the newest snapshot if it was skipped before. A change while a snapshot is being sent is sent to
        all clients next.
        """
        while not self._closed:
            try:
                await asyncio.wait_for(self._changed.wait(), self._limits.heartbeat_s)
                beat = False
            except TimeoutError:
                beat = True
            self._changed.clear()
            newest = self._feed.newest
            for at, listener in enumerate(tuple(self._listeners), 1):
                if beat or listener.seen is not newest:
                    await self._try_write(listener, listener.send_newest_or_keep_alive(newest))
                if at % WRITES_PER_TURN == 0:
                    await asyncio.sleep(0)
        for listener in tuple(self._listeners):
            await self._try_write(listener, listener.end())

    async def _try_write(self, listener: Listener, writing: Awaitable[None]) -> None:
        """Await a write to a listener. If it fails, log the error and drop the listener."""
        try:
            await writing
        except Exception:  # one phone's failure must not end the others' streams
            log.exception("an event stream failed; its phone will connect again")
            self._listeners.discard(listener)
