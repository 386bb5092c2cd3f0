"""The tray under a fixed camera: millimetres and pixels, the throw zone and the keep zone, and which die lies where."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Die, FrameBGR, Reading

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Zone:
    """A rectangle of the tray in millimetres: left, top, width, height."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float

    def holds(self, x_mm: float, y_mm: float) -> bool:
        """Whether a point lies in it."""
        return 0 <= x_mm - self.x_mm < self.width_mm and 0 <= y_mm - self.y_mm < self.height_mm


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """A camera fixed above a tray, as calibration found it.

    Attributes:
        floor_to_px: (3, 3) homography from millimetres on the tray's floor to pixels.
        throw: The throw zone.
        keep: The keep zone.
        die_mm: Edge of a die.
        camera_mm: The lens over the floor: x, y of the point under it, and its height.
        empty_bgr: The empty tray, same size as the frames.
    """

    floor_to_px: Matrix
    throw: Zone
    keep: Zone
    die_mm: float
    camera_mm: tuple[float, float, float]
    empty_bgr: FrameBGR

    @property
    def die_px(self) -> float:
        """Edge of a die's upper face in pixels, under the lens."""
        x, y, height = self.camera_mm
        here, there = self.to_px(np.array([[x, y], [x + self.die_mm, y]]))
        return float(np.linalg.norm(there - here)) * height / (height - self.die_mm)

    def fits(self, frame_bgr: FrameBGR) -> bool:
        """Whether a frame has the size that this was calibrated for."""
        return frame_bgr.shape == self.empty_bgr.shape

    def to_px(self, points_mm: Matrix) -> Matrix:
        """(n, 2) points of the floor in millimetres to pixels."""
        return cv2.perspectiveTransform(points_mm[None].astype(np.float64), self.floor_to_px)[0]

    def to_mm(self, points_px: Matrix) -> Matrix:
        """(n, 2) pixels to millimetres on the floor."""
        return cv2.perspectiveTransform(points_px[None].astype(np.float64), np.linalg.inv(self.floor_to_px))[0]

    def under(self, faces_px: Matrix) -> Matrix:
        """(n, 2) where dice lie whose upper faces' middles are seen at these (n, 2) pixels, in millimetres.

        The upper face is nearer to the lens than the floor, so it is seen further out: the distance from the point
        under the lens shrinks by (height - die) / height (HARDWARE.md, geometry).
        """
        x0, y0, height = self.camera_mm
        return np.array([x0, y0]) + (self.to_mm(faces_px) - (x0, y0)) * (height - self.die_mm) / height


@dataclass(frozen=True, slots=True)
class PlacedDie:
    """A die and where it lies: millimetres in the tray, or pixels of the picture when there is no rig."""

    die: Die
    x_mm: float
    y_mm: float


def place(reading: Reading, rig: Rig | None) -> tuple[tuple[PlacedDie, ...], tuple[PlacedDie, ...]]:
    """The dice of a reading by zone: thrown and kept. Without a rig the whole picture is the throw zone."""
    if rig is None:
        return tuple(PlacedDie(die, *die.centre_xy) for die in reading.dice), ()
    placed = [PlacedDie(die, *rig.under(np.array([die.centre_xy]))[0].tolist()) for die in reading.dice]
    kept = tuple(one for one in placed if rig.keep.holds(one.x_mm, one.y_mm))
    return tuple(one for one in placed if one not in kept), kept
