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
from tests.games.playing import (
    BOMB,
    NAMES,
    STOP,
    begun,
    check,
    claim,
    keep,
    point,
    score,
    scores,
    spend,
    throw,
    told,
    won,
)

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
def test_crapola_refuses_throws_and_decisions_not_allowed_at_that_stage_of_a_turn(
    lines: list[dict[str, Any]], refusals: list[dict[str, Any]]
) -> None:
    for line in refusals:
        assert refused(*lines, line)


KEPT_1 = [throw(1, 2, 3, 4, 4, 6), keep(1)]
STRAIGHT = [throw(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6)]
SHORT = [throw(2, 2, 2, 5, 3, 4), keep(2, 2, 2, 5)]
TURNS = [
    claim("it begins with six dice", [], throw_sizes=[6], decisions=[], kept=[], dice=[], direction=1, last_round=False,
          on_board=scores(False, False)),
    claim("then a keep", THROWN, decisions=["keep"], throw_sizes=[], dice=[1, 2, 3, 3, 4, 5]),
    claim("the others are thrown again", [throw(1, 5, 2, 3, 4, 4), keep(5, 1)], kept=[[1, 5]], dice=[2, 3, 4, 4],
          turn_points=150, throw_sizes=[4]),
    claim("each keep scores on its own", [*KEPT_1, throw(1, 1, 3, 3, 6), keep(1, 1)], kept=[[1], [1, 1]],
          turn_points=300),
    claim("a crap-out loses its points", [*bank(1000), *LATE_CRAP], player="Ann", scores=scores(1000, 0),
          turn_points=0, kept=[], dice=[], round=2),
    claim("hot dice may stop or throw six", STRAIGHT, throw_sizes=[6], decisions=["stop"], dice=[]),
    claim("hot dice add up", [*STRAIGHT, throw(1, 2, 2, 3, 3, 4), keep(1)], kept=[[1, 2, 3, 4, 5, 6], [1]],
          turn_points=1100),
    claim("hot dice bank", [*STRAIGHT, STOP], scores=scores(1000, 0)),
    claim("hot dice over several throws", [throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1), throw(5, 5, 5), keep(5, 5, 5)],
          throw_sizes=[6], turn_points=1500),
    claim("two turns of three players", LATE_CRAP * 2, 3, round=1),
    claim("three turns of three players", LATE_CRAP * 3, 3, round=2),
    claim("a first bank needs 1000", SHORT, decisions=[]),
    claim("a second does not", [*bank(1000), *LATE_CRAP, *SHORT], decisions=["stop"], on_board=scores(True, False)),
    claim("and counts", [*bank(1000), *LATE_CRAP, *SHORT, STOP], scores=scores(1250, 0)),
    *(claim(f"with an entry of {entry}", [throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1)], rules={"entry": entry},
            decisions=["stop"] if entry <= 1000 else []) for entry in (950, 1000, 1001, 1050, 0)),
    claim("without an entry", [throw(5, 2, 2, 3, 3, 4), keep(5), STOP], rules={"entry": 0}, scores=scores(50, 0),
          on_board=scores(True, False)),
    claim("a total of 0 stays on the board", [*TWO_BANKS, spend("Ben", 1000)], scores=scores(0, 0),
          on_board=scores(True, True)),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "set_up", "wanted"), TURNS)
def test_a_crapola_turn_keeps_rethrows_craps_out_or_banks_from_the_entry_score_on(
    lines: Any, set_up: Any, wanted: Any
) -> None:
    check("crapola", lines, set_up, wanted)


def test_refusing_a_too_small_first_crapola_bank_states_the_minimum_of_1000_points() -> None:
    assert "1000" in refused(*SHORT, STOP)


# --- reversal and the last round

REVERSALS = [
    claim("on a first throw", CRAP, 3, direction=-1, player="Cat"),
    claim("it stays reversed", [*CRAP, *LATE_CRAP], 3, direction=-1, player="Ben"),
    claim("until the next", [*CRAP, *CRAP], 3, direction=1, player="Ann"),
    claim("not on a later throw", LATE_CRAP, 3, direction=1, player="Ben"),
    claim("not after hot dice", [*STRAIGHT, *CRAP], 3, direction=1, player="Ben"),
    claim("not between two", CRAP, direction=1, player="Ben"),
    claim("not without the house rule", CRAP, 3, rules={"reversal": False}, direction=1, player="Ben"),
]
TO_2000 = {"target": 2000}
TURNED = [*bank(2000), *CRAP]
LAST_ROUNDS = [
    claim("below the default target", bank(14950), last_round=False),
    claim("at the default target", bank(15000), last_round=True),
    claim("below the target", bank(1950), 3, rules=TO_2000, last_round=False),
    claim("at the target", bank(2000), 3, rules=TO_2000, last_round=True, player="Ben", over=False),
    claim("each has one turn", [*bank(2000), *bank(3000), *LATE_CRAP], 3, rules=TO_2000,
          outcome=won("Ben", Ann=1, Cat=1), player=None, last_round=True, kept=[], round=1),
    claim("the round may begin with another", [*LATE_CRAP, *bank(2000), *bank(2000)], 3, "Cat", TO_2000, over=False),
    claim("who began it wins a tie", [*LATE_CRAP, *bank(2000), *bank(2000), *LATE_CRAP], 3, "Cat", TO_2000,
          outcome=won("Ann", Ben=1, Cat=1)),
    claim("also of two", [*bank(2000), *bank(2000)], 2, "Ben", TO_2000, outcome=won("Ben", Ann=1)),
    claim("others share a tie above", [*bank(2000), *bank(3000), *bank(3000)], 3, rules=TO_2000,
          outcome=won("Ben", "Cat", Ann=1)),
    claim("a reversal passes on", TURNED, 4, rules=TO_2000, player="Dan"),
    claim("it lets nobody miss the turn", [*TURNED, *LATE_CRAP], 4, rules=TO_2000, player="Cat"),
    claim("or repeat it", [*TURNED, *LATE_CRAP, *CRAP], 4, rules=TO_2000, over=True, direction=1, round=1),
    claim("the last crap-out reverses", [*bank(2000), *LATE_CRAP, *CRAP], 3, rules=TO_2000, over=True, direction=-1),
    claim("a spend does not stop it", [*bank(1000), *bank(1000), *bank(1000), spend("Ann", 1000)], rules=TO_2000,
          over=True, scores=scores(1000, 0), outcome=won("Ann", Ben=1)),
    claim("a second at the target starts no other", [*bank(2000), *bank(2000), *bank(2050)], 3, rules=TO_2000,
          over=True, outcome=won("Cat", Ann=1, Ben=1)),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "set_up", "wanted"), REVERSALS)
def test_a_first_throw_crapola_crap_out_reverses_play_of_3_players_but_not_of_2(
    lines: Any, set_up: Any, wanted: Any
) -> None:
    check("crapola", lines, set_up, wanted)


@pytest.mark.parametrize(("lines", "set_up", "wanted"), LAST_ROUNDS)
def test_reaching_the_crapola_target_gives_the_others_one_turn_each(lines: Any, set_up: Any, wanted: Any) -> None:
    check("crapola", lines, set_up, wanted)


# --- spending

POOR = [*bank(1000), *bank(1500), spend("Ben", 800), *LATE_CRAP]
RICH = [*POOR, *bank(2000)]
SPENDINGS = [
    claim("it may be decided before the first throw", [*bank(1000), *bank(1500)], decisions=["spend"]),
    claim("it ends the turn", [*bank(1000), *bank(1500), spend("Ben", 400)], scores=scores(600, 1100), player="Ben",
          round=2),
    *(claim(f"{points} points", [*bank(2000), *bank(2000), spend("Ben", points)],
            scores=scores(2000 - points, 2000 - points)) for points in (1, 999, 1000)),
    claim("poor players", POOR, scores=scores(200, 700)),
    claim("all that the spender has", [*POOR, spend("Ben", 200)], scores=scores(0, 500)),
    claim("all that the other has", [*RICH, spend("Ann", 700)], scores=scores(1500, 0)),
    claim("not with others without points", bank(1000), decisions=[]),
    claim("not without points", [*bank(1000), *LATE_CRAP], decisions=[]),
    claim("not after a keep", [*TWO_BANKS, throw(1, 2, 2, 3, 3, 4), keep(1)], decisions=["stop"]),
    claim("not without the house rule", TWO_BANKS, rules={"spend": False}, decisions=[]),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "set_up", "wanted"), SPENDINGS)
def test_a_crapola_spend_costs_spender_and_target_up_to_1000_points_each(lines: Any, set_up: Any, wanted: Any) -> None:
    check("crapola", lines, set_up, wanted)


def test_refusing_to_spend_crapola_points_on_a_player_says_they_have_none_or_have_left() -> None:
    assert "Cat has no points: spend points on another" in refused(*TWO_BANKS, *LATE_CRAP, spend("Cat", 1), players=3)
    gone = [*bank(1000), *bank(1000), *bank(1000), {"leave": "Ben"}, spend("Ben", 1)]
    assert "Ben has left: spend points on another player" in refused(*gone, players=3)


def test_crapola_refuses_a_spend_over_the_limit_on_a_wrong_player_or_with_rule_off() -> None:
    refused(*bank(2000), *bank(2000), spend("Ben", 1001))
    refused(*POOR, spend("Ben", 201))
    refused(*RICH, spend("Ann", 701))
    refused(*TWO_BANKS, spend("Ben", 1), spend=False)
    for name in ("Ann", "Nobody", "Cat"):
        refused(*TWO_BANKS, *LATE_CRAP, spend(name, 1), players=3)


def test_crapola_options_to_spend_points_are_just_1_point_and_the_maximum() -> None:
    state = told("crapola", *bank(1000), *bank(1500), *LATE_CRAP, players=3).state
    assert state.options() == (Spend("Ben", 1), Spend("Ben", 1000))
    one_left = told("crapola", *bank(1000), *bank(1500), spend("Ben", 999), *LATE_CRAP).state
    assert one_left.options() == (Spend("Ben", 1),)
    assert told("crapola", throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1)).state.options() == (Stop(),)


# --- the seventh die

BEHIND = [*bank(1000), *bank(6000), *bank(1000)]
SEVENS = [
    claim("5000 behind", bank(5000), throw_sizes=[6]),
    claim("5050 behind", bank(5050), throw_sizes=[6, 7]),
    claim("the leader", BEHIND, 3, throw_sizes=[6]),
    claim("5001 behind", [*BEHIND, spend("Cat", 1), *LATE_CRAP], 3, scores=scores(999, 6000, 999), throw_sizes=[6, 7]),
    claim("behind any other", [*bank(1000), *bank(7000)], 3, throw_sizes=[6, 7]),
    claim("each who is behind", [*bank(1000), *bank(7000), *LATE_CRAP], 3, throw_sizes=[6, 7]),
    claim("not without the house rule", bank(5050), rules={"seventh_die": False}, throw_sizes=[6]),
    claim("not in the last round", bank(6000), rules={"target": 6000}, throw_sizes=[6]),
]


@pytest.mark.parametrize(("lines", "set_up", "wanted"), SEVENS)
def test_a_crapola_player_over_5000_points_behind_may_throw_seven_dice(lines: Any, set_up: Any, wanted: Any) -> None:
    check("crapola", lines, set_up, wanted)


def test_the_first_throw_fixes_a_crapola_turn_at_six_or_seven_dice() -> None:
    for dice, kept, size in (
        ((1, 2, 2, 3, 3, 4, 6), (1,), 6),
        ((1, 1, 2, 3, 4, 5, 6), (1, 1, 2, 3, 4, 5, 6), 7),
        ((1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6), 6),
    ):
        lines = [*bank(6000), throw(*dice), keep(*kept)]
        assert told("crapola", *lines).state.throw_sizes == (size,)
        refused(*lines, throw(*[1] * (13 - size)))


# --- and the rest


@pytest.mark.parametrize("players", [2, 10])
def test_crapola_accepts_two_and_ten_players(players: int) -> None:
    assert begun("crapola", players).view()["player"] == "Ann"


@pytest.mark.parametrize("players", [0, 1, 11])
def test_crapola_refuses_fewer_than_2_or_more_than_10_players(players: int) -> None:
    with pytest.raises(RulesError, match="2 to 10"):
        begun("crapola", header={"players": [*NAMES, "Kim"][:players]})
