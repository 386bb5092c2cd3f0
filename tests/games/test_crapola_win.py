"""The chance to win Crapola in the last turn, when all other totals are given, and in the last round."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import RulesError
from companion.games.advice.odds import is_exact, odds_view, options
from companion.games.crapola.odds.race import catching
from companion.games.engine.dice import throws_of
from companion.games.engine.game import Keep, Leave, State, Stop, Throw
from companion.games.engine.notation import action_of
from companion.games.engine.players import best, steady
from companion.games.engine.transcript import Transcript
from tests.games.playing import STOP, begun, keep, spend, told
from tests.games.playing import throw as thrown
from tests.games.test_crapola import LATE_CRAP, bank

TARGET = {"target": 2000}


def values(state: State) -> dict[str, float]:
    return {str(option["line"]): option["value"] for option in options(state, "win")}


def last(*lines: dict[str, Any], ann: int = 2000, ben: int = 1000, **rules: Any) -> State:
    """Return a state of the last round that Ann has opened, with Ben to play."""
    before = [*LATE_CRAP, *bank(ben), *bank(ann)] if ben else bank(ann)
    return told("crapola", *before, *lines, rules={**TARGET, **rules}).state


def test_crapola_last_turn_win_chance_is_the_chance_to_pass_the_leader() -> None:
    # A tie is lost: who opened the last round wins it. 1,050 and more win.
    reach = catching()  # by steps of 50 points
    assert values(last())["{'throw': 6}"] == pytest.approx(reach[21])
    assert values(last(ben=0, ann=2000))["{'throw': 6}"] == pytest.approx(reach[41])
    assert values(last(ann=2000, ben=1950))["{'throw': 6}"] == pytest.approx(reach[2])


def test_crapola_win_odds_of_a_last_turn_stop_are_1_if_it_wins_else_0() -> None:
    short = last(thrown(1, 1, 1, 2, 3, 4), keep(1, 1, 1))
    assert values(short)[str(STOP)] == 0.0
    assert options(short, "win")[0]["line"] == {"throw": 3}
    assert options(short)[0]["line"] == STOP, "points would stop"
    enough = last(thrown(1, 1, 1, 5, 3, 4), keep(1, 1, 1, 5))
    assert options(enough, "win")[0] == {"line": STOP, "value": 1.0}


def test_crapola_win_odds_are_marked_exact_only_when_one_player_has_a_turn_left() -> None:
    assert odds_view(last(), "win")["exact"]
    assert not odds_view(begun("crapola").state, "win")["exact"]
    opened = told("crapola", *bank(2000), players=3, rules=TARGET)
    assert not is_exact(opened.state), "two have a turn to come"
    assert is_exact(opened.then(Leave("Cat")).state)


@pytest.mark.parametrize(
    "lines", [[thrown(1, 1, 1, 2, 3, 4), keep(1, 1, 1)], [thrown(1, 1, 1, 5, 3, 4), keep(1, 1, 1, 5)]]
)
def test_crapola_win_chance_of_a_last_turn_throw_is_the_mean_over_its_results(lines: list[dict[str, Any]]) -> None:
    state = last(*lines)
    (size,) = state.throw_sizes
    total = 0.0
    for dice, ways in throws_of(size):
        after = state.after(Throw(dice))
        total += ways * (max(values(after).values()) if not after.standing.over else 0.0)
    assert values(state)[f"{{'throw': {size}}}"] == pytest.approx(total / 6**size)


def test_a_crapola_stop_that_wins_has_win_odds_of_1_even_if_the_points_exceed_the_odds_tables() -> None:
    """The fault: a stop that wins had the chance 0 where the leader was more than about 28,000 points ahead."""
    six_ones = [thrown(*[1] * 6), keep(*[1] * 6)]
    state = told("crapola", *six_ones * 20, STOP, *six_ones * 21, rules={"target": 40_000}).state
    assert [option["value"] for option in options(state, "win")] == [1, pytest.approx(1 - 1080 / 46656)]


def test_crapola_win_odds_of_a_trailing_player_who_spends_points_in_the_last_turn_are_0() -> None:
    found = values(last())
    spent = [value for line, value in found.items() if "spend" in line]
    assert spent == [0.0, 0.0]


def test_crapola_win_odds_are_refused_in_a_new_game_of_three_or_a_roll_off() -> None:
    """Three players are refused before the last round; a game of two that is over has no options, but isn't refused."""
    with pytest.raises(RulesError, match="computed for two players only"):
        options(begun("crapola", players=3).state, "win")
    with pytest.raises(RulesError, match="known once the roll-off is over"):
        options(begun("crapola", roll_off=True).state, "win")
    assert options(told("crapola", *bank(2000), *LATE_CRAP, rules=TARGET).state, "win") == []


def before_cat(cat: list[dict[str, Any]], *lines: dict[str, Any]) -> Transcript:
    """Return a last round that Ann has opened with 2,000; Ben, with 1,000, has made these lines, and Cat plays last."""
    return told("crapola", *bank(1000), *bank(1000), *cat, *bank(1000), *lines, players=3, rules=TARGET)


@pytest.mark.parametrize("cat", [bank(1000), LATE_CRAP], ids=["on the board", "off the board"])
def test_a_crapola_leaders_win_odds_on_stopping_are_1_minus_the_last_players_odds(cat: list[dict[str, Any]]) -> None:
    """The odds leave out that the last player may draw level."""
    leading = before_cat(cat, thrown(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6), thrown(1, 2, 2, 3, 3, 4), keep(1))
    last_turn = max(values(leading.then(Stop()).state).values())
    assert values(leading.state)[str(STOP)] == pytest.approx(1 - last_turn, abs=0.005)


def test_the_best_crapola_bot_throws_again_in_the_last_round_if_stopping_would_lose() -> None:
    """A bank of 1,000 is level with Ann, who opened the round and so wins a tie."""
    short = before_cat(bank(1000), thrown(1, 1, 1, 2, 3, 4), keep(1, 1, 1)).state
    assert (steady(short), best(short)) == (Stop(), 3)
    assert values(short)[str(STOP)] == 0


def test_crapola_win_chance_of_stopping_with_two_rivals_to_play_is_the_square_of_that_with_one() -> None:
    lines = [line for _ in range(4) for line in bank(1000)]
    four = told("crapola", *lines, *bank(1000), thrown(1, 1, 1, 5, 3, 4), keep(1, 1, 1, 5), players=4, rules=TARGET)
    three = before_cat(bank(1000), thrown(1, 1, 1, 5, 3, 4), keep(1, 1, 1, 5))
    assert values(four.state)[str(STOP)] == pytest.approx(values(three.state)[str(STOP)] ** 2)


@pytest.mark.parametrize(("cat", "chance"), [(1000, 1 - 1080 / 46656), (1050, 1.0)])
def test_crapola_last_turn_win_odds_are_1_if_ahead_and_the_odds_of_any_bank_if_level(cat: int, chance: float) -> None:
    """A player level with who opened the last round needs any bank to win; a player ahead has already won."""
    # Ben has spent 1,000 on Ann, who opened the last round with 2,000. A tie would be hers; Cat is at 1,000 or 1,050.
    lines = [*bank(1000), *bank(1000), *bank(cat), *bank(1000), spend("Ann", 1000)]
    found = values(told("crapola", *lines, players=3, rules=TARGET).state)
    assert found["{'throw': 6}"] == pytest.approx(chance)


def test_a_crapola_keep_is_worth_the_best_win_chance_among_the_options_that_follow_it() -> None:
    three = before_cat(bank(1000), thrown(1, 1, 1, 5, 3, 4)).state
    for state in (last(thrown(1, 1, 1, 5, 3, 4)), told("crapola", thrown(1, 1, 5, 2, 3, 4), rules=TARGET).state, three):
        for option in options(state, "win"):
            action = action_of(option["line"])
            assert isinstance(action, Keep)
            assert option["value"] == pytest.approx(max(values(state.after(action)).values()))
