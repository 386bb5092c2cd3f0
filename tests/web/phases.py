"""Photograph every phase of the three games, on a phone and on the pub's screen: the pictures of a three-second round.

`python -m tests.web.phases FOLDER [PHASE...]` plays scripted games on a real table and writes NAME-phone.png and
NAME-tv.png for each phase; the word `lessons` has the games explain themselves. Photos of the tray are drawn and show
the dice that were thrown.
"""

from __future__ import annotations

import io
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from PIL import Image, ImageDraw

from companion.table.commands import Answer, BotAwaits, BotDecides, NoteMotion, Observe, PlayLine, StartGame
from companion.table.photos import Photos
from tests.conftest import chromium_browser
from tests.waiting import RETRIES
from tests.web.pub import PIN, Pub, observation, opened, served

VIEWS = {"phone": ("/control", 390, 844), "tv": ("/tv", 1280, 720)}
PIPS = {1: "5", 2: "19", 3: "159", 4: "1379", 5: "13579", 6: "134679"}
"""Places of the pips on a grid of three by three, numbered as the keys of a telephone."""


PX_PER_MM = 4
"""Scale of the picture: 1280 pixels for a tray of 320 mm."""

Lying = list[tuple[int, tuple[int, int, float]]]
"""Dice in the picture: each one's value and place, as x, y and degrees."""


def scattered(values: Sequence[int], seed: float) -> Lying:
    """Return dice as they lie after a throw; another seed gives other places."""
    at_random = random.Random(seed)
    return [
        (value, (100 + 165 * at, at_random.randrange(160, 480), at_random.uniform(0, 90)))
        for at, value in enumerate(values)
    ]


def tray_jpeg(thrown: Lying, kept: Sequence[int]) -> bytes:
    """Draw a tray from above with those dice: the thrown ones where they lie, the kept ones in a row below."""
    tray = Image.new("RGB", (1280, 960), (34, 84, 62))
    ImageDraw.Draw(tray).rectangle((0, 720, 1280, 732), fill=(70, 44, 22))
    for value, (left, top, turned) in [*thrown, *((each, (120 + 150 * at, 780, 0.0)) for at, each in enumerate(kept))]:
        die = Image.new("RGBA", (110, 110), (0, 0, 0, 0))
        pen = ImageDraw.Draw(die)
        pen.rounded_rectangle((3, 3, 107, 107), 20, fill=(244, 236, 215))
        for place in PIPS[value]:
            row, column = divmod(int(place) - 1, 3)
            x, y = 25 + 30 * column, 25 + 30 * row
            pen.ellipse((x - 11, y - 11, x + 11, y + 11), fill=(28, 21, 16))
        turned_die = die.rotate(turned, Image.Resampling.BICUBIC, expand=True)
        tray.paste(turned_die, (left, top), turned_die)
    jpeg = io.BytesIO()
    tray.save(jpeg, "JPEG", quality=85)
    return jpeg.getvalue()


class Evening:
    """A table, and the hands that play the script on it."""

    def __init__(self, pub: Pub, lessons: bool = False) -> None:
        self.pub, self.at_s, self.lessons = pub, 100.0, lessons
        self.thrown, self.kept = Lying(), list[int]()

    def begin(self, game: str, players: Sequence[str] = ("Ann", "Ben", "Cleo"), **more: Any) -> None:
        """Begin a game; the tray is empty."""
        terms = {**more.pop("terms", {}), **({"lessons": True} if self.lessons else {})}
        header = {"transcript": 1, "game": game, "players": list(players), **more}
        self.pub.table.submit(StartGame(header=header, terms=terms))
        self.see([])

    def see(self, thrown: Sequence[int], kept: Sequence[int] = (), doubt: str | None = None) -> None:
        """Throw those dice beside the kept ones, and let the camera see them at rest."""
        self.thrown, self.kept = scattered(thrown, self.at_s), list(kept)
        self._observe(emptied=True, doubt=doubt)

    def set_aside(self, value: int) -> None:
        """Move all dice of a value to the keep zone; the others stay where they lie."""
        self.kept += [each for each, _ in self.thrown if each == value]
        self.thrown = [(each, place) for each, place in self.thrown if each != value]
        self._observe(emptied=False)

    def _observe(self, *, emptied: bool, doubt: str | None = None) -> None:
        self.at_s += 17
        seen = observation([value for value, _ in self.thrown], self.kept, doubt, self.at_s).observation
        lying = [
            msgspec.structs.replace(die, x_mm=x / PX_PER_MM, y_mm=y / PX_PER_MM, box_xywh=(x, y, 145, 145))
            for die, (_, (x, y, _)) in zip(seen.thrown, self.thrown, strict=True)
        ]
        photo = tray_jpeg(self.thrown, self.kept)
        seen = msgspec.structs.replace(seen, thrown=tuple(lying), photo_jpeg=photo, emptied=emptied)
        self.pub.table.submit(Observe(seen))

    def play(self, **line: Any) -> None:
        """Play a line by phone."""
        self.pub.table.submit(PlayLine(number=self.pub.table.snapshot().number, line=line))

    def turn(self, dice: Sequence[int], *lines: dict[str, Any]) -> None:
        """Throw those dice, then play those lines."""
        self.see(dice)
        for line in lines:
            self.play(**line)
        self.see([])

    def answer(self, values: tuple[int, ...] | None) -> None:
        """Answer the open question."""
        question = self.pub.table.snapshot().question
        assert question is not None
        self.pub.table.submit(Answer(question=question.id, values=values))


def crib_dice(evening: Evening) -> Iterator[str]:
    """Play Crib Dice through its phases."""
    yield "idle"
    evening.begin("crib_dice")
    yield "begun"
    evening.pub.table.submit(NoteMotion())
    yield "rolling"
    evening.see([4, 4, 4, 2, 1, 6, 6])
    yield "point"
    evening.set_aside(4)
    yield "kept"
    evening.see([])
    evening.see([4, 1, 2, 6], [4, 4, 4])
    yield "more"
    evening.set_aside(4)
    evening.play(do="stop")
    evening.see([])
    yield "next"
    evening.turn([6, 6, 6, 6, 1, 2, 3], {"do": "point", "value": 6}, {"do": "stop"})
    evening.see([5, 5, 2, 3, 1, 4, 6])
    evening.set_aside(5)
    evening.see([2, 3, 3, 4, 6], [5, 5])
    yield "wiped-out"
    evening.see([])
    evening.see([3, 3, 5, 5, 1, 2, 6], doubt="disagree")
    yield "which-die"
    evening.answer((3, 3, 5, 5, 1, 2, 6))
    evening.play(do="point", value=5)
    evening.see([])
    evening.see([5, 1, 2, 3], [5, 5])
    yield "miscounted"
    evening.answer((5, 5, 5, 1, 2))
    evening.see([1, 2], [5, 5, 5, 5, 5])
    yield "rollover"


def crib_dice_end(evening: Evening) -> Iterator[str]:
    """Play Crib Dice to its end."""
    evening.begin("crib_dice", ("Ann", "Ben"))
    for _ in range(5):
        evening.turn([6, 6, 6, 6, 6, 2, 3], {"do": "point", "value": 6}, {"do": "stop"})
        evening.turn([5, 5, 5, 5, 1, 2, 3], {"do": "point", "value": 5}, {"do": "stop"})
    yield "late"
    for _ in range(2):
        evening.turn([6, 6, 6, 6, 6, 2, 3], {"do": "point", "value": 6}, {"do": "stop"})
        evening.turn([5, 5, 5, 5, 1, 2, 3], {"do": "point", "value": 5}, {"do": "stop"})
    yield "over"


def house(evening: Evening) -> Iterator[str]:
    """Play against the computer."""
    evening.begin("crapola", ("Ann", "House"), terms={"house": {"player": "House", "level": "steady"}})
    evening.turn([1, 1, 1, 2, 3, 4], {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"})
    table = evening.pub.table
    table.submit(BotAwaits(number=table.snapshot().number, dice=6))
    yield "throw-for-house"
    evening.see([1, 5, 2, 2, 3, 6])
    yield "house-thinks"
    table.submit(BotDecides(number=table.snapshot().number, line={"do": "keep", "dice": [1, 5]}))
    table.submit(BotAwaits(number=table.snapshot().number, dice=4))
    yield "house-goes-on"


def crag(evening: Evening) -> Iterator[str]:
    """Play Crag."""
    evening.begin("crag", ("Ann", "Ben", "Cleo"))
    yield "begun"
    evening.see([6, 6, 2])
    yield "choose"
    evening.set_aside(6)
    evening.see([1], [6, 6])
    yield "second"
    evening.play(do="score", category="crag")
    yield "scored"
    evening.see([])
    evening.turn([5, 4, 4], {"do": "score", "category": "thirteen"})
    evening.turn([1, 2, 3], {"do": "score", "category": "low_straight"})
    for category in ("sixes", "fives", "fours", "threes", "twos", "ones"):
        for _ in range(3):
            evening.turn([6, 4, 3], {"do": "score", "category": category})
    yield "late"
    rows = ["odd_straight", "even_straight", "low_straight", "high_straight", "three_of_a_kind", "thirteen", "crag"]
    for _ in range(3):
        for _ in range(7):
            open_rows = [each for each in evening.pub.table.snapshot().options if each.get("do") == "score"]
            if evening.pub.state()["over"]:
                break
            evening.see([6, 4, 3])
            open_rows = [each for each in evening.pub.table.snapshot().options if each.get("do") == "score"]
            evening.play(do="score", category=next(r for r in rows if {"do": "score", "category": r} in open_rows))
            evening.see([])
    yield "over"


def crapola(evening: Evening) -> Iterator[str]:
    """Play Crapola."""
    evening.begin("crapola", ("Ann", "Ben"), rules={"target": 3000})
    yield "begun"
    evening.see([1, 1, 1, 5, 2, 3])
    yield "keep"
    evening.play(do="keep", dice=[1, 1, 1])
    yield "bank-or-throw"
    evening.see([2, 3, 4], [1, 1, 1])
    yield "crapped-out"
    evening.see([])
    evening.turn([1, 1, 1, 5, 2, 3], {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"})
    evening.see([1, 5, 1, 5, 1, 5])
    evening.play(do="keep", dice=[1, 1, 1, 5, 5, 5])
    yield "hot-dice"
    evening.play(do="stop")
    evening.see([])
    for _ in range(6):
        if evening.pub.state()["over"]:
            break
        evening.turn([1, 1, 1, 1, 2, 3], {"do": "keep", "dice": [1, 1, 1, 1]}, {"do": "stop"})
        if any("last_round" in str(event) for event in evening.pub.table.snapshot().events):
            yield "last-round"
            break
    for _ in range(3):
        if not evening.pub.state()["over"]:
            evening.turn([2, 3, 3, 4, 6, 6])
    yield "over"


SCRIPTS = {"crib": crib_dice, "crib-end": crib_dice_end, "house": house, "crag": crag, "crapola": crapola}


def main(folder: Path, only: Sequence[str]) -> None:
    """Play every script and photograph each phase in each view; the word `lessons` has the games explain themselves."""
    lessons = "lessons" in only
    only = [name for name in only if name != "lessons"]
    folder.mkdir(parents=True, exist_ok=True)
    with chromium_browser() as browser:
        for name, script in SCRIPTS.items():
            if only and name not in only:
                continue
            with tempfile.TemporaryDirectory() as kept:
                photograph(browser, Path(kept), name, script, folder, lessons)


def photograph(browser: Any, kept: Path, name: str, script: Any, folder: Path, lessons: bool = False) -> None:
    """Play one script on a table of its own."""
    having: dict[str, Any] = {"evening": True, "advice": True, "photos": Photos(kept)}
    with opened(kept, name="The Plough Inn", **having) as pub, served(pub) as address:
        pages = {}
        for view, (path, width, height) in VIEWS.items():
            context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
            if view == "phone":
                assert context.request.post(
                    f"{address}/api/pair", data={"pin": PIN, "name": "Ann"}, max_retries=RETRIES
                ).ok
                pub.make_owners()
            pages[view] = context.new_page()
            pages[view].goto(address + path)
            pages[view].wait_for_selector('#live[data-live="yes"]')
        for at, phase in enumerate(script(Evening(pub, lessons))):
            number = pub.table.snapshot().pulse
            for view, page in pages.items():
                page.wait_for_function("(n) => Number(document.documentElement.dataset.pulse ?? 1e9) >= n", arg=number)
                page.wait_for_timeout(2500)
                page.screenshot(path=str(folder / f"{name}-{at:02d}-{phase}-{view}.png"))
        for page in pages.values():
            page.context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
