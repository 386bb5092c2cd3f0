"""The games that can be chosen, and starting one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import flask

from companion.session.commands import StartGame
from companion.session.house.terms import Terms
from web.api.routes import Json, Routes, ref
from web.names import problem_of
from web.pairing.phones import Pairing
from web.requests import Table, do
from web.responses import answer, refusal

HEADER: Json = {
    "type": "object",
    "required": ["transcript", "game", "players"],
    "properties": {
        "transcript": {"const": 1},
        "players": {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": 24},
            "minItems": 1,
            "uniqueItems": True,
        },
        "rules": {"type": "object", "additionalProperties": {"type": ["boolean", "integer"]}},
        "first": {"type": "string"},
        "roll_off": {"type": "boolean"},
        "terms": ref("Terms"),
    },
    "additionalProperties": False,
}


class SwitchCard(Protocol):
    """A house rule, as `companion.games.game.Switch`."""

    @property
    def key(self) -> str:
        """Its key in a header's `rules`."""

    @property
    def default(self) -> bool | int:
        """Its value when a header does not name it."""

    @property
    def title(self) -> str:
        """Its name on a form."""

    @property
    def meaning(self) -> str:
        """What it does, in words."""

    @property
    def minimum(self) -> int | None:
        """The least value of a number."""


class GameCard(Protocol):
    """A game that can be chosen, as `companion.games.game.Game`."""

    @property
    def name(self) -> str:
        """Its name in a header."""

    @property
    def title(self) -> str:
        """Its name in words."""

    @property
    def min_players(self) -> int:
        """The fewest players."""

    @property
    def max_players(self) -> int | None:
        """The most players; None when there is no limit."""

    @property
    def switches(self) -> Sequence[SwitchCard]:
        """Its house rules."""

    @property
    def presets(self) -> Mapping[str, Mapping[str, bool | int]]:
        """Named sets of house rules."""

    @property
    def in_words(self) -> str:
        """How it is played, in paragraphs."""

    @property
    def credits(self) -> str:
        """Whose game it is."""


def routes(games: Sequence[GameCard], table: Table, pairing: Pairing) -> Routes:
    """The routes of the games."""
    made = Routes("games", Terms, pairing=pairing, schemas={"Header": _header(games)})

    @made.get("/api/games", "The games, their house rules and presets")
    def listed() -> flask.Response:
        return answer({"games": [game_card(game) for game in games]})

    start: Json = {"schema": ref("Snapshot"), "refused": (401, 409, 422), "named": "Header", "paired": True}

    @made.post("/api/games", "Start a game", dict[str, Any], **start)
    def begin(header: dict[str, Any]) -> flask.Response:
        players, terms = header.get("players"), header.pop("terms", {})
        wrong = problem_of(name for name in players if isinstance(name, str)) if isinstance(players, list) else None
        if wrong is not None:
            return refusal(422, "name", wrong)
        return do(table, StartGame(header=header, terms=terms))

    return made


def game_card(game: GameCard) -> dict[str, object]:
    """A game as the set-up form needs it."""
    return {
        "name": game.name,
        "title": game.title,
        "min_players": game.min_players,
        "max_players": game.max_players,
        "switches": [
            {"key": s.key, "default": s.default, "title": s.title, "meaning": s.meaning, "minimum": s.minimum}
            for s in game.switches
        ],
        "presets": {name: dict(values) for name, values in game.presets.items()},
    }


def _header(games: Sequence[GameCard]) -> Json:
    return {**HEADER, "properties": {"game": {"enum": [game.name for game in games]}, **HEADER["properties"]}}
