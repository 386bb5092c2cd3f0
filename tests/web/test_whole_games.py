"""A whole game of each of the three by a host's phone, with a viewer and the pub's screen: all see the same.

The turns in the middle of a long game are played at the table at once: the pages draw what these come to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.web.phones import visit
from tests.web.pub import Pub, opened, play, served

pytestmark = [pytest.mark.browser, pytest.mark.slow]
POINT_6, POINT_5 = '{"do":"point","value":6}', '{"do":"point","value":5}'
VIEWERS = (("/", "390x844"), ("/tv", "1920x1080"), ("/", "820x1180"))
"""Paths and sizes of the pages of those who look on: a phone, the pub's screen, a tablet."""
SEND = """(body) => fetch("/api/lines", {method: "POST", headers: {"Content-Type": "application/json"},
  body: JSON.stringify(body)}).then((response) => response.ok)"""


class Room:
    """The owner's phone and the pages of `VIEWERS`, each in a browser context of its own."""

    def __init__(self, chromium: Any, address: str, pub: Pub, viewers: Sequence[tuple[str, str]] = VIEWERS) -> None:
        self.pub, self.apart_ms, self.typed = pub, list[int](), False
        self.host = visit(chromium, f"{address}/control", paired=True)
        self.others = [visit(chromium, f"{address}{path}", size) for path, size in viewers]

    def do(self, act: Callable[[], None]) -> None:
        """Call `act` on the owner's phone; wait until all pages show the next snapshot; record how far apart in ms."""
        before = self.pub.table.snapshot().number
        act()
        self.host.wait_for_selector(f'html:not([data-number="{before}"])', state="attached")
        number = self.pub.table.snapshot().number
        for page in (self.host, *self.others):
            page.wait_for_selector(f'html[data-number="{number}"]', state="attached")
        shown = [int(page.evaluate("document.documentElement.dataset.shownMs")) for page in (self.host, *self.others)]
        self.apart_ms.append(max(shown) - min(shown))

    def press(self, key: str) -> None:
        self.do(lambda: self.host.click(f"#sheet [data-key='{key}']"))

    def throw(self, *values: int) -> None:
        """Enter a throw: the first of a game by the page's dice keys, later ones by a request, to save time."""
        if self.typed:
            number = self.pub.table.snapshot().number
            self.do(lambda: self.host.evaluate(SEND, {"number": number, "line": {"throw": values}}))
            return

        def enter() -> None:
            self.host.click("#big [data-key='enter']")
            for value in values:
                self.host.click(f'dialog button[aria-label="Add a {value}"]')
            self.host.click('dialog button:text-is("That\'s it")')

        self.do(enter)
        self.typed = True
        self.host.wait_for_selector("dialog", state="detached")

    def hurry(self, throws: Sequence[Sequence[int]], *words: str) -> None:
        """Play turns at the table itself, each a throw and the first option of each word; wait for the pages."""

        def turns() -> None:
            for values in throws:
                play(self.pub, {"throw": list(values)})
                for word in words:
                    play(self.pub, next(line for line in self.pub.table.snapshot().options if line["do"] == word))

        self.do(turns)

    def start(self, game: str, preset: str = "") -> None:
        self.typed = False

        def begin() -> None:
            self.host.click("#big [data-key='new']")
            self.host.check(f"[name='new-game'][value='{game}']")
            for seat, name in enumerate(("Ann", "<b>Ben</b>")):
                self.host.fill(f'dialog input[data-key="seat-{seat}"]', name)
            if preset:
                self.host.click("dialog summary")
                self.host.click(f'dialog button[data-key="{preset}"]')
            self.host.click('dialog button:text-is("Begin")')

        self.do(begin)
        self.host.wait_for_selector("dialog", state="detached")

    def end(self) -> None:
        """Check that all pages name the winner in the same words."""
        words = {page.inner_text("#can") for page in (self.host, *self.others)}
        winners = self.pub.state()["outcome"]["winners"]
        assert len(words) == 1
        assert winners[0] in words.pop()
        assert [page.errors for page in (self.host, *self.others) if page.errors] == []


@contextmanager
def room(chromium: Any, folder: Path) -> Iterator[Room]:
    """Yield the room of a served pub on a data folder."""
    with opened(folder) as pub, served(pub) as address:
        yield Room(chromium, address, pub)


def crib_dice(full: Room) -> None:
    """Play Crib Dice to its end."""
    full.start("crib_dice")
    ann, ben = (6, 6, 6, 6, 6, 6, 2), (5, 5, 5, 2, 1, 4, 6)
    for last in (False, True):
        for throw, point in ((ann, POINT_6), (ben, POINT_5)):
            full.throw(*throw)
            full.press(point)
            full.press('{"do":"stop"}')
        if not last:
            full.hurry([ann, ben] * 4, "point", "stop")


def crag(full: Room) -> None:
    """Play Crag to its end."""
    full.start("crag")
    throws = [(6, 6, 1), (1, 3, 5), (2, 5, 6), (4, 4, 4)]
    for turn in range(4):
        if turn == 2:
            full.hurry((throws * 6)[2:], "score")
        full.throw(*throws[turn % 4])
        full.do(lambda: full.host.click("#pick .best button >> nth=0"))


def crapola(full: Room) -> None:
    """Play Crapola to its end."""
    full.start("crapola", "quick")
    while not full.pub.state()["over"]:
        full.throw(*((1, 1, 1, 1, 2, 3) if full.pub.state()["player"] == "Ann" else (1, 1, 1, 5, 2, 3)))
        full.press("keep")
        full.press('{"do":"stop"}')


def test_control_scoreboard_and_tv_page_name_the_winner_of_each_of_three_games(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path) as pub, served(pub) as address:
        full = Room(chromium, address, pub, VIEWERS[:2])
        for whole_game in (crib_dice, crag, crapola):
            whole_game(full)
            assert pub.state()["over"]
            full.end()


SHIFTS = """window.shift = 0; new PerformanceObserver((list) => { for (const each of list.getEntries())
  window.shift += each.value; }).observe({type: 'layout-shift', buffered: true});"""
SLOW_LINK = {"offline": False, "latency": 20, "downloadThroughput": 200_000, "uploadThroughput": 100_000}


def slow_phone(chromium: Any, address: str, files_lost: str | None = None) -> Any:
    """Return a page on a phone four times slower than this machine, with a network of 1.6 Mbit/s.

    Args:
        chromium: The browser.
        address: Address of the page.
        files_lost: Pattern of the addresses that the network never brings.
    """
    page = chromium.new_context(viewport={"width": 390, "height": 844}).new_page()
    link = page.context.new_cdp_session(page)
    link.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    link.send("Network.emulateNetworkConditions", SLOW_LINK)
    page.add_init_script(SHIFTS)
    if files_lost is not None:
        page.route(files_lost, lambda route: route.abort())
    page.goto(address, wait_until="commit")
    page.wait_for_selector("html[data-number]", state="attached")
    return page


UPDATES: list[dict[str, Any]] = [
    {"throw": [5, 5, 5, 2, 1, 4, 6]},
    {"do": "point", "value": 5},
    {"throw": [5, 5, 1, 3]},
    {"do": "stop"},
    {"throw": [6, 6, 2, 2, 1, 4, 3]},
    {"do": "point", "value": 6},
    {"throw": [1, 2, 3, 4, 4]},
]
FRAMES = """window.frames_seen = []; const look = () => { const root = document.documentElement.dataset;
  frames_seen.push([Number(root.number), document.getElementById('can').textContent]); requestAnimationFrame(look); };
  requestAnimationFrame(look);"""


def updated(page: Any, pub: Pub, number: int) -> Iterator[tuple[int, str]]:
    """Play `UPDATES`; yield the snapshot's number and the page's what-next line, each once the page shows it."""
    host = pub.host()
    for line in UPDATES:
        number = host.post("/api/lines", json={"number": number, "line": line}).json["number"]
        page.wait_for_selector(f'html[data-number="{number}"]', state="attached")
        yield number, page.inner_text("#can")


@pytest.mark.parametrize("files_lost", [None, "**/*.woff2"], ids=["all-files", "no-faces"])
def test_a_slow_phone_draws_each_snapshot_in_one_frame_without_layout_shift(
    chromium: Any, tmp_path: Path, files_lost: str | None
) -> None:
    with opened(tmp_path) as pub, served(pub) as address:
        number = pub.start()
        page = slow_phone(chromium, address, files_lost)
        page.wait_for_selector('#live[data-live="yes"]')
        page.evaluate("window.shift = 0")
        page.evaluate(FRAMES)
        words = dict(updated(page, pub, number))
        assert len(words) == len(UPDATES)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.evaluate("window.shift") < 0.01
        seen = {(number, shown) for number, shown in page.evaluate("frames_seen") if number in words}
        assert seen, "some frame was drawn"
        assert seen <= set(words.items()), "no frame showed the number of one snapshot with the words of another"
        page.unroute_all()
