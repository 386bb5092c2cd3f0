"""Puzzles: one best option, the same on every machine, graded by what the computer's levels choose."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from itertools import islice
from math import exp
from random import Random

import pytest
from click.testing import CliRunner

from companion.bots import daily_puzzle
from companion.bots.daily_puzzle import puzzle_of
from companion.commands.analysis import puzzles as puzzles_command
from companion.commands.analysis import train_me
from companion.errors import RulesError
from companion.games.advice import puzzles as puzzles_module
from companion.games.advice.odds import GOALS, is_exact, values_of
from companion.games.advice.puzzles import GRADES, LEAST_GAP, Puzzle, choice_chances, puzzles
from companion.games.advice.reasons import reasons_for
from companion.games.engine.game import Action, State, Stop, Switch, Switches
from companion.games.engine.players import LEVELS
from companion.games.engine.replay import transcript_of
from companion.games.registry import GAMES
from tests.games.high import GAME as HIGH
from tests.games.playing import begun, keep, throw, told
from tests.games.test_judging import register
from tests.known import known
from web.catalogue import texts

EACH = 12


@pytest.fixture(scope="module", params=list(GAMES))
def some(request: pytest.FixtureRequest) -> list[Puzzle]:
    found = list(islice(puzzles(request.param, Random(1)), EACH))
    assert len(found) == EACH
    return found


def test_a_puzzle_lists_its_best_option_first_and_no_other_option_has_the_same_value(some: list[Puzzle]) -> None:
    """Where the goal is points, the best option only has a greater value than the second."""
    for puzzle in some:
        values = [value for _, value in puzzle.options]
        assert values == sorted(values, reverse=True)
        assert values[0] - values[1] >= LEAST_GAP[puzzle.goal] * (puzzle.goal != "points")
        assert values[0] > values[1]
        assert dict(puzzle.options) == dict(values_of(puzzle.transcript.state, puzzle.goal))


def test_equal_seeds_give_equal_puzzles_and_different_seeds_others(some: list[Puzzle]) -> None:
    game = some[0].transcript.header.game
    assert [puzzle.view() for puzzle in islice(puzzles(game, Random(1)), EACH)] == [puzzle.view() for puzzle in some]
    assert next(puzzles(game, Random(2))).view() != some[0].view()


def test_replaying_the_transcript_of_a_puzzle_reaches_the_puzzles_position(some: list[Puzzle]) -> None:
    for puzzle in some:
        view = puzzle.view()
        text = "\n".join(map(json.dumps, view["transcript"])).encode()
        assert transcript_of(text).state == puzzle.transcript.state
        assert view["transcript"][0]["players"] == ["Ann", "Ben"]


def test_the_steady_bot_does_not_choose_the_best_option_of_a_hard_puzzle() -> None:
    hard = next(puzzle for puzzle in puzzles("crib_dice", Random(3)) if puzzle.grade == "hard")
    assert LEVELS["steady"](hard.transcript.state) != hard.options[0][0]


def test_puzzle_player_model_chooses_options_by_softmax_with_temperature() -> None:
    values = ((Stop(), 1.0), (4, 0.0))
    assert choice_chances(values, 0.0) == {Stop(): 1.0, 4: 0.0}
    assert choice_chances(values, 1.0)[Stop()] == pytest.approx(0.7311, abs=1e-4)
    assert choice_chances(values, 1e6)[4] == pytest.approx(0.5, abs=1e-4)


def test_the_daily_puzzle_depends_on_the_date_and_alternates_the_games() -> None:
    in_turn = [puzzle_of(date(2026, 11, day)) for day in range(1, len(GAMES) + 1)]
    assert {puzzle.transcript.header.game for puzzle in in_turn} == set(GAMES)
    assert puzzle_of(date(2026, 11, 1)).view() == in_turn[0].view()
    again = puzzle_of(date(2026, 11, 1 + len(GAMES)))
    assert again.transcript.header.game == in_turn[0].transcript.header.game
    assert again.view() != in_turn[0].view()


def test_daily_puzzle_skips_games_without_puzzles_or_is_refused_if_none_has_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    register(monkeypatch)
    with pytest.raises(RulesError, match="no puzzles for 'high'"):
        next(puzzles("high", Random(1)))
    monkeypatch.setattr(daily_puzzle, "GAMES", {"high": HIGH, "crag": GAMES["crag"]})
    shown = {puzzle_of(date(2026, 11, day)).transcript.header.game for day in (1, 2)}
    assert shown == {"crag"}
    monkeypatch.setattr(daily_puzzle, "GAMES", {"high": HIGH})
    with pytest.raises(RulesError, match="None of the games has puzzles: high"):
        puzzle_of(date(2026, 11, 1))


class Scripted:
    """Dice that show one value and one coin through a game; the last of each goes on for all later games."""

    def __init__(self, *dice: int, coins: Sequence[int] = (0,)) -> None:
        self.dice, self.coins, self.games = dice, coins, 0

    def choices(self, population: Sequence[int], *, k: int) -> list[int]:
        if len(population) == 2:
            self.games += 1
            return [population[self.coins[min(self.games, len(self.coins)) - 1]]] * k
        return [self.dice[min(self.games, len(self.dice)) - 1]] * k


@pytest.fixture
def high(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that registers the toy game High, with changes of its rulebook; no position is skipped."""
    monkeypatch.setattr(puzzles_module, "SKIPPED_POSITIONS", 0)
    return partial(register, monkeypatch)


def first_of_high(die: int) -> Puzzle | None:
    """Return the first puzzle of High with the house rule `twice`, where every throw shows `die`; None without one."""
    try:
        return next(puzzles("high", Scripted(die), {"twice": True}))
    except RulesError:
        return None


@pytest.mark.parametrize(
    ("careless", "steady", "grade"),
    [(0.0, 0.5, "hard"), (0.0, 0.49, "easy"), (1 / 3, 0.49, "medium"), (0.33, 0.0, "easy"), (1.0, 1.0, "hard")],
)
def test_a_puzzle_is_hard_if_half_the_steady_players_miss_it_else_medium_if_a_third_of_careless_do(
    careless: float, steady: float, grade: str
) -> None:
    assert Puzzle(begun("crag"), "points", (), careless, steady).grade == grade


def test_a_puzzle_as_json_has_the_position_its_transcript_and_options() -> None:
    transcript = told("crapola", throw(1, 2, 2, 3, 3, 4), keep(1), rules={"entry": 0})
    assert Puzzle(transcript, "points", ((5, 200.0), (Stop(), 100.0)), 0.4, 0.1).view() == {
        "game": "crapola",
        "player": "Ann",
        "state": transcript.view(),
        "goal": "points",
        "grade": "medium",
        "options": [{"line": {"throw": 5}, "value": 200.0}, {"line": {"do": "stop"}, "value": 100.0}],
        "transcript": [
            {"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"], "rules": {"entry": 0}},
            {"throw": [1, 2, 2, 3, 3, 4]},
            {"do": "keep", "dice": [1]},
        ],
    }


def test_equally_good_puzzle_choices_get_equal_chances_and_huge_values_do_not_overflow() -> None:
    tied = ((Stop(), 1.0), (4, 1.0), (3, 0.0))
    assert choice_chances(tied, 0.0) == {Stop(): 0.5, 4: 0.5, 3: 0.0}
    assert choice_chances(((Stop(), 1e5), (4, 0.0)), 1.0) == {Stop(): 1.0, 4: 0.0}


@pytest.mark.parametrize(("mistakes", "shown"), [
    (2.5, {1, 2, 3, 4, 5, 6}),  # gaps of 0.5 to 3: a half is just enough
    (2.6, {1, 2, 5, 6}),
    (1.25, {2, 3, 4, 5}),  # gaps of 0.25 to 1.5: one and a half is just not too easy
    (1.24, {3, 4}),
])  # fmt: skip
def test_options_of_a_points_puzzle_differ_by_20_to_120_percent_of_the_mistake_size_of_its_game(
    high: Callable[..., None], mistakes: float, shown: set[int]
) -> None:
    """To throw again is worth 3.5: with 3 or 4 lying the gap is 0.5, with 2 or 5 it is 1.5, with 1 or 6 it is 2.5."""
    high(mistakes=(mistakes, 0.0))
    assert {die for die in range(1, 7) if first_of_high(die) is not None} == shown


def test_a_position_that_half_of_steady_players_misplay_becomes_a_hard_puzzle(high: Callable[..., None]) -> None:
    high(mistakes=(1.25, 1e300))
    found = known(first_of_high(6))
    assert (found.steady_misses, found.grade) == (0.5, "hard")
    assert found.options == ((Stop(), 6.0), (1, 3.5))


def test_the_chance_to_miss_a_puzzle_is_logistic_in_value_gap_over_temperature(high: Callable[..., None]) -> None:
    high(mistakes=(2.5, 1.0))
    found = known(first_of_high(5))
    assert found.careless_misses == pytest.approx(1 / (1 + exp(1.5 / 2.5)))
    assert found.steady_misses == pytest.approx(1 / (1 + exp(1.5)))


@pytest.mark.parametrize(("gap", "shown"), [(0.05, True), (0.015, True), (0.009, False), (0.07, False)])
def test_a_decision_becomes_a_puzzle_only_if_its_gap_in_win_chance_is_1_to_6_percent(
    high: Callable[..., None], gap: float, shown: bool
) -> None:
    def values(state: State) -> tuple[tuple[Action | int, float], ...]:
        return (1, 0.5), (Stop(), 0.5 + gap)

    high(mistakes=(2.5, 1.0), solved=lambda _, __="win": True, values_to_win=values)
    assert (first_of_high(5) is not None) is shown


def test_puzzle_search_skips_4_positions_at_game_start_and_after_each_puzzle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each position of this turn is a puzzle but those before the first throw of six 1s, and with a single die."""

    def one_by_one(state: State) -> Action | int:
        return state.options()[0] if state.decisions == ("keep",) else state.throw_sizes[0]

    monkeypatch.setattr(puzzles_module, "LEVELS", {"steady": one_by_one, "careless": one_by_one})
    monkeypatch.setattr(puzzles_module, "LEAST_GAP", {"points": 1e-9})
    monkeypatch.setattr(puzzles_module, "MAX_GAP", 1e15)
    found = islice(puzzles("crapola", Scripted(1), {"entry": 0}), 3)
    assert [len(puzzle.transcript.actions) for puzzle in found] == [4, 9, 14]


def recorded(
    monkeypatch: pytest.MonkeyPatch, dice: Scripted, rules: Switches | None = None
) -> list[tuple[int | None, str, Switches]]:
    """Return seat, level and house rules of each turn in a search for puzzles of High that finds none."""
    turns: list[tuple[int | None, str, Switches]] = []

    def play(level: str, state: State) -> int:
        turns.append((state.standing.to_play, level, state.standing.header.rules))
        return 1

    monkeypatch.setattr(puzzles_module, "LEVELS", {level: partial(play, level) for level in ("steady", "careless")})
    with pytest.raises(RulesError, match="no puzzles for 'high': 20 games"):
        next(puzzles("high", dice, rules))
    return turns


def test_puzzle_search_tosses_a_coin_each_game_to_seat_the_steady_or_careless_bot_first(
    high: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    high()
    turns = [turn[:2] for turn in recorded(monkeypatch, Scripted(3, coins=(0, 1, 1, 0)))]
    usual, turned = [(0, "steady"), (1, "careless")], [(0, "careless"), (1, "steady")]
    assert turns == [*usual, *turned, *turned, *usual * 17]


def test_puzzle_search_cycles_through_default_rules_and_presets_with_solved_odds(
    high: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def solved(state: State, _: str = "win") -> bool:
        return state.standing.header.rules["sides"] != 8

    presets: dict[str, Switches] = {"basic": {}, "few": {"sides": 4}, "more": {"sides": 8}, "most": {"sides": 10}}
    high(switches=(*HIGH.switches, Switch("sides", 6, "", "")), presets=presets, solved=solved)
    turns = recorded(monkeypatch, Scripted(3))
    assert [rules for _, _, rules in turns[::2]] == [{"twice": False, "sides": n} for n in [6, 4, 10] * 7][:20]
    given = recorded(monkeypatch, Scripted(3), {"sides": 5})
    assert [rules for _, _, rules in given] == [{"twice": False, "sides": 5}] * 40


def test_crapola_puzzles_for_points_skip_positions_with_exactly_known_win_odds() -> None:
    some = list(islice(puzzles("crapola", Random(1), {"target": 1000, "entry": 0}), 30))
    assert {puzzle.goal for puzzle in some} == {"points"}
    assert not [puzzle.view() for puzzle in some if is_exact(puzzle.transcript.state)]


def test_the_puzzle_search_raises_an_error_when_20_games_in_a_row_yield_no_puzzle(high: Callable[..., None]) -> None:
    high(mistakes=(1.24, 0.0))
    dice = Scripted(*[6] * 19, 3, 6)  # where each throw is a 3, both players have a puzzle
    search = puzzles("high", dice, {"twice": True})
    assert [len(puzzle.transcript.actions) for puzzle in islice(search, 2)] == [1, 3]
    with pytest.raises(RulesError):
        next(search)
    assert dice.games == 40


def test_the_reasons_of_12_generated_puzzles_per_game_have_text_in_the_catalogue(some: list[Puzzle]) -> None:
    for puzzle in some:
        reasons = reasons_for(puzzle.transcript.state, puzzle.goal, puzzle.options)
        assert reasons, puzzle.view()
        for phrase in reasons:
            assert {f"fact.{phrase.code}", f"fact.{phrase.code}.other"} & texts("en").keys()


def test_the_puzzles_command_prints_one_json_object_for_each_puzzle() -> None:
    done = CliRunner().invoke(puzzles_command.command, ["crag", "--n", "3", "--seed", "1", "--json"])
    found = [json.loads(line) for line in done.output.splitlines()]
    assert [each["number"] for each in found] == [1, 2, 3]
    assert all(each["grade"] in GRADES and each["goal"] in GOALS for each in found)
    assert all(each["options"][0]["value"] >= each["options"][1]["value"] for each in found)


def test_the_train_me_command_prints_how_many_answers_were_right_and_what_the_choices_cost() -> None:
    done = CliRunner().invoke(train_me.command, ["crapola", "--n", "2", "--seed", "1"], input="1\n1\n")
    assert done.exit_code == 0, done.output
    assert "1 of 2 right. Your choices cost 23.10 points a puzzle." in done.output  # (235.37 - 189.16) / 2
    assert done.output.count("Best first, in points") == 2


def test_the_train_me_command_counts_the_answers_given_before_the_input_ends() -> None:
    done = CliRunner().invoke(train_me.command, ["crapola", "--n", "5", "--seed", "1"], input="1\n1\n")
    assert done.exit_code == 1, "the end of the input aborts as Ctrl-C does"
    assert "\n0 of 2 right. Your choices cost 287.99 points a puzzle.\n" in done.output
