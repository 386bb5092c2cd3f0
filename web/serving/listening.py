"""The listening socket: it keeps every address to its share of connections, at the least cost for the server."""

from __future__ import annotations

import logging
import socket
from typing import Any

from web.serving.limits import Limits, Taken

log = logging.getLogger(__name__)

REFUSED_AT_A_TIME = 16
"""Most connections that one call of `accept` refuses; then the event loop turns to other work. Others wait."""
SEND_BUFFER_BYTES = 64 * 1024
"""The kernel's send buffer of one connection: bounds the memory that viewers who read nothing take."""


class FairSocket(socket.socket):
    """A listening socket whose `accept` closes connections beyond their address's share and returns the next one.

    asyncio makes a protocol and a transport for what `accept` returns. Refusing later costs ten times as much, and a
    phone that comes behind a thousand refused connections would wait for it.

    Args:
        bound: Listens already. Stays open; this socket is a duplicate.
        limits: Whose connections are not limited, and after how long the kernel closes one that reads nothing.
        taken: Counts the connections. The code that serves a connection releases its place.
    """

    def __init__(self, bound: socket.socket, limits: Limits, taken: Taken) -> None:
        super().__init__(fileno=bound.dup().detach())
        self._limits, self._taken = limits, taken
        # Accepted connections inherit these. asyncio sets TCP_NODELAY only on sockets that name TCP as their protocol.
        self.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        self.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        # Linux closes a connection whose data is not taken for so long, a phone that is gone or one that reads nothing.
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(limits.stalled_s * 1000))

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection whose address has a place left, and its peer address; close those that have none.

        Raises BlockingIOError when none waits, or when `REFUSED_AT_A_TIME` were closed.
        """
        for _ in range(REFUSED_AT_A_TIME):
            link, peer = super().accept()
            if self._limits.is_own(peer[0]) or self._taken.take(peer[0]):
                return link, peer
            log.info("refused a connection of %s: no place is left for this address", peer[0])
            link.close()
        raise BlockingIOError
