"""Many connections at once: a few are accepted each turn of the loop, and past a share nothing is made for them."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.web.pub import opened, served
from web.serving.acceptor import Acceptor
from web.serving.connection import Connection
from web.serving.limits import Limits, Taken
from web.serving.server import Server

PATIENCE_S = 60
SHARE = 20
MANY = 100
"""Fewer than any kernel's queue holds, and many times what a turn may accept."""
AT_ONCE = 32
GUEST, OWN = "127.0.0.66", "127.0.0.1"


class Held:
    """A server whose loop is held as it makes its first connection, until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made, self.a_turn = 0, list[int]()
        self._go, self._idle = threading.Event(), threading.Event()
        self._turns = 0
        make = Connection.__init__

        def counted(connection: Connection, *taken: Any, **uvicorns: Any) -> None:
            make(connection, *taken, **uvicorns)
            self.made += 1
            if self.made == 1:
                assert self._go.wait(PATIENCE_S)
                self._count(0)

        monkeypatch.setattr(Connection, "__init__", counted)

    def let_go(self) -> None:
        """Let the loop go on, and wait until it has had nothing to make for a while."""
        self._go.set()
        assert self._idle.wait(PATIENCE_S)

    def _count(self, before: int) -> None:
        """Note, each turn of the loop, what it has made."""
        self.a_turn.append(self.made - before)
        if any(self.a_turn[-100:]):
            asyncio.get_running_loop().call_soon(self._count, self.made)
        else:
            self._idle.set()


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Held, int]]:
    """The held server and its port; 127.0.0.66 is a guest's phone."""
    limits = Limits(streams=50, connections_each=SHARE, is_own=lambda address: address == OWN)
    it = Held(monkeypatch)
    with opened(tmp_path, limits) as pub, served(pub) as address:
        yield it, int(address.rsplit(":", 1)[1])


@contextlib.contextmanager
def connected(port: int, address: str) -> Iterator[None]:
    """Many connections of that address, none of which sends anything."""
    with contextlib.ExitStack() as links:
        for _ in range(MANY):
            links.enter_context(socket.create_connection((OWN, port), PATIENCE_S, (address, 0)))
        yield


def test_however_many_come_at_once_a_turn_of_the_loop_accepts_few(held: tuple[Held, int]) -> None:
    server, port = held
    with connected(port, OWN):
        server.let_go()
    assert server.made == MANY
    assert max(server.a_turn) <= AT_ONCE, server.a_turn


def test_for_a_connection_past_its_addresss_share_nothing_is_made(held: tuple[Held, int]) -> None:
    server, port = held
    with connected(port, GUEST):
        server.let_go()
    assert server.made == SHARE


def test_a_connection_inherits_what_is_set_on_the_listening_socket(tmp_path: Path) -> None:
    with opened(tmp_path) as pub, socket.create_server((OWN, 0)) as listening:
        Server(pub.site, listening, pub.limits)
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as link:
            assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert link.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 1000 * pub.limits.stalled_s


class Full(socket.socket):
    """A listening socket of a machine that has no file left, once."""

    refused = 0

    def accept(self) -> tuple[socket.socket, Any]:
        if not self.refused:
            self.refused += 1
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


def test_who_comes_while_no_file_is_left_is_accepted_when_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.serving.acceptor.AGAIN_S", 0.01)

    async def accepted(listening: socket.socket) -> None:
        made = asyncio.Event()

        class Made(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                transport.close()
                made.set()

        acceptor = Acceptor(listening, Limits(streams=1), Taken(1, 1))
        acceptor.start(lambda leave: Made())
        await asyncio.wait_for(made.wait(), PATIENCE_S)
        acceptor.stop()

    with Full() as listening:
        listening.bind((OWN, 0))
        listening.listen()
        with socket.create_connection(listening.getsockname()), ThreadPoolExecutor(1) as other:
            other.submit(asyncio.run, accepted(listening)).result()  # this thread may have a loop: Chromium's
        assert listening.refused == 1
