"""A phone's connection: how long it may take to send the head of a request.

uvicorn closes a connection that is idle between two requests, and the kernel one that leaves its answer unread
(`web.serving.listening`). This module closes one whose request is never finished.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from web.serving.limits import Limits, Taken


class Connection(H11Protocol):
    """uvicorn's HTTP/1.1 protocol with a timeout for heads. A request finds it in `scope["state"]["connection"]`.

    Args:
        limits: The timeout, and the addresses whose connections are not counted.
        taken: Counts the open connections; the place of this one is freed when it ends.
        uvicorns: Arguments of uvicorn's protocol.
    """

    def __init__(self, limits: Limits, taken: Taken, **uvicorns: Any) -> None:
        super().__init__(**{**uvicorns, "app_state": {"connection": self}})
        self._limits, self._taken = limits, taken
        self._address = ""
        self._head_timeout: asyncio.TimerHandle | None = None

    @property
    def backed_up(self) -> bool:
        """Whether the phone's unread data has reached the limit, so that writing must wait."""
        return self.flow.write_paused

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the head timeout of the first request."""
        super().connection_made(transport)
        self._address = transport.get_extra_info("peername")[0]
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeouts, and free the place that `FairSocket` took for this connection."""
        for timeout in (self._head_timeout, self.timeout_keep_alive_task):
            if timeout is not None:
                timeout.cancel()
        if not self._limits.is_own(self._address):
            self._taken.give_back(self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what arrived. The head timeout runs from a request's first byte until its head is whole."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            if self._head_timeout is not None:
                self._head_timeout.cancel()
                self._head_timeout = None
        elif self._head_timeout is None and not self.transport.is_closing():
            self._wait_for_head()

    def _wait_for_head(self) -> None:
        """Start the head timeout; when it ends, the connection is closed without an answer."""
        self._head_timeout = self.loop.call_later(self._limits.headers_s, self.transport.abort)
