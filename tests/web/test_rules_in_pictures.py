"""The help page tells the rules of a game in pictures, on two screens of a phone at most, in the reader's language."""

from __future__ import annotations

import re
from typing import Any

import pytest

from companion.games.registry import GAMES
from tests.web.accessibility import violations
from tests.web.phones import live, phone
from tests.web.pub import Pub
from web.catalogue import LANGUAGES, say

pytestmark = pytest.mark.browser
SCREENS = 2
HEIGHT_PX = 844


@pytest.mark.parametrize("language", LANGUAGES)
def test_illustrated_rules_of_each_game_on_the_help_page_fit_two_phone_screens(
    chromium: Any, pub: Pub, language: str, address: str
) -> None:
    page = phone(chromium, address)
    page.context.add_cookies([{"name": "lang", "value": language, "url": address}])
    live(page, f"{address}/help")
    for game in GAMES:
        page.click(f"#rules-{game} > summary")
        rules = page.locator(f"#rules-{game} .pictured")
        assert rules.bounding_box()["height"] <= SCREENS * HEIGHT_PX
        assert rules.locator(".die").count() >= 14
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(page) == []
    assert page.problems == []


def test_help_page_rule_text_fills_80_percent_of_its_row_at_320_px(chromium: Any, pub: Pub, address: str) -> None:
    page = phone(chromium, address)
    page.set_viewport_size({"width": 320, "height": 640})
    live(page, f"{address}/help")
    page.click("#rules-crib_dice > summary")
    row = page.locator("#rules-crib_dice .pictured > li").first
    assert row.locator("> span").last.bounding_box()["width"] >= 0.8 * row.bounding_box()["width"]


def test_the_help_page_tells_guests_how_to_join_and_the_rules_before_all_else(pub: Pub) -> None:
    told = pub.stranger().get("/help").text
    titles = [say("en", f"help.{title}") for title in ("join", "rules", "words", "strategy", "health", "credits")]
    assert re.findall(r"<h1>(.*?)</h1>", told) == titles
