"""The toy game `high`: what a new game's folder and its line in the registry give. See docs/how-to/add-a-game.md."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import pytest

from companion.errors import IllegalAction, RulesError
from companion.games import registry
from companion.games.advice.luck import story_of
from companion.games.advice.odds import options
from companion.games.engine.game import Action, Header, Stop, Throw
from companion.games.engine.players import LEVELS, played, rule_of_thumb
from companion.games.engine.replay import replayed, transcript_of
from companion.games.engine.rulebook import form_of
from tests.games.high import GAME
from tests.games.high.state import High
from tests.games.high.words import IN_WORDS, SWITCHES


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the toy game to the registry for a test."""
    monkeypatch.setattr(registry, "GAMES", MappingProxyType({**registry.GAMES, "high": GAME}))


def states(*lines: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    header = {"transcript": 1, "game": "high", "players": ["Ann", "Ben"], **more}
    return list(replayed("\n".join(map(json.dumps, (header, *lines))).encode()))


def test_rules_engine_replays_a_transcript_of_a_newly_registered_game() -> None:
    end = states({"throw": [3]}, {"throw": [5]})[-1]
    assert (end["line"], end["scores"], end["over"]) == (3, {"Ann": 3, "Ben": 5}, True)
    assert end["outcome"] == {"winners": ["Ben"], "games_lost": {"Ann": 1, "Ben": 0}}


def test_rules_engine_adds_roll_off_undo_and_house_rules_to_a_toy_game() -> None:
    assert states(first="Ben")[0]["player"] == "Ben"
    assert states({"throw": [1, 2]}, {"throw": [5, 6]}, roll_off=True)[-1]["player"] == "Ben"
    assert states({"throw": [3]}, {"undo": 1})[-1]["player"] == "Ann"
    assert states({"throw": [3]}, rules={"twice": True})[-1]["decisions"] == ["stop"]
    assert "twice" in states(rules={"twise": True})[-1]["message"]


def test_a_toy_game_refuses_illegal_actions_a_die_of_7_and_a_lone_player() -> None:
    assert states({"do": "stop"})[-1]["error"] == "illegal_action"
    assert states({"throw": [1, 1]})[-1]["error"] == "illegal_action"
    assert states({"throw": [7]})[-1]["error"] == "notation"
    with pytest.raises(RulesError):
        GAME.start(Header("high", ("Ann",), {"twice": False}))
    with pytest.raises(IllegalAction):
        GAME.start(Header("high", ("Ann", "Ben"), {"twice": False})).after(Stop())


def test_a_game_added_to_the_registry_has_odds_and_a_house_rules_form() -> None:
    lines = [{"transcript": 1, "game": "high", "players": ["Ann", "Ben"], "rules": {"twice": True}}, {"throw": [5]}]
    state = transcript_of("\n".join(map(json.dumps, lines)).encode()).state
    assert options(state)[0] == {"line": {"do": "stop"}, "value": 5.0}
    assert state.safe_chance is None
    twice = {"key": "twice", "type": "bool", "default": False, "minimum": None}
    assert form_of(GAME) == {
        "game": "high",
        "title": "High",
        "min_players": 2,
        "max_players": None,
        "switches": [{**twice, "title": SWITCHES[0].title, "meaning": SWITCHES[0].meaning}],
        "presets": {},
        "in_words": IN_WORDS,
        "doubtful": [],
        "why": {},
        "credits": "A toy.",
        "charts": [],
        "glossary": [],
        "pictures": [],
    }


def test_crapolas_house_rules_form_has_two_integers_and_otherwise_bools() -> None:
    switches = form_of(registry.GAMES["crapola"])["switches"]
    numbers = {
        switch["key"]: (switch["default"], switch["minimum"]) for switch in switches if switch["type"] == "integer"
    }
    assert numbers == {"target": (15000, 1), "entry": (1000, 0)}
    assert {switch["type"] for switch in switches if switch["key"] not in numbers} == {"bool"}


def test_bots_take_the_first_option_in_a_game_that_defines_no_rule_of_thumb() -> None:
    """A new game also counts as unsolved."""
    start = GAME.start(Header("high", ("Ann", "Ben"), {"twice": True}))
    assert rule_of_thumb(start) == 1
    assert rule_of_thumb(start.after(Throw((2,)))) == Stop()
    assert GAME.solved(start) is False


@dataclass(frozen=True, slots=True)
class Unweighed(High):
    """High without expected values."""

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        return ()


def test_bots_play_a_game_whose_odds_cannot_be_computed_while_its_odds_and_luck_raise_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All levels play by the rule of thumb; odds before the end and the luck story raise an error."""

    def begin(header: Header, first: int, *_: object) -> Unweighed:
        return Unweighed(header, first)

    monkeypatch.setattr(registry, "GAMES", MappingProxyType({"high": replace(GAME, begin=begin)}))
    header = Header("high", ("Ann", "Ben"), {"twice": True})
    for level in LEVELS:
        assert played(header, [level, level], random.Random(1)).state.standing.over
    lines = [{"transcript": 1, "game": "high", "players": ["Ann", "Ben"]}, {"throw": [5]}]
    transcript = transcript_of("\n".join(map(json.dumps, lines)).encode())
    with pytest.raises(RulesError, match="not known for 'high'"):
        options(transcript.state)
    over = transcript.then(Throw((3,)))
    assert options(over.state) == []
    with pytest.raises(RulesError, match="not known for 'high'"):
        story_of(over)


@dataclass(frozen=True, slots=True)
class HalfWeighed(High):
    """High without the expected value of a throw."""

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        return ((Stop(), 1.0),)


def test_a_luck_report_raises_an_error_if_the_odds_lack_a_throws_value(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(header: Header, first: int, *_: object) -> HalfWeighed:
        return HalfWeighed(header, first)

    monkeypatch.setattr(registry, "GAMES", MappingProxyType({"high": replace(GAME, begin=begin)}))
    lines = [{"transcript": 1, "game": "high", "players": ["Ann", "Ben"]}, {"throw": [5]}, {"throw": [3]}]
    with pytest.raises(RulesError, match="odds have no value for"):
        story_of(transcript_of("\n".join(map(json.dumps, lines)).encode()))
