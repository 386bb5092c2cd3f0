"""Sheets in true size as SVG: red lines are cut, circles are drilled, blue lines and words are engraved."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from hardware.pictures.plans import SCREW_MM
from hardware.track import Layout
from release.parts.dimensions import (
    BASE_WDH_MM,
    FOOT_SCREWS_MM,
    HOLDER_SCREWS_MM,
    HOLE_MM,
    KEEP_ZONE_MM,
    LIGHT_BAR_WDL_MM,
    LIGHT_PLACE_MM,
    RIDGE_WH_MM,
    SHEET_MM,
    TRAY_WH_MM,
    WALL_HEIGHT_MM,
    board_wh_mm,
    on_board,
    post_y_mm,
    strip_pieces,
)

PILOT_MM = 2.5
"""Diameter, in mm, of the pilot holes in the base board for 4 mm wood screws. Higher: the screws do not hold; lower:
they are hard to drive and may split the board."""
GAP_MM = 8.0
"""Free space around each piece on its sheet, in mm. More: larger sheets."""


def tray_sheet() -> str:
    """Return an SVG of the tray's pieces to cut, in true size: floor, four walls and the ridge of the keep zone.

    Floor and walls are of plywood `SHEET_MM` thick. The ridge is of a thinner sheet, as thick as the ridge is high.
    """
    width, depth = TRAY_WH_MM
    outer_w, outer_d = width + 2 * SHEET_MM, depth + 2 * SHEET_MM
    x, y = GAP_MM + SHEET_MM, GAP_MM + SHEET_MM
    ridge_x = x + width - KEEP_ZONE_MM
    body = [
        _cut(GAP_MM, GAP_MM, outer_w, outer_d),
        _line((x, y), (x + width, y), (x + width, y + depth), (x, y + depth), (x, y)),
        _line((ridge_x - RIDGE_WH_MM[0] / 2, y), (ridge_x - RIDGE_WH_MM[0] / 2, y + depth)),
        _line((ridge_x + RIDGE_WH_MM[0] / 2, y), (ridge_x + RIDGE_WH_MM[0] / 2, y + depth)),
        _cross(x + width / 2, y + depth / 2),
        _words(x + width / 2, y + depth / 2 + 12, "the lens is above this cross"),
        _words(x + width - KEEP_ZONE_MM / 2, y + 20, "keep zone"),
        _words(x + (width - KEEP_ZONE_MM) / 2, y + 20, f"floor, {outer_w:g} x {outer_d:g} mm"),
    ]
    top = GAP_MM + outer_d
    for name, length in (("long wall", outer_w), ("long wall", outer_w), ("short wall", depth), ("short wall", depth)):
        top += GAP_MM
        body += [
            _cut(GAP_MM, top, length, WALL_HEIGHT_MM),
            _words(GAP_MM + length / 2, top + WALL_HEIGHT_MM / 2 + 2, f"{name}, {length:g} x {WALL_HEIGHT_MM:g} mm"),
        ]
        top += WALL_HEIGHT_MM
    top += GAP_MM
    body += [
        _cut(GAP_MM, top, depth, RIDGE_WH_MM[0]),
        _words(GAP_MM + depth / 2, top + 4.6, f"ridge: from a sheet of {RIDGE_WH_MM[1]:g} mm"),
    ]
    title = f"Tray of {width:g} x {depth:g} mm, plywood of {SHEET_MM:g} mm"
    return _svg(outer_w + 2 * GAP_MM, top + RIDGE_WH_MM[0] + GAP_MM, title, body)


def base_sheet() -> str:
    """Return an SVG of the base board from above, in true size: the outlines of board and tray, and all screw holes.

    The lower edge of the drawing is the side at which the players sit.
    """
    width, depth, thick = BASE_WDH_MM
    x, y = GAP_MM + width / 2, GAP_MM + depth / 2
    tray_w, tray_d = (side + 2 * SHEET_MM for side in TRAY_WH_MM)
    left, right, front, back = x - tray_w / 2, x + tray_w / 2, y + tray_d / 2, y - tray_d / 2
    body = [
        _cut(GAP_MM, GAP_MM, width, depth),
        _line((left, front), (right, front), (right, back), (left, back), (left, front)),
        _words(x, front - 16, "tray, its keep zone on the right"),
        _cross(x, y),
        _words(x, y + 12, "the lens is above this cross"),
        _words(x, y - post_y_mm() - 20, "foot of the post"),
    ]
    body += [_drill(x + dx, y - post_y_mm() - dy, PILOT_MM) for dx, dy in FOOT_SCREWS_MM]
    for side in (-1, 1):
        at = x + side * LIGHT_PLACE_MM[0]
        for dy in (-LIGHT_BAR_WDL_MM[2] / 3, LIGHT_BAR_WDL_MM[2] / 3):
            body += [_drill(at + side * dx, y + dy, PILOT_MM) for dx in HOLDER_SCREWS_MM]
            body.append(_words(at - side * 20, y + dy - 12, "light holder"))
    return _svg(width + 2 * GAP_MM, depth + 2 * GAP_MM, f"Base board of {width:g} x {depth:g} x {thick:g} mm", body)


def board_front(layout: Layout) -> str:
    """Return an SVG in true size of the LED board's front panel: a hole for every LED, screw holes in the corners."""
    width, height = board_wh_mm(layout)
    body = [*_panel(width, height), *(_drill(GAP_MM + x, GAP_MM + y, HOLE_MM) for x, y in on_board(layout))]
    return _svg(width + 2 * GAP_MM, height + 2 * GAP_MM, f"Front of {layout.name}, {width:.1f} x {height:.1f} mm", body)


def board_back(layout: Layout) -> str:
    """Return an SVG, in true size, of the LED board's back panel seen from the front, with the LED strip's places.

    Each straight piece of the strip has its number, the numbers of its LEDs, and an arrow in the direction of the data.
    All pieces must be horizontal, as in `board3x121`.
    """
    width, height = board_wh_mm(layout)
    places = [(GAP_MM + x, GAP_MM + y) for x, y in on_board(layout)]
    body = _panel(width, height)
    for number, (first, last) in enumerate(strip_pieces(layout), 1):
        (ax, ay), (bx, _) = places[first], places[last]
        way = 1 if bx > ax else -1
        body += [
            _line((ax, ay), (bx, ay)),
            _line((bx - 4 * way, ay - 2), (bx, ay), (bx - 4 * way, ay + 2)),
            _words((ax + bx) / 2, ay - 1.5, f"{number}: LED {first} to {last}, {last - first + 1} LEDs"),
        ]
        if first == 0:
            body.append(_words(ax, ay - 5, "data in"))
    return _svg(width + 2 * GAP_MM, height + 2 * GAP_MM, f"Back of {layout.name}, seen from the front", body)


def sheets(layout: Layout) -> dict[str, str]:
    """Return the SVG sheets for cutting and drilling tray, base board and LED board, by file name without `.svg`.

    The names are `tray`, `base`, `board-front` and `board-back`. The last two depend on the track's `layout`.
    """
    return {
        "tray": tray_sheet(),
        "base": base_sheet(),
        "board-front": board_front(layout),
        "board-back": board_back(layout),
    }


def _panel(width: float, height: float) -> list[str]:
    """Return SVG elements of a panel in mm: its outline and a screw hole in each corner."""
    inset = 5.0
    corners = [(x, y) for x in (inset, width - inset) for y in (inset, height - inset)]
    return [_cut(GAP_MM, GAP_MM, width, height), *(_drill(GAP_MM + x, GAP_MM + y) for x, y in corners)]


def _cut(x: float, y: float, width: float, height: float) -> str:
    """Return the SVG element of a rectangle to cut; (x, y) is its upper left corner, in mm."""
    return f'<rect class="cut" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"/>'


def _drill(x: float, y: float, across_mm: float = SCREW_MM) -> str:
    """Return the SVG element of a hole of diameter `across_mm` to drill around (x, y), in mm."""
    return f'<circle class="cut" cx="{x:.2f}" cy="{y:.2f}" r="{across_mm / 2:.2f}"/>'


def _line(*points: tuple[float, float]) -> str:
    """Return the SVG element of an engraved line through points, in mm."""
    return f'<polyline class="mark" points="{" ".join(f"{x:.2f},{y:.2f}" for x, y in points)}"/>'


def _cross(x: float, y: float) -> str:
    """Return SVG elements of an engraved cross at (x, y), 16 mm wide."""
    return _line((x - 8, y), (x + 8, y)) + _line((x, y - 8), (x, y + 8))


def _words(x: float, y: float, text: str) -> str:
    """Return the SVG element of engraved text, centred on x, in mm."""
    return f'<text x="{x:.2f}" y="{y:.2f}">{escape(text)}</text>'


def _svg(width_mm: float, height_mm: float, title: str, body: Iterable[str]) -> str:
    """Return an SVG document of a size in mm, printed at true scale, with a title and the elements of `body`.

    Coordinates in `body` are in mm. The document styles texts and the classes `cut` (red) and `mark` (blue).
    """
    style = (
        ".cut{fill:none;stroke:#e00000;stroke-width:.2}.mark{fill:none;stroke:#0040ff;stroke-width:.2}"
        f"text{{fill:#0040ff;font:{max(4.0, width_mm / 80):.1f}px sans-serif;text-anchor:middle}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width_mm:.1f}mm" height="{height_mm:.1f}mm" '
        f'viewBox="0 0 {width_mm:.1f} {height_mm:.1f}"><title>{escape(title)}</title><style>{style}</style>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )
