"""The API of pairing: a phone gets control by PIN, sees who has it, and can give it up or take it away."""

from __future__ import annotations

import math
from typing import Annotated

import flask
import msgspec

from web.asking import body, must_be_paired, phone
from web.guard import COOKIE
from web.names import cleaned
from web.pairing import NAME_LENGTH, Refused
from web.parts import Parts
from web.refusals import answer, refusal

COOKIE_DAYS = 90


PhoneName = Annotated[str, msgspec.Meta(max_length=NAME_LENGTH)]


class PairBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/pair`: the PIN, a name to know it by."""

    pin: Annotated[str, msgspec.Meta(max_length=12)] = ""
    name: PhoneName = ""


class AskBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/pair/ask`: a name to know the phone by."""

    name: PhoneName = ""


class PhoneBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/phones/remove`: the number of the phone that loses control."""

    id: int


def pairing(parts: Parts) -> flask.Blueprint:
    """The routes of pairing."""
    routes = flask.Blueprint("pair", __name__)

    @routes.post("/api/pair")
    def pair() -> flask.Response:
        sent = body(PairBody)
        address, token = flask.request.remote_addr or "", flask.request.cookies.get(COOKIE)
        fresh = parts.pairing.pair(sent.pin.strip(), cleaned(sent.name), address, token)
        if isinstance(fresh, Refused):
            return _no(fresh)
        paired = parts.pairing.phone(fresh)
        return _with_token({"paired": True, "id": paired.id if paired else None}, fresh)

    @routes.post("/api/pair/ask")
    def ask() -> flask.Response:
        asked = parts.pairing.ask(cleaned(body(AskBody).name), flask.request.remote_addr or "")
        if isinstance(asked, Refused):
            return _no(asked)
        token, code = asked
        return _with_token({"code": code}, token)

    @routes.get("/api/pair")
    def shown() -> flask.Response:
        return answer({"code": parts.pairing.shown()})

    @routes.get("/api/phones")
    def phones() -> flask.Response:
        asking = phone(parts.pairing)
        known = parts.pairing.phones() if asking else ()
        listed = [{"id": each.id, "name": each.name, "you": each == asking} for each in known]
        code = parts.pairing.code_of(flask.request.cookies.get(COOKIE))
        return answer({"paired": asking is not None, "code": code, "phones": listed})

    @routes.post("/api/phones/remove")
    def remove() -> flask.Response:
        asking = must_be_paired(parts.pairing)
        number = body(PhoneBody).id
        if not parts.pairing.take_away(number):
            return refusal(404, "no_such_phone", "No phone of that number is paired. Look at the list again.")
        response = answer({"removed": number})
        if number == asking.id:
            response.delete_cookie(COOKIE, httponly=True, samesite="Strict")
        return response

    return routes


def _with_token(told: object, token: str) -> flask.Response:
    response = answer(told)
    response.set_cookie(
        COOKIE,
        token,
        max_age=COOKIE_DAYS * 86_400,
        httponly=True,
        samesite="Strict",
        secure=flask.request.is_secure,
    )
    return response


def _no(refused: Refused) -> flask.Response:
    if refused.wait_s <= 0:
        return refusal(401, "wrong_pin", refused.words)
    response = refusal(429, "too_many_pins", refused.words)
    response.headers["Retry-After"] = str(math.ceil(refused.wait_s))
    return response
