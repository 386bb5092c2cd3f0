"""A game that no room knows plays on the page, the pub's screen and in call-outs; whatever the players are called."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from companion.games import registry
from companion.games.engine.rulebook import form_of
from companion.table.commands import StartGame
from tests.games.high import GAME
from tests.web.injecting import staged, watch_stage
from tests.web.phones import newest
from tests.web.pub import Pub, opened, play
from tests.web.test_voice import Mouth
from web.loudspeaker import Loudspeaker

PLAYERS = ["Ann & Ben", "12", "Ann", "7", "$&"]
HEADER: dict[str, Any] = {"transcript": 1, "game": "high", "players": PLAYERS, "rules": {"twice": True}}
LINES: list[dict[str, Any]] = [{"throw": [4]}, {"do": "stop"}, {"throw": [2]}, {"do": "stop"}, {"throw": [6]}]


@pytest.fixture
def pub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pub]:
    monkeypatch.setattr(registry, "GAMES", MappingProxyType({**registry.GAMES, "high": GAME}))
    with opened(tmp_path, games=tuple(map(form_of, registry.GAMES.values()))) as place:
        yield place


def test_the_voice_reads_an_event_of_a_newly_added_game_in_that_games_words(pub: Pub) -> None:
    mouth = Mouth()
    voice = Loudspeaker("de", mouth)
    pub.table.subscribe(voice.hear)
    voice.turn(True)
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *LINES[:2])
    assert mouth.said[-1].words.endswith("Ann & Ben tops it with 4.")


def test_web_server_serves_form_schema_and_help_rules_of_an_added_game(pub: Pub) -> None:
    games = {game["game"]: game for game in pub.stranger().get("/api/games").json["games"]}
    assert (games["high"]["title"], games["high"]["switches"][0]["key"]) == ("High", "twice")
    schemas = pub.stranger().get("/api/openapi.json").json["components"]["schemas"]
    assert "high" in schemas["Header"]["properties"]["game"]["enum"]
    assert "The highest wins" in pub.stranger().get("/help").text


@pytest.mark.browser
def test_scoreboard_and_tv_show_turn_and_scores_of_a_newly_registered_game(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=HEADER))
    page, screen = visiting("/"), visiting("/tv", "1920x1080")
    for each in (page, screen):
        watch_stage(each)
    play(pub, *LINES[:2])
    for each in (page, screen):
        assert staged(each)["cried"] == "Ann & Ben tops it with 4"
    for each in (page, screen):
        each.wait_for_selector("#moment", state="hidden")
    play(pub, *LINES[2:])
    for each in (page, screen):
        newest(each, pub)
        assert each.locator("#players .name").all_inner_texts() == [
            "Ann & Ben\nleads",
            "12\n5 to go",
            "Ann\n7 to go",
            "7\n7 to go",
            "$&\n7 to go",
        ]
        assert each.locator("#players .score").all_inner_texts() == ["4", "2", "0 +6", "0", "0"]
        assert each.locator("#players li.on .name bdi").inner_text() == "Ann"
        assert each.inner_text("#who span >> nth=0") == "Ann"
        assert each.inner_text("#can") == "throw 1 die or bank 6"
        assert each.inner_text("#panels") == "Pips above the best\n2"
    assert (
        page.locator("#track svg")
        .get_attribute("aria-label")
        .startswith("The track. Ann & Ben: 4, with this turn 4; 12: 2, with this turn 2; Ann: 0, with this turn 6")
    )
    assert page.errors == screen.errors == []
