"""The evening: games played, each move by move, and everything to take home as transcripts and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import flask
import msgspec

from companion.errors import RulesError
from companion.history.export import PastGames
from companion.table.read_only import AnyTable
from web.pairing.roles import ANYONE
from web.responses import answer, attachment, refusal
from web.routes import Json, Routes

COLUMNS = ("game", "kind", "started", "throw", "player", "dice")
GOALS = ("points", "win")
SET: Json = {"name": "set", "in": "query", "schema": {"type": "string", "maxLength": 24}}
GOAL: Json = {"name": "goal", "in": "query", "schema": {"enum": list(GOALS)}}
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def routes(past: PastGames, table: AnyTable) -> Routes:
    """Make the routes that read past games: lists, players, moves, transcripts and throws. Anyone may call them."""
    made = Routes("evening")
    _weighed(made, past)

    @made.get("/api/evening", "The games of this evening", roles=ANYONE)
    def evening() -> flask.Response:
        return answer({"games": list(past.games()), "sitting": table.snapshot().sitting})

    @made.get("/api/evening/players", "Everyone who has played here, in figures", roles=ANYONE)
    def players() -> flask.Response:
        return answer({"players": past.players()})

    @made.get("/api/evening/<int:game>", "A game, move by move", roles=ANYONE, refused=(404,))
    def move_by_move(game: int) -> flask.Response:
        moves, lines = past.moves(game), past.transcript(game)
        if moves is None or not lines:
            return _no_such_game()
        return answer({"header": lines[0], "moves": list(moves), "players": past.tallies(game)})

    @made.get(
        "/api/evening/<int:game>.jsonl",
        "A game's transcript",
        roles=ANYONE,
        kind="application/x-ndjson",
        refused=(404,),
    )
    def transcript(game: int) -> flask.Response:
        lines = past.transcript(game)
        if lines is None:
            return _no_such_game()
        text = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        return attachment(text, "application/x-ndjson", f"peg-and-pip-{game}.jsonl")

    @made.get("/api/evening.csv", "All throws of the evening", {}, roles=ANYONE, kind="text/csv")
    def table_of_throws() -> flask.Response:
        text = io.StringIO()
        sheet = csv.writer(text)
        sheet.writerow(COLUMNS)
        for *of_game, number, player, values in past.throwers():
            sheet.writerow([*of_game, number, plain(player), " ".join(map(str, values))])
        return attachment(text.getvalue().encode(), "text/csv", "peg-and-pip-throws.csv")

    return made


def _weighed(made: Routes, past: PastGames) -> None:
    """Luck, decisions and dice."""

    @made.get(
        "/api/evening/<int:game>/luck",
        "A finished game, split into luck and decisions",
        roles=ANYONE,
        refused=(404, 409),
    )
    def luck(game: int) -> flask.Response:
        return _told(lambda: past.luck(game), "unfinished")

    @made.get(
        "/api/evening/<int:game>/chances",
        "Each side's chance to win in a finished game",
        roles=ANYONE,
        refused=(404, 409),
    )
    def chances(game: int) -> flask.Response:
        return _told(lambda: past.chances(game), "no_odds")

    @made.get(
        "/api/evening/<int:game>/odds",
        "What can be done in a game, and what it is worth",
        roles=ANYONE,
        refused=(404, 409),
        query=[GOAL],
    )
    def odds(game: int) -> flask.Response:
        return _told(lambda: past.odds(game, flask.request.args.get("goal", GOALS[0])), "no_odds")

    @made.get(
        "/api/evening/dice", "Whether a set of dice is honest, as far as its throws can tell", roles=ANYONE, query=[SET]
    )
    def dice() -> flask.Response:
        return answer(past.fairness(flask.request.args.get("set")))


def _told(find: Callable[[], Json | None], unless: str) -> flask.Response:
    """What is found of a game, or why it is not told, under that code."""
    try:
        found = find()
    except RulesError as why:
        return refusal(409, unless, str(why))
    return _no_such_game() if found is None else answer(found)


def plain(name: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{name}" if name.startswith(FORMULA_STARTS) else name


def _no_such_game() -> flask.Response:
    return refusal(404, "no_such_game", "There is no game of that number. GET /api/evening lists them.")
