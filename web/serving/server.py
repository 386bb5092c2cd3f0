"""The server: uvicorn in a thread of its own, on a socket that listens already."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, cast

import uvicorn

from web.serving.acceptor import Acceptor
from web.serving.connection import Connection
from web.serving.limits import Limits, Taken
from web.serving.site import Site

FILES_BESIDE = 256
"""Open files that are not connections: the journal, photos, devices, libraries."""
UNREAD_BYTES = 64 * 1024
ENDING_S = 2
SIGNAL_POLL_S = 1.0
"""Interval at which the main thread wakes to run signal handlers: the kernel may wake another thread instead of it."""
ALIVE = b"HEAD /api/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - compared, not bound


class Server:
    """A site being served on a listening socket."""

    def __init__(self, site: Site, listening: socket.socket, limits: Limits) -> None:
        self._listening = listening
        self._address = listening.getsockname()[:2]
        self._broken: BaseException | None = None
        self._taken = Taken(limits.connections, limits.connections_each)
        _set_options(listening, limits.stalled_s)
        asgi: Any = site  # uvicorn names the shape of every message
        self._limits = limits
        self._uvicorn = _Uvicorn(
            uvicorn.Config(
                asgi,
                http="h11",
                ws="none",
                loop="asyncio",
                lifespan="off",
                log_config=None,
                log_level="error",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=ENDING_S,
            ),
            site,
            limits,
            Acceptor(listening, limits, self._taken),
        )

    def run(self) -> None:
        """Serve until `stop` (or Ctrl-C, which is passed on), then end the streams and close every connection."""
        files = allow_open_files(self._limits.connections + FILES_BESIDE)
        self._taken.most = min(self._limits.connections, files - FILES_BESIDE)
        serving = threading.Thread(target=self._serve, name="server")
        serving.start()
        try:
            while serving.is_alive():
                serving.join(SIGNAL_POLL_S)
        finally:
            self.stop()
            serving.join()
        if self._broken is not None:
            raise self._broken

    def stop(self) -> None:
        """Let `run` end. From any thread, from a signal, and more than once."""
        self._uvicorn.should_exit = True

    def answers(self, within_s: float) -> bool:
        """Whether the served site answers a request of our own in that time: what a watchdog may live by."""
        return answers(self._address, within_s)

    def _serve(self) -> None:
        try:
            with asyncio.Runner() as loop:
                try:
                    loop.run(self._uvicorn.serve(sockets=[]))
                finally:
                    loop.run(self._uvicorn.hang_up())
        except BaseException as broken:  # noqa: BLE001 - raised again by `run`, in the thread of whoever waits there
            self._broken = broken
        finally:
            self._listening.close()


class _Uvicorn(uvicorn.Server):
    """uvicorn's server, but for who comes in; at its end it waits for connections to close: the streams end first."""

    def __init__(self, config: uvicorn.Config, site: Site, limits: Limits, acceptor: Acceptor) -> None:
        super().__init__(config)
        self._site, self._limits, self._acceptor = site, limits, acceptor

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._acceptor.start(self._connection)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._acceptor.stop()
        await self._site.close()
        await super().shutdown(sockets)

    async def hang_up(self) -> None:
        """Close what connections are left: of guests who read nothing, or of a loop that fell."""
        self._acceptor.stop()
        for connection in tuple(self.server_state.connections):
            cast(Connection, connection).transport.abort()
        await asyncio.sleep(0)  # the loop closes in its next round what was closed in this one

    def _connection(self, leave: Callable[[], None]) -> Connection:
        return Connection(self._limits, leave, config=self.config, server_state=self.server_state)


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


def allow_open_files(wanted: int) -> int:
    """Raise this process's limit of open files to that, as far as its administrator allows; the limit then."""
    try:
        import resource  # not on Windows
    except ImportError:
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most


def _set_options(listening: socket.socket, gone_after_s: float) -> None:
    """What each connection inherits: small messages are sent at once, and little of what no one reads is kept.

    The kernel ends a connection whose phone has left without a word.
    """
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD_BYTES)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # asyncio's own works for sockets that name TCP
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(gone_after_s * 1000))
