"""`/api/evening`: past games with moves, luck and chances, players' statistics, transcripts and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from functools import partial

import flask

from companion.errors import RulesError
from companion.history.export import PastGames
from companion.table.read_only import AnyTable
from web.names import for_spreadsheet
from web.pairing.roles import ANYONE
from web.responses import attachment, refusal
from web.routes import Json, Routes

CSV_COLUMNS = ("game", "kind", "started", "throw", "player", "dice")
"""Header of `/api/evening.csv`: number of the game, game played, its start, number of the throw, player, values."""
GOALS = ("points", "win", "games")
"""Values of the query parameter `goal`: what the value of an option is. Expected points (the default), win
probability, or expected games lost by the other side minus those lost by one's own."""
SET_PARAMETER: Json = {"name": "set", "in": "query", "schema": {"type": "string", "maxLength": 24}}
"""OpenAPI description of the query parameter `set`: the name of a set of dice; without it the set used last. Such names
have at most 24 characters (`companion.table.terms`). It only describes: no longer name is refused here."""
GOAL_PARAMETER: Json = {"name": "goal", "in": "query", "schema": {"enum": list(GOALS)}}
"""OpenAPI description of the query parameter `goal`, which is one of `GOALS`."""
GAME_ROUTE: Json = {"roles": ANYONE, "refused": (404,)}
"""Arguments of `Routes.get` for a route about one game: anyone may use it; 404 for an unknown game."""
ODDS_ROUTE: Json = {"roles": ANYONE, "refused": (404, 409)}
"""Arguments of `Routes.get` for a route about a game's odds or luck. As `GAME_ROUTE`, and 409 if the odds are not known
or the game is not finished."""


def routes(past: PastGames, table: AnyTable) -> Routes:
    """Make the group of routes about games played so far: list, moves, odds, statistics, dice test and files.

    Anyone may use them. An unknown game is answered 404.

    Args:
        past: Every game in the data folder.
        table: The running table, for the results of the current sitting.
    """
    made = Routes("evening")
    _add_odds_routes(made, past)
    made.get("/api/evening", "All games of the data folder, newest first", roles=ANYONE)(
        lambda: {"games": past.games(), "sitting": table.snapshot().sitting}
    )
    made.get("/api/evening/players", "Statistics of everyone who has played here", roles=ANYONE)(
        lambda: {"players": past.players()}
    )

    @made.get("/api/evening/<int:game>", "A game, move by move", **GAME_ROUTE)
    def move_by_move(game: int) -> Json | flask.Response:
        found = past.moves(game)
        return _no_such_game() if found is None else found

    @made.get("/api/evening/<int:game>.jsonl", "A game's transcript", kind="application/x-ndjson", **GAME_ROUTE)
    def transcript(game: int) -> flask.Response:
        text = past.text(game)
        if text is None:
            return _no_such_game()
        return attachment(text, "application/x-ndjson", f"peg-and-pip-{game}.jsonl")

    @made.get("/api/evening.csv", "All throws of all games", {}, roles=ANYONE, kind="text/csv")
    def table_of_throws() -> flask.Response:
        text = io.StringIO()
        sheet = csv.writer(text)
        sheet.writerow(CSV_COLUMNS)
        for *of_game, number, player, values in past.throw_rows():
            sheet.writerow([*of_game, number, for_spreadsheet(player), " ".join(map(str, values))])
        return attachment(text.getvalue().encode(), "text/csv", "peg-and-pip-throws.csv")

    return made


def _add_odds_routes(made: Routes, past: PastGames) -> None:
    """Add routes to the group `made`: luck, luckiest throw, win chances and odds of a game; ratings; the dice test.

    Luck, luckiest throw and win chances are for finished games only. Odds are those after the last line of any game.
    Ratings are what each player's decisions cost over all games. The dice test tells whether a set of dice is fair.
    Anyone may use the routes. An unknown game is answered 404, an unfinished one or unknown odds 409.
    """
    of_a_game = (
        ("luck", "A finished game, split into luck and decisions", past.luck, "unfinished"),
        ("luckiest", "A finished game's luckiest throw, and how rare it is", past.luckiest, "unfinished"),
        ("chances", "Each side's chance to win in a finished game", past.chances, "no_odds"),
    )
    for name, summary, find, error in of_a_game:
        made.get(f"/api/evening/<int:game>/{name}", summary, **ODDS_ROUTE)(partial(_found_or_refused, find, error))

    @made.get(
        "/api/evening/<int:game>/odds", "The options in a game, and their worth", query=[GOAL_PARAMETER], **ODDS_ROUTE
    )
    def odds(game: int) -> Json | flask.Response:
        goal = flask.request.args.get("goal", GOALS[0])
        return _found_or_refused(lambda game: past.odds(game, goal), "no_odds", game)

    made.get("/api/evening/ratings", "What each player's decisions cost, over all games", roles=ANYONE)(
        lambda: {"ratings": past.ratings()}
    )
    made.get("/api/evening/dice", "The test whether a set of dice is fair", roles=ANYONE, query=[SET_PARAMETER])(
        lambda: past.fairness(flask.request.args.get("set"))
    )


def _found_or_refused(find: Callable[[int], Json | None], error: str, game: int) -> Json | flask.Response:
    """Return the result of `find` for a game; a 404 if it is None, a 409 with code `error` for a RulesError."""
    try:
        found = find(game)
    except RulesError as why:
        return refusal(409, error, str(why))
    return _no_such_game() if found is None else found


def _no_such_game() -> flask.Response:
    return refusal(404, "no_such_game", "There is no game with that number. GET /api/evening lists them.")
