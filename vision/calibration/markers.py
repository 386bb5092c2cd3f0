"""Finds the calibration sheet's markers in a picture, and from them how millimetres on the floor become pixels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.sheet import BAR_MM, FIRST_ID, Sheet, aruco, dictionary
from vision.geometry.rig import projected
from vision.reading.reading import Floats, FrameBGR

FEWEST_MARKERS = 3
"""Three markers give twelve points for eight unknowns, and an error can be told from a fit."""
RIM_PX = 10.0
"""A marker with a corner so near to the picture's edge is left out: OpenCV 4.11 puts corners at 6 px from it 10 px off,
as the window that they are refined in leaves the picture; newer ones do not find such a marker."""
STRAY_PX = 3.0
"""A corner that lies further from where the others say is left out: a marker that is bent, or half covered."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker that was found: its number, and (4, 2) corners in pixels in the order of the sheet's."""

    number: int
    corners_px: Floats


def markers_in(frame_bgr: FrameBGR) -> tuple[Marker, ...]:
    """The markers of our dictionary, by number. Of two with the same number the larger one is the sheet's."""
    grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    corners, numbers = _detected(grey)
    found, size_wh = dict[int, Floats](), np.array(grey.shape[::-1])
    for quad, number in zip(corners, [] if numbers is None else numbers.ravel().tolist(), strict=True):
        corners_px = np.asarray(quad, np.float64).reshape(4, 2)
        if corners_px.min() < RIM_PX or (corners_px > size_wh - RIM_PX).any():
            continue
        if number not in found or _area(corners_px) > _area(found[number]):
            found[number] = corners_px
    return tuple(Marker(number, found[number]) for number in sorted(found))


def _detected(grey: NDArray[np.uint8]) -> tuple[tuple[NDArray[np.float32], ...], NDArray[np.int32] | None]:
    ours = dictionary()
    if hasattr(aruco, "ArucoDetector"):
        settings = aruco.DetectorParameters()
        settings.cornerRefinementMethod = aruco.CORNER_REFINE_SUBPIX
        corners, numbers, _ = aruco.ArucoDetector(ours, settings).detectMarkers(grey)
    else:  # OpenCV 4.6, of Debian 12
        settings = aruco.DetectorParameters_create()
        settings.cornerRefinementMethod = aruco.CORNER_REFINE_SUBPIX
        corners, numbers, _ = aruco.detectMarkers(grey, ours, parameters=settings)
    return tuple(corners), numbers


def _area(corners_px: Floats) -> float:
    return float(cv2.contourArea(corners_px.astype(np.float32)))


def paper_of(markers: tuple[Marker, ...]) -> str | None:
    """Which paper most of the markers are of; None when there is none of ours."""
    counts = {
        paper: sum(first <= marker.number < first + 10 for marker in markers) for paper, first in FIRST_ID.items()
    }
    best = max(counts, key=lambda paper: counts[paper])
    return best if counts[best] else None


def sheet_pose(
    markers: tuple[Marker, ...], sheet: Sheet, bar_mm: float = BAR_MM, straight: Callable[[Floats], Floats] = np.asarray
) -> tuple[Floats, float] | None:
    """How the sheet lies, from at least three of its markers; else None.

    That is the (3, 3) homography from its millimetres to pixels, and how far corners are off it (rms, pixels).

    Args:
        markers: As found.
        sheet: What was printed.
        bar_mm: What the sheet's bar of 100 mm measures in truth: printers like to shrink a page.
        straight: Takes (n, 2) pixels to where a lens that bends no lines would show them.
    """
    known = [marker for marker in markers if marker.number in sheet.corners_mm]
    if len(known) < FEWEST_MARKERS:
        return None
    points_mm = np.vstack([sheet.corners_mm[marker.number] for marker in known]) * (bar_mm / BAR_MM)
    points_px = straight(np.vstack([marker.corners_px for marker in known]))
    floor_to_px, taken = cv2.findHomography(points_mm, points_px, cv2.RANSAC, STRAY_PX)
    if floor_to_px is None or int(taken.sum()) < 4 * FEWEST_MARKERS - 4:
        return None
    apart = points_px - projected(points_mm, floor_to_px)
    return floor_to_px, float(np.sqrt((apart**2).sum(1).mean()))
