"""Puzzles: one best option, the same on every machine, graded by what the computer's levels choose."""

from __future__ import annotations

import json
from datetime import date
from itertools import islice
from random import Random
from types import MappingProxyType

import pytest
from click.testing import CliRunner

from companion.bots import daily_puzzle
from companion.bots.daily_puzzle import puzzle_of
from companion.commands.analysis import puzzles as puzzles_command
from companion.commands.analysis import train_me
from companion.errors import RulesError
from companion.games import registry
from companion.games.advice.odds import GOALS, values_of
from companion.games.advice.puzzles import GRADES, LEAST_GAP, Puzzle, choice_chances, puzzles
from companion.games.advice.reasons import reasons_for
from companion.games.engine.game import Stop
from companion.games.engine.players import LEVELS
from companion.games.engine.replay import transcript_of
from companion.games.registry import GAMES
from tests.games.high import GAME as HIGH
from web.catalogue import LANGUAGES, texts

EACH = 12


@pytest.fixture(scope="module", params=list(GAMES))
def some(request: pytest.FixtureRequest) -> list[Puzzle]:
    return list(islice(puzzles(request.param, Random(1)), EACH))


def test_the_best_option_of_a_puzzle_is_listed_first_and_has_no_equal(some: list[Puzzle]) -> None:
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


def test_the_transcript_of_a_puzzle_leads_to_its_position(some: list[Puzzle]) -> None:
    for puzzle in some:
        view = puzzle.view()
        text = "\n".join(map(json.dumps, view["transcript"])).encode()
        assert transcript_of(text).state == puzzle.transcript.state


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


def test_the_daily_puzzle_skips_a_game_without_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "GAMES", MappingProxyType({**GAMES, "high": HIGH}))
    with pytest.raises(RulesError, match="no puzzles for 'high'"):
        next(puzzles("high", Random(1)))
    monkeypatch.setattr(daily_puzzle, "GAMES", {"high": HIGH, "crag": GAMES["crag"]})
    shown = {puzzle_of(date(2026, 11, day)).transcript.header.game for day in (1, 2)}
    assert shown == {"crag"}
    monkeypatch.setattr(daily_puzzle, "GAMES", {"high": HIGH})
    with pytest.raises(RulesError, match="None of the games has puzzles: high"):
        puzzle_of(date(2026, 11, 1))


def test_the_reasons_of_12_puzzles_per_game_have_text_in_every_language(some: list[Puzzle]) -> None:
    for puzzle in some:
        reasons = reasons_for(puzzle.transcript.state, puzzle.goal, puzzle.options)
        assert reasons, puzzle.view()
        for phrase in reasons:
            for language in LANGUAGES:
                known = texts(language)
                assert f"fact.{phrase.code}" in known or f"fact.{phrase.code}.other" in known


def test_the_puzzles_command_prints_one_json_object_for_each_puzzle() -> None:
    done = CliRunner().invoke(puzzles_command.command, ["crag", "--n", "3", "--seed", "1", "--json"])
    found = [json.loads(line) for line in done.output.splitlines()]
    assert [each["number"] for each in found] == [1, 2, 3]
    assert all(each["grade"] in GRADES and each["goal"] in GOALS for each in found)
    assert all(each["options"][0]["value"] >= each["options"][1]["value"] for each in found)


def test_the_train_me_command_prints_right_answers_and_cost_of_choices() -> None:
    done = CliRunner().invoke(train_me.command, ["crapola", "--n", "2", "--seed", "1"], input="1\n1\n")
    assert done.exit_code == 0, done.output
    assert "1 of 2 right. Your choices cost 23.10 points a puzzle." in done.output  # (235.37 - 189.16) / 2
    assert done.output.count("Best first, in points") == 2
