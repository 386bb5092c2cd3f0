"""The server: uvicorn in a thread of its own, on a socket that is already listening."""

from __future__ import annotations

import asyncio
import functools
import socket
import threading
import time
from typing import Any, cast

import uvicorn

from web.serving.connection import Connection
from web.serving.limits import Limits, Taken
from web.serving.listening import FairSocket
from web.serving.site import Site

ACCEPTS_PER_TURN = 16
"""Most connections that the event loop accepts in one turn; others wait for the next turn. Passed to asyncio as its
`backlog`. Higher: a rush of connections delays the open ones."""
KERNEL_QUEUE = 4096
"""Most connections that wait in the kernel to be accepted; a client beyond them connects a second later (TCP retry).
Lower: a rush of phones is delayed. Higher has no effect above net.core.somaxconn, by default 4096."""
OTHER_FILES = 256
"""Open files reserved for the journal, photos, devices and libraries, out of those that the system allows. Higher:
fewer connections, where that limit is low. Lower: the journal or photos may fail to open when the site is full."""
SHUTDOWN_S = 2
"""Seconds for which a stopping server waits for unfinished answers; then it aborts them. Higher: a stop takes longer;
lower: more answers are cut off."""
SIGNAL_POLL_S = 1.0
"""Interval in seconds at which the main thread wakes to run signal handlers. Higher: Ctrl-C takes effect later.
A signal alone may not wake it, because the kernel may give it to another thread."""
HEALTH_REQUEST = b"HEAD /api/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
"""Bytes of the request that the watchdog's check sends. The answer of a server that works begins `HTTP/1.1 200`."""
LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - compared, not bound
"""Address that the watchdog's check connects to, by the wildcard address that the server is bound to."""


class Server:
    """Serves a site on a listening socket. Can run once.

    Args:
        site: The ASGI application.
        listening: A socket that is already listening; `run` closes it when it ends.
        limits: Limits on connections, requests and streams.
    """

    def __init__(self, site: Site, listening: socket.socket, limits: Limits) -> None:
        self._listening, self._limits = listening, limits
        self._address = listening.getsockname()[:2]
        self._failure: BaseException | None = None
        self._taken = Taken(limits.connections, limits.connections_each)
        asgi: Any = site  # uvicorn's type for an application names the shape of every message
        protocol: Any = functools.partial(Connection, limits, self._taken)
        self._uvicorn = _Uvicorn(
            uvicorn.Config(
                asgi,
                http=protocol,
                ws="none",
                loop="asyncio",
                lifespan="off",
                log_config=None,
                log_level="error",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=ACCEPTS_PER_TURN,
                timeout_graceful_shutdown=SHUTDOWN_S,
            ),
            site,
        )

    def run(self) -> None:
        """Serve until `stop` is called, Ctrl-C is pressed or the server fails; then close everything.

        First raises the process's limit on open files. If the system allows too few, fewer connections are accepted.
        Returns after `stop`. Raises KeyboardInterrupt after Ctrl-C, or whatever the server's thread raised.
        """
        files = allow_open_files(self._limits.connections + OTHER_FILES)
        self._taken.most = min(self._limits.connections, files - OTHER_FILES)
        serving = threading.Thread(target=self._serve, name="server")
        serving.start()
        try:
            while serving.is_alive():
                serving.join(SIGNAL_POLL_S)
        finally:
            self.stop()
            serving.join()
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """Make `run` return. May be called from any thread, from a signal handler, and more than once."""
        self._uvicorn.should_exit = True

    def answers(self, within_s: float) -> bool:
        """Send a small request to the server, and return whether its status 200 comes within `within_s` seconds."""
        until_s = time.monotonic() + within_s
        host, port = self._address
        try:
            with socket.create_connection((LOOPBACK_OF.get(host, host), port), timeout=within_s) as link:
                link.sendall(HEALTH_REQUEST)
                link.settimeout(max(until_s - time.monotonic(), 0.001))
                return link.recv(12).endswith(b" 200")
        except OSError:
            return False

    def _serve(self) -> None:
        """Run uvicorn until it stops, then close its connections and the listening socket; runs in the server's thread.

        Any exception is stored for `run` to raise.
        """
        try:
            listening, taken = self._listening, self._taken
            with listening, FairSocket(listening, self._limits, taken) as fair, asyncio.Runner() as loop:
                try:
                    loop.run(self._uvicorn.serve(sockets=[fair]))
                finally:
                    loop.run(self._uvicorn.close_all())
        except BaseException as failure:  # noqa: BLE001 - `run` raises it again, in its caller's thread
            self._failure = failure


class _Uvicorn(uvicorn.Server):
    """uvicorn's server with a kernel queue of `KERNEL_QUEUE`; it ends the event streams before it shuts down."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(KERNEL_QUEUE)  # asyncio has made the queue as short as its backlog

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._site.close()
        await super().shutdown(sockets)

    async def close_all(self) -> None:
        """End the event streams, refuse further requests, and abort every connection that is still open.

        Call it after `serve`, however that ended. A client that does not read its answers stays connected after
        uvicorn's `shutdown`, which a crash of the server skips.
        """
        try:
            await self._site.close()
        finally:
            for connection in tuple(self.server_state.connections):
                cast(Connection, connection).transport.abort()
            await asyncio.sleep(0)  # transports close in the loop's next turn


def allow_open_files(wanted: int) -> int:
    """Raise this process's limit on open files to `wanted`, or as near as the system allows.

    Returns the number of files that it may have open now, at most `wanted`.
    """
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
