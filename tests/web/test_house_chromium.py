"""A game against the house in real Chromium, from the form to the story: a person throws for both."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.bots.player import BotPlayer
from companion.table.commands import StartGame
from tests.waiting import until
from tests.web.accessibility import violations
from tests.web.pub import HEADER, Pub, opened

pytestmark = pytest.mark.browser
PAUSE_S = 0.2
ANNS = ([1, 1, 1, 2, 3, 4], [1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1])
HOUSES = [2, 3, 4, 4, 5, 6]
"""One 5 that scores: the house keeps it and throws on; then nothing does."""
SHOWN = """([number, words]) => document.documentElement.dataset.number == number
  && document.getElementById('can').textContent.includes(words)"""


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    houses: list[BotPlayer] = []

    class Holding:
        """Passes `hold` on to the bot, which is made only after the pub."""

        def hold(self, seconds: float, phone: int) -> None:
            houses[0].hold(seconds, phone)

    with opened(tmp_path, evening=True, advice=True, house=Holding()) as pub:
        house = BotPlayer(pub.table, time.monotonic, pause_s=PAUSE_S)
        houses.append(house)
        leave = pub.table.subscribe(house.hear)
        house.start()
        yield pub
        leave()
        house.stop()


def enter(page: Any, values: list[int]) -> None:
    """Enter a throw on the phone's page, die by die."""
    page.click("[data-key^='enter']")
    for value in values:
        page.click(f"dialog[open] .faces button:nth-child({value})")
    page.click("dialog[open] button.main")
    page.wait_for_selector("dialog", state="detached")


def set_up(page: Any) -> None:
    page.click("[data-key='new']")
    page.check("[name='new-game'][value='crapola']")
    page.fill("[data-key='seat-0']", "Ann")
    page.select_option("#new-house", "best")
    page.click("dialog summary >> nth=0")
    page.fill("[data-key='target']", "6000")
    page.keyboard.press("Tab")
    assert page.input_value("[data-key='seat-1']") == "House"
    assert violations(page) == []
    page.click("dialog button.main:has-text('Begin')")
    page.wait_for_selector("dialog", state="detached")


def test_a_crapola_game_against_the_bot_runs_from_setup_form_to_replay(
    pub: Pub, visiting: Any, address: str, tmp_path: Path
) -> None:
    """Ends with the story of the game on the phone and its replay on the page of the evening."""
    anns = iter(ANNS)
    seen: set[str] = set()
    page = visiting("/control", paired=True)
    set_up(page)
    number = -1
    while not (snapshot := pub.table.snapshot()).state["over"]:  # type: ignore[index]
        state = snapshot.state or {}
        awaited = snapshot.notice is not None and snapshot.notice.code.startswith("house_awaits")
        if snapshot.number == number or (state["player"] == "House" and not awaited):
            assert until(lambda: pub.table.snapshot() != snapshot)
            continue
        page.wait_for_function(SHOWN, arg=[snapshot.number, "anyone" if state["player"] == "House" else ""])
        if state["player"] == "House":
            number = snapshot.number
            seen.add(page.inner_text("#can"))
            assert page.query_selector("#pick button") is None
            assert not page.is_visible("#advice")
            enter(page, HOUSES if state["throw_sizes"] == [6] else [2, 3, 4, 4, 6])
        elif state["throw_sizes"] and "stop" not in state["decisions"]:
            number = snapshot.number
            enter(page, next(anns))
        elif "keep" in state["decisions"]:
            number = snapshot.number
            page.click("#advice summary")
            page.wait_for_selector(".weighed .top")
            page.wait_for_selector("#moment", state="hidden")
            assert violations(page) == []
            page.click("[data-key='keep']")
        else:
            number = snapshot.number
            page.click("#big button:has-text('Bank')")
    page.wait_for_selector("#story:not([hidden])")
    told = page.inner_text("#story")
    assert "House" in told
    assert "luckiest" in told
    assert page.is_visible("#story .chances [role=img]")
    page.wait_for_selector("#moment", state="hidden")
    assert violations(page) == []
    page.screenshot(path=str(tmp_path / "story.png"), full_page=True)
    page.goto(f"{address}/evening")
    page.click("#games a")
    page.wait_for_selector("#luck:not([hidden])")
    page.click(".replay button >> nth=0")
    page.wait_for_function("() => document.querySelector('.mark').textContent !== ''")
    page.wait_for_selector("#luck .chances [role=img][aria-label*='House 0 %']")
    assert violations(page) == []

    assert {"House's turn – anyone, throw its 6 dice", "House keeps 5 – anyone, throw 5 dice"} <= seen
    assert page.errors == []


def test_new_game_dialog_lists_a_bot_renamed_since_the_last_game_under_its_new_name(pub: Pub, visiting: Any) -> None:
    """The house was named Maud in the last game, and is named House since."""
    terms = {"house": {"player": "Maud", "level": "best"}}
    pub.table.submit(StartGame(header={**HEADER, "players": ["Ann", "Maud"]}, terms=terms))
    page = visiting("/control", paired=True)
    page.click("#more summary")
    page.click("[data-key='new-2']")
    assert [page.input_value(f"[data-key='seat-{seat}']") for seat in (0, 1)] == ["Ann", "House"]
    page.click("dialog button.main")
    page.wait_for_selector("dialog", state="detached")
    house = pub.table.snapshot().terms.house
    assert house is not None
    assert house.player == "House"
