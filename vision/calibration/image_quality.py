"""What a picture says of light and focus: too dark, too bright, reflections, uneven, out of focus; and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.markers import Marker
from vision.calibration.sheet import MODULES
from vision.reading.reading import FrameBGR

Grey = NDArray[np.uint8]

DARK_PAPER = 90.0
"""Grey level of white paper below which the sensor's noise (2 to 3 levels) drowns the pips of a dark die."""
DARK_GROUND = 35.0
"""Mean grey of an empty tray: a black tray in good light has more."""
BRIGHT_PAPER = 252.0
"""White paper that is burnt out: white dice will lose their edges."""
BURNT = 250
GLARE_PART = 0.004
"""Part of the picture that a reflection may burn out: half of a die's face in a tray of 320 x 240 mm."""
UNEVEN = 0.55
"""White paper in the darkest place against the brightest: below this a shadow looks like another felt."""
BLUR_PX = 4.5
"""Width of a black and white edge. A sharp lens has 2; a pip of 9 px is still a disc at 4.5."""
MODULE_PX = 16
"""A marker is brought to 16 px a module before its white and its edges are measured."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What is to be bettered: a short code, and a sentence for a person."""

    code: str
    says: str


def sheet_advice(frame_bgr: FrameBGR, markers: Sequence[Marker]) -> tuple[Advice, ...]:
    """Light and focus from the white and the edges of the sheet's markers."""
    grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    whites, edges_px = zip(*(_paper(grey, marker) for marker in markers), strict=True)
    advice = []
    if max(whites) < DARK_PAPER:
        advice.append(Advice("dark", f"Too dark: white paper is {max(whites):.0f} of 255. More light, left and right."))
    if min(whites) > BRIGHT_PAPER:
        advice.append(Advice("bright", "Too bright: white paper is burnt out. Dim the light."))
    elif max(whites) >= BURNT > 1.15 * float(np.median(whites)):
        advice.append(_GLARE)
    if min(whites) < UNEVEN * max(whites):
        advice.append(Advice("uneven", "One side is much darker than the other. Light the tray from left and right."))
    width = float(np.median(edges_px))
    if width > BLUR_PX:
        advice.append(
            Advice("blur", f"Out of focus: edges are {width:.0f} px wide. Turn the lens till they are sharp.")
        )
    return tuple(advice)


def ground_advice(frame_bgr: FrameBGR) -> tuple[Advice, ...]:
    """Light of a picture without a sheet: too dark, or with reflections."""
    grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    mean = float(grey.mean())
    advice = []
    if mean < DARK_GROUND:
        advice.append(Advice("dark", f"Too dark: the picture's mean is {mean:.0f} of 255. More light, left and right."))
    burnt = float(np.mean(grey >= BURNT))
    if burnt > 0.5:
        advice.append(Advice("bright", "Too bright: most of the picture is burnt out. Dim the light."))
    elif burnt > GLARE_PART:
        advice.append(_GLARE)
    return tuple(advice)


_GLARE = Advice("glare", "There are reflections. Move the lamp out of the mirror's angle, or put a cloth before it.")


def _paper(grey: Grey, marker: Marker) -> tuple[float, float]:
    """Grey of the paper round a marker, and how wide the marker's outer edges are in pixels of the picture.

    The first is the brighter half of a strip half a module wide outside its border, the second contrast over the
    steepest step.
    """
    patch = _flat(grey, marker).astype(np.float32)
    strip = np.concatenate([patch[2 : MODULE_PX // 2].ravel(), patch[-MODULE_PX // 2 : -2].ravel()])
    rows = patch[2 * MODULE_PX : -2 * MODULE_PX, : 2 * MODULE_PX]
    columns = patch[: 2 * MODULE_PX, 2 * MODULE_PX : -2 * MODULE_PX].T
    profile = np.concatenate([rows, columns]).mean(0)
    steepest = max(float(np.abs(np.diff(profile)).max()), 1e-3)
    side_px = float(np.linalg.norm(marker.corners_px[1] - marker.corners_px[0]))
    return float(np.median(strip)), float(np.ptp(profile)) / steepest * side_px / (MODULES * MODULE_PX)


def _flat(grey: Grey, marker: Marker) -> Grey:
    """The marker seen from straight above, with a module of paper round it."""
    near, far = MODULE_PX, (1 + MODULES) * MODULE_PX
    square = np.array([[near, near], [far, near], [far, far], [near, far]], np.float32)
    to_flat = cv2.getPerspectiveTransform(marker.corners_px.astype(np.float32), square)
    return cv2.warpPerspective(grey, to_flat, (near + far,) * 2, borderMode=cv2.BORDER_REPLICATE)
