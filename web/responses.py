"""How the site says no: JSON with a code and words that name the next step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, NoReturn

import flask
import msgspec
from werkzeug.exceptions import HTTPException

WORDS = {
    400: ("malformed", "The request can't be understood. Send JSON as /api/openapi.json tells."),
    401: ("not_paired", "Anyone can watch. To do more, pair this phone on /control."),
    403: ("forbidden", "This request came from somewhere else. Open the page by the table's own address."),
    404: ("not_found", "There is nothing here. The scoreboard is at /."),
    405: ("wrong_method", "This address does not take that method. /api/openapi.json lists them."),
    408: ("too_slow", "The request did not come whole in time. Send it again."),
    413: ("too_large", "That is more than the table takes at once (64 kB). Send less."),
    415: ("not_json", "Send the body as application/json."),
    500: ("broken", "Something broke on the table's side; it is in the log. The table plays on: try again."),
}


def answer(value: object) -> flask.Response:
    """A JSON response of anything that msgspec can write."""
    return json_bytes(msgspec.json.encode(value))


def json_bytes(body: bytes, status: int = 200) -> flask.Response:
    """A response of JSON that is written already."""
    return flask.Response(body, status=status, mimetype="application/json")


def attachment(body: bytes | Iterable[bytes], kind: str, name: str) -> flask.Response:
    """A file to keep, of that media type and name."""
    response = flask.Response(body, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def refusal(status: int, code: str | None = None, message: str | None = None) -> flask.Response:
    """An error as JSON: `{"error": code, "message": words}`; the usual words of the status when none are given."""
    return json_bytes(problem(status, code, message), status)


def problem(status: int, code: str | None = None, message: str | None = None) -> bytes:
    """The JSON of a refusal."""
    usual_code, usual_words = WORDS.get(status, ("refused", "The request was refused."))
    return msgspec.json.encode({"error": code or usual_code, "message": message or usual_words})


async def asgi_refusal(
    send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
    status: int,
    code: str | None = None,
    message: str | None = None,
    retry_after_s: int | None = None,
) -> None:
    """Refuse before Flask is asked, and close the connection."""
    body = problem(status, code, message)
    headers = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "cache-control": "no-store",
        "connection": "close",
    }
    if retry_after_s is not None:
        headers["retry-after"] = str(retry_after_s)
    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})


def refuse(status: int, code: str | None = None, message: str | None = None) -> NoReturn:
    """End the request with `refusal`."""
    flask.abort(refusal(status, code, message))


def http_error(error: HTTPException) -> flask.Response | HTTPException:
    """Turn what Flask and Werkzeug raise into JSON under /api, and a page elsewhere."""
    if error.response is not None:
        return error
    status = error.code or 500
    if flask.request.path.startswith("/api/"):
        response = refusal(status)
    else:
        words = WORDS.get(status, ("refused", "The request was refused."))[1]
        response = flask.Response(flask.render_template("problem.html", status=status, words=words), status)
    for name, value in error.get_headers(flask.request.environ):
        if name in {"Allow", "Retry-After"}:
            response.headers[name] = value
    return response
