"""The league's server: takes signed games over HTTP, and serves the pages. Stateless; run as many as you like."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import flask
import msgspec
import psycopg
import uvicorn
from a2wsgi import WSGIMiddleware
from psycopg_pool import PoolTimeout
from werkzeug.exceptions import HTTPException

from companion.errors import RulesError
from companion.league.accepting import NotAccepted, accept, keep_aside, table_of
from companion.league.database import Connection, Pool
from companion.league.judge import judged
from companion.league.message import MAX_BODY_BYTES, SIGNATURE, Message, Reply, is_signed
from companion.league.pages import LeaguePages
from companion.league.ratings import rate
from web.guard import HEADERS
from web.static_files import static_files

log = logging.getLogger(__name__)

THREADS = 16
"""Most requests that one instance answers at a time, each in a thread. Higher: more memory; lower: others wait."""
RATE_EVERY_S = 0.5
"""Pause in seconds between two searches for games to rate. Higher: ratings are later; lower: more queries."""


def application(pool: Pool, now: Callable[[], float] = time.time) -> flask.Flask:
    """Return the Flask application of the league: it takes games from tables and shows the pages and `/healthz`.

    Args:
        pool: Connections to the database.
        now: Returns the time in seconds since 1970.
    """
    app = flask.Flask(__name__, static_folder=None)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.register_blueprint(static_files())
    app.register_blueprint(LeaguePages(pool).routes())

    @app.put("/games/<table>/<game>/<int:revision>")
    def put(table: str, game: str, revision: int) -> flask.Response:
        return _taken(pool, now(), f"/games/{table}/{game}/{revision}")

    @app.get("/healthz")
    def health() -> flask.Response:
        with pool.connection() as connection:
            connection.execute("SELECT 1 FROM seasons LIMIT 1")
        return _answer(200, Reply("ok"))

    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(psycopg.OperationalError, _away)
    app.register_error_handler(PoolTimeout, _away)
    app.after_request(_with_headers)
    return app


def serve(pool: Pool, host: str, port: int, ready: Callable[[int], None]) -> None:
    """Serve the league's site and rate games in a second thread, until Ctrl-C or SIGTERM; then close the pool.

    Args:
        pool: Connections to the database.
        host: Address to serve on.
        port: Port to serve on; 0 for any free one.
        ready: Called with the port once the server listens.
    """
    app: Any = application(pool)
    asgi: Any = WSGIMiddleware(app, workers=THREADS)
    config = uvicorn.Config(asgi, host, port, lifespan="off", ws="none", log_level="warning", access_log=False,
                            server_header=False, proxy_headers=False, timeout_graceful_shutdown=5)  # fmt: skip
    server = _Announcing(config, ready)
    ended = threading.Event()
    rating = threading.Thread(target=_rate_until, args=(pool, ended), name="ratings", daemon=True)
    rating.start()
    try:
        server.run()
    finally:
        ended.set()
        asgi.executor.shutdown(wait=False)
        pool.close()


class _Announcing(uvicorn.Server):
    """A server that says its port once it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[int], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        """Listen, then call `ready`."""
        await super().startup(sockets)
        if self.started:
            self._ready(self.servers[0].sockets[0].getsockname()[1])


def _rate_until(pool: Pool, ended: threading.Event) -> None:
    """Rate waiting games every `RATE_EVERY_S` seconds until `ended` is set; if the database fails, log it and go on."""
    while not ended.wait(RATE_EVERY_S):
        try:
            with pool.connection() as connection:
                while rate(connection):
                    pass
        except (psycopg.Error, PoolTimeout) as ill:
            log.warning("games can't be rated now: %s", ill)


def _taken(pool: Pool, now_s: float, path: str) -> flask.Response:
    """Return the response to one message in the current request: check its signature, replay its game, store it.

    Status 200 with the revision that counts, or 400, 401, 409 or 422. A registered table's refused message is kept
    aside.
    """
    body, signature = flask.request.get_data(cache=False), flask.request.headers.get(SIGNATURE, "")
    try:
        message = msgspec.json.decode(body, type=Message)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
        return _answer(400, Reply(f"This is no message of a table ({wrong})."))
    if message.path != path:
        return _answer(400, Reply("The address names another game than the message."))
    if not is_signed(body, signature, message.table):
        return _answer(401, Reply("The signature is not that of the table's key."))
    with pool.connection() as connection:
        try:
            table = table_of(connection, message.table)
        except NotAccepted as no:
            return _answer(no.status, no.answer)
        connection.commit()
        status, answer = _judged(connection, table, message, body, signature, now_s)
        if status != 200:
            keep_aside(connection, table, path, answer.message, body)
        return _answer(status, answer)


def _judged(
    connection: Connection, table: int, message: Message, body: bytes, signature: str, now_s: float
) -> tuple[int, Reply]:
    """Replay and store a registered table's message, and return (status, reply): 200, 409, or 422 by the rules."""
    try:
        return 200, accept(connection, table, message, judged(message), body, signature, now_s)
    except NotAccepted as no:
        return no.status, no.answer
    except RulesError as wrong:
        return 422, Reply(str(wrong))


def _answer(status: int, answer: Reply) -> flask.Response:
    """Return a reply to a table as a JSON response."""
    return flask.Response(msgspec.json.encode(answer), status, mimetype="application/json")


def _http_error(error: HTTPException) -> flask.Response | HTTPException:
    """Return the response to an HTTP error: a page for a GET outside /api/, else a reply in JSON with one sentence."""
    if error.code == 413:
        return _answer(413, Reply(f"A message has at most {MAX_BODY_BYTES} bytes."))
    if flask.request.method == "GET" and not flask.request.path.startswith("/api/"):
        return flask.Response(flask.render_template("missing.html", words=error.description), error.code)
    return _answer(error.code or 500, Reply(error.description or "refused"))


def _away(error: Exception) -> flask.Response:
    """Return 503 with Retry-After while the database can't be reached; the table keeps the game and sends it again."""
    log.warning("the database is away: %s", error)
    response = _answer(503, Reply("The database is away. The game is kept at the table; it is sent again."))
    response.headers["Retry-After"] = "2"
    return response


def _with_headers(response: flask.Response) -> flask.Response:
    """Add the security headers to a response, unless it sets them itself, and return it."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response
