"""How rare a lucky throw is: counted over every way the dice can fall."""

from __future__ import annotations

from itertools import product

import pytest

from companion.errors import RulesError
from companion.games.advice.luck import Move, Story, story_of
from companion.games.advice.odds import options, win_chances
from companion.games.advice.rarity import chance_of_as_good, value_after
from companion.games.engine.game import Throw
from tests.games.crib_turns import MISS, bank
from tests.games.playing import point, throw, told
from tests.games.test_luck import played_by


@pytest.mark.parametrize("game", ["crag", "crapola"])
def test_rarity_of_a_lucky_throw_is_the_share_of_throws_at_least_as_good(game: str) -> None:
    transcript = played_by(game, ["careless", "careless"], 3)
    story = story_of(transcript)
    move = story.luckiest[-1] if game == "crapola" else story.luckiest[0]
    story = Story(story.goal, story.accounts, (move,))
    assert isinstance(move.action, Throw)
    before = transcript.steps[move.line - 2].state
    thrown, count = value_after(before, move.action, story.goal), len(move.action.dice)
    values: dict[tuple[int, ...], float] = {}
    good = 0
    for dice in product(range(1, 7), repeat=count):
        key = tuple(sorted(dice))
        values.setdefault(key, value_after(before, Throw(key), story.goal))
        good += values[key] >= thrown - 1e-9
    assert chance_of_as_good(transcript, story) == pytest.approx(good / 6**count)


def test_rarity_of_the_luckiest_throw_is_refused_if_no_throw_was_lucky() -> None:
    transcript = played_by("crag", ["careless", "careless"], 3)
    with pytest.raises(RulesError, match="lucky"):
        chance_of_as_good(transcript, Story("points", (), ()))


def test_30_of_36_throws_are_at_least_as_good_as_a_successful_crib_dice_piddle() -> None:
    """A point's double decides nothing, and the other five doubles lose."""
    before = told("crib_dice", throw(4, 4, 4, 4, 4, 1, 2), point(4))
    transcript = before.then(Throw((1, 2)))
    for goal in ("win", "games", "points"):
        move = Move(4, 0, Throw((1, 2)), 0.1, 0.0, None)
        assert chance_of_as_good(transcript, Story(goal, (), (move,))) == pytest.approx(30 / 36)


def test_rarity_analysis_values_a_throw_as_the_throwers_win_probability_after_it() -> None:
    """A lost piddle gives up the turn; the last piddle of a game decides it."""
    before = told("crib_dice", *MISS, throw(4, 4, 4, 4, 4, 1, 2), point(4)).state
    lost, won = before.after(Throw((1, 1))), before.after(Throw((1, 2)))
    assert value_after(before, Throw((1, 1)), "win") == win_chances(lost)[1]
    assert value_after(before, Throw((1, 2)), "win") == win_chances(won)[1] > win_chances(lost)[1]
    last = told("crib_dice", *bank(121), throw(4, 4, 4, 4, 4, 1, 2), point(4)).state
    assert value_after(last, Throw((1, 1)), "win") == 0
    assert value_after(last, Throw((1, 1)), "games") == -1


def test_rarity_values_a_throw_by_expected_turn_points_and_a_turn_losing_throw_by_0() -> None:
    before = told("crib_dice", throw(4, 4, 4, 4, 4, 1, 2), point(4))
    assert value_after(before.state, Throw((1, 1)), "points") == 0
    throwing_on = options(before.then(Throw((1, 2))).state)
    assert [option["line"] for option in throwing_on] == [{"throw": 7}]
    assert value_after(before.state, Throw((1, 2)), "points") == throwing_on[0]["value"] > 12
    last = told("crib_dice", *bank(121), throw(4, 4, 4, 4, 4, 1, 2), point(4)).state
    assert value_after(last, Throw((1, 1)), "points") == 0
