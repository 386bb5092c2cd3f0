"""Odds, best play and the story of the game on the table, over HTTP: told when asked for, never in a serious game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.table.commands import StartGame
from tests.web.pub import HEADER, Pub, opened, play, play_out

OPENING: list[dict[str, Any]] = [{"throw": [5, 5, 5, 2, 2, 4, 6]}]


@pytest.fixture
def advised(tmp_path: Path) -> Iterator[Pub]:
    with opened(tmp_path, evening=True, advice=True) as pub:
        yield pub


def start(pub: Pub, **terms: Any) -> None:
    pub.table.submit(StartGame(header=HEADER, terms=terms))


def test_api_odds_gives_the_snapshot_number_player_goal_and_best_option(advised: Pub) -> None:
    start(advised)
    play(advised, *OPENING)
    told = advised.stranger().get("/api/odds").json
    assert (told["number"], told["player"], told["goal"]) == (advised.table.snapshot().number, "Ann", "win")
    assert told["best"] == told["options"][0]["line"] == {"do": "point", "value": 5}
    assert {option["line"]["value"] for option in told["options"]} == {5, 2}


def test_api_odds_in_the_last_turn_of_crapola_go_by_the_chance_to_win(advised: Pub) -> None:
    straight, ones = {"throw": [1, 2, 3, 4, 5, 6]}, {"throw": [1, 1, 2, 3, 4, 6]}
    header = {"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"], "rules": {"target": 1000, "entry": 0}}
    advised.table.submit(StartGame(header=header, terms={}))
    play(advised, straight, {"do": "keep", "dice": straight["throw"]}, {"do": "stop"})
    play(advised, ones, {"do": "keep", "dice": [1, 1]})
    told = advised.stranger().get("/api/odds").json
    assert (told["goal"], told["exact"], told["best"]) == ("win", True, {"throw": 4}), "a bank of 200 loses"


@pytest.mark.parametrize("game", ["crib_dice", "crag"])
def test_api_odds_answer_409_in_a_roll_off_of_crib_dice_and_of_crag(advised: Pub, game: str) -> None:
    advised.table.submit(StartGame(header={**HEADER, "game": game, "roll_off": True}))
    told = advised.stranger().get("/api/odds")
    assert (told.status_code, told.json["error"], "roll-off" in told.json["message"]) == (409, "no_odds", True)


def test_tournament_mode_refuses_odds_in_play_and_gives_win_chances_afterwards(advised: Pub) -> None:
    start(advised, serious=True)
    play(advised, *OPENING, {"do": "point", "value": 5})
    guest = advised.stranger()
    game = guest.get("/api/evening").json["games"][0]["id"]
    paths = ("/api/odds", "/api/chances", f"/api/evening/{game}/odds")
    for path in paths:
        answer = guest.get(path)
        assert (answer.status_code, answer.json["error"]) == (409, "no_odds")
        assert "tournament mode" in answer.json["message"]
    assert advised.table.snapshot().safe_chance is None
    play(advised, {"do": "stop"})
    play_out(advised, random.Random(5))
    answers = {path: guest.get(path).status_code for path in (*paths, "/api/story")}
    assert answers == dict.fromkeys(answers, 200)


def test_api_chances_gives_win_chances_after_each_line_and_follows_an_undo(advised: Pub) -> None:
    start(advised)
    guest = advised.stranger()
    play(advised, *OPENING, {"do": "point", "value": 5})
    before = guest.get("/api/chances").json["chances"]
    assert len(before) == 3
    assert all(sum(chances) == pytest.approx(1) for chances in before)
    play(advised, {"undo": 1}, {"do": "point", "value": 2})
    after = guest.get("/api/chances").json["chances"]
    assert after[:2] == before[:2]
    assert after[2][0] < before[2][0]
    play_out(advised, random.Random(5))
    told = guest.get("/api/chances").json
    winner = advised.table.snapshot().state["outcome"]["winners"][0]  # type: ignore[index]
    assert told["chances"][-1] == [float(side == winner) for side in told["sides"]]


def test_luck_story_api_gives_the_same_luck_figures_as_the_past_game_api(advised: Pub) -> None:
    start(advised)
    guest = advised.stranger()
    assert guest.get("/api/story").status_code == 409
    play_out(advised, random.Random(5))
    told = guest.get("/api/story").json
    game = guest.get("/api/evening").json["games"][0]["id"]
    past = guest.get(f"/api/evening/{game}/luck").json
    assert len(told["luckiest"]) == 3
    assert [move["luck"] for move in told["luckiest"]] == [move["luck"] for move in past["luckiest"]]
    assert told["players"] == past["players"]
    assert {move["photo"] for move in told["moves"]} == {None}  # entered by hand: there is no photo


def test_odds_chances_and_luck_story_apis_without_a_game_answer_409(advised: Pub) -> None:
    for path in ("/api/odds", "/api/chances", "/api/story"):
        assert advised.stranger().get(path).status_code == 409
