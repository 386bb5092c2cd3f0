"""Measures the layout of a page at a window size: what is clipped, covered, outside the window or too small.

By default the tests take a few states of each page. `make layout` (PEGPIP_LAYOUT=1) takes every game, number of
players, size, look and language, and writes pictures of faults to out/layout (PEGPIP_LAYOUT=pictures: of everything).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from tests.web.injecting import FedPage
from web.catalogue import LANGUAGES
from web.pages import Addresses

OUT = Path(__file__).resolve().parents[2] / "out" / "layout"
MEASURING = (Path(__file__).parent / "measuring.js").read_text(encoding="utf-8")
ADDRESSES = Addresses("http://192.168.104.101:8000/", wifi="WIFI:T:WPA;S:The Plough and Harrow;P:six of one;;")
TABLE_NAME = "The Plough and Harrow Inn"
FORM = os.environ.get("PEGPIP_LAYOUT", "")
WHOLE = FORM != ""
Size = tuple[int, int]
SIZES: tuple[Size, ...] = ((390, 844), (844, 390), (820, 1180), (1180, 820), (1280, 720), (1280, 800), (1920, 1080))
PHONE, ON_ITS_SIDE, SCREEN = (390, 844), (844, 390), (1280, 720)
SPOKEN = tuple(LANGUAGES) if WHOLE else ("de",)
SCREENS_SHARE, IN_HAND_PX = 0.025, 11.0
"""Smallest text: as a share of the height of the pub's screen, read at five metres; and in pixels on a phone."""


class Shown(NamedTuple):
    """A page that follows the game: path, whether its phone is paired, sizes and moments of the short form."""

    path: str
    paired: bool
    sizes: tuple[Size, ...]
    moments: tuple[str, ...]


FOLLOWING = {
    "tv": Shown("/tv", False, (SCREEN,), ("deciding", "taught deciding", "house", "noticed", "cheered", "over")),
    "scoreboard": Shown("/", False, (PHONE,), ("taught deciding", "over")),
    "control": Shown("/control", True, (ON_ITS_SIDE,), ("deciding",)),
    "tray": Shown("/tray", True, (PHONE,), ("deciding",)),
}


def resize(fed: FedPage, size: Size) -> None:
    """Resize the window of a page, and load the measuring script into it."""
    fed.page.set_viewport_size({"width": size[0], "height": size[1]})
    fed.page.evaluate(f"{MEASURING}\nnull")


def faults_of(fed: FedPage, size: Size) -> list[Any]:
    """Return the layout faults of a page in its present state at a window size (width, height)."""
    resize(fed, size)
    return list(fed.page.evaluate("(smallest_px) => faults(smallest_px)", smallest_px(fed, size)))


def smallest_px(fed: FedPage, size: Size) -> float:
    """Return the smallest allowed text size on a page, in pixels: larger on the pub's screen than on a phone."""
    on_the_wall = size[0] > size[1] and fed.page.url.endswith("/tv")
    return SCREENS_SHARE * size[1] if on_the_wall else IN_HAND_PX


def measured(fed: FedPage, name: str, sizes: tuple[Size, ...]) -> dict[Size, list[Any]]:
    """Return up to four layout faults of a page by window size; write a picture, and all to NAME.json, if any."""
    found = {size: faults_of(fed, size)[:4] for size in sizes}
    for size, faults in found.items():
        if faults or FORM == "pictures":
            photograph(fed, name, size)
    wrong = {size: faults for size, faults in found.items() if faults}
    tell(name, wrong)
    return wrong


def photograph(fed: FedPage, name: str, size: Size) -> None:
    """Write a picture of the page at a window size to out/layout."""
    fed.page.set_viewport_size({"width": size[0], "height": size[1]})
    fed.page.screenshot(path=OUT / f"{name}-{size[0]}x{size[1]}.jpg", type="jpeg", quality=70)


def tell(name: str, wrong: dict[Any, Any]) -> None:
    """Write faults by their place to NAME.json in out/layout, if there are any: a failed test shows only some."""
    if wrong:
        OUT.mkdir(parents=True, exist_ok=True)
        told = {str(where): faults for where, faults in wrong.items()}
        (OUT / f"{name}.json").write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")
