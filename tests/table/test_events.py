"""Events of the games in the table's log: each once, with the right names and numbers."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.engine.notation import action_of, header_of
from companion.games.engine.transcript import Transcript
from companion.games.registry import GAMES
from companion.table import events


def told(header: dict[str, Any], *lines: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return code and arguments of the events of the last line."""
    transcript = Transcript.begin(header_of({"transcript": 1, **header}))
    for line in lines:
        transcript = transcript.then(action_of(line))
    return [(event.code, event.args) for event in events.events_of(transcript, number=1)]


def crib(**rules: bool) -> dict[str, Any]:
    return {"game": "crib_dice", "players": ["Ann", "Ben"], "rules": rules}


def throw(*dice: int) -> dict[str, Any]:
    return {"throw": list(dice)}


def point(value: int) -> dict[str, Any]:
    return {"do": "point", "value": value}


STOP = {"do": "stop"}
MIXED = throw(5, 5, 2, 2, 1, 4, 6)
WIPED = [MIXED, point(5), throw(2, 3, 3, 4, 6)]
BANKED_2 = [MIXED, point(5), STOP]


def test_a_crib_dice_freeze_event_counts_the_newly_frozen_dice() -> None:
    found = told(crib(), MIXED, point(5), throw(5, 5, 3, 4, 6))
    assert found == [
        ("threw", {"player": "Ann", "dice": [3, 4, 5, 5, 6]}),
        ("froze", {"player": "Ann", "value": 5, "dice": 2, "frozen": 4, "count": 2}),
    ]


def test_a_crib_dice_throw_with_a_1_but_no_point_die_emits_a_threw_event_and_no_freeze_event() -> None:
    assert [code for code, _ in told(crib(), MIXED, point(5), throw(1, 3, 3, 4, 6))] == ["threw"]


def test_a_crib_dice_bank_event_has_the_holes_before_and_after() -> None:
    assert told(crib(), *BANKED_2) == [("banked", {"player": "Ann", "points": 2, "from": 0, "to": 2})]


def test_the_event_of_a_third_crib_dice_wipe_out_in_a_row_names_the_hole_the_peg_fell_from() -> None:
    """A fuchle is the third wipe-out in a row."""
    lines = [*BANKED_2, *BANKED_2, *WIPED, *BANKED_2, *WIPED, *BANKED_2]
    found = told(crib(), *lines, *WIPED)
    assert [code for code, _ in found] == ["threw", "wiped_out", "fuchled"]
    assert found[1][1] == {"player": "Ann", "in_a_row": 3, "points": 2, "from": 2}
    assert found[2][1] == {"player": "Ann", "from": 2}


def test_crib_dice_double_fuchle_has_an_eliminated_and_a_game_over_event() -> None:
    """After a fuchle (three wipe-outs in a row) two more wipe-outs in a row eliminate a player."""
    lines = [*WIPED, *BANKED_2] * 4
    found = told(crib(double_fuchle=True), *lines, *WIPED)
    assert [code for code, _ in found] == ["threw", "wiped_out", "eliminated", "game_over"]
    assert found[-1][1]["winners"] == ["Ben"]


@pytest.mark.parametrize(("dice", "code"), [((4, 6), "rolled_over"), ((4, 4), "piddle_lost")])
def test_a_piddle_emits_piddle_lost_if_a_double_loses_it_else_rolled_over(dice: tuple[int, ...], code: str) -> None:
    """A piddle is a throw of two dice with five or six frozen; a double of another value than the point loses it."""
    found = told(crib(), throw(3, 3, 3, 3, 3, 1, 2), point(3), throw(*dice))
    assert found[1][0] == code
    if code == "rolled_over":
        assert found[1][1] == {"player": "Ann", "points": 9}
    else:
        assert [name for name, _ in found] == ["threw", "piddle_lost", "wiped_out"]


def test_crib_dice_gives_a_rolled_over_event_once_all_seven_dice_are_frozen() -> None:
    assert [code for code, _ in told(crib(), throw(*[4] * 7), point(4))] == ["point", "rolled_over"]
    found = told(crib(), throw(4, 4, 4, 4, 1, 2, 3), point(4), throw(4, 4, 4))
    assert [code for code, _ in found] == ["threw", "froze", "rolled_over"]
    assert found[-1][1]["points"] == 20


def test_crib_dice_has_events_for_announcing_a_bomb_its_hit_and_its_miss() -> None:
    """The hit names both players and both holes."""
    ones = throw(1, 1, 1, 1, 1, 2, 3)
    lines = [*BANKED_2[:-1], throw(5, 5, 5, 3, 4), STOP, ones, point(1), {"do": "bomb"}]
    assert told(crib(bomb=True), *lines) == [("bomb_announced", {"player": "Ben"})]
    hit = told(crib(bomb=True), *lines, throw(1, 6))
    assert hit[1] == ("bombed", {"player": "Ben", "on": "Ann", "from": 0, "to": 15})
    missed = told(crib(bomb=True), *lines, throw(2, 6))
    assert [code for code, _ in missed] == ["threw", "bomb_failed", "wiped_out"]


def test_a_failed_crib_dice_bomb_that_is_the_third_wipe_out_is_followed_by_a_fuchled_event() -> None:
    ones = throw(1, 1, 1, 1, 1, 2, 3)
    lines = [throw(5, 5, 5, 3, 1, 4, 6), point(5), STOP, *BANKED_2, *BANKED_2]
    lines += [*WIPED, *BANKED_2, *WIPED, *BANKED_2, ones, point(1), {"do": "bomb"}]
    lines = [*BANKED_2, *lines]
    found = told(crib(bomb=True), *lines, throw(2, 6))
    assert [code for code, _ in found] == ["threw", "bomb_failed", "wiped_out", "fuchled"]


def test_a_crib_dice_bump_event_names_the_bumped_player_and_both_holes() -> None:
    found = told(crib(bumping=True), *BANKED_2, *BANKED_2)
    assert found[1] == ("bumped", {"player": "Ann", "from": 2, "to": 0})


def test_a_crib_dice_finish_has_a_finished_event_and_later_a_game_over() -> None:
    big = [throw(*[6] * 7), point(6), throw(*[6] * 7), point(6), throw(*[6] * 7), point(6), throw(*[6] * 7), point(6)]
    finish = [*big, throw(6, 6, 6, 1, 2, 3, 4), point(6), STOP]
    found = told(crib(), *finish)
    assert [code for code, _ in found] == ["banked", "finished"]
    end = told(crib(), *finish, *BANKED_2)
    assert end[-1] == ("game_over", {"winners": ["Ann"], "games_lost": {"Ann": 0, "Ben": 1}})


def test_a_crib_dice_bank_event_of_partners_has_the_team_as_player() -> None:
    header = {"game": "crib_dice", "players": ["Ann", "Ben", "Cat", "Dan"], "rules": {"partners": True}}
    found = told(header, *BANKED_2, *BANKED_2, *BANKED_2)
    assert found == [("banked", {"player": "Ann & Cat", "points": 2, "from": 2, "to": 4})]


def test_crag_emits_a_kept_event_for_kept_dice_and_entered_and_jackpot_events_for_a_50_point_entry() -> None:
    header = {"game": "crag", "players": ["Ann"]}
    keep = {"do": "keep", "dice": [6, 6]}
    assert told(header, throw(6, 6, 2), keep) == [("kept", {"player": "Ann", "dice": [6, 6]})]
    entered = told(header, throw(6, 6, 2), keep, throw(1), {"do": "score", "category": "crag"})
    assert entered == [
        ("entered", {"player": "Ann", "category": "crag", "points": 50}),
        ("jackpot", {"player": "Ann", "points": 50, "dice": [1, 6, 6]}),
    ]


def test_crapola_emits_events_for_kept_dice_hot_dice_a_crap_out_and_a_reversal() -> None:
    header = {"game": "crapola", "players": ["Ann", "Ben", "Cat"], "rules": {"entry": 0}}
    everything = {"do": "keep", "dice": [1, 2, 3, 4, 5, 6]}
    found = told(header, throw(1, 2, 3, 4, 5, 6), everything)
    assert found[0] == ("kept", {"player": "Ann", "dice": [1, 2, 3, 4, 5, 6], "points": 1000})
    assert found[1] == ("hot_dice", {"player": "Ann"})
    crap = told(header, throw(2, 2, 3, 3, 4, 6))
    assert [code for code, _ in crap] == ["threw", "crapped_out", "reversed"]
    later = told(header, throw(1, 2, 3, 4, 5, 6), everything, throw(2, 2, 3, 3, 4, 6))
    assert later[1:] == [("crapped_out", {"player": "Ann", "points": 1000})]


def test_crapola_reports_the_last_round_and_points_spent_on_another_player_as_events() -> None:
    header = {"game": "crapola", "players": ["Ann", "Ben"], "rules": {"entry": 0, "target": 100}}
    last = told(header, throw(1, 2, 3, 3, 4, 6), {"do": "keep", "dice": [1]}, STOP)
    assert last[1] == ("last_round", {"player": "Ann"})
    header = {"game": "crapola", "players": ["Ann", "Ben"], "rules": {"entry": 0}}
    bank = [throw(1, 2, 3, 3, 4, 6), {"do": "keep", "dice": [1]}, STOP]
    spent = told(header, *bank, *bank, {"do": "spend", "on": "Ben", "points": 50})
    assert spent == [("spent", {"player": "Ann", "on": "Ben", "points": 50})]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_events_for_roll_off_throws_and_their_totals(game: str) -> None:
    header = {"game": game, "players": ["Ann", "Ben"], "roll_off": True}
    found = told(header, throw(3, 4))
    assert found == [
        ("threw", {"player": "Ann", "dice": [3, 4]}),
        ("rolled_off", {"player": "Ann", "total": 7}),
    ]
    assert told(header, throw(3, 4), throw(1, 1))[-1] == ("rolled_off", {"player": "Ben", "total": 2})
