"""How rare a lucky throw is: counted over every way the dice can fall."""

from __future__ import annotations

from itertools import product

import pytest

from companion.errors import RulesError
from companion.games.advice.luck import Story, story_of
from companion.games.advice.rarity import chance_of_as_good, value_after
from companion.games.engine.game import Throw
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
