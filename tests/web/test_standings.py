"""An evening of several games with changing people: standings by game, charts in the players' colours, the picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import pytest

from companion.games.crag.scoring import CATEGORIES
from companion.history.export import PastGames
from companion.table.commands import CorrectThrow, PlayLine, StartGame
from tests.web.pub import HEADER, PIN, opened, served

pytestmark = pytest.mark.browser
SHORT = {"rules": {"target": 100, "entry": 0}, "game": "crapola"}
WON = [
    {"throw": [1, 2, 2, 3, 3, 4]},
    {"do": "keep", "dice": [1]},
    {"do": "stop"},
]
LOST = [{"throw": [2, 2, 3, 3, 4, 6]}]


def games(pub: Any) -> None:
    """Ann beats Ben twice, then Cid beats Ann."""
    for players, lines in ((["Ann", "Ben"], WON + LOST), (["Ben", "Ann"], LOST + WON), (["Cid", "Ann"], WON + LOST)):
        pub.table.submit(StartGame(header={**HEADER, **SHORT, "players": players}))
        for line in lines:
            pub.table.submit(PlayLine(number=pub.table.snapshot().number, line=line))
        if not pub.table.snapshot().state["over"]:  # the last round goes once round
            pub.table.submit(PlayLine(number=pub.table.snapshot().number, line=LOST[0]))
        assert pub.table.snapshot().state["over"]


def test_the_evening_page_shows_standings_charts_and_a_picture_to_save(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, evening=PastGames(tmp_path)) as pub, served(pub) as address:
        games(pub)
        page = chromium.new_context(viewport={"width": 1180, "height": 820}).new_page()
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
        assert label == "The track. Cid: 120, ahead at 120; Ann: 0, ahead at 0"
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
        page.context.close()


def test_the_evening_page_counts_a_won_game_that_nobody_lost(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, evening=PastGames(tmp_path)) as pub, served(pub) as address:
        page = chromium.new_context(viewport={"width": 1180, "height": 820}).new_page()
        for won in ("1", "2"):
            snapshot = pub.table.submit(StartGame(header={**HEADER, "game": "crag", "players": ["Ann"]}))
            for row in CATEGORIES:
                for line in ({"throw": [1, 2, 4]}, {"do": "score", "category": row}):
                    snapshot = pub.table.submit(PlayLine(number=snapshot.number, line=line))
            if won == "1":
                page.goto(f"{address}/evening")
            page.wait_for_selector(f"#tonight:has-text('{won} of {won}')")
            assert page.inner_text("#sitting tbody td:nth-child(2)") == won
        page.context.close()


def test_evening_and_dice_pages_follow_a_correction_after_the_game(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, evening=PastGames(tmp_path)) as pub, served(pub) as address:
        snapshot = pub.table.submit(StartGame(header={**HEADER, "game": "crag"}))
        for row in CATEGORIES:
            for line in ({"throw": [1, 2, 4]}, {"do": "score", "category": row}) * 2:
                snapshot = pub.table.submit(PlayLine(number=snapshot.number, line=line))
        evening, dice = (chromium.new_context().new_page() for _ in range(2))
        evening.goto(f"{address}/evening")
        evening.wait_for_selector("#tonight:has-text('Ann and Ben are level')")
        dice.goto(f"{address}/dice")
        dice.wait_for_selector("#faces [aria-label*='6: 0']")
        last = snapshot.throws[-1].number
        assert pub.table.submit(CorrectThrow(throw=last, number=snapshot.number, values=(6, 6, 1))).state["over"]  # type: ignore[index]
        evening.wait_for_selector("#tonight:has-text('Ben leads')", timeout=5000)
        dice.wait_for_selector("#faces [aria-label*='6: 2']", timeout=5000)
        for page in (evening, dice):
            page.context.close()


def test_the_me_page_lists_a_game_that_ends_while_it_is_open(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, evening=PastGames(tmp_path)) as pub, served(pub) as address:
        page = chromium.new_context().new_page()
        assert page.request.post(f"{address}/api/pair", data={"pin": PIN}).ok
        assert page.request.post(f"{address}/api/seats", data={"name": "Ann", "colour": 1}).ok
        page.goto(f"{address}/me")
        page.wait_for_selector("#figures:has-text('No finished game yet')")
        games(pub)
        page.wait_for_selector("#games li:first-child:has-text('Cid won')", timeout=5000)
        page.wait_for_selector("#figures tbody td:first-of-type:has-text('3')", timeout=5000)
        page.context.close()


def test_the_me_page_counts_the_games_won_by_a_player_named_like_a_team(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, evening=PastGames(tmp_path)) as pub, served(pub) as address:
        pub.table.submit(StartGame(header={**HEADER, **SHORT, "players": ["Tom & Jerry", "Tom"]}))
        for line in WON + LOST:
            pub.table.submit(PlayLine(number=pub.table.snapshot().number, line=line))
        page = chromium.new_context(viewport={"width": 1180, "height": 820}).new_page()
        assert page.request.post(f"{address}/api/pair", data={"pin": PIN}).ok
        for name, won in (("Tom & Jerry", "1"), ("Tom", "0")):
            assert page.request.post(f"{address}/api/seats", data={"name": name, "colour": 1}).ok
            page.goto(f"{address}/me")
            assert page.inner_text("#figures tbody tr td:nth-child(3)") == won
        page.context.close()
