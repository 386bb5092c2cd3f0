"""The table as it is now: the newest snapshot, the board, the health of the parts. Anyone may look."""

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


class BoardFrame(Protocol):
    """What the LED strip shows at a moment."""

    @property
    def leds(self) -> Sequence[Sequence[int]]:
        """[r, g, b] of each LED, 0 to 255, in the order of the strip."""

    @property
    def milliamps(self) -> int:
        """What the strip draws now."""


class Board(Protocol):
    """The LED board."""

    def latest(self) -> BoardFrame:
        """The newest frame."""

    def spots(self) -> Sequence[tuple[float, float]]:
        """Where each LED is on the board: x to the right and y down, in millimetres, in the order of the strip."""


def routes(feed: Feed, board: Board, health: Callable[[bool], Mapping[str, Any]], pairing: Pairing) -> Routes:
    """The routes of what is now; `health` tells it without local paths where its argument is true, for guests."""
    made = Routes("state", Snapshot, schemas={"Board": BOARD, "Health": HEALTH})

    @made.get("/healthz", "What works and what is ill", ref("Health"), roles=ANYONE)
    def how_it_is() -> flask.Response:
        return answer(dict(health(not visitor(pairing) & HANDS)))

    @made.get("/api/state", "The newest snapshot", ref("Snapshot"), roles=ANYONE)
    def newest() -> flask.Response:
        return json_bytes(feed.newest.json)

    @made.get("/api/board", "What the LED strip shows now", ref("Board"), roles=ANYONE)
    def shown() -> flask.Response:
        frame = board.latest()
        return answer({"leds": frame.leds, "milliamps": frame.milliamps})

    @made.get("/api/board/spots", "Where each LED is, in millimetres", roles=ANYONE)
    def spots() -> flask.Response:
        return answer({"spots": [[round(x, 3), round(y, 3)] for x, y in board.spots()]})

    return made
