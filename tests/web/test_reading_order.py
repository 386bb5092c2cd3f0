"""The order in which a screen reader reads a page: whose turn and what to do first, then worth, scores, track, acts."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.web.injecting import FedPage
from tests.web.pub import Pub
from tests.web.scenes import among, scenes

pytestmark = pytest.mark.browser
SPOKEN = {
    "/": ("The turn", "heading", "Last:", "Players", "heading", "Ann", "Ben", "The track", "What happened"),
    "/control": ("The turn", "heading", "Last:", "Players", "Ann", "The track", "Control", "Undo", "More"),
    "/tv": ("The track", "The turn", "heading", "Last:", "Players", "heading", "Ann", "Ben"),
}
"""Words of the accessibility tree of a page in a turn, in their order."""


def read_out(page: Any) -> str:
    """Return the accessibility tree of a page's main part as indented lines: role, then name."""
    return str(page.locator("main").aria_snapshot())


@pytest.mark.parametrize("path", SPOKEN)
def test_accessibility_trees_of_scoreboard_control_and_tv_keep_reading_order(
    chromium: Any, site: tuple[str, Pub], path: str
) -> None:
    fed = FedPage(chromium, site[0], path, paired=path == "/control")
    fed.show(scenes(among("crib_dice", ("Ann", "Ben")))["deciding"])
    told, at = read_out(fed.page), 0
    assert re.search(r"listitem: Ben \d+ to go ?,[^,]*, \d+ ?, (leads|\d+ behind)", told), told
    for word in SPOKEN[path]:
        at = told.find(word, at) + len(word)
        assert at >= len(word), f"{word!r} is missing or out of order in\n{told}"
    assert not re.findall(r"^\s*- (?:img|button|link|heading)(?: \[.*\])?$", told, re.MULTILINE), told


@pytest.mark.parametrize("path", ["/", "/control"])
def test_screen_reader_says_result_once_and_scores_before_luck(chromium: Any, site: tuple[str, Pub], path: str) -> None:
    fed = FedPage(chromium, site[0], path, paired=path == "/control")
    fed.show(scenes(among("crib_dice", ("Ann", "Ben")))["over"])
    fed.page.evaluate("document.querySelector('#story').hidden = false")
    told = read_out(fed.page)
    assert told.count(" won by ") == 1, told
    assert -1 < told.find("Players") < told.find("The story of the game"), told
