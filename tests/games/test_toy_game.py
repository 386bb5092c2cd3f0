"""Adding a game, shown on a toy: one value in a module, one line in the registry. docs/adding-a-game.md follows this.

*High* : everybody throws one die; the highest wins. With the house rule `twice` the throw may be made again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import pytest

from companion.errors import IllegalAction, RulesError
from companion.games import registry
from companion.games.game import Action, Header, Stop, Switch, Throw, refusal
from companion.games.odds import options, safe_chance
from companion.games.replay import replayed, transcript_of
from companion.games.rulebook import Rulebook, form_of


@dataclass(frozen=True, slots=True)
class High:
    """A game of High as it stands: what was banked, by seat in the order of play; what lies on the table."""

    header: Header
    first: int
    banked: tuple[int, ...] = ()
    lies: int = 0

    @property
    def player(self) -> str | None:
        players = self.header.players
        return None if self.over else players[(self.first + len(self.banked)) % len(players)]

    @property
    def over(self) -> bool:
        return len(self.banked) == len(self.header.players)

    @property
    def throw_sizes(self) -> tuple[int, ...]:
        return () if self.over else (1,)

    @property
    def decisions(self) -> tuple[str, ...]:
        return ("stop",) if self.lies else ()

    @property
    def safe_chance(self) -> None:
        return None

    def options(self) -> tuple[Action, ...]:
        return (Stop(),) if self.lies else ()

    def expected_values(self) -> tuple[tuple[Action | int, float], ...]:
        return () if self.over else ((1, 3.5), *((option, float(self.lies)) for option in self.options()))

    def after(self, action: Action) -> High:
        if isinstance(action, Throw) and len(action.dice) in self.throw_sizes:
            if not self.header.rules["twice"]:
                return replace(self, banked=(*self.banked, action.dice[0]))
            if self.lies:
                return replace(self, banked=(*self.banked, action.dice[0]), lies=0)
            return replace(self, lies=action.dice[0])
        if isinstance(action, Stop) and self.lies:
            return replace(self, banked=(*self.banked, self.lies), lies=0)
        raise refusal(action, self)

    def view(self) -> dict[str, Any]:
        players = self.header.players
        seats = players[self.first :] + players[: self.first]
        scores = dict.fromkeys(players, 0) | dict(zip(seats, self.banked, strict=False))
        best = max(scores.values())
        outcome = {
            "winners": [name for name in players if scores[name] == best],
            "games_lost": {name: int(scores[name] < best) for name in players},
        }
        return {
            "game": "high",
            "player": self.player,
            "round": 1,
            "throw_sizes": list(self.throw_sizes),
            "decisions": list(self.decisions),
            "turn_points": self.lies,
            "scores": scores,
            "over": self.over,
            "outcome": outcome if self.over else None,
        }


HIGH = Rulebook(
    name="high",
    title="High",
    min_players=2,
    max_players=None,
    begin=lambda header, first: High(header, first),
    switches=(Switch("twice", False, "Twice", "Whoever likes may throw a second time; that throw counts."),),
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line in the registry: without it no module knows the game."""
    monkeypatch.setattr(registry, "GAMES", MappingProxyType({**registry.GAMES, "high": HIGH}))


def states(*lines: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    header = {"transcript": 1, "game": "high", "players": ["Ann", "Ben"], **more}
    return list(replayed("\n".join(map(json.dumps, (header, *lines))).encode()))


def test_the_toy_replays_through_the_same_door_as_every_game() -> None:
    end = states({"throw": [3]}, {"throw": [5]})[-1]
    assert (end["line"], end["scores"], end["over"]) == (3, {"Ann": 3, "Ben": 5}, True)
    assert end["outcome"] == {"winners": ["Ben"], "games_lost": {"Ann": 1, "Ben": 0}}


def test_the_toy_has_first_players_roll_offs_undo_and_house_rules_for_nothing() -> None:
    assert states(first="Ben")[0]["player"] == "Ben"
    assert states({"throw": [1, 2]}, {"throw": [5, 6]}, roll_off=True)[-1]["player"] == "Ben"
    assert states({"throw": [3]}, {"undo": 1})[-1]["player"] == "Ann"
    assert states({"throw": [3]}, rules={"twice": True})[-1]["decisions"] == ["stop"]
    assert "twice" in states(rules={"twise": True})[-1]["message"]


def test_the_toy_refuses_as_the_others_do() -> None:
    assert states({"do": "stop"})[-1]["error"] == "illegal_action"
    assert states({"throw": [1, 1]})[-1]["error"] == "illegal_action"
    assert states({"throw": [7]})[-1]["error"] == "notation"
    with pytest.raises(RulesError):
        HIGH.start(Header("high", ("Ann",), {"twice": False}))
    with pytest.raises(IllegalAction):
        HIGH.start(Header("high", ("Ann", "Ben"), {"twice": False})).after(Stop())


def test_the_toy_has_odds_and_a_settings_form() -> None:
    lines = [{"transcript": 1, "game": "high", "players": ["Ann", "Ben"], "rules": {"twice": True}}, {"throw": [5]}]
    state = transcript_of("\n".join(map(json.dumps, lines)).encode()).state
    assert options(state)[0] == {"line": {"do": "stop"}, "value": 5.0}
    assert safe_chance(state) is None
    form = form_of(HIGH)
    assert form["switches"][0]["key"] == "twice"
    assert (form["min_players"], form["max_players"], form["presets"], form["credits"]) == (2, None, {}, "")
