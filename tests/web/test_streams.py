"""Event streams over the real server: each change reaches everyone once, and phones that vanish leave nothing."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from companion.table.commands import PlayLine, StartGame
from tests.waiting import until
from tests.web.pub import HEADER, PIN, Pub, opened, served
from web.guard import Hosts
from web.serving.feed import Feed
from web.serving.limits import Limits
from web.serving.server import Server
from web.serving.stream import EventStream

PATIENCE_S = 120
"""Longest wait for a socket or a thread, in seconds. Only a defect takes this long."""
REQUEST = b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
THROW = {"throw": [5, 5, 5, 2, 1, 4, 6]}


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[Pub, int]]:
    limits = Limits(
        streams=8, streams_spare=1, streams_each=3, heartbeat_s=0.05, is_own=lambda address: address == "127.0.0.1"
    )
    with opened(tmp_path, limits) as pub, served(pub) as address:
        pub.table.submit(StartGame(header=HEADER))
        yield pub, int(address.rsplit(":", 1)[1])


def listen(port: int, address: str = "127.0.0.1", request: bytes = REQUEST) -> socket.socket:
    link = socket.create_connection(("127.0.0.1", port), PATIENCE_S, (address, 0))
    link.sendall(request)
    return link


def status(link: socket.socket) -> int:
    return int(link.recv(1000).split(b" ")[1])


def numbers(link: socket.socket, until: int) -> list[int]:
    """Return the numbers of the snapshots that a stream sends, up to the number `until`."""
    text, told = b"", list[int]()
    while until not in told:
        came = link.recv(65536)
        assert came, f"the stream ended after {text!r}"
        text += came
        whole = [part for part in text.split(b"\n\n")[:-1] if b"\ndata: {" in b"\n" + part]
        told = [json.loads(part.split(b"\ndata: ", 1)[1].split(b"\n")[0])["number"] for part in whole]
    return told


def emptied(pub: Pub, port: int) -> bool:
    """Return whether all event streams end while other requests are served."""

    def none_left() -> bool:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=PATIENCE_S).close()
        return len(pub.site.stream) == 0

    return until(none_left)


def ask(port: int, path: str, body: Any = None) -> Any:
    sent = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", sent, {"Content-Type": "application/json"})
    return urllib.request.urlopen(request, timeout=PATIENCE_S)


def test_event_stream_begins_with_the_newest_snapshot(running: tuple[Pub, int]) -> None:
    pub, port = running
    with ask(port, "/api/events") as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert stream.headers["Cache-Control"] == "no-store"
        assert stream.headers["X-Content-Type-Options"] == "nosniff"
        first = dict(line.decode().rstrip().split(": ", 1) for line in (stream.readline() for _ in range(3)))
        assert int(first["id"]) == pub.table.snapshot().number
        assert json.loads(first["data"]) == json.load(ask(port, "/api/state"))


def test_every_event_stream_read_in_time_gets_each_new_snapshot_in_order(running: tuple[Pub, int]) -> None:
    """A stream that is read in time gets each snapshot; after a burst it may skip to the newest, but never go back."""
    pub, port = running
    links = [listen(port) for _ in range(5)]
    first = number = pub.table.snapshot().number
    told = [numbers(link, first) for link in links]
    for line in (THROW, {"undo": 1}) * 3:
        number = pub.table.submit(PlayLine(number=number, line=line)).number
        for link, each in zip(links, told, strict=True):
            each += numbers(link, number)
    assert number == first + 6
    assert told == [list(range(first, number + 1))] * 5
    for line in (THROW, {"undo": 1}) * 10:
        number = pub.table.submit(PlayLine(number=number, line=line)).number
    for link in links:
        burst = numbers(link, number)
        assert burst == sorted(set(burst))
        assert burst[-1] == number
        link.close()


def test_event_streams_of_phones_that_disconnect_are_freed(running: tuple[Pub, int]) -> None:
    pub, port = running
    for _ in range(3):
        links = [listen(port) for _ in range(8)]
        assert [status(link) for link in links] == [200] * 8
        for link in links:
            link.close()
        assert emptied(pub, port)
    with listen(port) as link:
        assert numbers(link, pub.table.snapshot().number)


def test_an_event_stream_past_the_limit_is_refused_with_503(running: tuple[Pub, int]) -> None:
    _, port = running
    links = [listen(port, f"127.0.0.{10 + at % 4}") for at in range(8)]
    assert [status(link) for link in links] == [200] * 8
    with ask(port, "/healthz") as answer:
        assert answer.status == 200
    with listen(port, "127.0.0.20") as link:
        refused = b"".join(iter(lambda: link.recv(4000), b""))
        assert b" 503 " in refused
        assert b"retry-after: 10" in refused
        assert b'"error":"streams_full"' in refused
    with listen(port) as spare, listen(port) as one_too_many:  # the table's own machine has a few more
        assert (status(spare), status(one_too_many)) == (200, 503)
    links[0].close()
    for link in links[1:]:
        link.close()


def test_two_event_streams_that_open_at_one_time_get_one_place_if_one_is_left(tmp_path: Path) -> None:
    """Each client waits to be sent the start of its answer until both have asked."""
    scope = {"method": "GET", "client": ("127.0.0.1", 1), "headers": [(b"host", b"127.0.0.1")]}

    async def statuses(stream: EventStream) -> list[int]:
        both_asked, told = asyncio.Event(), list[int]()

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                told.append(message["status"])
                await both_asked.wait()

        async def receive() -> Any:
            return {"type": "http.disconnect"}

        both = [asyncio.ensure_future(stream(scope, receive, send)) for _ in range(2)]
        await asyncio.sleep(0)
        both_asked.set()
        await asyncio.gather(*both)
        await stream.close()
        return told

    with opened(tmp_path) as pub:
        limits = Limits(streams=0, streams_spare=1)
        stream = EventStream(Feed(pub.table), Hosts(), lambda _: False, limits)
        with ThreadPoolExecutor() as other:  # this thread may have a running loop: Chromium's
            assert other.submit(asyncio.run, statuses(stream)).result() == [200, 503]


def test_event_streams_of_one_address_are_limited_except_for_paired_phones(running: tuple[Pub, int]) -> None:
    pub, port = running
    token = pub.pairing.pair(PIN, "Host", "127.0.0.66")
    assert isinstance(token, str)
    links = [listen(port, "127.0.0.66") for _ in range(4)]
    assert [status(link) for link in links] == [200, 200, 200, 503]
    paired = REQUEST.replace(b"\r\n\r\n", b"\r\nCookie: look=dark; pegpip=%s\r\n\r\n" % token.encode())
    with listen(port, "127.0.0.66", paired) as host, listen(port, "127.0.0.67") as other:
        assert (status(host), status(other)) == (200, 200)
    for link in links:
        link.close()


@pytest.mark.parametrize(("method", "host", "answer"), [("POST", "127.0.0.1", 405), ("GET", "evil.example", 403)])
def test_the_event_stream_refuses_a_post_request_and_an_unknown_host_header(
    running: tuple[Pub, int], method: str, host: str, answer: int
) -> None:
    _, port = running
    request = f"{method} /api/events HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n".encode()
    with listen(port, request=request) as link:
        told = b"".join(iter(lambda: link.recv(4000), b""))
        assert int(told.split(b" ")[1]) == answer
        assert b"\r\nx-content-type-options: nosniff\r\n" in told
        assert b"\r\ncontent-security-policy: default-src 'none';" in told


def test_web_server_refuses_a_far_too_large_body_with_413_and_serves_on(running: tuple[Pub, int]) -> None:
    _, port = running
    for size in (100_000, 50_000_000):
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as link:
            link.sendall(b"POST /api/lines HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n")
            link.sendall(b"Content-Length: %d\r\n\r\n" % size + b" " * min(size, 100_000))
            if size > 100_000:
                threading.Thread(target=pour, args=(link, size)).start()
            assert b" 413 " in link.recv(1000)
    with ask(port, "/api/state") as answer:
        assert answer.status == 200


def pour(link: socket.socket, size: int) -> None:
    try:
        for _ in range(size // 100_000):
            link.sendall(b" " * 100_000)
    except OSError:
        pass  # the server has heard enough


def test_web_server_reads_a_chunked_body_and_refuses_a_large_one_with_413(running: tuple[Pub, int]) -> None:
    _, port = running
    head = b"POST /api/pair HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    head += b"Transfer-Encoding: chunked\r\n\r\n"
    whole = b'{"pin":"%s"}' % PIN.encode()
    with listen(port, request=head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(whole), whole)) as link:
        assert status(link) == 200
    with listen(port, request=head + (b"%x\r\n%s\r\n" % (40_000, b" " * 40_000)) * 2 + b"0\r\n\r\n") as link:
        assert status(link) == 413


def test_web_server_refuses_content_length_with_chunked_body_as_smuggling(running: tuple[Pub, int]) -> None:
    _, port = running
    head = b"POST /api/pair HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 60\r\n"
    smuggled = b"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with listen(port, request=head + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled) as link:
        told = b"".join(iter(lambda: link.recv(4000), b""))
        assert [part.split(b" ")[0] for part in told.split(b"HTTP/1.1 ")[1:]] == [b"400"]


def test_stopping_a_web_server_that_has_ended_raises_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as pub:
        server = Server(pub.site, socket.create_server(("127.0.0.1", 0)), pub.limits)
        serving = threading.Thread(target=server.run)
        serving.start()
        server.stop()
        serving.join(PATIENCE_S)
        assert not serving.is_alive()
        server.stop()


def test_web_server_stops_although_phones_keep_connections_open(tmp_path: Path) -> None:
    with opened(tmp_path) as pub:
        before = set(threading.enumerate())
        with served(pub) as address:
            port = int(address.rsplit(":", 1)[1])
            links = [listen(port), listen(port, request=b"GET / HTTP/1.1\r\n")]
            assert status(links[0]) == 200
            assert ask(port, "/api/state").status == 200
        for link in links:
            while link.recv(65536):
                pass
            link.close()
        for thread in set(threading.enumerate()) - before:
            thread.join(PATIENCE_S)
        assert set(threading.enumerate()) <= before


def test_web_server_stops_although_a_phone_reads_nothing_of_its_stream(tmp_path: Path) -> None:
    with opened(tmp_path, Limits(streams=8, stalled_s=10 * PATIENCE_S)) as pub, socket.socket() as slow:
        listening = socket.create_server(("127.0.0.1", 0))
        server = Server(pub.site, listening, pub.limits)
        serving = threading.Thread(target=server.run)
        serving.start()
        number = pub.table.submit(StartGame(header=HEADER)).number
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(listening.getsockname())
        slow.sendall(REQUEST)
        assert until(lambda: len(pub.site.stream) == 1)
        with listen(listening.getsockname()[1]) as quick:
            assert numbers(quick, number)
            sent = 0
            while sent < 1_000_000:
                number = pub.table.submit(PlayLine(number=number, line=THROW)).number
                number = pub.table.submit(PlayLine(number=number, line={"undo": 1})).number
                numbers(quick, number)
                sent += len(pub.feed.newest.event)
        server.stop()
        assert until(lambda: not serving.is_alive())


def test_watchdog_check_succeeds_only_while_the_web_server_serves(tmp_path: Path) -> None:
    with opened(tmp_path) as pub:
        server = Server(pub.site, socket.create_server(("0.0.0.0", 0)), pub.limits)
        assert not server.answers(0.05)  # it listens, but nobody serves
        serving = threading.Thread(target=server.run)
        serving.start()
        assert server.answers(PATIENCE_S)
        server.stop()
        serving.join(PATIENCE_S)
        assert not server.answers(0.05)


def test_table_plays_on_after_the_web_servers_event_loop_has_ended(tmp_path: Path) -> None:
    with opened(tmp_path) as pub:
        scope = {"method": "GET", "headers": [(b"host", b"127.0.0.1")], "client": ("127.0.0.1", 1)}

        async def listen_and_fall() -> None:
            never, heard = asyncio.Queue[Any](), asyncio.Queue[Any]()
            listening = asyncio.create_task(pub.site.stream(scope, never.get, heard.put))
            for _ in range(2):
                await heard.get()
            listening.cancel()

        serving = threading.Thread(target=asyncio.run, args=(listen_and_fall(),))
        serving.start()
        serving.join(PATIENCE_S)
        number = pub.table.submit(StartGame(header=HEADER)).number
        assert pub.table.submit(PlayLine(number=number, line=THROW)).number == number + 1
        assert pub.table.answers(PATIENCE_S)
        assert pub.table.health()[0], pub.table.health()
        assert json.loads(pub.feed.newest.json)["number"] == number + 1


def test_web_server_on_a_closed_socket_raises_bad_file_descriptor(tmp_path: Path) -> None:
    with opened(tmp_path) as pub:
        listening = socket.create_server(("127.0.0.1", 0))
        server = Server(pub.site, listening, pub.limits)
        listening.close()
        with pytest.raises(OSError, match="Bad file descriptor"):
            server.run()


def test_web_server_answers_503_to_a_request_while_stopping(tmp_path: Path) -> None:
    scope = {"type": "http", "path": "/healthz", "headers": [], "client": ("127.0.0.1", 1)}
    sent = list[Any]()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    async def stopped() -> None:
        await pub.site.close()
        await pub.site(scope, receive, send)

    with opened(tmp_path) as pub, ThreadPoolExecutor() as other:  # this thread may have a running loop: Chromium's
        other.submit(asyncio.run, stopped()).result()
    assert sent[0]["status"] == 503
    assert json.loads(sent[1]["body"])["error"] == "closing"
