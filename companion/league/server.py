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
"""Requests that one instance answers at a time; others wait."""
RATE_EVERY_S = 0.5
"""Pause of the thread that rates games, in seconds: how late a rating may be."""


def application(pool: Pool, now: Callable[[], float] = time.time) -> flask.Flask:
    """Make the Flask application on a pool of connections; `now` returns seconds since 1970."""
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
    """Serve until Ctrl-C or SIGTERM; `ready` is called with the port once it is served. Rates games beside it."""
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
    """Rate games that wait, until the server ends. A database that is away is asked again."""
    while not ended.wait(RATE_EVERY_S):
        try:
            with pool.connection() as connection:
                while rate(connection):
                    pass
        except (psycopg.Error, PoolTimeout) as ill:
            log.warning("games can't be rated now: %s", ill)


def _taken(pool: Pool, now_s: float, path: str) -> flask.Response:
    """Take one message: check the signature, replay the game, store it; answer with the revision that counts."""
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
    """Replay a registered table's game and store it; return status and answer."""
    try:
        return 200, accept(connection, table, message, judged(message), body, signature, now_s)
    except NotAccepted as no:
        return no.status, no.answer
    except RulesError as wrong:
        return 422, Reply(str(wrong))


def _answer(status: int, answer: Reply) -> flask.Response:
    """Return an answer as JSON."""
    return flask.Response(msgspec.json.encode(answer), status, mimetype="application/json")


def _http_error(error: HTTPException) -> flask.Response | HTTPException:
    """Turn an HTTP error of Flask into JSON with one sentence."""
    if error.code == 413:
        return _answer(413, Reply(f"A message has at most {MAX_BODY_BYTES} bytes."))
    if flask.request.method == "GET" and not flask.request.path.startswith("/api/"):
        return flask.Response(flask.render_template("missing.html", words=error.description), error.code)
    return _answer(error.code or 500, Reply(error.description or "refused"))


def _away(error: Exception) -> flask.Response:
    """Answer 503 while the database is away: the table keeps the game and asks again."""
    log.warning("the database is away: %s", error)
    response = _answer(503, Reply("The database is away. The game is kept at the table; it is sent again."))
    response.headers["Retry-After"] = "2"
    return response


def _with_headers(response: flask.Response) -> flask.Response:
    """Add the security headers; pages may be kept if they say so."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response
