"""`make load`: viewers, phones that come and go, and a guest that blocks connections, measured from another process.

Prints one JSON object; exit status 1 if a figure misses its limit. `load.py short` is smaller and has no limits on
time: a test runs it.
"""

from __future__ import annotations

import contextlib
import gc
import http.client
import json
import math
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.waiting import PATIENCE_S, until

REQUEST = b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
HALF = b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
LINES: list[dict[str, Any]] = [{"throw": [5, 5, 5, 2, 1, 4, 6]}, {"do": "point", "value": 5}]
GUEST = "127.0.0.66"
FILES = 10_000


@dataclass(frozen=True)
class Plan:
    """Size of a load test, and the limits that its figures must keep.

    Attributes:
        viewers: Event streams in the full pub.
        few: Event streams on a quiet evening.
        changes: Lines played in each measurement; a multiple of four, after which the game is as before.
        comers: Phones that connect and vanish, half of them without reading a byte.
        half_open: Connections of the blocking guest that never finish a request.
        slow: Event streams of the blocking guest that are never read.
        p99_ms: Limit of the time from a POST until 99 % of `viewers` have its snapshot.
        median_ms: Limit of the time from a POST until half of `few` have its snapshot.
        other_ms: Limit of the slowest answer to another phone while the guest blocks connections.
        growth_mb: Limit of the growth of the server's memory with all viewers, and after they have gone.
        patience_s: Longest wait for an answer, or for all viewers to have a change.
    """

    viewers: int = 2000
    few: int = 200
    changes: int = 40
    comers: int = 1000
    half_open: int = 1000
    slow: int = 200
    p99_ms: float = 150
    median_ms: float = 15
    other_ms: float = 100
    growth_mb: float = 40
    patience_s: float = 30


SHORT = Plan(
    viewers=300,
    few=50,
    changes=8,
    comers=100,
    half_open=200,
    slow=50,
    p99_ms=math.inf,
    median_ms=math.inf,
    other_ms=math.inf,
    patience_s=PATIENCE_S,
)


def serve(streams: int) -> None:
    """Run a table with the real web server, and print its port. Only 127.0.0.1 counts as this machine."""
    from companion.service.addresses import listening_socket
    from companion.table.commands import StartGame
    from tests.web.pub import opened
    from web.serving.limits import Limits
    from web.serving.server import Server

    limits = Limits(streams=streams, streams_spare=0, is_own=lambda address: address == "127.0.0.1")
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder), limits) as pub:
        pub.table.submit(StartGame(header={"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"]}))
        listening = listening_socket("127.0.0.1", 0)
        server = Server(pub.site, listening, limits)
        gc.freeze()  # as `pegpip play` does
        print(listening.getsockname()[1], flush=True)
        server.run()


class Streams:
    """Event streams of many phones, read by one thread. `seen_s`: when each got a snapshot, by its number."""

    def __init__(self, port: int) -> None:
        self.port, self.selector, self.links = port, selectors.DefaultSelector(), list[socket.socket]()
        self.seen_s: dict[int, list[float]] = {}

    def join(self, count: int) -> None:
        for _ in range(count):
            link = socket.create_connection(("127.0.0.1", self.port))
            link.sendall(REQUEST)
            link.setblocking(False)
            self.selector.register(link, selectors.EVENT_READ)
            self.links.append(link)

    def read(self, number: int, until_s: float) -> int:
        """Read until all streams have snapshot `number`, at most until `until_s`; return how many have it."""
        mark = b"\nid: %d\n" % number
        while len(self.seen_s.get(number, ())) < len(self.links) and time.monotonic() < until_s:
            for key, _ in self.selector.select(0.5):
                data = b"\n" + key.fileobj.recv(262144)  # type: ignore[union-attr]
                if mark in data:
                    self.seen_s.setdefault(number, []).append(time.monotonic())
        return len(self.seen_s.get(number, ()))

    def leave(self) -> None:
        for link in self.links:
            self.selector.unregister(link)
            link.close()
        self.links.clear()


class Host:
    """A paired phone that keeps its connection open."""

    def __init__(self, port: int, patience_s: float, address: str = "127.0.0.1") -> None:
        self.link = http.client.HTTPConnection("127.0.0.1", port, timeout=patience_s, source_address=(address, 0))
        self.cookie = ""
        self.ask("/api/pair", {"pin": "271828"})

    def ask(self, path: str, body: Any = None) -> Any:
        headers = {"Content-Type": "application/json", "Cookie": self.cookie}
        sent = None if body is None else json.dumps(body)
        try:
            self.link.request("GET" if body is None else "POST", path, sent, headers)
            answer = self.link.getresponse()
        except (http.client.RemoteDisconnected, ConnectionError):  # it was kept too long: a browser asks again
            self.link.close()
            self.link.request("GET" if body is None else "POST", path, sent, headers)
            answer = self.link.getresponse()
        self.cookie = (answer.headers["Set-Cookie"] or self.cookie).split(";")[0]
        told = json.load(answer)
        assert answer.status == 200, told
        return told

    def close(self) -> None:
        self.link.close()

    def number(self) -> int:
        return int(self.ask("/api/state")["number"])

    def change(self, number: int, at: int) -> int:
        line = LINES[at % 2] if at % 4 < 2 else {"undo": 1}
        return int(self.ask("/api/lines", {"number": number, "line": line})["number"])


def memory(process: int) -> tuple[float, int]:
    """Return the resident memory in MB and the number of threads of a process."""
    told = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines() if ":" in line)
    return int(told["VmRSS"].split()[0]) / 1024, int(told["Threads"])


def delays(host: Host, streams: Streams, plan: Plan) -> list[float]:
    """Return how long each change took to reach each stream, in ms, ascending; infinite for one that did not get it."""
    all_ms, number = [], host.number()
    for at in range(plan.changes):
        begun_s = time.monotonic()
        number = host.change(number, at)
        got = streams.read(number, begun_s + plan.patience_s)
        all_ms += [1000 * (seen_s - begun_s) for seen_s in streams.seen_s.get(number, ())]
        all_ms += [math.inf] * (len(streams.links) - got)
    return sorted(all_ms)


def figures(all_ms: list[float]) -> dict[str, float]:
    """Return the median, the 99th percentile and the maximum of ascending times in ms."""
    return {
        "median": round(statistics.median(all_ms), 1),
        "p99": round(all_ms[int(len(all_ms) * 0.99)], 1),
        "worst": round(all_ms[-1], 1),
    }


def come_and_go(port: int, comers: int) -> None:
    """Open and close `comers` event streams, half of them without reading a byte."""
    for at in range(comers):
        with socket.create_connection(("127.0.0.1", port)) as link:
            link.sendall(REQUEST)
            if at % 2:
                link.recv(100)


def status(port: int, patience_s: float) -> int:
    """Ask for an event stream and return the HTTP status of the answer."""
    with socket.create_connection(("127.0.0.1", port), patience_s) as link:
        link.sendall(REQUEST)
        return int(link.recv(1000).split(b" ")[1])


def back_after(host: Host, streams: Streams, plan: Plan) -> float | None:
    """Return the seconds until all viewers can open a stream again; None if not within `plan.patience_s`."""
    begun_s = time.monotonic()

    def whole() -> bool:
        streams.seen_s.clear()
        streams.join(plan.viewers)
        count = streams.read(host.number(), time.monotonic() + plan.patience_s / 10)
        streams.leave()
        return count == plan.viewers

    return round(time.monotonic() - begun_s, 1) if until(whole, plan.patience_s) else None


class Guest:
    """A phone that opens many connections, and neither finishes a request nor reads an answer."""

    def __init__(self, port: int, half_open: int, slow: int) -> None:
        self.port, self.links = port, list[socket.socket]()
        wanted = [(at / half_open, HALF) for at in range(half_open)] + [(at / slow, REQUEST) for at in range(slow)]
        self.wanted = [sent for _, sent in sorted(wanted)]  # in turns: its share has some of both

    def dally(self) -> None:
        for link in self.links:
            link.close()
        self.links.clear()
        for sent in self.wanted:
            link = socket.socket()
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            link.bind((GUEST, 0))
            self.links.append(link)
            try:
                link.connect(("127.0.0.1", self.port))
                link.sendall(sent)
            except OSError:
                continue  # it has had its share

    def leave(self) -> None:
        for link in self.links:
            link.close()


def others_meanwhile(port: int, plan: Plan) -> dict[str, float]:
    """Return the `figures` of other phones' requests, each on its own connection, while a guest blocks connections."""
    guest, taken_ms = Guest(port, plan.half_open, plan.slow), []
    with contextlib.closing(Host(port, plan.patience_s, "127.0.0.2")) as host:
        number = host.number()
    for at in range(plan.changes):
        if at % 10 == 0:
            guest.dally()
        begun_s = time.monotonic()
        with contextlib.closing(Host(port, plan.patience_s, f"127.0.0.{3 + at % 50}")) as phone:
            number = phone.change(number, at)
        taken_ms.append(1000 * (time.monotonic() - begun_s) / 2)  # it paired, and played a line
    guest.leave()
    return figures(sorted(taken_ms))


def measure(process: int, port: int, plan: Plan) -> dict[str, Any]:
    """Return all figures of the server with that process id and port, as JSON."""
    host, streams = Host(port, plan.patience_s), Streams(port)
    for _ in range(20):
        host.number()
    alone_mb, _ = memory(process)
    streams.join(plan.few)
    streams.read(host.number(), time.monotonic() + plan.patience_s)
    few = figures(delays(host, streams, plan))
    streams.join(plan.viewers - plan.few)
    streams.read(host.number(), time.monotonic() + plan.patience_s)
    all_viewers = figures(delays(host, streams, plan))
    full_mb, threads = memory(process)
    past_limit = status(port, plan.patience_s)
    streams.leave()
    come_and_go(port, plan.comers)
    back_s = back_after(host, streams, plan)
    others = others_meanwhile(port, plan)
    after_mb, threads_after = memory(process)
    host.close()
    return {
        "viewers": plan.viewers,
        "viewers_ms": all_viewers,
        "few": plan.few,
        "few_ms": few,
        "others_ms": others,
        "memory_mb": {"alone": round(alone_mb, 1), "with_viewers": round(full_mb, 1), "after": round(after_mb, 1)},
        "threads": {"with_viewers": threads, "after": threads_after},
        "past_limit": past_limit,
        "places_back_after_s": back_s,
    }


def missed(told: dict[str, Any], plan: Plan) -> list[str]:
    """Return the limits that the figures of `measure` miss, each in words."""
    memory_mb = told["memory_mb"]
    promises = {
        f"{plan.viewers} viewers: 99 in 100 within {plan.p99_ms} ms": told["viewers_ms"]["p99"] <= plan.p99_ms,
        f"{plan.few} viewers: half within {plan.median_ms} ms": told["few_ms"]["median"] <= plan.median_ms,
        "every viewer sees every change": max(told["few_ms"]["worst"], told["viewers_ms"]["worst"]) < math.inf,
        f"others are answered within {plan.other_ms} ms": told["others_ms"]["worst"] <= plan.other_ms,
        f"memory grows by {plan.growth_mb} MB at most": memory_mb["with_viewers"] - memory_mb["alone"]
        <= plan.growth_mb,
        "and stays so": memory_mb["after"] - memory_mb["alone"] <= plan.growth_mb,
        "no viewer costs a thread": max(told["threads"].values()) <= 24,
        "the stream past the limit is refused": told["past_limit"] == 503,
        "places come back": told["places_back_after_s"] is not None,
    }
    return [promise for promise, kept in promises.items() if not kept]


def loaded(plan: Plan) -> dict[str, Any]:
    """Start a server in another process, and return its figures with the limits that they miss."""
    command = [sys.executable, "-m", "tests.web.load", "serve", str(plan.viewers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            told = measure(server.pid, int(server.stdout.readline()), plan)
        finally:
            server.terminate()
    return {**told, "missed": missed(told, plan)}


if __name__ == "__main__":
    from web.serving.server import allow_open_files

    allow_open_files(FILES)
    if sys.argv[1:2] == ["serve"]:
        serve(int(sys.argv[2]))
    else:
        figures_told = loaded(SHORT if sys.argv[1:] == ["short"] else Plan())
        print(json.dumps(figures_told))
        sys.exit(1 if figures_told["missed"] else 0)
