"""Event streams over the real server: each change reaches everyone once, and phones that vanish leave nothing."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from pub import HEADER, Pub, opened, served

from companion.session.commands import PlayLine, StartGame
from web.server import Server

PATIENCE_S = 60
"""Far more than a busy machine needs: these tests say what happens, not how fast."""
REQUEST = b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[Pub, int]]:
    with opened(tmp_path, streams_limit=8, heartbeat_s=0.05) as pub, served(pub.app, 8) as address:
        pub.table.submit(StartGame(header=HEADER))
        yield pub, int(address.rsplit(":", 1)[1])


def listen(port: int) -> socket.socket:
    link = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
    link.sendall(REQUEST)
    return link


def taken_up(links: list[socket.socket]) -> list[socket.socket]:
    """The links, once the server answers each of them."""
    for link in links:
        assert b" 200 " in link.recv(1000)
    return links


def numbers(link: socket.socket, until: int) -> list[int]:
    """The numbers of the snapshots that a stream tells, up to that one."""
    text, told = b"", list[int]()
    while until not in told:
        came = link.recv(65536)
        assert came, f"the stream ended after {text!r}"
        text += came
        whole = [part for part in text.split(b"\n\n")[:-1] if b"\ndata: {" in b"\n" + part]
        told = [json.loads(part.split(b"data: ", 1)[1].split(b"\n")[0])["number"] for part in whole]
    return told


def emptied(pub: Pub, port: int) -> bool:
    """Whether all places come back; other requests are served meanwhile."""
    feed, until_s = pub.app.extensions["feed"], time.monotonic() + PATIENCE_S
    while feed.streams and time.monotonic() < until_s:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=PATIENCE_S).close()
    return feed.streams == 0


def test_every_stream_tells_each_change_in_order(running: tuple[Pub, int]) -> None:
    pub, port = running
    links = [listen(port) for _ in range(5)]
    first = pub.table.snapshot().number
    for link in links:
        assert numbers(link, first)[-1] == first
    last = pub.table.submit(PlayLine(number=first, line={"throw": [5, 5, 5, 2, 1, 4, 6]})).number
    for link in links:
        told = numbers(link, last)
        assert told == sorted(told)
        link.close()


def test_phones_that_vanish_give_their_places_back(running: tuple[Pub, int]) -> None:
    pub, port = running
    for _ in range(3):
        for link in taken_up([listen(port) for _ in range(8)]):
            link.close()
        assert emptied(pub, port)
    link = listen(port)
    assert numbers(link, pub.table.snapshot().number)
    link.close()


def test_the_server_answers_while_all_streams_are_taken(running: tuple[Pub, int]) -> None:
    pub, port = running
    links = [listen(port) for _ in range(8)]
    for link in links:
        numbers(link, pub.table.snapshot().number)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=PATIENCE_S) as answer:
        assert answer.status == 200
    with listen(port) as refused:
        assert b" 503 " in refused.recv(1000)
    for link in links:
        link.close()


def test_a_body_far_too_large_is_refused_by_the_server_and_it_serves_on(running: tuple[Pub, int]) -> None:
    _, port = running
    for size in (100_000, 50_000_000):
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as link:
            link.sendall(b"POST /api/lines HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n")
            link.sendall(b"Content-Length: %d\r\n\r\n" % size + b" " * min(size, 100_000))
            assert b" 413 " in link.recv(1000)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/state", timeout=PATIENCE_S) as answer:
        assert answer.status == 200


def test_a_server_that_has_ended_may_be_stopped_again(tmp_path: Path) -> None:
    with opened(tmp_path) as pub:
        server = Server(pub.app, socket.create_server(("127.0.0.1", 0)), 2)
        serving = threading.Thread(target=server.run)
        serving.start()
        server.stop()
        serving.join(PATIENCE_S)
        assert not serving.is_alive()
        server.stop()


def test_the_server_proves_that_it_answers(tmp_path: Path) -> None:
    with opened(tmp_path) as pub:
        server = Server(pub.app, socket.create_server(("0.0.0.0", 0)), 2)
        assert not server.answers(0.05)  # it listens, but nobody serves
        serving = threading.Thread(target=server.run)
        serving.start()
        assert server.answers(PATIENCE_S)
        server.stop()
        serving.join(PATIENCE_S)
        assert not server.answers(0.05)
