"""An evening of several games with changing people: standings by game, charts in the players' colours, the picture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import pytest

from companion.games.crag.scoring import CATEGORIES
from companion.table.commands import CorrectThrow, PlayLine, StartGame
from tests.waiting import RETRIES
from tests.web.phones import phone, visit
from tests.web.pub import HEADER, Pub, opened, play, served

pytestmark = pytest.mark.browser
SHORT = {"rules": {"target": 100, "entry": 0}, "game": "crapola"}
WON: list[dict[str, Any]] = [{"throw": [1, 2, 2, 3, 3, 4]}, {"do": "keep", "dice": [1]}, {"do": "stop"}]
LOST: list[dict[str, Any]] = [{"throw": [2, 2, 3, 3, 4, 6]}]


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    with opened(tmp_path, evening=True) as place:
        yield place


def games(pub: Pub) -> None:
    """Ann beats Ben twice, then Cid beats Ann."""
    for players, lines in ((["Ann", "Ben"], WON + LOST), (["Ben", "Ann"], LOST + WON), (["Cid", "Ann"], WON + LOST)):
        pub.table.submit(StartGame(header={**HEADER, **SHORT, "players": players}))
        play(pub, *lines)
        if not pub.state()["over"]:  # the last round goes once round
            play(pub, *LOST)
        assert pub.state()["over"]


def test_the_evening_page_shows_standings_charts_and_a_picture_to_save(chromium: Any, pub: Pub, address: str) -> None:
    games(pub)
    page = chromium.new_page(viewport={"width": 1180, "height": 820})
    page.goto(f"{address}/evening")
    page.wait_for_selector(".standings")
    rows = [row.split("\t") for row in page.locator(".standings tbody tr").all_inner_texts()]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["Ann", "3", "2", "1", "0", "2"],
        ["Cid", "1", "1", "0", "1", "1"],
        ["Ben", "2", "0", "2", "0", "0"],
    ]
    records = [row.split("\t") for row in page.locator(".records tbody tr").all_inner_texts()]
    assert [[cell.strip() for cell in row] for row in records] == [
        ["Ann", "100", "100", "0"],
        ["Cid", "100", "100", "0"],
        ["Ben", "0", "0", "0"],
    ]
    assert page.inner_text("#rivals li:first-child").split("\n")[:3] == ["Ann", "2 : 0", "Ben"]
    page.click("#games a >> nth=0")
    page.wait_for_selector("#replay:not([hidden])")
    strokes = page.locator("#course .lines path").evaluate_all("all => all.map((each) => each.style.stroke)")
    worn = pub.table.snapshot().sitting.colours
    assert strokes == [f"var(--p{worn[name]})" for name in ("Cid", "Ann")]
    label = page.get_attribute("#game .track", "aria-label")
    assert label == "The track. Cid: 120, with this turn 120; Ann: 0, with this turn 0"
    page.click("#game .replay button >> nth=0")
    with page.expect_download() as saved:
        page.click("[data-key='share']")
    picture = cv2.imread(str(saved.value.path()))
    assert picture is not None
    assert picture.shape == (1080, 1080, 3)
    assert len({tuple(pixel) for row in picture[::20] for pixel in row[::20]}) > 4, "names and lines are drawn"
    page.go_back()
    page.wait_for_selector(".standings")
    assert page.inner_text("#tonight") == "Cid leads: 1 of 1 games won"


def test_evening_page_says_new_players_finished_no_game_and_lists_the_games_of_others(pub: Pub, visiting: Any) -> None:
    """Ann, Ben and Cid have finished games, and the page lists them."""
    games(pub)
    pub.table.submit(StartGame(header={**HEADER, **SHORT, "players": ["Dan", "Eve"]}))
    page = visiting("/evening")
    assert page.inner_text("#sitting") == "These players have not finished a game yet."
    assert "won" in page.inner_text("#games")


def test_the_evening_page_counts_a_won_solo_game_of_crag(chromium: Any, pub: Pub, address: str) -> None:
    page = chromium.new_page(viewport={"width": 1180, "height": 820})
    for won in ("1", "2"):
        snapshot = pub.table.submit(StartGame(header={**HEADER, "game": "crag", "players": ["Ann"]}))
        for row in CATEGORIES:
            for line in ({"throw": [1, 2, 4]}, {"do": "score", "category": row}):
                snapshot = pub.table.submit(PlayLine(number=snapshot.number, line=line))
        if won == "1":
            page.goto(f"{address}/evening")
        page.wait_for_selector(f"#tonight:has-text('{won} of {won}')")
        assert page.inner_text("#sitting tbody td:nth-child(2)") == won


def test_evening_dice_and_past_game_pages_that_are_open_show_a_later_throw_correction(pub: Pub, visiting: Any) -> None:
    snapshot = pub.table.submit(StartGame(header={**HEADER, "game": "crag"}))
    for row in CATEGORIES:
        for line in ({"throw": [1, 2, 4]}, {"do": "score", "category": row}) * 2:
            snapshot = pub.table.submit(PlayLine(number=snapshot.number, line=line))
    past_game = pub.stranger().get("/api/evening").json["games"][0]["id"]
    evening, dice, game = visiting("/evening"), visiting("/dice"), visiting(f"/games/{past_game}")
    evening.wait_for_selector("#tonight:has-text('Ann and Ben are level')")
    game.wait_for_selector("#won:has-text('Ann and Ben won')")
    dice.wait_for_selector("#faces [aria-label*='6: 0']")
    last = snapshot.throws[-1].number
    assert pub.table.submit(CorrectThrow(throw=last, number=snapshot.number, values=(6, 6, 1))).state["over"]  # type: ignore[index]
    evening.wait_for_selector("#tonight:has-text('Ben leads')")
    dice.wait_for_selector("#faces [aria-label*='6: 2']")
    game.wait_for_selector("#won:text-is('Ben won')")


def test_past_game_page_shows_not_finished_after_the_winning_line_is_undone(pub: Pub, visiting: Any) -> None:
    games(pub)
    page = visiting(f"/games/{pub.stranger().get('/api/evening').json['games'][0]['id']}")
    page.wait_for_selector("#won:text-is('Cid won')")
    play(pub, {"undo": 1})
    page.wait_for_selector("#won:text-is('not finished')")


def test_the_me_page_lists_a_game_that_ends_while_it_is_open(chromium: Any, pub: Pub, address: str) -> None:
    page = phone(chromium, address, paired=True)
    assert page.request.post(f"{address}/api/seats", data={"name": "Ann", "colour": 1}, max_retries=RETRIES).ok
    page.goto(f"{address}/me")
    page.wait_for_selector("#figures:has-text('No finished game yet')")
    games(pub)
    page.wait_for_selector("#games li:first-child:has-text('Cid won')")
    page.wait_for_selector("#figures tbody td:first-of-type:has-text('3')")


def test_me_page_credits_a_win_to_a_player_whose_name_has_an_ampersand(chromium: Any, pub: Pub, address: str) -> None:
    pub.table.submit(StartGame(header={**HEADER, **SHORT, "players": ["Tom & Jerry", "Tom"]}))
    play(pub, *WON, *LOST)
    page = phone(chromium, address, paired=True)
    for name, won in (("Tom & Jerry", "1"), ("Tom", "0")):
        assert page.request.post(f"{address}/api/seats", data={"name": name, "colour": 1}, max_retries=RETRIES).ok
        page.goto(f"{address}/me")
        assert page.inner_text("#figures tbody tr td:nth-child(3)") == won


def test_the_evening_page_shows_no_empty_standings_before_a_game_has_ended(tmp_path: Path, chromium: Any) -> None:
    with opened(tmp_path, evening=True) as pub, served(pub) as address:
        pub.table.submit(StartGame(header={**HEADER, **SHORT, "players": ["Ann", "Ben"]}))
        play(pub, *WON)
        page = visit(chromium, address + "/evening")
        page.wait_for_selector("#games:has-text('not finished')")
        assert "Standings" not in page.inner_text("main")
        play(pub, *LOST)
        page.wait_for_selector("h2:has-text('Standings')")
        assert "Standings" in page.inner_text("main")
