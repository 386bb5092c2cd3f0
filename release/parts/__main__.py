"""`make parts`: write the STL files, the sheets and a picture of each, and pictures of every step of building."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from build123d import Part, Pos, Rot, export_stl

from hardware.track import preset
from release.parts import solids
from release.parts.dimensions import (
    BACK_MM,
    POST_MM,
    RIDGE_WH_MM,
    SHEET_MM,
    TRAY_WH_MM,
    WALL_HEIGHT_MM,
    Arm,
    arm_for,
    board_wh_mm,
)
from release.parts.rendering import RGB, Triangles, Viewpoint, picture
from release.parts.sheets import sheets
from vision.cameras.field import MODULES

PRINTED, PLYWOOD, WALNUT, FELT = (70, 120, 170), (214, 178, 128), (150, 110, 80), (58, 92, 72)
ALUMINIUM, CIRCUIT, PAPER = (190, 195, 200), (60, 150, 90), (245, 245, 245)
LIGHT, DARK = (250, 245, 225), (62, 62, 68)
"""Colours of materials in the rendered pictures of building, (red, green, blue), 0 to 255. `LIGHT` is of LED strips and
light bars; `DARK` is of black plastic, the lens and printed markers."""
Shown = Sequence[tuple[Part, RGB]]
"""Solids of a picture, each with its colour."""
SIZE_WH = (760, 520)
"""Width and height, in pixels, of a picture of a building step. The parts are scaled to fill it. Larger: finer
pictures, larger files."""
SMALL_WH = (420, 320)
"""Width and height of a picture of one printed part, in pixels."""
STL_TOLERANCE_MM, STL_TOLERANCE_RAD = 0.1, 0.5
"""Largest distance between triangles and true surface, and largest angle between neighbouring triangles. Higher:
coarser surfaces, smaller files."""
APART_MM = 40.0
"""Gap in mm between the layers of the LED board in its exploded view. Higher: layers are drawn farther apart."""


def main() -> None:
    """Write STL files, SVG sheets and pictures of the parts to DIR/parts, and pictures of the build to DIR/img.

    DIR is the folder of `--out`, by default `docs`.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs"), help="folder that gets parts/ and img/")
    out: Path = parser.parse_args().out
    layout = preset("board3x121")
    (out / "parts").mkdir(parents=True, exist_ok=True)
    (out / "img").mkdir(exist_ok=True)
    for name, text in sheets(layout).items():
        (out / "parts" / f"{name}.svg").write_text(text, encoding="utf-8")
    for name, part in solids.printed(layout).items():
        print(name)  # noqa: T201
        file = out / "parts" / f"{name}.stl"
        export_stl(part, file, tolerance=STL_TOLERANCE_MM, angular_tolerance=STL_TOLERANCE_RAD)
        _save(out / "parts" / f"{name}.webp", [(part, PRINTED)], Viewpoint(35, 30, SMALL_WH))
    for name, (shown, view) in _step_pictures().items():
        print(name)  # noqa: T201
        _save(out / "img" / f"{name}.webp", shown, view)


def _step_pictures() -> Mapping[str, tuple[Shown, Viewpoint]]:
    """Return the pictures of the building steps: name -> the coloured solids to draw, and the viewpoint."""
    arm = arm_for(MODULES[2], (1280, 960))
    tray, frame, camera, lights = _tray(), _frame(arm), _camera(arm), _lights()
    base = [(solids.base(), PLYWOOD)]
    board = solids.led_board(preset("board3x121"), APART_MM)
    colours = {"back": PLYWOOD, "strips": LIGHT, "walls": DARK, "front": WALNUT}
    layers = [(Rot(60, 0, 0) * part, colours[name]) for name, part in board.items()]
    closed = [(Rot(60, 0, 0) * part, colours[name]) for name, part in solids.led_board(preset("board3x121")).items()]
    turned = [(Rot(180, 0, 0) * part, colour) for part, colour in [(solids.placed_arm(arm), PRINTED), *camera]]
    on_table = [(Pos(200, 330, 160) * part, colour) for part, colour in closed]
    return {
        "step-table": ([*base, *tray, *frame, *camera, *lights, *on_table], Viewpoint(24, 22, SIZE_WH)),
        "step-parts": (_laid_out(arm), Viewpoint(0, 50, SIZE_WH)),
        "step-calibrate": ([*base, *tray, *frame, *camera, *lights, *_sheet_on_a_book()], Viewpoint(24, 30, SIZE_WH)),
        "step-tray": (tray, Viewpoint(28, 34, SIZE_WH)),
        "step-arm": ([*base, *tray, *frame], Viewpoint(38, 24, SIZE_WH)),
        "step-camera": (turned, Viewpoint(215, 38, SIZE_WH)),
        "step-lights": ([*base, *tray, *frame, *camera, *lights], Viewpoint(20, 26, SIZE_WH)),
        "step-board": (layers, Viewpoint(30, 20, SIZE_WH)),
    }


def _tray() -> list[tuple[Part, RGB]]:
    """Return the tray and its felt, each with its colour."""
    width, depth = TRAY_WH_MM
    felt = Pos(0, 0, RIDGE_WH_MM[1] / 6) * solids.slab(width - 1, depth - 1, RIDGE_WH_MM[1] / 6)
    return [(solids.tray(), WALNUT), (felt, FELT)]


def _frame(arm: Arm) -> list[tuple[Part, RGB]]:
    """Return post, foot and camera arm in their places, each with its colour."""
    return [(solids.post(arm), ALUMINIUM), (solids.placed_foot(), PRINTED), (solids.placed_arm(arm), PRINTED)]


def _camera(arm: Arm) -> list[tuple[Part, RGB]]:
    """Return the camera's circuit board and lens in their places, each with its colour."""
    board, lens = solids.camera(arm)
    return [(board, CIRCUIT), (lens, DARK)]


def _sheet_on_a_book() -> list[tuple[Part, RGB]]:
    """Return solids with their colours: a book, and a calibration sheet with markers that leans on the book."""
    book = Pos(-95, 20, 3) * solids.slab(120, 170, 45)
    sheet = Pos(-15, 20, 46) * Rot(0, 14, 0) * solids.slab(210, 200, 1)
    marks = [Pos(x, y, 1) * solids.slab(34, 34, 0.6) for x in (-80, 0, 80) for y in (-70, 0, 70)]
    tilted = [Pos(-15, 20, 46) * Rot(0, 14, 0) * mark for mark in marks]
    return [(book, PRINTED), (sheet, PAPER), *((mark, DARK) for mark in tilted)]


def _laid_out(arm: Arm) -> list[tuple[Part, RGB]]:
    """Return the solids of all parts of the table with their colours, laid out side by side.

    `arm` gives the post's length. The parts are those to print, saw and cut: of tray, LED board, post, foot, camera arm
    and lights.
    """
    layout = preset("board3x121")
    parts = solids.printed(layout)
    width, height = board_wh_mm(layout)
    outer_w, outer_d = (side + 2 * SHEET_MM for side in TRAY_WH_MM)
    walls = [Pos(x, y, 0) for x in (330, 450) for y in (-104, -66, -28, 10)]
    holders = [Pos(330 + 75 * number, 190, 0) for number in range(4)]
    flat = [
        (Pos(-outer_w / 2 + 60, 0, 0) * solids.slab(outer_w, outer_d, SHEET_MM), PLYWOOD),
        *((Pos(-106, y, 0) * solids.slab(outer_w, WALL_HEIGHT_MM, SHEET_MM), PLYWOOD) for y in (-150, -190)),
        *((Pos(-152, y, 0) * solids.slab(TRAY_WH_MM[1], WALL_HEIGHT_MM, SHEET_MM), PLYWOOD) for y in (-230, -270)),
        (Pos(190, -230, 0) * solids.slab(width, height, BACK_MM), PLYWOOD),
        (Pos(460, -230, 0) * solids.led_board(layout)["front"], WALNUT),
        (Pos(-60, 165, 0) * solids.slab(arm.post_mm, POST_MM, POST_MM), ALUMINIUM),
        (Pos(130, 60, 0) * parts["foot"], PRINTED),
        (Pos(225, -40, 0) * parts["camera-arm"], PRINTED),
    ]
    printed = [(place * parts["light-wall"], DARK) for place in walls]
    return [*flat, *printed, *((place * parts["light-holder"], PRINTED) for place in holders)]


def _lights() -> list[tuple[Part, RGB]]:
    """Return the light holders and light bars in their places, each with its colour."""
    holders, bars = solids.lights()
    return [*((holder, PRINTED) for holder in holders), *((bar, LIGHT) for bar in bars)]


def _save(file: Path, shown: Shown, view: Viewpoint) -> None:
    """Draw coloured solids from a viewpoint and save the picture to a file."""
    picture([(_triangles(part), colour) for part, colour in shown], view).save(file, quality=82, method=6)


def _triangles(part: Part) -> Triangles:
    """Return a solid's surface as triangles: corners in mm, shape (n, 3, 3)."""
    corners, faces = part.tessellate(STL_TOLERANCE_MM, STL_TOLERANCE_RAD)
    points = np.array([tuple(corner) for corner in corners], np.float32)
    triangles: Triangles = points[np.array(faces)]
    return triangles


if __name__ == "__main__":
    main()
