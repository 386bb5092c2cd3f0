"""The calibration of a fixed camera over the tray: millimetres to pixels, the zones, and where each die is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.errors import DeviceError
from vision.reading.reading import Die, Floats, FrameBGR, Reading


@dataclass(frozen=True, slots=True)
class Zone:
    """A rectangle of the tray in millimetres: left, top, width, height."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float

    @property
    def corners_mm(self) -> Floats:
        """(4, 2) corners of the zone: upper left, upper right, lower right, lower left."""
        right, bottom = self.x_mm + self.width_mm, self.y_mm + self.height_mm
        return np.array([[self.x_mm, self.y_mm], [right, self.y_mm], [right, bottom], [self.x_mm, bottom]])

    def holds(self, x_mm: float, y_mm: float) -> bool:
        """Return whether a point of the tray, in mm, is inside the zone. Its right and lower edges are outside."""
        return 0 <= x_mm - self.x_mm < self.width_mm and 0 <= y_mm - self.y_mm < self.height_mm


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """The calibration of a camera fixed above a tray.

    Attributes:
        floor_to_px: (3, 3) homography from millimetres on the tray's floor to pixels.
        throw: The throw zone.
        keep: The keep zone.
        die_mm: Edge of a die.
        camera_mm: Position of the lens: x, y of the point under it, and its height above the floor.
        empty_bgr: Picture of the empty tray, of the same size as the frames.

    Raises:
        DeviceError: The lens is not higher than two dice: a calibration went wrong.
    """

    floor_to_px: Floats
    throw: Zone
    keep: Zone
    die_mm: float
    camera_mm: tuple[float, float, float]
    empty_bgr: FrameBGR

    def __post_init__(self) -> None:
        if not self.camera_mm[2] > 2 * self.die_mm:
            height = f"The lens would be {self.camera_mm[2]:.0f} mm over the tray, too low for {self.die_mm:g} mm dice."
            raise DeviceError(height, "Check the tray's size, its corners and the lens, and calibrate again.")

    @property
    def magnified(self) -> float:
        """Size of an upper face in the picture, relative to an equal square on the floor: above 1, as it is nearer."""
        return self.camera_mm[2] / (self.camera_mm[2] - self.die_mm)

    def px_per_mm(self) -> Floats:
        """(2,) pixels per millimetre of the floor along x and y, under the lens, where they are largest."""
        under = np.array(self.camera_mm[:2])
        here, right, down = self.to_px(under + np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]))
        return np.linalg.norm(np.stack([right - here, down - here]), axis=0)

    def fits(self, frame_bgr: FrameBGR) -> bool:
        """Return whether a frame has the size of the calibration's picture, so that the calibration applies to it."""
        return frame_bgr.shape == self.empty_bgr.shape

    def to_px(self, points_mm: Floats) -> Floats:
        """Convert (n, 2) points of the tray's floor in millimetres to pixels of the frame."""
        return projected(points_mm, self.floor_to_px)

    def to_mm(self, points_px: Floats) -> Floats:
        """Convert (n, 2) points in pixels of the frame to millimetres on the tray's floor."""
        return projected(points_px, np.linalg.inv(self.floor_to_px).astype(np.float64))

    def above(self, points_mm: Floats) -> Floats:
        """Map (n, 2) points in mm, at the height of an upper face, to the floor points that they hide from the lens."""
        under = np.array(self.camera_mm[:2])
        return under + (points_mm - under) * self.magnified

    def under(self, faces_px: Floats) -> Floats:
        """Convert (n, 2) centres of upper faces in pixels to (n, 2) positions of the dice on the floor in mm.

        An upper face is nearer to the lens than the floor, so it appears too far from the point under the lens. That
        distance is multiplied by (lens height - die edge) / lens height (docs/reference/hardware.md, geometry).
        """
        under = np.array(self.camera_mm[:2])
        return under + (self.to_mm(faces_px) - under) / self.magnified


def projected(points: Floats, homography: Floats) -> Floats:
    """Apply a (3, 3) homography to (n, 2) points; returns (n, 2)."""
    seen = points @ homography[:, :2].T + homography[:, 2]
    return seen[:, :2] / seen[:, 2:]


def has_keep_zone(rig: Rig | None) -> bool:
    """Return whether a tray has a keep zone; without one, or a rig, dice set aside lie among the thrown ones."""
    return rig is not None and rig.keep.width_mm > 0


@dataclass(frozen=True, slots=True)
class LocatedDie:
    """A die and its position: millimetres in the tray, or pixels of the picture if there is no calibration."""

    die: Die
    x_mm: float
    y_mm: float


def place(reading: Reading, rig: Rig | None) -> tuple[tuple[LocatedDie, ...], tuple[LocatedDie, ...]]:
    """Return the dice of a reading with their positions, split into (thrown, kept): outside the keep zone and in it.

    With a rig, positions are in millimetres of the tray. Without one they are in pixels, and all dice count as thrown.

    >>> reading = Reading((Die(5, (100, 60, 40, 40), 0.99),), None)
    >>> place(reading, None)
    ((LocatedDie(die=Die(value=5, box_xywh=(100, 60, 40, 40), confidence=0.99), x_mm=120.0, y_mm=80.0),), ())
    """
    if rig is None:
        return tuple(LocatedDie(die, *die.centre_xy) for die in reading.dice), ()
    placed = [LocatedDie(die, *rig.under(np.array([die.centre_xy]))[0].tolist()) for die in reading.dice]
    kept = tuple(one for one in placed if rig.keep.holds(one.x_mm, one.y_mm))
    return tuple(one for one in placed if one not in kept), kept
