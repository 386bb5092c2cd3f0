"""Levels of play, and `pegpip simulate`: games played out, the same for the same seed, told with an interval."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from concurrent.futures import Future
from typing import Any

import pytest
from click.testing import CliRunner

from companion.cli import pegpip
from companion.commands.analysis import simulate as simulating
from companion.commands.analysis.simulate import Score
from companion.errors import RulesError
from companion.games.advice.odds import options
from companion.games.crib_dice.state import CribDice, Turn
from companion.games.engine import players
from companion.games.engine.game import Enter, Keep, NamePoint, Stop
from companion.games.engine.players import LEVELS, best, level_named, played, rule_of_thumb, steady
from companion.games.registry import GAMES
from tests.games.playing import begun, keep, point, told
from tests.games.playing import throw as thrown
from tests.games.test_crapola import bank
from tests.games.test_judging import register
from tests.games.test_win_odds import board_at


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("game", GAMES)
def test_bots_of_every_level_finish_every_game_and_play_it_alike_with_the_same_seed(game: str, level: str) -> None:
    header = begun(game, 2, roll_off=True).header
    end = played(header, [level, "careless"], random.Random(4)).state
    assert end.standing.over
    assert end.standing.outcome is not None
    assert end == played(header, [level, "careless"], random.Random(4)).state, "the same dice, the same game"


def test_crib_dice_rule_of_thumb_names_the_most_frequent_value_and_stops_with_4_of_it() -> None:
    assert rule_of_thumb(begun("crib_dice", roll_off=True).state) == 2
    naming = told("crib_dice", thrown(6, 6, 2, 2, 2, 4, 5))
    assert rule_of_thumb(naming.state) == NamePoint(2)
    assert rule_of_thumb(told("crib_dice", thrown(6, 6, 2, 2, 2, 4, 5), point(2)).state) == 4
    four = told("crib_dice", thrown(2, 2, 2, 2, 6, 4, 5), point(2)).state
    assert rule_of_thumb(four) == Stop()


def test_the_rule_of_thumb_strategy_for_crag_enters_a_straight_and_keeps_a_pair() -> None:
    assert rule_of_thumb(told("crag", thrown(1, 3, 5)).state) == Enter("odd_straight")
    assert rule_of_thumb(told("crag", thrown(2, 2, 5)).state) == Keep((2, 2))
    assert rule_of_thumb(told("crag", thrown(2, 2, 5), keep(2, 2), thrown(1)).state) == Enter("twos")


def test_crapola_rule_of_thumb_keeps_every_scoring_die_and_banks_from_500_points() -> None:
    on_board = [thrown(1, 1, 1, 2, 3, 4), keep(1, 1, 1), {"do": "stop"}, thrown(2, 2, 3, 3, 4, 6)]
    assert rule_of_thumb(told("crapola", *on_board, thrown(1, 5, 2, 3, 4, 6)).state) == Keep((1, 2, 3, 4, 5, 6))
    no_pairs = told("crapola", *on_board, thrown(1, 1, 1, 1, 2, 2)).state
    assert rule_of_thumb(no_pairs) == Keep((1, 1, 1, 1)), "no three pairs"
    assert rule_of_thumb(told("crapola", *on_board, thrown(5, 5, 5, 3, 4, 6), keep(5, 5, 5)).state) == Stop()
    assert rule_of_thumb(told("crapola", *on_board, thrown(1, 2, 2, 3, 4, 6), keep(1)).state) == 5


def test_one_wipe_out_from_a_fuchle_the_best_crib_dice_bot_stops_where_the_steady_bot_throws() -> None:
    # One wipe-out from a fuchle: two points in hand are worth more than the five dice that would bring more.
    state = CribDice(board_at(71, 75, turn=1, wipeouts=(0, 2)), Turn("choosing", 0, 5, 2, (1, 2, 3, 4, 5, 5, 6)))
    assert steady(state) == 5
    assert best(state) == Stop()


def test_the_best_bot_stops_if_throw_and_stop_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, values_to_win=lambda _: ((1, 0.5), (Stop(), 0.5)))
    assert best(told("high", thrown(3), rules={"twice": True}).state) == Stop()


def test_best_and_steady_crapola_bots_far_behind_throw_seven_dice() -> None:
    behind = told("crapola", *bank(7000)).state
    assert (behind.throw_sizes, behind.decisions) == ((6, 7), ())
    assert best(behind) == steady(behind) == 7


def test_the_best_bot_plays_for_points_where_every_option_has_the_same_chance_to_win() -> None:
    """Alone at Crag, and in the last turn of Crapola far ahead, every option has the same chance to win."""
    alone = told("crag", thrown(6, 6, 2), players=1).state
    assert best(alone) == steady(alone) == Keep((6, 6))
    lines = [*bank(1000), *bank(1000), *bank(1050), *bank(1000), {"do": "spend", "on": "Ann", "points": 1000}]
    ahead = told("crapola", *lines, players=3, rules={"target": 2000}).state
    assert {option["value"] for option in options(ahead, "win")} == {1.0}
    assert best(ahead) == 6, "no point is spent"


def test_the_best_bot_plays_for_points_where_win_odds_are_unknown() -> None:
    state = told("crib_dice", thrown(6, 6, 2, 2, 2, 4, 5), point(2), rules={"bomb": True}).state
    assert best(state) == steady(state) == 4


@pytest.mark.parametrize("level", LEVELS)
def test_bots_play_by_the_rule_of_thumb_where_house_rules_have_no_odds(level: str) -> None:
    kept = told("crapola", thrown(1, 1, 1, 5, 2, 3), header={"rules": {"entry": 1_000_000}}).state
    assert LEVELS[level](kept) == rule_of_thumb(kept) == Keep((1, 1, 1, 5))


def test_bot_level_lookup_refuses_a_typo_and_suggests_the_level_name() -> None:
    with pytest.raises(RulesError, match="steady"):
        level_named("steddy")


def simulate(*words: str) -> dict[str, Any]:
    result = CliRunner().invoke(pegpip, ["simulate", *words, "--json"], standalone_mode=False, catch_exceptions=False)
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_simulate_gives_equal_results_for_equal_seeds_and_winning_shares_that_sum_to_1() -> None:
    found = simulate("crag", "--players", "steady,careless", "--games", "30", "--seed", "7")
    assert sum(player["won"] for player in found["players"]) == pytest.approx(1)
    for player in found["players"]:
        low, high = player["interval"]
        assert 0 <= low <= player["won"] <= high <= 1
    assert found == simulate("crag", "--players", "steady,careless", "--games", "30", "--seed", "7")
    assert found != simulate("crag", "--players", "steady,careless", "--games", "30", "--seed", "8")


def test_simulate_adds_scores_in_game_order_even_if_later_parts_end_first(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pool:
        def __init__(self, **_given: Any) -> None:
            pass

        def __enter__(self) -> Pool:
            return self

        def __exit__(self, *_given: object) -> None:
            pass

        def submit(
            self, _call: object, _header: object, _levels: object, part: range, _seed: int
        ) -> Future[list[Score]]:
            done = Future[list[Score]]()
            done.set_result([Score((part.start + 1) / 10)])
            return done

    def last_first(left: set[Future[list[Score]]], *_: object) -> tuple[list[Future[list[Score]]], set[object]]:
        return sorted(left, key=lambda done: -done.result()[0].won), set()

    monkeypatch.setattr(simulating, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(simulating, "wait", last_first)
    (score,) = simulating.simulated(begun("crag", 1).header, ["steady"], 3, 1, quiet=True)
    assert score.won == 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1


def test_a_crag_bot_without_mistakes_averages_149_85_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exact value of a sheet is 149.85 points."""
    header = begun("crag", 1).header
    monkeypatch.setattr(players, "LEVELS", {"points": lambda state: players.erring(state, 0.0)})
    scores = [played(header, ["points"], random.Random(seed)).state.standing.scores[0] for seed in range(400)]
    # Four standard errors; one sheet deviates by 33.6.
    assert sum(scores) / len(scores) == pytest.approx(149.85, abs=4 * 33.6 / 20)


def test_a_bot_score_gives_the_wilson_interval_of_its_share_of_games_won() -> None:
    # 30 of 100: 0.2189 to 0.3959 (Wilson 1927; Newcombe 1998 gives the same method).
    assert Score(30.0, 30.0).interval(100) == pytest.approx((0.21895, 0.39585), abs=1e-4)
    low, high = Score(0.0, 0.0).interval(10)
    assert low == 0.0
    assert 0 < high < 0.35


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["crag", "--players", "stedy"], b"steady"),
        (["crag", "--players", "steady", "--games", "0"], b"0"),
        (["crag", "--players", "steady", "--games", "-3"], b"-3"),
        (["crug", "--players", "steady"], b"crag"),
        (["crapola", "--players", "steady"], b"players"),
        (["crag", "--players", "steady", "--rules", "{"], b"JSON"),
        (["crag", "--players", "steady", "--rules", '{"bomb": true}'], b"bomb"),
    ],
)
def test_simulate_with_wrong_arguments_exits_2_and_names_the_mistake(words: list[str], told: bytes) -> None:
    process = subprocess.run(
        [sys.executable, "-c", "from companion.cli import main; main()", "simulate", *words],
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert process.returncode == 2
    assert told in process.stderr
    assert b"Traceback" not in process.stderr
