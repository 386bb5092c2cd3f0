"""`/api/pair` and `/api/phones`: getting a token by PIN, code, button or the owner; managing the phones."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import flask
import msgspec

from web.guard import COOKIE, set_token_cookie
from web.names import cleaned
from web.pairing.phones import NAME_LENGTH, Pairing
from web.pairing.refused import Refused
from web.pairing.roles import ANYONE, OWNERS, PAIRED, TERMINAL, Role
from web.requests import phone
from web.responses import answer, refusal
from web.routes import Json, NothingBody, Routes

CODE_SCHEMA: Json = {
    "type": "object",
    "required": ["code", "hosted"],
    "properties": {
        "code": {"type": ["array", "null"], "items": {"type": "integer", "minimum": 1, "maximum": 6}},
        "hosted": {"type": "boolean"},
    },
}
"""JSON schema of the answer of `GET /api/pair`: `code`, the join code (three dice) on show, or null; `hosted`, whether
there is an owner."""
PhoneName = Annotated[str, msgspec.Meta(max_length=NAME_LENGTH)]


class PairBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/pair`: pairs the phone by the owner's code or by the PIN; the answer sets its token as a cookie.

    Attributes:
        pin: The PIN as typed; ignored if `first` is given.
        first: The owner's code; "" to pair by the PIN.
        name: The name that the phone gives itself.
        screen: Whether it pairs as a screen, which only watches.
    """

    pin: Annotated[str, msgspec.Meta(max_length=12)] = ""
    first: Annotated[str, msgspec.Meta(max_length=64)] = ""
    name: PhoneName = ""
    screen: bool = False


class AskBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/pair/ask`: a request to join: the name that the phone gives itself, and whether it is a screen."""

    name: PhoneName = ""
    screen: bool = False


class PhoneBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/phones/remove`: number of a paired phone. `POST /api/phones/let_in`: number of a request to join."""

    id: int


class RoleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/phones/role`: the number of a paired phone, and its new role."""

    id: int
    role: Literal["player", "owner", "screen"]


def routes(pairing: Pairing) -> Routes:
    """Make the group of routes by which phones pair, a terminal shows codes, and the owner manages phones.

    Anyone may pair by the PIN or the owner's code, or ask to join; a refusal is answered 401 or 429. Anyone may read
    which join code is shown, and whether there is an owner. Only the owner, and programs on the table's own machine,
    may read the PIN and the owner's code.
    """
    made = Routes("pair", PairBody, AskBody, PhoneBody, RoleBody)

    @made.get("/api/pair", "Whether there is a host, and whose code the button lets in", CODE_SCHEMA, roles=ANYONE)
    def shown() -> flask.Response:
        told = answer({"code": pairing.shown(), "hosted": pairing.hosted()})
        if phone(pairing) is not None:  # a screen is left open for months, and asks here: its cookie must last
            set_token_cookie(told, flask.request.cookies[COOKIE])
        return told

    @made.post("/api/pair", "Pair by the table's PIN", PairBody, roles=ANYONE, refused=(401, 429))
    def pair(sent: PairBody) -> flask.Response:
        name, address, token = cleaned(sent.name), flask.request.remote_addr or "", flask.request.cookies.get(COOKIE)
        if sent.first:
            fresh = pairing.pair_owner(sent.first, name, address, token)
        else:
            fresh = pairing.pair(sent.pin.strip(), name, address, token, screen=sent.screen)
        if isinstance(fresh, Refused):
            return pairing_refusal(fresh)
        paired = pairing.phone(fresh)
        told = {"paired": True, "id": paired.id if paired else None, "role": paired.role if paired else None}
        return set_token_cookie(answer(told), fresh)

    @made.post("/api/pair/ask", "Ask to be let in by the button or the host", AskBody, roles=ANYONE, refused=(401, 429))
    def ask(sent: AskBody) -> flask.Response:
        token = flask.request.cookies.get(COOKIE)
        asked = pairing.ask(cleaned(sent.name), flask.request.remote_addr or "", token, screen=sent.screen)
        if isinstance(asked, Refused):
            return pairing_refusal(asked)
        fresh, code = asked
        return set_token_cookie(answer({"code": code}), fresh)

    made.get("/api/pair/codes", "The PIN, and the code that makes a phone the host", roles=TERMINAL)(
        lambda: {"pin": pairing.pin, "first": pairing.owner_code()}
    )
    _add_phone_routes(made, pairing)
    _add_owner_routes(made, pairing)
    return made


def _add_phone_routes(made: Routes, pairing: Pairing) -> None:
    """Add two routes to the group `made`: GET /api/phones and POST /api/phones/leave.

    The first tells a phone whether it is paired, its role and its join code. A paired phone also gets all paired
    phones. The owner also gets the PIN, for how many seconds it is blocked, and the requests to join. The second route
    unpairs the phone that calls it, and deletes the phone's token cookie.
    """

    @made.get("/api/phones", "What this phone is; for paired phones the others, for the host who asks", roles=ANYONE)
    def phones() -> Json:
        asking = phone(pairing)
        role = asking.role if asking else Role.GUEST
        told: Json = {
            "paired": asking is not None,
            "role": role,
            "code": pairing.code_of(flask.request.cookies.get(COOKIE)),
            "phones": [
                {"id": each.id, "name": each.name, "role": each.role, "you": each == asking}
                for each in (pairing.phones() if asking else ())
            ],
        }
        if role is Role.OWNER:
            told["pin"], told["pin_rests_s"] = pairing.pin, math.ceil(pairing.pin_blocked_s())
            told["asking"] = [
                {"id": each.id, "name": each.name, "code": each.code, "screen": each.screen}
                for each in pairing.join_requests()
            ]
        return told

    @made.post("/api/phones/leave", "Give up what this phone may do", NothingBody, roles=PAIRED)
    def leave(_: NothingBody) -> flask.Response:
        asking = phone(pairing)
        if asking is not None:
            pairing.unpair(asking.id)
        return _without_token(answer({"removed": asking.id if asking else None}))


def _add_owner_routes(made: Routes, pairing: Pairing) -> None:
    """Add the owner's routes to the group `made`: unpair a phone, set its role, accept a request, renew the PIN.

    An unknown phone or request is answered 404. An owner's phone that unpairs itself loses its token cookie.
    """

    @made.post("/api/phones/remove", "Take a phone's role away", PhoneBody, roles=OWNERS, refused=(404,))
    def remove(sent: PhoneBody) -> flask.Response:
        asking = phone(pairing)
        if not pairing.unpair(sent.id):
            return _no_such_phone()
        response = answer({"removed": sent.id})
        return _without_token(response) if asking is not None and sent.id == asking.id else response

    @made.post("/api/phones/role", "Make a phone host, player or screen", RoleBody, roles=OWNERS, refused=(404,))
    def role(sent: RoleBody) -> RoleBody | flask.Response:
        return sent if pairing.give_role(sent.id, Role(sent.role)) else _no_such_phone()

    @made.post("/api/phones/let_in", "Let in a phone that asks", PhoneBody, roles=OWNERS, refused=(404,))
    def let_in(sent: PhoneBody) -> Json | flask.Response:
        return {"let_in": sent.id} if pairing.let_in_request(sent.id) else _no_such_phone()

    @made.post("/api/phones/pin", "Make a new PIN", NothingBody, roles=OWNERS)
    def renew_pin(_: NothingBody) -> Json:
        pairing.renew_pin()
        return {"pin": pairing.pin}


def _without_token(response: flask.Response) -> flask.Response:
    response.delete_cookie(COOKIE, httponly=True, samesite="Strict")
    return response


def _no_such_phone() -> flask.Response:
    return refusal(404, "no_such_phone", "There is no phone with that number. Look at the list again.")


def pairing_refusal(refused: Refused) -> flask.Response:
    """Return the response to a refused PIN, code or request to join: 401, or 429 with Retry-After.

    429 means that the phone must wait before it tries again.
    """
    if refused.wait_s <= 0:
        return refusal(401, refused.code, refused.words)
    response = refusal(429, refused.code, refused.words)
    response.headers["Retry-After"] = str(math.ceil(refused.wait_s))
    return response
