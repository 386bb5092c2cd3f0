"""A client's connection: how long it may take to send the head (request line and headers) of a request.

uvicorn closes a connection that is idle between two requests. The kernel closes one whose answer is not read
(`web.serving.listening`). This module closes one whose request head is never finished.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from web.serving.limits import Limits, Taken


class Connection(H11Protocol):
    """uvicorn's HTTP/1.1 protocol with a timeout for request heads.

    An ASGI application finds its request's connection in `scope["state"]["connection"]`.

    Args:
        limits: The timeout (`headers_s`), and the IP addresses whose connections are not counted (`is_own`).
        taken: Open connections of each IP address; this one's place is given back when the connection ends.
        uvicorns: Arguments of uvicorn's protocol.
    """

    def __init__(self, limits: Limits, taken: Taken, **uvicorns: Any) -> None:
        super().__init__(**{**uvicorns, "app_state": {"connection": self}})
        self._limits, self._taken = limits, taken
        self._address = ""
        self._head_timeout: asyncio.TimerHandle | None = None

    @property
    def backed_up(self) -> bool:
        """Whether a write would have to wait, because the client has not read enough (flow control)."""
        return self.flow.write_paused

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the head timeout of the first request, when a client has connected."""
        super().connection_made(transport)
        self._address = transport.get_extra_info("peername")[0]
        self._start_head_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeouts, and give back the place that `FairSocket.accept` has taken for this connection.

        Connections from this machine take no place.
        """
        for timeout in (self._head_timeout, self.timeout_keep_alive_task):
            if timeout is not None:
                timeout.cancel()
        if not self._limits.is_own(self._address):
            self._taken.give_back(self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse a client's bytes, and start or cancel the timeout that aborts a connection with an unfinished head.

        The timeout starts with the connection for the first request, and with the first byte for a later one. A
        complete head cancels it.
        """
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            if self._head_timeout is not None:
                self._head_timeout.cancel()
                self._head_timeout = None
        elif self._head_timeout is None and not self.transport.is_closing():
            self._start_head_timeout()

    def _start_head_timeout(self) -> None:
        """Start the head timeout of `Limits.headers_s`, after which the connection is aborted without an answer."""
        self._head_timeout = self.loop.call_later(self._limits.headers_s, self.transport.abort)
