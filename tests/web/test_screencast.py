"""Moments filmed from the pub's screen: what happened and its dice are seen for two seconds, beside the track."""

from __future__ import annotations

import base64
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.table.commands import StartGame
from tests.web.pub import Pub, opened, play, served

pytestmark = [pytest.mark.browser, pytest.mark.evening]
OUT = Path(__file__).resolve().parents[2] / "out" / "evening"
SCREEN = {"width": 1280, "height": 720}
RISEN_MS, CALM_MS = 900, 700
"""After the one the words stand where they stay; within the other all is as it was."""
SEEN_S, LATEST_S = 1.8, 2.8
RISING_S = 0.4
"""The words come up for so long before they stand."""
ALIKE_LEVELS = 8.0
"""Two pictures of one place differ by no more, on average, where they show the same."""
TOUCHED_LEVELS, PEGS_SHARE = 40, 0.04
"""A pixel has changed by that many levels; pegs that move change that much of the track at most."""

Picture = NDArray[np.uint8]
Line = dict[str, Any]
FIVES: list[Line] = [{"throw": [5, 5, 5, 2, 1, 4, 6]}, {"do": "point", "value": 5}]
ONES: list[Line] = [{"throw": [1, 1, 1, 1, 1, 1, 2]}, {"do": "point", "value": 1}]


class Moment(NamedTuple):
    """What brings it about, the last line alone, and what is to be read then."""

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


PLACES = ("#wood", "#moment", "#moment .cried", "#moment .dice")
WATCH = """([places, risen_ms]) => { window.gone = new Promise((done) => {
  const find = (place) => document.querySelector(place), box = find("#moment");
  const boxOf = (place) => { const { x, y, width, height } = find(place).getBoundingClientRect();
    return [place, { x, y, width, height }]; };
  let told = null;
  const look = () => { told = { cried: find("#moment .cried").textContent,
    dice: find("#moment .dice").getAttribute("aria-label"), boxes: Object.fromEntries(places.map(boxOf)) }; };
  new MutationObserver(() => { if (!box.hidden) setTimeout(look, risen_ms); else if (told) done(told); })
    .observe(box, { attributes: true, attributeFilter: ["hidden"] });
}); return null; }"""
"""Tells at the end of a moment what was read in it, and where it stood."""
TICKING = """() => { const tick = document.body.appendChild(document.createElement("i")), at = performance.now();
  Object.assign(tick.style, { position: "fixed", right: 0, bottom: 0, width: "2px", height: "2px" });
  setInterval(() => { tick.style.background = `rgb(${Math.round((performance.now() - at) / 100) % 256} 0 0)`; }, 100);
}"""
"""Something always changes: a busy Chromium may leave out a frame, and a page at rest would have no next one."""


class Frame(NamedTuple):
    """A picture of the page, and since when it was on the screen."""

    at_s: float
    picture: Picture


class Box(NamedTuple):
    """A place on the page, in pixels."""

    x: float
    y: float
    width: float
    height: float

    def of(self, picture: Picture) -> NDArray[np.int16]:
        """What a picture shows there."""
        part = picture[int(self.y) : int(self.y + self.height), int(self.x) : int(self.x + self.width)]
        return part.astype(np.int16)

    def apart(self, other: Box) -> bool:
        """Whether the two share no pixel."""
        across = self.x + self.width <= other.x or other.x + other.width <= self.x
        return across or self.y + self.height <= other.y or other.y + other.height <= self.y


def filmed(page: Any, act: Callable[[], None]) -> list[Frame]:
    """Every picture that the page shows while that is done, as Chromium's screencast tells it."""
    told: list[dict[str, Any]] = []
    session = page.context.new_cdp_session(page)

    def taken(frame: dict[str, Any]) -> None:
        told.append(frame)
        session.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

    session.on("Page.screencastFrame", taken)
    session.send("Page.startScreencast", {"format": "jpeg", "quality": 90, "everyNthFrame": 1})
    act()
    session.remove_listener("Page.screencastFrame", taken)
    session.send("Page.stopScreencast")
    return sorted((frame_of(each) for each in told), key=lambda frame: frame.at_s)


def frame_of(told: dict[str, Any]) -> Frame:
    """A frame as Chromium tells it."""
    picture = cv2.imdecode(np.frombuffer(base64.b64decode(told["data"]), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return Frame(told["metadata"]["timestamp"], picture.astype(np.uint8))


def seen_s(frames: list[Frame], box: Box, like: Picture) -> float:
    """For how long the frames show there what that picture shows."""
    alike = [bool(np.abs(box.of(frame.picture) - box.of(like)).mean() < ALIKE_LEVELS) for frame in frames]
    assert not alike[0], "not shown before it happens"
    assert not alike[-1], "gone in the end"
    return sum(later.at_s - frame.at_s for (frame, later), same in zip(pairwise(frames), alike, strict=False) if same)


def keep(name: str, frames: list[Frame]) -> None:
    """Leave what there is to look at: the first and the last frame, and what was on the screen in between."""
    OUT.mkdir(parents=True, exist_ok=True)
    for tenth in range(11):
        at_s = frames[0].at_s + (frames[-1].at_s - frames[0].at_s) * tenth / 10
        shown = [frame for frame in frames if frame.at_s <= at_s + 1e-6][-1]
        cv2.imwrite(str(OUT / f"moment-{name}-{tenth:02}.png"), shown.picture)


def begun(pub: Pub, moment: Moment) -> None:
    """The game as it stands before the last line."""
    pub.table.submit(StartGame(header={"transcript": 1, "players": ["Ann", "Ben", "Cid"], **moment.header}))
    play(pub, *moment.lines[:-1])


@pytest.mark.parametrize("name", MOMENTS)
def test_a_moment_is_seen_for_two_seconds_beside_the_track(chromium: Any, tmp_path: Path, name: str) -> None:
    moment = MOMENTS[name]
    with opened(tmp_path) as pub, served(pub) as address:
        begun(pub, moment)
        page = chromium.new_page(viewport=SCREEN)
        page.goto(f"{address}/tv")
        page.wait_for_selector('#live[data-live="yes"]')
        page.evaluate(TICKING)
        page.evaluate(WATCH, [PLACES, RISEN_MS])
        told: dict[str, Any] = {}

        def happens() -> None:
            page.wait_for_timeout(CALM_MS)
            play(pub, moment.lines[-1])
            told.update(page.evaluate("window.gone"))
            page.wait_for_timeout(CALM_MS)

        frames = filmed(page, happens)
        page.close()
    assert (told["cried"], told["dice"]) == (moment.cried, moment.dice)
    places = {place: Box(**box) for place, box in told["boxes"].items()}
    keep(name, frames)
    risen = [frame for frame in frames if frame.at_s <= frames[-1].at_s - CALM_MS / 1000 - SEEN_S / 2][-1].picture
    words_s, dice_s = (seen_s(frames, places[f"#moment {part}"], risen) for part in (".cried", ".dice"))
    print(f"{name}: the dice seen for {dice_s:.2f} s, the words at rest for {words_s:.2f} s, {len(frames)} frames")
    assert SEEN_S <= dice_s <= LATEST_S
    assert SEEN_S - RISING_S <= words_s <= LATEST_S
    track = places["#wood"]
    assert track.apart(places["#moment"])
    for frame in frames:
        changed = np.abs(track.of(frame.picture) - track.of(frames[-1].picture)).max(axis=2) > TOUCHED_LEVELS
        assert changed.mean() < PEGS_SHARE
