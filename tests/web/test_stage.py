"""Pictures of the pub's screen while a moment holds the stage: its words and dice are there, the track stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.table.commands import StartGame
from tests.web.injecting import stop_clock
from tests.web.phones import live
from tests.web.pub import Pub, opened, play, served

pytestmark = pytest.mark.browser
OUT = Path(__file__).resolve().parents[2] / "out" / "evening"
SCREEN = {"width": 1280, "height": 720}
HELD_MS = 2000
ALIKE_LEVELS = 8.0
"""Largest mean difference, in grey levels, of two pictures of a place that shows the same."""
TOUCHED_LEVELS, PEGS_SHARE = 40, 0.04
"""A pixel has changed by this many levels; moving pegs change at most this share of the track."""

Picture = NDArray[np.uint8]
Line = dict[str, Any]
FIVES: list[Line] = [{"throw": [5, 5, 5, 2, 1, 4, 6]}, {"do": "point", "value": 5}]
ONES: list[Line] = [{"throw": [1, 1, 1, 1, 1, 1, 2]}, {"do": "point", "value": 1}]


class Moment(NamedTuple):
    """A moment: the game, its lines (the last one brings the moment about), and what the stage then says."""

    header: dict[str, Any]
    lines: list[Line]
    cried: str
    dice: str


MOMENTS = {
    "wipe-out": Moment({"game": "crib_dice"}, [*FIVES, {"throw": [2, 3, 4, 6]}],
                       "Wipe-out: 5\u00a0lost", "Dice: 2, 3, 4, 6"),
    "bomb": Moment({"game": "crib_dice", "rules": {"bomb": True}}, [*FIVES, {"do": "stop"}, *ONES, {"do": "bomb"}],
                   "Bomb!", "Dice: 1, 1, 1, 1, 1, 1, 2"),
    "crag": Moment({"game": "crag"}, [{"throw": [6, 6, 1]}, {"do": "score", "category": "crag"}],
                   "Crag! 50", "Dice: 1, 6, 6"),
}  # fmt: skip
AT_REST = "() => Promise.all(document.getAnimations().filter((one) => one.effect.getTiming().iterations < 9)\
.map((one) => one.finished)).then(() => null)"


class Box(NamedTuple):
    """A place on the page, in pixels."""

    x: float
    y: float
    width: float
    height: float

    def of(self, picture: Picture) -> NDArray[np.int16]:
        """Return what a picture shows there."""
        part = picture[int(self.y) : int(self.y + self.height), int(self.x) : int(self.x + self.width)]
        return part.astype(np.int16)

    def alike(self, one: Picture, other: Picture) -> bool:
        """Return whether two pictures show the same there."""
        return bool(np.abs(self.of(one) - self.of(other)).mean() < ALIKE_LEVELS)

    def apart(self, other: Box) -> bool:
        """Return whether the two share no pixel."""
        across = self.x + self.width <= other.x or other.x + other.width <= self.x
        return across or self.y + self.height <= other.y or other.y + other.height <= self.y


def pictured(page: Any, name: str) -> Picture:
    """Take a picture of the page once nothing moves on it, and leave it in out/evening."""
    page.evaluate(AT_REST)
    OUT.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(OUT / f"moment-{name}.png"))
    return np.asarray(cv2.imread(str(OUT / f"moment-{name}.png")), np.uint8)


def box_of(page: Any, place: str) -> Box:
    """Return where that element stands."""
    return Box(**page.locator(place).bounding_box())


def begun(pub: Pub, moment: Moment) -> None:
    """Play the game up to the last line."""
    pub.table.submit(StartGame(header={"transcript": 1, "players": ["Ann", "Ben", "Cid"], **moment.header}))
    play(pub, *moment.lines[:-1])


@pytest.mark.parametrize("name", MOMENTS)
def test_the_tv_page_shows_an_event_for_two_seconds_beside_the_track(chromium: Any, tmp_path: Path, name: str) -> None:
    moment = MOMENTS[name]
    with opened(tmp_path) as pub, served(pub) as address:
        begun(pub, moment)
        page = chromium.new_page(viewport=SCREEN)
        live(page, f"{address}/tv")
        stop_clock(page)
        before = pictured(page, f"{name}-before")
        play(pub, moment.lines[-1])
        page.wait_for_selector("#moment:not([hidden])")
        risen = pictured(page, f"{name}-begins")
        assert page.inner_text("#moment .cried") == moment.cried
        assert page.get_attribute("#moment .dice", "aria-label") == moment.dice
        parts, track = [box_of(page, f"#moment {part}") for part in (".cried", ".dice")], box_of(page, "#wood")
        page.clock.run_for(HELD_MS - 1)
        last = pictured(page, f"{name}-ends")
        page.clock.run_for(1)
        page.wait_for_selector("#moment", state="hidden")
        after = pictured(page, f"{name}-after")
    for part in parts:
        assert not part.alike(before, risen)
        assert part.alike(risen, last)
        assert not part.alike(last, after)
        assert part.apart(track)
    for picture in (before, risen, last):
        changed = np.abs(track.of(picture) - track.of(after)).max(axis=2) > TOUCHED_LEVELS
        assert changed.mean() < PEGS_SHARE
