"""The sheet that is laid into the tray once: markers at known millimetres, a bar to check the printer by, fold and cut.

Millimetres count from the paper's upper left corner, x to the right, y down, paper lying on its long side. That corner
goes into the tray's corner, so the paper's millimetres are the tray's.
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
"""OpenCV 4.6 (Debian 12) and 4.7 name its functions differently; the types of one version refuse the other's."""
PAPERS_MM = {"a4": (297.0, 210.0), "letter": (279.4, 215.9)}
FIRST_ID = {"a4": 0, "letter": 10}
"""The markers' numbers tell which paper was printed."""
MARKER_MM = 36.0
"""Six modules of 6 mm: 24 px each at 4 px a millimetre; found from 1 px a millimetre on."""
MODULES = 6
QUIET_MM = 6.0
"""White that a marker needs round it: one module."""
_COLUMNS_MM, _ROWS_MM = (12.0, 90.0, 168.0, 249.0), (14.0, 160.0)
"""12 mm from the paper's edge: printers leave out up to 8. The last column lies beyond a ridge at 240 mm."""
BAR_MM = 100.0
_BAR_AT_MM = (60.0, 128.0)
_CHECK_MM = 5.0


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A filled rectangle: left, top, width, height in millimetres; black, or white."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    black: bool = True


@dataclass(frozen=True, slots=True)
class Dashes:
    """A dashed line between two points in millimetres: where to fold or to cut."""

    from_mm: tuple[float, float]
    to_mm: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text from its left end on the baseline, its size in millimetres."""

    x_mm: float
    y_mm: float
    size_mm: float
    text: str


Mark = Rectangle | Dashes | Words


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is printed.

    Attributes:
        size_mm: Width and height.
        corners_mm: Marker's number -> (4, 2) corners: upper left, upper right, lower right, lower left.
        marks: All that is drawn, in order.
    """

    size_mm: tuple[float, float]
    corners_mm: dict[int, NDArray[np.float64]]
    marks: tuple[Mark, ...]


def sheet(paper: str = "a4", tray_mm: tuple[float, float] = (320.0, 240.0), keep_mm: float = 80.0) -> Sheet:
    """The sheet for a tray of that width and height whose keep zone, on the right, is `keep_mm` wide (0: none).

    Markers on a line where the sheet must be folded or cut are left out.
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
    return Sheet((width, height), corners, (*marks, *_bar(), *_checks(), *_words(paper)))


def _marker(number: int, x_mm: float, y_mm: float) -> list[Mark]:
    module = MARKER_MM / MODULES
    whites = [
        Rectangle(x_mm + column * module, y_mm + row * module, module, module, black=False)
        for row, column in np.argwhere(marker_bits(number) > 0).tolist()
    ]
    return [Rectangle(x_mm, y_mm, MARKER_MM, MARKER_MM), *whites]


def dictionary() -> Any:
    """The dictionary that the markers are of: 4 x 4 bits, fifty of them, the fewest bits and so the largest modules.

    Raises DeviceError where OpenCV is older than 4.7 and was built without its contributed modules.
    """
    if aruco is None:
        cure = "Debian's python3-opencv has them, and any OpenCV from 4.7; or calibrate with --corners."
        raise DeviceError("This OpenCV has no markers (module aruco).", cure)
    get = getattr(aruco, "getPredefinedDictionary", None) or aruco.Dictionary_get
    return get(aruco.DICT_4X4_50)


def marker_bits(number: int) -> NDArray[np.uint8]:
    """(6, 6) modules of a marker with its border: 0 black, 255 white."""
    draw = getattr(aruco, "generateImageMarker", None) or aruco.drawMarker
    return draw(dictionary(), number, MODULES)


def _bar() -> list[Mark]:
    x, y = _BAR_AT_MM
    ticks: list[Mark] = [Rectangle(x + at - 0.15, y - (4 if at % 50 == 0 else 2), 0.3, 4) for at in range(0, 101, 10)]
    return [Rectangle(x, y, BAR_MM, 0.8), *ticks, Words(x, y + 6, 3.6, "This bar is 100 mm long. If not: --bar LENGTH")]


def _checks() -> list[Mark]:
    """A chequer in the middle: sharp edges where dice are thrown."""
    return [
        Rectangle(60 + column * _CHECK_MM, 58 + row * _CHECK_MM, _CHECK_MM, _CHECK_MM)
        for row in range(6)
        for column in range(6)
        if (row + column) % 2 == 0
    ]


def _words(paper: str) -> list[Mark]:
    name = {"a4": "A4", "letter": "Letter"}[paper]
    return [
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
    """(h, w, 3) the printed sheet as a picture, for the virtual tray; its words are left out."""
    width, height = (round(edge * px_per_mm) for edge in printed.size_mm)
    picture = np.full((height, width, 3), 235, np.uint8)
    for mark in printed.marks:
        if isinstance(mark, Rectangle):
            x0, y0 = round(mark.x_mm * px_per_mm), round(mark.y_mm * px_per_mm)
            x1, y1 = round((mark.x_mm + mark.width_mm) * px_per_mm), round((mark.y_mm + mark.height_mm) * px_per_mm)
            picture[y0:y1, x0:x1] = 24 if mark.black else 235
    return picture
