"""`/api/openapi.json`: the API told for machines, its shapes taken from the same structs that check requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from companion.session.past.review import ReviewedThrow
from companion.session.snapshot import Snapshot
from web.api_calibrate import EmptyBody, LayBody, SheetBody
from web.api_pair import AskBody, PairBody, PhoneBody
from web.api_play import AnswerBody, CorrectionBody, LineBody, NumberBody, OfferBody
from web.api_review import DiceBody
from web.api_tray import LiftBody, MoveBody, NothingBody, ThrowBody
from web.api_voice import VoiceBody

Json = dict[str, Any]

PROBLEM: Json = {
    "type": "object",
    "required": ["error", "message"],
    "properties": {"error": {"type": "string"}, "message": {"type": "string"}},
}
HEADER: Json = {
    "type": "object",
    "required": ["transcript", "game", "players"],
    "properties": {
        "transcript": {"const": 1},
        "players": {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": 24},
            "minItems": 1,
            "uniqueItems": True,
        },
        "rules": {"type": "object", "additionalProperties": {"type": ["boolean", "integer"]}},
        "first": {"type": "string"},
        "roll_off": {"type": "boolean"},
    },
    "additionalProperties": False,
}
CODE: Json = {
    "type": "object",
    "required": ["code"],
    "properties": {"code": {"type": ["array", "null"], "items": {"type": "integer", "minimum": 1, "maximum": 6}}},
}
LED: Json = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}, "minItems": 3, "maxItems": 3}
BOARD: Json = {
    "type": "object",
    "required": ["leds", "milliamps"],
    "properties": {"leds": {"type": "array", "items": LED}, "milliamps": {"type": "integer", "minimum": 0}},
}
HEALTH: Json = {
    "type": "object",
    "required": ["status", "parts"],
    "properties": {
        "status": {"enum": ["ok", "degraded"]},
        "parts": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["ok", "says"],
                "properties": {"ok": {"type": "boolean"}, "says": {"type": "string"}},
            },
        },
    },
}
OWN_SCHEMAS = {"Problem": PROBLEM, "Board": BOARD, "Health": HEALTH, "ShownCode": CODE}
BODIES = (LineBody, CorrectionBody, AnswerBody, OfferBody, NumberBody, PairBody, AskBody, PhoneBody)
TRAY_BODIES = (ThrowBody, MoveBody, LiftBody, NothingBody)


def document(
    version: str,
    games: Sequence[str],
    *,
    with_tray: bool,
    with_evening: bool,
    with_voice: bool,
    with_review: bool,
    with_calibrate: bool,
) -> Json:
    """The OpenAPI 3.1 document of what this program serves."""
    structs: tuple[Any, ...] = (
        Snapshot,
        *BODIES,
        *(TRAY_BODIES if with_tray else ()),
        *((VoiceBody,) if with_voice else ()),
        *((DiceBody, ReviewedThrow) if with_review else ()),
        *((SheetBody, EmptyBody, LayBody) if with_calibrate else ()),
    )
    _, schemas = msgspec.json.schema_components(structs, ref_template="#/components/schemas/{name}")
    paths = {**_looking(), **_playing(), **_pairing()}
    if with_tray:
        paths |= _tray()
    if with_evening:
        paths |= _evening()
    if with_voice:
        paths["/api/voice"] = _voice()
    if with_review:
        paths |= _review()
    if with_calibrate:
        paths |= _calibrate()
    return {
        "openapi": "3.1.0",
        "info": {"title": "Peg & Pip", "version": version, "description": "A dice table: look on, and play."},
        "paths": paths,
        "components": {
            "schemas": {**schemas, **OWN_SCHEMAS, "Header": _header(games)},
            "securitySchemes": {"phone": {"type": "apiKey", "in": "cookie", "name": "pegpip"}},
        },
    }


def _header(games: Sequence[str]) -> Json:
    return {**HEADER, "properties": {"game": {"enum": list(games)}, **HEADER["properties"]}}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _content(schema: Json, kind: str = "application/json") -> Json:
    return {kind: {"schema": schema}}


def _answers(good: Json | None, refused: tuple[int, ...], kind: str = "application/json") -> Json:
    told: Json = {"200": {"description": "done", "content": _content(good or {}, kind)}}
    for status in refused:
        told[str(status)] = {"description": "refused, with the next step", "content": _content(_ref("Problem"))}
    return told


def _get(summary: str, schema: Json | None = None, refused: tuple[int, ...] = (), **more: Any) -> Json:
    kind = more.pop("kind", "application/json")
    return {"get": {"summary": summary, "responses": _answers(schema, (403, *refused), kind), **more}}


def _post(summary: str, body: str, refused: tuple[int, ...], schema: Json | None = None, **more: Any) -> Json:
    return {
        "post": {
            "summary": summary,
            "requestBody": {"required": True, "content": _content(_ref(body))},
            "responses": _answers(schema, (400, 403, 413, 415, *refused)),
            **more,
        }
    }


def _number(name: str, place: str = "path") -> Json:
    return {"name": name, "in": place, "required": place == "path", "schema": {"type": "integer", "minimum": 0}}


def _looking() -> Json:
    jpeg: Json = {"kind": "image/jpeg", "refused": (404,)}
    return {
        "/healthz": _get("What works and what is ill", _ref("Health")),
        "/api/state": _get("The newest snapshot", _ref("Snapshot")),
        "/api/board": _get("What the LED strip shows now", _ref("Board")),
        "/api/board/spots": _get("Where each LED is, in millimetres"),
        "/api/games": _get("The games, their house rules and presets"),
        "/api/throws/{throw}.jpg": _get("The photo of a throw", {}, **jpeg, parameters=[_number("throw")]),
        "/api/question.jpg": _get("The photo in question", {}, **jpeg, parameters=[_number("id", "query")]),
    }


def _playing() -> Json:
    refused, snapshot = (401, 409, 422), _ref("Snapshot")
    phone: Json = {"security": [{"phone": []}]}
    throw: Json = {"parameters": [_number("throw")], **phone}
    return {
        "/api/lines": _post("Play a transcript line", "LineBody", refused, snapshot, **phone),
        "/api/throws/{throw}": _post("Correct a throw", "CorrectionBody", (404, *refused), snapshot, **throw),
        "/api/answers": _post("Answer a question", "AnswerBody", refused, snapshot, **phone),
        "/api/corrections": _post("Confirm a correction that drops lines", "OfferBody", refused, snapshot, **phone),
        "/api/evening/end": _post("End the evening", "NumberBody", refused, snapshot, **phone),
        "/api/abandon": _post("Abandon the game", "NumberBody", refused, snapshot, **phone),
        "/api/next": _post("Start the next game", "NumberBody", refused, snapshot, **phone),
        "/api/games": {
            **_get("The games, their house rules and presets"),
            **_post("Start a game", "Header", refused, snapshot, **phone),
        },
    }


def _pairing() -> Json:
    return {
        "/api/pair": {
            **_get("The code of the phone that the table's button would let in", _ref("ShownCode")),
            **_post("Get control by the table's PIN", "PairBody", (401, 429)),
        },
        "/api/pair/ask": _post("Ask to be let in by the table's button", "AskBody", (429,)),
        "/api/phones": _get("Which phones have control"),
        "/api/phones/remove": _post("Take control away", "PhoneBody", (401, 404), security=[{"phone": []}]),
    }


def _tray() -> Json:
    return {
        "/api/tray": _get("Where the dice of the virtual tray lie"),
        "/api/tray.jpg": _get("What the virtual camera sees", {}, kind="image/jpeg"),
        "/api/tray/throw": _post("Throw dice", "ThrowBody", (401, 422)),
        "/api/tray/shake": _post("Shake the tray", "NothingBody", (401, 422)),
        "/api/tray/move": _post("Lay a die somewhere", "MoveBody", (401, 422)),
        "/api/tray/lift": _post("Lift dice out", "LiftBody", (401, 422)),
    }


def _evening() -> Json:
    game: Json = {"parameters": [_number("game")], "refused": (404,)}
    return {
        "/api/evening": _get("The games of this evening"),
        "/api/evening/players": _get("Everyone who has played here, in figures"),
        "/api/evening/{game}": _get("A game, move by move", **game),
        "/api/evening/{game}.jsonl": _get("A game's transcript", kind="application/x-ndjson", **game),
        "/api/evening.csv": _get("All throws of the evening", {}, kind="text/csv"),
    }


def _voice() -> Json:
    turn = _post("Let the table speak, or be quiet", "VoiceBody", (401, 422), security=[{"phone": []}])
    return {**_get("Whether the table speaks"), **turn}


def _review() -> Json:
    throws: Json = {"type": "array", "items": _ref("ReviewedThrow")}
    listed: Json = {"type": "object", "required": ["throws"], "properties": {"throws": throws}}
    phone: Json = {"security": [{"phone": []}]}
    throw: Json = {"parameters": [_number("throw")], **phone}
    return {
        "/api/review": _get("Throws that the reader doubted or had wrong", listed, (401,), **phone),
        "/api/review/{throw}": _post("Say what each die shows", "DiceBody", (401, 404, 422), listed, **throw),
        "/api/review.zip": _get("Their photos as a labelled set", {}, (401,), kind="application/zip", **phone),
    }


def _calibrate() -> Json:
    phone: Json = {"security": [{"phone": []}]}
    paper: Json = {"parameters": [{"name": "paper", "in": "query", "schema": {"enum": ["a4", "letter"]}}], **phone}
    return {
        "/api/calibrate": _get("What the camera sees of the printed sheet", None, (401, 422), **phone),
        "/api/calibrate.jpg": _get("The camera's newest picture", {}, (401, 404), kind="image/jpeg", **phone),
        "/api/calibrate/sheet.pdf": _get("The sheet to print", {}, (401, 404), kind="application/pdf", **paper),
        "/api/calibrate/sheet": _post("Take the sheet", "SheetBody", (401, 422), **phone),
        "/api/calibrate/empty": _post("Take the empty tray, and keep all", "EmptyBody", (401, 422), **phone),
        "/api/calibrate/die": _post("Measure a die, and keep its size", "EmptyBody", (401, 422), **phone),
        "/api/calibrate/lay": _post("Lay the sheet into the virtual tray", "LayBody", (401, 422), **phone),
    }
