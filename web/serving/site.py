"""One ASGI application for the server: it serves the event stream itself, and everything else by Flask in threads.

A request gets a thread once its body is complete, and frees it once its answer is made. Clients that send or read
slowly hold no thread.
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
"""Most requests that Flask answers at a time, each in a thread. Higher: more memory; lower: slow ones delay others."""
DRAINED_BYTES = 4 * 1024 * 1024
"""Most bytes of a too large body that are read before it is refused: a client that is still sending may miss a 413.
Higher: refused clients keep the server busy for longer."""


class Site:
    """The ASGI application of the whole site: pages, API and event stream.

    Args:
        app: The Flask application.
        stream: The event stream.
        limits: Limits on a body's time, and on the requests of an IP address.
    """

    def __init__(self, app: flask.Flask, stream: EventStream, limits: Limits) -> None:
        self.stream, self._limits = stream, limits
        wsgi: Any = app
        self._flask: Any = WSGIMiddleware(wsgi, workers=THREADS)
        self._closed = False
        self._slots: weakref.WeakValueDictionary[str, asyncio.Semaphore] = weakref.WeakValueDictionary()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one request by the ASGI protocol. Refuse it while the site is being closed."""
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
        async with self._request_slot(scope["client"][0] if scope["client"] else ""):
            if self._closed:
                await asgi_refusal(send, 503, "closing", "The table is being stopped.", retry_after_s=10)
            else:
                await self._run_flask(scope, body, send)

    async def close(self) -> None:
        """End the event streams, refuse requests from now on, and let the threads end after their present requests."""
        self._closed = True
        await self.stream.close()
        self._flask.executor.shutdown(wait=False)

    def _request_slot(self, address: str) -> contextlib.AbstractAsyncContextManager[None]:
        """Return a context manager that waits until this IP address has fewer than `requests_each` requests running.

        This machine's own addresses never wait.
        """
        if self._limits.is_own(address):
            return contextlib.nullcontext()
        return self._slots.setdefault(address, asyncio.Semaphore(self._limits.requests_each))

    async def _run_flask(self, scope: Message, body: bytes, send: Send) -> None:
        """Run Flask in a worker thread to answer a request with this complete body, and send the response.

        The request's headers are first made safe for WSGI (`plain_headers`).
        """

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        await self._flask({**scope, "headers": plain_headers(scope["headers"], len(body))}, receive, send)


async def whole_body(receive: Receive, limit_bytes: int = BODY_LIMIT_BYTES) -> bytes | None:
    """Return a request's body, read by ASGI's function `receive`; None if the client disconnects.

    A body longer than `limit_bytes` is cut, but the part returned is still longer than the limit, so that the caller
    can refuse it. At most about `DRAINED_BYTES` of such a body are read. No time limit is set here.
    """
    body, came = b"", 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        came += len(message["body"])
        if len(body) <= limit_bytes:
            body += message["body"]
        if not message["more_body"] or came > DRAINED_BYTES:
            return body


def plain_headers(headers: list[tuple[bytes, bytes]], length: int) -> list[tuple[bytes, bytes]]:
    """Return a request's headers made safe for WSGI.

    A header with "_" in its name is left out: WSGI turns "-" into "_", so it could pass for another. A
    Transfer-Encoding and any Content-Length beside it are replaced by one Content-Length: the body is complete.

    Args:
        headers: Pairs of a name in lower case and its value.
        length: Length of the body in bytes.
    """
    kept = [(name, value) for name, value in headers if b"_" not in name]
    if not any(name == b"transfer-encoding" for name, _ in kept):
        return kept
    kept = [(name, value) for name, value in kept if name not in {b"transfer-encoding", b"content-length"}]
    return [*kept, (b"content-length", b"%d" % length)]
