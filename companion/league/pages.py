"""The league's pages, `/api` and CSV. The server renders everything; a script only adds the slider of a replay."""

from __future__ import annotations

import csv
import functools
import io
import itertools
from collections.abc import Callable
from typing import Any
from uuid import UUID

import flask
import msgspec

from companion.games.engine.notation import line_of
from companion.games.engine.replay import transcript_of
from companion.games.registry import GAMES
from companion.league import fixtures, queries
from companion.league.database import Pool
from web import catalogue, static_files
from web.names import for_spreadsheet

MAX_NUMBER = 2**31 - 1
"""Largest number of a season, player or tournament in an address, and most rows that `skip` skips. It is the maximum of
PostgreSQL's integer, the ids' type: larger ids match no row. A `skip` of 2**63 or more would fail."""
NUMBER = f"<int(max={MAX_NUMBER}):number>"
"""Part of an address: number of a season, player or tournament."""
SEASON = f"/seasons/{NUMBER}/<any({','.join(GAMES)}):kind>"
"""Address of a season and kind of game; that of an unknown game is not found."""
_ENCODER = msgspec.json.Encoder(decimal_format="number")
"""Encoder of the league's JSON answers. It writes a Decimal, such as a share of a win, as a number, not a string."""
Read = Callable[..., Any]
"""Returns what a query function returns for its other arguments, or raises NotFound: `read` in `pages`."""


def pages(pool: Pool) -> flask.Blueprint:
    """Return a Flask blueprint with the league's pages, `/api`, CSV, and the pages' own script and style sheet.

    Each answer has an ETag: a browser that has the same content already gets 304. Connections to the league's database
    come from `pool`.
    """
    made = flask.Blueprint("league", __name__, static_folder="static", static_url_path="/league")
    made.app_template_global("file")(static_files.url)
    made.app_template_global("title")(lambda kind: GAMES[kind].title if kind in GAMES else kind)
    made.app_context_processor(_texts)
    made.after_request(_fresh)

    def read(ask: Callable[..., Any], *of: Any) -> Any:
        """Return what a query function returns for `of`, in a read-only transaction; abort with 404 if that is None."""
        with pool.connection() as connection:
            connection.execute("SET TRANSACTION READ ONLY")
            found = ask(connection, *of)
        if found is None:
            flask.abort(404, "There is nothing here. The seasons are at /.")
        return found

    _add_pages(made, read)
    _add_api(made, read)
    return made


def _add_pages(made: flask.Blueprint, read: Read) -> None:
    """Add the league's pages, and the standings as CSV, to the blueprint `made`; `read` runs their queries."""

    @made.get("/")
    def home() -> str:
        """Show all seasons and tables."""
        return flask.render_template("seasons.html", seasons=read(queries.seasons), tables=read(queries.tables))

    @made.get(SEASON)
    def season(number: int, kind: str) -> str:
        """Show a season and kind of game, its standings in the order `by` of the query after `skip` rows."""
        skip = min(max(0, flask.request.args.get("skip", 0, int)), MAX_NUMBER)
        found = read(queries.season_page, number, kind, _order(), skip)
        shown = {"kind": kind, "by": _order(), "skip": skip, "page": queries.PAGE, **found}
        return flask.render_template("season.html", **shown)

    @made.get(f"{SEASON}.csv")
    def table(number: int, kind: str) -> flask.Response:
        """Return the first page of the standings as CSV, with no text that a spreadsheet would run."""
        text = io.StringIO()
        columns = ("player", "name", "pub", "games", "won", "lost", "mu", "sigma")
        out = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
        out.writeheader()
        for row in read(queries.standings, number, kind, _order()):
            out.writerow({**row, "name": for_spreadsheet(row["name"]), "pub": for_spreadsheet(row["pub"])})
        return flask.Response(text.getvalue(), mimetype="text/csv")

    @made.get("/games/<uuid:name>")
    def game(name: UUID) -> str:
        """Show a game: result, replay, and who changed what."""
        found = read(queries.game, name)
        moves = moves_of(found["transcript"]) if found["transcript"] else []
        return flask.render_template("game.html", game=found, moves=moves)

    @made.get("/players")
    def players() -> str:
        """Show the players whose name begins with `name` of the query; without it the first of all."""
        name = flask.request.args.get("name", "")[:24].replace("\0", "")
        return flask.render_template("players.html", name=name, players=read(queries.players, name))

    @made.get(f"/players/{NUMBER}")
    def player(number: int) -> str:
        """Show a player: seasons, head to head, newest games."""
        return flask.render_template("player.html", player=read(queries.player, number))

    @made.get(f"/tournaments/{NUMBER}")
    def tournament(number: int) -> str:
        """Show a tournament: its matches by round, and its standings."""
        return flask.render_template("tournament.html", tournament=read(fixtures.tournament, number))


def _add_api(made: flask.Blueprint, read: Read) -> None:
    """Add the league's JSON routes under `/api` to the blueprint `made`.

    Each route answers with the result of one query function as JSON. `read` calls the function with the arguments from
    the route's path, and raises NotFound (404) if the result is None.
    """

    def answer(ask: Callable[..., Any], **of: Any) -> flask.Response:
        return flask.Response(_ENCODER.encode(read(ask, *of.values())), mimetype="application/json")

    queries_by_rule: dict[str, Callable[..., Any]] = {
        "/api/seasons": queries.seasons,
        f"/api{SEASON}": lambda connection, number, kind: queries.standings(connection, number, kind, _order()),
        f"/api{SEASON}/games": queries.games,
        f"/api{SEASON}/tournaments": queries.tournaments,
        f"/api/tournaments/{NUMBER}": fixtures.tournament,
        "/api/games/<uuid:name>": queries.game,
        f"/api/players/{NUMBER}": queries.player,
    }
    for rule, ask in queries_by_rule.items():
        made.add_url_rule(rule, rule, functools.partial(answer, ask))


def moves_of(transcript: str) -> list[dict[str, Any]]:
    """Return the moves of a transcript, without undone lines, as dicts with `line`, `player` and `scores`.

    `line` is the transcript's line as a JSON object, and `player` the name of who acted. `scores` are the sides' scores
    after the line, by name of the side. Raises RulesError if the rules refuse the transcript.
    """
    moves = list[dict[str, Any]]()
    for before, after in itertools.pairwise(transcript_of(transcript.encode()).steps):
        assert after.last is not None, "only the header has no line"
        line, standing = line_of(after.last), after.state.standing
        player = line.get("leave", before.state.standing.player)
        scores = dict(zip(standing.sides, standing.scores, strict=True))
        moves.append({"line": line, "player": player, "scores": scores})
    return moves


def _texts() -> dict[str, Any]:
    """Return what a template needs to speak the browser's language: its code, and `t`, which returns its texts."""
    language = catalogue.chosen(None, flask.request.accept_languages.values())
    return {"language": language, "t": functools.partial(catalogue.say, language)}


def _order() -> str:
    """Return the order of the standings that the request's query names (`by`); "wins" for none or an unknown one."""
    by = flask.request.args.get("by", "wins")
    return by if by in queries.ORDERS else "wins"


def _fresh(response: flask.Response) -> flask.Response:
    """Make browsers revalidate a response by its ETag before each use; answer 304 if it is unchanged.

    Changes and returns the response. Its headers also tell caches that it depends on the language (`Accept-Language`).
    """
    response.headers["Cache-Control"] = "no-cache"
    response.vary.add("Accept-Language")
    response.add_etag()
    response.make_conditional(flask.request)
    return response
