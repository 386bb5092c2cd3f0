"""Solves the rig from a sheet in the tray or four marked corners: tray, zones, lens position, size of a die."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.calibration.image_quality import Advice, ground_advice, sheet_advice
from vision.calibration.lens import Lens
from vision.calibration.markers import MIN_MARKERS, Marker, markers_in, paper_of, sheet_pose
from vision.calibration.sheet import BAR_MM, sheet
from vision.geometry.background import EmptyTray, shrunk
from vision.geometry.floor import Floor
from vision.geometry.rig import Rig, Zone, projected
from vision.reading.reading import Floats, FrameBGR

MAX_TILT_DEG = 4.0
"""Tilt of the camera, in degrees, above which the person is advised to straighten it. At this tilt 1 mm of a 16 mm
die's side is seen, which the reader allows; more makes readings doubtful."""
HAND_HELD_DEG = 16.0
"""Tilt of the sheet to the camera, in degrees, above which the sheet counts as held by hand and gives no pose. No
camera over a tray is tilted as much. A higher limit could take a sheet in the hand for one in the tray."""
MAX_BEND_PX = 1.5
"""Largest RMS error, in pixels, of the markers' corners against a flat calibration sheet. A flat one has half a pixel;
above the limit the advice is to flatten the sheet. A higher limit accepts a bent one."""
MAX_STRETCH = 1.25
"""Ratio of pixels per mm along the tray's two sides above which marked corners begin at the wrong one. It counts only
if the longer side looks shorter in the picture. Lower refuses trays that are nearly square; higher misses wrong
corners."""
MIN_DIE_PX = 32.0
"""Width of a die in the picture, in pixels, below which the person is advised to hang the camera lower. In smaller dice
the pips run together. A higher limit complains of cameras that are near enough."""
REFERENCE_FRAMES = 8
"""Number of frames averaged for the picture of the empty tray, and of those that show a lamp's flicker: at least
MIN_FRAMES. Eight reduce noise to a third, so that a black die differs from black felt. More take longer."""
BLUR_RIM_PX = 2.4
"""Width, in pixels of the floor's view, that blurred edges add to a die's silhouette. It is subtracted when a die is
measured, so a larger value gives smaller dice."""
MIN_DIE_FACES = 0.35
"""Least area of the silhouette when calibration measures a die, in face areas of a die of the entered size. Smaller
foreground is a crumb or a shadow. Higher: dice smaller than entered are overlooked. Lower: crumbs count as dice."""
DIE_RANGE_MM = (8.0, 30.0)
"""Smallest and largest edge of a die, in millimetres, that a measurement may have; outside it the object is no die. A
wider range takes other objects for a die; a narrower one refuses unusual dice."""

SOLD_MM = (8.0, 10.0, 12.0, 14.0, 16.0, 18.0, 19.0, 20.0, 22.0, 25.0)
"""Edges, in millimetres, that dice are sold with; `sold_edge_mm` rounds a measured edge to the nearest. Dice of a size
that is missing keep the measured edge with its error, or get a neighbouring size."""
MAX_ROUNDING_MM = 0.7
"""Largest difference, in millimetres, at which a measured edge is rounded to the nearest in SOLD_MM. A higher limit
also rounds dice of unusual size; a lower one keeps errors of the measurement."""
DEFAULT_LENS_DEG = 62.2
"""Horizontal angle of view, in degrees, assumed for a lens that was not measured, unless the camera's module or
`--lens` tells it: that of Camera Module 2. Too large an angle puts the camera too low over the tray."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Facts that calibration can't measure by itself, as a person enters them or the camera tells them.

    Attributes:
        tray_mm: Width and height of the tray's floor, keep zone included.
        keep_mm: Width of the keep zone on the right; 0 for none.
        lens_deg: The lens's angle of view across the picture in degrees, used until it is measured.
        lens_mm: Height of the lens above the floor, by tape measure. With None it follows from the sheet.
        bar_mm: Measured length of the printed bar, which is 100 mm long in an exact print.
        die_mm: Edge of a die.
        mains_hz: Mains frequency of the lamps, 50 or 60; 0 takes that of the machine's country.
        sensor: Model of the camera's sensor; None for a camera that does not tell it.
    """

    tray_mm: tuple[float, float] = (320.0, 240.0)
    keep_mm: float = 80.0
    lens_deg: float = DEFAULT_LENS_DEG
    lens_mm: float | None = None
    bar_mm: float = BAR_MM
    die_mm: float = 16.0
    mains_hz: int = 0
    sensor: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SheetView:
    """Detection of the sheet in one picture: its markers, its pose, and advice on light, focus, tilt and position.

    The pose is a (3, 3) homography from millimetres of the floor to pixels of a lens without distortion, or None.
    """

    markers: tuple[Marker, ...]
    floor_to_px: Floats | None
    advice: tuple[Advice, ...]


def detect_sheet(frame_bgr: FrameBGR, plan: Plan, lens: Lens) -> SheetView:
    """Detect the calibration sheet in a picture; return its markers and pose, and advice on what to improve.

    Advice is on light, focus, tilt and position, and on a sheet that is covered, bent or not seen. The pose
    `floor_to_px` is None if too few markers are seen or fit the tray, or the sheet is tilted by more than
    HAND_HELD_DEG. Raises DeviceError if OpenCV has no ArUco module.
    """
    markers = markers_in(frame_bgr)
    paper = paper_of(markers)
    printed = sheet(paper or "a4", plan.tray_mm, plan.keep_mm)
    if (fit := len(printed.corners_mm)) < MIN_MARKERS:
        says = f"Only {fit} markers of the sheet fit this tray, and {MIN_MARKERS} are needed: use calibrate --corners."
        return SheetView(markers, None, (Advice("small_tray", says),))
    if paper is None:
        return SheetView(markers, None, (_NO_SHEET, *ground_advice(frame_bgr)))
    pose = sheet_pose(markers, printed, plan.bar_mm, lens.straightened)
    if pose is None:
        says = f"Only {len(markers)} of the sheet's markers are seen. Uncover the sheet; light it evenly."
        return SheetView(markers, None, (Advice("few_markers", says), *ground_advice(frame_bgr)))
    floor_to_px, off_px = pose
    if lens_over(floor_to_px, lens)[1] > HAND_HELD_DEG:
        return SheetView(markers, None, (_ASLANT,))
    bent = Advice("bent", f"The sheet is not flat (off by {off_px:.1f} px). Press it down; tape its edges.")
    advice = (*geometry_advice(floor_to_px, plan, lens), *sheet_advice(frame_bgr, markers))
    return SheetView(markers, floor_to_px, (*advice, bent) if off_px > MAX_BEND_PX else advice)


def by_corners(corners_px: Sequence[tuple[float, float]], plan: Plan) -> Floats:
    """Return the (3, 3) homography from the tray's millimetres to pixels, given the four floor corners in pixels.

    The corners' order is upper left, upper right, lower right, lower left. Raises ValueError if they do not form a
    convex quadrilateral in clockwise order. Also raises it if the tray's longer side looks shorter, and the ratio of
    the sides is off by more than the factor MAX_STRETCH: then the first corner is a wrong one.
    """
    points = np.array(corners_px, np.float32)
    if not cv2.isContourConvex(points) or cv2.contourArea(points, True) <= 0:
        raise ValueError("The corners are not in order: upper left, upper right, lower right, lower left.")
    sides_px = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    seen, real = float(sides_px[::2].sum() / sides_px[1::2].sum()), plan.tray_mm[0] / plan.tray_mm[1]
    if (seen - 1) * (real - 1) < 0 and max(seen / real, real / seen) > MAX_STRETCH:
        width, depth = plan.tray_mm
        raise ValueError(f"The corners do not fit a tray of {width:g} x {depth:g} mm: begin at its upper left corner.")
    floor = Zone(0.0, 0.0, *plan.tray_mm).corners_mm.astype(np.float32)
    return cv2.getPerspectiveTransform(floor, points).astype(np.float64)


def lens_over(floor_to_px: Floats, lens: Lens) -> tuple[tuple[float, float, float], float]:
    """Return the position of the lens over the tray, (x, y, height) in mm, and the camera's tilt in degrees.

    The tilt is the angle between the camera's axis and the vertical. `floor_to_px` is the homography from the tray's
    floor, in mm, to undistorted pixels. It equals K (r1 r2 t) up to a factor, with K the camera matrix of `lens`. See
    Zhang 2000, "A flexible new technique for camera calibration", section 2.
    """
    columns = np.linalg.inv(lens.matrix) @ floor_to_px
    columns /= (np.linalg.norm(columns[:, 0]) + np.linalg.norm(columns[:, 1])) / 2
    columns *= math.copysign(1.0, columns[2, 2])
    first, second, shift = columns.T
    left, _, right = np.linalg.svd(np.stack([first, second, np.cross(first, second)], 1))
    turn = left @ right
    x, y, z = -turn.T @ shift
    return (float(x), float(y), float(-z)), math.degrees(math.acos(min(1.0, abs(float(turn[2, 2])))))


def lens_at(floor_to_px: Floats, lens: Lens, height_mm: float) -> Lens:
    """Return the lens with the focal length that follows from its height by tape, marked as measured."""
    around = np.array(lens.size_wh) / 2 + [(0, 0), (1, 0), (0, 1)]
    on_floor = projected(around, np.linalg.inv(floor_to_px).astype(np.float64))
    px_per_mm = 1 / math.sqrt(abs(float(np.linalg.det(on_floor[1:] - on_floor[0]))))
    return replace(lens, focal_px=px_per_mm * height_mm, measured=True)


def through(lens: Lens, floor_to_px: Floats, plan: Plan) -> Floats:
    """Return the (3, 3) homography, from mm to pixels, that best fits the floor as a distorting lens shows it."""
    across, down = (np.linspace(0, edge, 9) for edge in plan.tray_mm)
    points_mm = np.stack(np.meshgrid(across, down), -1).reshape(-1, 2)
    shown = lens.bent(projected(points_mm, floor_to_px))
    return cv2.findHomography(points_mm, shown)[0]


def zones(plan: Plan) -> tuple[Zone, Zone]:
    """Return the throw zone and the keep zone of a tray."""
    width, height = plan.tray_mm
    ridge = width - plan.keep_mm
    return Zone(0.0, 0.0, ridge, height), Zone(ridge, 0.0, plan.keep_mm, height)


def rig_of(floor_to_px: Floats, plan: Plan, empty_bgr: FrameBGR, lens: Lens) -> Rig:
    """Build the rig from the tray's pose, without the lens's distortion, and the picture of the empty tray."""
    lens_mm, _ = lens_over(floor_to_px, lens)
    return Rig(through(lens, floor_to_px, plan), *zones(plan), plan.die_mm, lens_mm, empty_bgr)


def die_edge_mm(frame_bgr: FrameBGR, rig: Rig) -> float | None:
    """Measure the edge of the only die in the throw zone, in mm to a tenth, by its silhouette.

    The silhouette is what differs from the empty tray. Objects no larger than MIN_DIE_FACES face areas of the
    calibration's die are ignored. Returns None unless exactly one object is left in the throw zone, with an edge within
    DIE_RANGE_MM.
    """
    face_px = Floor.of(rig).face_px
    empty = EmptyTray.of(rig.empty_bgr, face_px, face_px / 2)
    changed = empty.foreground(shrunk(frame_bgr, empty.scale)).possible
    outlines, _ = cv2.findContours(changed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    dice = [outline[:, 0] for outline in outlines if cv2.contourArea(outline) > MIN_DIE_FACES * (face_px / 2) ** 2]
    on_floor = [rig.to_mm((outline + 0.5) / empty.scale).astype(np.float32) for outline in dice]
    squares = [cv2.minAreaRect(points) for points in on_floor]
    thrown = [square for square in squares if rig.throw.holds(*square[0])]
    if len(thrown) != 1:
        return None
    edge = _edge_of(cv2.boxPoints(thrown[0]).astype(np.float64), rig)
    return round(edge, 1) if DIE_RANGE_MM[0] <= edge <= DIE_RANGE_MM[1] else None


def _edge_of(box_mm: Floats, rig: Rig) -> float:
    """Return the edge, in mm, of a die whose silhouette on the floor is the rectangle `box_mm`.

    Perspective and blur are corrected. `box_mm` has the corners in order around the rectangle, (4, 2) in mm. Distances
    are measured from the point under the lens along the rectangle's two axes, and averaged over both. The far side
    belongs to the upper face, so it appears too far out by the factor height / (height - edge). The near side belongs
    to the lower face and is not shifted.

    So edge = away * (1 - edge / height) + near - rim, solved for edge. `height` is that of the lens above the floor,
    `away` the distance of the far side. `near` is minus the distance of the near side, `rim` the width of the blur. If
    the point under the lens lies under the die, both sides of an axis count as far ones.
    """
    x, y, height = rig.camera_mm
    sides = np.diff(box_mm[:3], axis=0)
    along = (box_mm - (x, y)) @ (sides / np.linalg.norm(sides, axis=1, keepdims=True)).T
    ends = np.stack([along.max(0), -along.min(0)])  # two of each side, outwards
    away, near = ends.clip(min=0).sum() / 2, ends.clip(max=0).sum() / 2
    rim_mm = BLUR_RIM_PX * rig.die_mm / Floor.of(rig).face_px
    return float((away + near - rim_mm) / (1 + away / height))


def sold_edge_mm(measured_mm: float) -> float:
    """Return the nearest edge, in mm, that dice are sold with, if within `MAX_ROUNDING_MM`; else the measured edge."""
    nearest = min(SOLD_MM, key=lambda edge: abs(edge - measured_mm))
    return nearest if abs(nearest - measured_mm) <= MAX_ROUNDING_MM else measured_mm


_NO_SHEET = Advice("no_sheet", "The sheet is not seen. Lay it flat into the tray, printed side up, all of it in view.")
_ASLANT = Advice("aslant", "The sheet is seen aslant, which tells the lens. Then lay it flat.")


def geometry_advice(floor_to_px: Floats, plan: Plan, lens: Lens) -> tuple[Advice, ...]:
    """Return all advice on the camera's place that applies; empty if the camera hangs well.

    - `tilted`: the camera is tilted by more than MAX_TILT_DEG.
    - `far`: a die under the lens is less than MIN_DIE_PX pixels wide.
    - `outside`: a part of the tray lies outside the picture, by more than 3 % of the picture's width. A narrower strip
      hides no die that lies flat.
    """
    (x, y, height), tilt = lens_over(floor_to_px, lens)
    advice = []
    if tilt > MAX_TILT_DEG:
        advice.append(Advice("tilted", f"The camera is tilted by {tilt:.0f} degrees. Turn it to look straight down."))
    die_px = np.linalg.norm(np.diff(projected(np.array([[x, y], [x + plan.die_mm, y]]), floor_to_px), axis=0))
    if die_px < MIN_DIE_PX:
        advice.append(
            Advice("far", f"A die is only {die_px:.0f} px wide. Hang the camera lower (now {height:.0f} mm).")
        )
    slack = 0.03 * lens.size_wh[0]  # a rim cut off by this costs no die that lies flat
    corners_px = projected(np.concatenate([zone.corners_mm for zone in zones(plan)]), floor_to_px)
    if (corners_px < -slack).any() or (corners_px > np.array(lens.size_wh) + slack).any():
        advice.append(
            Advice("outside", "A part of the tray is out of the picture. Hang the camera higher, or move it.")
        )
    return tuple(advice)
