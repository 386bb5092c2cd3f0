"""Sittings: games lost, starters, colours, and the photos of throws."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from companion.errors import IllegalAction, RulesError
from companion.games.engine.game import Outcome
from companion.table.commands import Abandon, CorrectThrow, EndSitting, NextGame, Observe, PressButton, StartGame
from companion.table.evening.sitting import colours, next_starting_seat, sitting_of
from companion.table.journal import Journal
from companion.table.photos import Photos
from companion.table.writer import Table
from tests.known import known
from tests.table.acting import HEADER, Tray, played, started, table_in

SIXES: list[dict[str, Any]] = [{"throw": [6] * 7}, {"do": "point", "value": 6}]
WIN: list[dict[str, Any]] = [*SIXES, *SIXES, *SIXES, *SIXES, *SIXES, {"do": "stop"}]
TWO: list[dict[str, Any]] = [{"throw": [5, 5, 2, 2, 1, 4, 6]}, {"do": "point", "value": 5}, {"do": "stop"}]


def test_a_sitting_counts_each_players_lost_games_and_the_loser_starts_the_next_game(table: Table) -> None:
    table.submit(StartGame(header=HEADER))
    with pytest.raises(IllegalAction, match="not over"):
        table.submit(NextGame(number=1))
    played(table, [*WIN, *TWO])
    over = table.snapshot()
    assert (over.phase, over.next_starter) == ("over", "Ben")
    assert (over.sitting.games, over.sitting.games_lost) == (1, {"Ann": 0, "Ben": 1})
    following = table.submit(NextGame(number=over.number))
    assert (known(following.state)["player"], following.sitting.games) == ("Ben", 1)
    played(table, [*WIN, *TWO])
    assert table.snapshot().sitting.games_lost == {"Ann": 1, "Ben": 1}
    played(table, [{"undo": 1}])
    assert table.snapshot().sitting.games_lost == {"Ann": 0, "Ben": 1}
    played(table, [{"do": "stop"}])
    assert known(table.submit(PressButton(button="next")).state)["player"] == "Ann"


def test_the_table_refuses_to_abandon_a_finished_game_until_an_undo(table: Table) -> None:
    with pytest.raises(IllegalAction, match="No game"):
        table.submit(Abandon(number=0))
    table.submit(StartGame(header=HEADER))
    played(table, [*WIN, *TWO])
    with pytest.raises(IllegalAction, match="over"):
        table.submit(Abandon(number=table.snapshot().number))
    assert (table.snapshot().abandoned, known(table.snapshot().state)["over"]) == (False, True)
    assert known(table.snapshot().state)["outcome"]["winners"] == ["Ann"]
    played(table, [{"undo": 1}])
    assert table.submit(Abandon(number=table.snapshot().number)).abandoned


def test_a_series_of_games_ends_on_command_or_when_other_players_start_a_game(table: Table) -> None:
    table.submit(StartGame(header=HEADER))
    played(table, [*WIN, *TWO])
    table.submit(EndSitting(number=table.snapshot().number))
    assert table.submit(NextGame(number=table.snapshot().number)).sitting.games == 0
    played(table, [*WIN, *TWO])
    assert table.snapshot().sitting.games == 1
    assert table.submit(StartGame(header={**HEADER, "players": ["Ben", "Ann"]})).sitting.games == 1
    assert table.submit(StartGame(header={**HEADER, "players": ["Ben", "Cat"]})).sitting.games == 0


@pytest.mark.parametrize("players", [["Ben", "Ann"], ["Ann", "Cat"]])
@pytest.mark.parametrize("restarts", [False, True])
def test_undoing_the_start_of_the_next_game_does_not_reopen_an_ended_sitting(
    table: Table, players: list[str], restarts: bool
) -> None:
    table.submit(StartGame(header=HEADER))
    played(table, [*WIN, *TWO])
    table.submit(EndSitting(number=table.snapshot().number))
    table.submit(StartGame(header={**HEADER, "players": players}))
    if restarts:
        table.stop()
        table.start()
    played(table, [{"undo": 1}])
    assert table.snapshot().sitting.games == 1
    assert table.submit(NextGame(number=table.snapshot().number)).sitting.games == 0


def test_an_abandoned_game_refuses_throws_and_is_not_counted_among_games_played(table: Table) -> None:
    table.submit(StartGame(header=HEADER))
    played(table, TWO)
    left = table.submit(Abandon(number=table.snapshot().number))
    assert (left.phase, left.options, left.sitting.games) == ("over", (), 0)
    tray = Tray()
    assert table.submit(Observe(tray.throw(5, 5, 2, 2, 1, 4, 6))).number == left.number
    with pytest.raises(IllegalAction, match="abandoned"):
        played(table, [{"throw": [5, 5, 2, 2, 1, 4, 6]}])
    assert known(table.submit(NextGame(number=left.number)).state)["scores"] == {"Ann": 0, "Ben": 0}


@pytest.mark.parametrize(
    ("rolls", "starter", "again"), [([[1, 1], [6, 6]], "Ben", False), ([[1, 1]], "Ann", True), ([], "Ann", True)]
)
def test_the_game_after_an_abandoned_one_is_started_by_its_roll_off_winner_or_by_a_new_roll_off(
    table: Table, rolls: list[list[int]], starter: str, again: bool
) -> None:
    table.submit(StartGame(header={**HEADER, "roll_off": True}))
    played(table, [{"throw": dice} for dice in rolls])
    table.submit(Abandon(number=table.snapshot().number))
    after = table.submit(NextGame(number=table.snapshot().number))
    assert (known(after.state)["player"], known(after.header).get("roll_off", False)) == (starter, again)


@pytest.mark.parametrize("abandoned", [False, True])
def test_a_restart_after_a_finished_or_abandoned_game_shows_no_notice(table: Table, abandoned: bool) -> None:
    table.submit(StartGame(header=HEADER))
    played(table, TWO if abandoned else [*WIN, *TWO])
    if abandoned:
        table.submit(Abandon(number=table.snapshot().number))
    table.stop()
    table.start()
    assert table.snapshot().notice is None


def test_a_throw_correction_that_completes_an_abandoned_game_turns_it_into_a_finished_game(table: Table) -> None:
    header = {**HEADER, "game": "crapola", "rules": {"target": 500, "entry": 0}}
    table.submit(StartGame(header=header))
    ann: list[dict[str, Any]] = [{"throw": [5, 2, 2, 3, 4, 6]}, {"do": "keep", "dice": [5]}, {"do": "stop"}]
    ben: list[dict[str, Any]] = [{"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"}]
    played(table, [*ann, *ben, {"throw": [5, 2, 2, 3, 4, 6]}])
    last = table.state().throws[-1].number
    left = table.submit(Abandon(number=table.snapshot().number))
    after = table.submit(CorrectThrow(number=left.number, throw=last, values=(2, 2, 3, 3, 4, 6)))
    assert (after.abandoned, after.sitting.games, after.next_starter) == (False, 1, "Ann")
    assert [event.code for event in after.events[-2:]] == ["game_over", "corrected"]
    assert "abandoned" not in {event.code for event in after.events}


@pytest.mark.parametrize(
    ("lost", "scores", "starts"),
    [
        ((0, 1, 2), (125, 70, 40), 2),
        ((0, 2, 1), (125, 70, 40), 1),
        ((0, 1, 1), (125, 70, 90), 1),
        ((0, 1, 1), (125, 70, 70), 2),
        ((0, 0, 0), (125, 125, 125), 2),
    ],
)
def test_most_games_lost_then_worst_score_then_table_order_decide_who_starts_the_next_game(
    lost: tuple[int, ...], scores: tuple[int, ...], starts: int
) -> None:
    assert next_starting_seat(scores, lost, first=1, seats=3) == starts


def test_after_a_tied_game_the_player_after_the_roll_off_winner_starts_the_next_one(table: Table) -> None:
    table.submit(StartGame(header={**HEADER, "players": ["Ann", "Ben", "Cat"], "roll_off": True}))
    played(table, [{"throw": [1, 1]}, {"throw": [6, 6]}, {"throw": [1, 2]}])
    played(table, [*WIN, *WIN, *WIN])  # all finish level: the seat after the one who started is next
    assert known(table.snapshot().state)["outcome"]["winners"] == ["Ann", "Ben", "Cat"]
    assert table.snapshot().next_starter == "Cat"


def test_if_the_player_who_started_is_on_the_losing_team_their_partner_starts_the_next_game() -> None:
    assert next_starting_seat((125, 30), (0, 1), first=1, seats=4) == 3


def test_starting_a_game_deletes_the_oldest_photos_over_their_size_limit(tmp_path: Path) -> None:
    photos, tray = Photos(tmp_path, cap_bytes=30), Tray()
    table = Table(Journal(tmp_path), photos)
    table.start()
    started(table, HEADER)
    for _ in range(3):
        table.submit(Observe(tray.throw(5, 5, 2, 2, 1, 4, 6)))
        table.submit(StartGame(header=HEADER))
    assert sorted(photos.numbers()) == [2, 3], "two photos of 15 bytes fit"
    table.stop()


def test_starting_photo_storage_deletes_the_oldest_photos_over_its_size_limit(tmp_path: Path) -> None:
    photos = Photos(tmp_path)
    photos.start(last_throw=2)
    for throw in (1, 2):
        photos.keep(throw, b"a photo")
    Photos(tmp_path, cap_bytes=10).start(last_throw=2)
    assert photos.numbers() == (2,)


def test_starting_the_photo_store_renames_and_keeps_a_photo_whose_throw_is_not_in_the_journal(tmp_path: Path) -> None:
    photos = Photos(tmp_path)
    photos.start(last_throw=0)
    photos.keep(1, b"one")
    photos.keep(2, b"two")
    (tmp_path / "photos" / "3.part").write_bytes(b"half")
    photos.start(last_throw=1)
    assert sorted(file.name for file in (tmp_path / "photos").iterdir()) == ["1.jpg", "2.unclaimed1.jpg"]
    photos.keep(2, b"another")
    photos.start(last_throw=1)
    assert (tmp_path / "photos" / "2.unclaimed1.jpg").read_bytes() == b"two"
    assert (tmp_path / "photos" / "2.unclaimed2.jpg").read_bytes() == b"another"
    (tmp_path / "photos" / "2.unclaimed1.jpg").unlink()
    photos.keep(2, b"a third")
    photos.start(last_throw=1)
    assert (tmp_path / "photos" / "2.unclaimed2.jpg").read_bytes() == b"another"
    assert (tmp_path / "photos" / "2.unclaimed1.jpg").read_bytes() == b"a third"


def test_a_table_plays_without_photos_if_a_file_is_in_their_folders_place(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "photos").write_text("in the way")
    table = table_in(tmp_path)
    table.start()
    assert "Photos can't be kept" in caplog.text
    started(table, HEADER)
    after = table.submit(Observe(Tray().throw(5, 5, 2, 2, 1, 4, 6)))
    assert (after.number, after.throws[-1].photo) == (2, False), "a throw counts without its photo"
    table.stop()


def test_returning_players_keep_their_colours_and_new_ones_get_the_least_used() -> None:
    worn = colours({}, ("Ann", "Ben", "Cid"))
    assert list(colours(worn, ("Cid", "Ann", "Ben")).items()) == [("Cid", 2), ("Ann", 0), ("Ben", 1)]
    assert colours({"Ann": 0, "Ben": 1}, ("Dot", "Ben", "Ann")) == {"Dot": 2, "Ben": 1, "Ann": 0}
    assert colours({"Ann": 0, "Ben": 1, "Cid": 0, "Dot": 1}, ("Ann", "Cid")) == {"Ann": 0, "Cid": 1}
    assert sorted(colours({}, tuple("ABCDEFGHIJKL")).values()) == [0, 0, 1, 1, *range(2, 10)]


def test_choosing_another_players_colour_swaps_and_a_bad_choice_is_refused(table: Table) -> None:
    header = {**HEADER, "players": ["Ann", "Ben"]}
    table.submit(StartGame(header=header))
    assert table.submit(StartGame(header=header, colours={"Ben": 0})).sitting.colours == {"Ann": 1, "Ben": 0}
    assert table.submit(StartGame(header=header)).sitting.colours == {"Ann": 1, "Ben": 0}
    for wrong in ({"Ben": 10}, {"Cid": 1}, {"Ann": 3, "Ben": 3}, {"Ann": "red"}, [1]):
        with pytest.raises(RulesError, match="colour"):
            table.submit(StartGame(header=header, colours=wrong))


def test_player_colours_persist_over_sittings_and_table_restarts(table: Table) -> None:
    wanted = [
        {"Ann": 0, "Ben": 1, "Cid": 2},
        {"Cid": 2, "Dot": 0},
        {"Eve": 0, "Fay": 1},
        {"Dot": 0, "Ben": 1, "Cid": 2},
    ]
    for worn in wanted:
        table.submit(StartGame(header={**HEADER, "players": list(worn)}))
        table.stop()
        table.start()
        assert table.snapshot().sitting.colours == worn


def test_a_series_of_games_is_led_by_most_games_won_and_on_a_tie_by_fewest_games_lost() -> None:
    names = ("Ann", "Ben", "Cid")
    won_by = [Outcome((0,), (0, 4, 1)), Outcome((1,), (1, 0, 1)), Outcome((0, 1), (0, 0, 2))]
    sitting = sitting_of((names, outcome) for outcome in won_by)
    assert sitting.games_won == {"Ann": 1.5, "Ben": 1.5, "Cid": 0.0}
    assert (sitting.games_lost, sitting.ahead) == ({"Ann": 1, "Ben": 4, "Cid": 4}, ("Ann",))
    assert sitting_of([(names, Outcome((2,), (2, 1, 0)))]).ahead == ("Cid",)
    assert sitting_of([]).ahead == ()


def test_a_game_starts_even_if_the_oldest_photos_cannot_be_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    photos = Photos(tmp_path, cap_bytes=1)
    table = Table(Journal(tmp_path), photos)
    table.start()
    tray = Tray()
    started(table, HEADER)
    table.submit(Observe(tray.throw(5, 5, 2, 2, 1, 4, 6)))
    assert photos.jpeg(1)

    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "unlink", read_only)
    begun = table.submit(StartGame(header={**HEADER, "players": ["Cat", "Dan"]}))
    monkeypatch.undo()
    assert photos.jpeg(1), "the oldest photo is over the size limit, and could not be deleted"
    tray.knock()
    assert table.submit(Observe(tray.observation())).throws == begun.throws == (), "the dice belong to the last game"
    table.stop()
