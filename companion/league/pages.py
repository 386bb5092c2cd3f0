"""The league's pages, `/api` and CSV. The server renders everything; a script only adds the slider of a replay."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID

import flask
import msgspec
from werkzeug.routing import UUIDConverter

from companion.games.engine.notation import action_of
from companion.games.engine.replay import transcript_of
from companion.games.engine.transcript import Transcript
from companion.games.registry import GAMES, game_named
from companion.league import fixtures, queries
from companion.league.database import Pool
from web import static_files
from web.names import for_spreadsheet

OWN = {"league.css": "text/css; charset=utf-8", "league.js": "text/javascript; charset=utf-8"}
"""The pages' own files, with their media types."""
_ENCODER = msgspec.json.Encoder(decimal_format="number")
"""Writes shares of wins as numbers."""
MAX_NUMBER = 2**31 - 1
"""Largest number of a season or player in an address: PostgreSQL's integer."""
FORMS = {"knockout": "Knockout", "round_robin": "Round robin"}
"""Titles of the forms of a tournament."""
STANDINGS_COLUMNS = ("player", "name", "pub", "games", "won", "lost", "mu", "sigma")
"""Columns of the standings as CSV."""


class GameName(UUIDConverter):
    """The name of a game in an address: 32 hexadecimal digits."""

    regex = "[0-9a-f]{32}"


class LeaguePages:
    """The pages on a pool of connections."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def routes(self) -> flask.Blueprint:
        """Return a Flask blueprint with the pages, their JSON and CSV, and their own script and style sheet."""
        made = flask.Blueprint("league", __name__)
        made.record(lambda setup: setup.app.url_map.converters.update(game=GameName))
        made.app_template_global("file")(static_files.url)
        made.record(lambda setup: setup.app.jinja_env.globals.update(forms=FORMS))
        made.app_template_global("title")(lambda kind: GAMES[kind].title if kind in GAMES else kind)
        views: dict[str, Callable[..., flask.Response]] = {
            "/": self.home,
            "/seasons/<int32:number>/<kind>": self.season,
            "/seasons/<int32:number>/<kind>.csv": self.table,
            "/games/<game:name>": self.game,
            "/players": self.players,
            "/players/<int32:number>": self.player,
            "/api/seasons": lambda: _json(self._read(queries.seasons)),
            "/api/seasons/<int32:number>/<kind>": self.standings,
            "/api/seasons/<int32:number>/<kind>/games": lambda **of: _json(self._read(queries.games, *of.values())),
            "/api/seasons/<int32:number>/<kind>/tournaments": lambda **of: _json(
                self._read(queries.tournaments, *of.values())
            ),
            "/api/tournaments/<int32:number>": lambda number: _json(self._read(fixtures.tournament, number)),
            "/tournaments/<int32:number>": self.tournament,
            "/api/games/<game:name>": lambda name: _json(self._read(queries.game, name)),
            "/api/players/<int32:number>": lambda number: _json(self._read(queries.player, number)),
            "/league/<name>": own_file,
        }
        for rule, view in views.items():
            made.add_url_rule(rule.replace("int32:", f"int(max={MAX_NUMBER}):"), rule.replace(".", "-"), view)
        return made

    def home(self) -> flask.Response:
        """Show all seasons and tables."""
        return _shown("seasons", seasons=self._read(queries.seasons), tables=self._read(queries.tables))

    def season(self, number: int, kind: str) -> flask.Response:
        """Answer with the page of a season and kind of game: standings, tournaments, records and newest games.

        The query may name the order (`by`) and how many rows of the standings to skip (`skip`).
        """
        by, skip = _order(), min(max(0, flask.request.args.get("skip", 0, int)), MAX_NUMBER)
        found = self._read(queries.season_page, number, kind, by, skip)
        return _shown("season", kind=kind, by=by, skip=skip, page=queries.PAGE, **found)

    def table(self, number: int, kind: str) -> flask.Response:
        """Return the first page of the standings as CSV."""
        rows = self._read(queries.standings, number, kind, _order())
        return _fresh(flask.Response(_csv(STANDINGS_COLUMNS, rows), mimetype="text/csv"))

    def standings(self, number: int, kind: str) -> flask.Response:
        """Return the first page of the standings as JSON."""
        return _json(self._read(queries.standings, number, kind, _order()))

    def game(self, name: UUID) -> flask.Response:
        """Show a game: result, replay, and who changed what."""
        found = self._read(queries.game, name)
        return _shown("game", game=found, moves=moves_of(found["transcript"]) if found["transcript"] else [])

    def tournament(self, number: int) -> flask.Response:
        """Show a tournament: its matches by round, and its standings."""
        return _shown("tournament", tournament=self._read(fixtures.tournament, number))

    def players(self) -> flask.Response:
        """Show the players whose name begins as asked."""
        name = flask.request.args.get("name", "")[:24].replace("\0", "")
        return _shown("players", name=name, players=self._read(queries.players, name))

    def player(self, number: int) -> flask.Response:
        """Show a player: seasons, head to head, newest games."""
        return _shown("player", player=self._read(queries.player, number))

    def _read(self, ask: Callable[..., Any], *of: Any) -> Any:
        """Return what the query function `ask` returns for a connection and the arguments `of`; 404 if that is None.

        It runs in a read-only transaction.
        """
        with self._pool.connection() as connection:
            connection.execute("SET TRANSACTION READ ONLY")
            found = ask(connection, *of)
        if found is None:
            flask.abort(404, "There is nothing here. The seasons are at /.")
        return found


def own_file(name: str) -> flask.Response:
    """Return one of the pages' own files."""
    if name not in OWN:
        flask.abort(404)
    return _fresh(flask.Response((Path(__file__).parent / "static" / name).read_bytes(), content_type=OWN[name]))


def moves_of(transcript: str) -> list[dict[str, Any]]:
    """Replay a transcript and return, for each line after the header, the line and the position after it.

    Each has `line`, `player` (who acted), `scores` by side, and `track` (where the pegs are).
    """
    whole = transcript_of(transcript.encode())
    at, moves = Transcript.begin(whole.header), list[dict[str, Any]]()
    for text in transcript.splitlines()[1:]:
        line = msgspec.json.decode(text)
        player = at.state.standing.player
        at = at.then(action_of(line))
        standing = at.state.standing
        track = asdict(game_named(whole.header.game).track(at.state))
        scores = dict(zip(standing.sides, standing.scores, strict=True))
        moves.append({"line": line, "player": line.get("leave", player), "scores": scores, "track": track})
    return moves


def _shown(template: str, **found: Any) -> flask.Response:
    """Return the page that a template makes of these values."""
    return _fresh(flask.Response(flask.render_template(f"{template}.html", **found), mimetype="text/html"))


def _order() -> str:
    """Return the order of the standings that the request's query names (`by`); "wins" for none or an unknown one."""
    by = flask.request.args.get("by", "wins")
    return by if by in queries.ORDERS else "wins"


def _json(found: Any) -> flask.Response:
    """Return rows as JSON."""
    return _fresh(flask.Response(_ENCODER.encode(found), mimetype="application/json"))


def _csv(columns: Sequence[str], rows: queries.Rows) -> str:
    """Return rows as CSV text with a header and these columns. A text that a spreadsheet would run is disarmed."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(columns)
    for row in rows:
        out.writerow([for_spreadsheet(row[name]) if isinstance(row[name], str) else row[name] for name in columns])
    return text.getvalue()


def _fresh(response: flask.Response) -> flask.Response:
    """Add an ETag to a response and return it; a browser that has the same content already gets 304."""
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(flask.request)
    return response
