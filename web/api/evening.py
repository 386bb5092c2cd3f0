"""`/api/evening`: past games with moves, luck and chances, players' statistics, transcripts and CSV."""

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

CSV_COLUMNS = ("game", "kind", "started", "throw", "player", "dice")
"""Columns of the table of throws."""
GOALS = ("points", "win")
"""Goals that odds are computed for: most points, or winning the game."""
SET: Json = {"name": "set", "in": "query", "schema": {"type": "string", "maxLength": 24}}
"""Query parameter with the name of a set of dice, as OpenAPI describes it."""
GOAL: Json = {"name": "goal", "in": "query", "schema": {"enum": list(GOALS)}}
"""Query parameter that chooses one of `GOALS`, as OpenAPI describes it."""
OF_GAME: Json = {"roles": ANYONE, "refused": (404,)}
"""Arguments of each route about one game: anyone may use it, and an unknown game is refused."""
WEIGHED: Json = {"roles": ANYONE, "refused": (404, 409)}
"""Arguments of each route about a game's odds: as `OF_GAME`, and refused with 409 where no odds are known."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""First characters by which a spreadsheet recognises a formula."""


def routes(past: PastGames, table: AnyTable) -> Routes:
    """Make the routes of past games, for anyone. `table` gives the sitting that is on."""
    made = Routes("evening")
    _weighed(made, past)

    @made.get("/api/evening", "The games of this evening", roles=ANYONE)
    def evening() -> flask.Response:
        return answer({"games": list(past.games()), "sitting": table.snapshot().sitting})

    @made.get("/api/evening/players", "Statistics of everyone who has played here", roles=ANYONE)
    def players() -> flask.Response:
        return answer({"players": past.players()})

    @made.get("/api/evening/<int:game>", "A game, move by move", **OF_GAME)
    def move_by_move(game: int) -> flask.Response:
        moves, lines, listed = past.moves(game), past.transcript(game), past.game(game)
        if moves is None or not lines:
            return _no_such_game()
        return answer({"header": lines[0], "moves": list(moves), "players": past.tallies(game), "game": listed})

    @made.get("/api/evening/<int:game>.jsonl", "A game's transcript", kind="application/x-ndjson", **OF_GAME)
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
        sheet.writerow(CSV_COLUMNS)
        for *of_game, number, player, values in past.throw_rows():
            sheet.writerow([*of_game, number, plain(player), " ".join(map(str, values))])
        return attachment(text.getvalue().encode(), "text/csv", "peg-and-pip-throws.csv")

    return made


def _weighed(made: Routes, past: PastGames) -> None:
    """Add the routes of luck, chances to win, odds and fairness of the dice to the group `made`."""

    @made.get("/api/evening/<int:game>/luck", "A finished game, split into luck and decisions", **WEIGHED)
    def luck(game: int) -> flask.Response:
        return _found(lambda: past.luck(game), "unfinished")

    @made.get("/api/evening/<int:game>/luckiest", "A finished game's luckiest throw, and how rare it is", **WEIGHED)
    def luckiest(game: int) -> flask.Response:
        return _found(lambda: past.luckiest(game), "unfinished")

    @made.get("/api/evening/<int:game>/chances", "Each side's chance to win in a finished game", **WEIGHED)
    def chances(game: int) -> flask.Response:
        return _found(lambda: past.chances(game), "no_odds")

    @made.get("/api/evening/<int:game>/odds", "The options in a game, and their worth", query=[GOAL], **WEIGHED)
    def odds(game: int) -> flask.Response:
        return _found(lambda: past.odds(game, flask.request.args.get("goal", GOALS[0])), "no_odds")

    @made.get("/api/evening/ratings", "What each player's decisions cost, over all games", roles=ANYONE)
    def ratings() -> flask.Response:
        return answer({"ratings": past.ratings()})

    @made.get("/api/evening/dice", "The test whether a set of dice is fair", roles=ANYONE, query=[SET])
    def dice() -> flask.Response:
        return answer(past.fairness(flask.request.args.get("set")))


def _found(find: Callable[[], Json | None], error: str) -> flask.Response:
    """Call `find` and answer with the JSON that it returns: 404 for None, 409 if it raises RulesError.

    Args:
        find: Returns the JSON of a game; None for an unknown game.
        error: Code of the 409 answer.
    """
    try:
        found = find()
    except RulesError as why:
        return refusal(409, error, str(why))
    return _no_such_game() if found is None else answer(found)


def plain(name: str) -> str:
    """Return a player's name with an apostrophe in front if a spreadsheet would take it for a formula."""
    return f"'{name}" if name.startswith(FORMULA_STARTS) else name


def _no_such_game() -> flask.Response:
    return refusal(404, "no_such_game", "There is no game with that number. GET /api/evening lists them.")
