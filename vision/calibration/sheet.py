"""Lays out the calibration sheet and draws it: ArUco markers, a bar that checks the scale, lines to fold and cut.

Coordinates are millimetres from the paper's upper left corner, x to the right, y down, in landscape. That corner is in
the tray's corner, so the coordinates of paper and tray agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import DeviceError
from vision.reading.reading import FrameBGR

aruco: Any = getattr(cv2, "aruco", None)
"""OpenCV's ArUco module, or None if missing. Untyped, because OpenCV 4.6 and 4.7 name its functions differently."""
PAPERS_MM = {"a4": (297.0, 210.0), "letter": (279.4, 215.9)}
"""Width and height of each paper in landscape, in millimetres."""
FIRST_ID = {"a4": 0, "letter": 10}
"""Number of each paper's first marker; ten numbers from it on are the paper's, so that a picture tells which paper was
printed. With another number, sheets printed before are taken for the other paper or not found."""
MARKER_MM = 36.0
"""Side of a printed marker, in millimetres. It is found in pictures from 1 px a millimetre on. Smaller markers need a
lower camera; larger ones leave no room for eight on the paper. With either, sheets printed before give a wrong
scale."""
MODULES = 6
"""Number of modules (black or white squares) along a marker's side: four bits and a border on both sides. OpenCV's
dictionary fixes it. Another number draws wrong markers or none, and measures their focus and light wrong."""
QUIET_MM = 6.0
"""Width of the white margin that a marker needs, in millimetres: one module. A marker that has less room to a fold, a
cut or the paper's edge is left out of the sheet. Larger: fewer markers; smaller: some are not detected."""
_COLUMNS_MM, _ROWS_MM = (12.0, 90.0, 168.0, 249.0), (14.0, 160.0)
"""Left and upper edges of the markers, in mm from the sheet's upper left corner. Printers leave margins of up to 8 mm
blank. The last column lies beyond a ridge at 240 mm, in the keep zone."""
BAR_MM = 100.0
"""Length of the printed bar, in millimetres, in a print at 100 %. A person measures it to find the printer's scale. A
longer one gives the scale more exactly, but must fit the page and the words beside it, which name 100 mm."""
_BAR_AT_MM = (60.0, 128.0)
"""Upper left corner of the printed 100 mm bar, in mm from the sheet's upper left corner. The bar lies between the two
rows of markers; elsewhere it may cover them."""
_CHECK_MM = 5.0
"""Side of a square of the sheet's 6 x 6 chequer pattern, in millimetres. Its sharp edges help the camera to focus.
Smaller: shorter edges. Above 6 mm the pattern runs into the words on its right."""
POINTS_PER_MM = 72 / 25.4
"""PDF points, 1/72 inch each, in a millimetre; another value prints the sheet in a wrong size."""
DASH_MM = "3 2"
"""Lengths of a dash and a gap, in millimetres, as PDF operands."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A filled rectangle, black or white, with its upper left corner at (x_mm, y_mm)."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    black: bool = True


@dataclass(frozen=True, slots=True)
class Dashes:
    """A dashed line between two points (x, y) in millimetres, where to fold or cut."""

    from_mm: tuple[float, float]
    to_mm: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text. x and y are the left end of its baseline, `size_mm` is the font size."""

    x_mm: float
    y_mm: float
    size_mm: float
    text: str


Mark = Rectangle | Dashes | Words


@dataclass(frozen=True, slots=True)
class Sheet:
    """A printed sheet: size of the paper, (4, 2) corners of each marker by its number, and all marks in order."""

    size_mm: tuple[float, float]
    corners_mm: dict[int, NDArray[np.float64]]
    marks: tuple[Mark, ...]


def sheet(paper: str = "a4", tray_mm: tuple[float, float] = (320.0, 240.0), keep_mm: float = 80.0) -> Sheet:
    """Return the layout of the calibration sheet for a tray: its markers and everything else that is printed.

    The sheet is folded at the ridge before the keep zone, and cut where the tray is smaller than the paper. Markers on
    or close to such a line or the paper's edge, or beyond a cut, are left out; a small tray may keep one or none.
    Markers beyond the fold lie in the keep zone. Raises DeviceError if OpenCV has no ArUco module.

    Args:
        paper: `a4` or `letter`; another raises KeyError.
        tray_mm: Width and height of the tray's floor, keep zone included.
        keep_mm: Width of the keep zone on the right; 0 for none.
    """
    width, height = PAPERS_MM[paper]
    ridge = tray_mm[0] - keep_mm
    folds = [ridge] if keep_mm > 0 and ridge < width else []
    cuts = [(edge, axis) for axis, edge in enumerate(tray_mm) if edge < (width, height)[axis]]
    corners: dict[int, NDArray[np.float64]] = {}
    marks: list[Mark] = []
    places = [(x, y) for y in _ROWS_MM for x in _COLUMNS_MM]
    for number, (x, y) in enumerate(places, FIRST_ID[paper]):
        if x + MARKER_MM + QUIET_MM > width or any(-QUIET_MM < fold - x < MARKER_MM + QUIET_MM for fold in folds):
            continue
        if any((x, y)[axis] + MARKER_MM + QUIET_MM > edge for edge, axis in cuts):
            continue
        far_x, far_y = x + MARKER_MM, y + MARKER_MM
        corners[number] = np.array([[x, y], [far_x, y], [far_x, far_y], [x, far_y]])
        marks += _marker(number, x, y)
    marks += [Dashes((fold, 0), (fold, height)) for fold in folds]
    marks += [
        Dashes((edge, 0), (edge, height)) if axis == 0 else Dashes((0, edge), (width, edge)) for edge, axis in cuts
    ]
    marks += [Words(fold - 37, 116, 3.2, "fold down here: the ridge") for fold in folds if fold < width - 8]
    marks += [Words(60, 152, 3.2, f"cut along the dashes: the tray ends there ({edge:g} mm)") for edge, _ in cuts[:1]]
    return Sheet((width, height), corners, (*marks, *_printed(paper)))


def _marker(number: int, x_mm: float, y_mm: float) -> list[Mark]:
    """Return the marks that draw ArUco marker `number`: its black square, then a white one for each white bit.

    Its upper left corner is at (x_mm, y_mm).
    """
    markers = dictionary()
    draw = getattr(aruco, "generateImageMarker", None) or aruco.drawMarker
    module, bits = MARKER_MM / MODULES, draw(markers, number, MODULES)
    whites = [
        Rectangle(x_mm + column * module, y_mm + row * module, module, module, black=False)
        for row, column in np.argwhere(bits > 0).tolist()
    ]
    return [Rectangle(x_mm, y_mm, MARKER_MM, MARKER_MM), *whites]


def dictionary() -> Any:
    """Return OpenCV's ArUco dictionary of the sheet's markers. Raises DeviceError if OpenCV has no ArUco module."""
    if aruco is None:
        cure = "Debian's python3-opencv has them, and any OpenCV from 4.7; or calibrate with --corners."
        raise DeviceError("This OpenCV has no markers (module aruco).", cure)
    get = getattr(aruco, "getPredefinedDictionary", None) or aruco.Dictionary_get
    return get(aruco.DICT_4X4_50)


def _printed(paper: str) -> list[Mark]:
    """Return what the sheet shows besides markers and lines: texts, a bar, a checkerboard and a corner mark.

    The bar of 100 mm shows whether the print has the right scale. The checkerboard has sharp edges to focus on. The
    mark in the upper left shows which corner of the sheet goes into the tray's corner. All places are fixed. `paper`,
    `a4` or `letter`, is only named in a text.
    """
    x, y = _BAR_AT_MM
    name = {"a4": "A4", "letter": "Letter"}[paper]
    ticks = [Rectangle(x + at - 0.15, y - (4 if at % 50 == 0 else 2), 0.3, 4) for at in range(0, 101, 10)]
    checks = [
        Rectangle(60 + column * _CHECK_MM, 58 + row * _CHECK_MM, _CHECK_MM, _CHECK_MM)
        for row in range(6)
        for column in range(6)
        if (row + column) % 2 == 0
    ]
    return [
        Rectangle(x, y, BAR_MM, 0.8),
        *ticks,
        Words(x, y + 6, 3.6, "This bar is 100 mm long. If not: --bar LENGTH"),
        *checks,
        Words(96, 64, 6.0, "Peg & Pip"),
        Words(96, 71, 3.6, f"Calibration sheet, {name}. Print at 100 %, no fitting to the page."),
        Words(96, 78, 3.6, "Lay it flat on the tray's floor, this side up;"),
        Words(96, 84, 3.6, "the corner with the angle into the tray's corner,"),
        Words(96, 90, 3.6, "the keep zone on the other side, to the right."),
        Rectangle(5, 4, 6, 1),
        Rectangle(5, 4, 1, 6),
        Words(12, 8.5, 3.6, "this corner into the tray's corner"),
    ]


def raster(printed: Sheet, px_per_mm: float = 6.0) -> FrameBGR:
    """Return a picture (h, w, 3) of the printed sheet for the virtual tray, without text and dashed lines."""
    width, height = (round(edge * px_per_mm) for edge in printed.size_mm)
    picture = np.full((height, width, 3), 235, np.uint8)
    for mark in printed.marks:
        if isinstance(mark, Rectangle):
            x0, y0 = round(mark.x_mm * px_per_mm), round(mark.y_mm * px_per_mm)
            x1, y1 = round((mark.x_mm + mark.width_mm) * px_per_mm), round((mark.y_mm + mark.height_mm) * px_per_mm)
            picture[y0:y1, x0:x1] = 24 if mark.black else 235
    return picture


def pdf(sheet: Sheet) -> bytes:
    """Return the sheet as a one-page PDF 1.4 at true size. The font Helvetica is not embedded."""
    width, height = (edge * POINTS_PER_MM for edge in sheet.size_mm)
    # From here on lengths are millimetres and y counts downwards, as on the sheet.
    to_points = f"{POINTS_PER_MM:.5f} 0 0 {-POINTS_PER_MM:.5f} 0 {height:.3f} cm\n"
    drawing = (to_points + "".join(_pdf_mark(mark) for mark in sheet.marks)).encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.3f} {height:.3f}] /Contents 4 0 R "
            f"/Resources << /Font << /F 5 0 R >> >> >>"
        ).encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    written, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(written))
    return written + head + table + tail


def _pdf_mark(mark: Mark) -> str:
    """Return the PDF operators that draw a filled rectangle, a dashed line or a text.

    The page's coordinate system must be in millimetres with y downwards. Glyphs are flipped to stand upright in it.
    """
    if isinstance(mark, Rectangle):
        at = f"{mark.x_mm:g} {mark.y_mm:g} {mark.width_mm:g} {mark.height_mm:g}"
        return f"{0 if mark.black else 1} g {at} re f\n"
    if isinstance(mark, Dashes):
        (x1, y1), (x2, y2) = mark.from_mm, mark.to_mm
        return f"0.5 G 0.3 w [{DASH_MM}] 0 d {x1:g} {y1:g} m {x2:g} {y2:g} l S\n"
    text = mark.text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"0 g BT /F {mark.size_mm:g} Tf 1 0 0 -1 {mark.x_mm:g} {mark.y_mm:g} Tm ({text}) Tj ET\n"
