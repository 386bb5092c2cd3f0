"""Crib Dice, claim by claim: the race of the pegs, what sends them back, and its end (docs/reference/rules.md)."""

from __future__ import annotations

import pytest

from tests.games.crib_turns import MISS, TWO, bank, refused, view
from tests.games.playing import BOMB, STOP, point, throw, told

# --- fuchle


def test_three_crib_dice_wipe_outs_in_a_row_fuchle_the_peg_to_hole_0() -> None:
    lines = [*bank(20), *TWO, *MISS, *TWO, *MISS, *TWO]
    assert view([*lines, *TWO])["scores"]["Ann"] == 22
    after = view([*lines, *MISS])
    assert (after["scores"]["Ann"], after["wipeouts"]["Ann"], after["fuchled"]) == (0, 0, ["Ann"])
    assert view([*lines, *MISS, *TWO, *TWO])["fuchled"] == []


def test_three_crib_dice_wipe_outs_with_the_peg_at_hole_0_are_a_fuchle() -> None:
    after = view([*MISS, *TWO, *MISS, *TWO, *MISS])
    assert (after["fuchled"], after["scores"]["Ann"]) == (["Ann"], 0)


def test_a_crib_dice_fuchle_under_pandemonium_takes_four_wipe_outs() -> None:
    lines = [*bank(20), *TWO, *MISS, *TWO, *MISS, *TWO, *MISS]
    assert view(lines, pandemonium=True)["scores"]["Ann"] == 20
    assert view(lines, pandemonium=True)["wipeouts"]["Ann"] == 3
    assert view([*lines, *TWO, *MISS], pandemonium=True)["fuchled"] == ["Ann"]


def test_crib_dice_without_double_fuchle_eliminates_nobody() -> None:
    lines = [*MISS, *TWO] * 5
    assert view(lines)["out"] == []
    assert view(lines)["wipeouts"]["Ann"] == 2
    assert view([*lines, *MISS])["fuchled"] == ["Ann"]


def test_crib_dice_double_fuchle_eliminates_at_2_wipe_outs_after_a_fuchle() -> None:
    lines = [*MISS, *TWO, *TWO] * 4
    assert view(lines, players=3, double_fuchle=True)["out"] == []
    after = view([*lines, *MISS], players=3, double_fuchle=True)
    assert (after["out"], after["fuchled"], after["wipeouts"]["Ann"], after["scores"]["Ann"]) == (["Ann"], [], 2, 0)
    assert (after["over"], after["player"]) == (False, "Ben")
    assert view([*lines, *MISS, *TWO, *TWO], players=3, double_fuchle=True)["player"] == "Ben"


def test_crib_dice_double_fuchle_eliminates_no_player_who_has_not_fuchled() -> None:
    assert view([*MISS, *TWO] * 2, double_fuchle=True)["out"] == []


def test_a_crib_dice_score_after_a_fuchle_prevents_elimination() -> None:
    lines = [*([*MISS, *TWO] * 4), *TWO, *TWO, *MISS, *TWO, *MISS]
    after = view(lines, double_fuchle=True)
    assert (after["out"], after["over"], after["wipeouts"]["Ann"]) == ([], False, 2)


def test_the_last_crib_dice_player_not_eliminated_wins_at_once() -> None:
    after = view([*([*MISS, *TWO] * 4), *MISS], double_fuchle=True, skunk=True)
    assert after["outcome"] == {"winners": ["Ben"], "games_lost": {"Ann": 4, "Ben": 0}}
    assert (after["over"], after["player"], after["round"]) == (True, None, 5)


def test_a_finished_crib_dice_player_stays_in_when_another_is_eliminated() -> None:
    lines = [*([*TWO, *MISS, *TWO] * 4), *bank(113), *MISS]
    after = view(lines, players=3, double_fuchle=True)
    assert (after["finished"], after["out"], after["over"], after["player"]) == (["Ann"], ["Ben"], False, "Cat")
    end = view([*lines, *TWO], players=3, double_fuchle=True)
    assert end["outcome"] == {"winners": ["Ann"], "games_lost": {"Ann": 0, "Ben": 1, "Cat": 1}}


# --- the end


def test_a_crib_dice_peg_at_hole_120_has_not_finished() -> None:
    after = view(bank(120))
    assert (after["finished"], after["over"]) == ([], False)
    assert view([*bank(120), *TWO])["over"] is False


def test_after_a_crib_dice_finish_the_others_play_the_round_to_its_end() -> None:
    after = view(bank(121), players=3)
    assert (after["finished"], after["player"], after["over"]) == (["Ann"], "Ben", False)
    assert view([*bank(121), *TWO], players=3)["over"] is False
    end = view([*bank(121), *TWO, *MISS], players=3)
    assert end["outcome"] == {"winners": ["Ann"], "games_lost": {"Ann": 0, "Ben": 1, "Cat": 1}}
    assert (end["player"], end["point"], end["frozen"], end["round"]) == (None, None, 0, 1)
    assert (end["throw_sizes"], end["decisions"], end["dice"], end["turn_points"]) == ([], [], [], 0)


def test_a_crib_dice_finish_by_the_last_of_the_round_ends_the_game() -> None:
    assert view([*TWO, *bank(121)])["over"] is True


def test_crib_dice_rounds_are_counted_from_the_player_who_started() -> None:
    assert view([*TWO, *bank(121)], players=3, first="Cat")["player"] == "Ben"
    assert view([*TWO, *bank(121), *TWO], players=3, first="Cat")["over"] is True


def test_the_crib_dice_peg_furthest_past_the_finish_wins() -> None:
    end = view([*bank(121), *bank(125)])
    assert (end["outcome"]["winners"], end["finished"]) == (["Ben"], ["Ann", "Ben"])


def test_equal_crib_dice_pegs_past_the_finish_share_the_win() -> None:
    end = view([*bank(121), *bank(121)], skunk=True)
    assert end["outcome"] == {"winners": ["Ann", "Ben"], "games_lost": {"Ann": 0, "Ben": 0}}


def test_after_a_crib_dice_game_ends_only_an_undo_is_allowed() -> None:
    lines = [*bank(121), *TWO]
    for line in (throw(*[1] * 7), STOP, BOMB, point(2)):
        assert "over" in refused([*lines, line])
    assert told("crib_dice", *lines, {"undo": 1}).view()["decisions"] == ["stop"]


def test_a_player_of_the_long_crib_dice_game_finishes_only_past_hole_240() -> None:
    short, past = view([*bank(240), *TWO], long_game=True), view([*bank(241), *TWO], long_game=True)
    assert (short["finished"], short["over"]) == ([], False)
    assert (past["finished"], past["over"], past["outcome"]["winners"]) == (["Ann"], True, ["Ann"])


# --- skunks


@pytest.mark.parametrize(("peg", "lost"), [(60, 2), (61, 1), (2, 2)])
def test_the_skunk_rule_doubles_a_crib_dice_loss_at_hole_60_or_less(peg: int, lost: int) -> None:
    assert view([*bank(121), *bank(peg)], skunk=True)["outcome"]["games_lost"] == {"Ann": 0, "Ben": lost}
    assert view([*bank(121), *bank(peg)])["outcome"]["games_lost"] == {"Ann": 0, "Ben": 1}


@pytest.mark.parametrize(("peg", "lost"), [(121, 2), (122, 1), (61, 2)])
def test_the_long_crib_dice_game_skunks_a_loser_at_hole_121_or_less(peg: int, lost: int) -> None:
    end = view([*bank(241), *bank(peg)], skunk=True, long_game=True)
    assert end["outcome"]["games_lost"] == {"Ann": 0, "Ben": lost}


def test_with_skunks_a_crib_dice_loser_at_0_loses_2_games_or_4_if_fuchled() -> None:
    """A player without points is skunked; a player who is back at the start by a fuchle loses four games."""
    assert view([*bank(121), *MISS], skunk=True)["outcome"]["games_lost"]["Ben"] == 2
    lines = [*TWO, *MISS, *TWO, *MISS, *bank(117), *MISS]
    end = view(lines, skunk=True)
    assert (end["fuchled"], end["outcome"]["games_lost"]) == (["Ben"], {"Ann": 0, "Ben": 4})


# --- bumping


def test_crib_dice_bumping_moves_a_peg_landed_on_back_five_holes() -> None:
    assert view([*bank(20), *bank(20)], bumping=True)["scores"] == {"Ann": 15, "Ben": 20}
    assert view([*bank(20), *bank(20)])["scores"] == {"Ann": 20, "Ben": 20}


def test_a_bumped_crib_dice_peg_bumps_the_peg_where_it_lands() -> None:
    lines = [*bank(10), *bank(15), *bank(20), *bank(20)]
    assert view(lines, players=4, bumping=True)["scores"] == {"Ann": 5, "Ben": 10, "Cat": 15, "Dan": 20}


def test_a_bumped_crib_dice_peg_stops_at_hole_0_and_is_not_fuchled() -> None:
    after = view([*bank(3), *bank(3)], players=4, bumping=True, skunk=True)
    assert after["scores"] == {"Ann": 0, "Ben": 3, "Cat": 0, "Dan": 0}
    assert after["fuchled"] == []
    assert view([*bank(5), *bank(5)], bumping=True)["scores"] == {"Ann": 0, "Ben": 5}


def test_a_bump_in_crib_dice_leaves_the_wipe_out_count_unchanged() -> None:
    lines = [*bank(20), *TWO, *MISS, *bank(18)]
    assert view(lines, bumping=True)["wipeouts"] == {"Ann": 1, "Ben": 0}
    assert view(lines, bumping=True)["scores"] == {"Ann": 15, "Ben": 20}


def test_a_crib_dice_peg_past_the_finish_is_not_bumped() -> None:
    assert view([*bank(121), *bank(121)], bumping=True)["scores"] == {"Ann": 121, "Ben": 121}
