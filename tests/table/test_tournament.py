"""A tournament at one table: results from the games, walkovers, corrections, and the same after every kind of start."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from companion.errors import CompanionError, WalkoverUsed
from companion.games.engine.game import Leave
from companion.games.engine.notation import line_of
from companion.table.commands import (
    BeginTournament,
    CorrectThrow,
    EndTournament,
    LeaveTournament,
    NextGame,
    PlayLine,
    StartGame,
)
from companion.table.evening.archive import FILE_NAME
from companion.table.snapshot import TournamentView
from companion.table.writer import Table
from tests.known import known
from tests.table.acting import table_in
from tests.table.test_archive import play_out

FIVE = ("Ann", "Ben", "Cid", "Dee", "Eve")
SHORT: dict[str, Any] = {"target": 500, "entry": 0}


def begin(table: Table, form: Any = "knockout", players: tuple[str, ...] = FIVE, **more: Any) -> TournamentView:
    command = BeginTournament(
        number=table.snapshot().number, form=form, game="crapola", players=players, rules=SHORT, **more
    )
    return known(table.submit(command).tournament)


def on(table: Table) -> TournamentView:
    return known(table.snapshot().tournament)


def play_next(table: Table, chance: random.Random) -> tuple[str, str]:
    """Play the game that the tournament proposes to its end, and return its players."""
    header = known(on(table).next)
    table.submit(StartGame(header=header))
    play_out(table, chance)
    one, other = header["players"]
    return one, other


def leave(table: Table, player: str, left: bool = True) -> TournamentView:
    command = LeaveTournament(number=table.snapshot().number, player=player, left=left)
    return known(table.submit(command).tournament)


def test_a_player_who_left_a_knockout_cannot_return_once_the_walkover_winner_plays_another_match(table: Table) -> None:
    begin(table, players=("Ann", "Ben", "Cid", "Dee"))
    play_next(table, random.Random(5))
    gone, other = known(on(table).next)["players"]
    leave(table, gone)
    assert known(leave(table, gone, left=False).next)["players"] == [gone, other], "nobody has played on it yet"
    leave(table, gone)
    assert other in play_next(table, random.Random(6))
    final = on(table)
    with pytest.raises(WalkoverUsed, match=f"'{gone}' can't come back"):
        leave(table, gone, left=False)
    assert on(table) == final
    table.submit(PlayLine(number=table.snapshot().number, line={"undo": 1}))
    assert gone not in leave(table, gone, left=False).left, "the final is on again, without a result"


def restarted(folder: Path, archive: bool) -> TournamentView | None:
    """Return the tournament that a table shows after a start on this folder, with or without its archive."""
    if not archive:
        (folder / FILE_NAME).unlink(missing_ok=True)
    table = table_in(folder)
    table.start()
    table.stop()
    return table.snapshot().tournament


def test_a_knockout_of_five_has_four_matches_and_ranks_the_winner_first(table: Table) -> None:
    chance = random.Random(3)
    assert known(begin(table).next)["players"] == ["Dee", "Eve"]
    played = list[tuple[str, str]]()
    while on(table).next is not None:
        played.append(play_next(table, chance))
    view = on(table)
    assert (view.over, len(played), len(view.matches)) == (True, 4, 4)
    winners = [match.players[known(match.won).index(1)] for match in view.matches]
    assert set(view.matches[-1].players) == set(winners[-3:-1]), "the final is between the winners of the semi-finals"
    winner = winners[-1]
    assert (view.standings[0].player, view.standings[0].place) == (winner, 1)


def test_a_tournament_match_counts_only_games_of_its_players_and_rules(table: Table) -> None:
    chance, number = random.Random(4), table.snapshot().number
    before = begin(table, "round_robin", FIVE[:3])
    pair = known(before.next)["players"]
    house = {"house": {"player": pair[1], "level": "careless"}}
    for header, terms in (
        ({"transcript": 1, "game": "crapola", "players": pair, "rules": {"target": 600, "entry": 0}}, {}),
        ({"transcript": 1, "game": "crapola", "players": list(FIVE[:3]), "rules": SHORT}, {}),
        ({"transcript": 1, "game": "crapola", "players": ["Ann", "Zoe"], "rules": SHORT}, {}),
        (known(before.next), house),
    ):
        table.submit(StartGame(header=header, terms=terms))
        play_out(table, chance)
        assert on(table).matches == before.matches
    play_next(table, chance)
    assert sum(match.won is not None for match in on(table).matches) == 1
    assert table.snapshot().number > number


def test_an_undo_or_a_throw_correction_changes_the_result_of_a_tournament_match(table: Table) -> None:
    begin(table, "round_robin", ("Ann", "Ben"))
    table.submit(StartGame(header=known(on(table).next)))
    throws = ([5, 2, 2, 3, 4, 6], [1, 1, 1, 2, 3, 4])
    for dice, kept in ((throws[0], [5]), (throws[1], [1, 1, 1])):
        for line in ({"throw": dice}, {"do": "keep", "dice": kept}, {"do": "stop"}):
            table.submit(PlayLine(number=table.snapshot().number, line=line))
    for line in ({"throw": [2, 3, 4, 6, 2, 3]},):
        table.submit(PlayLine(number=table.snapshot().number, line=line))
    (match,) = on(table).matches
    loser = known(match.won).index(0)
    assert match.players[loser] == "Ann"
    table.submit(PlayLine(number=table.snapshot().number, line={"undo": 1}))
    assert on(table).matches[0].won is None, "it goes on"
    for line in ({"throw": [1, 1, 1, 1, 2, 3]}, {"do": "keep", "dice": [1, 1, 1, 1]}, {"do": "stop"}):
        table.submit(PlayLine(number=table.snapshot().number, line=line))
    assert known(on(table).matches[0].won)[0] == 1, "Ann passes Ben in the last turn"
    table.submit(StartGame(header={"transcript": 1, "game": "crag", "players": ["Cid", "Dee"]}))
    last = table.state().record.games[0].throws[-1].number
    with pytest.raises(CompanionError):
        table.submit(CorrectThrow(number=table.snapshot().number, throw=last, values=(2, 2, 3, 3, 4, 6)))
    table.submit(PlayLine(number=table.snapshot().number, line={"undo": 1}))
    table.submit(CorrectThrow(number=table.snapshot().number, throw=last, values=(1, 1, 1, 1, 1, 3)))
    assert known(on(table).matches[0].scores)[0] > 1000


def test_tournament_walkovers_against_a_player_who_left_are_revoked_when_the_player_returns(table: Table) -> None:
    chance = random.Random(5)
    begin(table, "round_robin", FIVE[:4])
    one, _ = play_next(table, chance)
    view = leave(table, one)
    walkovers = [match for match in view.matches if match.won is not None and match.game is None]
    assert len(walkovers) == 2
    assert all(known(match.won)[match.players.index(one)] == 0 for match in walkovers)
    assert view.left == (one,)
    view = leave(table, one, left=False)
    assert [match for match in view.matches if match.won is not None and match.game is None] == []
    with pytest.raises(CompanionError, match="'Zoe' does not play"):
        leave(table, "Zoe")


@pytest.mark.parametrize("form", ["knockout", "round_robin"])
def test_a_later_game_of_a_player_who_left_the_tournament_changes_no_match_result(table: Table, form: str) -> None:
    chance = random.Random(6)
    before = begin(table, form, FIVE[:4])
    one, other = known(before.next)["players"]
    leave(table, other)
    while on(table).next is not None:
        play_next(table, chance)
    decided = on(table).matches
    table.submit(StartGame(header={**known(before.next), "players": [other, one]}))
    play_out(table, chance)
    assert on(table).matches == decided
    table.submit(StartGame(header={"transcript": 1, "game": "crag", "players": ["Cid", "Dee"]}))
    assert on(table).matches == decided, "also once the game is in the archive"
    if form == "round_robin":  # in a knockout the final was played on the walkover
        assert leave(table, other, left=False).matches != decided, "the games count for one who had not left"


def test_a_player_who_leaves_a_game_loses_the_tournament_match(table: Table) -> None:
    begin(table, "knockout", ("Ann", "Ben"), handicaps={"Ann": 5000})
    table.submit(StartGame(header=known(on(table).next)))
    table.submit(PlayLine(number=table.snapshot().number, line=line_of(Leave("Ann"))))
    assert on(table).matches[0].won == (0, 1)
    table.submit(StartGame(header={"transcript": 1, "game": "crag", "players": ["Cid", "Dee"]}))
    assert on(table).matches[0].won == (0, 1), "also once the game is in the archive"


def test_a_table_refuses_a_second_tournament_until_the_first_is_over(table: Table) -> None:
    begin(table, players=("Ann", "Ben"))
    with pytest.raises(CompanionError, match="End it before you begin another"):
        begin(table)
    table.submit(EndTournament(number=table.snapshot().number))
    assert table.snapshot().tournament is None
    begin(table, players=("Ann", "Ben"))
    leave(table, "Ben")
    assert on(table).over
    assert len(begin(table).players) == 5


def test_a_tournament_with_an_invalid_game_rule_player_or_handicap_is_refused(table: Table) -> None:
    number = table.snapshot().number
    for wrong, why in (
        ({"game": "chess"}, "chess"),
        ({"rules": {"bombs": True}}, "bombs"),
        ({"players": ("Ann", "")}, "player"),
        ({"handicaps": {"Zoe": 3}}, "Zoe"),
    ):
        sent: dict[str, Any] = {"form": "knockout", "game": "crapola", "players": FIVE, **wrong}
        with pytest.raises(CompanionError, match=why):
            table.submit(BeginTournament(number=number, **sent))
    assert table.snapshot().number == number
    with pytest.raises(CompanionError, match="No tournament is on"):
        table.submit(EndTournament(number=number))


@pytest.mark.parametrize("seed", range(6))
def test_a_restart_restores_the_tournament_with_or_without_the_archive(tmp_path: Path, seed: int) -> None:
    chance, table = random.Random(seed), table_in(tmp_path)
    table.start()
    begin(table, chance.choice(("knockout", "round_robin")), FIVE[: chance.randint(3, 5)], handicaps={"Ben": 100})
    for _ in range(14):
        view, number = table.snapshot().tournament, table.snapshot().number
        match chance.randint(0, 9):
            case 0 if view is not None:
                leave(table, chance.choice(view.players), left=chance.random() < 0.5)
            case 1 if view is not None and chance.random() < 0.3:
                table.submit(EndTournament(number=number))
            case 2:
                table.submit(StartGame(header={"transcript": 1, "game": "crag", "players": ["Ann", "Zoe"]}))
            case 3 if number > 3 and table.snapshot().game:
                table.submit(PlayLine(number=number, line={"undo": 1}))
            case 4 if table.snapshot().state and known(table.snapshot().state)["over"]:
                table.submit(NextGame(number=number))
            case _ if view is not None and view.next is not None:
                play_next(table, chance)
            case _:
                pass
    shown = table.snapshot().tournament
    table.stop()
    assert restarted(tmp_path, archive=True) == shown
    assert restarted(tmp_path, archive=False) == shown
