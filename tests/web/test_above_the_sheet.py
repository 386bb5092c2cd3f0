"""The part of a page above a phone's sheet of buttons: no score is cut, and the usual game shows all scores."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from companion.games.registry import GAMES
from tests.web.injecting import FedPage
from tests.web.measuring import ON_ITS_SIDE, PHONE, SCREEN
from tests.web.scenes import NAMES, among, scenes

pytestmark = pytest.mark.browser
MOMENTS = ("begun", "deciding", "throwing", "taught throwing")
LINES = """() => { const edge = document.getElementById("sheet").getBoundingClientRect().top;
  const lines = [...document.querySelectorAll(".last, .lead, .player")].filter((each) => each.checkVisibility());
  return lines.map((each) => {
    const { top, bottom } = each.getBoundingClientRect();
    return { kind: each.className, shown: each.checkVisibility({ opacityProperty: true }), above: bottom <= edge,
      below: top >= edge }; }); }"""
"""Script that returns for each line of the scores whether it is shown, and whether it ends above the sheet."""


@pytest.mark.parametrize("size", [PHONE, (360, 640)], ids=str)
@pytest.mark.parametrize("game", GAMES)
def test_the_action_sheet_on_a_phone_hides_a_score_line_fully_or_not_at_all(
    fed_page: Callable[..., FedPage], game: str, size: tuple[int, int]
) -> None:
    fed = fed_page("/control", size, paired=True)
    shown = scenes(among(game, ("Ann", "Ben", NAMES[0])))
    for moment in MOMENTS:
        fed.show(shown[moment])
        for top in (0, 37, 90):
            fed.page.evaluate("(top) => scrollTo(0, top)", top)
            fed.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            lines = fed.page.evaluate(LINES)
            assert lines
            assert [each for each in lines if each["shown"] and not each["above"] and not each["below"]] == [], moment
    assert fed.problems == []


@pytest.mark.parametrize("game", ["crib_dice", "crapola"])
def test_phone_control_page_shows_the_scores_of_three_players_above_its_action_buttons(
    fed_page: Callable[..., FedPage], game: str
) -> None:
    fed = fed_page("/control", PHONE, paired=True)
    shown = scenes(among(game, ("Ann", "Ben", "Cleo")))
    for moment in ("begun", "throwing"):
        fed.show(msgspec.structs.replace(shown[moment], question=None))
        lines = fed.page.evaluate(LINES)
        players = [each for each in lines if "player" in each["kind"].split()]
        assert len(players) == 3, moment
        assert [each["kind"] for each in lines if not (each["shown"] and each["above"])] == [], moment


@pytest.mark.parametrize("path", ["/tray", "/control"])
def test_on_a_wide_screen_the_tray_and_control_pages_show_all_three_players(
    fed_page: Callable[..., FedPage], path: str
) -> None:
    shown = scenes(among("crib_dice", ("Ann", "Ben", "Cleo")))
    for size in (SCREEN, ON_ITS_SIDE):
        fed = fed_page(path, size, paired=True)
        for moment in MOMENTS:
            fed.show(shown[moment])
            assert fed.page.locator(".player:visible").count() == 3, (moment, size)
            assert fed.page.locator(".player.under").count() == 0, (moment, size)


@pytest.mark.parametrize("path", ["/", "/control"])
@pytest.mark.parametrize("game", GAMES)
def test_stage_of_home_and_control_pages_ends_within_the_screen_of_a_landscape_phone(
    fed_page: Callable[..., FedPage], game: str, path: str
) -> None:
    fed = fed_page(path, ON_ITS_SIDE, "de", paired=path == "/control")
    for moment, snapshot in scenes(among(game, ("Ann", "Ben", "Cleo"))).items():
        fed.show(snapshot)
        box = fed.page.locator(".stage").bounding_box()
        assert box is not None, f"{moment}: it is hidden"
        assert box["height"] > 0, moment
        assert box["y"] + box["height"] <= ON_ITS_SIDE[1], moment
    assert fed.problems == []


def test_the_tray_page_on_a_landscape_phone_shows_the_game_notice_only_once_and_the_tray_at_the_top(
    fed_page: Callable[..., FedPage],
) -> None:
    fed = fed_page("/tray", ON_ITS_SIDE, paired=True)
    fed.show(scenes(among("crib_dice", ("Ann", "Ben")))["noticed"])
    told = fed.page.locator("#notice, #tray-notice").locator("visible=true")
    assert told.count() == 1
    panel, tray = (fed.page.locator(each).bounding_box() for each in (".at-hand", "#tray"))
    assert tray["y"] - panel["y"] <= 20
