"""The lens from pictures of the sheet held at several angles: its focal length and how it bends lines.

From straight above, a camera can't tell a long lens hung high from a short one hung low; a sheet seen aslant tells them
apart (Zhang 2000, "A flexible new technique for camera calibration").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from vision.calibration.markers import Marker
from vision.calibration.sheet import Sheet
from vision.reading.reading import Floats

FEWEST_MARKERS = 4
FEWEST_VIEWS = 4
"""Three tell focal length and bending; with a fourth one that does not fit is noticed."""
MOST_VIEWS = 16
NEW_VIEW = 0.02
"""Of the picture's width: a view is new where its corners lie, on average, so far from those of every other view."""
STRAY_VIEW = 2.5
"""A view whose corners lie so many times further off than in the middle one is left out: a bent sheet."""
MOST_OFF_PX = 5.0
"""What corners lie off (rms of a view, mean over views) in a picture 1,280 px wide: those of a sheet bowed by 8 mm."""
MOST_ERROR = 0.03
"""Standard error of the focal length, of itself. Within both limits lenses of 40 to 80 degrees were found to hang where
they do within 6 % in the worst of a hundred trials (bowed sheet, oblong pixels, axis off the middle); guessed, 40 %."""
ASLANT_DEG = 15.0
"""Two views must lean apart by so much. Of a sheet that lay flat any focal length fits, and seems sure of itself."""


@dataclass(frozen=True, slots=True)
class Lens:
    """What a camera's lens does, its axis in the middle of the picture.

    Attributes:
        size_wh: The picture in pixels.
        focal_px: Focal length.
        bend: Radial distortion, k1 and k2 of OpenCV's model.
        measured: Whether it was measured; else it was told, or taken for the common one.
    """

    size_wh: tuple[int, int]
    focal_px: float
    bend: tuple[float, float] = (0.0, 0.0)
    measured: bool = False

    @property
    def angle_deg(self) -> float:
        """Angle of view across the picture."""
        return math.degrees(2 * math.atan(self.size_wh[0] / 2 / self.focal_px))

    @property
    def matrix(self) -> Floats:
        """(3, 3) the camera matrix."""
        width, height = self.size_wh
        return np.array([[self.focal_px, 0, width / 2], [0, self.focal_px, height / 2], [0, 0, 1]])

    def straightened(self, points_px: Floats) -> Floats:
        """(n, 2) pixels to where a lens that bends nothing would show them."""
        return cv2.undistortPoints(points_px[:, None], self.matrix, self._bend(), P=self.matrix)[:, 0]

    def bent(self, points_px: Floats) -> Floats:
        """(n, 2) pixels of a lens that bends nothing to where this one shows them."""
        rays = np.column_stack([(points_px - self.matrix[:2, 2]) / self.focal_px, np.ones(len(points_px))])
        return cv2.projectPoints(rays, np.zeros(3), np.zeros(3), self.matrix, self._bend())[0][:, 0]

    def _bend(self) -> Floats:
        return np.array([*self.bend, 0.0, 0.0])


def lens_of(size_wh: tuple[int, int], angle_deg: float) -> Lens:
    """A lens of that angle of view across, which bends nothing."""
    return Lens(size_wh, size_wh[0] / 2 / math.tan(math.radians(angle_deg) / 2))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The sheet as one picture shows it: (4 n, 2) corners of n markers in its millimetres; by number (4, 2) in pixels.

    How long the printed bar is does not matter here: a larger sheet further off looks the same.
    """

    points_mm: Floats
    corners_px: dict[int, Floats]


Views = tuple[View, ...]


def gathered(views: Views, markers: Sequence[Marker], sheet: Sheet, width_px: int) -> Views:
    """The views and this one, when enough of the sheet is seen in it, and otherwise than in any of them."""
    known = [marker for marker in markers if marker.number in sheet.corners_mm]
    if len(known) < FEWEST_MARKERS or len(views) == MOST_VIEWS:
        return views
    points_mm = np.vstack([sheet.corners_mm[marker.number] for marker in known])
    view = View(points_mm, {marker.number: marker.corners_px for marker in known})
    return views if any(_apart_px(view, one) < NEW_VIEW * width_px for one in views) else (*views, view)


def _apart_px(one: View, other: View) -> float:
    """Mean distance of the corners that both show; endless where they share none."""
    shared = [number for number in one.corners_px if number in other.corners_px]
    apart = [np.linalg.norm(one.corners_px[number] - other.corners_px[number], axis=1) for number in shared]
    return float(np.mean(apart)) if apart else math.inf


@lru_cache(maxsize=1)
def measured(views: Views, guess: Lens) -> Lens:
    """The lens that explains those views; the guess where they are too few or too alike, or do not fit together."""
    views = _fitting(views, guess)
    if len(views) < FEWEST_VIEWS:
        return guess
    solved = _solved(views, guess)
    fits = solved.off_px.mean() <= MOST_OFF_PX * guess.size_wh[0] / 1280 and solved.error <= MOST_ERROR
    return solved.lens if fits and solved.aslant_deg >= ASLANT_DEG else guess


def _fitting(views: Views, guess: Lens) -> Views:
    while len(views) > FEWEST_VIEWS:
        off_px = _solved(views, guess).off_px
        worst = int(off_px.argmax())
        if off_px[worst] < STRAY_VIEW * float(np.median(off_px)):
            break
        views = (*views[:worst], *views[worst + 1 :])
    return views


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """The lens; its focal length's standard error, of itself; (n,) what each view's corners lie off; how views lean."""

    lens: Lens
    error: float
    off_px: Floats
    aslant_deg: float


def _solved(views: Views, guess: Lens) -> _Solved:
    keep = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_PRINCIPAL_POINT | cv2.CALIB_FIX_ASPECT_RATIO
    keep |= cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_K3
    in_space = [np.column_stack([view.points_mm, np.zeros(len(view.points_mm))]).astype(np.float32) for view in views]
    in_picture = [np.vstack(list(view.corners_px.values())).astype(np.float32) for view in views]
    _, matrix, bend, turns, _, errors, _, off_px = cv2.calibrateCameraExtended(
        in_space, in_picture, guess.size_wh, guess.matrix, np.zeros(5), flags=keep
    )
    focal_px = float(matrix[0, 0])
    k1, k2 = bend.ravel()[:2].tolist()
    normals = np.stack([cv2.Rodrigues(turn)[0][:, 2] for turn in turns])
    aslant_deg = math.degrees(math.acos(float(np.clip(normals @ normals.T, -1, 1).min())))
    lens = Lens(guess.size_wh, focal_px, (k1, k2), measured=True)
    return _Solved(lens, float(errors.ravel()[0]) / focal_px, off_px.ravel(), aslant_deg)
