"""The API of calibrating: what the camera sees of the printed sheet, taking it, and taking the empty tray."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Protocol

import flask
import msgspec

from companion.errors import DeviceError
from web.pairing.roles import OWNERS
from web.responses import answer, attachment, refusal
from web.routes import Json, NothingBody, Routes

PAPERS = ("a4", "letter")
PAPER: Json = {"name": "paper", "in": "query", "schema": {"enum": list(PAPERS)}}

Side = Annotated[float, msgspec.Meta(ge=50, le=2000)]


class SheetBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/calibrate/sheet`: floor of the tray with keep zone, printed bar, die, height of the lens."""

    width_mm: Side = 320.0
    height_mm: Side = 240.0
    keep_mm: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 80.0
    bar_mm: Annotated[float, msgspec.Meta(ge=50, le=200)] = 100.0
    die_mm: Annotated[float, msgspec.Meta(ge=8, le=30)] = 16.0
    lens_mm: Annotated[float, msgspec.Meta(ge=100, le=3000)] | None = None


class LayBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/calibrate/lay`: whether the sheet lies in the virtual tray."""

    lies: bool


class Calibration(Protocol):
    """Calibrating with the table's own camera. What can't be done is a DeviceError."""

    def look(self) -> Mapping[str, Any]:
        """What the newest picture shows.

        `picture_wh` or None, `markers` and `zones` (throw, keep; empty while the sheet is not found) as [x, y] of their
        corners in pixels, `advice` with `code` and `says`, `sheet` and `empty` (taken?), `calibrated`, `says`,
        `virtual`, `lens` or None: from how many `views` `of` how many it is known, `degrees` across, `measured` or not.
        """

    def picture_jpeg(self) -> bytes | None:
        """The newest picture, or None."""

    def sheet_pdf(self, paper: str) -> bytes:
        """The sheet to print, on `a4` or `letter`."""

    def take_sheet(self, plan: Mapping[str, float], height_mm: float | None) -> Mapping[str, Any]:
        """Take the sheet in a tray of those measures (`SheetBody`), the lens so high; the look."""

    def take_empty(self) -> Mapping[str, Any]:
        """Take the empty tray and keep the calibration; the look after it."""

    def take_die(self) -> Mapping[str, Any]:
        """Measure the one die in the throw zone and keep its size; the look after it."""

    def lay_sheet(self, lie: bool) -> Mapping[str, Any]:
        """Lay the sheet into the virtual tray, or lift it; the look after it."""


def routes(calibration: Calibration) -> Routes:
    """The routes of calibrating, for the owner."""
    made = Routes("calibrate", SheetBody, NothingBody, LayBody)
    of_each: Json = {"refused": (422,), "roles": OWNERS}

    @made.get("/api/calibrate", "What the camera sees of the printed sheet", **of_each)
    def look() -> flask.Response:
        return _done(calibration.look)

    @made.get("/api/calibrate.jpg", "The camera's newest picture", {}, kind="image/jpeg", refused=(404,), roles=OWNERS)
    def picture() -> flask.Response:
        jpeg = calibration.picture_jpeg()
        if jpeg is None:
            return refusal(404, "no_picture", "The camera gives no picture yet. /healthz tells how it is.")
        return flask.Response(jpeg, mimetype="image/jpeg")

    sheet: Json = {"kind": "application/pdf", "refused": (404,), "query": (PAPER,), "roles": OWNERS}

    @made.get("/api/calibrate/sheet.pdf", "The sheet to print", {}, **sheet)
    def printed() -> flask.Response:
        return _sheet(calibration, flask.request.args.get("paper", PAPERS[0]))

    @made.post("/api/calibrate/sheet", "Take the sheet", SheetBody, **of_each)
    def take_sheet(sent: SheetBody) -> flask.Response:
        if sent.keep_mm > sent.width_mm - 50:
            return refusal(422, "no_throw_zone", "The keep zone leaves no room to throw. Make it narrower.")
        measures = {key: value for key, value in msgspec.structs.asdict(sent).items() if key != "lens_mm"}
        return _done(lambda: calibration.take_sheet(measures, sent.lens_mm))

    @made.post("/api/calibrate/empty", "Take the empty tray, and keep all", NothingBody, **of_each)
    def take_empty(_: NothingBody) -> flask.Response:
        return _done(calibration.take_empty)

    @made.post("/api/calibrate/die", "Measure a die, and keep its size", NothingBody, **of_each)
    def take_die(_: NothingBody) -> flask.Response:
        return _done(calibration.take_die)

    @made.post("/api/calibrate/lay", "Lay the sheet into the virtual tray", LayBody, **of_each)
    def lay(sent: LayBody) -> flask.Response:
        return _done(lambda: calibration.lay_sheet(sent.lies))

    return made


def _sheet(calibration: Calibration, paper: str) -> flask.Response:
    if paper not in PAPERS:
        return refusal(404, "no_such_paper", f"There is a sheet for {' and '.join(PAPERS)}.")
    return attachment(calibration.sheet_pdf(paper), "application/pdf", f"calibration-{paper}.pdf")


def _done(act: Callable[[], Mapping[str, Any]]) -> flask.Response:
    try:
        return answer(dict(act()))
    except DeviceError as ill:
        return refusal(422, "not_taken", str(ill))
