"""`/api/calibrate`: the camera's view of the printed sheet, and the steps sheet, empty tray and die."""

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
"""Papers that the sheet can be printed on."""
PAPER: Json = {"name": "paper", "in": "query", "schema": {"enum": list(PAPERS)}}
"""Query parameter that chooses the paper, as OpenAPI describes it."""

Side = Annotated[float, msgspec.Meta(ge=50, le=2000)]
"""A side of the tray, in millimetres."""


class SheetBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/calibrate/sheet`: measures of the tray, all in mm.

    Attributes:
        width_mm: Width of the tray's floor, keep zone included.
        height_mm: Depth of the tray's floor.
        keep_mm: Width of the keep zone; 0 for none.
        bar_mm: Measured length of the sheet's 100 mm bar.
        die_mm: Edge of a die.
        lens_mm: Height of the lens above the floor; None if not measured.
    """

    width_mm: Side = 320.0
    height_mm: Side = 240.0
    keep_mm: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 80.0
    bar_mm: Annotated[float, msgspec.Meta(ge=50, le=200)] = 100.0
    die_mm: Annotated[float, msgspec.Meta(ge=8, le=30)] = 16.0
    lens_mm: Annotated[float, msgspec.Meta(ge=100, le=3000)] | None = None


class LayBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/calibrate/lay`: whether the printed sheet is put into the virtual tray, or taken out."""

    lies: bool


class Calibration(Protocol):
    """Calibration with the table's camera. Every step raises DeviceError if it can't be done."""

    def look(self) -> Mapping[str, Any]:
        """Describe the newest picture and the state of the calibration.

        Returns:
            `picture_wh`: size of the picture, or None without one.
            `markers`, `zones`: corners [x, y] in pixels, empty until the sheet is found.
            `advice`: problems, each with `code` and `says`.
            `sheet`, `empty`: whether they were taken.
            `calibrated`, `says`: whether a calibration is stored, and that in words.
            `virtual`: whether the camera is virtual.
            `lens`: `views` of the sheet so far, `of` those needed, `degrees` across, `measured` or not; or None.
        """

    def picture_jpeg(self) -> bytes | None:
        """Return the camera's newest picture as JPEG; None if there is none."""

    def sheet_pdf(self, paper: str) -> bytes:
        """Return the sheet to print as PDF; `paper` is `a4` or `letter`."""

    def take_sheet(self, plan: Mapping[str, float], height_mm: float | None) -> Mapping[str, Any]:
        """Find the sheet in the tray and return `look()`.

        Args:
            plan: Measures of the tray in mm, by the names in `SheetBody` without `lens_mm`.
            height_mm: Height of the lens above the floor; None if not measured.
        """

    def take_empty(self) -> Mapping[str, Any]:
        """Record the empty tray, store the calibration and return `look()`."""

    def take_die(self) -> Mapping[str, Any]:
        """Measure the one die in the throw zone, store its size and return `look()`."""

    def lay_sheet(self, lie: bool) -> Mapping[str, Any]:
        """Put the sheet into the virtual tray (True), or take it out (False); return `look()`."""


def routes(calibration: Calibration) -> Routes:
    """Make the routes of calibration, for the owner."""
    made = Routes("calibrate", SheetBody, NothingBody, LayBody)
    of_each: Json = {"refused": (422,), "roles": OWNERS}

    @made.get("/api/calibrate", "The camera's view of the printed sheet", **of_each)
    def look() -> flask.Response:
        return _done(calibration.look)

    @made.get("/api/calibrate.jpg", "The camera's newest picture", {}, kind="image/jpeg", refused=(404,), roles=OWNERS)
    def picture() -> flask.Response:
        jpeg = calibration.picture_jpeg()
        if jpeg is None:
            return refusal(404, "no_picture", "The camera gives no picture yet. /healthz shows its state.")
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

    @made.post("/api/calibrate/empty", "Take the empty tray, and store the calibration", NothingBody, **of_each)
    def take_empty(_: NothingBody) -> flask.Response:
        return _done(calibration.take_empty)

    @made.post("/api/calibrate/die", "Measure a die, and store its size", NothingBody, **of_each)
    def take_die(_: NothingBody) -> flask.Response:
        return _done(calibration.take_die)

    @made.post("/api/calibrate/lay", "Put the sheet into the virtual tray, or take it out", LayBody, **of_each)
    def lay(sent: LayBody) -> flask.Response:
        return _done(lambda: calibration.lay_sheet(sent.lies))

    return made


def _sheet(calibration: Calibration, paper: str) -> flask.Response:
    """Answer with the sheet to print, as a PDF to save; 404 for a paper that is not in `PAPERS`."""
    if paper not in PAPERS:
        return refusal(404, "no_such_paper", f"There is a sheet for {' and '.join(PAPERS)}.")
    return attachment(calibration.sheet_pdf(paper), "application/pdf", f"calibration-{paper}.pdf")


def _done(act: Callable[[], Mapping[str, Any]]) -> flask.Response:
    """Call `act` and answer with the JSON object that it returns; 422 if it raises DeviceError."""
    try:
        return answer(dict(act()))
    except DeviceError as ill:
        return refusal(422, "not_taken", str(ill))
