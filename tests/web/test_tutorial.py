"""The tutorial: a game of each kind explains itself as it goes, in one place that covers nothing and moves nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion.games.registry import GAMES
from companion.table.commands import StartGame
from companion.table.snapshot import Snapshot
from tests.web.injecting import FedPage
from tests.web.measuring import PHONE, SCREEN
from tests.web.phones import live, newest, phone
from tests.web.pub import HEADER, Pub, opened, play_one, play_out, served
from web.catalogue import LANGUAGES

pytestmark = pytest.mark.browser
SHORT = {"target": 2000, "entry": 0}
PLACE = """() => {
  const lesson = document.getElementById("notice"), box = lesson.getBoundingClientRect();
  const others = [...document.querySelectorAll("#sheet, button, summary, .dice, #can")].filter((each) =>
    each.checkVisibility() && !each.closest(".moment")).map((each) => each.getBoundingClientRect());
  const meets = (other) => other.left < box.right - 1 && other.right > box.left + 1
    && other.top < box.bottom - 1 && other.bottom > box.top + 1;
  return { height: Math.round(box.height), words: lesson.textContent, taught: lesson.classList.contains("taught"),
    cut: lesson.scrollHeight > lesson.clientHeight + 1, meets: others.filter(meets).length }; }"""
"""Where the lesson stands, what it says, and how many buttons, dice and sentences it touches."""
PLACES = f"""async (json) => {{ const place = {PLACE}, places = [];
  for (const snapshot of JSON.parse(json)) {{ await show(snapshot, false); places.push(place()); }}
  return places; }}"""
"""Script that draws the snapshots of a JSON list one after another, and returns the place of the lesson in each."""


def opened_page(chromium: Any, address: str, language: str, path: str, size: tuple[int, int]) -> Any:
    """Return a page in a language and window size that shows the newest snapshot."""
    page = phone(chromium, address, paired=path == "/control")
    page.context.add_cookies([{"name": "lang", "value": language, "url": address}])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    live(page, address + path)
    return page


def place_of(page: Any, pub: Pub) -> dict[str, Any]:
    """Where the lesson stands once the page shows the newest snapshot."""
    newest(page, pub)
    return dict(page.evaluate(PLACE))


def lines_of(pub: Pub) -> Iterator[Snapshot]:
    """Play a game to its end by the rule of thumb with seeded dice; yield the snapshot after each line."""
    dice = random.Random(3)
    while not pub.state()["over"]:
        yield pub.table.snapshot()
        play_one(pub, dice)
    yield pub.table.snapshot()


def fullest(going: list[Snapshot]) -> list[Snapshot]:
    """Return one snapshot for each text that a lesson may have: the one with the longest numbers and names in it."""
    said: dict[tuple[str, ...], Snapshot] = {}
    for snapshot in sorted(going, key=lambda each: len(msgspec.json.encode(each.panels.lesson))):
        said[tuple(phrase.code for phrase in snapshot.panels.lesson)] = snapshot
    return list(said.values())


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """Play each game with lessons; return its fullest snapshots and its last one, each as a JSON list, by game."""
    played = {}
    for game, rules_of in GAMES.items():
        switches = {each.key for each in rules_of.switches}
        rules = {key: value for key, value in SHORT.items() if key in switches}
        with opened(tmp_path_factory.mktemp(game)) as pub:
            pub.table.submit(StartGame(header={**HEADER, "game": game, "rules": rules}, terms={"lessons": True}))
            *going, over = list(lines_of(pub))
        assert all(snapshot.panels.lesson for snapshot in going)
        each_lesson, the_end = (msgspec.json.encode(shown).decode() for shown in (fullest(going), [over]))
        played[game] = each_lesson, the_end
    return played


@pytest.mark.slow
@pytest.mark.parametrize(("path", "size"), [("/control", PHONE), ("/tv", SCREEN)])
def test_tutorial_lessons_all_fit_uncut_in_an_area_of_one_height_on_phone_and_tv(
    chromium: Any, address: str, games: dict[str, tuple[str, str]], path: str, size: tuple[int, int]
) -> None:
    for language in LANGUAGES:
        fed = FedPage(chromium, address, path, language, paired=path == "/control")
        fed.page.set_viewport_size({"width": size[0], "height": size[1]})
        for game, (each_lesson, the_end) in games.items():
            places = fed.page.evaluate(PLACES, each_lesson)
            wrong = [place for place in places if not place["taught"] or place["cut"] or place["meets"]]
            assert wrong == [], (game, language)
            assert len({place["height"] for place in places}) == 1, (game, language)
            assert len({place["words"] for place in places}) == len(places) > 5, (game, language)
            (ended,) = fed.page.evaluate(PLACES, the_end)
            assert not ended["taught"], "a game that is over says who won"
        assert fed.problems == []
        fed.close()


def test_a_phone_can_override_the_games_tutorial_lessons_setting_both_ways(
    chromium: Any, pub: Pub, address: str
) -> None:
    pub.table.submit(StartGame(header=HEADER, terms={"lessons": True}))
    page, other = (opened_page(chromium, address, "en", "/", PHONE) for _ in range(2))
    assert place_of(page, pub)["taught"]
    page.click(".menu > summary")
    page.select_option("#lessons", "off")
    page.wait_for_function("() => !document.getElementById('notice').classList.contains('taught')")
    assert place_of(other, pub)["taught"]
    pub.table.submit(StartGame(header=HEADER))
    page.click(".menu > summary")
    page.select_option("#lessons", "on")
    page.wait_for_selector("#notice.taught")
    assert place_of(page, pub)["words"].startswith("Throw all seven")


def test_new_game_form_preselects_the_tutorial_only_for_an_unplayed_game(chromium: Any, tmp_path: Path) -> None:
    """A choice made by hand stays when another game is picked."""
    with opened(tmp_path, evening=True) as pub, served(pub) as address:
        pub.table.submit(StartGame(header={**HEADER, "game": "crapola", "rules": {"target": 1, "entry": 0}}))
        play_out(pub, random.Random(3))
        page = opened_page(chromium, address, "en", "/control", PHONE)
        page.click("#big [data-key='new']")
        page.wait_for_selector("#new-lessons:not(:checked)")
        page.check("[name='new-game'][value='crag']")
        assert page.is_checked("#new-lessons")
        page.uncheck("#new-lessons")
        page.check("[name='new-game'][value='crib_dice']")
        assert not page.is_checked("#new-lessons")
        page.check("#new-lessons")
        for seat, name in enumerate(("Ann", "Ben")):
            page.fill(f'dialog input[data-key="seat-{seat}"]', name)
        page.click('dialog button:text-is("Begin")')
        page.wait_for_selector("#notice.taught")
        assert pub.table.snapshot().terms.lessons
