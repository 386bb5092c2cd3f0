"""Serves the pages for as long as the table runs: a server that falls is followed by another on the same socket."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from typing import Protocol

log = logging.getLogger(__name__)

PAUSE_S = 1.0
"""Between a fall and the next server."""


class Serving(Protocol):
    """What is needed of `web.serving.server.Server`."""

    def run(self) -> None:
        """Serve until `stop`. Raises what it falls over."""

    def stop(self) -> None:
        """Let `run` end."""

    def answers(self, within_s: float) -> bool:
        """Whether it answers a request in that time."""


class LastingServer:
    """One server after another, as `make` makes them, each on its own hold of the socket: the first at once."""

    def __init__(self, make: Callable[[socket.socket], Serving], listening: socket.socket) -> None:
        self._make, self._listening = make, listening
        self._server = make(listening.dup())
        self._stopped = threading.Event()
        self._falls = 0
        self._why = ""

    def run(self) -> None:
        """Serve until `stop`."""
        with self._listening:
            while not self._stopped.is_set():
                self._why = self._served()
                if not self._stopped.is_set():
                    self._falls += 1
                    self._stopped.wait(PAUSE_S)
                    self._server = self._make(self._listening.dup())

    def stop(self) -> None:
        """Let `run` end. From any thread, and from a signal."""
        self._stopped.set()
        self._server.stop()

    def answers(self, within_s: float) -> bool:
        """Whether it answers a request in that time."""
        return self._server.answers(within_s)

    def health(self) -> tuple[bool, str]:
        """How often it had to be started again, for the page."""
        again = f"; started again {self._falls} times, last after {self._why}" if self._falls else ""
        return True, f"pages are served{again}"

    def _served(self) -> str:
        try:
            self._server.run()
        except KeyboardInterrupt:
            raise
        except BaseException as fall:
            log.exception("the pages' server has fallen")
            return f"{type(fall).__name__}: {fall}".rstrip(": ")
        return "it ended by itself"
