"""Crib Dice, claim by claim as RULES.md makes them."""

from __future__ import annotations

from typing import Any

import pytest
from playing import BOMB, NAMES, STOP, begun, point, throw, told

from companion.errors import IllegalAction, RulesError
from companion.rules.notation import action_of
from companion.rules.transcript import Transcript

# Whole turns, to be told in a row.
MISS = [throw(2, 2, 3, 3, 4, 5, 6), point(2), throw(3, 3, 4, 5, 6)]
TWO = [throw(2, 2, 1, 3, 4, 5, 6), point(2), STOP]


def sevens(*values: int) -> list[dict[str, Any]]:
    """Seven alike again and again, each an automatic rollover worth five times the value."""
    return [line for value in values for line in (throw(*[value] * 7), point(value))]


def bank(points: int) -> list[dict[str, Any]]:
    """A turn that banks so many points, 2 or more."""
    lines: list[dict[str, Any]] = []
    while points >= 38:
        lines += sevens(6)
        points -= 30
    last = {2: (2, 2), 3: (3, 3, 3), 4: (4, 4, 4), 5: (5, 5, 5), 6: (6, 6, 6), 8: (4,) * 4, 9: (3,) * 5}
    last |= {10: (2,) * 7, 12: (3,) * 6, 15: (3,) * 7, 16: (4,) * 6, 18: (6,) * 5, 20: (4,) * 7, 24: (6,) * 6}
    last |= {25: (5,) * 7, 30: (6,) * 7}
    if points not in last:
        first = max(value for value in (5, 10, 15, 20, 25, 30) if value <= points - 2 and points - value in last)
        lines += sevens(first // 5)
        points -= first
    dice = last[points]
    rest = [die for die in (1, 2, 3, 4, 5, 6) if die != dice[0]][: 7 - len(dice)]
    return [*lines, throw(*dice, *rest), point(dice[0]), STOP]


def ones(count: int) -> list[dict[str, Any]]:
    """A first throw with so many 1s, frozen."""
    return [throw(*[1] * count, *(2, 3, 4, 5, 6)[: 7 - count]), point(1)]


def view(lines: list[dict[str, Any]], players: int = 2, first: str | None = None, **rules: bool) -> dict[str, Any]:
    more: dict[str, Any] = {"rules": rules} | ({"first": first} if first else {})
    return told("crib_dice", *lines, players=players, **more).view()


def refused(lines: list[dict[str, Any]], players: int = 2, **rules: bool) -> str:
    transcript = told("crib_dice", *lines[:-1], players=players, rules=rules)
    with pytest.raises(IllegalAction) as caught:
        transcript.then(action_of(lines[-1]))
    return str(caught.value)


# --- scores


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("count", range(2, 8))
def test_a_set_scores_its_dice_without_two_of_them_and_a_pair_two(count: int, value: int) -> None:
    others = [face for face in range(1, 7) if face != value]
    lines = [throw(*[value] * count, *others[: 7 - count]), point(value)]
    assert view(lines)["turn_points"] == (2 if count == 2 else (count - 2) * value)
    assert view([*lines, STOP])["scores"] == {"Ann": 2 if count == 2 else (count - 2) * value, "Ben": 0}


@pytest.mark.parametrize("points", [2, 7, 11, 29, 40, 60, 61, 119, 120, 121])
def test_what_these_tests_bank_is_what_they_say(points: int) -> None:
    assert view(bank(points))["scores"]["Ann"] == points


# --- the turn


def test_a_turn_begins_with_seven_dice() -> None:
    start = view([])
    assert (start["throw_sizes"], start["decisions"], start["dice"]) == ([7], [], [])
    assert (start["player"], start["round"], start["point"], start["frozen"]) == ("Ann", 1, None, 0)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 6, 8])
def test_no_other_number_of_dice_begins_a_turn(size: int) -> None:
    assert f"A throw of {size} can't be made here" in refused([throw(*[1] * size)])


def test_after_the_first_throw_the_point_must_be_named() -> None:
    named = view([throw(6, 5, 5, 2, 1, 4, 2)])
    assert (named["throw_sizes"], named["decisions"], named["turn_points"]) == ([], ["point"], 0)
    assert named["dice"] == [1, 2, 2, 4, 5, 5, 6]
    for line in (throw(1, 2, 3, 4, 5), STOP, BOMB, throw(*[1] * 7)):
        refused([throw(6, 5, 5, 2, 1, 4, 2), line])


@pytest.mark.parametrize("value", [1, 3, 4, 6])
def test_a_value_that_fewer_than_two_dice_show_is_no_point(value: int) -> None:
    assert str(value) in refused([throw(6, 5, 5, 2, 1, 2, 2), point(value)])


def test_all_dice_of_the_point_are_frozen() -> None:
    assert view([throw(5, 2, 5, 2, 5, 1, 6), point(5)])["frozen"] == 3


@pytest.mark.parametrize(("frozen", "size"), [(2, 5), (3, 4), (4, 3), (5, 2), (6, 2), (7, 7)])
def test_all_unfrozen_dice_are_thrown_two_for_a_piddle_seven_after_a_rollover(frozen: int, size: int) -> None:
    lines = [throw(*[6] * frozen, *(1, 2, 3, 4, 5)[: 7 - frozen]), point(6)]
    assert view(lines)["throw_sizes"] == [size]
    assert view(lines)["decisions"] == ["stop"]
    for other in {1, 2, 3, 4, 5, 6, 7} - {size}:
        refused([*lines, throw(*[6] * other)])


def test_dice_of_the_point_are_frozen_too() -> None:
    after = view([throw(5, 5, 2, 2, 1, 4, 6), point(5), throw(5, 1, 6, 5, 6)])
    assert (after["frozen"], after["turn_points"], after["throw_sizes"]) == (4, 10, [3])
    assert after["dice"] == [1, 5, 5, 6, 6]


def test_a_one_alone_is_safe_and_freezes_nothing() -> None:
    after = view([throw(5, 5, 2, 2, 1, 4, 6), point(5), throw(1, 1, 6, 2, 6)])
    assert (after["frozen"], after["turn_points"], after["decisions"]) == (2, 2, ["stop"])


def test_ones_freeze_when_they_are_the_point() -> None:
    assert view([*ones(2), throw(1, 1, 2, 3, 4)])["frozen"] == 4


def test_neither_point_nor_one_wipes_the_turn_out_with_what_rollovers_gathered() -> None:
    after = view([*sevens(6), *MISS])
    assert (after["player"], after["scores"], after["wipeouts"]) == ("Ben", {"Ann": 0, "Ben": 0}, {"Ann": 1, "Ben": 0})
    assert (after["turn_points"], after["dice"]) == (0, [])


def test_a_point_can_be_named_only_once() -> None:
    refused([throw(5, 5, 2, 2, 1, 4, 6), point(5), point(2)])
    refused([throw(5, 5, 2, 2, 1, 4, 6), point(5), point(5)])


def test_a_stop_ends_the_turn_and_forgets_wipe_outs() -> None:
    after = view([*MISS, *TWO, *TWO])
    assert (after["scores"], after["wipeouts"]) == ({"Ann": 2, "Ben": 2}, {"Ann": 0, "Ben": 0})
    assert (after["player"], after["round"]) == ("Ben", 2)


# --- piddle and rollover


@pytest.mark.parametrize("frozen", [5, 6])
@pytest.mark.parametrize("dice", [(1, 2), (4, 2), (2, 4), (6, 5)])
def test_a_piddle_without_a_double_rolls_over(frozen: int, dice: tuple[int, int]) -> None:
    lines = [throw(*[4] * frozen, *(1, 2)[: 7 - frozen]), point(4), throw(*dice)]
    after = view(lines)
    assert (after["throw_sizes"], after["decisions"], after["turn_points"]) == ([7], [], (frozen - 2) * 4)
    assert (after["point"], after["frozen"], after["dice"]) == (None, 0, sorted(dice))
    refused([*lines, STOP])
    assert view([*lines, throw(3, 3, 1, 2, 4, 5, 6), point(3), STOP])["scores"]["Ann"] == (frozen - 2) * 4 + 2


@pytest.mark.parametrize("value", [1, 2, 3, 5, 6])
def test_a_double_of_another_value_loses_the_piddle(value: int) -> None:
    after = view([*sevens(5), throw(*[4] * 5, 1, 2), point(4), throw(value, value)])
    assert (after["player"], after["scores"]["Ann"], after["wipeouts"]["Ann"]) == ("Ben", 0, 1)


def test_a_double_of_the_point_says_nothing_and_must_be_thrown_again() -> None:
    lines = [throw(*[4] * 6, 2), point(4), throw(4, 4)]
    after = view(lines)
    assert (after["throw_sizes"], after["decisions"], after["turn_points"]) == ([2], [], 16)
    assert (after["point"], after["frozen"], after["dice"]) == (4, 6, [4, 4])
    refused([*lines, STOP])
    assert view([*lines, throw(4, 4)])["throw_sizes"] == [2]
    assert view([*lines, throw(4, 1)])["throw_sizes"] == [7]
    assert view([*lines, throw(2, 2)])["player"] == "Ben"


def test_a_bomb_can_not_follow_a_piddle_without_result() -> None:
    lines = [*bank(20), *ones(5), throw(1, 1)]
    assert view(lines, bomb=True)["decisions"] == []
    refused([*lines, BOMB], bomb=True)


@pytest.mark.parametrize(
    ("frozen", "dice", "points"),
    [
        (5, (4, 1), 16),
        (5, (1, 4), 16),
        (5, (4, 4), 20),
        (5, (1, 2), 12),
        (6, (4, 1), 20),
        (6, (4, 4), 20),
        (6, (1, 2), 16),
    ],
)
def test_piddle_points_raise_the_set_up_to_seven(frozen: int, dice: tuple[int, int], points: int) -> None:
    lines = [throw(*[4] * frozen, *(1, 2)[: 7 - frozen]), point(4), throw(*dice)]
    after = view(lines, piddle_points=True)
    assert (after["turn_points"], after["throw_sizes"], after["decisions"]) == (points, [7], [])
    assert (after["point"], after["frozen"]) == (None, 0)


def test_piddle_points_leave_another_double_lost() -> None:
    assert view([throw(*[4] * 5, 1, 2), point(4), throw(1, 1)], piddle_points=True)["wipeouts"]["Ann"] == 1


def test_seven_frozen_roll_over_by_themselves_and_may_stop() -> None:
    lines = [throw(3, 3, 3, 3, 1, 2, 4), point(3), throw(3, 3, 3)]
    after = view(lines)
    assert (after["point"], after["frozen"], after["turn_points"]) == (3, 7, 15)
    assert (after["throw_sizes"], after["decisions"]) == ([7], ["stop"])
    assert view([*lines, STOP])["scores"]["Ann"] == 15
    fresh = view([*lines, throw(2, 2, 1, 3, 4, 5, 6)])
    assert (fresh["point"], fresh["frozen"], fresh["turn_points"], fresh["decisions"]) == (None, 0, 15, ["point"])
    assert view([*lines, *TWO])["scores"]["Ann"] == 17


def test_rollovers_add_up_without_limit() -> None:
    assert view(sevens(1, 2, 3, 4, 5, 6))["turn_points"] == 105


# --- fuchle


def test_three_wipe_outs_in_a_row_send_the_peg_back() -> None:
    lines = [*bank(20), *TWO, *MISS, *TWO, *MISS, *TWO]
    assert view([*lines, *TWO])["scores"]["Ann"] == 22
    after = view([*lines, *MISS])
    assert (after["scores"]["Ann"], after["wipeouts"]["Ann"], after["fuchled"]) == (0, 0, ["Ann"])
    assert view([*lines, *MISS, *TWO, *TWO])["fuchled"] == []


def test_a_fuchle_at_the_start_is_one_too() -> None:
    after = view([*MISS, *TWO, *MISS, *TWO, *MISS])
    assert (after["fuchled"], after["scores"]["Ann"]) == (["Ann"], 0)


def test_pandemonium_takes_four_wipe_outs() -> None:
    lines = [*bank(20), *TWO, *MISS, *TWO, *MISS, *TWO, *MISS]
    assert view(lines, pandemonium=True)["scores"]["Ann"] == 20
    assert view(lines, pandemonium=True)["wipeouts"]["Ann"] == 3
    assert view([*lines, *TWO, *MISS], pandemonium=True)["fuchled"] == ["Ann"]


def test_without_double_fuchle_nobody_is_eliminated() -> None:
    lines = [*MISS, *TWO] * 5
    assert view(lines)["out"] == []
    assert view(lines)["wipeouts"]["Ann"] == 2
    assert view([*lines, *MISS])["fuchled"] == ["Ann"]


def test_two_more_wipe_outs_after_a_fuchle_eliminate() -> None:
    lines = [*MISS, *TWO, *TWO] * 4
    assert view(lines, players=3, double_fuchle=True)["out"] == []
    after = view([*lines, *MISS], players=3, double_fuchle=True)
    assert (after["out"], after["fuchled"], after["wipeouts"]["Ann"], after["scores"]["Ann"]) == (["Ann"], [], 2, 0)
    assert (after["over"], after["player"]) == (False, "Ben")
    assert view([*lines, *MISS, *TWO, *TWO], players=3, double_fuchle=True)["player"] == "Ben"


def test_two_wipe_outs_in_a_row_eliminate_nobody_who_has_not_fuchled() -> None:
    assert view([*MISS, *TWO] * 2, double_fuchle=True)["out"] == []


def test_a_score_after_a_fuchle_saves_from_elimination() -> None:
    lines = [*([*MISS, *TWO] * 4), *TWO, *TWO, *MISS, *TWO, *MISS]
    after = view(lines, double_fuchle=True)
    assert (after["out"], after["over"], after["wipeouts"]["Ann"]) == ([], False, 2)


def test_the_last_one_left_wins_at_once() -> None:
    after = view([*([*MISS, *TWO] * 4), *MISS], double_fuchle=True, skunk=True)
    assert after["outcome"] == {"winners": ["Ben"], "games_lost": {"Ann": 4, "Ben": 0}}
    assert (after["over"], after["player"], after["round"]) == (True, None, 5)


def test_a_finisher_is_still_in_when_another_is_eliminated() -> None:
    lines = [*([*TWO, *MISS, *TWO] * 4), *bank(113), *MISS]
    after = view(lines, players=3, double_fuchle=True)
    assert (after["finished"], after["out"], after["over"], after["player"]) == (["Ann"], ["Ben"], False, "Cat")
    end = view([*lines, *TWO], players=3, double_fuchle=True)
    assert end["outcome"] == {"winners": ["Ann"], "games_lost": {"Ann": 0, "Ben": 1, "Cat": 1}}


# --- the end


def test_at_120_a_peg_is_still_on_the_board() -> None:
    after = view(bank(120))
    assert (after["finished"], after["over"]) == ([], False)
    assert view([*bank(120), *TWO])["over"] is False


def test_a_finish_completes_the_round() -> None:
    after = view(bank(121), players=3)
    assert (after["finished"], after["player"], after["over"]) == (["Ann"], "Ben", False)
    assert view([*bank(121), *TWO], players=3)["over"] is False
    end = view([*bank(121), *TWO, *MISS], players=3)
    assert end["outcome"] == {"winners": ["Ann"], "games_lost": {"Ann": 0, "Ben": 1, "Cat": 1}}
    assert (end["player"], end["point"], end["frozen"], end["round"]) == (None, None, 0, 1)
    assert (end["throw_sizes"], end["decisions"], end["dice"], end["turn_points"]) == ([], [], [], 0)


def test_the_last_of_the_round_ends_the_game_by_finishing() -> None:
    assert view([*TWO, *bank(121)])["over"] is True


def test_rounds_are_counted_from_the_player_who_started() -> None:
    assert view([*TWO, *bank(121)], players=3, first="Cat")["player"] == "Ben"
    assert view([*TWO, *bank(121), *TWO], players=3, first="Cat")["over"] is True


def test_the_peg_furthest_along_wins() -> None:
    end = view([*bank(121), *bank(125)])
    assert (end["outcome"]["winners"], end["finished"]) == (["Ben"], ["Ann", "Ben"])


def test_equal_pegs_share_the_win() -> None:
    end = view([*bank(121), *bank(121)], skunk=True)
    assert end["outcome"] == {"winners": ["Ann", "Ben"], "games_lost": {"Ann": 0, "Ben": 0}}


def test_after_the_end_nothing_follows_but_an_undo() -> None:
    lines = [*bank(121), *TWO]
    for line in (throw(*[1] * 7), STOP, BOMB, point(2)):
        assert "over" in refused([*lines, line])
    assert told("crib_dice", *lines, {"undo": 1}).view()["decisions"] == ["stop"]


def test_the_long_game_ends_beyond_240() -> None:
    assert view(bank(240), long_game=True)["finished"] == []
    assert view(bank(241), long_game=True)["finished"] == ["Ann"]


# --- skunks


@pytest.mark.parametrize(("peg", "lost"), [(60, 2), (61, 1), (2, 2)])
def test_a_loser_at_60_or_less_is_skunked(peg: int, lost: int) -> None:
    assert view([*bank(121), *bank(peg)], skunk=True)["outcome"]["games_lost"] == {"Ann": 0, "Ben": lost}
    assert view([*bank(121), *bank(peg)])["outcome"]["games_lost"] == {"Ann": 0, "Ben": 1}


@pytest.mark.parametrize(("peg", "lost"), [(121, 2), (122, 1), (61, 2)])
def test_the_long_game_doubles_the_way_to_safety(peg: int, lost: int) -> None:
    end = view([*bank(241), *bank(peg)], skunk=True, long_game=True)
    assert end["outcome"]["games_lost"] == {"Ann": 0, "Ben": lost}


def test_who_never_scored_is_skunked_who_fuchled_doubly() -> None:
    assert view([*bank(121), *MISS], skunk=True)["outcome"]["games_lost"]["Ben"] == 2
    lines = [*TWO, *MISS, *TWO, *MISS, *bank(117), *MISS]
    end = view(lines, skunk=True)
    assert (end["fuchled"], end["outcome"]["games_lost"]) == (["Ben"], {"Ann": 0, "Ben": 4})


# --- bumping


def test_who_is_landed_on_goes_back_five() -> None:
    assert view([*bank(20), *bank(20)], bumping=True)["scores"] == {"Ann": 15, "Ben": 20}
    assert view([*bank(20), *bank(20)])["scores"] == {"Ann": 20, "Ben": 20}


def test_a_bumped_peg_bumps_in_turn() -> None:
    lines = [*bank(10), *bank(15), *bank(20), *bank(20)]
    assert view(lines, players=4, bumping=True)["scores"] == {"Ann": 5, "Ben": 10, "Cat": 15, "Dan": 20}


def test_a_bump_stops_at_the_start_which_holds_any_number_and_is_no_fuchle() -> None:
    after = view([*bank(3), *bank(3)], players=4, bumping=True, skunk=True)
    assert after["scores"] == {"Ann": 0, "Ben": 3, "Cat": 0, "Dan": 0}
    assert after["fuchled"] == []
    assert view([*bank(5), *bank(5)], bumping=True)["scores"] == {"Ann": 0, "Ben": 5}


def test_a_bump_leaves_the_count_of_wipe_outs_alone() -> None:
    lines = [*bank(20), *TWO, *MISS, *bank(18)]
    assert view(lines, bumping=True)["wipeouts"] == {"Ann": 1, "Ben": 0}
    assert view(lines, bumping=True)["scores"] == {"Ann": 15, "Ben": 20}


def test_beyond_the_end_nobody_is_bumped() -> None:
    assert view([*bank(121), *bank(121)], bumping=True)["scores"] == {"Ann": 121, "Ben": 121}


# --- the bomb


def test_without_the_rule_there_is_no_bomb() -> None:
    assert view([*bank(20), *ones(6)])["decisions"] == ["stop"]
    refused([*bank(20), *ones(6), BOMB])


@pytest.mark.parametrize("count", [6, 7])
def test_six_or_seven_ones_bomb_at_once(count: int) -> None:
    assert view([*bank(20), *ones(count)], bomb=True)["decisions"] == ["bomb", "stop"]
    after = view([*bank(20), *ones(count), BOMB], bomb=True)
    assert (after["scores"], after["player"], after["bombing"]) == ({"Ann": 0, "Ben": 20}, "Ann", False)
    assert (after["wipeouts"], after["turn_points"]) == ({"Ann": 0, "Ben": 0}, 0)


def test_five_ones_announce_and_throw_two() -> None:
    lines = [*bank(20), *sevens(2), *ones(5), BOMB]
    after = view(lines, bomb=True)
    assert (after["bombing"], after["throw_sizes"], after["decisions"]) == (True, [2], [])
    assert (after["turn_points"], after["frozen"], after["point"], after["player"]) == (13, 5, 1, "Ben")
    for line in (STOP, BOMB, throw(1, 2, 3), throw(*[1] * 7)):
        refused([*lines, line], bomb=True)


@pytest.mark.parametrize("dice", [(1, 2), (2, 1), (1, 1), (6, 1)])
def test_an_announced_bomb_succeeds_with_a_one(dice: tuple[int, int]) -> None:
    after = view([*bank(20), *MISS, *TWO, *ones(5), BOMB, throw(*dice)], bomb=True)
    assert after["scores"] == {"Ann": 0, "Ben": 22}
    assert (after["wipeouts"]["Ben"], after["player"]) == (0, "Ann")


@pytest.mark.parametrize("dice", [(2, 2), (2, 3), (6, 5)])
def test_an_announced_bomb_without_a_one_is_a_wipe_out(dice: tuple[int, int]) -> None:
    after = view([*bank(20), *ones(5), BOMB, throw(*dice)], bomb=True)
    assert (after["scores"], after["wipeouts"]["Ben"], after["player"]) == ({"Ann": 20, "Ben": 0}, 1, "Ann")


def test_a_lost_bomb_can_fuchle_and_eliminate() -> None:
    lost = [*ones(5), BOMB, throw(2, 3)]
    lines = [*bank(20), *MISS, *TWO, *MISS, *TWO, *lost]
    assert view(lines, bomb=True)["fuchled"] == ["Ben"]
    more = [*lines, *TWO, *MISS, *TWO, *lost]
    assert view(more, bomb=True, double_fuchle=True)["out"] == ["Ben"]


def test_unannounced_ones_of_a_piddle_are_no_bomb() -> None:
    after = view([*bank(20), *ones(5), throw(1, 3)], bomb=True)
    assert (after["scores"], after["player"], after["throw_sizes"]) == ({"Ann": 20, "Ben": 0}, "Ben", [7])


def test_only_ones_bomb_and_only_from_five() -> None:
    assert view([*bank(20), throw(*[2] * 6, 1), point(2)], bomb=True)["decisions"] == ["stop"]
    assert view([*bank(20), *ones(4)], bomb=True)["decisions"] == ["stop"]
    refused([*bank(20), *ones(4), BOMB], bomb=True)


def test_who_leads_alone_or_equal_can_not_bomb() -> None:
    assert view(ones(6), bomb=True)["decisions"] == ["stop"]
    assert view([*bank(20), *bank(20), *ones(6)], bomb=True)["decisions"] == ["stop"]
    assert view([*bank(20), *bank(22), *TWO, *ones(6)], bomb=True)["decisions"] == ["stop"]
    assert view([*bank(20), *bank(22), *ones(6)], bomb=True)["decisions"] == ["bomb", "stop"]


def test_of_equal_leaders_the_first_clockwise_is_hit() -> None:
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


def test_a_finished_peg_is_out_of_reach_and_leads_nobody() -> None:
    after = view([*bank(121), *bank(20), *ones(6), BOMB], players=3, bomb=True)
    assert after["scores"] == {"Ann": 121, "Ben": 0, "Cat": 20}
    assert view([*bank(121), *ones(6)], bomb=True)["decisions"] == ["stop"]
    lines = [*TWO, *bank(20), *TWO, *bank(119), *ones(6)]
    assert view(lines, players=3, bomb=True)["decisions"] == ["stop"]


def test_an_eliminated_peg_is_no_target() -> None:
    lines = [*([*TWO, *MISS, *TWO] * 5), *ones(6)]
    assert view(lines, players=3, bomb=True, double_fuchle=True)["out"] == ["Ben"]
    assert view(lines, players=3, bomb=True, double_fuchle=True)["decisions"] == ["stop"]


def test_a_bomb_leaves_the_count_of_the_victim_and_sends_him_back_without_a_fuchle() -> None:
    lines = [*bank(20), *MISS, *MISS, *MISS, *MISS, *ones(6), BOMB]
    after = view(lines, bomb=True)
    assert (after["scores"], after["wipeouts"], after["fuchled"]) == ({"Ann": 0, "Ben": 20}, {"Ann": 2, "Ben": 0}, [])
    assert view([*lines, *MISS], bomb=True)["fuchled"] == ["Ann"]


def test_a_bomb_takes_its_owner_out_of_the_fuchled() -> None:
    lines = [*bank(20), *MISS, *TWO, *MISS, *TWO, *MISS, *TWO]
    assert view(lines, bomb=True)["fuchled"] == ["Ben"]
    after = view([*lines, *ones(6), BOMB], bomb=True)
    assert (after["fuchled"], after["scores"]) == ([], {"Ann": 0, "Ben": 26})


def test_a_swap_bumps_nobody() -> None:
    after = view([*bank(20), *TWO, *ones(6), BOMB], players=3, bomb=True, bumping=True)
    assert after["scores"] == {"Ann": 0, "Ben": 2, "Cat": 20}


def test_pandemonium_bombs_with_five_at_once() -> None:
    assert view([*bank(20), *ones(5), BOMB], bomb=True, pandemonium=True)["scores"] == {"Ann": 0, "Ben": 20}
    assert view([*bank(20), *ones(4)], bomb=True, pandemonium=True)["decisions"] == ["stop"]
    assert view([*bank(20), *ones(5)], pandemonium=True)["decisions"] == ["stop"]


# --- find a loser


def test_who_finishes_leaves_and_the_last_one_loses() -> None:
    lines = [*bank(121), *TWO, *TWO, *TWO]
    after = view(lines, players=3, find_a_loser=True)
    assert (after["player"], after["over"], after["round"], after["finished"]) == ("Cat", False, 2, ["Ann"])
    end = view([*lines, *bank(119)], players=3, find_a_loser=True)
    assert end["outcome"] == {"winners": ["Ann", "Cat"], "games_lost": {"Ann": 0, "Ben": 1, "Cat": 0}}
    assert end["over"]


def test_finishers_win_in_the_order_of_finishing() -> None:
    lines = [*TWO, *TWO, *bank(150), *bank(119)]
    end = view(lines, players=3, find_a_loser=True)
    assert end["outcome"]["winners"] == ["Cat", "Ann"]
    assert end["finished"] == ["Cat", "Ann"]


def test_who_is_left_when_all_others_were_eliminated_has_won() -> None:
    end = view([*([*MISS, *TWO] * 4), *MISS], find_a_loser=True, double_fuchle=True)
    assert end["outcome"] == {"winners": ["Ben"], "games_lost": {"Ann": 1, "Ben": 0}}


def test_the_eliminated_lose_with_the_loser() -> None:
    lines = [*([*TWO, *MISS, *TWO] * 4), *bank(113), *MISS]
    end = view(lines, players=3, find_a_loser=True, double_fuchle=True, skunk=True)
    assert end["outcome"] == {"winners": ["Ann"], "games_lost": {"Ann": 0, "Ben": 4, "Cat": 2}}


# --- partners


def test_partners_share_a_peg_and_take_turns() -> None:
    lines: list[dict[str, Any]] = []
    seen = []
    for _ in range(5):
        now = view(lines, players=4, partners=True)
        seen.append((now["player"], now["round"]))
        lines += TWO
    assert seen == [("Ann", 1), ("Ben", 1), ("Cat", 2), ("Dan", 2), ("Ann", 3)]
    assert view(lines, players=4, partners=True)["scores"] == {"Ann & Cat": 6, "Ben & Dan": 4}


def test_six_partners_are_three_teams() -> None:
    start = view([*TWO, *TWO, *TWO, *TWO], players=6, partners=True)
    assert start["scores"] == {"Ann & Dan": 4, "Ben & Eve": 2, "Cat & Fay": 2}
    assert (start["player"], start["round"]) == ("Eve", 2)


def test_a_round_of_partners_is_a_turn_for_each_team_from_the_one_who_started() -> None:
    lines = [*bank(121)]
    assert view(lines, players=4, first="Dan", partners=True)["player"] == "Ann"
    end = view([*lines, *TWO], players=4, first="Dan", partners=True)
    assert end["outcome"] == {"winners": ["Ben & Dan"], "games_lost": {"Ann & Cat": 1, "Ben & Dan": 0}}


def test_the_bomb_of_a_team_hits_a_team() -> None:
    after = view([*bank(20), *TWO, *ones(6), BOMB], players=6, partners=True, bomb=True)
    assert after["scores"] == {"Ann & Dan": 0, "Ben & Eve": 2, "Cat & Fay": 20}


def test_each_partner_throws_in_the_roll_off() -> None:
    transcript = begun("crib_dice", 4, rules={"partners": True}, roll_off=True)
    for name, dice in zip(NAMES, [(1, 2), (1, 1), (6, 6), (2, 3)], strict=False):
        assert transcript.view()["player"] == name
        assert transcript.view()["scores"] == {"Ann & Cat": 0, "Ben & Dan": 0}
        transcript = transcript.then(action_of(throw(*dice)))
    assert transcript.view()["player"] == "Cat"


@pytest.mark.parametrize(("players", "partners"), [(6, False), (7, False), (1, False), (2, True), (3, True), (5, True)])
def test_two_to_five_play_or_four_or_six_as_partners(players: int, partners: bool) -> None:
    with pytest.raises(RulesError):
        begun("crib_dice", players, rules={"partners": partners})


@pytest.mark.parametrize(("players", "partners"), [(2, False), (5, False), (4, True), (6, True)])
def test_these_numbers_can_play(players: int, partners: bool) -> None:
    assert isinstance(begun("crib_dice", players, rules={"partners": partners}), Transcript)


def test_teams_of_one_name_are_refused() -> None:
    header = {"transcript": 1, "game": "crib_dice", "players": ["A", "A & B", "B & C", "C"]}
    from companion.rules.notation import header_of

    assert header_of(header).players == ("A", "A & B", "B & C", "C")
    with pytest.raises(RulesError, match="same name"):
        header_of({**header, "rules": {"partners": True}})
