"""Finds the calibration sheet's ArUco markers, and the homography from the sheet's millimetres to pixels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from vision.calibration.sheet import BAR_MM, FIRST_ID, Sheet, aruco, dictionary
from vision.geometry.rig import projected
from vision.reading.reading import Floats, FrameBGR

MIN_MARKERS = 3
"""Least number of the sheet's markers for a pose; with fewer there is none, and a tray that fewer fit on gets no sheet.
The 12 corners of three overdetermine the 8 unknowns of a homography, which exposes errors. A higher limit needs more of
the sheet in view, and a larger tray."""
MIN_EDGE_DISTANCE_PX = 10.0
"""Least distance of a marker's corners from the picture's edge, in pixels. A nearer marker is left out: OpenCV 4.11
misplaces its corners, as the refinement window leaves the picture."""
RANSAC_PX = 3.0
"""RANSAC threshold: largest reprojection error, in pixels, of a corner that counts as an inlier. A higher one lets bent
or half covered markers distort the homography."""


@dataclass(frozen=True, slots=True)
class Marker:
    """An ArUco marker found in a picture: its number, and its (4, 2) corners in pixels, the upper left first."""

    number: int
    corners_px: Floats


def markers_in(frame_bgr: FrameBGR) -> tuple[Marker, ...]:
    """Find the markers of the sheet's dictionary in a frame (h, w, 3); return them ordered by number.

    Of two markers with one number the larger is kept. Markers within MIN_EDGE_DISTANCE_PX of the picture's edge are
    left out. Raises DeviceError if OpenCV has no ArUco module.
    """
    grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    ours = dictionary()
    if hasattr(aruco, "ArucoDetector"):
        settings = aruco.DetectorParameters()
        settings.cornerRefinementMethod = aruco.CORNER_REFINE_SUBPIX
        corners, numbers, _ = aruco.ArucoDetector(ours, settings).detectMarkers(grey)
    else:  # OpenCV 4.6, of Debian 12
        settings = aruco.DetectorParameters_create()
        settings.cornerRefinementMethod = aruco.CORNER_REFINE_SUBPIX
        corners, numbers, _ = aruco.detectMarkers(grey, ours, parameters=settings)
    found, size_wh = dict[int, Floats](), np.array(grey.shape[::-1])
    for quad, number in zip(corners, [] if numbers is None else numbers.ravel().tolist(), strict=True):
        corners_px = np.asarray(quad, np.float64).reshape(4, 2)
        if corners_px.min() < MIN_EDGE_DISTANCE_PX or (corners_px > size_wh - MIN_EDGE_DISTANCE_PX).any():
            continue
        if number not in found or _area(corners_px) > _area(found[number]):
            found[number] = corners_px
    return tuple(Marker(number, found[number]) for number in sorted(found))


def _area(corners_px: Floats) -> float:
    return float(cv2.contourArea(corners_px.astype(np.float32)))


def paper_of(markers: tuple[Marker, ...]) -> str | None:
    """Return the paper size, `a4` or `letter`, whose sheet has most of the markers, by their numbers; None for none."""
    counts = Counter(
        paper for paper, first in FIRST_ID.items() for marker in markers if first <= marker.number < first + 10
    )
    return max(counts, key=lambda paper: counts[paper], default=None)


def sheet_pose(
    markers: tuple[Marker, ...], sheet: Sheet, bar_mm: float = BAR_MM, straight: Callable[[Floats], Floats] = np.asarray
) -> tuple[Floats, float] | None:
    """Return the homography from the sheet's millimetres to pixels, and the RMS error of all corners in pixels.

    The homography is fitted by RANSAC to the corners of the sheet's markers, after `straight` has removed the lens's
    distortion from their pixels. The error includes corners that do not fit. `bar_mm`, the measured length of the bar
    printed as 100 mm, corrects for a printer that scaled the page. Returns None if fewer than MIN_MARKERS markers
    belong to the sheet, or fewer than 4 * MIN_MARKERS - 4 corners fit.
    """
    known = [marker for marker in markers if marker.number in sheet.corners_mm]
    if len(known) < MIN_MARKERS:
        return None
    points_mm = np.vstack([sheet.corners_mm[marker.number] for marker in known]) * (bar_mm / BAR_MM)
    points_px = straight(np.vstack([marker.corners_px for marker in known]))
    floor_to_px, taken = cv2.findHomography(points_mm, points_px, cv2.RANSAC, RANSAC_PX)
    if floor_to_px is None or int(taken.sum()) < 4 * MIN_MARKERS - 4:
        return None
    apart = points_px - projected(points_mm, floor_to_px)
    return floor_to_px, float(np.sqrt((apart**2).sum(1).mean()))
