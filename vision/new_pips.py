"""Pips that were not there when the tray was empty and belong to no die that was found: then a die was missed."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.background import Mask
from vision.geometry.rig import Rig
from vision.pips.blobs import pips, standing_out
from vision.reading import FrameBGR

Floats = NDArray[np.float64]
Box = tuple[int, int, int, int]
"""x, y, width, height in pixels."""

NEW_LEVELS = 25.0
"""A pip that was not there before stands out by so much more than the place did: twice what specks of noise reach."""
BRIGHTER = 1.3
"""A printed pattern may stand out by so much more than at calibration, in other light."""
SMALLEST_PIP_FACES = 0.007
"""Area of the smallest pip, in faces."""
OUTSIDE_EDGES = 0.06
"""A pip so far outside a die's outline is not its own."""
MARGIN_PX = 6


def unclaimed_pips(frame_bgr: FrameBGR, specks: Mask, outlines: list[Floats], rig: Rig) -> bool:
    """Whether some pip that was not in the empty tray lies in none of the outlines of dice.

    Args:
        frame_bgr: The frame.
        specks: (h, w) 255 where no shadow explains the frame, however small the place.
        outlines: (m, 2) each, in pixels, of the dice that were taken.
        rig: The calibration.
    """
    edge_px = rig.die_px
    left = specks.copy()
    for outline in outlines:
        corners = outline.round().astype(np.int32)
        cv2.fillConvexPoly(left, corners, 0)
        cv2.polylines(left, [corners], True, 0, round(2 * OUTSIDE_EDGES * edge_px))
    return any(_new_pips(frame_bgr, left, box, rig) for box in boxes(left, SMALLEST_PIP_FACES * edge_px**2))


def _new_pips(frame_bgr: FrameBGR, left: Mask, box: Box, rig: Rig) -> bool:
    """Whether a box holds a pip that was not there when the tray was empty."""
    edge_px = rig.die_px
    part = grown(*box, left.shape)
    spots = pips(frame_bgr[part], edge_px, left[part])
    if not len(spots):
        return False
    before = cv2.convertScaleAbs(standing_out(rig.empty_bgr[part], edge_px), alpha=BRIGHTER)
    new = cv2.subtract(standing_out(frame_bgr[part], edge_px), before)
    return any(_mean(new, spot) > NEW_LEVELS for spot in spots.tolist())


def _mean(levels: Mask, spot: list[float]) -> float:
    """Mean over a disc inside a spot."""
    disc = np.zeros(levels.shape, np.uint8)
    cv2.circle(disc, (round(spot[0]), round(spot[1])), max(1, round(0.7 * spot[2])), 255, -1)
    return float(cv2.mean(levels, disc)[0])


def boxes(mask: Mask, least_px: float = 0.0) -> list[Box]:
    """Where the pieces of a mask lie whose boxes have so many pixels at least."""
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found = [cv2.boundingRect(outline) for outline in outlines]
    return [(int(x), int(y), int(w), int(h)) for x, y, w, h in found if w * h >= least_px]


def grown(x: int, y: int, w: int, h: int, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """Rows and columns of a box with a margin round it, inside a picture of that shape."""
    rows = slice(max(0, y - MARGIN_PX), min(shape[0], y + h + MARGIN_PX))
    return rows, slice(max(0, x - MARGIN_PX), min(shape[1], x + w + MARGIN_PX))
