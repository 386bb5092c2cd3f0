"""Odds of Crapola: values of a turn, chances to reach a score, and options of a throw."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from itertools import product

import pytest

from companion.errors import RulesError
from companion.games.advice.odds import options
from companion.games.crapola.odds import turn_value as crapola_odds
from companion.games.crapola.odds.backward_induction import MAX_THROW_STEPS
from companion.games.crapola.odds.offers import STEP, offers, offers_of, offers_table
from companion.games.crapola.odds.race import catching
from companion.games.crapola.scoring import points_of
from companion.games.engine.dice import subsets, throws_of, without
from tests.games.naive_odds import crapola_offers
from tests.games.playing import STOP, begun, keep, throw, told, worth_of
from tests.games.test_crapola import LATE_CRAP
from tests.games.test_crapola import bank as bank_crapola


@pytest.mark.parametrize(("dice", "ways"), [(1, 4), (2, 16), (3, 60), (4, 204), (5, 600), (6, 1080), (7, 0)])
def test_crapola_crap_out_chance_equals_known_counts_for_1_to_6_dice_and_is_absent_for_7(dice: int, ways: int) -> None:
    assert sum(count for _, count in throws_of(dice)) == 6**dice
    assert crapola_odds.safe_chance(dice) == (pytest.approx(1 - ways / 6**dice) if dice < 7 else None)


@pytest.mark.parametrize("dice", range(1, 8))
def test_computed_and_stored_counts_of_throws_for_each_crapola_offer_match_brute_force(dice: int) -> None:
    """An offer is the most points for each number of dice left; the ways of all throws of one offer are added."""
    wanted = Counter[tuple[tuple[int, int], ...]]()
    for offer, chance in crapola_offers(dice):
        wanted[tuple(sorted(offer))] += round(chance * 6**dice)
    assert offers(dice) == wanted
    assert dict(offers_table()[dice]) == wanted


def test_the_most_points_of_a_crapola_throw_are_those_of_seven_1s_as_the_constant_max_throw_steps_says() -> None:
    most = max(points for dice in range(1, 8) for offer, _ in offers_of(dice) for _, points in offer)
    assert most == points_of((1,) * 7) == STEP * MAX_THROW_STEPS


def test_chance_of_a_scoring_crapola_throw_is_that_of_six_dice_if_six_or_seven_may_be_thrown() -> None:
    assert told("crapola", *bank_crapola(6000)).state.safe_chance == pytest.approx(1 - 1080 / 46656)


@pytest.mark.parametrize(("size", "least", "value"), [(6, 0, 531.828675), (6, 1000, 407.970656), (7, 0, 835.765954)])
def test_expected_points_of_a_crapola_turn_equal_the_known_values(size: int, least: int, value: float) -> None:
    """The expected points are 532 with six dice, 408 with six dice before the first bank, and 836 with seven dice."""
    assert crapola_odds.turn_values(size, least).thrown(0, size) == pytest.approx(value, abs=1e-6)


def test_crapola_chance_to_bank_any_or_at_least_1000_points_in_a_turn_equals_known_values() -> None:
    """Only a crap-out keeps a turn from banking at all; 1,000 points are banked in 31 % of turns."""
    assert catching()[1] == pytest.approx(1 - 1080 / 46656)
    assert catching()[1000 // STEP] == pytest.approx(0.311446, abs=1e-6)


@pytest.mark.parametrize(("size", "least"), crapola_odds.STORED)
def test_stored_crapola_turn_values_are_read_and_equal_computed_ones(
    size: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked_out = crapola_odds.evaluate(size, least)
    monkeypatch.delattr(crapola_odds, "evaluate")
    read = crapola_odds.turn_values.__wrapped__(size, least)
    assert read._known == pytest.approx(worked_out)


def unstored(size: int, least: int) -> crapola_odds.TurnValues:
    """Return turn values that are computed even if a table is stored."""
    return crapola_odds.TurnValues(size, least, crapola_odds.evaluate(size, least), hot=crapola_odds.rich_seven)


@pytest.mark.parametrize(("points", "dice", "least"), [(0, 1, 0), (500, 2, 0), (300, 3, 0), (0, 2, 1000), (2000, 4, 0)])
def test_a_crapola_throw_is_worth_the_mean_over_rolls_of_the_best_keep(points: int, dice: int, least: int) -> None:
    worth = unstored(6, least)
    total = 0.0
    for thrown in product(range(1, 7), repeat=dice):
        keeps = [kept for kept in subsets(tuple(sorted(thrown))) if kept and points_of(kept)]
        following = (
            worth.choosing(points + (points_of(kept) or 0), len(without(thrown, kept) or ())) for kept in keeps
        )
        total += max(following, default=0.0)
    assert worth.thrown(points, dice) == pytest.approx(total / 6**dice)


def test_crapola_expected_points_value_a_stop_only_if_the_turn_has_reached_the_entry_minimum() -> None:
    worth = unstored(6, 1000)
    assert worth.choosing(950, 3) == worth.thrown(950, 3) < 950
    assert worth.choosing(1000, 1) == 1000
    assert worth.choosing(1000, 0) == max(1000, worth.thrown(1000, 6)) > 1000


def test_no_crapola_throw_that_can_crap_out_beats_a_bank_from_15700_turn_points_on() -> None:
    # Where a throw loses with chance f and adds m points on average when the best of them are kept, it pays to throw
    # only below m / f; turn points never fall, so above the greatest of these a throw never pays again.
    added = [sum(chance * max(points for _, points in offer) for offer, chance in offers_of(dice))
             for dice in range(1, 7)]  # fmt: skip
    limits = [most / (1 - (crapola_odds.safe_chance(dice) or 0)) for dice, most in enumerate(added, 1)]
    rich = crapola_odds.SURE_STOP_POINTS
    assert rich == (int(max(limits)) // 50 + 1) * 50
    six = unstored(6, 0)
    for dice in range(1, 7):
        assert six.thrown(rich, dice) < rich
        assert six.choosing(rich, dice % 6) == rich
    assert six.thrown(rich - 50, 6) > rich - 50
    for seven in (unstored(7, 0), crapola_odds.turn_values(7, 0)):
        assert seven.choosing(rich, 0) == pytest.approx(rich + crapola_odds.rich_seven())
        assert seven.choosing(rich, 6) == rich
        assert seven.thrown(rich, 7) == pytest.approx(rich + crapola_odds.rich_seven())


def test_crapola_point_odds_of_a_keep_are_expected_turn_points_and_of_a_stop_the_turn_points_so_far() -> None:
    state = told("crapola", *bank_crapola(1000), *LATE_CRAP, throw(1, 5, 2, 2, 2, 6)).state
    worth = crapola_odds.turn_values(6, 0)
    found = options(state)
    assert worth_of(found, keep(1)) == worth.choosing(100, 5)
    assert worth_of(found, keep(1, 2, 2, 2, 5)) == worth.choosing(350, 1)
    stopping = options(told("crapola", *bank_crapola(1000), *LATE_CRAP, throw(1, 5, 2, 2, 2, 6), keep(1)).state)
    assert worth_of(stopping, STOP) == 100.0
    assert worth_of(stopping, {"throw": 5}) == worth.thrown(100, 5)


def test_crapola_odds_for_points_value_a_throw_at_its_expected_turn_points_and_a_spend_at_0() -> None:
    found = options(told("crapola", *bank_crapola(7000), *bank_crapola(1000), *LATE_CRAP).state)
    assert worth_of(found, {"throw": 7}) == crapola_odds.turn_values(7, 0).thrown(0, 7)
    assert worth_of(found, {"throw": 6}) == crapola_odds.turn_values(6, 0).thrown(0, 6)
    assert worth_of(found, {"do": "spend", "on": "Ann", "points": 1}) == 0.0
    off_board = options(told("crapola", *bank_crapola(7000)).state)
    assert worth_of(off_board, {"throw": 7}) == crapola_odds.turn_values(7, 1000).thrown(0, 7)
    begun_with_seven = told("crapola", *bank_crapola(7000), throw(1, 2, 2, 3, 3, 4, 6), keep(1)).state
    assert options(begun_with_seven)[0]["value"] == crapola_odds.turn_values(7, 1000).thrown(100, 6)


def test_crapola_odds_are_refused_if_rules_ask_for_over_50000_points_in_the_first_bank() -> None:
    state = begun("crapola", rules={"entry": 10**9}).state
    with pytest.raises(RulesError, match="50000"):
        options(state)
    assert options(begun("crapola", rules={"entry": 50_000}).state)[0]["value"] > 0


def test_crapola_odds_free_the_cached_values_of_an_entry_rule_after_ten_other_entry_rules_were_used() -> None:
    first = weakref.ref(crapola_odds.turn_values(6, 50))
    for entry in range(100, 600, 50):
        crapola_odds.turn_values(6, entry)
    gc.collect()
    assert first() is None
