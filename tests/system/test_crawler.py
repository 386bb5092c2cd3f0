"""A guest on the Wi-Fi sees no pairing code and gets no further rights, in whatever state the table is."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from companion.service.addresses import own_addresses
from companion.service.crash_loop import SAFE_MODE_AFTER
from tests.service.test_safe_mode import started, unplayable
from tests.system.crawling import Crawler
from tests.system.running import Running
from web.qr import svg

pytestmark = pytest.mark.slow

OUTSIDE = next(iter(own_addresses()), "")
"""An address of this machine that is not loopback."""
STATES = ("fresh", "no host", "last phone removed", "damaged", "safe mode", "game running")


@contextmanager
def table_in(state: str, folder: Path) -> Iterator[Running]:
    """A table in that state, served on every address of this machine."""
    if state == "safe mode":
        unplayable(folder)
        for _ in range(SAFE_MODE_AFTER):
            started(folder)
    if state in ("no host", "damaged"):
        with Running(folder) as before:
            before.pair()
            if state == "no host":  # a player alone is left
                other = Crawler("127.0.0.1", port_of(before), "127.0.0.1")
                assert other.ask("POST", "/api/pair", {"pin": before.pin})[0] == 200
                assert before.ask("/api/phones/leave", {})[0] == 200
            before.stop()
    if state == "damaged":
        file = folder / "paired.json"
        body = bytearray(file.read_bytes())
        body[len(body) // 2] ^= 4
        file.write_bytes(bytes(body))
    with Running(folder, "--host", "0.0.0.0") as table:
        if state in ("last phone removed", "game running"):
            local_ask(table, "/api/pair", {"pin": table.pin})
        if state == "last phone removed":
            assert local_ask(table, "/api/phones/remove", {"id": 1})[0] == 200
        yield table


def port_of(table: Running) -> int:
    return int(table.page.rstrip("/").rsplit(":", 1)[1])


def local_ask(table: Running, path: str, body: Any) -> tuple[int, Any]:
    table.page = f"http://127.0.0.1:{port_of(table)}/"
    return table.ask(path, body)


@pytest.mark.skipif(not OUTSIDE, reason="this machine has no address but loopback")
@pytest.mark.parametrize("state", STATES)
def test_a_guest_crawling_all_pages_sees_no_pairing_code_and_stays_guest(state: str, tmp_path: Path) -> None:
    with table_in(state, tmp_path) as table:
        port = port_of(table)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/pair/codes") as answer:
            codes = json.load(answer)
        page = f"http://{OUTSIDE}:{port}/"
        pin = re.compile(rf"(?<![\d.]){table.pin}(?!\d)")  # whole: charts and chances hold thousands of runs of digits
        first = codes["first"]
        owners = [first, svg(f"{page}control#first={first}").decode()] if first else []
        assert codes["pin"] == table.pin
        assert bool(first) == (state not in ("damaged", "game running"))
        crawler = Crawler(OUTSIDE, port, OUTSIDE)
        crawler.crawl()
        assert len(crawler.answers) > 150
        made = {asked: came for asked, came in crawler.answers.items() if not asked.startswith("GET /static/")}
        assert [asked for asked, came in made.items() if pin.search(came)] == []
        assert [asked for asked, came in crawler.answers.items() if any(code in came for code in owners)] == []
        assert [asked for asked, came in crawler.answers.items() if "first=" in came] == []
        assert [asked for asked, came in crawler.answers.items() if str(tmp_path) in came] == []
        told = json.loads(crawler.ask("GET", "/api/phones")[1])
        assert (told["paired"], told["role"], told["phones"]) == (False, "guest", [])
        allowed = {
            asked for asked, came in crawler.answers.items() if asked.startswith("POST") and came.startswith("200")
        }
        assert {asked.split(" ")[1] for asked in allowed} <= {"/api/pair/ask"}
        status, health = crawler.ask("GET", "/healthz")
        says = json.loads(health)["parts"]["pairing"]
        assert (status, says["ok"]) == (200, state != "damaged")
