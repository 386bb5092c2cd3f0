"""Judging: the regret of each decision that counts, a player's mean regret, and the level of the bot nearest to it."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import pytest

from companion.errors import RulesError
from companion.games import registry
from companion.games.advice import judging
from companion.games.advice.judging import Rating, judged, rating, regrets_of, usual_regrets
from companion.games.advice.luck import goal_for, story_of
from companion.games.advice.odds import options
from companion.games.engine.game import Action, Leave, State
from companion.games.engine.players import LEVELS
from companion.games.engine.transcript import Transcript
from companion.games.registry import GAMES
from tests.games.high import GAME
from tests.games.playing import STOP, begun, keep, point, score, throw, told, worth_of
from tests.games.test_luck import played_by


def register(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Add the toy game High to the registry for a test. A second throw is worth 3.5 points, a stop the die."""
    monkeypatch.setattr(registry, "GAMES", MappingProxyType({**GAMES, "high": replace(GAME, **changes)}))


def each_die(second: dict[str, Any]) -> Transcript:
    """Return a game of High of six players who throw 1 to 6 and then all do the same."""
    lines = [line for die in range(1, 7) for line in (throw(die), second)]
    return told("high", *lines, players=6, rules={"twice": True})


@pytest.mark.parametrize(
    ("second", "wanted"),
    [(STOP, ((2.5,), (1.5,), (0.5,), (0,), (0,), (0,))), (throw(4), ((0,), (0,), (0,), (0.5,), (1.5,), (2.5,)))],
)
def test_regret_is_the_best_options_value_minus_the_chosen_options_value(
    monkeypatch: pytest.MonkeyPatch, second: dict[str, Any], wanted: tuple[tuple[float, ...], ...]
) -> None:
    register(monkeypatch)
    assert regrets_of(each_die(second), "points") == wanted


def test_regrets_in_points_leave_out_decisions_in_the_last_turn_of_crapola() -> None:
    """Ann opened the last round with 2,000; Ben has 1,000 and 1,000 in this turn: a bank is a tie, which Ann wins."""
    ones = [throw(1, 1, 1, 2, 3, 4), keep(1, 1, 1)]
    before = told("crapola", *[*ones, STOP] * 3, rules={"target": 2000})
    after = told("crapola", *[*ones, STOP] * 3, *ones, throw(2, 3, 4), rules={"target": 2000})
    assert regrets_of(after, "points") == regrets_of(before, "points")


def test_regrets_in_points_leave_out_decisions_with_too_little_at_stake(monkeypatch: pytest.MonkeyPatch) -> None:
    """With dice of 3 and 4, half a point is at stake."""
    register(monkeypatch, mistakes=(5.0, 0.0))
    assert regrets_of(each_die(STOP), "points") == ((2.5,), (1.5,), (0.5,), (0,), (0,), (0,))
    register(monkeypatch, mistakes=(5.1, 0.0))
    assert regrets_of(each_die(STOP), "points") == ((2.5,), (1.5,), (), (), (0,), (0,))


@pytest.mark.parametrize(("goal", "least"), [("win", 0.005), ("games", 0.01)])
def test_regrets_in_wins_or_games_skip_decisions_whose_options_differ_by_less_than_a_minimum(
    monkeypatch: pytest.MonkeyPatch, goal: str, least: float
) -> None:
    """A throw is worth 0; a stop with the dice 1 to 6 is worth this much less or more, in the least stake."""
    stakes = {1: -2.0, 2: -1.25, 3: -1.0, 4: -0.75, 5: 0.75, 6: 1.25}

    def values(state: State) -> tuple[tuple[Action | int, float], ...]:
        die = state.standing.turn_points
        return ((1, 0.0), *((option, stakes[die] * least) for option in state.options()))

    register(monkeypatch, **{"values_to_win" if goal == "win" else "values_by_games": values})
    assert regrets_of(each_die(STOP), goal) == ((2 * least,), (1.25 * least,), (least,), (), (), (0,))


def test_judging_a_game_lists_the_points_that_each_decision_of_a_player_gave_away_in_order() -> None:
    """Ann names 2 instead of 5 and stops with 2 points. Ben has 24 and throws a piddle."""
    first, six_sixes = throw(5, 5, 5, 2, 2, 1, 4), throw(6, 6, 6, 6, 6, 6, 1)
    lines = [first, point(2), STOP, six_sixes, point(6), throw(1, 2)]
    naming, low, piddle = (options(told("crib_dice", *lines[:count]).state) for count in (1, 2, 5))
    ann, ben = regrets_of(told("crib_dice", *lines), "points")
    assert ann == pytest.approx(
        (worth_of(naming, point(5)) - worth_of(naming, point(2)), worth_of(low, {"throw": 5}) - 2)
    )
    assert ben == pytest.approx((24 - worth_of(piddle, {"throw": 2}),))


@pytest.mark.parametrize(("game", "rules"), [("crib_dice", {}), ("crag", {}), ("crapola", {"target": 3000})])
def test_game_judging_and_luck_analysis_find_the_same_costly_moves(game: str, rules: dict[str, Any]) -> None:
    transcript = played_by(game, ["careless", "steady"], 4, **rules)
    story, found = story_of(transcript), judged(transcript)
    assert found is not None
    assert found[0] == goal_for(transcript.header)
    least = 0.005 if game == "crib_dice" else {"crag": 2.5, "crapola": 100}[game] / 10
    for seat, regrets in enumerate(found[1]):
        costs = [move.cost for move in story.moves if move.seat == seat]
        assert [regret for regret in regrets if regret >= least] == [cost for cost in costs if cost >= least]
        assert set(regrets) <= set(costs)


def test_crag_regrets_after_a_roll_off_equal_those_of_the_same_turn_without_it() -> None:
    roll_off, turn = [throw(6, 6), throw(1, 2)], [throw(4, 4, 4), score("fours")]
    rolled_off = regrets_of(told("crag", *roll_off, *turn, roll_off=True), "points")
    assert rolled_off == regrets_of(told("crag", *turn), "points") != ((), ())


def test_only_a_finished_game_that_nobody_left_is_evaluated_move_by_move(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)
    over = each_die(STOP)
    assert over.before is not None
    assert judged(over) == ("points", ((2.5,), (1.5,), (0.5,), (0,), (0,), (0,)))
    assert judged(over.before) is None
    alone = begun("high").then(Leave("Ann"))
    assert alone.state.standing.over
    assert judged(alone) is None


def test_analysis_of_decisions_is_none_for_a_game_without_win_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, solved=lambda *_: True)
    with pytest.raises(RulesError):
        regrets_of(each_die(STOP), "win")
    assert judged(each_die(STOP)) is None


@pytest.mark.parametrize(
    ("regrets", "mean", "low", "high"),
    [
        ([1, 3], 2, 2 - 1.96, 2 + 1.96),
        ([0, 0, 3], 1, 0, 1 + 1.96),
        ([6, 2, 2, 2], 3, 3 - 1.96, 3 + 1.96),
    ],
)
def test_a_players_decision_rating_is_the_mean_regret_with_a_95_percent_interval(
    regrets: list[float], mean: float, low: float, high: float
) -> None:
    """The standard error is the root of the sum of squared deviations over n (n - 1): 1."""
    found = rating("crag", "points", regrets)
    assert found == Rating("points", len(regrets), mean, found.low, found.high, None)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_a_rating_of_a_single_decision_has_no_confidence_interval() -> None:
    assert rating("crag", "points", [5]) == Rating("points", 1, 5, None, None, None)


def test_a_rating_names_the_bot_level_of_nearest_mean_regret_on_a_log_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels meet at the geometric mean of their regrets; one that never errs has a hundredth of the worst."""
    monkeypatch.setattr(judging, "usual_regrets", lambda: {"high win": {"careless": 4.0, "steady": 1.0, "best": 0.0}})
    wanted = {
        0: "best",
        0.04: "best",
        0.1995: "best",
        0.2005: "steady",
        1.99: "steady",
        2.01: "careless",
        50: "careless",
    }
    assert {mean: rating("high", "win", [mean] * 30).like for mean in wanted} == wanted


def test_rating_names_a_similar_bot_level_if_30_decisions_and_bot_data_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "usual_regrets", lambda: {"high win": {"steady": 1.0}})
    assert rating("high", "win", [1.0] * 30).like == "steady"
    assert rating("high", "win", [1.0] * 29).like is None
    assert rating("high", "points", [1.0] * 30).like is None
    assert rating("crag", "win", [1.0] * 30).like is None


def test_stored_mean_regrets_of_bot_levels_fall_from_careless_to_best() -> None:
    """`best` plays to win, so it has a regret only where the goal is the win."""
    stored = json.loads(files("companion.games.advice").joinpath("usual_regrets.json").read_text(encoding="utf-8"))
    assert usual_regrets() == stored
    goals = {game: goal_for(begun(game).header) for game in GAMES}
    assert set(stored) == {f"{game} {goal}" for game, goal in goals.items()}
    for kind, usual in stored.items():
        assert list(usual) == [level for level in LEVELS if level != "best" or kind.endswith("win")]
        assert list(usual.values()) == sorted(set(usual.values()), reverse=True)
