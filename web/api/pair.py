"""The API of pairing: a phone gets control by PIN, sees who has it, and can give it up or take it away."""

from __future__ import annotations

import math
from typing import Annotated

import flask
import msgspec

from web.guard import COOKIE
from web.names import cleaned
from web.pairing.phones import NAME_LENGTH, Pairing, Refused
from web.requests import phone
from web.responses import answer, refusal
from web.routes import Json, Routes

COOKIE_DAYS = 90
CODE: Json = {
    "type": "object",
    "required": ["code", "hosted"],
    "properties": {
        "code": {"type": ["array", "null"], "items": {"type": "integer", "minimum": 1, "maximum": 6}},
        "hosted": {"type": "boolean"},
    },
}


PhoneName = Annotated[str, msgspec.Meta(max_length=NAME_LENGTH)]


class PairBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/pair`: the PIN, or the code on the screen of a table without a host, and a name to know it by."""

    pin: Annotated[str, msgspec.Meta(max_length=12)] = ""
    first: Annotated[str, msgspec.Meta(max_length=64)] = ""
    name: PhoneName = ""


class AskBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/pair/ask`: a name to know the phone by."""

    name: PhoneName = ""


class PhoneBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/phones/remove`: the number of the phone that loses control."""

    id: int


def routes(pairing: Pairing) -> Routes:
    """The routes of pairing."""
    made = Routes("pair", PairBody, AskBody, PhoneBody, pairing=pairing)

    @made.get("/api/pair", "The code of the phone that the table's button would let in", CODE)
    def shown() -> flask.Response:
        return answer({"code": pairing.shown(), "hosted": pairing.first() is None})

    @made.post("/api/pair", "Get control by the table's PIN", PairBody, refused=(401, 429))
    def pair(sent: PairBody) -> flask.Response:
        fresh = _let_in(pairing, sent)
        if isinstance(fresh, Refused):
            return pin_refusal(fresh)
        paired = pairing.phone(fresh)
        return _with_token({"paired": True, "id": paired.id if paired else None}, fresh)

    @made.post("/api/pair/ask", "Ask to be let in by the table's button", AskBody, refused=(429,))
    def ask(sent: AskBody) -> flask.Response:
        asked = pairing.ask(cleaned(sent.name), flask.request.remote_addr or "")
        if isinstance(asked, Refused):
            return pin_refusal(asked)
        token, code = asked
        return _with_token({"code": code}, token)

    @made.get("/api/phones", "Which phones have control")
    def phones() -> flask.Response:
        asking = phone(pairing)
        known = pairing.phones() if asking else ()
        listed = [{"id": each.id, "name": each.name, "you": each == asking} for each in known]
        code = pairing.code_of(flask.request.cookies.get(COOKIE))
        return answer({"paired": asking is not None, "code": code, "phones": listed})

    @made.post("/api/phones/remove", "Take control away", PhoneBody, refused=(401, 404), paired=True)
    def remove(sent: PhoneBody) -> flask.Response:
        asking = phone(pairing)
        if not pairing.take_away(sent.id):
            return refusal(404, "no_such_phone", "No phone of that number is paired. Look at the list again.")
        response = answer({"removed": sent.id})
        if asking is not None and sent.id == asking.id:
            response.delete_cookie(COOKIE, httponly=True, samesite="Strict")
        return response

    return made


def _let_in(pairing: Pairing, sent: PairBody) -> str | Refused:
    name, address = cleaned(sent.name), flask.request.remote_addr or ""
    if sent.first:
        return pairing.let_first(sent.first, name, address)
    return pairing.pair(sent.pin.strip(), name, address, flask.request.cookies.get(COOKIE))


def _with_token(content: object, token: str) -> flask.Response:
    response = answer(content)
    response.set_cookie(
        COOKIE,
        token,
        max_age=COOKIE_DAYS * 86_400,
        httponly=True,
        samesite="Strict",
        secure=flask.request.is_secure,
    )
    return response


def pin_refusal(refused: Refused) -> flask.Response:
    """Return the answer to a phone whose PIN or code was refused: 401, or 429 with the seconds to wait."""
    if refused.wait_s <= 0:
        return refusal(401, refused.code, refused.words)
    response = refusal(429, "too_many_pins", refused.words)
    response.headers["Retry-After"] = str(math.ceil(refused.wait_s))
    return response
