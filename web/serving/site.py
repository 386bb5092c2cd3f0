"""One ASGI application for the server: the event stream natively, everything else by Flask in threads.

A request gets a thread when its body is whole, and frees it when its answer is made. Phones that send or read slowly
hold no thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from typing import Any

import flask
from a2wsgi import WSGIMiddleware

from web.guard import BODY_LIMIT_BYTES
from web.responses import asgi_refusal
from web.serving.limits import Limits
from web.serving.stream import PATH, EventStream, Message, Receive, Send

THREADS = 16
"""Flask requests that are answered at a time; others wait."""
DRAINED_BYTES = 4 * 1024 * 1024
"""Most bytes of a too large body that are read before the refusal: a phone that still sends may not see the answer."""


class Site:
    """The pages, the API and the event stream."""

    def __init__(self, app: flask.Flask, stream: EventStream, limits: Limits) -> None:
        self.stream, self._limits = stream, limits
        wsgi: Any = app
        self._flask: Any = WSGIMiddleware(wsgi, workers=THREADS)
        self._closed = False
        self._turns: weakref.WeakValueDictionary[str, asyncio.Semaphore] = weakref.WeakValueDictionary()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request (ASGI)."""
        if scope["path"] == PATH:
            await self.stream(scope, receive, send)
            return
        if {b"transfer-encoding", b"content-length"} <= {name for name, _ in scope["headers"]}:
            await asgi_refusal(send, 400)  # a proxy may believe the other header: request smuggling (RFC 9112, 6.1)
            return
        try:
            async with asyncio.timeout(self._limits.body_s):
                body = await whole_body(receive)
        except TimeoutError:
            await asgi_refusal(send, 408)
            return
        if body is None:
            return
        if len(body) > BODY_LIMIT_BYTES:
            await asgi_refusal(send, 413)
            return
        async with self._turn(scope["client"][0] if scope["client"] else ""):
            if self._closed:
                await asgi_refusal(send, 503, "closing", "The table is being stopped.", retry_after_s=10)
            else:
                await self._answer(scope, body, send)

    async def close(self) -> None:
        """End the streams, refuse requests that come now, and stop the threads."""
        self._closed = True
        await self.stream.close()
        self._flask.executor.shutdown(wait=False)

    def _turn(self, address: str) -> contextlib.AbstractAsyncContextManager[None]:
        """Return a context manager that waits until an IP address may have one more request answered."""
        if self._limits.is_own(address):
            return contextlib.nullcontext()
        return self._turns.setdefault(address, asyncio.Semaphore(self._limits.requests_each))

    async def _answer(self, scope: Message, body: bytes, send: Send) -> None:
        """Have Flask answer a request whose body has been read, in one of the threads."""

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        await self._flask({**scope, "headers": plain_headers(scope["headers"], len(body))}, receive, send)


async def whole_body(receive: Receive) -> bytes | None:
    """Read the request's body from ASGI's `receive`; None if the phone disconnects.

    A body over `BODY_LIMIT_BYTES` is returned cut, but still longer than that. Up to `DRAINED_BYTES` are read.
    """
    body, came = b"", 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        came += len(message["body"])
        if len(body) <= BODY_LIMIT_BYTES:
            body += message["body"]
        if not message["more_body"] or came > DRAINED_BYTES:
            return body


def plain_headers(headers: list[tuple[bytes, bytes]], length: int) -> list[tuple[bytes, bytes]]:
    """Return the headers of a request that WSGI reads safely.

    A name with "_" is left out: WSGI turns "-" into "_", so it could pass for another header.

    Args:
        headers: Names, in lower case, with their values.
        length: Bytes of the body. Becomes the Content-Length of a body that was sent in chunks.
    """
    kept = [(name, value) for name, value in headers if b"_" not in name]
    if not any(name == b"transfer-encoding" for name, _ in kept):
        return kept
    kept = [(name, value) for name, value in kept if name not in {b"transfer-encoding", b"content-length"}]
    return [*kept, (b"content-length", b"%d" % length)]
