"""The measurement of advice ends for every game and goal."""

from __future__ import annotations

import pytest

from companion.bench.advice import timed


@pytest.mark.parametrize(("game", "goal"), [("crag", "games"), ("crapola", "games")])
def test_a_goal_without_values_is_left_out_of_the_measurement(game: str, goal: str) -> None:
    assert timed(game, goal, 1) == {}


def test_a_goal_with_values_has_a_first_and_later_times() -> None:
    assert set(timed("crag", "points", 5)) == {"first_ms", "median_ms", "p99_ms", "worst_ms"}
