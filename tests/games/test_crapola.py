"""Crapola, claim by claim as docs/reference/rules.md makes them."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import pytest

from companion.errors import IllegalAction, RulesError
from companion.games.crapola.scoring import keepable, points_of
from companion.games.engine.game import Spend, Stop
from companion.games.engine.notation import action_of
from tests.games.naive_crapola import best_split
from tests.games.playing import BOMB, NAMES, STOP, begun, keep, point, score, spend, throw, told

CRAP = [throw(2, 2, 3, 3, 4, 6)]
LATE_CRAP = [throw(1, 2, 2, 3, 3, 4), keep(1), throw(2, 2, 3, 3, 4)]


def bank(points: int) -> list[dict[str, Any]]:
    """A turn that banks so many points: thousands with straights, the rest with single dice."""
    lines: list[dict[str, Any]] = []
    for alike, worth in (((1,) * 6, 4000), ((1, 2, 3, 4, 5, 6), 1000)):
        while points >= worth:
            lines += [throw(*alike), keep(*alike)]
            points -= worth
    singles = [1] * (points // 100) + [5] * (points % 100 // 50)
    left = 6
    for die in singles:
        lines += [throw(die, *(2, 2, 3, 3, 4)[: left - 1]), keep(die)]
        left = left - 1 or 6
    return [*lines, STOP]


def view(*lines: dict[str, Any], players: int = 2, first: str | None = None, **rules: Any) -> dict[str, Any]:
    more: dict[str, Any] = {"rules": rules} | ({"first": first} if first else {})
    return told("crapola", *lines, players=players, **more).view()


def refused(*lines: dict[str, Any], players: int = 2, **rules: Any) -> str:
    transcript = told("crapola", *lines[:-1], players=players, rules=rules)
    with pytest.raises(IllegalAction) as caught:
        transcript.then(action_of(lines[-1]))
    return str(caught.value)


# --- what dice score


@pytest.mark.parametrize("count", range(1, 8))
def test_crapola_points_equal_an_exhaustive_search_of_partitions(count: int) -> None:
    for dice in combinations_with_replacement(range(1, 7), count):
        assert points_of(dice) == (best_split(dice) or None), dice


@pytest.mark.parametrize(
    ("dice", "points"),
    [
        ((1,), 100),
        ((5,), 50),
        ((1, 1), 200),
        ((1, 1, 1), 1000),
        ((2, 2, 2), 200),
        ((6, 6, 6), 600),
        ((1, 1, 1, 1), 2000),
        ((5, 5, 5, 5), 1000),
        ((6,) * 5, 1800),
        ((1,) * 6, 4000),
        ((2,) * 7, 1000),
        ((1,) * 7, 5000),
        ((3, 3, 3, 3, 6, 6), 500),
        ((3, 3, 3, 3), 600),
        ((2,) * 6, 800),
        ((2, 2, 3, 3, 4, 4), 500),
        ((1, 2, 3, 4, 5, 6), 1000),
        ((1, 1, 2, 3, 4, 5, 6), 1100),
        ((1, 2, 3, 4, 5, 5, 6), 1050),
        ((1, 1, 1, 1, 1, 2, 2), 600),
        ((6, 5, 4, 3, 2, 1), 1000),
        *((dice, None) for dice in ((), (2,), (2, 2), (1, 2), (2, 2, 3, 3), (1, 2, 2, 3, 4, 5, 6))),
    ],
)
def test_crapola_combinations_score_as_in_the_rules(dice: tuple[int, ...], points: int | None) -> None:
    assert points_of(dice) == points


def test_seven_crapola_dice_always_score_something() -> None:
    assert all(keepable(dice) for dice in combinations_with_replacement(range(1, 7), 7))


# --- the turn


THROWN = [throw(5, 1, 2, 3, 3, 4)]
TWO_BANKS = [*bank(1000), *bank(1000)]


@pytest.mark.parametrize(
    ("lines", "refusals"),
    [
        ([], [throw(*[1] * size) for size in (0, 1, 5, 7, 8)]),
        (THROWN, [STOP, throw(1, 2, 3, 4, 5, 6), throw(1), spend("Ben", 1), point(2), BOMB, score("ones")]),
        (THROWN, [keep(*dice) for dice in ((), (2,), (1, 1), (1, 2), (1, 5, 3), (3, 3))]),
        ([*THROWN, keep(1)], [keep(5), spend("Ben", 1)]),
        ([throw(1, 2, 3, 4, 4, 6), keep(1), throw(2, 1, 3, 3, 6), keep(1)], [keep(1)]),
        ([*TWO_BANKS, throw(1, 2, 2, 3, 3, 4)], [spend("Ben", 1)]),
        ([*TWO_BANKS, throw(1, 2, 2, 3, 3, 4), keep(1)], [spend("Ben", 1)]),
        (TWO_BANKS, [spend("Ann", 1), spend("Nobody", 1), *(spend("Ben", points) for points in (-1, 0, 1001, 10**30))]),
        (bank(1000), [spend("Ann", 1)]),
    ],
)
def test_crapola_refuses_every_line_that_is_not_due(
    lines: list[dict[str, Any]], refusals: list[dict[str, Any]]
) -> None:
    for line in refusals:
        assert refused(*lines, line)


def test_a_crapola_turn_begins_with_a_throw_of_six_and_then_a_keep() -> None:
    start, after = view(), view(*THROWN)
    assert (start["throw_sizes"], start["decisions"], start["kept"], start["dice"]) == ([6], [], [], [])
    assert (start["direction"], start["last_round"], start["on_board"]) == (1, False, {"Ann": False, "Ben": False})
    assert (after["decisions"], after["throw_sizes"], after["dice"]) == (["keep"], [], [1, 2, 3, 3, 4, 5])


def test_crapola_rethrows_unkept_dice_and_scores_each_keep_on_its_own() -> None:
    after = view(throw(1, 5, 2, 3, 4, 4), keep(5, 1))
    assert (after["kept"], after["dice"]) == ([[1, 5]], [2, 3, 4, 4])
    assert (after["turn_points"], after["throw_sizes"]) == (150, [4])
    after = view(throw(1, 2, 3, 4, 4, 6), keep(1), throw(1, 1, 3, 3, 6), keep(1, 1))
    assert (after["kept"], after["turn_points"]) == ([[1], [1, 1]], 300)


def test_a_crapola_crap_out_ends_the_turn_without_points() -> None:
    after = view(*bank(1000), *LATE_CRAP)
    assert (after["player"], after["scores"], after["turn_points"]) == ("Ann", {"Ann": 1000, "Ben": 0}, 0)
    assert (after["kept"], after["dice"], after["round"]) == ([], [], 2)


def test_after_crapola_hot_dice_the_player_throws_six_new_dice_or_banks() -> None:
    lines = [throw(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6)]
    after = view(*lines)
    assert (after["throw_sizes"], after["decisions"], after["dice"]) == ([6], ["stop"], [])
    after = view(*lines, throw(1, 2, 2, 3, 3, 4), keep(1))
    assert (after["kept"], after["turn_points"]) == ([[1, 2, 3, 4, 5, 6], [1]], 1100)
    assert view(*lines, STOP)["scores"]["Ann"] == 1000


def test_crapola_hot_dice_can_build_up_over_several_throws() -> None:
    after = view(throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1), throw(5, 5, 5), keep(5, 5, 5))
    assert (after["throw_sizes"], after["turn_points"]) == ([6], 1500)


# --- on the board


def test_only_the_first_bank_of_a_crapola_player_needs_1000_points() -> None:
    lines = [throw(2, 2, 2, 5, 3, 4), keep(2, 2, 2, 5)]
    assert view(*lines)["decisions"] == []
    assert "1000" in refused(*lines, STOP)
    after = view(*bank(1000), *LATE_CRAP, *lines)
    assert (after["decisions"], after["on_board"]) == (["stop"], {"Ann": True, "Ben": False})
    assert view(*bank(1000), *LATE_CRAP, *lines, STOP)["scores"]["Ann"] == 1250


@pytest.mark.parametrize(("entry", "allowed"), [(950, True), (1000, True), (1001, False), (1050, False), (0, True)])
def test_the_crapola_house_rule_named_entry_is_the_least_first_bank(entry: int, allowed: bool) -> None:
    after = view(throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1), entry=entry)
    assert after["decisions"] == (["stop"] if allowed else [])


def test_with_crapola_entry_0_a_first_bank_of_50_points_is_accepted() -> None:
    after = view(throw(5, 2, 2, 3, 3, 4), keep(5), STOP, entry=0)
    assert (after["scores"]["Ann"], after["on_board"]["Ann"]) == (50, True)


def test_a_crapola_player_stays_on_the_board_if_the_total_falls_to_0() -> None:
    """A player who has banked the entry points once need not bank them again, even at a total of 0."""
    after = view(*bank(1000), *bank(1000), spend("Ben", 1000))
    assert (after["scores"], after["on_board"]) == ({"Ann": 0, "Ben": 0}, {"Ann": True, "Ben": True})


# --- reversal


@pytest.mark.parametrize(
    ("lines", "rules", "direction", "player"),
    [
        (CRAP, {"players": 3}, -1, "Cat"),
        ([*CRAP, *LATE_CRAP], {"players": 3}, -1, "Ben"),
        ([*CRAP, *CRAP], {"players": 3}, 1, "Ann"),
        (LATE_CRAP, {"players": 3}, 1, "Ben"),
        ([throw(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6), *CRAP], {"players": 3}, 1, "Ben"),
        (CRAP, {"players": 2}, 1, "Ben"),
        (CRAP, {"players": 3, "reversal": False}, 1, "Ben"),
    ],
)
def test_a_crapola_crap_out_on_a_turns_first_throw_alone_reverses_play(
    lines: list[dict[str, Any]], rules: dict[str, Any], direction: int, player: str
) -> None:
    """Not with two players or with the house rule off; the first throw after hot dice is not the first of a turn."""
    after = view(*lines, **rules)
    assert (after["direction"], after["player"]) == (direction, player)


# --- the last round


def test_reaching_the_crapola_target_gives_the_others_one_last_turn_each() -> None:
    after = view(*bank(2000), players=3, target=2000)
    assert (after["last_round"], after["player"], after["over"]) == (True, "Ben", False)
    assert view(*bank(1950), players=3, target=2000)["last_round"] is False
    end = view(*bank(2000), *bank(3000), *LATE_CRAP, players=3, target=2000)
    assert end["outcome"] == {"winners": ["Ben"], "games_lost": {"Ann": 1, "Ben": 0, "Cat": 1}}
    assert (end["player"], end["last_round"], end["kept"], end["round"]) == (None, True, [], 1)


def test_the_default_crapola_target_is_15000() -> None:
    assert [view(*bank(points))["last_round"] for points in (14950, 15000)] == [False, True]


def test_on_a_crapola_tie_the_player_who_began_the_last_round_wins() -> None:
    end = view(*LATE_CRAP, *bank(2000), *bank(2000), players=3, target=2000, first="Cat")
    assert end["over"] is False
    end = view(*LATE_CRAP, *bank(2000), *bank(2000), *LATE_CRAP, players=3, target=2000, first="Cat")
    assert end["outcome"]["winners"] == ["Ann"]
    end = view(*bank(2000), *bank(2000), target=2000, first="Ben")
    assert end["outcome"] == {"winners": ["Ben"], "games_lost": {"Ann": 1, "Ben": 0}}


def test_crapola_players_tied_above_the_last_rounds_opener_all_win() -> None:
    end = view(*bank(2000), *bank(3000), *bank(3000), players=3, target=2000)
    assert end["outcome"] == {"winners": ["Ben", "Cat"], "games_lost": {"Ann": 1, "Ben": 0, "Cat": 0}}


def test_a_crapola_reversal_in_the_last_round_gives_each_player_one_turn() -> None:
    lines = [*bank(2000), *CRAP]
    assert view(*lines, players=4, target=2000)["player"] == "Dan"
    assert view(*lines, *LATE_CRAP, players=4, target=2000)["player"] == "Cat"
    end = view(*lines, *LATE_CRAP, *CRAP, players=4, target=2000)
    assert (end["over"], end["direction"], end["round"]) == (True, 1, 1)


def test_a_crap_out_that_ends_a_crapola_game_reverses_the_direction() -> None:
    end = view(*bank(2000), *LATE_CRAP, *CRAP, players=3, target=2000)
    assert (end["over"], end["direction"]) == (True, -1)


def test_crapola_last_round_ends_the_game_even_if_a_spend_undid_the_target() -> None:
    lines = [*bank(1000), *bank(1000), *bank(1000), spend("Ann", 1000)]
    end = view(*lines, target=2000)
    assert (end["over"], end["scores"], end["outcome"]["winners"]) == (True, {"Ann": 1000, "Ben": 0}, ["Ann"])


def test_a_second_crapola_player_at_the_target_starts_no_new_last_round() -> None:
    end = view(*bank(2000), *bank(2000), *bank(2050), players=3, target=2000)
    assert (end["over"], end["outcome"]["winners"]) == (True, ["Cat"])


# --- spending


def test_a_crapola_spend_costs_both_players_equally_and_ends_the_turn() -> None:
    lines = [*bank(1000), *bank(1500)]
    assert view(*lines)["decisions"] == ["spend"]
    after = view(*lines, spend("Ben", 400))
    assert (after["scores"], after["player"], after["round"]) == ({"Ann": 600, "Ben": 1100}, "Ben", 2)


@pytest.mark.parametrize("points", [1, 999, 1000])
def test_crapola_spending_1_to_1000_points_costs_both_players_that_many(points: int) -> None:
    assert view(*bank(2000), *bank(2000), spend("Ben", points))["scores"] == {
        "Ann": 2000 - points,
        "Ben": 2000 - points,
    }


def test_a_crapola_spend_of_more_than_either_player_has_is_refused() -> None:
    poor = [*bank(1000), *bank(1500), spend("Ben", 800), *LATE_CRAP]
    assert view(*poor)["scores"] == {"Ann": 200, "Ben": 700}
    refused(*poor, spend("Ben", 201))
    assert view(*poor, spend("Ben", 200))["scores"] == {"Ann": 0, "Ben": 500}
    rich = [*poor, *bank(2000)]
    assert view(*rich)["player"] == "Ben"
    assert view(*rich, spend("Ann", 700))["scores"] == {"Ann": 1500, "Ben": 0}
    refused(*rich, spend("Ann", 701))


def test_crapola_spend_is_refused_unless_on_another_player_with_points() -> None:
    lines = [*TWO_BANKS, *LATE_CRAP]
    for name in ("Ann", "Nobody", "Cat"):
        refused(*lines, spend(name, 1), players=3)
    for nobody_rich in ([*bank(1000), *LATE_CRAP], bank(1000)):
        assert view(*nobody_rich)["decisions"] == []
    assert view(*TWO_BANKS, throw(1, 2, 2, 3, 3, 4), keep(1))["decisions"] == ["stop"]


def test_crapola_points_cannot_be_spent_with_the_house_rule_spend_off() -> None:
    assert view(*TWO_BANKS, spend=False)["decisions"] == []
    refused(*TWO_BANKS, spend("Ben", 1), spend=False)


def test_crapola_options_for_spending_points_are_1_and_the_most_allowed() -> None:
    state = told("crapola", *bank(1000), *bank(1500), *LATE_CRAP, players=3).state
    assert state.options() == (Spend("Ben", 1), Spend("Ben", 1000))
    one_left = told("crapola", *bank(1000), *bank(1500), spend("Ben", 999), *LATE_CRAP).state
    assert one_left.options() == (Spend("Ben", 1),)
    assert told("crapola", throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1)).state.options() == (Stop(),)


# --- the seventh die


def test_a_crapola_player_over_5000_points_behind_may_throw_seven_dice() -> None:
    assert view(*bank(5000))["throw_sizes"] == [6]
    assert view(*bank(5050))["throw_sizes"] == [6, 7]
    lines = [*bank(1000), *bank(6000), *bank(1000)]
    assert view(*lines, players=3)["throw_sizes"] == [6]
    by_one = [*lines, spend("Cat", 1), *LATE_CRAP]
    assert view(*by_one, players=3)["scores"] == {"Ann": 999, "Ben": 6000, "Cat": 999}
    assert view(*by_one, players=3)["throw_sizes"] == [6, 7]
    assert view(*bank(5050), seventh_die=False)["throw_sizes"] == [6]


def test_the_first_throw_fixes_a_crapola_turn_at_six_or_seven_dice() -> None:
    for dice, kept, size in (
        ((1, 2, 2, 3, 3, 4, 6), (1,), 6),
        ((1, 1, 2, 3, 4, 5, 6), (1, 1, 2, 3, 4, 5, 6), 7),
        ((1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6), 6),
    ):
        lines = [*bank(6000), throw(*dice), keep(*kept)]
        assert view(*lines)["throw_sizes"] == [size]
        refused(*lines, throw(*[1] * (13 - size)))


def test_crapola_has_no_seventh_die_in_the_last_round() -> None:
    assert view(*bank(6000), target=6000)["throw_sizes"] == [6]


def test_crapola_players_6000_behind_the_highest_total_may_throw_7_dice() -> None:
    for more in ([], LATE_CRAP):
        assert view(*bank(1000), *bank(7000), *more, players=3)["throw_sizes"] == [6, 7]


# --- and the rest


def test_a_crapola_round_ends_after_one_turn_of_each_player() -> None:
    assert [view(*LATE_CRAP * turns, players=3)["round"] for turns in (2, 3)] == [1, 2]


@pytest.mark.parametrize("players", [2, 10])
def test_crapola_accepts_two_and_ten_players(players: int) -> None:
    assert begun("crapola", players).view()["player"] == "Ann"


@pytest.mark.parametrize("players", [0, 1, 11])
def test_crapola_refuses_fewer_than_2_or_more_than_10_players(players: int) -> None:
    with pytest.raises(RulesError, match="2 to 10"):
        begun("crapola", header={"players": [*NAMES, "Kim"][:players]})
