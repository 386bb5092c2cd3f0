"""The event stream, `GET /api/events`: each snapshot is encoded once and written to every phone that listens.

A native ASGI application: a phone costs a connection and a waiting coroutine, but no thread. No phone has a queue. A
phone that reads slowly skips to the newest snapshot; one that reads nothing is disconnected.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from web import guard
from web.responses import asgi_refusal
from web.serving.feed import Feed, StreamMessage
from web.serving.limits import Limits, Taken

log = logging.getLogger(__name__)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

PATH = "/api/events"
"""Address of the event stream."""
KEEP_ALIVE = b": still here\n\n"
"""A comment of the event stream, sent when there is no news. A page that hears nothing connects again."""
RETRY_MS = 1000
"""How long a browser waits before it opens a broken stream again, in milliseconds; sent to it."""
WRITTEN_AT_A_TIME = 100
"""Streams written to in a row before the event loop turns to other requests. More delays those."""
HEADERS = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    *((name.lower().encode(), value.encode()) for name, value in guard.HEADERS.items()),
)
"""Headers of the event stream, with the security headers; `x-accel-buffering` keeps proxies from holding it back."""


@dataclass(slots=True, eq=False)
class Listener:
    """A phone that listens.

    Attributes:
        send: ASGI's function that sends to it.
        connection: The phone's `Connection`; None in a server that has none.
        seen: The last message sent to it; None before the first.
    """

    send: Send
    connection: Any
    seen: StreamMessage | None = None

    async def tell(self, newest: StreamMessage) -> None:
        """Send `newest`, or a keep-alive if that was sent last. Send nothing to a phone that has much unread."""
        if self.connection is not None and self.connection.backed_up:
            return
        if newest is self.seen:
            event = KEEP_ALIVE
        else:
            event = newest.event if self.seen else b"retry: %d\n%s" % (RETRY_MS, newest.event)
        self.seen = newest
        await self.send({"type": "http.response.body", "body": event, "more_body": True})


class EventStream:
    """The ASGI application of the event stream. It runs in the server's event loop; the table's writer only wakes it.

    Args:
        feed: Gives the newest message, and calls back when there is another.
        hosts: Host names that a request may use.
        is_paired: Returns whether a token belongs to a paired phone; the phone's stream is then not counted.
        limits: How many streams there may be.
    """

    def __init__(self, feed: Feed, hosts: guard.Hosts, is_paired: Callable[[str | None], bool], limits: Limits) -> None:
        self._feed, self._hosts, self._is_paired, self._limits = feed, hosts, is_paired, limits
        self._listeners: set[Listener] = set()
        self._taken = Taken(limits.streams, limits.streams_each)
        self._changed = asyncio.Event()
        self._broadcast: asyncio.Task[None] | None = None
        self._closed = False

    def __len__(self) -> int:
        return len(self._listeners)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve a phone (ASGI) until it leaves; answer 503 if its address, or the table, has no stream left."""
        headers = dict(scope["headers"])
        address = scope["client"][0] if scope["client"] else ""
        if not self._hosts.allows(headers.get(b"host", b"").decode("latin-1")):
            return await asgi_refusal(send, 403, *guard.FOREIGN_HOST)
        if scope["method"] not in {"GET", "HEAD"}:
            return await asgi_refusal(send, 405)
        favoured = self._limits.is_own(address) or self._is_paired(guard.token_of(headers.get(b"cookie", b"")))
        if not self._take_place(address, favoured):
            words = "Too many phones listen. Ask /api/state every second instead."
            return await asgi_refusal(send, 503, "streams_full", words, retry_after_s=10)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            if scope["method"] == "HEAD":
                return await send({"type": "http.response.body", "body": b""})
            await self._listen(Listener(send, scope.get("state", {}).get("connection")), receive)
        finally:
            if not favoured:
                self._taken.give_back(address)

    async def close(self) -> None:
        """End all streams, so that the server can stop."""
        self._closed = True
        self._feed.call(lambda: None)
        if self._broadcast is not None:
            self._changed.set()
            await self._broadcast

    def _take_place(self, address: str, favoured: bool) -> bool:
        """Return whether there is room for one more stream; count it for the address unless it is `favoured`.

        A stream of this machine or of a paired phone is favoured: it may use the spare places, and is not counted.
        """
        if self._closed:
            return False
        if favoured:
            return len(self._listeners) < self._limits.streams + self._limits.streams_spare
        return len(self._listeners) < self._limits.streams and self._taken.take(address)

    async def _listen(self, listener: Listener, receive: Receive) -> None:
        """Keep a listener until it disconnects. The first one ever starts the task that sends to all."""
        if self._broadcast is None:
            loop = asyncio.get_running_loop()

            def wake() -> None:
                with contextlib.suppress(RuntimeError):  # the loop is closed: the next server has its own
                    loop.call_soon_threadsafe(self._changed.set)

            self._feed.call(wake)
            self._broadcast = loop.create_task(self._tell_all())
        self._listeners.add(listener)
        try:
            await listener.tell(self._feed.newest)
            while (await receive())["type"] != "http.disconnect":
                pass
        finally:
            self._listeners.discard(listener)

    async def _tell_all(self) -> None:
        """Send to all phones at each change and each heartbeat. A change during a round is sent in the next one."""
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
                    await self._safely(listener, listener.tell(newest))
                if at % WRITTEN_AT_A_TIME == 0:
                    await asyncio.sleep(0)
        for listener in tuple(self._listeners):
            await self._safely(listener, listener.send({"type": "http.response.body", "body": b""}))

    async def _safely(self, listener: Listener, writing: Awaitable[None]) -> None:
        """Wait for a write to a listener. If it fails, log that and write no more to this listener."""
        try:
            await writing
        except Exception:  # one phone's failure must not end the others' streams
            log.exception("an event stream failed; its phone will connect again")
            self._listeners.discard(listener)
