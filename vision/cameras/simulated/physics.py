"""How simulated dice fall: rigid cubes that meet the floor, the walls and each other, integrated in small steps.

Nothing chooses a value: it is whichever face ends on top, or none, where a die leans on a wall or on another.
Lengths in millimetres, time in seconds, a die's mass is 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.cameras.simulated.contact import CORNERS, STIFFNESS, Walls, between, cross, neighbours, on_planes, touch
from vision.reading.reading import Floats

GRAVITY_MM_S2 = 9810.0
"""Acceleration of gravity, in millimetres per second squared."""
STEP_S = 1 / 1200
"""Time step of the integration, in seconds. A longer one lets fast dice sink into each other."""
SPIN_LOSS_PER_S = 1.0
"""Air and felt: without it a die that stands on a corner may spin on for seconds."""
REST_SPEED_MM_S = 8.0
"""Largest speed of a die that counts as still."""
REST_SPIN_RAD_S = 1.0
"""Largest spin of a die that counts as still."""
REST_S = 0.12
"""Time below both limits, in seconds, after which a die is at rest."""
SUNK_MM = GRAVITY_MM_S2 / (4 * STIFFNESS)
"""So far a lying die presses the springs under its corners; laid higher, it would fall and bounce."""
FLAT_DEG = 2.5
"""A die that leans by less lies on its face, but for the springs it rests on."""
ALONE_MM = 0.2
"""Further than this from walls and other dice a die leans on nothing: it stands on its edge by chance."""
WAKE_MM_S = 30.0
"""A die at rest that is hit faster than this moves again."""


@dataclass(slots=True)
class Bodies:
    """All dice at a moment; arrays are changed in place by `advance`.

    Attributes:
        at_mm: (n, 3) centres, z up, floor at 0.
        velocity: (n, 3) mm/s.
        turn: (n, 3, 3) rotation matrices, columns are the die's own axes.
        spin: (n, 3) rad/s.
        still_s: (n,) how long each has been at rest.
    """

    at_mm: Floats
    velocity: Floats
    turn: Floats
    spin: Floats
    still_s: Floats

    @property
    def count(self) -> int:
        """How many dice there are."""
        return len(self.at_mm)

    @property
    def resting(self) -> NDArray[np.bool_]:
        """(n,) which dice have come to rest."""
        return self.still_s >= REST_S


def laid_out(count: int) -> Bodies:
    """Dice at rest at the origin."""
    at_mm, velocity, spin = np.zeros((3, count, 3))
    return Bodies(at_mm, velocity, np.tile(np.identity(3), (count, 1, 1)), spin, np.zeros(count))


def random_turns(count: int, rng: np.random.Generator) -> Floats:
    """(count, 3, 3) rotations, uniform over all of them (Mezzadri 2007, "How to generate random matrices")."""
    turns, triangles = np.linalg.qr(rng.normal(size=(count, 3, 3)))
    turns *= np.sign(np.diagonal(triangles, axis1=1, axis2=2))[:, None]
    return np.asarray(turns * np.linalg.det(turns)[:, None, None])


def advance(bodies: Bodies, moving: NDArray[np.bool_], edge_mm: float, walls: Walls, seconds: float) -> None:
    """Advance the `moving` dice by `seconds`, in place. Other dice stay fixed; those at rest move again when hit.

    A die that comes to rest on a face is laid exactly flat. `still_s` grows for dice at rest, also for those that lean.
    A die that stands on an edge alone is pushed until it falls.
    """
    for _ in range(max(1, round(seconds / STEP_S))):
        _step(bodies, moving, edge_mm, walls)


def _step(bodies: Bodies, moving: NDArray[np.bool_], edge_mm: float, walls: Walls) -> None:
    arms = np.einsum("nij,cj->nci", bodies.turn, CORNERS) * edge_mm
    speeds = bodies.velocity[:, None, :] + cross(bodies.spin[:, None, :], arms)
    forces = on_planes(bodies.at_mm[:, None, :] + arms, speeds, walls)
    force, torque = forces.sum(1), cross(arms, forces).sum(1)
    force[:, 2] -= GRAVITY_MM_S2
    _push_apart(bodies, moving, edge_mm, force, torque)
    awake = moving & (bodies.still_s < REST_S)
    bodies.velocity[awake] += force[awake] * STEP_S
    bodies.spin[awake] += torque[awake] * (6 / edge_mm**2 * STEP_S)
    bodies.spin[awake] *= 1 - SPIN_LOSS_PER_S * STEP_S
    bodies.at_mm[awake] += bodies.velocity[awake] * STEP_S
    bodies.turn[awake] = _turned(bodies.turn[awake], bodies.spin[awake] * STEP_S)
    _bring_to_rest(bodies, moving, edge_mm, walls)


def _push_apart(bodies: Bodies, moving: NDArray[np.bool_], edge_mm: float, force: Floats, torque: Floats) -> None:
    """Add to (n, 3) force and torque what dice that touch do to each other; a hit wakes one at rest."""
    at, turn = bodies.at_mm, bodies.turn
    for one, other in neighbours(at, edge_mm):
        if not (moving[one] or moving[other]):
            continue
        touched = touch((at[one], at[other]), (turn[one], turn[other]), edge_mm)
        if touched is None:
            continue
        arms = touched.at_mm - at[one], touched.at_mm - at[other]
        speeds = bodies.velocity[other] + cross(bodies.spin[other], arms[1])
        speeds = speeds - bodies.velocity[one] - cross(bodies.spin[one], arms[0])
        if (np.abs(speeds @ touched.normal) > WAKE_MM_S).any():
            bodies.still_s[[one, other]] = 0.0
        pushed = between(touched, speeds)
        force[one] -= pushed.sum(0)
        force[other] += pushed.sum(0)
        torque[one] -= cross(arms[0], pushed).sum(0)
        torque[other] += cross(arms[1], pushed).sum(0)


def _turned(turn: Floats, angle: Floats) -> Floats:
    """Rotations after a small turn (first order), made orthogonal again by one Gram-Schmidt pass."""
    turn = turn + cross(angle[:, None, :], turn.transpose(0, 2, 1)).transpose(0, 2, 1)
    x = turn[:, :, 0] / np.sqrt((turn[:, :, 0] ** 2).sum(1))[:, None]
    y = turn[:, :, 1] - (turn[:, :, 1] * x).sum(1)[:, None] * x
    y = y / np.sqrt((y**2).sum(1))[:, None]
    return np.stack([x, y, cross(x, y)], axis=-1)


def _bring_to_rest(bodies: Bodies, moving: NDArray[np.bool_], edge_mm: float, walls: Walls) -> None:
    slow = ((bodies.velocity**2).sum(1) < REST_SPEED_MM_S**2) & ((bodies.spin**2).sum(1) < REST_SPIN_RAD_S**2)
    bodies.still_s = np.where(moving & ~slow, 0.0, bodies.still_s + STEP_S)
    at_last = moving & (bodies.still_s >= REST_S) & (bodies.still_s < REST_S + STEP_S)
    for index in np.flatnonzero(at_last):
        _lay_flat_or_push(bodies, int(index), edge_mm, walls)


def _lay_flat_or_push(bodies: Bodies, index: int, edge_mm: float, walls: Walls) -> None:
    up = bodies.turn[index][2]
    bodies.velocity[index] = bodies.spin[index] = 0.0
    if leaning_deg(bodies.turn[index]) > FLAT_DEG:
        if _alone(bodies, index, edge_mm, walls):
            bodies.spin[index] = cross(np.array([up[0] + 0.1, up[1], 0.0]), np.array([0.0, 0.0, 1.0])) * 12.0
            bodies.velocity[index] = [40.0 * (index % 3 - 1), 40.0 * (index % 2), 60.0]
            bodies.still_s[index] = 0.0
    elif bodies.at_mm[index, 2] < 0.6 * edge_mm:  # else it lies on other dice
        bodies.turn[index] = laid_flat(bodies.turn[index])
        bodies.at_mm[index, 2] = min(float(bodies.at_mm[index, 2]), edge_mm / 2 - SUNK_MM)  # lower, with one on it


def leaning_deg(turn: Floats) -> float:
    """How far from level the uppermost face of a die with that (3, 3) rotation is."""
    return math.degrees(math.acos(min(1.0, float(np.abs(turn[2]).max()))))


def _alone(bodies: Bodies, index: int, edge_mm: float, walls: Walls) -> bool:
    """Whether a die touches nothing but the floor."""
    corners = bodies.at_mm[index] + CORNERS @ bodies.turn[index].T * edge_mm
    at_wall = any((offset - sign * corners[:, axis] > -ALONE_MM).any() for axis, sign, offset in walls.planes[1:])
    others = [b if a == index else a for a, b in neighbours(bodies.at_mm, edge_mm) if index in (a, b)]
    wider = edge_mm + 2 * ALONE_MM
    return not at_wall and not any(
        touch((bodies.at_mm[index], bodies.at_mm[other]), (bodies.turn[index], bodies.turn[other]), wider)
        for other in others
    )


def laid_flat(turn: Floats) -> Floats:
    """The (3, 3) rotation nearest to that one with which a die lies on a face."""
    axis = int(np.argmax(np.abs(turn[2])))
    up = np.array([0.0, 0.0, np.sign(turn[2, axis])])
    beside = turn[:, (axis + 1) % 3] * (1.0, 1.0, 0.0)
    beside /= np.linalg.norm(beside)
    flat = np.empty((3, 3))
    flat[:, axis], flat[:, (axis + 1) % 3], flat[:, (axis + 2) % 3] = up, beside, cross(up, beside)
    return flat
