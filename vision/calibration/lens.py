"""Measures focal length and radial distortion from views of the sheet held at several angles.

A view from straight above does not separate focal length and height. Tilted views do (Zhang 2000, "A flexible new
technique for camera calibration"). See docs/method/calibration.md.
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

MIN_VIEW_MARKERS = 4
"""Least number of markers in a view that is kept; fewer give too few points for the lens's distortion. A higher limit
rejects more views of a partly covered sheet. Above 6 it rejects every view of the Letter sheet, which has 6."""
MIN_VIEWS = 4
"""Least number of views to measure the lens from; with fewer the guess is used. Three determine the lens; a fourth
shows whether they agree. More ask more of the person who holds the sheet."""
MAX_VIEWS = 16
"""Most views of the printed sheet that are kept to measure the lens. Until the lens is measured, one more replaces the
oldest; after that, further ones are ignored. Higher: the lens solver takes longer; lower: a less certain lens."""
MIN_VIEW_CHANGE = 0.02
"""Least mean distance of a new view's corners from those of each kept view, as a share of the picture's width. A nearer
view adds time but no information and is dropped. A higher limit makes people move the sheet further."""
OUTLIER_RATIO = 2.5
"""Reprojection error, as a multiple of the median view's, from which a view is rejected. Higher keeps worse views."""
MAX_REPROJECTION_PX = 5.0
"""Largest mean of the views' RMS reprojection errors, in pixels of a picture 1,280 px wide. Above it the measured lens
is replaced by the guess. A sheet bowed by 8 mm reaches it."""
MAX_FOCAL_ERROR = 0.03
"""Largest relative standard error of the focal length, 0.03 for 3 %. A less certain measured lens is replaced by the
guess; a higher limit accepts wrong lenses."""
MIN_TILT_DEG = 15.0
"""Least angle, in degrees, that the two most different poses of the sheet must have. With less tilt any focal length
fits equally well, so the measured lens is replaced by the guess."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A lens whose optical axis meets the middle of the picture; lengths are in pixels.

    `bend` holds the radial distortion coefficients k1 and k2 of OpenCV's model. A lens that was not `measured` has its
    focal length from a setting or the default.
    """

    size_wh: tuple[int, int]
    focal_px: float
    bend: tuple[float, float] = (0.0, 0.0)
    measured: bool = False

    @property
    def angle_deg(self) -> float:
        """Horizontal angle of view in degrees, without distortion."""
        return math.degrees(2 * math.atan(self.size_wh[0] / 2 / self.focal_px))

    @property
    def matrix(self) -> Floats:
        """The (3, 3) camera matrix."""
        width, height = self.size_wh
        return np.array([[self.focal_px, 0, width / 2], [0, self.focal_px, height / 2], [0, 0, 1]])

    def straightened(self, points_px: Floats) -> Floats:
        """Remove the distortion: (n, 2) pixels of this lens to those of a lens without distortion."""
        return cv2.undistortPoints(points_px[:, None], self.matrix, self._bend(), P=self.matrix)[:, 0]

    def bent(self, points_px: Floats) -> Floats:
        """Apply the distortion: (n, 2) pixels of a lens without distortion to those of this lens."""
        rays = np.column_stack([(points_px - self.matrix[:2, 2]) / self.focal_px, np.ones(len(points_px))])
        return cv2.projectPoints(rays, np.zeros(3), np.zeros(3), self.matrix, self._bend())[0][:, 0]

    def _bend(self) -> Floats:
        return np.array([*self.bend, 0.0, 0.0])


def lens_of(size_wh: tuple[int, int], angle_deg: float) -> Lens:
    """Return a lens without distortion, with a horizontal angle of view of `angle_deg` degrees."""
    return Lens(size_wh, size_wh[0] / 2 / math.tan(math.radians(angle_deg) / 2))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The sheet in one picture. A sheet printed larger looks like one that is nearer, so the print's scale cancels.

    `points_mm` holds the (4 n, 2) corners of its n markers on the sheet, `corners_px` the (4, 2) corners of each marker
    in pixels, by its number and in the same order.
    """

    points_mm: Floats
    corners_px: dict[int, Floats]


Views = tuple[View, ...]


def with_view(views: Views, markers: Sequence[Marker], sheet: Sheet, lens: Lens) -> Views:
    """Return `views` with the view of a new picture added, if it helps to measure the lens; otherwise unchanged.

    It helps if it shows at least MIN_VIEW_MARKERS markers of the sheet and differs from each view by MIN_VIEW_CHANGE of
    the picture's width. `lens` is the one computed from `views`. With MAX_VIEWS views, the new one replaces the oldest
    while `lens.measured` is False; once it is True, `views` stay unchanged.
    """
    known = [marker for marker in markers if marker.number in sheet.corners_mm]
    if len(known) < MIN_VIEW_MARKERS or (lens.measured and len(views) == MAX_VIEWS):
        return views
    points_mm = np.vstack([sheet.corners_mm[marker.number] for marker in known])
    view = View(points_mm, {marker.number: marker.corners_px for marker in known})
    if any(_apart_px(view, one) < MIN_VIEW_CHANGE * lens.size_wh[0] for one in views):
        return views
    return (*views, view)[-MAX_VIEWS:]


def _apart_px(one: View, other: View) -> float:
    """Return the mean distance, in pixels, between corners of the markers seen in both views; infinite if none is."""
    shared = [number for number in one.corners_px if number in other.corners_px]
    apart = [np.linalg.norm(one.corners_px[number] - other.corners_px[number], axis=1) for number in shared]
    return float(np.mean(apart)) if apart else math.inf


@lru_cache(maxsize=1)
def measured(views: Views, guess: Lens) -> Lens:
    """Compute focal length and distortion of the lens from views of the sheet (`cv2.calibrateCamera`).

    The worst view is left out while its error is at least OUTLIER_RATIO times the median and more than MIN_VIEWS are
    left. The solver starts from `guess`. Returns `guess` with fewer than MIN_VIEWS views, or if no two views differ in
    the sheet's tilt by MIN_TILT_DEG. Also returns `guess` if the fit is worse than MAX_REPROJECTION_PX or
    MAX_FOCAL_ERROR. The last result is cached.
    """
    if len(views) < MIN_VIEWS:
        return guess
    lens, focal_error, off_px, aslant_deg = _solved(views, guess)
    while len(views) > MIN_VIEWS and off_px.max() >= OUTLIER_RATIO * float(np.median(off_px)):
        worst = int(off_px.argmax())
        views = (*views[:worst], *views[worst + 1 :])
        lens, focal_error, off_px, aslant_deg = _solved(views, guess)
    fits = off_px.mean() <= MAX_REPROJECTION_PX * guess.size_wh[0] / 1280 and focal_error <= MAX_FOCAL_ERROR
    return lens if fits and aslant_deg >= MIN_TILT_DEG else guess


def _solved(views: Views, guess: Lens) -> tuple[Lens, float, Floats, float]:
    """Compute focal length, k1 and k2 of the lens from all views; its axis stays in the middle of the picture.

    `guess` gives the picture's size and the focal length to start from.

    Returns:
        The lens; the relative standard error of its focal length; the (n,) RMS reprojection error of each view in
        pixels; the largest angle, in degrees, between the sheets of any two views.
    """
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
    focal_error = float(errors.ravel()[:2].max()) / focal_px  # those of fx and fy; OpenCV gives 0 for the fixed one
    return lens, focal_error, off_px.ravel(), aslant_deg
