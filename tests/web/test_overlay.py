"""The overlay for a video: transparent, with the score and the dice of the game that is on."""

from __future__ import annotations

from typing import Any

import pytest

from companion.table.commands import StartGame
from tests.waiting import until
from tests.web.accessibility import violations
from tests.web.phones import MIDGAME, phone
from tests.web.pub import HEADER, Pub, play

pytestmark = pytest.mark.browser


@pytest.fixture
def pub(past: Pub) -> Pub:
    return past


def test_video_overlay_page_is_transparent_and_shows_scores_and_dice(chromium: Any, pub: Pub, address: str) -> None:
    page = phone(chromium, address)
    page.goto(address + "/overlay")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgba(0, 0, 0, 0)"
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *MIDGAME)
    snapshot = pub.table.snapshot()
    assert until(lambda: page.locator("#sides li").count() == len(snapshot.sides))
    told = "".join(f"{side.name}{side.score}" for side in snapshot.sides)
    assert until(lambda: "".join(page.inner_text("#sides").split()) == told)
    assert until(lambda: page.locator("#dice .die").count() == len(snapshot.panels.dice + snapshot.panels.kept))
    assert violations(page) == []
    assert page.problems == []
