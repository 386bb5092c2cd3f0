"""Checks the light and focus of a picture, and advises what to improve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.markers import Marker
from vision.calibration.sheet import MODULES
from vision.reading.reading import FrameBGR

MIN_PAPER_LEVEL = 90.0
"""Least grey level, 0 to 255, of the paper at the brightest marker. Below it the advice is `dark`: in less light the
sensor's noise hides the pips of dark dice. A higher limit calls good light dark."""
MIN_GROUND_LEVEL = 35.0
"""Least mean grey level, 0 to 255, of a picture without a calibration sheet; below it the advice is `dark`. Higher: a
black tray in good light is called dark. Lower: poor light passes."""
MAX_PAPER_LEVEL = 252.0
"""Largest grey level, 0 to 255, of the paper at the darkest marker. Above it the advice is `bright`: white dice lose
their edges to saturation. At 255 the advice is never given."""
SATURATED_LEVEL = 250
"""Grey level, 0 to 255, from which a pixel counts as saturated: its true brightness is unknown. A lower level reports
reflections where there are none; above 255 none is found."""
MAX_GLARE_SHARE = 0.004
"""Largest saturated share of a picture without a sheet, 0 to 1; above it the advice is `glare`. In a picture that just
fits a tray of 320 x 240 mm it is a little more than a 16 mm die. Higher lets larger reflections pass."""
MIN_PAPER_RATIO = 0.55
"""Least ratio, 0 to 1, of the paper's grey level at the darkest marker to that at the brightest. Below it the advice is
`uneven`. A lower limit accepts shadows that look like felt of another colour; a higher one complains of good light."""
MAX_EDGE_PX = 4.5
"""Largest width of a black-to-white edge, in pixels. Above it the advice is `blur`. A pip of 9 px is still a disc at
this width; a higher limit accepts pictures whose pips run together."""
MODULE_PX = 16
"""Side of a marker's module, in pixels, in the rectified picture of a marker, where paper and edges are measured. A
larger one resolves finer edges and takes more time."""


@dataclass(frozen=True, slots=True)
class Advice:
    """One problem of the set-up: its short code, such as `dark`, and a sentence: what is wrong and what to do."""

    code: str
    says: str


def sheet_advice(frame_bgr: FrameBGR, markers: Sequence[Marker]) -> tuple[Advice, ...]:
    """Return advice on light and focus, measured at one or more markers of the calibration sheet; empty if all is good.

    The paper around the markers shows light that is too dark, too bright, uneven, or reflected; their edges show blur.
    """
    grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    whites, edges_px = zip(*(_grey_and_edge_px(grey, marker) for marker in markers), strict=True)
    advice = []
    if max(whites) < MIN_PAPER_LEVEL:
        advice.append(Advice("dark", f"Too dark: white paper is {max(whites):.0f} of 255. More light, left and right."))
    if min(whites) > MAX_PAPER_LEVEL:
        advice.append(Advice("bright", "Too bright: white paper is burnt out. Dim the light."))
    elif max(whites) >= SATURATED_LEVEL > 1.15 * float(np.median(whites)):
        advice.append(_GLARE)
    if min(whites) < MIN_PAPER_RATIO * max(whites):
        advice.append(Advice("uneven", "One side is much darker than the other. Light the tray from left and right."))
    width = float(np.median(edges_px))
    if width > MAX_EDGE_PX:
        advice.append(
            Advice("blur", f"Out of focus: edges are {width:.0f} px wide. Turn the lens till they are sharp.")
        )
    return tuple(advice)


def ground_advice(frame_bgr: FrameBGR) -> tuple[Advice, ...]:
    """Return advice on the light of a picture (h, w, 3) without the calibration sheet; empty if it is good."""
    grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    mean = float(grey.mean())
    advice = []
    if mean < MIN_GROUND_LEVEL:
        advice.append(Advice("dark", f"Too dark: the picture's mean is {mean:.0f} of 255. More light, left and right."))
    burnt = float(np.mean(grey >= SATURATED_LEVEL))
    if burnt > 0.5:
        advice.append(Advice("bright", "Too bright: most of the picture is burnt out. Dim the light."))
    elif burnt > MAX_GLARE_SHARE:
        advice.append(_GLARE)
    return tuple(advice)


_GLARE = Advice("glare", "There are reflections. Move the lamp out of the mirror's angle, or put a cloth before it.")


def _grey_and_edge_px(grey: NDArray[np.uint8], marker: Marker) -> tuple[float, float]:
    """Return the grey level of the paper around a marker, 0 to 255, and the width of the marker's edges in pixels.

    Both are measured in a rectified picture of the marker with one module of paper around it. The grey level is the
    median of the strips of paper above and below the marker. For the width, one average profile is taken across the
    left and the upper edge. The profile's contrast divided by its steepest step is the width, converted to pixels of
    `grey`.
    """
    near, far = MODULE_PX, (1 + MODULES) * MODULE_PX
    square = np.array([[near, near], [far, near], [far, far], [near, far]], np.float32)
    to_flat = cv2.getPerspectiveTransform(marker.corners_px.astype(np.float32), square)
    patch = cv2.warpPerspective(grey, to_flat, (near + far,) * 2, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    strip = np.concatenate([patch[2 : MODULE_PX // 2].ravel(), patch[-MODULE_PX // 2 : -2].ravel()])
    rows = patch[2 * MODULE_PX : -2 * MODULE_PX, : 2 * MODULE_PX]
    columns = patch[: 2 * MODULE_PX, 2 * MODULE_PX : -2 * MODULE_PX].T
    profile = np.concatenate([rows, columns]).mean(0)
    steepest = max(float(np.abs(np.diff(profile)).max()), 1e-3)
    side_px = float(np.linalg.norm(marker.corners_px[1] - marker.corners_px[0]))
    return float(np.median(strip)), float(np.ptp(profile)) / steepest * side_px / (MODULES * MODULE_PX)
