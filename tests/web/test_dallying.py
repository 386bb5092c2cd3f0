"""One guest can't block the server by unfinished requests or unread answers: others are served."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.table.commands import PlayLine, StartGame
from tests.waiting import until
from tests.web.pub import HEADER, Pub, opened, served
from web.serving.limits import Limits

PATIENCE_S = 120
GUEST, OTHER = "127.0.0.66", "127.0.0.67"
SHARE = 20
HALF = b"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1\r\n"
HALF_BODY = HALF.replace(b"GET", b"POST") + b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
WHOLE = HALF + b"\r\n"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[tuple[Pub, int]]:
    """Yield a served pub and its port; 127.0.0.66 counts as another machine, and every timeout is short."""
    limits = Limits(
        streams=50,
        connections_each=SHARE,
        headers_s=2.0,
        body_s=2.0,
        stalled_s=1.0,
        heartbeat_s=0.05,
        is_own=lambda address: address == "127.0.0.1",
    )
    with opened(tmp_path, limits) as pub, served(pub) as address:
        pub.table.submit(StartGame(header=HEADER))
        yield pub, int(address.rsplit(":", 1)[1])


def links_of(port: int, sent: bytes, count: int, address: str = GUEST) -> list[socket.socket]:
    links = []
    for _ in range(count):
        link = socket.create_connection(("127.0.0.1", port), PATIENCE_S, (address, 0))
        link.sendall(sent)
        links.append(link)
    return links


def ended(link: socket.socket) -> bool:
    """Read a connection to its end; return whether the server closed it before the timeout."""
    try:
        while link.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


def serves(port: int, address: str) -> bool:
    """Return whether a phone at an IP address gets the newest snapshot."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S, (address, 0)) as link:
        try:
            link.sendall(WHOLE)
            return b" 200 " in link.recv(1000)
        except OSError:
            return False


def share_of(port: int, sent: bytes) -> list[socket.socket]:
    """Open connections from the guest's address and send `sent` on each, until it is refused; return them."""
    links: list[socket.socket] = []
    while serves(port, GUEST):
        for _ in range(SHARE):
            links.append(socket.create_connection(("127.0.0.1", port), PATIENCE_S, (GUEST, 0)))
            with contextlib.suppress(OSError):  # past its share
                links[-1].sendall(sent)
    return links


@pytest.mark.parametrize("sent", [b"", HALF, HALF_BODY], ids=["nothing", "half a head", "half a body"])
def test_web_server_closes_unfinished_requests_and_serves_other_phones(room: tuple[Pub, int], sent: bytes) -> None:
    _, port = room
    dallying = share_of(port, sent)
    assert serves(port, OTHER)
    for link in dallying:
        assert ended(link)
        link.close()
    assert until(lambda: serves(port, GUEST))


def test_web_server_answers_408_to_a_request_whose_body_never_arrives_completely(room: tuple[Pub, int]) -> None:
    _, port = room
    (link,) = links_of(port, HALF_BODY, 1)
    assert b" 408 " in link.recv(1000)
    link.close()


def test_web_server_closes_a_connection_with_an_unfinished_second_request(room: tuple[Pub, int]) -> None:
    _, port = room
    (link,) = links_of(port, WHOLE, 1)
    assert b" 200 " in link.recv(1000)
    link.sendall(HALF)
    assert ended(link)
    link.close()


def test_event_stream_of_a_client_that_reads_nothing_is_dropped(room: tuple[Pub, int]) -> None:
    pub, port = room
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.bind((GUEST, 0))
        slow.connect(("127.0.0.1", port))
        slow.sendall(WHOLE.replace(b"/api/state", b"/api/events"))
        assert until(lambda: len(pub.site.stream) == 1)
        (quick,) = links_of(port, WHOLE.replace(b"/api/state", b"/api/events"), 1, OTHER)
        with quick:
            assert until(lambda: len(pub.site.stream) == 2)

            def dropped() -> bool:
                number = pub.table.snapshot().number
                pub.table.submit(PlayLine(number=number, line={"throw": [5, 5, 5, 2, 1, 4, 6]}))
                number = pub.table.submit(PlayLine(number=number + 1, line={"undo": 1})).number
                heard = b""
                while b"id: %d\n" % number not in heard:
                    came = quick.recv(1 << 20)
                    assert came, "the phone that reads keeps its stream"
                    heard += came
                return len(pub.site.stream) == 1

            assert until(dropped)


def test_web_server_drops_clients_that_do_not_read_answers_and_still_serves_others(room: tuple[Pub, int]) -> None:
    _, port = room
    page = f"http://127.0.0.1:{port}/help"
    with urllib.request.urlopen(page, timeout=PATIENCE_S) as answer:
        assert len(answer.read()) > 10_000
    unread = links_of(port, b"GET /help HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 40, SHARE)
    with urllib.request.urlopen(page, timeout=PATIENCE_S) as answer:
        assert answer.status == 200
    assert until(lambda: serves(port, GUEST))
    for link in unread:
        link.close()


def test_web_server_answers_all_parallel_requests_up_to_the_limit_per_ip_address(room: tuple[Pub, int]) -> None:
    _, port = room
    links = links_of(port, WHOLE, SHARE)
    for link in links:
        answer = http.client.HTTPResponse(link)
        answer.begin()
        assert json.load(answer)["game"] == "crib_dice"
        link.close()
