"""Crib Dice, claim by claim as docs/reference/rules.md makes them: bombs, finding a loser, partners."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.errors import RulesError
from companion.games.crib_dice.pegs import new_board
from companion.games.engine.notation import action_of, header_of
from companion.games.engine.transcript import Transcript
from tests.games.crib_turns import MISS, TWO, bank, ones, refused, sevens, view
from tests.games.playing import BOMB, NAMES, STOP, begun, point, throw

# --- the bomb


def test_a_crib_dice_bomb_is_refused_without_the_bomb_rule() -> None:
    assert view([*bank(20), *ones(6)])["decisions"] == ["stop"]
    refused([*bank(20), *ones(6), BOMB])


@pytest.mark.parametrize("count", [6, 7])
def test_a_crib_dice_bomb_on_six_or_seven_1s_swaps_the_pegs_at_once(count: int) -> None:
    assert view([*bank(20), *ones(count)], bomb=True)["decisions"] == ["bomb", "stop"]
    after = view([*bank(20), *ones(count), BOMB], bomb=True)
    assert (after["scores"], after["player"], after["bombing"]) == ({"Ann": 0, "Ben": 20}, "Ann", False)
    assert (after["wipeouts"], after["turn_points"]) == ({"Ann": 0, "Ben": 0}, 0)


def test_a_crib_dice_bomb_with_five_1s_allows_only_a_throw_of_two_dice() -> None:
    lines = [*bank(20), *sevens(2), *ones(5), BOMB]
    after = view(lines, bomb=True)
    assert (after["bombing"], after["throw_sizes"], after["decisions"]) == (True, [2], [])
    assert (after["turn_points"], after["frozen"], after["point"], after["player"]) == (13, 5, 1, "Ben")
    for line in (STOP, BOMB, throw(1, 2, 3), throw(*[1] * 7)):
        refused([*lines, line], bomb=True)


@pytest.mark.parametrize("dice", [(1, 2), (2, 1), (1, 1), (6, 1)])
def test_a_1_in_an_announced_crib_dice_bomb_swaps_bomber_and_leader_pegs(dice: tuple[int, int]) -> None:
    after = view([*bank(20), *MISS, *TWO, *ones(5), BOMB, throw(*dice)], bomb=True)
    assert after["scores"] == {"Ann": 0, "Ben": 22}
    assert (after["wipeouts"]["Ben"], after["player"]) == (0, "Ann")


@pytest.mark.parametrize("dice", [(2, 2), (2, 3), (6, 5)])
def test_an_announced_crib_dice_bomb_without_a_1_is_a_wipe_out(dice: tuple[int, int]) -> None:
    after = view([*bank(20), *ones(5), BOMB, throw(*dice)], bomb=True)
    assert (after["scores"], after["wipeouts"]["Ben"], after["player"]) == ({"Ann": 20, "Ben": 0}, 1, "Ann")


def test_a_failed_crib_dice_bomb_can_fuchle_or_eliminate_the_bomber() -> None:
    lost = [*ones(5), BOMB, throw(2, 3)]
    lines = [*bank(20), *MISS, *TWO, *MISS, *TWO, *lost]
    assert view(lines, bomb=True)["fuchled"] == ["Ben"]
    more = [*lines, *TWO, *MISS, *TWO, *lost]
    assert view(more, bomb=True, double_fuchle=True)["out"] == ["Ben"]


def test_a_1_in_a_crib_dice_piddle_swaps_no_pegs_if_no_bomb_is_announced() -> None:
    after = view([*bank(20), *ones(5), throw(1, 3)], bomb=True)
    assert (after["scores"], after["player"], after["throw_sizes"]) == ({"Ann": 20, "Ben": 0}, "Ben", [7])


def test_neither_six_2s_nor_four_1s_allow_a_crib_dice_bomb() -> None:
    assert view([*bank(20), throw(*[2] * 6, 1), point(2)], bomb=True)["decisions"] == ["stop"]
    assert view([*bank(20), *ones(4)], bomb=True)["decisions"] == ["stop"]
    refused([*bank(20), *ones(4), BOMB], bomb=True)


def test_a_sole_or_joint_leader_in_crib_dice_cannot_bomb() -> None:
    assert view(ones(6), bomb=True)["decisions"] == ["stop"]
    assert view([*bank(20), *bank(20), *ones(6)], bomb=True)["decisions"] == ["stop"]
    assert view([*bank(20), *bank(22), *TWO, *ones(6)], bomb=True)["decisions"] == ["stop"]
    assert view([*bank(20), *bank(22), *ones(6)], bomb=True)["decisions"] == ["bomb", "stop"]


def test_a_crib_dice_bomb_hits_the_first_clockwise_of_equal_leaders() -> None:
    lines = [*bank(20), *TWO, *bank(20), *TWO, *TWO, *ones(6), BOMB]
    assert view([*bank(20), *TWO, *bank(20), *ones(6), BOMB], players=4, bomb=True)["scores"] == {
        "Ann": 0,
        "Ben": 2,
        "Cat": 20,
        "Dan": 20,
    }
    # Ann has gone ahead alone.
    assert view(lines, players=4, bomb=True)["scores"] == {"Ann": 2, "Ben": 22, "Cat": 20, "Dan": 2}
    two_ahead = [*bank(20), *TWO, *bank(20), *TWO, *MISS, *ones(6), BOMB]
    assert view(two_ahead, players=4, bomb=True)["scores"] == {"Ann": 20, "Ben": 20, "Cat": 2, "Dan": 2}


def test_a_finished_crib_dice_peg_is_neither_leader_nor_target_of_a_bomb() -> None:
    after = view([*bank(121), *bank(20), *ones(6), BOMB], players=3, bomb=True)
    assert after["scores"] == {"Ann": 121, "Ben": 0, "Cat": 20}
    assert view([*bank(121), *ones(6)], bomb=True)["decisions"] == ["stop"]
    lines = [*TWO, *bank(20), *TWO, *bank(119), *ones(6)]
    assert view(lines, players=3, bomb=True)["decisions"] == ["stop"]


def test_an_eliminated_crib_dice_peg_cannot_be_bombed() -> None:
    lines = [*([*TWO, *MISS, *TWO] * 5), *ones(6)]
    assert view(lines, players=3, bomb=True, double_fuchle=True)["out"] == ["Ben"]
    assert view(lines, players=3, bomb=True, double_fuchle=True)["decisions"] == ["stop"]
    board = replace(new_board(begun("crib_dice", 3).header, 0), out=frozenset({1}), pegs=(0, 20, 10))
    assert (board.furthest, replace(board, pegs=(0, 20, 0)).may_bomb) == (2, False)


def test_a_crib_dice_bomb_keeps_the_victims_wipe_outs_and_is_no_fuchle() -> None:
    lines = [*bank(20), *MISS, *MISS, *MISS, *MISS, *ones(6), BOMB]
    after = view(lines, bomb=True)
    assert (after["scores"], after["wipeouts"], after["fuchled"]) == ({"Ann": 0, "Ben": 20}, {"Ann": 2, "Ben": 0}, [])
    assert view([*lines, *MISS], bomb=True)["fuchled"] == ["Ann"]


def test_a_fuchled_crib_dice_player_who_bombs_is_no_longer_fuchled() -> None:
    lines = [*bank(20), *MISS, *TWO, *MISS, *TWO, *MISS, *TWO]
    assert view(lines, bomb=True)["fuchled"] == ["Ben"]
    after = view([*lines, *ones(6), BOMB], bomb=True)
    assert (after["fuchled"], after["scores"]) == ([], {"Ann": 0, "Ben": 26})


def test_a_crib_dice_bomb_under_the_bumping_rule_bumps_no_peg() -> None:
    after = view([*bank(20), *TWO, *ones(6), BOMB], players=3, bomb=True, bumping=True)
    assert after["scores"] == {"Ann": 0, "Ben": 2, "Cat": 20}


def test_a_crib_dice_bomb_on_five_1s_succeeds_at_once_in_pandemonium() -> None:
    assert view([*bank(20), *ones(5), BOMB], bomb=True, pandemonium=True)["scores"] == {"Ann": 0, "Ben": 20}
    assert view([*bank(20), *ones(4)], bomb=True, pandemonium=True)["decisions"] == ["stop"]
    assert view([*bank(20), *ones(5)], pandemonium=True)["decisions"] == ["stop"]


# --- find a loser


def test_crib_dice_find_a_loser_plays_on_until_only_one_has_not_finished() -> None:
    lines = [*bank(121), *TWO, *TWO, *TWO]
    after = view(lines, players=3, find_a_loser=True)
    assert (after["player"], after["over"], after["round"], after["finished"]) == ("Cat", False, 2, ["Ann"])
    end = view([*lines, *bank(119)], players=3, find_a_loser=True)
    assert end["outcome"] == {"winners": ["Ann", "Cat"], "games_lost": {"Ann": 0, "Ben": 1, "Cat": 0}}
    assert end["over"]


def test_crib_dice_find_a_loser_lists_winners_in_order_of_finishing() -> None:
    lines = [*TWO, *TWO, *bank(150), *bank(119)]
    end = view(lines, players=3, find_a_loser=True)
    assert end["outcome"]["winners"] == ["Cat", "Ann"]
    assert end["finished"] == ["Cat", "Ann"]


def test_the_last_player_not_eliminated_wins_crib_dice_find_a_loser() -> None:
    end = view([*([*MISS, *TWO] * 4), *MISS], find_a_loser=True, double_fuchle=True)
    assert end["outcome"] == {"winners": ["Ben"], "games_lost": {"Ann": 1, "Ben": 0}}


def test_crib_dice_find_a_loser_rule_gives_eliminated_players_lost_games() -> None:
    lines = [*([*TWO, *MISS, *TWO] * 4), *bank(113), *MISS]
    end = view(lines, players=3, find_a_loser=True, double_fuchle=True, skunk=True)
    assert end["outcome"] == {"winners": ["Ann"], "games_lost": {"Ann": 0, "Ben": 4, "Cat": 2}}


# --- partners


def test_crib_dice_partners_share_a_score_and_take_turns() -> None:
    lines: list[dict[str, Any]] = []
    seen = []
    for _ in range(5):
        now = view(lines, players=4, partners=True)
        seen.append((now["player"], now["round"]))
        lines += TWO
    assert seen == [("Ann", 1), ("Ben", 1), ("Cat", 2), ("Dan", 2), ("Ann", 3)]
    assert view(lines, players=4, partners=True)["scores"] == {"Ann & Cat": 6, "Ben & Dan": 4}


def test_six_crib_dice_partners_are_three_teams_of_two() -> None:
    start = view([*TWO, *TWO, *TWO, *TWO], players=6, partners=True)
    assert start["scores"] == {"Ann & Dan": 4, "Ben & Eve": 2, "Cat & Fay": 2}
    assert (start["player"], start["round"]) == ("Eve", 2)


def test_a_crib_dice_round_with_partners_is_one_turn_of_each_team() -> None:
    lines = [*bank(121)]
    assert view(lines, players=4, first="Dan", partners=True)["player"] == "Ann"
    end = view([*lines, *TWO], players=4, first="Dan", partners=True)
    assert end["outcome"] == {"winners": ["Ben & Dan"], "games_lost": {"Ann & Cat": 1, "Ben & Dan": 0}}


def test_a_crib_dice_bomb_by_a_partner_swaps_the_pegs_of_two_teams() -> None:
    after = view([*bank(20), *TWO, *ones(6), BOMB], players=6, partners=True, bomb=True)
    assert after["scores"] == {"Ann & Dan": 0, "Ben & Eve": 2, "Cat & Fay": 20}


def test_each_crib_dice_partner_throws_in_the_roll_off_and_the_best_starts() -> None:
    transcript = begun("crib_dice", 4, rules={"partners": True}, roll_off=True)
    for name, dice in zip(NAMES, [(1, 2), (1, 1), (6, 6), (2, 3)], strict=False):
        assert transcript.view()["player"] == name
        assert transcript.view()["scores"] == {"Ann & Cat": 0, "Ben & Dan": 0}
        transcript = transcript.then(action_of(throw(*dice)))
    assert transcript.view()["player"] == "Cat"


@pytest.mark.parametrize(("players", "partners"), [(6, False), (7, False), (1, False), (2, True), (3, True), (5, True)])
def test_crib_dice_refuses_wrong_numbers_of_players_and_partners(players: int, partners: bool) -> None:
    with pytest.raises(RulesError):
        begun("crib_dice", players, rules={"partners": partners})


@pytest.mark.parametrize(("players", "partners"), [(2, False), (5, False), (4, True), (6, True)])
def test_crib_dice_accepts_allowed_numbers_of_players_and_partners(players: int, partners: bool) -> None:
    assert isinstance(begun("crib_dice", players, rules={"partners": partners}), Transcript)


def test_a_crib_dice_header_with_two_teams_of_equal_name_is_refused() -> None:
    header = {"transcript": 1, "game": "crib_dice", "players": ["A", "A & B", "B & C", "C"]}
    assert header_of(header).players == ("A", "A & B", "B & C", "C")
    with pytest.raises(RulesError, match="same name"):
        header_of({**header, "rules": {"partners": True}})
