"""The chance to win Crapola between two before the last turn: what it takes to be so is solved right, and holds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from companion.errors import RulesError
from companion.games.advice.odds import options
from companion.games.crapola.odds.race import ENTRIES, STEP, banks, catching, race
from companion.games.crapola.odds.turn_value import reaching, turn_values
from companion.games.engine.dice import throws_of
from companion.games.engine.game import Throw
from tests.games.playing import STOP, begun, keep, told
from tests.games.playing import throw as thrown
from tests.games.test_crapola import bank


def test_turns_played_for_points_bank_what_they_are_worth() -> None:
    for least in ENTRIES:
        chances = banks(least)
        assert chances.sum() == pytest.approx(1)
        assert STEP * chances @ np.arange(len(chances)) == pytest.approx(turn_values(6, least).thrown(0, 6), abs=1e-3)
    assert catching()[1000 // STEP] == pytest.approx(reaching(6, 1000, 1000).thrown(0, 6))


def test_the_table_is_what_a_plain_iteration_finds() -> None:
    far, chance, reach = 6, banks(0), catching()
    value = {(mine, other): 0.5 for mine in range(1, far + 1) for other in range(1, far + 1)}

    def others(mine: int, other: int) -> float:
        """The other's chance, before his turn."""
        return value[other, mine] if mine > 0 else float(reach[min(400, other - mine + 1)])

    for _ in range(30):  # a crap-out comes one time in five
        value = {
            (mine, other): sum(share * (1 - others(mine - steps, other)) for steps, share in enumerate(chance))
            for mine, other in value
        }
    game = race(far * STEP, 0)
    for (mine, other), worth in value.items():
        totals = (STEP * (far - mine), STEP * (far - other))
        assert game.chance(totals[0], True, totals[1], True) == pytest.approx(worth, abs=1e-5)


def test_so_it_is_where_one_or_neither_is_on_the_board_yet() -> None:
    far, reach, away = 22, catching(), (22, False)  # how many steps from the target, and whether on the board
    turns = {on: [(steps, share) for steps, share in enumerate(banks(0 if on else 1000).tolist()) if share]
             for on in (True, False)}  # fmt: skip
    game = race(far * STEP, 1000)
    value = dict.fromkeys([(away, away), *[((steps, True), away) for steps in range(1, far + 1)]], 0.5)
    value |= {(other, mine): 0.5 for mine, other in value}

    def before(mine: tuple[int, bool], other: tuple[int, bool]) -> float:
        """The chance of who is on."""
        if other[0] <= 0:
            return float(reach[min(400, mine[0] - other[0] + 1)])
        if (mine, other) in value:
            return value[mine, other]
        return game.chance(STEP * (far - mine[0]), True, STEP * (far - other[0]), True)

    for _ in range(60):  # who is not on the board stays off it two times in three
        value = {
            ((mine, on), other): sum(
                share * (1 - before(other, (mine - steps, on or steps > 0))) for steps, share in turns[on]
            )
            for (mine, on), other in value
        }
    for (mine, other), worth in value.items():
        totals = (STEP * (far - mine[0]), STEP * (far - other[0]))
        assert game.chance(totals[0], mine[1], totals[1], other[1]) == pytest.approx(worth, abs=1e-5)


def test_drawn_games_are_won_as_often_as_is_told() -> None:
    dice, reach, games, won = random.Random(4), catching(), 6000, 0
    sums = [np.cumsum(banks(least)).tolist() for least in ENTRIES]
    for _ in range(games):
        totals, on, seat = [0, 0], [False, False], 0
        while max(totals) < 3000:
            mine = sums[0 if on[seat] else 1]
            steps = int(np.searchsorted(mine, dice.random() * mine[-1]))
            totals[seat], on[seat] = totals[seat] + STEP * steps, on[seat] or steps > 0
            seat = 1 - seat
        needed = max((totals[1 - seat] - totals[seat]) // STEP + 1, 0 if on[seat] else 1000 // STEP)
        winner = seat if dice.random() < reach[min(needed, 400)] else 1 - seat
        won += winner == 0
    told_chance = race(3000, 1000).chance(0, False, 0, False)
    assert won / games == pytest.approx(told_chance, abs=4 * (0.25 / games) ** 0.5)


def test_banking_is_worth_what_it_leaves_to_the_other() -> None:
    state = told("crapola", thrown(1, 1, 1, 2, 3, 4), keep(1, 1, 1), rules={"target": 3000}).state
    values = {str(option["line"]): option["value"] for option in options(state, "win")}
    assert values[str(STOP)] == pytest.approx(1 - race(3000, 1000).chance(0, False, 1000, True))
    assert 0 < values["{'throw': 3}"] < 1


def test_reaching_the_target_leaves_the_other_his_last_turn() -> None:
    lines = [*bank(1000), *bank(1500), thrown(1, 2, 3, 4, 5, 6), keep(1, 2, 3, 4, 5, 6)]
    before = told("crapola", *lines, rules={"target": 2000})
    stop = {str(option["line"]): option["value"] for option in options(before.state, "win")}[str(STOP)]
    last = options(told("crapola", *lines, STOP, rules={"target": 2000}).state, "win")[0]["value"]
    assert stop == pytest.approx(1 - last, abs=1e-6)


@pytest.mark.parametrize(("total", "other", "on"), [(1010, 985, True), (2600, 2995, True), (1010, 0, False)])
def test_each_bank_is_worth_what_the_other_is_left_with(total: int, other: int, on: bool) -> None:
    game, reach = race(3000, 1000), catching()
    found = game.banked(total, other, on, 260)
    assert len(found) == 261
    for steps, worth in enumerate(found):
        after = total + STEP * steps
        last = reach[min(400, (after - other) // STEP + 1)]  # the fewest steps that bring the other ahead
        assert worth == 1 - (last if after >= 3000 else game.chance(other, on, after, True))


def test_a_turn_so_rich_is_taken_to_stop() -> None:
    six_ones = [thrown(*[1] * 6), keep(*[1] * 6)]
    for times, sure in ((2, 0.98), (4, 1 - 1e-6)):
        state = told("crapola", *six_ones * times, rules={"target": 15_000}).state
        values = {str(option["line"]): option["value"] for option in options(state, "win")}
        assert 1 >= values["{'throw': 6}"] == values[str(STOP)] > sure
    just_below = told("crapola", *six_ones, thrown(*[1] * 5, 5), keep(*[1] * 5), rules={"target": 15_000}).state
    values = {str(option["line"]): option["value"] for option in options(just_below, "win")}
    assert values["{'throw': 1}"] < values[str(STOP)] - 0.1


@pytest.mark.parametrize(
    ("banks", "other", "mine"), [((1000, 1500), 1500, 1000), ((1000,), 1000, 0), ((1000, 1500, 500), 1500, 1500)]
)
def test_a_throw_is_worth_the_mean_of_what_follows(banks: tuple[int, ...], other: int, mine: int) -> None:
    lines = [line for points in banks for line in bank(points)]
    transcript = told("crapola", *lines, thrown(1, 1, 5, 2, 3, 4), keep(1, 1, 5), rules={"target": 3000})
    total, lost = 0.0, 1 - race(3000, 1000).chance(other, True, mine, mine > 0)
    for dice, ways in throws_of(3):
        after = transcript.state.after(Throw(dice))
        goes_on = after.standing.to_play == transcript.state.standing.to_play
        total += ways * (options(after, "win")[0]["value"] if goes_on else lost)
    values = {str(option["line"]): option["value"] for option in options(transcript.state, "win")}
    assert values["{'throw': 3}"] == pytest.approx(total / 216, abs=1e-9)


def test_a_turn_for_the_win_takes_the_risk_that_points_would_not() -> None:
    behind = race(15_000, 1000)
    assert behind.chance(14_000, True, 1000, True) > 0.99
    assert behind.chance(1000, True, 14_000, True) < 0.01


@pytest.mark.parametrize("rules", [{"target": 20_000}, {"target": 3000, "entry": 300}, {"target": 3010}])
def test_where_it_is_not_worked_out_that_is_said(rules: dict[str, int]) -> None:
    with pytest.raises(RulesError, match=r"computed|known|Odds"):
        options(begun("crapola", rules=rules).state, "win")
