"""The house speaks: on the pub's screen until play goes on, and in a quiet line on the players' phones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.table.commands import NoteMotion
from tests.web.every_part import IdleHouse
from tests.web.measuring import MEASURING, SCREEN, SCREENS_SHARE
from tests.web.phones import live, phone, visit
from tests.web.pub import opened, play, served
from tests.web.scenes import NAMES
from web.catalogue import LANGUAGES

pytestmark = pytest.mark.browser
MISTAKE: list[dict[str, Any]] = [{"throw": [6, 6, 6, 6, 2, 2, 1]}, {"do": "point", "value": 2}]


@pytest.mark.parametrize("language", LANGUAGES)
def test_tv_page_shows_a_remark_on_a_players_mistake_until_dice_in_the_tray_move(
    chromium: Any, tmp_path: Path, language: str
) -> None:
    with opened(tmp_path, name=NAMES[3], house=IdleHouse()) as pub, served(pub) as address:
        pub.start(players=[NAMES[0], NAMES[1]])
        page = phone(chromium, address)
        page.context.add_cookies([{"name": "lang", "value": language, "url": address}])
        page.set_viewport_size({"width": SCREEN[0], "height": SCREEN[1]})
        live(page, f"{address}/tv")
        page.clock.install()
        play(pub, *MISTAKE)
        page.wait_for_selector("#moment:not([hidden]) .quip")
        assert NAMES[0] in page.inner_text("#moment .quip").replace("\u2068", "").replace("\u2069", "")
        assert page.inner_text("#moment .whose") == NAMES[3]
        page.evaluate(f"{MEASURING}\nnull")
        assert page.evaluate("(smallest_px) => faults(smallest_px)", SCREENS_SHARE * SCREEN[1]) == []
        pub.table.submit(NoteMotion())
        page.wait_for_selector("#moment", state="hidden")
        assert page.problems == []


def test_control_page_shows_a_bots_remark_in_a_box_of_fixed_height_until_an_undo(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, name="The Plough", house=IdleHouse()) as pub, served(pub) as address:
        pub.start(players=["Ann", "Ben"])
        page = visit(chromium, f"{address}/control", paired=True)
        place = page.locator("#aside")
        high = place.bounding_box()["height"]
        assert page.inner_text("#aside") == ""
        play(pub, *MISTAKE)
        page.wait_for_selector("#aside b")
        said = page.inner_text("#aside")
        assert said.startswith("The Plough: ")
        assert "Ann" in said
        pub.table.submit(NoteMotion())
        page.wait_for_selector('#phase[data-phase="settling"]', state="attached")
        assert page.inner_text("#aside") == said, "the remark stays until the house makes another"
        assert place.bounding_box()["height"] == high
        play(pub, {"undo": 1})
        page.wait_for_selector("#aside:empty", state="attached")
        assert page.problems == []
