"""`/api/state`, `/api/board`, `/healthz`: the newest snapshot, the LED board, the health of the parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from companion.table.snapshot import Snapshot
from web.pairing.phones import Pairing
from web.pairing.roles import ANYONE, HANDS
from web.requests import visitor
from web.responses import json_bytes
from web.routes import Json, Routes, ref
from web.serving.feed import Feed

LED: Json = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}, "minItems": 3, "maxItems": 3}
"""JSON schema of the colour of one LED: [red, green, blue], 0 to 255 each."""
BOARD: Json = {
    "type": "object",
    "required": ["leds", "milliamps"],
    "properties": {"leds": {"type": "array", "items": LED}, "milliamps": {"type": "integer", "minimum": 0}},
}
"""JSON schema of `GET /api/board`: the colour of each LED in the order of the strip, and the strip's estimated current
in milliamperes."""
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
"""JSON schema of `GET /healthz`: whether every part is well, and for each part `ok` and a sentence `says`."""


class BoardFrame(Protocol):
    """A frame of the LED strip."""

    @property
    def leds(self) -> Sequence[Sequence[int]]:
        """[r, g, b] of each LED, 0 to 255, in the order of the strip."""

    @property
    def milliamps(self) -> int:
        """Estimated current of the strip while it shows this frame, in milliamperes."""


class Board(Protocol):
    """The LED board."""

    def latest(self) -> BoardFrame:
        """Return the newest frame made for the LED strip; the strip may not show it if it fails."""

    def spots(self) -> Sequence[tuple[float, float]]:
        """Return the place (x, y) of each LED on the board in mm, x right and y down, in the order of the strip."""


def routes(feed: Feed, board: Board, health: Callable[[bool], Mapping[str, Any]], pairing: Pairing) -> Routes:
    """Make the group of routes for the newest snapshot, the LED board and the health checks. Anyone may use them.

    Args:
        feed: Holds the newest snapshot.
        board: The LED board.
        health: Returns the report of all health checks. Its argument: whether to leave out paths of this machine.
        pairing: The paired phones. Visitors without a role in `HANDS` get the report without paths.
    """
    made = Routes("state", Snapshot, schemas={"Board": BOARD, "Health": HEALTH})

    made.get("/healthz", "The health of every part", ref("Health"), roles=ANYONE)(
        lambda: health(not visitor(pairing) & HANDS)
    )
    made.get("/api/state", "The newest snapshot", ref("Snapshot"), roles=ANYONE)(lambda: json_bytes(feed.newest.json))

    @made.get("/api/board", "The LED strip's newest frame", ref("Board"), roles=ANYONE)
    def shown() -> Json:
        frame = board.latest()
        return {"leds": frame.leds, "milliamps": frame.milliamps}

    @made.get("/api/board/spots", "Where each LED is, in millimetres", roles=ANYONE)
    def spots() -> Json:
        return {"spots": [[round(x, 3), round(y, 3)] for x, y in board.spots()]}

    return made
