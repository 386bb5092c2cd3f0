"""Who comes in: a few connections each turn of the event loop, and none of an address that has had its share.

asyncio's own server takes as many in one turn as the kernel may keep waiting, and makes all that a connection needs
before any of them can be refused: a thousand at once hold the loop, and whoever else asks, for a tenth of a second.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from functools import partial

from web.serving.limits import Limits, Taken

log = logging.getLogger(__name__)

AT_A_STRETCH = 16
"""Connections accepted, or refused, before other requests get their turn."""
AGAIN_S = 1.0
"""A pause when the machine has no room for another connection: the socket stays ready, and would be asked each turn."""


class Acceptor:
    """Accepts what comes on a listening socket, within an event loop.

    Args:
        listening: The socket. The kernel keeps as many waiting as it was told to listen for.
        limits: Who is this machine's own, for whom nothing is limited.
        taken: How many connections each address has; a connection gives its place back when it is lost.
    """

    def __init__(self, listening: socket.socket, limits: Limits, taken: Taken) -> None:
        self._listening, self._limits, self._taken = listening, limits, taken
        self._again: asyncio.TimerHandle | None = None

    def start(self, make: Callable[[Callable[[], None]], asyncio.Protocol]) -> None:
        """Accept; `make` makes a connection's protocol, and is given what to call when the connection is lost."""
        self._listening.setblocking(False)
        asyncio.get_running_loop().add_reader(self._listening, self._accept, make)

    def stop(self) -> None:
        """Accept no more. More than once, and when it could not start."""
        if self._listening.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self._listening)
        if self._again is not None:
            self._again.cancel()

    def _accept(self, make: Callable[[Callable[[], None]], asyncio.Protocol]) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(AT_A_STRETCH):
            try:
                link, (address, *_) = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as refused:
                log.warning("no connection is accepted for %g s: %s", AGAIN_S, refused)
                self.stop()
                self._again = loop.call_later(AGAIN_S, self.start, make)
                return
            leave = self._place(address)
            if leave is None:
                log.info("refused a connection of %s: it has its share, or all are taken", address)
                link.close()
            else:
                coming = loop.connect_accepted_socket(partial(make, leave), link)
                loop.create_task(coming)  # noqa: RUF006 - it waits for the loop's next turn alone, which holds it

    def _place(self, address: str) -> Callable[[], None] | None:
        """A place for that address, as what gives it back; None when it has its share, or all are taken."""
        if self._limits.is_own(address):
            return lambda: None
        if not self._taken.has_room(address):
            return None
        self._taken.take(address)
        return partial(self._taken.give_back, address)
