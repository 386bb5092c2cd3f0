"""The dice of the virtual tray: thrown, moved and lifted as by a hand. Safe to use from any thread."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.cameras.simulated.contact import CORNERS, Walls
from vision.cameras.simulated.physics import (
    MAX_FLAT_DEG,
    Bodies,
    advance,
    laid_flat,
    laid_out,
    leaning_deg,
    random_rotations,
)
from vision.reading.reading import Floats

TRAY_WH_MM = (320.0, 240.0)
"""Width and height of the virtual tray's floor, in mm, keep zone included. A larger one would not fit the picture."""
RIDGE_MM = 240.0
"""Distance, in mm, from the tray's left side to the ridge between throw zone and keep zone. A larger one makes the
throw zone wider and the keep zone narrower."""
DIE_MM = 16.0
"""Edge of every simulated die, in millimetres. Larger dice look larger in the picture and leave less room."""
MARGIN_MM = 1.0
"""Distance, in mm, from the throw zone's edge inwards to the walls that stop dice: the felt rises a little at the edge.
A larger one makes the room for dice smaller."""
CUP_S = 0.5
"""Seconds, of simulated time, for which thrown dice are out of sight, as if shaken. Longer delays each throw."""
COCKED_SHARE = 0.01
"""Share of throws, 0 to 1, in which one die is made to lean on the wall, cocked. The physics alone hardly ever does
that. Twice as much gives twice as many cocked dice."""

_WALLS = Walls((MARGIN_MM, RIDGE_MM - MARGIN_MM), (MARGIN_MM, TRAY_WH_MM[1] - MARGIN_MM))
"""Box that simulated dice roll in: the throw zone, smaller by MARGIN_MM on each side."""


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """The number of a die, its (3,) centre in mm with z up, and its (3, 3) rotation at one time."""

    die: int
    at_mm: Floats
    rotation: Floats


def apart_mm(some: Sequence[Pose], others: Sequence[Pose]) -> float:
    """Return an upper bound, in mm, on how far any point of any die moved between two sets of poses.

    Returns infinity if they are not poses of the same dice in the same order; 0 for no dice.
    """
    if [pose.die for pose in some] != [pose.die for pose in others]:
        return math.inf
    both = zip(some, others, strict=True)
    far = (np.abs(a.at_mm - b.at_mm).sum() + np.abs(a.rotation - b.rotation).sum() * DIE_MM / 2 for a, b in both)
    return float(max(far, default=0.0))


class VirtualTray:
    """Dice that a person throws, moves and lifts. All start in the cup, out of sight."""

    def __init__(self, dice: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._lock = threading.Lock()
        self._bodies: Bodies = laid_out(dice)
        self._bodies.rotation = random_rotations(dice, rng)
        self._in_tray = np.zeros(dice, bool)
        self._rolling = np.zeros(dice, bool)
        self._due: dict[int, tuple[float, float]] = {}
        """For each die in the cup that is to be thrown: the simulated time, in seconds, and the strength, 0 to 1."""
        self._now_s = 0.0

    def throw(self, ids: Sequence[int] | None = None, strength: float = 0.6) -> None:
        """Take dice out of the tray, and throw them into the throw zone after CUP_S of simulated time.

        `ids` are the dice by index, from 0; None throws all that are not in the keep zone. `strength` of the throw is
        clamped to 0 to 1. Raises ValueError for an unknown die.
        """
        with self._lock:
            every = [die for die in range(self._bodies.count) if self._place(die) != "keep"] if ids is None else ids
            chosen = self._known(every)
            self._take_out(chosen)
            self._due |= dict.fromkeys(chosen, (self._now_s + CUP_S, min(1.0, max(0.0, strength))))

    def shake(self) -> None:
        """Shake the virtual tray: the dice in the throw zone jump up with random speed and spin, and fall anew."""
        with self._lock:
            shaken = self._in_tray & (self._bodies.at_mm[:, 0] < RIDGE_MM)
            count = int(shaken.sum())
            self._bodies.velocity[shaken] = self._rng.normal(0, 1, (count, 3)) * (350, 350, 80) + (0, 0, 600)
            self._bodies.spin[shaken] = self._rng.normal(0, 22, (count, 3))
            self._start(shaken)

    def move(self, die: int, x_mm: float, y_mm: float) -> None:
        """Lay a die flat at a point of the tray, or at a free place near it, with the same face up.

        A die in the cup can be laid, too; its pending throw is cancelled. Where no place is free, the die overlaps
        others. A die that lay or leant on it may fall. Raises ValueError for an unknown die.
        """
        with self._lock:
            (index,) = self._known([die])
            self._due.pop(index, None)
            x, y = self._free_place(index, x_mm, y_mm)
            self._bodies.at_mm[index] = (x, y, DIE_MM / 2)
            self._bodies.rotation[index] = laid_flat(self._bodies.rotation[index])
            self._bodies.velocity[index] = self._bodies.spin[index] = 0.0
            self._rolling[index] = False
            self._in_tray[index] = True
            self._start(self._in_tray & self._leaning())

    def lift(self, ids: Sequence[int] | None = None) -> None:
        """Lift simulated dice out of the tray into the cup, and cancel their pending throws; None lifts all dice.

        Raises ValueError for an unknown die.
        """
        with self._lock:
            self._take_out(tuple(range(self._bodies.count)) if ids is None else self._known(ids))

    def dice(self) -> list[dict[str, Any]]:
        """Return a dict for each die: `id` (number), `x_mm`, `y_mm`, `place` (throw, keep or out) and `resting`.

        A die in the cup is `out`: its position means nothing, and it is `resting` unless a throw of it is due.
        """
        with self._lock:
            at = self._bodies.at_mm
            return [
                {
                    "id": index,
                    "x_mm": round(float(at[index, 0]), 1),
                    "y_mm": round(float(at[index, 1]), 1),
                    "place": self._place(index),
                    "resting": not self._rolling[index] and index not in self._due,
                }
                for index in range(self._bodies.count)
            ]

    def advance(self, seconds: float) -> tuple[Pose, ...]:
        """Advance the clock by `seconds`, throw the dice that are due by then, and simulate their motion.

        Returns the poses of all dice in the tray.
        """
        with self._lock:
            self._now_s += seconds
            self._launch()
            if self._rolling.any():
                advance(self._bodies, self._rolling, DIE_MM, _WALLS, seconds)
                if self._bodies.resting[self._rolling].all():  # before that one may yet be hit
                    self._rolling[:] = False
            return tuple(
                Pose(int(index), self._bodies.at_mm[index].copy(), self._bodies.rotation[index].copy())
                for index in np.flatnonzero(self._in_tray)
            )

    def _launch(self) -> None:
        """Throw the simulated dice whose launch time has passed, if any.

        Dice with the same launch time and strength are one throw. In COCKED_SHARE of the throws, one of the thrown dice
        is placed on edge against the wall.
        """
        for thrown in sorted({due for due in self._due.values() if due[0] <= self._now_s}):
            chosen = [die for die, due in self._due.items() if due == thrown]
            self._due = {die: due for die, due in self._due.items() if due != thrown}
            count, strength = len(chosen), thrown[1]
            hard = 250 + 600 * strength
            side_mm = np.linspace(0.15, 0.85, count) * TRAY_WH_MM[1] if count > 1 else np.array([120.0])
            jitter = self._rng.uniform(-1, 1, (count, 3))
            self._bodies.at_mm[chosen] = np.stack(
                [30 + 14 * jitter[:, 0], side_mm + 6 * jitter[:, 1], 70 + 30 * jitter[:, 2]], 1
            )
            self._bodies.velocity[chosen] = self._rng.normal((hard, 0, -60), (0.25 * hard, 0.3 * hard, 60), (count, 3))
            self._bodies.rotation[chosen] = random_rotations(count, self._rng)
            self._bodies.spin[chosen] = self._rng.normal(0, 14 + 16 * strength, (count, 3))
            if self._rng.random() < COCKED_SHARE:
                self._lean(int(self._rng.choice(chosen)))
            started = np.zeros(self._bodies.count, bool)
            started[chosen] = True
            self._in_tray |= started
            self._start(started)

    def _lean(self, index: int) -> None:
        """Place the die at `index` on one of its edges against the left wall, where it rests cocked.

        Which edge it stands on, and its place along the wall, are random.
        """
        upright = np.identity(3)[self._rng.permutation(3)] * self._rng.choice([-1.0, 1.0], (3, 1))
        upright[0] *= np.linalg.det(upright)
        tilt = np.radians([0.0, -45 - float(self._rng.uniform(0.5, 3)), 0.0])
        rotation = cv2.Rodrigues(tilt)[0] @ upright
        corners = CORNERS @ rotation.T * DIE_MM
        beside = float(self._rng.uniform(30, TRAY_WH_MM[1] - 30))
        self._bodies.at_mm[index] = (MARGIN_MM - corners[:, 0].min(), beside, -corners[:, 2].min())
        self._bodies.rotation[index] = rotation
        self._bodies.velocity[index] = self._bodies.spin[index] = 0.0

    def _start(self, which: np.typing.NDArray[np.bool_]) -> None:
        """Let the dice move again for which the (n,) mask is true."""
        self._rolling |= which
        self._bodies.still_s[which] = 0.0

    def _take_out(self, ids: tuple[int, ...]) -> None:
        """Move dice into the cup and cancel their pending throws; dice that leant on them may fall."""
        for index in ids:
            self._due.pop(index, None)
            self._in_tray[index] = self._rolling[index] = False
            # Far outside the walls: nothing in the tray can touch it there.
            self._bodies.at_mm[index] = (-200.0 - 40 * index, -200.0, DIE_MM / 2)
        self._start(self._in_tray & self._leaning())

    def _leaning(self) -> np.typing.NDArray[np.bool_]:
        """Return (n,) whether each die is tilted or raised, so that it may fall when a neighbour goes."""
        high = self._bodies.at_mm[:, 2] > 0.6 * DIE_MM
        return high | np.array([leaning_deg(each) > MAX_FLAT_DEG for each in self._bodies.rotation], bool)

    def _place(self, index: int) -> str:
        """Return where a die is: `throw`, `keep` or `out`."""
        if not self._in_tray[index]:
            return "out"
        return "keep" if self._bodies.at_mm[index, 0] >= RIDGE_MM else "throw"

    def _known(self, ids: Sequence[int]) -> tuple[int, ...]:
        """Return the dice's numbers in the order given, without duplicates. Raises ValueError for an unknown die."""
        strange = [index for index in ids if not 0 <= index < self._bodies.count]
        if strange:
            raise ValueError(f"There is no die {strange[0]}; the dice are 0 to {self._bodies.count - 1}")
        return tuple(dict.fromkeys(ids))

    def _free_place(self, index: int, x_mm: float, y_mm: float) -> tuple[float, float]:
        """Return a free point (x, y) in mm for the die `index`, near the given point and in the same zone.

        If none is free, the given point is returned, clipped to the zone.
        """
        others = self._bodies.at_mm[self._in_tray & (np.arange(self._bodies.count) != index), :2]
        keep = x_mm >= RIDGE_MM
        low = (RIDGE_MM + 13 if keep else 12.0, 12.0)
        high = (TRAY_WH_MM[0] - 12 if keep else RIDGE_MM - 13, TRAY_WH_MM[1] - 12)
        turns = np.arange(0, 60, 0.5)
        spiral = np.stack([x_mm + 2.5 * turns * np.cos(turns), y_mm + 2.5 * turns * np.sin(turns)], 1).clip(low, high)
        free = np.linalg.norm(spiral[:, None] - others, axis=2).min(1, initial=np.inf) > DIE_MM * 1.44
        x, y = spiral[free.argmax()].tolist()  # the first: where none is free, the wanted one
        return x, y
