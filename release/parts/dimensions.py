"""Dimensions of the wooden and printed parts, in millimetres, worked out from the tray, the lens and the LED layout.

The origin is the middle of the tray's floor: x to the right, y away from the players, z up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hardware.pictures.plans import MARGIN_MM
from hardware.track import Layout, Place
from vision.cameras.field import Module, SizeWH, height_mm

TRAY_WH_MM = (320.0, 240.0)
"""Inner width and depth, in mm, of the plywood tray to build. Larger: the camera hangs higher, and dice look
smaller."""
KEEP_ZONE_MM = 80.0
"""Width of the keep zone at the tray's right end, in mm. Wider: less room to throw; narrower: kept dice do not fit."""
WALL_HEIGHT_MM = 30.0
"""Height of the wooden tray's walls above its floor, in mm, in the building plans. Lower: dice jump out; higher: the
walls shade the floor."""
SHEET_MM = 6.0
"""Thickness of the tray's plywood in mm, floor and walls alike. The tray's outer size and the arm's place and
height follow from it."""
RIDGE_WH_MM = (6.0, 3.0)
"""Width and height in mm of the ridge that is glued between throw zone and keep zone. Wider: less floor. Higher than 4
mm: dice lean on it."""
BASE_WDH_MM = (640.0, 400.0, 12.0)
"""Width, depth and thickness of the board that tray, arm and lights stand on."""
MARGIN = 1.05
"""Size of the camera's view as a multiple of the tray's floor. Higher: a longer post and smaller dice in the picture.
Lower: the edge of a slightly shifted tray is cut off."""

POST_MM = 20.0
"""Side in mm of the square post that carries the camera's arm: a planed batten or an aluminium tube.
Higher: the printed foot and sleeves grow, too."""
CLEARANCE_MM = 0.4
"""Play between the post and a printed sleeve in mm, both sides together. Less: the post jams; more: the arm wobbles."""
SLEEVE_WALL_MM = 5.0
"""Wall thickness of a printed sleeve around the post, in mm. Higher: a stiffer, larger sleeve."""
SLEEVE_MM = POST_MM + CLEARANCE_MM + 2 * SLEEVE_WALL_MM
"""Outer side of a printed sleeve around the square post."""
SLEEVE_HEIGHT_MM = 60.0
"""Height of a printed sleeve in mm, the length over which it holds the post. The post is longer by it."""
POST_GAP_MM = 4.0
"""Free space in mm between the tray's back wall and the foot of the post. More: a longer arm."""
PLATE_MM = 5.0
"""Thickness in mm of the plate that the camera hangs from. Higher: a stiffer plate."""
SPACER_MM = 3.0
"""Height in mm of the nylon spacers between the plate and the camera board below it. More: the camera hangs lower, so
the post must carry the arm higher."""
BOARD_MM = 1.0
"""Thickness in mm of a camera's circuit board. Higher: a longer post."""
LENS_MM = {"ov5647": 5.0, "imx219": 5.0, "imx708": 8.0, "imx708_wide": 9.0, "imx477": 45.0, "imx296": 45.0}
"""Distance from a camera's circuit board to the front of its lens, by sensor; the last two with the 6 mm lens. Higher:
a longer post."""
SMALL_HOLES_MM = ((-10.5, 0.0), (10.5, 0.0), (-10.5, 12.5), (10.5, 12.5))
"""Mounting holes (M2) of Camera Modules 1, 2, 3 and 3 Wide: (x, y) in mm from the lens, y towards the post."""
LARGE_HOLES_MM = ((-15.0, -15.0), (15.0, -15.0), (-15.0, 15.0), (15.0, 15.0))
"""Mounting holes (M2.5) of the HQ and Global Shutter Cameras: (x, y) in mm from the lens, y towards the post."""

LIGHT_BAR_WDL_MM = (17.2, 8.0, 300.0)
"""Width, depth and length, in mm, of a light bar: an LED channel with a milky cover. A wider or deeper one needs wider
printed holders, a longer one, holders farther apart."""
LIGHT_PLACE_MM = (280.0, 130.0)
"""Place of each light bar of the build, in mm. First its distance beside the tray's middle, then its height above the
floor. Nearer or higher, a shiny floor mirrors it into the camera; further away, the tray is darker."""
LIGHT_BAR_LUMENS = 270.0
"""Luminous flux in lumens of one light bar of 3 W through its cover. The computed illuminance is proportional to it."""

FOOT_SCREWS_MM = ((-27.0, -5.0), (27.0, -5.0), (-27.0, 37.0), (27.0, 37.0))
"""Positions (x, y), in mm from the post's axis, of the wood screws through the post's foot; y points away from the
tray. Farther out: the screws miss the flange; nearer: the sleeve is in their way."""
HOLDER_SCREWS_MM = (-28.0, -13.0)
"""Distances in mm of a light holder's two wood screws from the light bar; negative is towards the tray. Farther out: a
screw misses the foot; nearer: the holder's brace is in its way."""
HOLDER_BEFORE_MM = 6.0
"""Distance in mm by which a light bar is farther from the tray than the middle of its holder's foot. Higher: the feet
are nearer to the tray."""

BOARD_MARGIN_MM = MARGIN_MM
"""Border in mm between the outermost LEDs and the edge of the LED board's panels, as in the drilling template."""
FRONT_MM = 3.0
"""Thickness of the LED board's front panel in mm, through which the LEDs' holes are drilled. Higher: deeper holes and a
thicker LED board."""
LIGHT_WALL_MM = 6.0
"""Depth in mm, front to back, of the printed grid that keeps one hole's light out of the next. Higher: a thicker LED
board."""
BACK_MM = 6.0
"""Thickness of the LED board's back panel, in mm. Higher: a thicker LED board."""
HOLE_MM, LIGHT_HOLE_MM = 5.0, 5.6
"""Diameters, in mm, of each LED's hole: in the front panel, and in the light wall behind it. Larger: less wood between
neighbouring holes. A wall's hole narrower than the front's would hide part of its light."""
LIGHT_WALL_COLUMNS = 16
"""Columns of holes in one printed piece of the light wall. Higher: too long a piece for the smallest common printer."""


@dataclass(frozen=True, slots=True)
class Arm:
    """The camera's arm, cut for one camera.

    Attributes:
        lens_height_mm: Distance from the tray's floor up to the lens.
        lens_below_plate_mm: Distance from the underside of the arm down to the lens.
        post_mm: Length to saw the post to.
    """

    lens_height_mm: float
    lens_below_plate_mm: float
    post_mm: float


def arm_for(module: Module, size_wh: SizeWH) -> Arm:
    """Compute the dimensions of the camera's arm, so that the camera sees `MARGIN` times the tray's width and depth.

    The lens is as low as that allows, rounded up to whole millimetres.

    Args:
        module: The camera.
        size_wh: Width and height of its pictures in pixels; their ratio decides whether the floor's width or depth
            limits the view.
    """
    width_mm = MARGIN * max(TRAY_WH_MM[0], TRAY_WH_MM[1] * size_wh[0] / size_wh[1])
    height = float(math.ceil(height_mm(width_mm, module.angle_deg(size_wh))))
    below = SPACER_MM + BOARD_MM + LENS_MM[module.model]
    # The post stands on the base board and ends flush with the top of the sleeve.
    return Arm(height, below, SHEET_MM + height + below + SLEEVE_HEIGHT_MM)


def seen_mm(arm: Arm, module: Module, size_wh: SizeWH) -> tuple[float, float]:
    """Return width and depth in mm of the floor area that the camera sees, from the arm's size and the lens's angle."""
    height = arm.post_mm - SHEET_MM - SLEEVE_HEIGHT_MM - arm.lens_below_plate_mm
    width = 2 * height * math.tan(math.radians(module.angle_deg(size_wh)) / 2)
    return width, width * size_wh[1] / size_wh[0]


def post_y_mm() -> float:
    """Return the distance in mm of the post's axis behind the tray's middle, which is the reach of the arm."""
    return TRAY_WH_MM[1] / 2 + SHEET_MM + POST_GAP_MM + SLEEVE_MM / 2


def mirrored_x_mm(lens_height_mm: float) -> float:
    """Return where a shiny floor mirrors a light bar into the lens, in mm from the tray's middle.

    `lens_height_mm` is the height of the lens above the floor. The bar hangs at LIGHT_PLACE_MM; the point lies towards
    the bar.
    """
    x, z = LIGHT_PLACE_MM
    return x * lens_height_mm / (lens_height_mm + z)


def light_aim_degrees() -> float:
    """Return the angle above the horizontal at which a light bar is seen from the tray's middle."""
    x, z = LIGHT_PLACE_MM
    return math.degrees(math.atan2(z, x))


def illuminance_lx() -> float:
    """Return the illuminance in lux of the tray's middle by both light bars (Lambert's cosine law)."""
    x, z = LIGHT_PLACE_MM
    distance_m = math.hypot(x, z) / 1000
    return 2 * LIGHT_BAR_LUMENS / math.pi / distance_m**2 * z / math.hypot(x, z)


def strip_pieces(layout: Layout) -> list[tuple[int, int]]:
    """Return the straight pieces of the LED strip in wiring order, each as (first LED, last LED), by index.

    A new piece begins at an LED that breaks the line: the step to it differs from the first step of the piece by more
    than half of the length of that first step.
    """
    places, starts = layout.places_mm, [0]
    for led in range(1, layout.leds):
        start = starts[-1]
        step, first = _step(places[led - 1], places[led]), _step(places[start], places[min(start + 1, led)])
        if led - start > 1 and math.dist(step, first) > 0.5 * math.hypot(*first):
            starts.append(led)
    return list(zip(starts, [start - 1 for start in [*starts[1:], layout.leds]], strict=True))


def board_wh_mm(layout: Layout) -> tuple[float, float]:
    """Return width and height of the LED board's panels, in mm."""
    (left, top), (right, bottom) = _box(layout)
    return right - left + 2 * BOARD_MARGIN_MM, bottom - top + 2 * BOARD_MARGIN_MM


def on_board(layout: Layout) -> list[Place]:
    """Return each LED's (x, y) on the LED board's panels, in mm from their upper left corner."""
    (left, top), _ = _box(layout)
    return [(x - left + BOARD_MARGIN_MM, y - top + BOARD_MARGIN_MM) for x, y in layout.places_mm]


def _box(layout: Layout) -> tuple[Place, Place]:
    """Return the upper left and the lower right corner of the rectangle around all LEDs, in mm."""
    xs, ys = zip(*layout.places_mm, strict=True)
    return (min(xs), min(ys)), (max(xs), max(ys))


def _step(a: Place, b: Place) -> Place:
    """Return the vector from place `a` to place `b`, in mm."""
    return b[0] - a[0], b[1] - a[1]
