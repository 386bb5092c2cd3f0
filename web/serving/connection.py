"""A phone's connection: how long it may dally.

uvicorn closes a connection that is idle between two requests. What it leaves open for ever is closed here: one whose
request is never finished, and one that leaves unread what it asked for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from web.serving.limits import Limits

log = logging.getLogger(__name__)


class Connection(H11Protocol):
    """uvicorn's HTTP/1.1 with our limits; `scope["state"]["connection"]` of its requests is itself.

    `leave` is called when the connection is lost.
    """

    def __init__(self, limits: Limits, leave: Callable[[], None], **uvicorns: Any) -> None:
        super().__init__(**uvicorns, app_state={"connection": self})
        self._limits, self._leave = limits, leave
        self._unfinished: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    @property
    def backed_up(self) -> bool:
        """Whether so much lies unread that nothing more should be written now."""
        return self.flow.write_paused

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a request."""
        super().connection_made(transport)
        self._expect_the_rest()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give its place back."""
        for timer in (self._unfinished, self._unread, self.timeout_keep_alive_task):
            if timer is not None:
                timer.cancel()
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came; a request whose head is whole is no longer waited for."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._expect_nothing()
        elif self._unfinished is None and not self.transport.is_closing():
            self._expect_the_rest()

    def on_response_complete(self) -> None:
        """All is written; what is still unread must go soon."""
        super().on_response_complete()
        if self.transport.get_write_buffer_size():
            self._expect_reading()

    def pause_writing(self) -> None:
        """Much lies unread."""
        super().pause_writing()
        self._expect_reading()

    def resume_writing(self) -> None:
        """Most has been read."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _expect_the_rest(self) -> None:
        self._unfinished = self.loop.call_later(self._limits.headers_s, self.transport.abort)

    def _expect_nothing(self) -> None:
        if self._unfinished is not None:
            self._unfinished.cancel()
            self._unfinished = None

    def _expect_reading(self) -> None:
        if self._unread is None:
            self._unread = self.loop.call_later(self._limits.stalled_s, self._drop_if_unread)

    def _drop_if_unread(self) -> None:
        self._unread = None
        if self.transport.get_write_buffer_size():
            log.info("dropped a connection of %s: it leaves unread what it asked for", self.client)
            self.transport.abort()
