"""Crib Dice, claim by claim as docs/reference/rules.md makes them: scores, the turn, piddles and rollovers."""

from __future__ import annotations

import pytest

from companion.games.crib_dice.scoring import MAX_SET_SCORE, MIN_ROLLOVER, set_score
from companion.games.crib_dice.state import CribDice, Turn
from tests.games.crib_turns import MISS, TWO, bank, ones, refused, sevens, view
from tests.games.playing import BOMB, STOP, point, throw, told

# --- scores


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("count", range(2, 8))
def test_a_crib_dice_set_of_n_scores_n_minus_2_times_its_value_a_pair_2(count: int, value: int) -> None:
    others = [face for face in range(1, 7) if face != value]
    lines = [throw(*[value] * count, *others[: 7 - count]), point(value)]
    assert view(lines)["turn_points"] == (2 if count == 2 else (count - 2) * value)
    assert view([*lines, STOP])["scores"] == {"Ann": 2 if count == 2 else (count - 2) * value, "Ben": 0}


@pytest.mark.parametrize("points", [2, 7, 11, 29, 40, 60, 61, 119, 120, 121])
def test_the_crib_dice_test_helper_bank_banks_the_given_points(points: int) -> None:
    assert view(bank(points))["scores"]["Ann"] == points


# --- the turn


def test_a_crib_dice_turn_begins_with_a_throw_of_seven_dice() -> None:
    start = view([])
    assert (start["throw_sizes"], start["decisions"], start["dice"]) == ([7], [], [])
    assert (start["player"], start["round"], start["point"], start["frozen"]) == ("Ann", 1, None, 0)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 6, 8])
def test_a_first_crib_dice_throw_of_other_than_seven_dice_is_refused(size: int) -> None:
    assert f"A throw of {size} can't be made here" in refused([throw(*[1] * size)])


def test_after_the_first_crib_dice_throw_a_point_value_must_be_named() -> None:
    named = view([throw(6, 5, 5, 2, 1, 4, 2)])
    assert (named["throw_sizes"], named["decisions"], named["turn_points"]) == ([], ["point"], 0)
    assert named["dice"] == [1, 2, 2, 4, 5, 5, 6]
    for line in (throw(1, 2, 3, 4, 5), STOP, BOMB, throw(*[1] * 7)):
        refused([throw(6, 5, 5, 2, 1, 4, 2), line])


@pytest.mark.parametrize("value", [1, 3, 4, 6])
def test_a_crib_dice_point_value_shown_by_under_two_dice_is_refused(value: int) -> None:
    assert str(value) in refused([throw(6, 5, 5, 2, 1, 2, 2), point(value)])


def test_naming_a_crib_dice_point_value_freezes_all_dice_that_show_it() -> None:
    assert view([throw(5, 2, 5, 2, 5, 1, 6), point(5)])["frozen"] == 3


@pytest.mark.parametrize(("frozen", "size"), [(2, 5), (3, 4), (4, 3), (5, 2), (6, 2), (7, 7)])
def test_the_frozen_crib_dice_decide_how_many_dice_are_thrown_next(frozen: int, size: int) -> None:
    """With 2 to 4 frozen dice all others are thrown; with 5 or 6 two are (a piddle); with 7 all are."""
    lines = [throw(*[6] * frozen, *(1, 2, 3, 4, 5)[: 7 - frozen]), point(6)]
    assert view(lines)["throw_sizes"] == [size]
    assert view(lines)["decisions"] == ["stop"]
    for other in {1, 2, 3, 4, 5, 6, 7} - {size}:
        refused([*lines, throw(*[6] * other)])


def test_crib_dice_of_the_point_value_in_a_later_throw_are_frozen_too() -> None:
    after = view([throw(5, 5, 2, 2, 1, 4, 6), point(5), throw(5, 1, 6, 5, 6)])
    assert (after["frozen"], after["turn_points"], after["throw_sizes"]) == (4, 10, [3])
    assert after["dice"] == [1, 5, 5, 6, 6]


def test_crib_dice_1s_at_point_value_5_avoid_a_wipe_out_but_are_not_frozen() -> None:
    after = view([throw(5, 5, 2, 2, 1, 4, 6), point(5), throw(1, 1, 6, 2, 6)])
    assert (after["frozen"], after["turn_points"], after["decisions"]) == (2, 2, ["stop"])


def test_crib_dice_freezes_all_thrown_1s_when_the_point_value_is_1() -> None:
    assert view([*ones(2), throw(1, 1, 2, 3, 4)])["frozen"] == 4


def test_a_crib_dice_wipe_out_loses_the_points_of_earlier_rollovers_too() -> None:
    after = view([*sevens(6), *MISS])
    assert (after["player"], after["scores"], after["wipeouts"]) == ("Ben", {"Ann": 0, "Ben": 0}, {"Ann": 1, "Ben": 0})
    assert (after["turn_points"], after["dice"]) == (0, [])


def test_a_second_crib_dice_point_same_or_other_before_a_throw_is_refused() -> None:
    refused([throw(5, 5, 2, 2, 1, 4, 6), point(5), point(2)])
    refused([throw(5, 5, 2, 2, 1, 4, 6), point(5), point(5)])


def test_a_crib_dice_stop_banks_the_points_and_resets_the_wipe_outs() -> None:
    after = view([*MISS, *TWO, *TWO])
    assert (after["scores"], after["wipeouts"]) == ({"Ann": 2, "Ben": 2}, {"Ann": 0, "Ben": 0})
    assert (after["player"], after["round"]) == ("Ben", 2)


# --- piddle and rollover


@pytest.mark.parametrize("frozen", [5, 6])
@pytest.mark.parametrize("dice", [(1, 2), (4, 2), (2, 4), (6, 5)])
def test_a_crib_dice_piddle_without_a_double_forces_a_new_throw_of_seven(frozen: int, dice: tuple[int, int]) -> None:
    lines = [throw(*[4] * frozen, *(1, 2)[: 7 - frozen]), point(4), throw(*dice)]
    after = view(lines)
    assert (after["throw_sizes"], after["decisions"], after["turn_points"]) == ([7], [], (frozen - 2) * 4)
    assert (after["point"], after["frozen"], after["dice"]) == (None, 0, sorted(dice))
    refused([*lines, STOP])
    assert view([*lines, throw(3, 3, 1, 2, 4, 5, 6), point(3), STOP])["scores"]["Ann"] == (frozen - 2) * 4 + 2


@pytest.mark.parametrize("value", [1, 2, 3, 5, 6])
def test_a_crib_dice_piddle_double_not_of_the_point_value_is_a_wipe_out(value: int) -> None:
    after = view([*sevens(5), throw(*[4] * 5, 1, 2), point(4), throw(value, value)])
    assert (after["player"], after["scores"]["Ann"], after["wipeouts"]["Ann"]) == ("Ben", 0, 1)


def test_a_crib_dice_piddle_double_of_the_point_value_is_thrown_again() -> None:
    lines = [throw(*[4] * 6, 2), point(4), throw(4, 4)]
    after = view(lines)
    assert (after["throw_sizes"], after["decisions"], after["turn_points"]) == ([2], [], 16)
    assert (after["point"], after["frozen"], after["dice"]) == (4, 6, [4, 4])
    refused([*lines, STOP])
    again, won = told("crib_dice", *lines).state, told("crib_dice", *lines, throw(4, 1)).state
    assert isinstance(again, CribDice)
    assert isinstance(won, CribDice)
    assert (again.turn, won.turn) == (Turn("again", 0, 4, 6, (4, 4)), Turn("fresh", 16, dice=(1, 4)))
    assert view([*lines, throw(4, 4)])["throw_sizes"] == [2]
    assert view([*lines, throw(4, 1)])["throw_sizes"] == [7]
    assert view([*lines, throw(2, 2)])["player"] == "Ben"


def test_crib_dice_refuses_a_bomb_while_a_piddle_must_be_thrown_again() -> None:
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
def test_crib_dice_piddle_points_rule_adds_point_dice_to_a_set_of_up_to_7(
    frozen: int, dice: tuple[int, int], points: int
) -> None:
    """Under the house rule `piddle_points`, dice of the point in a piddle join the set, which counts seven at most."""
    lines = [throw(*[4] * frozen, *(1, 2)[: 7 - frozen]), point(4), throw(*dice)]
    after = view(lines, piddle_points=True)
    assert (after["turn_points"], after["throw_sizes"], after["decisions"]) == (points, [7], [])
    assert (after["point"], after["frozen"]) == (None, 0)


def test_crib_dice_with_rule_piddle_points_non_point_double_is_a_wipe_out() -> None:
    assert view([throw(*[4] * 5, 1, 2), point(4), throw(1, 1)], piddle_points=True)["wipeouts"]["Ann"] == 1


def test_seven_frozen_crib_dice_allow_a_rollover_throw_or_a_stop() -> None:
    lines = [throw(3, 3, 3, 3, 1, 2, 4), point(3), throw(3, 3, 3)]
    after = view(lines)
    assert (after["point"], after["frozen"], after["turn_points"]) == (3, 7, 15)
    assert (after["throw_sizes"], after["decisions"]) == ([7], ["stop"])
    assert view([*lines, STOP])["scores"]["Ann"] == 15
    fresh = view([*lines, throw(2, 2, 1, 3, 4, 5, 6)])
    assert (fresh["point"], fresh["frozen"], fresh["turn_points"], fresh["decisions"]) == (None, 0, 15, ["point"])
    assert view([*lines, *TWO])["scores"]["Ann"] == 17


def test_turn_points_of_consecutive_crib_dice_rollovers_add_up() -> None:
    assert view(sevens(1, 2, 3, 4, 5, 6))["turn_points"] == 105


def test_max_set_score_and_min_rollover_match_the_crib_dice_set_scores() -> None:
    scores = {(count, value): set_score(count, value) for count in range(2, 8) for value in range(1, 7)}
    assert max(scores.values()) == MAX_SET_SCORE
    assert min(score for (count, _), score in scores.items() if count >= 5) == MIN_ROLLOVER
