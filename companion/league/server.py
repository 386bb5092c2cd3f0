"""The league's server: takes signed games over HTTP, and serves the pages. Stateless; run as many as you like."""

from __future__ import annotations

import asyncio
import logging
import socket
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
from companion.league.database import Pool
from companion.league.message import MAX_BODY_BYTES, SIGNATURE, Message, Reply, is_signed
from companion.league.pages import pages
from companion.league.ratings import rate
from web.guard import add_headers
from web.responses import asgi_refusal, json_bytes
from web.serving.site import plain_headers, whole_body
from web.serving.stream import Message as AsgiMessage
from web.serving.stream import Receive, Send
from web.static_files import static_files

log = logging.getLogger(__name__)

THREADS = 16
"""Most requests that one instance answers at a time, each in a thread. Higher: more memory; lower: others wait."""
BODY_TIMEOUT_S = 30.0
"""Longest time for the body of a request, in seconds; then it is refused with 408. Higher: slow uploads hold more
memory. Lower: a table with a slow connection can't send a long game."""
RATE_EVERY_S = 0.5
"""Pause in seconds between two searches for games to rate. Higher: ratings are later; lower: more queries."""


def application(pool: Pool, now: Callable[[], float] = time.time) -> flask.Flask:
    """Return the Flask application of the league: it takes games from tables and shows the pages and `/healthz`.

    `pool` holds connections to the database; `now` returns the time in seconds since 1970.
    """
    app = flask.Flask(__name__, static_folder=None)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.register_blueprint(static_files())
    app.register_blueprint(pages(pool))

    @app.put("/games/<table>/<game>/<int:revision>")
    def put(**_: object) -> flask.Response:
        """Accept the signed game in the request's body, and return the league's reply as JSON with status 200."""
        return _answer(200, _accept_request(pool, now()))

    @app.get("/healthz")
    def health() -> flask.Response:
        """Return the reply "ok" as JSON if the database answers a query; raise its error otherwise (503)."""
        with pool.connection() as connection:
            connection.execute("SELECT 1 FROM seasons LIMIT 1")
        return _answer(200, Reply("ok"))

    app.register_error_handler(NotAccepted, lambda no: _answer(no.status, no.answer))
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(psycopg.OperationalError, _away)
    app.register_error_handler(PoolTimeout, _away)
    app.after_request(add_headers)
    return app


def serve(pool: Pool, listening: socket.socket) -> None:
    """Serve the league's site until Ctrl-C or SIGTERM ends the process; meanwhile a second thread rates games.

    At the end, open requests have up to 5 s to be answered. `pool`, of connections to the database, is closed after
    Ctrl-C or an error, but not after SIGTERM. Raises KeyboardInterrupt at Ctrl-C.
    """
    app: Any = application(pool)
    threads: Any = WSGIMiddleware(app, workers=THREADS)

    async def asgi(scope: AsgiMessage, receive: Receive, send: Send) -> None:
        """Answer a request in a thread once its body is complete, so that slow uploads hold no thread."""
        try:
            async with asyncio.timeout(BODY_TIMEOUT_S):
                body = await whole_body(receive, MAX_BODY_BYTES)
        except TimeoutError:
            await asgi_refusal(send, 408)
            return
        if body is None:
            return

        async def received() -> AsgiMessage:
            return {"type": "http.request", "body": body, "more_body": False}

        await threads({**scope, "headers": plain_headers(scope["headers"], len(body))}, received, send)

    config = uvicorn.Config(asgi, lifespan="off", ws="none", log_level="warning", access_log=False,
                            server_header=False, proxy_headers=False, timeout_graceful_shutdown=5)  # fmt: skip
    ended = threading.Event()
    threading.Thread(target=_rate_until, args=(pool, ended), name="ratings", daemon=True).start()
    # asyncio turns Nagle's algorithm off only for sockets that name their protocol; this one does not.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        ended.set()
        threads.executor.shutdown(wait=False)
        pool.close()


def _rate_until(pool: Pool, ended: threading.Event) -> None:
    """Rate the league's unrated games every RATE_EVERY_S until `ended` is set.

    A failure is logged, and the next round tries again. Database errors are logged in one line, others with a
    traceback.
    """
    while not ended.wait(RATE_EVERY_S):
        try:
            with pool.connection() as connection:
                while rate(connection):
                    pass
        except (psycopg.Error, PoolTimeout) as ill:
            log.warning("games can't be rated now: %s", ill)
        except Exception:
            log.exception("games can't be rated now")


def _accept_request(pool: Pool, now_s: float) -> Reply:
    """Check, replay and store the message in a table's request (`flask.request`) to the league; return the reply.

    Raises NotAccepted if the message is malformed, not signed by a registered table, or refused by the rules or the
    league. Messages refused by the rules or the league are stored with the reason (`keep_aside`); other refusals are
    not.
    """
    body, path = flask.request.get_data(cache=False), flask.request.path
    signature = flask.request.headers.get(SIGNATURE, "")
    try:
        message = msgspec.json.decode(body, type=Message)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
        raise NotAccepted(400, f"This is no message of a table ({wrong}).") from None
    if message.path != path:
        raise NotAccepted(400, "The address names another game than the message.")
    if not is_signed(body, signature, message.table):
        raise NotAccepted(401, "The signature is not that of the table's key.")
    with pool.connection() as connection:
        table = table_of(connection, message.table)
        connection.commit()
        try:
            return accept(connection, table, message, body, signature, now_s)
        except NotAccepted as no:
            refused = no
        except RulesError as wrong:
            refused = NotAccepted(422, str(wrong).replace("\0", "\\0"))  # PostgreSQL stores no NUL
        keep_aside(connection, table, path, str(refused), body)
        raise refused


def _answer(status: int, answer: Reply) -> flask.Response:
    """Return a reply to a table as a JSON response."""
    return json_bytes(msgspec.json.encode(answer), status)


def _http_error(error: HTTPException) -> flask.Response:
    """Return the response to an HTTP error: HTML for a GET outside /api/ and /healthz, else one sentence in JSON.

    A body that is too large (413) always gets JSON.
    """
    if error.code == 413:
        return _answer(413, Reply(f"A message has at most {MAX_BODY_BYTES} bytes."))
    if _asks_for_page():
        return flask.Response(flask.render_template("missing.html", error=error), error.code)
    return _answer(error.code or 500, Reply(error.description or "refused"))


def _away(error: Exception) -> flask.Response:
    """Log that the database can't be reached; return 503 with Retry-After: HTML if a page was requested, else JSON.

    A table whose game is refused this way keeps the game and sends it again.
    """
    log.warning("the database is away: %s", error)
    if _asks_for_page():
        response = flask.Response(flask.render_template("away.html"), 503)
    else:
        response = _answer(503, Reply("The database is away. The game is kept at the table; it is sent again."))
    response.headers["Retry-After"] = "2"
    return response


def _asks_for_page() -> bool:
    """Return whether the request is for a page of the league, and not for data: /api/, /healthz or a game sent."""
    path = flask.request.path
    return flask.request.method == "GET" and not path.startswith("/api/") and path != "/healthz"
