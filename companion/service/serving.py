"""Serves the pages as long as the table runs: a server that crashes is replaced on the same socket."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable

from companion.errors import cause, counted
from web.serving.server import Server

log = logging.getLogger(__name__)

PAUSE_S = 1.0
"""Pause, in seconds, from a web server's crash to the start of its replacement. Shorter: a server that always crashes
fills the log; longer: the pages stay away for longer."""


class LastingServer:
    """Runs one server after another on one listening socket; each gets a duplicate of it."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._server: Server | None = None
        self._stopped = threading.Event()
        self._crashes = 0
        self._why = ""

    def run(self, make: Callable[[socket.socket], Server]) -> None:
        """Serve until `stop` is called, and then close the socket.

        `make` builds each server from a duplicate of the socket: the first at once, the next one PAUSE_S after a server
        crashed or ended by itself. Only KeyboardInterrupt and errors of `make` are raised.
        """
        with self._listening:
            while not self._stopped.is_set():
                self._server = make(self._listening.dup())
                self._why = self._served(self._server)
                if not self._stopped.is_set():
                    self._crashes += 1
                    self._stopped.wait(PAUSE_S)

    def stop(self) -> None:
        """End `run`. May be called from any thread, from a signal handler, and before `run`."""
        self._stopped.set()
        if self._server is not None:
            self._server.stop()

    def answers(self, within_s: float) -> bool:
        """Return whether the server answers a request within `within_s` seconds."""
        return self._server is not None and self._server.answers(within_s)

    def health(self) -> tuple[bool, str]:
        """Return True, and a sentence with the number of restarts and the cause of the last."""
        again = f"; started again {counted(self._crashes, 'time')}, last after {self._why}" if self._crashes else ""
        return True, f"pages are served{again}"

    def _served(self, server: Server) -> str:
        """Run one server until it stops or crashes, and return the reason in words.

        If `stop` was called before, the server stops at once. KeyboardInterrupt is passed on to the caller; any other
        exception is logged and becomes the reason.
        """
        if self._stopped.is_set():  # since it was made
            server.stop()
        try:
            server.run()
        except KeyboardInterrupt:
            raise
        except BaseException as fall:
            log.exception("the pages' server crashed")
            return cause(fall)
        return "it ended by itself"
