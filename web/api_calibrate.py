"""The API of calibrating: what the camera sees of the printed sheet, taking it, and taking the empty tray."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import flask
import msgspec

from companion.errors import DeviceError
from web.asking import body, must_be_paired
from web.pairing import Pairing
from web.parts import CalibratePart
from web.refusals import answer, refusal

PAPERS = ("a4", "letter")

Side = Annotated[float, msgspec.Meta(ge=50, le=2000)]


class SheetBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/calibrate/sheet`: floor of the tray with keep zone, printed bar, die, height of the lens."""

    width_mm: Side = 320.0
    height_mm: Side = 240.0
    keep_mm: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 80.0
    bar_mm: Annotated[float, msgspec.Meta(ge=50, le=200)] = 100.0
    die_mm: Annotated[float, msgspec.Meta(ge=8, le=30)] = 16.0
    lens_mm: Annotated[float, msgspec.Meta(ge=100, le=3000)] | None = None


class EmptyBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/calibrate/empty` and `/die`: an empty object."""


class LayBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/calibrate/lay`: whether the sheet lies in the virtual tray."""

    lies: bool


@dataclass(frozen=True, slots=True)
class Calibrating:
    """The routes of calibrating; for paired phones only."""

    table: CalibratePart
    pairing: Pairing

    def routes(self) -> flask.Blueprint:
        """All of them."""
        routes = flask.Blueprint("calibrate", __name__)
        routes.add_url_rule("/api/calibrate", view_func=self.look)
        routes.add_url_rule("/api/calibrate.jpg", view_func=self.picture)
        routes.add_url_rule("/api/calibrate/sheet.pdf", view_func=self.printed)
        for act in (self.sheet, self.empty, self.die, self.lay):
            routes.add_url_rule(f"/api/calibrate/{act.__name__}", view_func=act, methods=["POST"])
        return routes

    def look(self) -> flask.Response:
        """Markers, zones and advice for the newest picture."""
        must_be_paired(self.pairing)
        return _done(self.table.look)

    def picture(self) -> flask.Response:
        """The camera's newest picture."""
        must_be_paired(self.pairing)
        jpeg = self.table.picture_jpeg()
        if jpeg is None:
            return refusal(404, "no_picture", "The camera gives no picture yet. /healthz tells how it is.")
        response = flask.Response(jpeg, mimetype="image/jpeg")
        response.headers["Cache-Control"] = "no-store"
        return response

    def printed(self) -> flask.Response:
        """The sheet to print."""
        must_be_paired(self.pairing)
        paper = flask.request.args.get("paper", PAPERS[0])
        if paper not in PAPERS:
            return refusal(404, "no_such_paper", f"There is a sheet for {' and '.join(PAPERS)}.")
        response = flask.Response(self.table.sheet_pdf(paper), mimetype="application/pdf")
        response.headers["Content-Disposition"] = f'attachment; filename="calibration-{paper}.pdf"'
        return response

    def sheet(self) -> flask.Response:
        """Take the sheet."""
        must_be_paired(self.pairing)
        told = body(SheetBody)
        if told.keep_mm > told.width_mm - 50:
            return refusal(422, "no_throw_zone", "The keep zone leaves no room to throw. Make it narrower.")
        measures = {key: value for key, value in msgspec.structs.asdict(told).items() if key != "lens_mm"}
        return _done(lambda: self.table.take_sheet(measures, told.lens_mm))

    def empty(self) -> flask.Response:
        """Take the empty tray, and keep the calibration."""
        must_be_paired(self.pairing)
        body(EmptyBody)
        return _done(self.table.take_empty)

    def die(self) -> flask.Response:
        """Measure the one die in the throw zone, and keep the calibration with its size."""
        must_be_paired(self.pairing)
        body(EmptyBody)
        return _done(self.table.take_die)

    def lay(self) -> flask.Response:
        """Lay the sheet into the virtual tray, or lift it."""
        must_be_paired(self.pairing)
        lies = body(LayBody).lies
        return _done(lambda: self.table.lay_sheet(lies))


def _done(act: Callable[[], Mapping[str, Any]]) -> flask.Response:
    try:
        return answer(dict(act()))
    except DeviceError as ill:
        return refusal(422, "not_taken", str(ill))
