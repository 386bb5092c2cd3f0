"""The printed parts and the whole table as solids (build123d). Only `make parts` needs this."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from build123d import (
    Align,
    Axis,
    Box,
    Compound,
    Cylinder,
    Part,
    Plane,
    Polyline,
    Pos,
    Rot,
    extrude,
    fillet,
    make_face,
)

from hardware.track import Layout
from release.parts.dimensions import (
    BACK_MM,
    BASE_WDH_MM,
    BOARD_MM,
    CLEARANCE_MM,
    FOOT_SCREWS_MM,
    FRONT_MM,
    HOLDER_BEFORE_MM,
    HOLDER_SCREWS_MM,
    HOLE_MM,
    KEEP_ZONE_MM,
    LARGE_HOLES_MM,
    LIGHT_BAR_WDL_MM,
    LIGHT_HOLE_MM,
    LIGHT_PLACE_MM,
    LIGHT_WALL_COLUMNS,
    LIGHT_WALL_MM,
    PLATE_MM,
    POST_MM,
    RIDGE_WH_MM,
    SHEET_MM,
    SLEEVE_HEIGHT_MM,
    SLEEVE_MM,
    SMALL_HOLES_MM,
    SPACER_MM,
    TRAY_WH_MM,
    WALL_HEIGHT_MM,
    Arm,
    board_wh_mm,
    light_aim_degrees,
    on_board,
    post_y_mm,
    strip_pieces,
)

_FLAT = (Align.CENTER, Align.CENTER, Align.MIN)
"""Alignment of a solid whose underside is centred on the origin."""
_BORE_MM = POST_MM + CLEARANCE_MM
"""Side in mm of the square hole of a printed sleeve on the post. Larger: the sleeve wobbles; smaller: the post jams."""
_SCREW_MM = 3.4
"""Diameter in mm of a clearance hole for a 3 mm wood screw. Higher: more play; lower: the screw jams."""


def foot() -> Part:
    """Return the printed foot of the post: a flange with 4 screw holes, and a tower with a rib.

    The post stands in the tower's socket, which goes through the flange, too. Cross screws through the tower hold it.
    """
    half = SLEEVE_MM / 2
    flange = Pos(0, 15, 0) * slab(70, SLEEVE_MM + 30, 6)
    holes = _drill(FOOT_SCREWS_MM, 4.4, 6)
    ribs = Pos(0, half + 12, 6) * _wedge()
    return flange + _tower() + ribs - _socket() - holes - _cross_screws()


def camera_arm() -> Part:
    """Return the printed camera arm: sleeve around the post, beam, and plate for the camera.

    The origin is on the lens's axis at the plate's underside; the post is behind it, at positive y.
    """
    y = post_y_mm()
    plate = Pos(0, -2, 0) * slab(46, 48, PLATE_MM)
    beam = Pos(0, (22 + y - SLEEVE_MM / 2) / 2 - 3, 0) * slab(18, y - SLEEVE_MM / 2 - 22 + 8, 24)
    gusset = extrude(Plane.XZ.offset(-18) * make_face(Polyline((-20, 0), (20, 0), (9, 24), (-9, 24), close=True)), -6)
    body = plate + beam + gusset + Pos(0, y, 0) * _tower()
    # Open towards the players, so that the flat cable goes in sideways.
    slot = Pos(0, -16, 0) * slab(23, 25, PLATE_MM)
    ties = _drill([(-6, y / 2 - 8), (6, y / 2 - 8), (-6, y / 2 + 20), (6, y / 2 + 20)], 4, 24)
    small, large = _drill(SMALL_HOLES_MM, 2.3, PLATE_MM), _drill(LARGE_HOLES_MM, 2.8, PLATE_MM)
    return body - slot - ties - small - large - Pos(0, y, 0) * (_socket() + _cross_screws())


def light_holder() -> Part:
    """Return a printed stand into which a light bar clips, tilted to the tray's middle. Each bar needs two."""
    z = LIGHT_PLACE_MM[1]
    width, depth, _ = LIGHT_BAR_WDL_MM
    thick, high = 16.0, z + SHEET_MM
    stand = slab(56, thick, 6) + Pos(20, 0, 0) * slab(8, thick, high + 4)
    brace = extrude(Plane.XZ * make_face(Polyline((0, 6), (16, 6), (16, 42), close=True)), thick / 2, both=True)
    tilted = Pos(HOLDER_BEFORE_MM, 0, high) * Rot(0, -90 - light_aim_degrees(), 0)
    slot = Pos(0, 0, 3) * Box(width + 0.4, thick, depth + 6.4)
    lips = [Pos(side * (width / 2 - 0.2), 0, depth / 2 + 2) * Box(1.6, thick, 2) for side in (-1, 1)]
    bridge = Pos(16, 0, high) * Box(14, thick, 10)
    body = stand + brace + bridge + tilted * Box(width + 6, thick, depth + 6) - tilted * slot
    return body + tilted * _joined(lips) - _drill([(at + HOLDER_BEFORE_MM, 0) for at in HOLDER_SCREWS_MM], 4.4, 6)


def light_wall(layout: Layout) -> Part:
    """Return one printed piece of the grid behind the LED board's front, which keeps an LED's light in its own hole.

    It has `LIGHT_WALL_COLUMNS` columns of holes for the three lanes of a row. `layout` must be `board3x121`.
    """
    places = layout.places_mm
    pitch = places[1][0] - places[0][0]
    lanes = sorted({round(y, 3) for _, y in places if y < 30})
    length = LIGHT_WALL_COLUMNS * pitch
    depth = lanes[-1] + 8
    holes = [
        (pitch * (column - (LIGHT_WALL_COLUMNS - 1) / 2), lane - lanes[-1] / 2)
        for column in range(LIGHT_WALL_COLUMNS)
        for lane in lanes
    ]
    return slab(length - 0.2, depth, LIGHT_WALL_MM) - _drill(holes, LIGHT_HOLE_MM, LIGHT_WALL_MM)


def printed(layout: Layout) -> dict[str, Part]:
    """Return the table's 3D-printed parts: camera arm, foot of the post, light holder and light wall.

    Keys are file names without `.stl`. Each part is oriented for printing. Only the light wall depends on `layout`, the
    layout of the LED board. `layout` must be `board3x121`; this is not checked.
    """
    return {
        "camera-arm": camera_arm(),
        "foot": foot(),
        "light-holder": Pos(0, 0, 8) * Rot(90, 0, 0) * light_holder(),
        "light-wall": light_wall(layout),
    }


def tray() -> Part:
    """Return the assembled tray as one solid: floor, four walls, and the ridge that separates the keep zone."""
    width, depth = TRAY_WH_MM
    outer = slab(width + 2 * SHEET_MM, depth + 2 * SHEET_MM, WALL_HEIGHT_MM)
    ridge = Pos(width / 2 - KEEP_ZONE_MM, 0, 0) * slab(RIDGE_WH_MM[0], depth, RIDGE_WH_MM[1])
    floor = Pos(0, 0, -SHEET_MM) * slab(width + 2 * SHEET_MM, depth + 2 * SHEET_MM, SHEET_MM)
    return outer - slab(width, depth, WALL_HEIGHT_MM) + floor + ridge


def base() -> Part:
    """Return the base board, in its place under the tray."""
    return Pos(0, 0, -SHEET_MM - BASE_WDH_MM[2]) * slab(*BASE_WDH_MM)


def post(arm: Arm) -> Part:
    """Return the square post, standing on the base board."""
    return Pos(0, post_y_mm(), -SHEET_MM) * slab(POST_MM, POST_MM, arm.post_mm)


def placed_foot() -> Part:
    """Return the post's foot in its place on the base board."""
    return Pos(0, post_y_mm(), -SHEET_MM) * foot()


def placed_arm(arm: Arm) -> Part:
    """Return the camera arm at the height that its lens needs."""
    return Pos(0, 0, arm.lens_height_mm + arm.lens_below_plate_mm) * camera_arm()


def camera(arm: Arm) -> list[Part]:
    """Return [circuit board, lens] of a small camera module, in their places under the arm."""
    z = arm.lens_height_mm + arm.lens_below_plate_mm - SPACER_MM
    board = Pos(0, 2.5, z - BOARD_MM) * slab(25, 24, BOARD_MM)
    lens = Pos(0, 0, z - 1 - 3) * slab(8.5, 8.5, 3)
    glass = Pos(0, 0, arm.lens_height_mm) * Cylinder(3.2, z - 4 - arm.lens_height_mm, align=_FLAT)
    return [board, lens + glass]


def lights() -> tuple[list[Part], list[Part]]:
    """Return (the four light holders, the two light bars), in their places beside the tray."""
    x, z = LIGHT_PLACE_MM
    width, depth, length = LIGHT_BAR_WDL_MM
    holders, bars = [], []
    for turn in (0, 180):
        places = [Pos(x - HOLDER_BEFORE_MM, y, -SHEET_MM) for y in (-length / 3, length / 3)]
        holders += [Rot(0, 0, turn) * place * light_holder() for place in places]
        bar = Pos(x, 0, z) * Rot(0, -90 - light_aim_degrees(), 0) * Box(width, length, depth)
        bars.append(Rot(0, 0, turn) * bar)
    return holders, bars


def led_board(layout: Layout, apart_mm: float = 0.0) -> dict[str, Part]:
    """Return the layers of the LED board, from back to front: `back`, `strips`, `walls`, `front` -> solid.

    `layout` must be `board3x121`; this is not checked. `apart_mm` is the gap between layers in mm; 0 for the assembled
    board.
    """
    width, height = board_wh_mm(layout)
    places = [(x - width / 2, height / 2 - y) for x, y in on_board(layout)]
    front = slab(width, height, FRONT_MM) - _drill(places, HOLE_MM, FRONT_MM)
    rows = sorted({round(y / 48) for _, y in layout.places_mm if y % 48 < 0.1})
    left = places[-1][0]
    pitch = places[1][0] - places[0][0]
    walls = []
    for row in rows:
        y = places[0][1] - 48 * row - 11
        walls += [Pos(left + pitch * (7.5 + 16 * half), y, 0) * light_wall(layout) for half in (0, 1)]
    strips = []
    for first, last in strip_pieces(layout):
        (ax, ay), (bx, _) = places[first], places[last]
        strips.append(Pos((ax + bx) / 2, ay, 0) * slab(abs(bx - ax) + pitch, 5, 2))
    return {
        "back": slab(width, height, BACK_MM),
        "strips": Pos(0, 0, BACK_MM + apart_mm) * Compound(children=strips),
        "walls": Pos(0, 0, BACK_MM + 2 + 2 * apart_mm) * Compound(children=walls),
        "front": Pos(0, 0, BACK_MM + 2 + LIGHT_WALL_MM + 3 * apart_mm) * front,
    }


def _tower() -> Part:
    """Return a sleeve around the post before its hole is cut, with rounded edges."""
    tower = slab(SLEEVE_MM, SLEEVE_MM, SLEEVE_HEIGHT_MM)
    return fillet(tower.edges().filter_by(Axis.Z), 2)


def _socket() -> Part:
    """Return the square hole of a sleeve, as a solid to subtract."""
    return slab(_BORE_MM, _BORE_MM, SLEEVE_HEIGHT_MM)


def _cross_screws() -> Part:
    """Return two bores across a sleeve for screws into the post, as solids to subtract."""
    bores = [Pos(0, 0, z) * Rot(0, 90, 0) * Cylinder(_SCREW_MM / 2, SLEEVE_MM + 2) for z in (36, 50)]
    return _joined(bores)


def _wedge() -> Part:
    """Return a triangular rib that supports the sleeve on the foot's flange."""
    outline = make_face(Polyline((-12, 0), (12, 0), (-12, 40), close=True))
    return extrude(Plane.YZ * outline, 4, both=True)


def slab(width: float, depth: float, height: float) -> Part:
    """Return a box that stands centred on the origin, in mm."""
    return Box(width, depth, height, align=_FLAT)


def _drill(places: Iterable[Sequence[float]], across_mm: float, deep_mm: float) -> Part:
    """Return vertical bores at the given (x, y), from the underside up, as one solid to subtract."""
    bore = Cylinder(across_mm / 2, deep_mm + 2, align=_FLAT)
    return _joined([Pos(x, y, -1) * bore for x, y in places])


def _joined(parts: Sequence[Part]) -> Part:
    """Return the union of one or more solids."""
    first, *others = parts
    return first.fuse(*others) if others else first
