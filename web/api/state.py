"""`/api/state`, `/api/board`, `/healthz`: the newest snapshot, the LED board, the health of the parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import flask

from companion.table.snapshot import Snapshot
from web.pairing.phones import Pairing
from web.pairing.roles import ANYONE, HANDS
from web.requests import visitor
from web.responses import answer, json_bytes
from web.routes import Json, Routes, ref
from web.serving.feed import Feed

LED: Json = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}, "minItems": 3, "maxItems": 3}
"""JSON schema of an LED: red, green, blue, 0 to 255."""
BOARD: Json = {
    "type": "object",
    "required": ["leds", "milliamps"],
    "properties": {"leds": {"type": "array", "items": LED}, "milliamps": {"type": "integer", "minimum": 0}},
}
"""JSON schema of `GET /api/board`."""
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
"""JSON schema of `GET /healthz`."""


class BoardFrame(Protocol):
    """A frame of the LED strip."""

    @property
    def leds(self) -> Sequence[Sequence[int]]:
        """[r, g, b] of each LED, 0 to 255, in the order of the strip."""

    @property
    def milliamps(self) -> int:
        """The strip's current with this frame, in milliamperes."""


class Board(Protocol):
    """The LED board."""

    def latest(self) -> BoardFrame:
        """Return the newest frame of the LED strip."""

    def spots(self) -> Sequence[tuple[float, float]]:
        """Return [x, y] of each LED on the board in mm, x right and y down, in the order of the strip."""


def routes(feed: Feed, board: Board, health: Callable[[bool], Mapping[str, Any]], pairing: Pairing) -> Routes:
    """Make the routes of the current state, for anyone.

    Args:
        feed: Gives the newest snapshot.
        board: The LED board.
        health: Returns the health of the parts; with True without local paths, as guests may see it.
        pairing: Knows the visitor's role.
    """
    made = Routes("state", Snapshot, schemas={"Board": BOARD, "Health": HEALTH})

    @made.get("/healthz", "The health of every part", ref("Health"), roles=ANYONE)
    def how_it_is() -> flask.Response:
        return answer(dict(health(not visitor(pairing) & HANDS)))

    @made.get("/api/state", "The newest snapshot", ref("Snapshot"), roles=ANYONE)
    def newest() -> flask.Response:
        return json_bytes(feed.newest.json)

    @made.get("/api/board", "The LED strip's newest frame", ref("Board"), roles=ANYONE)
    def shown() -> flask.Response:
        frame = board.latest()
        return answer({"leds": frame.leds, "milliamps": frame.milliamps})

    @made.get("/api/board/spots", "Where each LED is, in millimetres", roles=ANYONE)
    def spots() -> flask.Response:
        return answer({"spots": [[round(x, 3), round(y, 3)] for x, y in board.spots()]})

    return made
