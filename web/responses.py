"""Answers and refusals. A refusal is JSON with an error code and a message that names the next step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

import flask
import msgspec
from werkzeug.exceptions import HTTPException

WORDS = {
    400: ("malformed", "The request can't be understood. Send JSON as /api/openapi.json describes."),
    401: ("not_paired", "Anyone can watch. To do more, pair this phone on /control."),
    403: ("forbidden", "This request came from somewhere else. Open the page by the table's own address."),
    404: ("not_found", "There is nothing here. The scoreboard is at /."),
    405: ("wrong_method", "This address does not take that method. /api/openapi.json lists them."),
    408: ("too_slow", "The request took too long to arrive. Send it again."),
    413: ("too_large", "That is more than the table takes at once (64 kB). Send less."),
    415: ("not_json", "Send the body as application/json."),
    500: ("broken", "Something failed on the table's side; the log has details. The table plays on: try again."),
}
"""Default error code and message of a refusal, by HTTP status."""
REFUSED = ("refused", "The request was refused.")
"""Default error code and message of a refusal with another status."""
JPEG = "image/jpeg"
"""Media type (Content-Type) of a photo."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; media-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""Content-Security-Policy of every answer: a page loads and runs only files of this server. Pictures may also be
`data:` or `blob:` URLs. No page may be framed."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
}
"""Security headers of every answer, unless a view sets the header itself."""


def answer(value: object) -> flask.Response:
    """Return a response with status 200 and a value as JSON; the value may be of any type that msgspec encodes."""
    return json_bytes(msgspec.json.encode(value))


def json_bytes(body: bytes, status: int = 200) -> flask.Response:
    """Return a response whose `body` is JSON that is already encoded."""
    return flask.Response(body, status=status, mimetype="application/json")


def attachment(body: bytes | Iterable[bytes], kind: str, name: str) -> flask.Response:
    """Return a response that a browser saves as a file.

    Args:
        body: Content of the file, whole or in chunks.
        kind: Media type (Content-Type), such as `text/csv`.
        name: Name that the browser suggests for the file; it is not escaped, so it must have no quotes.
    """
    response = flask.Response(body, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def refusal(status: int, code: str | None = None, message: str | None = None) -> flask.Response:
    """Return an error response, `{"error": code, "message": words}`.

    Args:
        status: HTTP status.
        code: Short identifier; by default that of `status` in `WORDS`, or `refused` if `WORDS` lacks the status.
        message: Sentence for a person; by default that of `status` in `WORDS`, or a general one.
    """
    usual_code, usual_words = WORDS.get(status, REFUSED)
    return json_bytes(msgspec.json.encode({"error": code or usual_code, "message": message or usual_words}), status)


async def asgi_refusal(
    send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
    status: int,
    code: str | None = None,
    message: str | None = None,
    retry_after_s: int | None = None,
) -> None:
    """Send a refusal by the ASGI protocol, as JSON from `refusal`, with `HEADERS` and `Connection: close`.

    Args:
        send: ASGI's function that sends a message to the client.
        status: HTTP status.
        code: Short identifier; None for the status's own in `WORDS`.
        message: Sentence for a person; None for the status's own.
        retry_after_s: Value of the Retry-After header, in seconds; None for no header.
    """
    response = refusal(status, code, message)
    response.headers.update({**HEADERS, "Connection": "close"})
    if retry_after_s is not None:
        response.headers["Retry-After"] = str(retry_after_s)
    encoded = [(name.lower().encode(), value.encode()) for name, value in response.headers]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": response.get_data()})


def http_error(error: HTTPException) -> flask.Response | HTTPException:
    """Return the answer to an HTTP error that Flask or a view raised: JSON under /api/, an HTML page elsewhere.

    An error that has a response of its own (`flask.abort(response)`) is returned unchanged. The headers Allow and
    Retry-After of the error are kept.
    """
    if error.response is not None:
        return error
    status = error.code or 500
    if flask.request.path.startswith("/api/"):
        response = refusal(status)
    else:
        words = WORDS.get(status, REFUSED)[1]
        response = flask.Response(flask.render_template("problem.html", status=status, words=words), status)
    for name, value in error.get_headers(flask.request.environ):
        if name in {"Allow", "Retry-After"}:
            response.headers[name] = value
    return response
