"""The listening socket: it limits the connections of each IP address at the lowest cost for the server."""

from __future__ import annotations

import logging
import socket
from typing import Any

from web.serving.limits import Limits, Taken

log = logging.getLogger(__name__)

REFUSALS_PER_ACCEPT = 16
"""Most connections that one call of `accept` closes. Higher: the event loop waits longer for its other work.
Lower: a flood of refused connections takes more turns."""
SEND_BUFFER_BYTES = 64 * 1024
"""Size in bytes of the kernel's send buffer of one connection. Larger: clients that do not read what is sent take more
memory; smaller: large answers take longer."""


class FairSocket(socket.socket):
    """A listening socket whose `accept` closes connections beyond an IP address's limit, and returns the next one.

    asyncio makes a protocol and a transport for each connection that `accept` returns. Refusing it after that costs ten
    times as much, and a phone would wait behind a thousand refused connections.

    Args:
        bound: A socket that is already listening. This socket is a duplicate; `bound` stays open.
        limits: IP addresses whose connections are not limited (`is_own`), and `stalled_s`.
        taken: Open connections of each IP address. The caller of `accept` gives the place of a connection back.
    """

    def __init__(self, bound: socket.socket, limits: Limits, taken: Taken) -> None:
        super().__init__(fileno=bound.dup().detach())
        self._limits, self._taken = limits, taken

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next usable connection within the limits, with the peer's address; close others, and log refusals.

        A connection is refused if its IP address, or all addresses together, have as many open connections as allowed.
        Connections from this machine (`Limits.is_own`) are neither refused nor counted. Raises BlockingIOError if no
        connection waits, or after `REFUSALS_PER_ACCEPT` refusals.
        """
        for _ in range(REFUSALS_PER_ACCEPT):
            link, peer = super().accept()
            is_own = self._limits.is_own(peer[0])
            if not is_own and not self._taken.take(peer[0]):
                log.info("refused a connection of %s: no place is left for it", peer[0])
                link.close()
                continue
            try:
                self._set_options(link)
            except OSError:  # some systems refuse it for a connection that its peer has reset
                link.close()
                if not is_own:
                    self._taken.give_back(peer[0])
            else:
                return link, peer
        raise BlockingIOError

    def _set_options(self, link: socket.socket) -> None:
        """Set options of an accepted connection: small send buffer, no delay, keepalive, timeout for untaken data.

        Options set on the listening socket would not reach connections that were already waiting by then.
        """
        link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        # asyncio sets TCP_NODELAY only on sockets that name TCP as their protocol.
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        # Linux closes a connection whose data is not taken for so long, a phone that is gone or one that reads nothing.
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(self._limits.stalled_s * 1000))
