"""The chance to win Crag: what sheets still bring, and sheets set against each other."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from companion.errors import RulesError
from companion.games.advice.odds import options
from companion.games.crag.odds.turn_value import sheets
from companion.games.crag.odds.win import LATE, TOTALS, Masks, prospects, share_below, values_to_win
from companion.games.crag.scoring import CATEGORIES
from companion.games.engine.dice import throws_of
from companion.games.engine.game import State, Throw
from companion.games.engine.players import steady
from tests.games.playing import begun, keep, score, throw, told


def values(state: State) -> dict[str, float]:
    return {str(option["line"]): option["value"] for option in options(state, "win")}


def all_but(*unused: str, dice: tuple[int, ...] = (1, 1, 2), players: int = 2) -> list[dict[str, Any]]:
    """Turns of everybody that fill every category but those, each with the same dice."""
    filled = [category for category in CATEGORIES if category not in unused]
    return [line for category in filled for _ in range(players) for line in (throw(*dice), score(category))]


@pytest.mark.parametrize("strict", [False, True])
def test_the_mean_of_a_crag_sheets_point_odds_is_its_expected_points(strict: bool) -> None:
    generator = random.Random(1)
    for filled in (0, 8191, *(generator.randrange(8192) for _ in range(30))):
        chances = prospects(strict).of(filled)
        assert chances.sum() == pytest.approx(1)
        assert chances.min() >= 0
        assert chances @ np.arange(TOTALS) == pytest.approx(sheets(strict)[filled], abs=1e-6)


def test_crag_point_distributions_that_are_stored_or_already_computed_are_not_computed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sheet = prospects(False)
    assert all(sheet._known[filled] for filled in range(8192) if filled.bit_count() >= LATE), "late sheets at once"
    sheet.prepare([0b1110000, 0b1111000])

    def never(*_: object) -> None:
        raise AssertionError("worked out again")

    monkeypatch.setattr(sheet, "solve", never)
    sheet.prepare([0, 1, 0b11, 0b1110000])
    for filled in (0, 1, 0b11, 0b1110000, 0b1111000, 8191):
        assert sheet.of(filled).sum() == pytest.approx(1)


def test_crag_win_odds_solve_missing_point_distributions_in_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """One batch for the sheets of all players takes a third of the time of one for each."""
    prospects.cache_clear()
    sheet, batches = prospects(False), list[set[int]]()
    solve, spread, computed = sheet.solve, sheet._spread, list[int]()

    def counted(some: Masks) -> None:
        batches.append(set(some.tolist()))
        solve(some)

    def recorded(some: Masks, length: int) -> None:
        computed.extend(some.tolist())
        spread(some, length)

    monkeypatch.setattr(sheet, "solve", counted)
    monkeypatch.setattr(sheet, "_spread", recorded)
    mine, other = (0, 1, 2, 3), (9, 10, 11, 12)  # filled categories, by place
    lines = [
        line
        for pair in zip(mine, other, strict=True)
        for place in pair
        for line in (throw(1, 1, 2), score(CATEGORIES[place]))
    ]
    values(told("crag", *lines, throw(1, 1, 2)).state)
    fuller = {filled for filled in range(8192) if filled & 0b1111 == 0b1111 and filled != 0b1111}
    assert batches == [fuller | {filled for filled in range(8192) if filled >> 9 == 0b1111}]
    assert len(computed) == len(set(computed)), "each sheet once"


def test_crag_chances_to_score_at_least_each_total_add_up_to_the_expected_points() -> None:
    """The mean of a total is the sum of the probabilities of reaching 1, 2, 3, ... points."""
    for strict in (False, True):
        reached = [1 - share_below(total, strict) for total in range(1, TOTALS)]
        assert sum(reached) == pytest.approx(sheets(strict)[0], abs=1e-6)
        assert share_below(0, strict) == 0
        assert share_below(TOTALS, strict) == pytest.approx(1)


def test_crag_point_odds_are_correct_if_another_sheets_are_computed_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = 0b111111, 0b1111110
    expected = prospects(False).of(one).copy()
    prospects.cache_clear()
    found, multiply, asked = prospects(False), np.einsum, list[Any]()

    def interrupted(*arguments: Any) -> Any:
        if not asked:
            asked.append(True)
            found.of(other)  # as another thread may, before this one goes on
        return multiply(*arguments)

    monkeypatch.setattr(np, "einsum", interrupted)
    assert found.of(one) == pytest.approx(expected, abs=1e-15)


def test_crag_win_chance_is_a_half_at_a_two_player_start_and_always_1_for_a_lone_player() -> None:
    # Of all turns to come only this one is reckoned as played for the win: an advantage below 1e-4.
    assert values(begun("crag").state)["{'throw': 3}"] == pytest.approx(0.5, abs=1e-4)
    for unused in (13, 9, 7):  # with the last two, sums of floats are 1 + 2**-52
        lines = all_but(*CATEGORIES[13 - unused :], players=1)
        alone = dict(values_to_win(told("crag", *lines, throw(1, 5, 6), players=1).state))
        assert max(alone.values()) == pytest.approx(1.0)
        assert max(alone.values()) <= 1.0


def test_crags_last_turn_win_chance_is_that_of_throwing_the_needed_dice() -> None:
    # Ann has entered her last; Ben is level with her, but for the sixes that she has: two sixes draw level, three win.
    lines = [*all_but("sixes"), throw(1, 6, 6), score("sixes")]
    level = told("crag", *lines, throw(6, 2, 3), keep(6))
    assert values(level.state)["{'throw': 2}"] == pytest.approx((10 / 2 + 1) / 36)
    two = told("crag", *lines, throw(6, 6, 3))
    found = values(two.state)
    assert found[str(score("sixes"))] == pytest.approx(1 / 2)
    assert found[str(keep(6, 6))] == pytest.approx(5 / 6 / 2 + 1 / 6)
    assert max(found, key=lambda line: found[line]) == str(keep(6, 6))


def test_a_crag_entry_that_ties_three_players_has_a_win_chance_of_a_third() -> None:
    lines = [*all_but("ones", players=3), *[line for _ in range(2) for line in (throw(1, 5, 6), score("ones"))]]
    assert values(told("crag", *lines, throw(1, 5, 6), players=3).state)[str(score("ones"))] == pytest.approx(1 / 3)


@pytest.mark.parametrize("unused", [("crag", "sixes"), ("odd_straight", "thirteen", "ones", "twos")])
def test_the_win_chance_of_a_crag_throw_is_the_mean_over_its_results(unused: tuple[str, ...]) -> None:
    for lines in ([], [throw(1, 5, 6), keep(5)], [throw(1, 5, 6), keep()]):
        state = told("crag", *all_but(*unused), *lines).state
        (size,) = state.throw_sizes
        mean = sum(ways * max(values(state.after(Throw(dice))).values()) for dice, ways in throws_of(size)) / 6**size
        assert values(state)[f"{{'throw': {size}}}"] == pytest.approx(mean, abs=1e-12)


def test_win_chance_of_a_crag_entry_is_at_least_1_minus_that_of_the_opponents_best_reply() -> None:
    after = told("crag", *all_but("crag", "sixes"), throw(1, 6, 6), score("crag"))
    before = told("crag", *all_but("crag", "sixes"), throw(1, 6, 6))
    # Ben's turn is then played for the win; Ann's value takes it to be played for points, so it is no less.
    assert values(before.state)[str(score("crag"))] >= 1 - max(values(after.state).values()) - 1e-12


def test_the_crag_option_best_to_win_can_differ_from_the_best_for_points() -> None:
    generator, apart = random.Random(6), 0
    state: State = begun("crag").state
    while not state.standing.over:
        points, odds = (
            {str(each["line"]): each["value"] for each in options(state, goal)} for goal in ("points", "win")
        )
        for_points, to_win = next(iter(points)), next(iter(odds))
        apart += odds[to_win] > odds[for_points] + 1e-9 and points[to_win] < points[for_points] - 1e-9
        choice = steady(state)
        thrown = tuple(generator.choices(range(1, 7), k=choice)) if isinstance(choice, int) else ()
        state = state.after(choice if not isinstance(choice, int) else Throw(thrown))
    assert apart > 0


def test_crag_win_odds_are_refused_in_a_roll_off_and_empty_after_the_end() -> None:
    with pytest.raises(RulesError, match="roll-off"):
        options(begun("crag", roll_off=True).state, "win")
    assert options(told("crag", *all_but()).state, "win") == []
