"""The chance to win in the course of a game: told of every game between two, and no other."""

from __future__ import annotations

from typing import Any

import pytest

from companion.errors import RulesError
from companion.games.advice.luck import steps_of
from companion.games.advice.odds import options, win_chances
from companion.games.crag.scoring import CATEGORIES
from companion.games.engine.game import Keep, NamePoint
from companion.games.registry import GAMES
from tests.games.playing import begun, score, throw, told
from tests.games.test_luck import played_by

BETWEEN_TWO: list[tuple[str, dict[str, Any]]] = [
    ("crib_dice", {"skunk": True}),
    ("crib_dice", {"pandemonium": True}),
    ("crag", {}),
    ("crapola", {"target": 3000}),
]


@pytest.mark.parametrize(("game", "rules"), BETWEEN_TWO)
def test_two_players_win_chances_sum_to_1_after_each_line_and_end_at_the_outcome(
    game: str, rules: dict[str, Any]
) -> None:
    """Win chances end at the outcome, and after a decision within a turn they equal one option's value."""
    assert {name for name, _ in BETWEEN_TWO} == set(GAMES)
    steps = steps_of(played_by(game, ["careless", "careless"], 4, **rules))
    told = [win_chances(step.state) for step in steps]
    assert len(told) == 1 + steps[-1].line_count
    assert 0.4 < told[0][0] < 0.6
    assert all(min(chances) >= -1e-9 and sum(chances) == pytest.approx(1) for chances in told)
    outcome = steps[-1].state.standing.outcome
    assert outcome is not None
    assert told[-1] == tuple((side in outcome.winners) / len(outcome.winners) for side in (0, 1))
    for before, step, after in zip(steps, steps[1:], told[1:], strict=False):
        if isinstance(step.last, Keep | NamePoint):  # the turn goes on: its worth is that of the choice
            values = [each["value"] for each in options(before.state, "win")]
            seat = before.state.standing.to_play
            assert min(abs(after[seat or 0] - value) for value in values) < 1e-8


def test_a_crag_win_shared_by_two_gives_each_a_win_chance_of_a_half() -> None:
    lines = [line for row in CATEGORIES for _ in range(2) for line in (throw(1, 2, 4), score(row))]
    assert win_chances(told("crag", *lines).state) == (0.5, 0.5)


def test_a_lone_crag_player_who_leaves_during_the_roll_off_has_win_chance_0() -> None:
    left = told("crag", {"leave": "Ann"}, header={"players": ["Ann"], "roll_off": True})
    assert [win_chances(step.state) for step in steps_of(left)] == [(0.0,)]


@pytest.mark.parametrize(
    ("game", "players", "header", "why"),
    [
        ("crag", 1, {}, "between two sides only"),
        ("crib_dice", 3, {}, "between two sides only"),
        ("crag", 2, {"roll_off": True}, "once the roll-off is over"),
        ("crapola", 2, {"rules": {"target": 20_000}}, "for targets up to 15000"),
    ],
)
def test_win_chances_are_refused_for_unsupported_player_counts_and_rule_options(
    game: str, players: int, header: dict[str, Any], why: str
) -> None:
    with pytest.raises(RulesError, match=why):
        win_chances(begun(game, players, **header).state)
