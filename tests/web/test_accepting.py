"""Many connections at once: a turn of the event loop accepts few, and none beyond an address's limit is served."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.pub import opened, served
from web.serving.connection import Connection
from web.serving.limits import Limits, Taken
from web.serving.listening import SEND_BUFFER_BYTES, FairSocket
from web.serving.server import ACCEPTS_PER_TURN

PATIENCE_S = 60
SHARE = 20
MANY = 100
"""Connections opened at once: fewer than any kernel's queue holds, and many times what a turn may accept."""
GUEST, OWN = "127.0.0.66", "127.0.0.1"


class Held:
    """Stops the server's event loop at its first connection until `let_go`, and counts connections in each turn."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made, self.a_turn = 0, list[int]()
        self._go, self._idle = threading.Event(), threading.Event()
        self._turns = 0
        make = Connection.__init__

        def counted(connection: Connection, *limits: Any, **uvicorns: Any) -> None:
            make(connection, *limits, **uvicorns)
            self.made += 1
            if self.made == 1:
                assert self._go.wait(PATIENCE_S)
                self._count(0)

        monkeypatch.setattr(Connection, "__init__", counted)

    def let_go(self) -> None:
        """Let the event loop go on, and wait until it has accepted nothing for a hundred turns."""
        self._go.set()
        assert self._idle.wait(PATIENCE_S)

    def _count(self, before: int) -> None:
        """Append how many connections this turn of the loop has accepted; `before`: the count before it."""
        self.a_turn.append(self.made - before)
        if any(self.a_turn[-100:]):
            asyncio.get_running_loop().call_soon(self._count, self.made)
        else:
            self._idle.set()


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Held, int]]:
    """Yield the stopped event loop of a server and its port; 127.0.0.66 counts as another machine."""
    limits = Limits(streams=50, connections_each=SHARE, is_own=lambda address: address == OWN)
    it = Held(monkeypatch)
    with opened(tmp_path, limits) as pub, served(pub) as address:
        yield it, int(address.rsplit(":", 1)[1])


@contextlib.contextmanager
def connected(port: int, address: str) -> Iterator[None]:
    """Open `MANY` connections from an IP address, none of which sends anything; close them afterwards."""
    with contextlib.ExitStack() as links:
        for _ in range(MANY):
            links.enter_context(socket.create_connection((OWN, port), PATIENCE_S, (address, 0)))
        yield


def test_the_web_server_accepts_few_connections_per_event_loop_turn(held: tuple[Held, int]) -> None:
    server, port = held
    with connected(port, OWN):
        server.let_go()
    assert server.made == MANY
    assert max(server.a_turn) <= 2 * ACCEPTS_PER_TURN, server.a_turn


def test_web_server_makes_no_protocol_object_for_a_connection_over_an_addresss_limit(held: tuple[Held, int]) -> None:
    server, port = held
    with connected(port, GUEST):
        server.let_go()
    assert server.made == SHARE


def test_web_server_answers_six_connections_each_from_40_phones_on_one_address(tmp_path: Path) -> None:
    """A browser opens up to six connections to a host. Pages failed with a reset connection, or had to poll."""
    limits = Limits(streams=2000, headers_s=PATIENCE_S, is_own=lambda address: address == OWN)
    with opened(tmp_path, limits) as pub, served(pub) as address, contextlib.ExitStack() as opening:
        to = OWN, int(address.rsplit(":", 1)[1])
        links = [opening.enter_context(socket.create_connection(to, PATIENCE_S, (GUEST, 0))) for _ in range(40 * 6)]
        for at, link in enumerate(links):
            link.sendall(b"GET /api/%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (b"state" if at % 6 else b"events"))
        assert {link.recv(12) for link in links} == {b"HTTP/1.1 200"}


def test_a_connection_queued_before_the_web_server_starts_gets_all_socket_options() -> None:
    limits = Limits(streams=1, stalled_s=7.0)
    with (
        socket.create_server((OWN, 0)) as bound,
        socket.create_connection(bound.getsockname()),
        FairSocket(bound, limits, Taken(1, 1)) as listening,
        listening.accept()[0] as link,
    ):
        assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert link.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert link.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) == 2 * SEND_BUFFER_BYTES, "Linux doubles it"
        assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 7000


def test_a_connection_that_refuses_its_socket_options_is_closed_and_gives_its_place_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As macOS refuses them for a connection that its peer has reset already."""
    set_option, refused = socket.socket.setsockopt, list[OSError]()

    def once_reset(link: socket.socket, level: int, option: int, value: int) -> None:
        if option == socket.SO_KEEPALIVE and not refused:
            refused.append(OSError(errno.EINVAL, "Invalid argument"))
            raise refused[0]
        set_option(link, level, option, value)

    with (
        socket.create_server((OWN, 0)) as bound,
        socket.create_connection(bound.getsockname()) as first,
        socket.create_connection(bound.getsockname()) as second,
        FairSocket(bound, Limits(streams=1, is_own=lambda _address: False), Taken(1, 1)) as listening,
    ):
        monkeypatch.setattr(socket.socket, "setsockopt", once_reset)
        with listening.accept()[0] as link:
            assert link.getpeername() == second.getsockname()
        assert first.recv(1) == b""


def test_the_web_server_serves_a_request_after_it_ran_out_of_file_descriptors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept, refused = socket.socket.accept, list[OSError]()

    def without_a_file(listening: socket.socket) -> tuple[socket.socket, Any]:
        if not refused:
            refused.append(OSError(errno.EMFILE, "Too many open files"))
            raise refused[0]
        return accept(listening)

    monkeypatch.setattr("asyncio.constants.ACCEPT_RETRY_DELAY", 0.01)
    monkeypatch.setattr(socket.socket, "accept", without_a_file)
    with opened(tmp_path) as pub, served(pub) as address, urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
        assert answer.status == 200
    assert len(refused) == 1
