"""What the API's routes share: the body of a request as checked JSON, and which phone is asking."""

from __future__ import annotations

from typing import TypeVar

import flask
import msgspec

from companion.errors import CompanionError, RulesError, StaleAction
from companion.table.commands import Command
from companion.table.read_only import AnyTable
from web.guard import COOKIE
from web.pairing.phones import Pairing
from web.pairing.tokens import Paired
from web.responses import answer, refusal, refuse
from web.serving.limits import is_loopback

Body = TypeVar("Body")


def body(kind: type[Body]) -> Body:
    """The request's JSON as that struct. Ends the request with 400 when it is no JSON or of another shape."""
    try:
        return msgspec.json.decode(flask.request.get_data(cache=False), type=kind)
    except msgspec.ValidationError as wrong:
        refuse(400, "malformed", f"{wrong}. /api/openapi.json tells what belongs there.")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        refuse(400, "malformed", "The body is not JSON. Send one JSON object.")


def phone(pairing: Pairing) -> Paired | None:
    """The paired phone that asks, or None."""
    return pairing.phone(flask.request.cookies.get(COOKIE))


def from_this_machine() -> bool:
    """Whether the request comes from the machine that the table runs on."""
    return is_loopback(flask.request.remote_addr or "")


def do(table: AnyTable, command: Command) -> flask.Response:
    """Submit a command; the new snapshot, or why the rules refuse it (409 stale, 422 refused), or what is ill (503)."""
    try:
        return answer(table.submit(command))
    except StaleAction as stale:
        return refusal(409, stale.code, f"{stale} Look at the newest state and try again.")
    except RulesError as wrong:
        return refusal(422, wrong.code, str(wrong))
    except CompanionError as ill:
        return refusal(503, "ill", str(ill))
