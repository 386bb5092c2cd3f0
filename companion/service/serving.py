"""Serves the pages for as long as the table runs: a server that falls is followed by another on the same socket."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable

from web.serving.server import Server

log = logging.getLogger(__name__)

PAUSE_S = 1.0
"""Between a fall and the next server."""


class LastingServer:
    """One server after another on one socket, each with its own hold of it."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._server: Server | None = None
        self._stopped = threading.Event()
        self._falls = 0
        self._why = ""

    def run(self, make: Callable[[socket.socket], Server]) -> None:
        """Serve until `stop`, by the servers that `make` makes."""
        with self._listening:
            while not self._stopped.is_set():
                self._server = make(self._listening.dup())
                self._why = self._served(self._server)
                if not self._stopped.is_set():
                    self._falls += 1
                    self._stopped.wait(PAUSE_S)

    def stop(self) -> None:
        """Let `run` end. From any thread, from a signal, and before it has begun."""
        self._stopped.set()
        if self._server is not None:
            self._server.stop()

    def answers(self, within_s: float) -> bool:
        """Whether it answers a request in that time."""
        return self._server is not None and self._server.answers(within_s)

    def health(self) -> tuple[bool, str]:
        """How often it had to be started again, for the page."""
        again = f"; started again {self._falls} times, last after {self._why}" if self._falls else ""
        return True, f"pages are served{again}"

    def _served(self, server: Server) -> str:
        if self._stopped.is_set():  # between its making and now
            server.stop()
        try:
            server.run()
        except KeyboardInterrupt:
            raise
        except BaseException as fall:
            log.exception("the pages' server has fallen")
            return f"{type(fall).__name__}: {fall}".rstrip(": ")
        return "it ended by itself"
