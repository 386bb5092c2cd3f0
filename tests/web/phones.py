"""Phones in a real Chromium, and a served pub with a game in progress and two past games."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec

from companion.history.fairness import course_of, evidence_after
from companion.table.evening.statistics import Tally
from tests.waiting import RETRIES, until
from tests.web.pub import HEADER, PIN, Pub, opened

_SCREENS = ((360, 640), (390, 844), (820, 1180), (1280, 720), (1920, 1080))
SIZES = {f"{wide}x{high}": (wide, high) for wide, high in _SCREENS}
MIDGAME: list[dict[str, Any]] = [
    {"throw": [5, 5, 5, 2, 1, 4, 6]},
    {"do": "point", "value": 5},
    {"throw": [5, 5, 1, 3]},
    {"do": "stop"},
    {"throw": [5, 5, 2, 2, 1, 4, 6]},
    {"do": "point", "value": 5},
    {"throw": [3, 3, 2, 4, 6]},
    {"throw": [4, 4, 4, 2, 1, 3, 6]},
    {"do": "point", "value": 4},
    {"throw": [4, 1, 2, 6]},
]


class PastGames:
    """Fake of the archive `companion.history.export.PastGames`: two games of an evening, one of them finished."""

    def games(self) -> list[dict[str, Any]]:
        return [{"id": 1, "game": "crib_dice", "title": "Crib Dice",
                 "players": ["Ann", "Ben"], "colours": [2, 0], "winners": ["Ann"], "games_lost": {"Ben": 1},
                 "over": True, "throws": 2, "dice": "", "started": "2026-01-02 20:15",
                 "bests": {name: {"score": 9, "turn": 5, "loss": 3} for name in ("Ann", "Ben")}}]  # fmt: skip

    def luck(self, game: int) -> dict[str, Any] | None:
        return {"goal": "points", "players": [], "luckiest": [], "dearest": [], "moves": []} if game == 1 else None

    def luckiest(self, game: int) -> dict[str, Any] | None:
        return {"player": "Ann", "values": [5, 5], "line": 2, "chance": 0.01} if game == 1 else None

    def chances(self, game: int) -> dict[str, Any] | None:
        return {"chances": [[0.5, 0.5], [1.0, 0.0]], "exact": True} if game == 1 else None

    def ratings(self) -> list[dict[str, Any]]:
        told = {"decisions": 40, "regret": 0.01, "low": 0.0, "high": 0.02, "like": "steady"}
        return [{"player": "Ann", "game": "crib_dice", "title": "Crib Dice", "goal": "win", **told}]

    def text(self, game: int) -> bytes | None:
        lines = (HEADER, MIDGAME[0], MIDGAME[1])
        return b"".join(msgspec.json.encode(line) + b"\n" for line in lines) if game == 1 else None

    def moves(self, game: int) -> dict[str, Any] | None:
        states = [{"player": "Ann", "scores": {"Ann": at, "Ben": 0}, "turn_points": 5, "dice": [5, 5]} for at in (0, 9)]
        peg = {"banked": 0, "provisional": 5}
        beside = {"track": {"holes": 120, "points_per_hole": 1, "pegs": [peg, peg]}, "throw": None, "boxes": ()}
        moves = [{"line": line, "state": state, **beside} for line, state in zip(MIDGAME, states, strict=False)]
        whole = {"header": HEADER, "moves": moves, "players": self.players(), "game": self.games()[0]}
        return whole if game == 1 else None

    def players(self) -> dict[str, Tally]:
        return {"Ann": Tally(1, 1, 0, 2, 3, 2, 24, (1, 1, 0, 1, 3, 1)), "Ben": Tally(throws=1)}

    def fairness(self, dice: str | None) -> dict[str, Any]:
        throws = [(1, 2, 3, 4, 6, 6)] * 30
        return {"dice": dice or "", "sets": ["", "Blue"], **evidence_after(throws).view(), "course": course_of(throws)}


def with_a_past(folder: Path) -> AbstractContextManager[Pub]:
    """Open a pub with the past games of `PastGames` on a data folder."""
    return opened(folder, evening=PastGames(), review=True, advice=True, settings=True)


def phone(chromium: Any, address: str, size: str = "390x844", look: str = "dark", paired: bool = False) -> Any:
    """Return an empty page of a new phone; `errors` lists those of its scripts, `problems` also its console's."""
    width, height = SIZES[size]
    context = chromium.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    context.add_cookies([{"name": "look", "value": look, "url": address}])
    if paired:
        assert context.request.post(f"{address}/api/pair", data={"pin": PIN, "name": "Host"}, max_retries=RETRIES).ok
    page = context.new_page()
    page.errors, page.problems = [], []
    page.on("pageerror", lambda error: [told.append(str(error)) for told in (page.errors, page.problems)])
    page.on("console", lambda told: page.problems.append(told.text) if told.type == "error" else None)
    return page


def live(page: Any, address: str) -> None:
    page.goto(address)
    page.wait_for_selector('#live[data-live="yes"]')


def visit(chromium: Any, url: str, size: str = "390x844", look: str = "dark", paired: bool = False) -> Any:
    """Open a URL of a served pub on a new phone, and return the page once it is live."""
    page = phone(chromium, "/".join(url.split("/")[:3]), size, look, paired)
    live(page, url)
    return page


def newest(page: Any, pub: Pub) -> None:
    """Wait until a page shows the newest snapshot."""
    page.wait_for_selector(f'html[data-pulse="{pub.table.snapshot().pulse}"]', state="attached")


OVER = """(each, [x, y]) => {
  const hit = document.elementFromPoint(x, y);
  return hit === each ? "" : String(hit?.outerHTML);
}"""
"""JavaScript that returns what covers an element at a point of the window, as HTML; "" if nothing does."""


def tap_twice(page: Any, place: str) -> None:
    """Tap the element of a selector twice, 0.1 s apart by the time stamps of the events.

    Scrolls to the element first, and waits until nothing covers its middle.
    """
    element, session = page.locator(place), page.context.new_cdp_session(page)
    element.scroll_into_view_if_needed()
    middle, covers = (0.0, 0.0), ""

    def bare() -> bool:
        nonlocal middle, covers
        box = element.bounding_box()
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        covers = element.evaluate(OVER, middle)
        return not covers

    assert until(bare), f"{place} is covered by {covers[:200]}"
    at = {"x": middle[0], "y": middle[1], "button": "left", "clickCount": 1}
    now_s = time.time()
    for after_s in (0.0, 0.1):
        for kind in ("mousePressed", "mouseReleased"):
            session.send("Input.dispatchMouseEvent", {"type": kind, "timestamp": now_s + after_s, **at})
    session.detach()
