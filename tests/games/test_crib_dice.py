"""Crib Dice, claim by claim as docs/reference/rules.md makes them: scores, the turn, piddles and rollovers."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.crib_dice.scoring import MAX_SET_SCORE, MIN_ROLLOVER, set_score
from companion.games.crib_dice.state import CribDice, Turn
from tests.games.crib_turns import MISS, TWO, bank, ones, refused, sevens, view
from tests.games.playing import BOMB, STOP, check, claim, point, scores, throw, told

# --- scores


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("count", range(2, 8))
def test_a_crib_dice_set_scores_its_value_per_die_beyond_two_and_a_pair_scores_2(count: int, value: int) -> None:
    others = [face for face in range(1, 7) if face != value]
    lines = [throw(*[value] * count, *others[: 7 - count]), point(value)]
    assert view(lines)["turn_points"] == (2 if count == 2 else (count - 2) * value)
    assert view([*lines, STOP])["scores"] == {"Ann": 2 if count == 2 else (count - 2) * value, "Ben": 0}


@pytest.mark.parametrize("points", [2, 7, 11, 29, 40, 60, 61, 119, 120, 121])
def test_the_bank_helper_of_the_crib_dice_tests_scores_exactly_the_given_points(points: int) -> None:
    assert view(bank(points))["scores"]["Ann"] == points


# --- the turn

FIRST = throw(6, 5, 5, 2, 1, 4, 2)
NAMED = [throw(5, 5, 2, 2, 1, 4, 6), point(5)]
TURNS = [
    claim("it begins with a throw of seven", [], throw_sizes=[7], decisions=[], dice=[], player="Ann", round=1,
          point=None, frozen=0),
    claim("then the point is named", [FIRST], throw_sizes=[], decisions=["point"], turn_points=0,
          dice=[1, 2, 2, 4, 5, 5, 6]),
    claim("all dice of the point are frozen", [throw(5, 2, 5, 2, 5, 1, 6), point(5)], frozen=3),
    claim("those of a later throw too", [*NAMED, throw(5, 1, 6, 5, 6)], frozen=4, turn_points=10, throw_sizes=[3],
          dice=[1, 5, 5, 6, 6]),
    claim("a 1 alone is safe and freezes nothing", [*NAMED, throw(1, 1, 6, 2, 6)], frozen=2, turn_points=2,
          decisions=["stop"]),
    claim("with the point 1 all 1s are frozen", [*ones(2), throw(1, 1, 2, 3, 4)], frozen=4),
    claim("a wipe-out loses earlier rollovers too", [*sevens(6), *MISS], player="Ben", scores=scores(0, 0),
          wipeouts=scores(1, 0), turn_points=0, dice=[]),
    claim("a stop banks and resets the wipe-outs", [*MISS, *TWO, *TWO], scores=scores(2, 2), wipeouts=scores(0, 0),
          player="Ben", round=2),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "set_up", "wanted"), TURNS)
def test_a_crib_dice_turn_freezes_dice_of_its_point_and_ends_by_wipe_out_or_stop(
    lines: Any, set_up: Any, wanted: Any
) -> None:
    check("crib_dice", lines, set_up, wanted)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 6, 8])
def test_a_first_crib_dice_throw_of_other_than_seven_dice_is_refused(size: int) -> None:
    assert f"A throw of {size} can't be made here" in refused([throw(*[1] * size)])


def test_crib_dice_refuses_other_actions_until_the_point_is_named_and_then_a_second_naming() -> None:
    for line in (throw(1, 2, 3, 4, 5), STOP, BOMB, throw(*[1] * 7)):
        refused([FIRST, line])
    for value in (2, 5):
        refused([*NAMED, point(value)])


@pytest.mark.parametrize("value", [1, 3, 4, 6])
def test_a_crib_dice_point_value_shown_by_under_two_dice_is_refused(value: int) -> None:
    assert str(value) in refused([throw(6, 5, 5, 2, 1, 2, 2), point(value)])


@pytest.mark.parametrize(("frozen", "size"), [(2, 5), (3, 4), (4, 3), (5, 2), (6, 2), (7, 7)])
def test_the_number_of_frozen_dice_decides_how_many_dice_a_crib_dice_player_throws_next(frozen: int, size: int) -> None:
    """With 2 to 4 frozen dice all others are thrown; with 5 or 6 two are (a piddle); with 7 all are."""
    lines = [throw(*[6] * frozen, *(1, 2, 3, 4, 5)[: 7 - frozen]), point(6)]
    assert view(lines)["throw_sizes"] == [size]
    assert view(lines)["decisions"] == ["stop"]
    for other in {1, 2, 3, 4, 5, 6, 7} - {size}:
        refused([*lines, throw(*[6] * other)])


# --- piddle and rollover


@pytest.mark.parametrize("frozen", [5, 6])
@pytest.mark.parametrize("dice", [(1, 2), (4, 2), (2, 4), (6, 5)])
def test_a_crib_dice_piddle_of_unequal_dice_forces_a_throw_of_seven_dice(frozen: int, dice: tuple[int, int]) -> None:
    lines = [throw(*[4] * frozen, *(1, 2)[: 7 - frozen]), point(4), throw(*dice)]
    after = view(lines)
    assert (after["throw_sizes"], after["decisions"], after["turn_points"]) == ([7], [], (frozen - 2) * 4)
    assert (after["point"], after["frozen"], after["dice"]) == (None, 0, sorted(dice))
    refused([*lines, STOP])
    assert view([*lines, throw(3, 3, 1, 2, 4, 5, 6), point(3), STOP])["scores"]["Ann"] == (frozen - 2) * 4 + 2


SEVEN_3S = [throw(3, 3, 3, 3, 1, 2, 4), point(3), throw(3, 3, 3)]
PIDDLES = [
    *(claim(f"a double {value} is a wipe-out", [*sevens(5), throw(*[4] * 5, 1, 2), point(4), throw(value, value)],
            player="Ben", scores=scores(0, 0), wipeouts=scores(1, 0)) for value in (1, 2, 3, 5, 6)),
    claim("with piddle points too", [throw(*[4] * 5, 1, 2), point(4), throw(1, 1)], rules="piddle_points",
          wipeouts=scores(1, 0)),
    *(claim(f"{dice} adds to {frozen} dice up to 7",
            [throw(*[4] * frozen, *(1, 2)[: 7 - frozen]), point(4), throw(*dice)], rules="piddle_points",
            turn_points=points, throw_sizes=[7], decisions=[], point=None, frozen=0)
      for frozen, dice, points in ((5, (4, 1), 16), (5, (1, 4), 16), (5, (4, 4), 20), (5, (1, 2), 12),
                                   (6, (4, 1), 20), (6, (4, 4), 20), (6, (1, 2), 16))),
    claim("seven frozen may stop or roll over", SEVEN_3S, point=3, frozen=7, turn_points=15, throw_sizes=[7],
          decisions=["stop"]),
    claim("their stop", [*SEVEN_3S, STOP], scores=scores(15, 0)),
    claim("their rollover", [*SEVEN_3S, throw(2, 2, 1, 3, 4, 5, 6)], point=None, frozen=0, turn_points=15,
          decisions=["point"]),
    claim("a stop after it banks all", [*SEVEN_3S, *TWO], scores=scores(17, 0)),
    claim("rollovers add up", sevens(1, 2, 3, 4, 5, 6), turn_points=105),
    claim("no bomb while it must be thrown again", [*bank(20), *ones(5), throw(1, 1)], rules="bomb", decisions=[]),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "set_up", "wanted"), PIDDLES)
def test_crib_dice_piddle_doubles_wipe_out_and_rollover_points_add_up(lines: Any, set_up: Any, wanted: Any) -> None:
    check("crib_dice", lines, set_up, wanted)


def test_two_dice_that_show_the_point_value_with_six_crib_dice_frozen_must_be_thrown_again() -> None:
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


def test_max_set_score_and_min_rollover_constants_match_crib_dice_set_scores() -> None:
    scores = {(count, value): set_score(count, value) for count in range(2, 8) for value in range(1, 7)}
    assert max(scores.values()) == MAX_SET_SCORE
    assert min(score for (count, _), score in scores.items() if count >= 5) == MIN_ROLLOVER
