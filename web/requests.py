"""Functions that the API's routes share: decoding a request's body, the visitor's roles, and starting a game."""

from __future__ import annotations

from typing import TypeVar

import flask
import msgspec

from companion.table.commands import Command
from companion.table.read_only import AnyTable
from companion.table.snapshot import Snapshot
from web.guard import COOKIE
from web.pairing.phones import Pairing
from web.pairing.roles import Role, Roles
from web.pairing.tokens import Paired
from web.responses import refusal
from web.serving.limits import is_loopback

Body = TypeVar("Body")

PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via")
"""Headers that proxies add: a request with one does not count as this machine's. Through a proxy on this machine any
visitor has its address."""


OF_A_COMMAND = (409, 422, 503)
"""HTTP statuses of a refused command. 409: it was based on an older snapshot. 422: it is against the rules. 503: the
table can't write its journal or is not running."""


def body(kind: type[Body]) -> Body:
    """Return the current request's body, decoded from JSON to a value of the type `kind`.

    Ends the request with 400 if the body is not JSON or does not fit the type.
    """
    try:
        return msgspec.json.decode(flask.request.get_data(cache=False), type=kind)
    except msgspec.ValidationError as wrong:
        flask.abort(refusal(400, "malformed", f"{wrong}. /api/openapi.json tells what belongs there."))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        flask.abort(refusal(400, "malformed", "The body is not JSON. Send one JSON object."))


def phone(pairing: Pairing) -> Paired | None:
    """Return the paired phone that sent the current request; None for a guest."""
    return pairing.phone(flask.request.cookies.get(COOKIE))


def visitor(pairing: Pairing) -> Roles:
    """Return the roles of the current request's visitor: its token's, or `GUEST`; and `HERE` on the table's machine."""
    paired = phone(pairing)
    return frozenset({paired.role if paired else Role.GUEST} | ({Role.HERE} if from_this_machine() else set()))


def from_this_machine() -> bool:
    """Return whether the current request comes from the table's own machine, and not through a proxy on it."""
    forwarded = any(header in flask.request.headers for header in PROXY_HEADERS)
    return not forwarded and is_loopback(flask.request.remote_addr or "")


def refuse_unless_own_game(table: AnyTable, pairing: Pairing) -> None:
    """End the current request with 403 unless the visitor may end the game on the table.

    The owner and the phone that started the game may. Only the owner may if it was begun otherwise, as by a button, or
    before a restart of the program. Nobody is refused if the game has no throw yet, is over or was abandoned. The
    caller has checked that the visitor may play.
    """
    snapshot, asking = table.snapshot(), phone(pairing)
    is_on = bool(snapshot.throws) and snapshot.state is not None and not snapshot.state["over"]
    starter = pairing.starters.get(table.state().game_number)
    is_own = asking is not None and (asking.role is Role.OWNER or asking.id == starter)
    if is_on and not snapshot.abandoned and not is_own:
        why = "Another phone started this game, or the table has restarted since. Only the host can end it."
        flask.abort(refusal(403, "others_game", f"{why} No host yet? Scan the code that `pegpip join` shows."))


def start_game(table: AnyTable, pairing: Pairing, command: Command) -> Snapshot:
    """Submit a command that starts a game, and return the new snapshot.

    If the current request came from a paired phone, `pairing.starters` gets the phone's id under the game's number,
    which is the new snapshot's `number`. Raises CompanionError if the command is refused; then `starters` stays
    unchanged.
    """
    started = table.submit(command)
    asking = phone(pairing)
    if asking is not None:
        pairing.starters[started.number] = asking.id
    return started
