"""What the API's routes share: the body of a request as checked JSON, and who is asking."""

from __future__ import annotations

from typing import TypeVar

import flask
import msgspec

from companion.errors import CompanionError, RulesError, StaleAction
from companion.table.commands import Command
from companion.table.read_only import AnyTable
from web.guard import COOKIE
from web.pairing.phones import Pairing
from web.pairing.roles import Role, Roles
from web.pairing.tokens import Paired
from web.responses import answer, refusal, refuse
from web.serving.limits import is_loopback

Body = TypeVar("Body")

FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via")
"""Headers of proxies: behind one, every visitor has the proxy's address, perhaps this machine's."""


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


def visitor(pairing: Pairing) -> Roles:
    """The roles of the visitor who asks: that of its token, and `HERE` on the table's own machine."""
    paired = phone(pairing)
    return frozenset({paired.role if paired else Role.GUEST} | ({Role.HERE} if from_this_machine() else set()))


def from_this_machine() -> bool:
    """Whether the connection comes from the machine that the table runs on, and not through a proxy on it."""
    forwarded = any(header in flask.request.headers for header in FORWARDED)
    return not forwarded and is_loopback(flask.request.remote_addr or "")


def refuse_others_game(table: AnyTable, pairing: Pairing) -> None:
    """End the request with 403 where it would end a game that another phone started; the owner may.

    A game without a throw is nobody's loss.
    """
    snapshot, asking = table.snapshot(), phone(pairing)
    is_on = bool(snapshot.throws) and snapshot.state is not None and not snapshot.state["over"]
    is_own = asking is not None and (asking.role is Role.OWNER or asking.id == pairing.started_by)
    if is_on and not snapshot.abandoned and not is_own:
        refuse(403, "others_game", "Someone else started this game. Only the host can end it.")


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
