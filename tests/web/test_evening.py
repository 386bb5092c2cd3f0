"""Past games over HTTP, and what is taken home: transcripts that replay, a table that no spreadsheet mistakes."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.games.advice import odds
from companion.games.crag.scoring import CATEGORIES
from companion.history.export import PastGames
from companion.history.fairness import course_of
from companion.table.commands import StartGame
from companion.table.projection import MAX_THROWS
from tests.web.pub import HEADER, Pub, opened, play
from web.api.evening import GOALS

LINES: list[dict[str, Any]] = [
    {"throw": [5, 5, 5, 2, 1, 4, 6]},
    {"do": "point", "value": 5},
    {"do": "stop"},
    {"throw": [6, 6, 6, 2, 1, 4, 3]},
]


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    with opened(tmp_path, evening=True) as place:
        yield place


@pytest.fixture
def played(pub: Pub) -> Pub:
    begin(pub, players=["=1+1", "Ben"])
    play(pub, *LINES)
    return pub


def begin(pub: Pub, **header: Any) -> None:
    pub.table.submit(StartGame(header={**HEADER, **header}))


def newest_game(client: Any) -> str:
    """Return the address of the newest game in the API."""
    return f"/api/evening/{client.get('/api/evening').json['games'][0]['id']}"


def test_api_evening_lists_the_games_of_the_sitting(played: Pub) -> None:
    told = played.stranger().get("/api/evening").json
    (game,) = told["games"]
    assert (game["game"], game["players"], game["over"]) == ("crib_dice", ["=1+1", "Ben"], False)
    assert set(told["sitting"]) >= {"games", "games_lost"}


def test_the_past_game_api_returns_a_games_moves_scores_and_players(played: Pub) -> None:
    client = played.stranger()
    game = newest_game(client)
    told = client.get(game).json
    assert [move["line"] for move in told["moves"]] == LINES
    assert told["moves"][2]["state"]["scores"] == {"=1+1": 5, "Ben": 0}
    assert told["header"]["players"] == ["=1+1", "Ben"]


def test_evening_api_returns_a_finished_games_luckiest_throw_and_chance(pub: Pub) -> None:
    begin(pub, game="crapola", rules={"entry": 0, "target": 1})
    play(pub, {"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"})
    play(pub, {"throw": [2, 2, 3, 4, 6, 6]})
    guest = pub.stranger()
    game = newest_game(guest)
    told = guest.get(f"{game}/luckiest").json
    assert (told["player"], told["values"], told["line"]) == ("Ann", [1, 1, 1, 2, 3, 4], 2)
    assert 0 < told["chance"] < 0.2
    assert guest.get(f"{game}/odds?goal=luckiest").status_code == 409, "not what is cached"
    assert guest.get("/api/evening/99/luckiest").status_code == 404
    assert guest.get(game.replace("/api/evening", "/games")).status_code == 200


def test_api_state_lists_only_the_newest_throws_and_api_throws_lists_all(pub: Pub) -> None:
    begin(pub, game="crag", players=["Ann", "Ben", "Cid"])
    for category in CATEGORIES:
        for _ in range(3):
            play(pub, {"throw": [1, 6, 6]}, {"do": "score", "category": category})
    guest = pub.stranger()
    shown, all_of_them = (guest.get(path).json["throws"] for path in ("/api/state", "/api/throws"))
    assert len(all_of_them) == 3 * len(CATEGORIES)
    assert shown == all_of_them[-MAX_THROWS:] != all_of_them


def test_evening_transcript_download_has_one_json_line_per_move(played: Pub) -> None:
    client = played.stranger()
    game = newest_game(client)
    answer = client.get(f"{game}.jsonl")
    assert "attachment" in answer.headers["Content-Disposition"]
    assert [json.loads(line) for line in answer.text.splitlines()][1:] == LINES


def test_evening_csv_lists_player_and_dice_and_escapes_formula_names(played: Pub) -> None:
    rows = list(csv.DictReader(played.stranger().get("/api/evening.csv").text.splitlines()))
    assert [(row["player"], row["dice"]) for row in rows] == [("'=1+1", "5 5 5 2 1 4 6"), ("Ben", "6 6 6 2 1 4 3")]


def test_evening_csv_of_throws_is_made_without_replaying_a_game(played: Pub, monkeypatch: pytest.MonkeyPatch) -> None:
    client = played.stranger()
    told = client.get("/api/evening.csv").text
    monkeypatch.delattr("companion.games.engine.transcript.Transcript.begin")
    assert client.get("/api/evening.csv").text == told


def test_an_unknown_game_in_the_evening_api_is_answered_with_404(played: Pub) -> None:
    for part in ("", "/luck", "/chances", "/odds", ".jsonl"):
        answer = played.stranger().get(f"/api/evening/999{part}")
        assert (answer.status_code, answer.json["error"]) == (404, "no_such_game")


def test_evening_api_gives_player_statistics_for_the_evening_and_for_one_game(played: Pub) -> None:
    client = played.stranger()
    everyone = client.get("/api/evening/players").json["players"]
    assert list(everyone) == ["=1+1", "Ben"]
    assert (everyone["=1+1"]["throws"], everyone["=1+1"]["points"]) == (1, 5)
    game = newest_game(client)
    assert client.get(game).json["players"] == everyone


def test_evening_api_splits_a_finished_crag_result_into_luck_and_decisions(pub: Pub) -> None:
    """Throws entered by hand have no photo, and /api/evening/dice counts the faces thrown."""
    begin(pub, game="crag", players=["Ann"])
    for category in CATEGORIES:
        play(pub, {"throw": [1, 6, 6]}, {"do": "score", "category": category})
    client = pub.stranger()
    game = newest_game(client)
    told = client.get(f"{game}/luck").json
    (ann,) = told["players"]
    assert ann["result"] == pub.state()["scores"]["Ann"]
    assert ann["start"] + ann["luck"] + ann["decisions"] == pytest.approx(ann["result"], abs=1e-9)
    assert [move["photo"] for move in told["moves"]] == [None] * 26
    assert told["dearest"][0]["gave_away"] > 0
    assert client.get("/api/evening/dice").json["counts"] == {"1": 13, "2": 0, "3": 0, "4": 0, "5": 0, "6": 26}


def test_evening_api_refuses_luck_and_win_chances_of_an_unfinished_game(played: Pub) -> None:
    client = played.stranger()
    game = newest_game(client)
    for part, error in (("luck", "unfinished"), ("chances", "no_odds")):
        answer = client.get(f"{game}/{part}")
        assert (answer.status_code, answer.json["error"]) == (409, error)
        assert "not finished" in answer.json["message"]


def test_evening_api_gives_win_chances_after_each_transcript_line_of_a_finished_game(pub: Pub) -> None:
    """A game of one player has no win chances: 409."""
    for players in (["Ann", "Ben"], ["Ann"]):
        begin(pub, game="crag", players=players)
        for at, category in enumerate(CATEGORIES):
            for seat in range(len(players)):
                throw = [1, 6, 6] if seat == 0 else [1, 5, 6] if at else [1, 2, 3]
                play(pub, {"throw": throw}, {"do": "score", "category": category})
    client = pub.stranger()
    alone, two = (game["id"] for game in client.get("/api/evening").json["games"])
    told = client.get(f"/api/evening/{two}/chances").json["chances"]
    assert len(told) == 1 + 4 * len(CATEGORIES)
    assert told[0] == pytest.approx([0.5, 0.5], abs=1e-3)
    assert told[-1] == [1.0, 0.0]
    assert client.get(f"/api/evening/{alone}/chances").status_code == 409


def test_the_evening_api_reports_the_fairness_of_the_dice(played: Pub) -> None:
    told = played.stranger().get("/api/evening/dice").json
    assert (told["throws"], told["verdict"]) == (2, "even")
    assert told["could_have_found"] == pytest.approx(0.6)
    assert (told["dice"], told["sets"]) == ("", [""])
    assert [point[0] for point in told["course"]] == [0, 7, 14]


def test_evening_api_counts_throws_separately_for_each_named_dice_set(played: Pub) -> None:
    played.table.submit(StartGame(header=HEADER, terms={"dice": "Blue"}))
    play(played, {"throw": [1, 1, 1, 2, 3, 4, 6]})
    guest = played.stranger()
    newest = guest.get("/api/evening/dice").json
    assert (newest["dice"], newest["throws"], newest["sets"]) == ("Blue", 1, ["Blue", ""])
    assert guest.get("/api/evening/dice?set=").json["throws"] == 2
    assert guest.get("/api/evening/dice?set=Red").json["throws"] == 0
    assert guest.get("/api/evening").json["games"][0]["dice"] == "Blue"
    assert len(list(PastGames(played.folder).throws(dice="Blue"))) == 1


def test_dice_fairness_api_caches_each_sets_result_until_another_game_is_played(
    played: Pub, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest, tested = played.stranger(), list[int]()

    def noted(throws: list[list[int]]) -> list[list[float]]:
        tested.append(len(throws))
        return course_of(throws)

    monkeypatch.setattr("companion.history.export.course_of", noted)
    for dice in ("", "?set=", "?set=Red", "?set=Green", ""):
        assert guest.get(f"/api/evening/dice{dice}").status_code == 200
    assert tested == [2, 0]
    played.table.submit(StartGame(header=HEADER))
    play(played, {"throw": [1, 1, 1, 2, 3, 4, 6]})
    assert guest.get("/api/evening/dice").json["throws"] == 3
    assert tested == [2, 0, 3]


def test_the_odds_api_values_a_games_options_and_refuses_an_unknown_goal(played: Pub) -> None:
    client = played.stranger()
    game = newest_game(client)
    told = client.get(f"{game}/odds").json
    assert (told["player"], told["goal"], told["best"]) == ("Ben", "points", {"do": "point", "value": 6})
    to_win = client.get(f"{game}/odds?goal=win").json
    assert 0 < to_win["options"][0]["value"] < 1
    assert client.get(f"{game}/odds?goal=games").json["goal"] == "games"
    assert odds.GOALS == GOALS
    refused = client.get(f"{game}/odds?goal=glory")
    assert (refused.status_code, refused.json["error"]) == (409, "no_odds")
    play(played, {"do": "point", "value": 6})
    assert client.get(f"{game}/odds").json["best"] == {"throw": 4}
