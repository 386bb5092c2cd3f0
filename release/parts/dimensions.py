"""Dimensions of the wooden and printed parts, in millimetres, worked out from the tray, the lens and the LED layout.

The origin is the middle of the tray's floor: x to the right, y away from the players, z up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hardware.track import Layout, Place
from vision.cameras.field import Module, SizeWH, height_mm

TRAY_WH_MM = (320.0, 240.0)
KEEP_ZONE_MM = 80.0
"""Width of the keep zone at the tray's right end."""
WALL_HEIGHT_MM = 30.0
SHEET_MM = 6.0
"""Thickness of the tray's plywood, floor and walls alike."""
RIDGE_WH_MM = (6.0, 3.0)
"""Width and height of the strip that fences off the keep zone. Dice must not lean on it: at most 4 mm high."""
BASE_WDH_MM = (640.0, 400.0, 12.0)
"""The board that tray, arm and lights stand on."""
MARGIN = 1.05
"""The lens sees the tray's floor this many times over, so that a tray or an arm a little off still fits."""

POST_MM = 20.0
"""Side of the square post: a planed batten or an aluminium tube."""
CLEARANCE_MM = 0.4
"""Play between the post and a printed sleeve."""
SLEEVE_WALL_MM = 5.0
SLEEVE_MM = POST_MM + CLEARANCE_MM + 2 * SLEEVE_WALL_MM
SLEEVE_HEIGHT_MM = 60.0
POST_GAP_MM = 4.0
"""Free space between the tray's back wall and the foot of the post."""
PLATE_MM = 5.0
"""Thickness of the plate that the camera hangs from."""
SPACER_MM = 3.0
"""Nylon spacers between the plate and the camera's circuit board."""
BOARD_MM = 1.0
"""Thickness of a camera's circuit board."""
LENS_MM = {"ov5647": 5.0, "imx219": 5.0, "imx708": 8.0, "imx708_wide": 9.0, "imx477": 45.0, "imx296": 45.0}
"""From a camera's circuit board to the front of its lens, by the sensor's name; the last two with the 6 mm lens."""
SMALL_HOLES_MM = ((-10.5, 0.0), (10.5, 0.0), (-10.5, 12.5), (10.5, 12.5))
"""Mounting holes of Camera Modules 1, 2, 3 and 3 Wide, seen from the lens (M2)."""
LARGE_HOLES_MM = ((-15.0, -15.0), (15.0, -15.0), (-15.0, 15.0), (15.0, 15.0))
"""Mounting holes of the HQ and Global Shutter Cameras, seen from the lens (M2.5)."""

LIGHT_BAR_WDL_MM = (17.2, 8.0, 300.0)
"""Width, depth and length of the LED channel with a milky cover."""
LIGHT_PLACE_MM = (280.0, 130.0)
"""Distance from the tray's middle and height above its floor of a light bar. Further in, the floor mirrors it."""
LIGHT_BAR_LUMENS = 270.0
"""Flux through the cover of a bar of 3 W."""

FOOT_SCREWS_MM = ((-27.0, -5.0), (27.0, -5.0), (-27.0, 37.0), (27.0, 37.0))
"""Wood screws through the foot, from the post's axis."""
HOLDER_SCREWS_MM = (-28.0, -13.0)
"""Wood screws through a light holder, from the light bar outwards: both are on the tray's side of it."""
HOLDER_BEFORE_MM = 6.0
"""A light bar is this far outside the middle of its holders' feet."""

BOARD_MARGIN_MM = 12.0
FRONT_MM = 3.0
LIGHT_WALL_MM = 6.0
"""Thickness of the printed grid that keeps one hole's light out of the next."""
BACK_MM = 6.0
HOLE_MM, LIGHT_HOLE_MM = 5.0, 5.6
LIGHT_WALL_COLUMNS = 16
"""Holes along a piece of the printed grid: 16 fit the smallest common printer."""


@dataclass(frozen=True, slots=True)
class Arm:
    """The camera's arm, cut for one camera.

    Attributes:
        lens_height_mm: From the tray's floor to the lens.
        lens_below_plate_mm: From the underside of the arm to the lens.
        post_mm: Length to saw the post to.
    """

    lens_height_mm: float
    lens_below_plate_mm: float
    post_mm: float


def arm_for(module: Module, size_wh: SizeWH) -> Arm:
    """The arm at which a camera sees the whole tray and `MARGIN` more.

    Args:
        module: The camera.
        size_wh: Width and height of its pictures in pixels: their shape decides which side of the tray is the limit.
    """
    width_mm = MARGIN * max(TRAY_WH_MM[0], TRAY_WH_MM[1] * size_wh[0] / size_wh[1])
    height = float(math.ceil(height_mm(width_mm, module.angle_deg(size_wh))))
    below = SPACER_MM + BOARD_MM + LENS_MM[module.model]
    # The post stands on the base board and ends flush with the top of the sleeve.
    return Arm(height, below, SHEET_MM + height + below + SLEEVE_HEIGHT_MM)


def seen_mm(arm: Arm, module: Module, size_wh: SizeWH) -> tuple[float, float]:
    """Width and depth of the tray's floor in the picture, worked out from the arm's parts and the lens's angle."""
    height = arm.post_mm - SHEET_MM - SLEEVE_HEIGHT_MM - arm.lens_below_plate_mm
    width = 2 * height * math.tan(math.radians(module.angle_deg(size_wh)) / 2)
    return width, width * size_wh[1] / size_wh[0]


def post_y_mm() -> float:
    """Distance in mm of the post's axis behind the tray's middle, which is the reach of the arm."""
    return TRAY_WH_MM[1] / 2 + SHEET_MM + POST_GAP_MM + SLEEVE_MM / 2


def mirrored_x_mm(lens_height: float) -> float:
    """Distance from the tray's middle, in mm, at which a shiny floor mirrors a light bar into the lens."""
    x, z = LIGHT_PLACE_MM
    return x * lens_height / (lens_height + z)


def light_aim_degrees() -> float:
    """Angle above the horizontal at which the tray's middle sees a light bar."""
    x, z = LIGHT_PLACE_MM
    return math.degrees(math.atan2(z, x))


def illuminance_lx() -> float:
    """Light that both bars throw on the middle of the tray (Lambert's cosine law), in lux."""
    x, z = LIGHT_PLACE_MM
    distance_m = math.hypot(x, z) / 1000
    return 2 * LIGHT_BAR_LUMENS / math.pi / distance_m**2 * z / math.hypot(x, z)


def strip_pieces(layout: Layout) -> list[tuple[int, int]]:
    """First and last LED of each straight piece that the strip is cut into, in the order of the wire."""
    places, starts = layout.places_mm, [0]
    for led in range(1, layout.leds):
        start = starts[-1]
        step, first = _step(places[led - 1], places[led]), _step(places[start], places[min(start + 1, led)])
        if led - start > 1 and math.dist(step, first) > 0.5 * math.hypot(*first):
            starts.append(led)
    return list(zip(starts, [start - 1 for start in [*starts[1:], layout.leds]], strict=True))


def board_wh_mm(layout: Layout) -> tuple[float, float]:
    """Width and height of the LED board's panels."""
    (left, top), (right, bottom) = _box(layout)
    return right - left + 2 * BOARD_MARGIN_MM, bottom - top + 2 * BOARD_MARGIN_MM


def on_board(layout: Layout) -> list[Place]:
    """The place of each LED on the board's panels, from their upper left corner."""
    (left, top), _ = _box(layout)
    return [(x - left + BOARD_MARGIN_MM, y - top + BOARD_MARGIN_MM) for x, y in layout.places_mm]


def _box(layout: Layout) -> tuple[Place, Place]:
    xs, ys = zip(*layout.places_mm, strict=True)
    return (min(xs), min(ys)), (max(xs), max(ys))


def _step(a: Place, b: Place) -> Place:
    return b[0] - a[0], b[1] - a[1]
