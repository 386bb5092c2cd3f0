"""A phone's connection: how long it may keep the server waiting.

uvicorn closes a connection that is idle between two requests. This module closes two that uvicorn leaves open: one
whose request is never finished, and one that never reads its answer.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from web.serving.limits import Limits, Taken

log = logging.getLogger(__name__)


class Connection(H11Protocol):
    """uvicorn's HTTP/1.1 protocol with our timeouts. A request finds it in `scope["state"]["connection"]`."""

    def __init__(self, limits: Limits, taken: Taken, **uvicorns: Any) -> None:
        super().__init__(**{**uvicorns, "app_state": {"connection": self}})
        self._limits, self._taken = limits, taken
        self._address = ""
        self._head_timeout: asyncio.TimerHandle | None = None
        self._read_timeout: asyncio.TimerHandle | None = None

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
        """Stop all timeouts and free the place that `FairSocket` took for this connection."""
        for timeout in (self._head_timeout, self._read_timeout, self.timeout_keep_alive_task):
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

    def on_response_complete(self) -> None:
        """Start the read timeout if the phone has not taken the whole answer yet."""
        super().on_response_complete()
        if self.transport.get_write_buffer_size():
            self._wait_for_reading()

    def pause_writing(self) -> None:
        """Start the read timeout: asyncio calls this when much is unread."""
        super().pause_writing()
        self._wait_for_reading()

    def resume_writing(self) -> None:
        """Stop the read timeout: asyncio calls this when most has been read."""
        super().resume_writing()
        if self._read_timeout is not None:
            self._read_timeout.cancel()
            self._read_timeout = None

    def _wait_for_head(self) -> None:
        self._head_timeout = self.loop.call_later(self._limits.headers_s, self.transport.abort)

    def _wait_for_reading(self) -> None:
        if self._read_timeout is None:
            self._read_timeout = self.loop.call_later(self._limits.stalled_s, self._abort_if_unread)

    def _abort_if_unread(self) -> None:
        self._read_timeout = None
        if self.transport.get_write_buffer_size():
            log.info("dropped a connection of %s: it does not read its answer", self.client)
            self.transport.abort()
