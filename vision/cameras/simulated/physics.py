"""How simulated dice fall: rigid cubes that meet the floor, the walls and each other, integrated in small steps.

Nothing chooses a value: it is whichever face ends on top, or none, where a die leans on a wall or on another.
Lengths in millimetres, time in seconds, a die's mass is 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.cameras.simulated.contact import (
    CORNERS,
    STIFFNESS,
    Walls,
    contact_forces,
    cross,
    neighbours,
    plane_forces,
    touch,
)
from vision.reading.reading import Floats

GRAVITY_MM_S2 = 9810.0
"""Acceleration of gravity, in mm/s2. A larger one makes dice fall and settle faster."""
STEP_S = 1 / 1200
"""Time step of the simulation, in seconds. Longer steps make the stiff contacts unstable; shorter take more time."""
SPIN_LOSS_PER_S = 1.0
"""Rate, per second, at which a die loses its spin. Without it a die may spin on a corner; larger stops it sooner."""
REST_SPEED_MM_S = 8.0
"""Speed, in mm/s, below which a die can be at rest. Larger freezes dice that still slide; smaller lets them tremble."""
REST_SPIN_RAD_S = 1.0
"""Angular velocity, in rad/s, below which a die is slow enough to be at rest. A larger one freezes dice that still
turn; a smaller one lets them tremble for longer."""
REST_S = 0.12
"""Seconds for which a simulated die must stay slow; then the physics stops it, at rest. Shorter freezes a die that
balances for a moment; longer delays each rest."""
SUNK_MM = GRAVITY_MM_S2 / (4 * STIFFNESS)
"""Depth, in mm, by which a lying die presses the contact springs under its corners. Laid higher it would bounce."""
MAX_FLAT_DEG = 2.5
"""Tilt, in degrees, up to which a die at rest counts as lying on a face and is laid flat. A steeper die leans on
something or stands on an edge. A larger one would lay leaning dice flat."""
MIN_GAP_MM = 0.2
"""Gap, in mm, up to which a tilted die at rest counts as leaning on a wall or another die. Beyond it the die stands on
an edge by chance, and is pushed. A larger one leaves dice on their edges."""
WAKE_MM_S = 30.0
"""Speed, in mm/s, of a hit from which a die at rest moves again. A larger one lets dice ignore hits; a smaller one
wakes dice that only touch."""


@dataclass(slots=True)
class Bodies:
    """State of n dice; `advance` changes the arrays in place.

    Attributes:
        at_mm: (n, 3) centres, z up, floor at 0.
        velocity: (n, 3) velocities in mm/s.
        rotation: (n, 3, 3) rotation matrices, columns are the die's own axes.
        spin: (n, 3) angular velocities in rad/s.
        still_s: (n,) how long each die has been slow, in seconds.
    """

    at_mm: Floats
    velocity: Floats
    rotation: Floats
    spin: Floats
    still_s: Floats

    @property
    def count(self) -> int:
        """Number of dice."""
        return len(self.at_mm)

    @property
    def resting(self) -> NDArray[np.bool_]:
        """(n,) whether each die has come to rest."""
        return self.still_s >= REST_S


def laid_out(count: int) -> Bodies:
    """Return the state of `count` dice without motion, all unrotated at the origin; none counts as `resting` yet."""
    at_mm, velocity, spin = np.zeros((3, count, 3))
    return Bodies(at_mm, velocity, np.tile(np.identity(3), (count, 1, 1)), spin, np.zeros(count))


def random_rotations(count: int, rng: np.random.Generator) -> Floats:
    """Return (count, 3, 3) rotations, uniform over all (Mezzadri 2007, "How to generate random matrices")."""
    rotations, triangles = np.linalg.qr(rng.normal(size=(count, 3, 3)))
    rotations *= np.sign(np.diagonal(triangles, axis1=1, axis2=2))[:, None]
    return np.asarray(rotations * np.linalg.det(rotations)[:, None, None])


def advance(bodies: Bodies, moving: NDArray[np.bool_], edge_mm: float, walls: Walls, seconds: float) -> None:
    """Simulate the motion of dice for a number of seconds; changes `bodies` in place.

    A die that has been slow for REST_S is stopped. With a face on the floor it is laid exactly flat. If it leans on a
    wall, or leans or lies on another die, it stays as it is. If it stands on an edge without support, it is pushed.
    A stopped die moves again only after a hit above WAKE_MM_S, not when its support goes.

    Args:
        bodies: State of the dice.
        moving: (n,) which dice can move; the others are fixed.
        edge_mm: Edge of a die.
        walls: Limits of the box.
        seconds: Time to simulate, rounded to whole steps of STEP_S; at least one step.
    """
    for _ in range(max(1, round(seconds / STEP_S))):
        arms = np.einsum("nij,cj->nci", bodies.rotation, CORNERS) * edge_mm
        velocities = bodies.velocity[:, None, :] + cross(bodies.spin[:, None, :], arms)
        forces = plane_forces(bodies.at_mm[:, None, :] + arms, velocities, walls)
        force, torque = forces.sum(1), cross(arms, forces).sum(1)
        force[:, 2] -= GRAVITY_MM_S2
        _push_apart(bodies, moving, edge_mm, force, torque)
        awake = moving & (bodies.still_s < REST_S)
        bodies.velocity[awake] += force[awake] * STEP_S
        bodies.spin[awake] += torque[awake] * (6 / edge_mm**2 * STEP_S)
        bodies.spin[awake] *= 1 - SPIN_LOSS_PER_S * STEP_S
        bodies.at_mm[awake] += bodies.velocity[awake] * STEP_S
        bodies.rotation[awake] = _turned(bodies.rotation[awake], bodies.spin[awake] * STEP_S)
        slow = ((bodies.velocity**2).sum(1) < REST_SPEED_MM_S**2) & ((bodies.spin**2).sum(1) < REST_SPIN_RAD_S**2)
        bodies.still_s[:] = np.where(moving & ~slow, 0.0, bodies.still_s + STEP_S)
        at_last = moving & (bodies.still_s >= REST_S) & (bodies.still_s < REST_S + STEP_S)
        for index in np.flatnonzero(at_last):
            _stop(bodies, int(index), edge_mm, walls)


def _push_apart(bodies: Bodies, moving: NDArray[np.bool_], edge_mm: float, force: Floats, torque: Floats) -> None:
    """Add the forces and torques of touching dice on each other to `force` and `torque`, (n, 3) each, in place.

    A hit above WAKE_MM_S wakes both dice: sets their `still_s` to 0. A pair in which neither is `moving` is left out.
    """
    at, rotation = bodies.at_mm, bodies.rotation
    for one, other in neighbours(at, edge_mm):
        if not (moving[one] or moving[other]):
            continue
        touched = touch((at[one], at[other]), (rotation[one], rotation[other]), edge_mm)
        if touched is None:
            continue
        arms = touched.at_mm - at[one], touched.at_mm - at[other]
        velocities = bodies.velocity[other] + cross(bodies.spin[other], arms[1])
        velocities = velocities - bodies.velocity[one] - cross(bodies.spin[one], arms[0])
        if (np.abs(velocities @ touched.normal) > WAKE_MM_S).any():
            bodies.still_s[[one, other]] = 0.0
        pushed = contact_forces(touched, velocities)
        force[one] -= pushed.sum(0)
        force[other] += pushed.sum(0)
        torque[one] -= cross(arms[0], pushed).sum(0)
        torque[other] += cross(arms[1], pushed).sum(0)


def _turned(rotation: Floats, angle: Floats) -> Floats:
    """Return (n, 3, 3) rotations turned further by small (n, 3) angles in radians about the tray's axes."""
    rotation = rotation + cross(angle[:, None, :], rotation.transpose(0, 2, 1)).transpose(0, 2, 1)
    x = rotation[:, :, 0] / np.sqrt((rotation[:, :, 0] ** 2).sum(1))[:, None]
    y = rotation[:, :, 1] - (rotation[:, :, 1] * x).sum(1)[:, None] * x
    y = y / np.sqrt((y**2).sum(1))[:, None]
    return np.stack([x, y, cross(x, y)], axis=-1)


def _stop(bodies: Bodies, index: int, edge_mm: float, walls: Walls) -> None:
    """Stop the slow die at `index`, and lay it exactly flat if one of its faces lies on the floor.

    If it stands on an edge or a corner, away from walls and other dice, it is pushed instead, so that it falls. A die
    that leans on a wall or a die, or lies on other dice, keeps its pose.
    """
    up = bodies.rotation[index][2]
    bodies.velocity[index] = bodies.spin[index] = 0.0
    if leaning_deg(bodies.rotation[index]) > MAX_FLAT_DEG:
        if _alone(bodies, index, edge_mm, walls):
            bodies.spin[index] = cross(np.array([up[0] + 0.1, up[1], 0.0]), np.array([0.0, 0.0, 1.0])) * 12.0
            bodies.velocity[index] = [40.0 * (index % 3 - 1), 40.0 * (index % 2), 60.0]
            bodies.still_s[index] = 0.0
    elif bodies.at_mm[index, 2] < 0.6 * edge_mm:  # else it lies on other dice
        bodies.rotation[index] = laid_flat(bodies.rotation[index])
        bodies.at_mm[index, 2] = min(float(bodies.at_mm[index, 2]), edge_mm / 2 - SUNK_MM)  # lower, with one on it


def leaning_deg(rotation: Floats) -> float:
    """Return the angle, in degrees, between the top face of a die with the (3, 3) `rotation` and the horizontal."""
    return math.degrees(math.acos(min(1.0, float(np.abs(rotation[2]).max()))))


def _alone(bodies: Bodies, index: int, edge_mm: float, walls: Walls) -> bool:
    """Return whether the die at `index` keeps a gap of MIN_GAP_MM to each side wall and every other die.

    For the gap between two dice, both are grown by half of MIN_GAP_MM on each side; the grown dice must not touch. So
    an edge or a corner that faces another die needs a somewhat wider gap than two faces.
    """
    corners = bodies.at_mm[index] + CORNERS @ bodies.rotation[index].T * edge_mm
    at_wall = any((offset - sign * corners[:, axis] > -MIN_GAP_MM).any() for axis, sign, offset in walls.planes[1:])
    others = [b if a == index else a for a, b in neighbours(bodies.at_mm, edge_mm) if index in (a, b)]
    wider = edge_mm + MIN_GAP_MM  # both dice grow by half of the gap on each side
    return not at_wall and not any(
        touch((bodies.at_mm[index], bodies.at_mm[other]), (bodies.rotation[index], bodies.rotation[other]), wider)
        for other in others
    )


def laid_flat(rotation: Floats) -> Floats:
    """Return the (3, 3) `rotation` of a die, tilted so that the die lies flat, its highest face on top.

    Seen from above, one edge of the die keeps its direction.
    """
    axis = int(np.argmax(np.abs(rotation[2])))
    up = np.array([0.0, 0.0, np.sign(rotation[2, axis])])
    beside = rotation[:, (axis + 1) % 3] * (1.0, 1.0, 0.0)
    beside /= np.linalg.norm(beside)
    flat = np.empty((3, 3))
    flat[:, axis], flat[:, (axis + 1) % 3], flat[:, (axis + 2) % 3] = up, beside, cross(up, beside)
    return flat
