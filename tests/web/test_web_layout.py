"""Nothing clipped, covered, outside or too small: the pages measured with the longest names at every size.

The short form takes the fullest and the emptiest; `make layout` (PEGPIP_LAYOUT=1) takes every game, number of players,
size, look and language, and leaves its pictures in out/layout.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from injecting import FedPage
from pub import Pub, opened, served
from scenes import scenes, seated

from companion.games.game import Header
from companion.games.notation import header_line
from companion.games.registry import GAMES
from companion.session.commands import PlayLine, StartGame
from companion.session.past.export import PastGames
from companion.session.past.review import Review
from web.catalogue import LANGUAGES
from web.pages import LOOKS, Addresses

pytestmark = pytest.mark.browser
MEASURE = (Path(__file__).parent / "measuring.js").read_text(encoding="utf-8")
OUT = Path(__file__).resolve().parents[2] / "out" / "layout"
PAGE_ADDRESS = "http://192.168.104.101:8000/"
ADDRESSES = Addresses(PAGE_ADDRESS, wifi="WIFI:T:WPA;S:The Plough and Harrow;P:six of one;;")
TABLE_NAME = "The Plough and Harrow Inn"
WHOLE = os.environ.get("PEGPIP_LAYOUT") == "1"
SIZES = ((390, 844), (844, 390), (820, 1180), (1180, 820), (1280, 720), (1280, 800), (1920, 1080))
SCREENS = ((1280, 720), (1920, 1080))
SMALLEST = {"/tv": 0.022}
"""Of the height: what can be read at three metres; pages that are held in the hand are read at their own size."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Pub]]:
    folder = tmp_path_factory.mktemp("layout")
    having = {"evening": PastGames(folder), "review": Review(folder)}
    with opened(folder, addresses=ADDRESSES, name=TABLE_NAME, **having) as pub, served(pub) as address:
        yield address, pub


def faults_of(fed: FedPage, path: str, size: tuple[int, int]) -> list[Any]:
    """What is wrong with the page as it stands, at that size."""
    fed.page.set_viewport_size({"width": size[0], "height": size[1]})
    found = fed.page.evaluate(MEASURE, SMALLEST.get(path, 0.0) if size[0] >= 1280 else 0.0)
    return list(found)


def decoded(fed: FedPage) -> list[str]:
    """The texts of the QR codes in a picture of the page, each as a phone would hold it in view."""
    picture = cv2.imdecode(np.frombuffer(fed.page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    boxes = [box.bounding_box() for box in fed.page.query_selector_all(".codes img")]
    views = [
        picture[int(b["y"]) - 3 : int(b["y"] + b["height"]) + 4, int(b["x"]) - 3 : int(b["x"] + b["width"]) + 4]
        for b in boxes
    ]
    return [cv2.QRCodeDetector().detectAndDecode(view)[0] for view in views]


HOSTS = {"/control", "/tray"}
PAGES = {
    "/tv": (((1280, 720),), ("deciding", "noticed", "cheered", "over")),
    "/": (((390, 844),), ("over",)),
    "/control": (((844, 390),), ("deciding",)),
    "/tray": (((390, 844),), ("deciding",)),
}
"""Sizes and moments of the short form."""


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_cut_off_covered_or_outside(chromium: Any, site: tuple[str, Pub], path: str, game: str) -> None:
    headers = list(seated(GAMES[game]))
    wrong: dict[str, Any] = {}
    for language in LANGUAGES if WHOLE else ("de",):
        fed = FedPage(chromium, site[0], path, language, paired=path in HOSTS)
        for header in headers if WHOLE else headers[-1:]:
            for moment, faults in measured(fed, path, header, language):
                wrong[moment] = faults[:4]
        assert fed.problems == []
        fed.close()
    assert wrong == {}


def measured(fed: FedPage, path: str, header: Header, language: str) -> Iterator[tuple[str, list[Any]]]:
    """What is wrong in the moments of a game, each at each size and look."""
    sizes, moments = PAGES[path]
    for moment, snapshot in scenes(header).items():
        if not WHOLE and moment not in moments:
            continue
        fed.show(snapshot, happens=moment == "cheered")
        for (width, height), look in itertools.product(
            SIZES if WHOLE else sizes, LOOKS if WHOLE and language == "en" else ("dark",)
        ):
            fed.page.evaluate("(look) => { document.documentElement.dataset.look = look }", look)
            faults = faults_of(fed, path, (width, height))
            page, seats = path.strip("/") or "scoreboard", len(header.players)
            where = f"{page}-{header.game}-{seats}-{moment}-{width}x{height}-{look}-{language}"
            if faults or WHOLE:
                OUT.mkdir(parents=True, exist_ok=True)
                fed.page.screenshot(path=OUT / f"{where}.jpg", type="jpeg", quality=60)
            if faults:
                yield where, faults


@pytest.mark.parametrize("path", ["/evening", "/dice", "/help", "/review"])
def test_nothing_is_cut_off_on_the_pages_beside_the_game(chromium: Any, site: tuple[str, Pub], path: str) -> None:
    address, pub = site
    header = list(seated(GAMES["crag"]))[-1]
    pub.table.submit(StartGame(header=header_line(header)))
    for line in ({"throw": [6, 6, 1]}, {"do": "score", "category": "crag"}):
        pub.table.submit(PlayLine(number=pub.table.snapshot().number, line=line))
    wrong = {}
    for language in LANGUAGES if WHOLE else ("de",):
        fed = FedPage(chromium, address, path, language, paired=True)
        fed.page.wait_for_load_state("networkidle")
        for size in SIZES if WHOLE else SIZES[:2]:
            if faults := faults_of(fed, path, size):
                wrong[size, language] = faults[:4]
        assert fed.problems == []
        fed.close()
    assert wrong == {}


@pytest.mark.parametrize("size", SCREENS if WHOLE else SCREENS[:1], ids=str)
def test_the_codes_on_the_pubs_screen_can_be_scanned_whatever_it_shows(
    chromium: Any, site: tuple[str, Pub], size: tuple[int, int]
) -> None:
    header = list(seated(next(reversed(GAMES.values()))))[-1]
    shown = scenes(header)
    fed = FedPage(chromium, site[0], "/tv")
    fed.page.set_viewport_size({"width": size[0], "height": size[1]})
    for moment in ("asking", "over"):
        fed.show(shown[moment])
        assert decoded(fed) == [ADDRESSES.wifi, ADDRESSES.page], moment
    fed.page.evaluate("lose(true)")
    fed.page.wait_for_selector('#live[data-live="no"]')
    assert decoded(fed) == [ADDRESSES.wifi, ADDRESSES.page]
    assert faults_of(fed, "/tv", size) == []
    fed.close()


def test_what_is_cut_off_covered_outside_or_too_small_is_found(chromium: Any, site: tuple[str, Pub]) -> None:
    fed = FedPage(chromium, site[0], "/tv")
    for harm, kind in HARMS.items():
        fed.page.evaluate(HARM, harm)
        assert kind in {fault[0] for fault in faults_of(fed, "/tv", (1280, 720))}, harm
    fed.close()


HARM = """(harm) => { const sheet = new CSSStyleSheet();
sheet.replaceSync(harm); document.adoptedStyleSheets = [sheet] }"""
HARMS = {
    ".join { position: relative; left: 300px }": "outside",
    ".who { height: 12px; min-height: 0 !important; overflow: hidden }": "cut off",
    ".can { position: fixed; left: 40px; top: 235px }": "overlap",
    ".address { font-size: 9px !important }": "too small",
}
