"""The server: uvicorn in a thread of its own, on a socket that listens already."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from typing import Any, cast

import uvicorn

from web.serving.connection import Connection
from web.serving.limits import Limits, Taken
from web.serving.site import Site

BACKLOG = 1024
FILES_BESIDE = 256
"""Open files that are not connections: the journal, photos, devices, libraries."""
UNREAD_BYTES = 64 * 1024
ENDING_S = 2
ALIVE = b"HEAD /api/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - compared, not bound


class Server:
    """A site being served on a listening socket."""

    def __init__(self, site: Site, listening: socket.socket, limits: Limits) -> None:
        self._listening = listening
        self._address = listening.getsockname()[:2]
        self._broken: BaseException | None = None
        self._taken = Taken(limits.connections, limits.connections_each)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD_BYTES)  # each connection inherits it

        def connection(**uvicorns: Any) -> Connection:
            return Connection(limits, self._taken, **uvicorns)

        protocol: Any = connection  # uvicorn would have a class, and only calls it
        asgi: Any = site  # uvicorn names the shape of every message
        self._limits = limits
        self._uvicorn = _Uvicorn(
            uvicorn.Config(
                asgi,
                http=protocol,
                ws="none",
                loop="asyncio",
                lifespan="off",
                backlog=BACKLOG,
                log_config=None,
                log_level="error",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=ENDING_S,
            ),
            site,
        )

    def run(self) -> None:
        """Serve until `stop` (or Ctrl-C, which is passed on), then end the streams and close every connection."""
        files = allow_open_files(self._limits.connections + FILES_BESIDE)
        self._taken.most = min(self._limits.connections, files - FILES_BESIDE)
        serving = threading.Thread(target=self._serve, name="server")
        serving.start()
        try:
            serving.join()
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
                    loop.run(self._uvicorn.serve(sockets=[self._listening]))
                finally:
                    loop.run(self._uvicorn.hang_up())
        except BaseException as broken:  # noqa: BLE001 - raised again by `run`, in the thread of whoever waits there
            self._broken = broken
        finally:
            self._listening.close()


class _Uvicorn(uvicorn.Server):
    """uvicorn's server, which waits at its end for connections to close: the streams are ended first."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._site.close()
        await super().shutdown(sockets)

    async def hang_up(self) -> None:
        """Close what connections are left: of guests who read nothing, or of a loop that fell."""
        for connection in tuple(self.server_state.connections):
            cast(Connection, connection).transport.abort()
        await asyncio.sleep(0)  # the loop closes in its next round what was closed in this one


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
