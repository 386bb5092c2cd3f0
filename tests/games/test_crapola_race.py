"""The chance to win Crapola between two before the last turn: what it takes to be so is solved right, and holds."""

from __future__ import annotations

import numpy as np
import pytest

from companion.errors import RulesError
from companion.games.advice.odds import options
from companion.games.crapola.odds.backward_induction import MAX_THROW_STEPS, values_before_throw
from companion.games.crapola.odds.offers import STEP
from companion.games.crapola.odds.race import SURE_STOP_STEPS, catching, race
from companion.games.engine.dice import throws_of
from companion.games.engine.game import Throw
from tests.games.playing import STOP, begun, keep, told
from tests.games.playing import throw as thrown
from tests.games.test_crapola import bank


def test_stored_crapola_win_chances_after_both_players_first_bank_equal_those_of_best_play() -> None:
    for target, mine, other in ((15_000, 7000, 9000), (15_000, 14_000, 13_700), (3000, 1500, 2800), (2000, 1000, 1200)):
        game = race(target, 1000)
        standing = game.chance(mine, True, other, True)
        lost = 1 - game.chance(other, True, mine, True)
        bank = game.banked(mine, other, True, SURE_STOP_STEPS + MAX_THROW_STEPS)
        assert lost + values_before_throw(6, bank - lost, 0)[0, 5] == pytest.approx(standing, abs=1e-8)


def test_the_stored_crapola_win_chance_at_the_start_equals_that_of_the_best_first_turn() -> None:
    for target in (2000, 5000, 15_000):
        game = race(target, 1000)
        start = game.chance(0, False, 0, False)
        bank = game.banked(0, 0, False, SURE_STOP_STEPS + MAX_THROW_STEPS) - (1 - start)
        assert 1 - start + values_before_throw(6, bank, 20)[0, 5] == pytest.approx(start, abs=1e-8)
        assert 0.5 < start < 0.65


@pytest.mark.parametrize(
    ("mine", "other", "on", "other_on"), [(1000, 0, True, False), (0, 1000, False, True), (0, 2600, False, True)]
)
def test_stored_crapola_win_chances_with_only_one_player_entered_equal_best_play(
    mine: int, other: int, on: bool, other_on: bool
) -> None:
    game = race(3000, 1000)
    lost = 1 - game.chance(other, other_on, mine, on)
    bank = game.banked(mine, other, other_on, SURE_STOP_STEPS + MAX_THROW_STEPS) - lost
    best = lost + values_before_throw(6, bank, 0 if on else 20)[0, 5]
    assert best == pytest.approx(game.chance(mine, on, other, other_on), abs=1e-8)


def test_crapola_win_chances_do_not_depend_on_who_has_entered_if_no_entry_score_is_required() -> None:
    game, with_entry = race(3000, 0), race(3000, 1000)
    for mine, other, on, other_on in ((0, 0, False, False), (0, 1500, False, True), (1500, 0, True, False)):
        chance = game.chance(mine, on, other, other_on)
        assert chance == game.chance(mine, True, other, True) == with_entry.chance(mine, True, other, True)
        assert chance != with_entry.chance(mine, on, other, other_on)


def test_crapola_chance_to_catch_up_is_1_for_0_points_and_falls_with_more() -> None:
    reach = catching()
    assert reach.shape == (401,)  # by banks of 0 to 20,000 points
    assert reach[0] == 1
    assert reach[1] == pytest.approx(1 - 1080 / 46656)
    assert (np.diff(reach) < 0).all()


def test_crapola_win_odds_clamp_points_to_catch_up_between_the_entry_minimum_and_20000() -> None:
    reach = catching()
    assert race(15_000, 1000).banked(14_950, 0, True, 260)[-1] == 1 - reach[400]  # the other needs 28,000
    assert race(500, 1000).banked(0, 0, False, 20)[10] == 1 - reach[20]  # 550 points, but 1,000 to go on the board
    assert race(500, 1000).banked(0, 0, True, 20)[10] == 1 - reach[11]


def test_crapola_win_odds_of_a_stop_after_a_turn_of_13000_points_count_all_13000_points() -> None:
    """With the largest turn in the table, 13,000 points, a player with 2,000 reaches the target."""
    six_ones, straight = [thrown(*[1] * 6), keep(*[1] * 6)], [thrown(*range(1, 7)), keep(*range(1, 7))]
    state = told("crapola", *bank(2000), *bank(1000), *six_ones * 3, *straight, rules={"target": 15_000}).state
    values = {str(option["line"]): option["value"] for option in options(state, "win")}
    assert values[str(STOP)] == pytest.approx(1 - catching()[14_000 // STEP + 1], abs=1e-8)


def test_a_crapola_stop_is_worth_1_minus_the_opponents_win_chance() -> None:
    state = told("crapola", thrown(1, 1, 1, 2, 3, 4), keep(1, 1, 1), rules={"target": 3000}).state
    values = {str(option["line"]): option["value"] for option in options(state, "win")}
    assert values[str(STOP)] == pytest.approx(1 - race(3000, 1000).chance(0, False, 1000, True))
    assert 0 < values["{'throw': 3}"] < 1


def test_a_crapola_stop_at_the_target_has_1_minus_the_opponents_last_turn_odds() -> None:
    lines = [*bank(1000), *bank(1500), thrown(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6)]
    before = told("crapola", *lines, rules={"target": 2000})
    stop = {str(option["line"]): option["value"] for option in options(before.state, "win")}[str(STOP)]
    last = options(told("crapola", *lines, STOP, rules={"target": 2000}).state, "win")[0]["value"]
    assert stop == pytest.approx(1 - last, abs=1e-6)


@pytest.mark.parametrize(("total", "other", "on"), [(1010, 985, True), (2600, 2995, True), (1010, 0, False)])
def test_crapola_bank_values_are_1_minus_the_opponents_win_or_catch_up_chance(total: int, other: int, on: bool) -> None:
    game, reach = race(3000, 1000), catching()
    found = game.banked(total, other, on, 260)
    assert len(found) == 261
    for steps, worth in enumerate(found):
        after = total + STEP * steps
        last = reach[min(400, (after - other) // STEP + 1)]  # the fewest steps that bring the other ahead
        assert worth == 1 - (last if after >= 3000 else game.chance(other, on, after, True))


def test_crapola_win_odds_rank_stopping_first_with_7000_8000_or_16000_turn_points() -> None:
    six_ones, fails = [thrown(*[1] * 6), keep(*[1] * 6)], 1080 / 46656
    for times, sure in ((2, 0.95), (4, 0.9998)):
        state = told("crapola", *six_ones * times, rules={"target": 15_000}).state
        stop, throw = (option["value"] for option in options(state, "win"))
        assert options(state, "win")[0]["line"] == STOP
        assert stop - fails < throw < stop
        assert stop > sure
    just_below = told("crapola", *six_ones, thrown(*[1] * 5, 5), keep(*[1] * 5), rules={"target": 15_000}).state
    values = {str(option["line"]): option["value"] for option in options(just_below, "win")}
    assert values["{'throw': 1}"] < values[str(STOP)] - 0.1


@pytest.mark.parametrize(
    ("banks", "other", "mine"), [((1000, 1500), 1500, 1000), ((1000,), 1000, 0), ((1000, 1500, 500), 1500, 1500)]
)
def test_the_win_chance_of_a_crapola_throw_is_the_mean_over_its_results(
    banks: tuple[int, ...], other: int, mine: int
) -> None:
    lines = [line for points in banks for line in bank(points)]
    transcript = told("crapola", *lines, thrown(1, 1, 5, 2, 3, 4), keep(1, 1, 5), rules={"target": 3000})
    total, lost = 0.0, 1 - race(3000, 1000).chance(other, True, mine, mine > 0)
    for dice, ways in throws_of(3):
        after = transcript.state.after(Throw(dice))
        goes_on = after.standing.to_play == transcript.state.standing.to_play
        total += ways * (options(after, "win")[0]["value"] if goes_on else lost)
    values = {str(option["line"]): option["value"] for option in options(transcript.state, "win")}
    assert values["{'throw': 3}"] == pytest.approx(total / 216, abs=1e-9)


def test_crapola_win_odds_of_a_13000_point_lead_exceed_99_percent() -> None:
    behind = race(15_000, 1000)
    assert behind.chance(14_000, True, 1000, True) > 0.99
    assert behind.chance(1000, True, 14_000, True) < 0.01


@pytest.mark.parametrize("rules", [{"target": 20_000}, {"target": 3000, "entry": 300}, {"target": 3010}])
def test_crapola_win_odds_are_refused_for_rules_without_computed_odds(rules: dict[str, int]) -> None:
    with pytest.raises(RulesError, match="computed for targets up to 15000 in steps of 50, and entry 0 or 1000"):
        options(begun("crapola", rules=rules).state, "win")
