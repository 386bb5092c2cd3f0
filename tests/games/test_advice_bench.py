"""The measurement of advice ends for every game and goal."""

from __future__ import annotations

import pytest

from companion.bench.advice import timed


@pytest.mark.parametrize(("game", "goal"), [("crag", "games"), ("crapola", "games")])
def test_move_advice_benchmark_returns_no_times_for_a_game_without_odds_for_the_goal(game: str, goal: str) -> None:
    assert timed(game, goal, 1) == {}


def test_the_advice_benchmark_returns_first_median_p99_and_worst_times() -> None:
    assert set(timed("crag", "points", 5)) == {"first_ms", "median_ms", "p99_ms", "worst_ms"}
