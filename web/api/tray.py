"""`/api/tray`: moves the dice of the virtual tray, which become pictures that the camera reads.

A person at the table's own machine may throw here without pairing, and so may decide here too: lines, answers and the
next game have addresses under /api/tray.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Protocol

import flask
import msgspec

from companion.table.commands import Answer, NextGame, PlayLine
from companion.table.read_only import AnyTable
from web.api.play import COMMANDS
from web.pairing.phones import Pairing
from web.pairing.roles import ANYONE, HANDS
from web.requests import OF_A_COMMAND, start_game
from web.responses import JPEG, refusal
from web.routes import Json, NothingBody, Routes, ref

Die = Annotated[int, msgspec.Meta(ge=0, le=99)]
"""Number that names a die of the virtual tray."""
Dice = Annotated[tuple[Die, ...], msgspec.Meta(max_length=20)]
"""Numbers that name several dice of the virtual tray."""
DECIDED_HERE = tuple(row for row in COMMANDS if row[2] in (PlayLine, Answer, NextGame))
"""Rows of `web.api.play.COMMANDS` that are also served at /api/tray/..., where browsers on the table's own machine need
no pairing."""
Place = Annotated[float, msgspec.Meta(ge=-1000.0, le=2000.0)]
"""A coordinate in the tray, in millimetres from the left or upper edge of its floor."""


class ThrowBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/tray/throw`: throws dice of the virtual tray.

    Attributes:
        ids: Numbers of the dice; None for all that are not in the keep zone. Ignored if `count` is given.
        count: Put the dice kept in this turn into the keep zone, then throw this many of the others; None: throw `ids`.
        strength: How hard they are thrown, 0 to 1. Ignored if `count` is given.
    """

    ids: Dice | None = None
    count: Annotated[int, msgspec.Meta(ge=1, le=20)] | None = None
    strength: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] = 0.6


class MoveBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/tray/move`: number of a die, and where to put its centre, in millimetres of the tray."""

    id: Die
    x_mm: Place
    y_mm: Place


class LiftBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/tray/lift`: numbers of the dice to take out of the tray; None: all."""

    ids: Dice | None = None


class Tray(Protocol):
    """The virtual tray, whose dice a person moves on a page. A real camera has none."""

    def throw(self, ids: Sequence[int] | None, strength: float) -> None:
        """Throw the dice with these numbers (None: all outside the keep zone) with a strength of 0 to 1.

        Raises ValueError for an unknown die.
        """

    def throw_on(self, count: int) -> None:
        """Put the dice that the player has kept in this turn into the keep zone, then throw `count` of the others.

        The rest of the dice are taken out of the tray.
        """

    def shake(self) -> None:
        """Shake the tray, so that the dice in the throw zone fall anew."""

    def move(self, die: int, x_mm: float, y_mm: float) -> None:
        """Lay a die at (`x_mm`, `y_mm`) or the nearest free place, with the same face up.

        Raises ValueError for an unknown die.
        """

    def lift(self, ids: Sequence[int] | None) -> None:
        """Take the dice with these numbers (None: all) out of the tray. Raises ValueError for an unknown die."""

    def dice(self) -> Sequence[Mapping[str, Any]]:
        """Return every die, by the keys below. Its value is left out: only the camera reads it.

        `id`: its number; `x_mm`, `y_mm`: its centre; `place`: `throw` (zone), `keep` (zone) or `out` (of the tray);
        `resting`: whether it lies still; `x_px`, `y_px`, `size_px`: its centre and edge in the camera's picture.
        """

    def zones(self) -> Mapping[str, Any]:
        """Return the tray's measures and zones.

        `width_mm` and `height_mm` of the floor; `keep` and `throw`, the zones as [x, y, width, height] in mm;
        `picture_wh`, the picture's size in pixels; `mm_to_px`, the 3 x 3 homography from mm to its pixels.
        """

    def picture_jpeg(self) -> bytes:
        """Return the camera's newest picture as JPEG."""


def routes(tray: Tray, table: AnyTable, pairing: Pairing) -> Routes:
    """Make the routes of the virtual tray, under `/api/tray`.

    Anyone may see its dice and the camera's picture. Only players, and a browser on the table's own machine, may throw,
    shake, move and lift the dice, or send commands. An unknown die is answered 422.

    Args:
        tray: The virtual tray.
        table: Executes the commands in `DECIDED_HERE`: play a line, answer a question, start the next game.
        pairing: The paired phones; a phone that starts a game is recorded there.
    """
    shapes = (ThrowBody, MoveBody, LiftBody, NothingBody, *(command for _, _, command, _ in DECIDED_HERE))
    made = Routes("tray", *shapes)
    hands: Json = {"refused": (422,), "roles": HANDS}

    def lying() -> Json:
        return {"dice": tray.dice(), "zones": tray.zones()}

    made.get("/api/tray", "Where the dice of the virtual tray lie", roles=ANYONE)(lying)

    @made.get("/api/tray.jpg", "The virtual camera's newest picture", {}, roles=ANYONE, kind=JPEG)
    def picture() -> flask.Response:
        response = flask.Response(tray.picture_jpeg(), mimetype=JPEG)
        response.headers["Cache-Control"] = "private, no-cache"  # pages poll it: 304 unless it has changed
        response.add_etag()
        response.make_conditional(flask.request)
        return response

    def done(act: Callable[..., None], *args: Any) -> Json | flask.Response:
        try:
            act(*args)
        except ValueError as wrong:
            return refusal(422, "no_such_die", f"{wrong}. GET /api/tray lists the dice.")
        return lying()

    @made.post("/api/tray/throw", "Throw dice", ThrowBody, **hands)
    def throw(sent: ThrowBody) -> Json | flask.Response:
        return done(tray.throw, sent.ids, sent.strength) if sent.count is None else done(tray.throw_on, sent.count)

    made.post("/api/tray/shake", "Shake the tray", NothingBody, **hands)(lambda _: done(tray.shake))
    made.post("/api/tray/move", "Move a die", MoveBody, **hands)(
        lambda sent: done(tray.move, sent.id, sent.x_mm, sent.y_mm)
    )
    made.post("/api/tray/lift", "Take dice out of the tray", LiftBody, **hands)(lambda sent: done(tray.lift, sent.ids))
    decided: Json = {"schema": ref("Snapshot"), "refused": OF_A_COMMAND, "roles": HANDS}
    for place, summary, command, _ in DECIDED_HERE:
        act = partial(start_game, table, pairing) if command is NextGame else table.submit
        made.post(f"/api/tray/{place}", f"{summary}, at the tray", command, **decided)(act)
    return made
