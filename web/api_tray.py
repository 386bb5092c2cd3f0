"""The API of the virtual tray: what a person's hands would do. Everything becomes pictures that the camera reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import flask
import msgspec

from web.asking import Body, body, from_this_machine, must_be_paired
from web.pairing import Pairing
from web.parts import TrayPart
from web.refusals import answer, refusal

Die = Annotated[int, msgspec.Meta(ge=0, le=99)]
Dice = Annotated[tuple[Die, ...], msgspec.Meta(max_length=20)]
Place = Annotated[float, msgspec.Meta(ge=-1000.0, le=2000.0)]


class ThrowBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/tray/throw`: these dice (none named: all that are not in the keep zone), and how hard, 0 to 1."""

    ids: Dice | None = None
    strength: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] = 0.6


class MoveBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/tray/move`: a die laid somewhere, in millimetres of the tray."""

    id: Die
    x_mm: Place
    y_mm: Place


class LiftBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/tray/lift`: these dice out of the tray; none named: all."""

    ids: Dice | None = None


class NothingBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/tray/shake`: an empty object."""


@dataclass(frozen=True, slots=True)
class Hands:
    """The routes of the virtual tray: for this machine, and for paired phones."""

    tray: TrayPart
    pairing: Pairing

    def routes(self) -> flask.Blueprint:
        """All of them."""
        routes = flask.Blueprint("tray", __name__)
        routes.add_url_rule("/api/tray", view_func=self.lying)
        routes.add_url_rule("/api/tray.jpg", view_func=self.picture)
        for act in (self.throw, self.shake, self.move, self.lift):
            routes.add_url_rule(f"/api/tray/{act.__name__}", view_func=act, methods=["POST"])
        return routes

    def lying(self) -> flask.Response:
        """Where the dice lie, and the zones."""
        return answer({"dice": list(self.tray.dice()), "zones": dict(self.tray.zones())})

    def picture(self) -> flask.Response:
        """What the virtual camera sees."""
        response = flask.Response(self.tray.picture_jpeg(), mimetype="image/jpeg")
        response.headers["Cache-Control"] = "no-store"
        return response

    def throw(self) -> flask.Response:
        """Throw dice."""
        sent = self._asked(ThrowBody)
        return self._done(lambda: self.tray.throw(sent.ids, sent.strength))

    def shake(self) -> flask.Response:
        """Shake the tray."""
        self._asked(NothingBody)
        return self._done(self.tray.shake)

    def move(self) -> flask.Response:
        """Lay a die somewhere."""
        sent = self._asked(MoveBody)
        return self._done(lambda: self.tray.move(sent.id, sent.x_mm, sent.y_mm))

    def lift(self) -> flask.Response:
        """Lift dice out."""
        sent = self._asked(LiftBody)
        return self._done(lambda: self.tray.lift(sent.ids))

    def _asked(self, kind: type[Body]) -> Body:
        if not from_this_machine():
            must_be_paired(self.pairing)
        return body(kind)

    def _done(self, act: Callable[[], None]) -> flask.Response:
        try:
            act()
        except ValueError as wrong:
            return refusal(422, "no_such_die", f"{wrong}. GET /api/tray lists the dice.")
        return self.lying()
