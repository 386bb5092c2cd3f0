"""The server: waitress, with a thread for every event stream that is allowed and a few for everything else.

Waitress holds a thread while a response lasts, and notices a phone that has gone when it writes; so the threads are
sized for the streams, streams write every heartbeat, and the kernel drops a phone that takes nothing for 20 s.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from typing import Any

import flask
from waitress import wasyncore
from waitress.server import create_server

THREADS_FOR_PAGES = 16
MOST_UNREAD_BYTES = 256 * 1024
BODY_MOST_BYTES = 4 * 1024 * 1024
GONE_AFTER_MS = 20_000
BACKLOG = 1024
ALIVE = b"HEAD /api/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - compared, not bound


class Server:
    """A site being served on a listening socket."""

    def __init__(self, app: flask.Flask, listening: socket.socket, streams_limit: int = 256) -> None:
        self._feed = app.extensions["feed"]
        self._stopping = threading.Event()
        self._awake = threading.RLock()  # held while the loop is woken, and told that it has ended; a signal may nest
        self._open = True
        self._address = listening.getsockname()[:2]
        self._sockets: dict[int, Any] = {}
        self._server: Any = create_server(
            app,
            map=self._sockets,
            sockets=[listening],
            backlog=BACKLOG,
            threads=streams_limit + THREADS_FOR_PAGES,
            connection_limit=2 * streams_limit + 200,
            channel_request_lookahead=1,
            outbuf_high_watermark=MOST_UNREAD_BYTES,
            max_request_body_size=BODY_MOST_BYTES,
            asyncore_use_poll=True,
            clear_untrusted_proxy_headers=True,
            ident=None,
        )
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a pub that joins at once is no warning
        self._server.adj.socket_options = socket_options()

    def run(self) -> None:
        """Serve until `stop` (or Ctrl-C, which is passed on), then end the streams and close every connection."""
        try:
            while not self._stopping.is_set():
                wasyncore.loop(timeout=1.0, use_poll=True, map=self._sockets, count=1)
        finally:
            self._feed.close()
            self._server.task_dispatcher.shutdown()
            with self._awake:
                self._open = False
            wasyncore.close_all(self._sockets)

    def stop(self) -> None:
        """Let `run` end. From any thread, and from a signal."""
        self._stopping.set()
        with self._awake:
            if self._open:  # a loop that has just ended has closed what wakes it
                self._server.pull_trigger()

    def answers(self, within_s: float) -> bool:
        """Whether the served site answers a request of our own in that time: what a watchdog may live by."""
        return answers(self._address, within_s)


def answers(address: tuple[str, int], within_s: float) -> bool:
    """Whether a table that is served on that address (as it was bound) answers a small request in that time."""
    until_s = time.monotonic() + within_s
    host, port = address
    try:
        with socket.create_connection((EVERYWHERE.get(host, host), port), timeout=within_s) as link:
            link.sendall(ALIVE)
            link.settimeout(max(until_s - time.monotonic(), 0.001))
            return link.recv(12).endswith(b" 200")
    except OSError:
        return False


def socket_options() -> list[tuple[int, int, int]]:
    """Small messages at once, and no waiting for phones that have left without a word."""
    options = [
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    ]
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        options.append((socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, GONE_AFTER_MS))
    return options


def serve(app: flask.Flask, host: str, port: int, streams_limit: int = 256) -> None:
    """Serve the site on that address until Ctrl-C. For a socket of one's own, or to stop it, see `Server`."""
    Server(app, socket.create_server((host, port), backlog=BACKLOG), streams_limit).run()
