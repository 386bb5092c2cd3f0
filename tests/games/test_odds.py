"""Exact odds: the numbers that the rules' sources give, and worths worked out in another way."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from companion.errors import RulesError
from companion.games.advice.odds import options
from companion.games.crag.scoring import CATEGORIES, points_for
from companion.games.crib_dice.odds import turn_value as crib_odds
from companion.games.crib_dice.odds.race import banks
from companion.games.crib_dice.scoring import set_score
from companion.games.engine.dice import subsets, throws_of
from companion.games.engine.game import Throw
from tests.games.crib_turns import bank, ones
from tests.games.playing import ADVANCED, BOMB, STOP, begun, keep, point, score, throw, told, worth_of
from tests.games.test_crapola import LATE_CRAP
from tests.games.test_crapola import bank as bank_crapola


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("frozen", [2, 3, 4])
def test_crib_dice_safe_chance_is_the_chance_that_any_die_shows_the_point_value_or_a_1(frozen: int, value: int) -> None:
    others = [face for face in range(1, 7) if face != value]
    state = told("crib_dice", throw(*[value] * frozen, *others[: 7 - frozen]), point(value)).state
    dice = 7 - frozen
    wanted = 1 - Fraction(5, 6) ** dice if value == 1 else 1 - Fraction(2, 3) ** dice
    assert state.safe_chance == pytest.approx(float(wanted), abs=1e-12)


def test_crib_dice_safe_chances_equal_the_published_87_80_and_70_percent() -> None:
    assert [round(100 * (crib_odds.safe_chance(7 - dice, 5) or 0)) for dice in (5, 4, 3)] == [87, 80, 70]


@pytest.mark.parametrize("frozen", [5, 6])
def test_a_crib_dice_piddle_is_won_30_lost_5_and_void_1_time_in_36(frozen: int) -> None:
    before = told("crib_dice", throw(*[4] * frozen, *(1, 2)[: 7 - frozen]), point(4))
    ends = {"won": 0, "lost": 0, "void": 0}
    for dice in product(range(1, 7), repeat=2):
        after = before.then(Throw(dice)).view()
        ends["lost" if after["player"] == "Ben" else "won" if after["throw_sizes"] == [7] else "void"] += 1
    assert ends == {"won": 30, "lost": 5, "void": 1}
    for piddle in (before, before.then(Throw((4, 4)))):
        assert piddle.state.safe_chance == pytest.approx(31 / 36)


def test_an_announced_crib_dice_bomb_succeeds_in_11_of_36_throws() -> None:
    bomb = told("crib_dice", *bank(20), *ones(5), BOMB, rules={"bomb": True})
    assert bomb.state.safe_chance == pytest.approx(11 / 36)


def test_a_game_state_in_which_no_throw_can_fail_has_no_safe_throw_chance() -> None:
    seven = [throw(*[6] * 7), point(6)]
    for lines in ([], [throw(5, 5, 2, 2, 1, 4, 6)], seven, [throw(*[4] * 5, 1, 2), point(4), throw(1, 2)]):
        assert told("crib_dice", *lines).state.safe_chance is None
    assert told("crib_dice", *bank(121), *bank(2)).state.safe_chance is None
    for lines in ([], [throw(1, 2, 3)], [throw(1, 2, 3), keep(1)]):
        assert told("crag", *lines).state.safe_chance is None
    assert told("crapola", throw(1, 2, 3, 4, 5, 6)).state.safe_chance is None
    assert told("crapola", throw(1, 2, 2, 3, 3, 4), keep(1)).state.safe_chance == pytest.approx(1 - 600 / 7776)
    hot = [*bank_crapola(6000), throw(1, 1, 2, 3, 4, 5, 6), keep(1, 1, 2, 3, 4, 5, 6)]
    assert told("crapola", *hot).state.safe_chance is None


def test_crib_dice_odds_rank_throwing_5_dice_above_stopping_with_2_points() -> None:
    found = options(told("crib_dice", throw(5, 5, 2, 2, 1, 4, 6), point(5)).state)
    assert [option["line"] for option in found] == [{"throw": 5}, {"do": "stop"}]
    assert found[1]["value"] == 2.0


def test_the_best_crib_dice_option_after_six_6s_is_to_stop_and_after_seven_6s_to_throw() -> None:
    six, seven = (options(told("crib_dice", throw(*[6] * 6, die), point(6)).state)[0] for die in (1, 6))
    assert six == {"line": {"do": "stop"}, "value": 24.0}
    assert seven["line"] == {"throw": 7}


def test_odds_list_no_options_after_the_end_of_a_game() -> None:
    assert options(told("crib_dice", *bank(121), *bank(2)).state) == []
    end = [line for category in CATEGORIES for line in (throw(1, 1, 2), score(category))]
    assert options(told("crag", *end, players=1).state) == []
    over = [*bank_crapola(2000), *LATE_CRAP]
    assert options(told("crapola", *over, rules={"target": 2000}).state) == []


def test_crib_dice_odds_options_for_an_unknown_goal_are_a_rules_error() -> None:
    with pytest.raises(RulesError, match="points"):
        options(begun("crib_dice").state, "glory")


@pytest.mark.parametrize("gathered", [0, 3, 57, 399])
def test_the_value_of_throwing_seven_crib_dice_is_the_mean_over_throws_of_the_best_freeze(gathered: int) -> None:
    worth = crib_odds.turn_values(True)
    total = 0.0
    for dice, ways in throws_of(7):
        sets = [(dice.count(face), face) for face in range(1, 7) if dice.count(face) > 1]
        total += ways * max(worth.held(gathered, *held) for held in sets)
    assert worth.fresh(gathered) == pytest.approx(total / 6**7)


def test_expected_points_of_a_crib_dice_throw_are_the_mean_of_its_results() -> None:
    worth = crib_odds.turn_values(False)
    for gathered, frozen, value in ((0, 2, 5), (10, 3, 1), (0, 4, 6), (50, 2, 2)):
        dice = 7 - frozen
        mean = math.fsum(
            worth.held(gathered, frozen + thrown.count(value), value)
            for thrown in product(range(1, 7), repeat=dice)
            if value in thrown or 1 in thrown
        )
        thrown_on = worth.thrown(gathered, frozen, value)
        stop = gathered + set_score(frozen, value)
        assert thrown_on == pytest.approx(mean / 6**dice)
        assert worth.held(gathered, frozen, value) == pytest.approx(max(stop, thrown_on))


def test_expected_points_of_a_crib_dice_piddle_are_the_mean_over_results() -> None:
    """Of 35 decided piddles 30 are won; with `piddle_points` each die of the point raises the set."""
    worth = crib_odds.turn_values(False)
    assert worth.thrown(10, 5, 4) == pytest.approx(6 / 7 * worth.fresh(22))
    raised = crib_odds.turn_values(True)
    wanted = (20 * raised.fresh(22) + 10 * raised.fresh(26) + raised.fresh(30)) / 36
    assert raised.thrown(10, 5, 4) == pytest.approx(wanted)
    wanted = (20 * raised.fresh(26) + 11 * raised.fresh(30)) / 36
    assert raised.thrown(10, 6, 4) == pytest.approx(wanted)


@pytest.mark.parametrize("piddle_points", [False, True])
def test_crib_dice_expected_points_favour_a_stop_over_a_throw_at_360_to_400_turn_points(piddle_points: bool) -> None:
    worth = crib_odds.turn_values(piddle_points)
    for gathered in range(crib_odds.SURE_STOP_POINTS - 40, crib_odds.SURE_STOP_POINTS + 1):
        for frozen in range(2, 7):
            for value in range(1, 7):
                assert worth.thrown(gathered, frozen, value) < gathered + set_score(frozen, value)
    below = worth.fresh(crib_odds.SURE_STOP_POINTS - 1)
    assert worth.fresh(crib_odds.SURE_STOP_POINTS) == pytest.approx(below + 1)


@pytest.mark.parametrize("piddle_points", [False, True])
def test_the_stored_value_of_a_crib_dice_turn_at_395_points_equals_the_computed_value(piddle_points: bool) -> None:
    worth, worked_out = crib_odds.turn_values(piddle_points), crib_odds.TurnValues(piddle_points)
    assert (worth._known_from, worked_out._known_from) == (0, crib_odds.SURE_STOP_POINTS)
    assert worth.fresh(crib_odds.SURE_STOP_POINTS - 5) == pytest.approx(
        worked_out.fresh(crib_odds.SURE_STOP_POINTS - 5)
    )
    assert worked_out._known_from == crib_odds.SURE_STOP_POINTS - 5, "no poorer turn than was asked for"


def test_the_expected_highest_set_score_of_7_crib_dice_equals_the_mean_over_all_throws() -> None:
    """The turn stops with the highest set of each throw; only seven alike roll over and are thrown again."""
    more, total = crib_odds.rich_fresh_throw(), 0.0
    for dice, ways in throws_of(7):
        alike = 7 in (dice.count(face) for face in range(1, 7))
        best = max(set_score(dice.count(face), face) for face in range(1, 7) if dice.count(face) > 1)
        total += ways * (best + (more if alike else 0.0))
    assert more == pytest.approx(total / 6**7, abs=1e-9)


def test_first_throws_in_crib_dice_odds_have_a_total_probability_of_1() -> None:
    assert math.fsum(chance for _, chance in crib_odds.first_throws()) == pytest.approx(1)
    assert all(offer for offer, _ in crib_odds.first_throws()), "there is always a pair"


def test_a_crib_dice_turn_is_worth_7_7_points_or_8_3_by_advanced_rules() -> None:
    assert options(begun("crib_dice").state) == [{"line": {"throw": 7}, "value": pytest.approx(7.695357, abs=1e-6)}]
    advanced = begun("crib_dice", rules=ADVANCED).state
    assert options(advanced) == [{"line": {"throw": 7}, "value": pytest.approx(8.301677, abs=1e-6)}]


@pytest.mark.parametrize(("piddle_points", "chance"), [(False, 0.463808), (True, 0.628844)])
def test_crib_dice_best_play_wipes_out_46_percent_of_turns_or_63_if_piddles_score(
    piddle_points: bool, chance: float
) -> None:
    assert 1 - math.fsum(banks(piddle_points)) == pytest.approx(chance, abs=1e-6)


def test_the_value_of_naming_a_crib_dice_point_equals_that_of_holding_the_dice_that_show_it() -> None:
    found = options(told("crib_dice", throw(6, 6, 2, 2, 2, 4, 5)).state)
    worth = crib_odds.turn_values(False)
    assert worth_of(found, point(6)) == worth.held(0, 2, 6)
    assert worth_of(found, point(2)) == worth.held(0, 3, 2)


def test_crib_dice_odds_value_a_bomb_at_0_and_the_rethrow_after_a_void_piddle_like_a_piddle() -> None:
    found = options(told("crib_dice", *bank(20), *ones(5), rules={"bomb": True}).state)
    assert worth_of(found, BOMB) == 0.0
    assert worth_of(found, STOP) == 3.0
    announced = told("crib_dice", *bank(20), *ones(5), BOMB, rules={"bomb": True}).state
    assert options(announced) == [{"line": {"throw": 2}, "value": 0.0}]
    again = told("crib_dice", throw(*[4] * 5, 1, 2), point(4), throw(4, 4)).state
    assert options(again) == [{"line": {"throw": 2}, "value": crib_odds.turn_values(False).piddled(0, 5, 4)}]


@pytest.mark.parametrize(("strict", "total"), [(False, 149.847593), (True, 147.406114)])
def test_optimal_solo_crag_averages_150_points_or_147_if_thirteen_allows_no_pair(strict: bool, total: float) -> None:
    state = begun("crag", 1, rules={"thirteen_without_double": strict}).state
    assert options(state) == [{"line": {"throw": 3}, "value": pytest.approx(total, abs=1e-6)}]


def all_but(*unused: str, dice: tuple[int, ...] = (1, 1, 2)) -> list[dict[str, Any]]:
    """Return lines of turns that fill every category but those, each with the same dice."""
    filled = [category for category in CATEGORIES if category not in unused]
    return [line for category in filled for line in (throw(*dice), score(category))]


def test_crag_odds_value_a_keep_in_the_last_turn_at_the_mean_of_its_rethrows() -> None:
    before = all_but("sixes")
    found = options(told("crag", *before, throw(1, 2, 6), players=1).state)
    so_far = sum(points_for(category, (1, 1, 2)) for category in CATEGORIES if category != "sixes")
    assert worth_of(found, score("sixes")) == so_far + 6
    for kept in subsets((1, 2, 6))[:-1]:
        wanted = so_far + 6 * (kept.count(6) + Fraction(3 - len(kept), 6))
        assert worth_of(found, keep(*kept)) == pytest.approx(float(wanted), abs=1e-9)
    assert found[0]["line"] == keep(6)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("unused", [("crag",), ("thirteen", "crag"), ("twos", "odd_straight", "thirteen")])
def test_crag_odds_of_a_score_sheet_equal_a_plain_recursion(strict: bool, unused: tuple[str, ...]) -> None:
    state = told("crag", *all_but(*unused), players=1, rules={"thirteen_without_double": strict}).state
    so_far = sum(points_for(category, (1, 1, 2), strict) for category in CATEGORIES if category not in unused)
    assert options(state)[0]["value"] == pytest.approx(so_far + walked(unused, strict), abs=1e-9)


def walked(unused: tuple[str, ...], strict: bool) -> float:
    """Return the expected remaining points by full recursion over every throw and choice."""
    if not unused:
        return 0.0
    later = {category: walked(tuple(other for other in unused if other != category), strict) for category in unused}

    @cache
    def entered(dice: tuple[int, ...]) -> float:
        return max(points_for(category, dice, strict) + later[category] for category in unused)

    @cache
    def kept(dice: tuple[int, ...]) -> float:
        thrown = product(range(1, 7), repeat=3 - len(dice))
        return math.fsum(entered(tuple(sorted(dice + more))) for more in thrown) / 6.0 ** (3 - len(dice))

    thrown = (tuple(sorted(dice)) for dice in product(range(1, 7), repeat=3))
    return math.fsum(max(kept(choice) for choice in subsets(dice)) for dice in thrown) / 216


def test_crag_odds_skip_used_categories_and_obey_the_rule_that_thirteen_must_have_no_double() -> None:
    before = all_but("thirteen", "ones")
    state = told("crag", *before, throw(1, 6, 6), players=1).state
    assert options(state)[0]["line"] == score("thirteen")
    strict = told("crag", *before, throw(1, 6, 6), players=1, rules={"thirteen_without_double": True}).state
    assert options(strict)[0]["line"]["do"] == "keep"
    rethrown = told("crag", throw(1, 2, 6), keep(6), throw(6, 6), players=1).state
    assert options(rethrown)[0]["line"] == score("three_of_a_kind")
    assert options(told("crag", throw(1, 6, 6), players=1).state)[0]["line"] == score("crag")


def test_expected_total_of_a_crag_player_includes_the_points_on_that_players_sheet() -> None:
    state = told("crag", throw(1, 6, 6), score("crag")).state
    assert options(state)[0]["value"] == pytest.approx(149.847593, abs=1e-6)
    rich = told("crag", throw(1, 6, 6), score("crag"), throw(1, 1, 2), score("sixes")).state
    assert options(rich)[0]["value"] > 160
