"""The evening: games played, each move by move, and everything to take home as transcripts and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import flask
import msgspec

from web.parts import EveningPart, TablePart
from web.refusals import answer, refusal

COLUMNS = ("game", "kind", "started", "throw", "player", "dice")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Evening:
    """The routes of past games; anyone may read them."""

    games_played: EveningPart
    table: TablePart

    def routes(self) -> flask.Blueprint:
        """All of them."""
        routes = flask.Blueprint("evening", __name__)
        routes.add_url_rule("/api/evening", view_func=self.evening)
        routes.add_url_rule("/api/evening/players", view_func=self.players)
        routes.add_url_rule("/api/evening/<int:game>", view_func=self.game)
        routes.add_url_rule("/api/evening/<int:game>.jsonl", view_func=self.transcript)
        routes.add_url_rule("/api/evening.csv", view_func=self.table_of_throws)
        return routes

    def evening(self) -> flask.Response:
        """The games, newest first, and the sitting as it stands."""
        return answer({"games": list(self.games_played.games()), "sitting": self.table.snapshot().sitting})

    def game(self, game: int) -> flask.Response:
        """A game, move by move."""
        moves, lines = self.games_played.moves(game), self.games_played.transcript(game)
        if moves is None or not lines:
            return _no_such_game()
        return answer({"header": lines[0], "moves": list(moves), "players": self.games_played.tallies(game)})

    def players(self) -> flask.Response:
        """Everyone who has played here, in figures over all games."""
        return answer({"players": self.games_played.players()})

    def transcript(self, game: int) -> flask.Response:
        """A game as a transcript that `pegpip replay` reads."""
        lines = self.games_played.transcript(game)
        if lines is None:
            return _no_such_game()
        return _file(
            b"".join(msgspec.json.encode(line) + b"\n" for line in lines), "application/x-ndjson", f"{game}.jsonl"
        )

    def table_of_throws(self) -> flask.Response:
        """Every throw of every game, one a row."""
        text = io.StringIO()
        sheet = csv.writer(text)
        sheet.writerow(COLUMNS)
        for card in self.games_played.games():
            moves, lines = self.games_played.moves(card["id"]), self.games_played.transcript(card["id"])
            if moves is not None and lines:
                sheet.writerows(throws(card, lines[0], moves))
        return _file(text.getvalue().encode(), "text/csv", "throws.csv")


def throws(
    card: Mapping[str, Any], header: Mapping[str, Any], moves: Iterable[Mapping[str, Any]]
) -> Iterable[tuple[object, ...]]:
    """A row for each throw of a game: who threw is who was on before it."""
    player = header.get("first") or header["players"][0]
    for move in moves:
        if "throw" in move["line"]:
            dice = " ".join(str(die) for die in move["line"]["throw"])
            yield card["id"], card["game"], card.get("started"), move.get("throw"), plain(player), dice
        player = move["state"]["player"] or player


def plain(name: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{name}" if name.startswith(FORMULA_STARTS) else name


def _no_such_game() -> flask.Response:
    return refusal(404, "no_such_game", "There is no game of that number. GET /api/evening lists them.")


def _file(body: bytes, kind: str, name: str) -> flask.Response:
    response = flask.Response(body, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="peg-and-pip-{name}"'
    response.headers["Cache-Control"] = "no-store"
    return response
