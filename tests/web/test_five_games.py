"""An evening of five games, players coming and going: its page and its replays in Chromium."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from companion.table.commands import NextGame, StartGame
from tests.web.pub import Pub, opened, play_out, served

OUT = Path(__file__).resolve().parents[2] / "out" / "evening"
QUICK = {"game": "crapola", "rules": {"target": 1500, "entry": 0}}
GAMES: list[dict[str, Any]] = [
    {**QUICK, "players": ["Ann", "Ben"]},
    {"game": "crag", "players": ["Ann", "Ben", "Cid"]},
    {**QUICK, "players": ["Ben", "Cid", "Dörte Ångström"]},
    {**QUICK, "players": ["Cid", "Ann"]},
]
LEAVES = ("Cid", 9)
"""The player that leaves the second game, and after how many lines."""


def evening(pub: Pub) -> None:
    """Play the four games of `GAMES`, and another with the same header as the last."""
    chance = random.Random(16)
    for place, game in enumerate(GAMES):
        pub.table.submit(StartGame(header={"transcript": 1, **game}))
        play_out(pub, chance, LEAVES if place == 1 else None)
    pub.table.submit(NextGame(number=pub.table.snapshot().number))
    play_out(pub, chance)


@pytest.mark.browser
@pytest.mark.evening
def test_evening_page_shows_crapola_standings_and_replays_each_of_five_games(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, evening=True) as pub, served(pub) as address:
        evening(pub)
        page = chromium.new_page(viewport={"width": 1180, "height": 820})
        page.goto(f"{address}/evening")
        page.wait_for_selector(".records")
        games = pub.stranger().get("/api/evening").json["games"]
        assert "Cid" not in games[3]["winners"], "who has left cannot win"
        assert games[3]["games_lost"]["Cid"] == 1
        crapola = [game for game in games if game["game"] == "crapola"]
        for name in ("Ann", "Ben", "Cid"):
            row = page.locator(".standings").first.locator("tr", has_text=name).inner_text().split()
            assert int(row[1]) == sum(name in game["players"] for game in crapola)
            assert int(row[2]) == sum(name in game["winners"] for game in crapola)
        page.screenshot(path=OUT / "evening.png", full_page=True)
        for place, game in enumerate(games):
            page.click(f"[data-key='g{game['id']}']")
            page.wait_for_selector(f"#when:has-text('{game['title']}')")
            labels = set()
            slider, most = page.locator("#game input[type=range]"), page.get_attribute("#game input[type=range]", "max")
            for at in range(0, int(most or 0) + 1, 7):
                slider.fill(str(at))
                labels.add(page.get_attribute("#game .track", "aria-label"))
            assert len(labels) > 1, "the pegs go on from move to move"
            page.locator("#game").screenshot(path=OUT / f"game-{place + 1}.png")
            with page.expect_download() as saved:
                page.click("[data-key='share']")
            saved.value.save_as(OUT / f"shared-{place + 1}.png")
            page.go_back()
            page.wait_for_selector(".records")
