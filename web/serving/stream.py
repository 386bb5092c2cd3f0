"""The event stream, `GET /api/events`: each snapshot is encoded once and written to every phone that listens.

A native ASGI application: a phone costs a connection and a waiting coroutine, no thread. Nothing is queued for anybody;
a phone that reads slowly gets the newest snapshot when it can take one again, and is dropped when it takes none.
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
KEEP_ALIVE = b": still here\n\n"
RETRY_MS = 1000
AT_A_STRETCH = 100
"""Streams written to before other requests get their turn."""
HEADERS = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    *((name.lower().encode(), value.encode()) for name, value in guard.HEADERS.items()),
)


@dataclass(slots=True, eq=False)
class Listener:
    """A listening phone: its connection and the last message sent to it."""

    send: Send
    connection: Any
    seen: StreamMessage | None = None

    async def tell(self, newest: StreamMessage) -> None:
        """Send this phone the newest message, or a keep-alive if it has that one. Skip it if much is unread."""
        if self.connection is not None and self.connection.backed_up:
            return
        if newest is self.seen:
            event = KEEP_ALIVE
        else:
            event = newest.event if self.seen else b"retry: %d\n%s" % (RETRY_MS, newest.event)
        self.seen = newest
        await self.send({"type": "http.response.body", "body": event, "more_body": True})


class EventStream:
    """The ASGI application. All of it runs in the server's event loop, but for the ring of the table's writer."""

    def __init__(self, feed: Feed, hosts: guard.Hosts, is_paired: Callable[[str | None], bool], limits: Limits) -> None:
        self._feed, self._hosts, self._is_paired, self._limits = feed, hosts, is_paired, limits
        self._listeners: set[Listener] = set()
        self._taken = Taken(limits.streams, limits.streams_each)
        self._changed = asyncio.Event()
        self._telling: asyncio.Task[None] | None = None
        self._closed = False

    def __len__(self) -> int:
        return len(self._listeners)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve a phone until it leaves. Answer 503 if its address, or the table, has no stream left."""
        headers = dict(scope["headers"])
        address = scope["client"][0] if scope["client"] else ""
        if not self._hosts.allows(headers.get(b"host", b"").decode("latin-1")):
            return await asgi_refusal(send, 403, *guard.FOREIGN_HOST)
        if scope["method"] not in {"GET", "HEAD"}:
            return await asgi_refusal(send, 405)
        favoured = self._limits.is_own(address) or self._is_paired(guard.token_of(headers.get(b"cookie", b"")))
        if not self._has_room(address, favoured):
            words = "Too many phones listen. Ask /api/state every second instead."
            return await asgi_refusal(send, 503, "streams_full", words, retry_after_s=10)
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        if scope["method"] == "HEAD":
            return await send({"type": "http.response.body", "body": b""})
        if not favoured:
            self._taken.take(address)
        try:
            await self._listen(Listener(send, scope.get("state", {}).get("connection")), receive)
        finally:
            if not favoured:
                self._taken.give_back(address)

    async def close(self) -> None:
        """End all streams, so that the server can stop."""
        self._closed = True
        self._feed.call(lambda: None)
        if self._telling is not None:
            self._changed.set()
            await self._telling

    def _has_room(self, address: str, favoured: bool) -> bool:
        if self._closed:
            return False
        if favoured:
            return len(self._listeners) < self._limits.streams + self._limits.streams_spare
        return len(self._listeners) < self._limits.streams and self._taken.has_room(address)

    async def _listen(self, listener: Listener, receive: Receive) -> None:
        if self._telling is None:
            loop = asyncio.get_running_loop()

            def ring() -> None:
                with contextlib.suppress(RuntimeError):  # the loop has fallen; who serves next rings elsewhere
                    loop.call_soon_threadsafe(self._changed.set)

            self._feed.call(ring)
            self._telling = loop.create_task(self._tell_all())
        self._listeners.add(listener)
        try:
            await listener.tell(self._feed.newest)
            while (await receive())["type"] != "http.disconnect":
                pass
        finally:
            self._listeners.discard(listener)

    async def _tell_all(self) -> None:
        """Send to all phones at each change and each heartbeat. Changes during a round are sent in the next one."""
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
                if at % AT_A_STRETCH == 0:
                    await asyncio.sleep(0)
        for listener in tuple(self._listeners):
            await self._safely(listener, listener.send({"type": "http.response.body", "body": b""}))

    async def _safely(self, listener: Listener, writing: Awaitable[None]) -> None:
        try:
            await writing
        except Exception:  # one phone's trouble is not the others'
            log.exception("an event stream broke; its phone will ask for another")
            self._listeners.discard(listener)
