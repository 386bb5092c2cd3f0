"""`/api/calibrate`: the camera's view of the printed sheet, and the steps sheet, empty tray and die."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Protocol

import flask
import msgspec

from companion.errors import DeviceError
from web.pairing.roles import OWNERS
from web.responses import JPEG, attachment, refusal
from web.routes import Json, NothingBody, Routes

PAPERS = ("a4", "letter")
"""Paper sizes of the printed calibration sheet: values of the query parameter `paper`; the first is the default."""
PAPER_PARAMETER: Json = {"name": "paper", "in": "query", "schema": {"enum": list(PAPERS)}}
"""OpenAPI description of the query parameter `paper`, which is one of `PAPERS`."""

Side = Annotated[float, msgspec.Meta(ge=50, le=2000)]
"""Length of a side of the tray's floor, in millimetres; a request with a shorter or longer one is refused."""


class SheetBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/calibrate/sheet`: measures of the tray, all in mm.

    Attributes:
        width_mm: Width of the tray's floor, keep zone included.
        height_mm: Depth of the tray's floor.
        keep_mm: Width of the keep zone; 0 for none.
        bar_mm: Length of the sheet's 100 mm bar as measured on paper: corrects for the printer's scale.
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
    """`POST /api/calibrate/lay`: whether to put the calibration sheet into the virtual tray (True) or take it out."""

    lies: bool


class Calibration(Protocol):
    """Calibration with the table's camera: sheet, empty tray, one die. A step raises DeviceError if it fails."""

    def look(self) -> Mapping[str, Any]:
        """Look for the printed sheet in the camera's newest picture, and return the calibration's state as JSON.

        If a marker of the sheet is seen, the table gets no frames for a while. A view that helps to measure the lens is
        kept.

        Returns:
            `picture_wh`: width and height in pixels; None without a picture.
            `markers`: the four corners [x, y] in pixels of each marker that is seen.
            `zones`: the same for each zone of the tray; empty without a picture or a sheet found.
            `advice`: problems to solve, each with a `code` and a sentence `says`.
            `sheet`, `empty`: whether the steps of these names are done.
            `calibrated`, `says`: whether the camera is calibrated or simulated; a sentence about that.
            `virtual`: whether the camera is virtual.
            `lens`: None without a picture; else `views` kept, `of` needed, `degrees` (angle of view), and `measured`
                (False if assumed).
        """

    def picture_jpeg(self) -> bytes | None:
        """Return the camera's newest picture as JPEG; None if there is none."""

    def sheet_pdf(self, paper: str) -> bytes:
        """Return the calibration sheet as a PDF to print, for the tray measured in the last `take_sheet`.

        `paper` is one of `PAPERS`. Raises DeviceError if the tray is too small for the sheet.
        """

    def take_sheet(self, plan: Mapping[str, float], lens_mm: float | None) -> Mapping[str, Any]:
        """Wait until the calibration sheet lies still in the tray, measure where it lies, and focus the lens on it.

        Meanwhile the table gets no frames. Calibrating begins with this step: results of earlier steps are dropped,
        even if this one fails. A stored calibration stays.

        Args:
            plan: Measures of the tray in mm, by name: the attributes of `SheetBody` except `lens_mm`.
            lens_mm: Height of the lens above the tray's floor in mm; None to compute it from the sheet.

        Returns:
            The state of the calibration as JSON, as `look` does.

        Raises:
            DeviceError: The camera fails, or the sheet is not found or does not lie still in time.
        """

    def take_empty(self) -> Mapping[str, Any]:
        """Record the picture of the empty tray (second step), store the calibration, and return `look()`.

        Raises DeviceError, also if `take_sheet` has not succeeded before.
        """

    def take_die(self) -> Mapping[str, Any]:
        """Measure the one die in the throw zone (optional third step), store its size, and return `look()`.

        Raises DeviceError if no single die is seen, or if `take_empty` has not succeeded before.
        """

    def lay_sheet(self, inside: bool) -> Mapping[str, Any]:
        """Put the sheet into the virtual tray in place of its dice (True), or take it out (False), and return `look()`.

        Raises DeviceError if the camera is real.
        """


def routes(calibration: Calibration) -> Routes:
    """Make the group of routes for calibrating the camera. Only the owner may use them.

    There are routes for the newest picture, the camera's view of the sheet, and the sheet as a PDF. Others carry out
    the steps sheet, empty tray and die, or put the sheet into the virtual tray and take it out. A failed step, a
    keep zone that leaves no room to throw, or a tray too small for the sheet, is answered 422. A missing picture or an
    unknown paper size is answered 404.
    """
    made = Routes("calibrate", SheetBody, NothingBody, LayBody, refusals={DeviceError: (422, "not_taken")})
    of_each: Json = {"refused": (422,), "roles": OWNERS}

    made.get("/api/calibrate", "The camera's view of the printed sheet", **of_each)(calibration.look)

    @made.get("/api/calibrate.jpg", "The camera's newest picture", {}, kind=JPEG, refused=(404,), roles=OWNERS)
    def picture() -> flask.Response:
        jpeg = calibration.picture_jpeg()
        if jpeg is None:
            return refusal(404, "no_picture", "The camera gives no picture yet. /healthz shows its state.")
        return flask.Response(jpeg, mimetype=JPEG)

    sheet: Json = {"kind": "application/pdf", "refused": (404, 422), "query": (PAPER_PARAMETER,), "roles": OWNERS}

    @made.get("/api/calibrate/sheet.pdf", "The sheet to print", {}, **sheet)
    def printed() -> flask.Response:
        paper = flask.request.args.get("paper", PAPERS[0])
        if paper not in PAPERS:
            return refusal(404, "no_such_paper", f"There is a sheet for {' and '.join(PAPERS)}.")
        return attachment(calibration.sheet_pdf(paper), "application/pdf", f"calibration-{paper}.pdf")

    @made.post("/api/calibrate/sheet", "Take the sheet", SheetBody, **of_each)
    def take_sheet(sent: SheetBody) -> Mapping[str, Any] | flask.Response:
        if sent.keep_mm > sent.width_mm - 50:
            return refusal(422, "no_throw_zone", "The keep zone leaves no room to throw. Make it narrower.")
        measures = msgspec.structs.asdict(sent)
        lens_mm = measures.pop("lens_mm")
        return calibration.take_sheet(measures, lens_mm)

    made.post("/api/calibrate/empty", "Take the empty tray, and store the calibration", NothingBody, **of_each)(
        lambda _: calibration.take_empty()
    )
    made.post("/api/calibrate/die", "Measure a die, and store its size", NothingBody, **of_each)(
        lambda _: calibration.take_die()
    )
    made.post("/api/calibrate/lay", "Put the sheet into the virtual tray, or take it out", LayBody, **of_each)(
        lambda sent: calibration.lay_sheet(sent.lies)
    )
    return made
