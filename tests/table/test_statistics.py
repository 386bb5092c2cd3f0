"""Statistics of players: turns, points, faces and results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from companion.games.crag.scoring import CATEGORIES
from companion.history.export import PastGames
from companion.table.commands import CorrectThrow, StartGame
from companion.table.evening.statistics import Tally, turn_results
from companion.table.projection import snapshot_of
from companion.table.writer import Table
from tests.games.playing import STOP, point, throw, told
from tests.known import known
from tests.table.acting import HEADER, played, started

SIXES: list[dict[str, Any]] = [{"throw": [6] * 7}, {"do": "point", "value": 6}]
LOST: list[dict[str, Any]] = [
    {"throw": [6, 6, 2, 2, 1, 4, 3]},
    {"do": "point", "value": 6},
    {"throw": [3, 3, 2, 4, 5]},
]
ANN_WINS: list[dict[str, Any]] = [
    {"throw": [5, 5, 5, 2, 1, 4, 6]},
    {"do": "point", "value": 5},
    {"do": "stop"},
    *LOST,
    *SIXES * 5,
    {"do": "stop"},
    *LOST,
]


def test_player_statistics_count_games_throws_turns_points_and_faces(table: Table, tmp_path: Path) -> None:
    table.submit(StartGame(header=HEADER))
    played(table, ANN_WINS)
    state = table.snapshot().state
    assert state is not None
    assert state["over"]
    players = PastGames(tmp_path).players()
    ann, ben = players["Ann"], players["Ben"]
    assert (ann.games, ann.won, ann.lost) == (1, 1, 0)
    assert (ben.games, ben.won, ben.lost) == (1, 0, state["outcome"]["games_lost"]["Ben"])
    assert (ann.throws, ann.turns, ann.scoring, ann.points) == (6, 2, 2, state["scores"]["Ann"])
    assert (ben.throws, ben.turns, ben.scoring, ben.points) == (4, 2, 0, 0)
    assert ann.faces == (1, 1, 0, 1, 3, 36)
    assert ben.faces == (2, 6, 6, 4, 2, 4)


def test_player_statistics_count_throws_but_no_result_of_unfinished_games(table: Table, tmp_path: Path) -> None:
    past = PastGames(tmp_path)
    for _ in range(2):
        table.submit(StartGame(header=HEADER))
        played(table, ANN_WINS)
    table.submit(StartGame(header={**HEADER, "players": ["Cid", "Ann"]}))
    played(table, [{"throw": [5, 5, 5, 2, 1, 4, 6]}])
    players = past.players()
    assert list(players) == ["Cid", "Ann", "Ben"]
    assert (players["Ann"].games, players["Ann"].throws) == (2, 12)
    assert players["Cid"] == Tally(throws=1, faces=(1, 1, 0, 1, 3, 1))


def test_past_games_leave_out_a_game_without_a_throw(table: Table, tmp_path: Path) -> None:
    past = PastGames(tmp_path)
    table.submit(StartGame(header={**HEADER, "players": ["Guest 1", "Guest 2"]}))
    assert (past.games(), past.players()) == ([], {})
    table.submit(StartGame(header=HEADER))
    played(table, [{"throw": [5, 5, 5, 2, 1, 4, 6]}])
    assert [game["players"] for game in past.games()] == [["Ann", "Ben"]]
    assert set(past.players()) == {"Ann", "Ben"}
    played(table, [{"undo": 1}])
    assert past.games() == []


def test_correcting_a_throw_changes_the_face_counts_of_player_statistics(table: Table, tmp_path: Path) -> None:
    past = PastGames(tmp_path)
    table.submit(StartGame(header=HEADER))
    played(table, [{"throw": [5, 5, 5, 2, 1, 4, 6]}])
    assert past.players()["Ann"].faces[:2] == (1, 1)
    table.submit(CorrectThrow(number=table.snapshot().number, throw=1, values=(5, 5, 5, 2, 2, 4, 6)))
    assert past.players()["Ann"].faces[:2] == (0, 2)


def test_player_statistics_credit_points_and_throws_to_the_thrower_not_the_partner(
    table: Table, tmp_path: Path
) -> None:
    names = ["Ann", "Ben", "Cid", "Dot"]
    table.submit(StartGame(header={**HEADER, "players": names, "rules": {"partners": True}}))
    played(table, [{"throw": [5, 5, 5, 2, 1, 4, 6]}, {"do": "point", "value": 5}, {"do": "stop"}])
    players = PastGames(tmp_path).players()
    assert [players[name].points for name in names] == [5, 0, 0, 0]
    assert [players[name].throws for name in names] == [1, 0, 0, 0]


def test_player_statistics_count_a_roll_offs_throws_but_no_turns(table: Table, tmp_path: Path) -> None:
    table.submit(StartGame(header={**HEADER, "game": "crag", "roll_off": True}))
    played(table, [{"throw": [1, 2]}, {"throw": [6, 6]}])
    players = PastGames(tmp_path).players()
    assert [players[name].turns for name in ("Ann", "Ben")] == [0, 0]
    assert [players[name].throws for name in ("Ann", "Ben")] == [1, 1]
    played(table, [{"throw": [1, 2, 3]}, {"do": "score", "category": "ones"}])
    assert PastGames(tmp_path).players()["Ben"].turns == 1


def test_player_statistics_of_solo_crag_count_one_turn_per_category(table: Table, tmp_path: Path) -> None:
    table.submit(StartGame(header={**HEADER, "game": "crag", "players": ["Ann"]}))
    for category in ("ones", "twos", "threes"):
        played(table, [{"throw": [1, 2, 2]}, {"do": "score", "category": category}])
    ann = PastGames(tmp_path).players()["Ann"]
    assert (ann.turns, ann.scoring, ann.points) == (3, 2, 5)


def test_past_games_record_best_score_best_turn_and_costliest_wipe_out(table: Table, tmp_path: Path) -> None:
    table.submit(StartGame(header={**HEADER, "players": ["Ann", "Ben"]}))
    fives: list[dict[str, Any]] = [{"throw": [5, 5, 5, 2, 1, 4, 6]}, {"do": "point", "value": 5}]
    played(table, [*fives, {"do": "stop"}, *fives, {"throw": [5, 1, 2, 3]}, {"throw": [2, 3, 4]}])
    played(table, [*fives, {"throw": [5, 1, 2, 3]}, {"do": "stop"}, *fives, {"throw": [2, 3, 4, 6]}])
    (game,) = PastGames(tmp_path).games()
    assert {name: (best.score, best.turn, best.loss) for name, best in game["bests"].items()} == {
        "Ann": (None, 10, 0),
        "Ben": (None, 0, 10),
    }
    table.submit(StartGame(header={**HEADER, "game": "crag", "players": ["Ann"]}))
    for category in CATEGORIES:
        played(table, [{"throw": [1, 6, 6]}, {"do": "score", "category": category}])
    best = PastGames(tmp_path).games()[0]["bests"]["Ann"]
    assert (best.score, best.turn, best.loss) == (table.snapshot().sides[0].score, 50, 0)


def test_statistics_count_a_loss_for_a_leaver_but_not_the_leavers_unfinished_turn(table: Table, tmp_path: Path) -> None:
    table.submit(StartGame(header={**HEADER, "game": "crag", "players": ["Ann", "Ben", "Cid"]}))
    entered: list[dict[str, Any]] = [{"throw": [1, 2, 3]}, {"do": "score", "category": "ones"}]
    played(table, [*entered, {"throw": [6, 6, 6]}, {"leave": "Ben"}, {"throw": [1, 1, 2]}, {"leave": "Ann"}])
    players = PastGames(tmp_path).players()
    assert [(name, tally.turns, tally.won, tally.lost) for name, tally in players.items()] == [
        ("Ann", 1, 0, 1),
        ("Ben", 0, 0, 1),
        ("Cid", 0, 1, 0),
    ]
    assert players["Ben"].throws == 1


def test_statistics_count_no_win_for_a_leaver_whose_partner_wins(table: Table, tmp_path: Path) -> None:
    names = ["Ann", "Ben", "Cid", "Dot"]
    table.submit(StartGame(header={**HEADER, "players": names, "rules": {"partners": True}}))
    played(table, [{"leave": "Ann"}, {"leave": "Ben"}, {"leave": "Dot"}])
    players = PastGames(tmp_path).players()
    assert [players[name].won for name in names] == [0, 0, 1, 0]
    assert [players[name].lost for name in names] == [0, 1, 0, 1]


SIX_SIXES = [throw(6, 6, 6, 6, 6, 6, 1), point(6)]
WIPE_OUT = [throw(2, 2, 3, 4, 5, 6, 1), point(2), throw(3, 3, 4, 5, 6)]


def test_turn_statistics_count_crib_dice_holes_lost_to_a_fuchle_as_loss() -> None:
    """A fuchle, the third wipe-out in a row, puts the peg back to 0."""
    banks = [*SIX_SIXES, STOP]
    losses = [turn for turn in turn_results(told("crib_dice", *banks, *(WIPE_OUT * 6))) if turn.kind == "dearest_loss"]
    assert [turn.points for turn in losses] == [2, 2, 2, 2, 2, 26]
    assert losses[-1].player == "Ann", "a set of six 6s brought the peg to hole 24"


def test_the_best_turn_highlight_links_no_photo_if_its_throw_was_entered_by_hand(table: Table) -> None:
    """The best turn's only throw, the second of the game, was entered by hand."""
    started(table, {**HEADER, "players": ["Ann", "Ben", "Cat"]})
    played(table, [throw(2, 2, 3, 4, 5, 6, 1), point(2), STOP, *SIX_SIXES, STOP, {"leave": "Ann"}, {"leave": "Ben"}])
    state = table.state()
    game = known(state.record.game)
    first = known(game.lines[0].thrown)
    lines = (msgspec.structs.replace(game.lines[0], thrown=msgspec.structs.replace(first, photo=True)), *game.lines[1:])
    pictured = replace(state, record=replace(state.record, games=(replace(game, lines=lines),)))
    (best,) = snapshot_of(pictured).highlights
    assert (best.points, best.throw) == (24, None)
