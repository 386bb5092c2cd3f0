"""How simulated dice fall: rigid cubes whose corners meet the floor and the walls, integrated in small steps.

Contact is a stiff spring with damping and friction at each corner (penalty method; Witkin & Baraff, Physically Based
Modeling, 1997); dice push each other apart as balls. Nothing chooses a value: it is whichever face ends on top.
Lengths in millimetres, time in seconds, a die's mass is 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

GRAVITY_MM_S2 = 9810.0
STEP_S = 1 / 1200
STIFFNESS = 60_000.0
"""Four corners under a resting die sink gravity / (4 stiffness) = 0.04 mm; nine steps to an oscillation."""
DAMPING = 60.0
"""About an eighth of critical: a die bounces two or three times, as plastic does on felt."""
FRICTION = 0.45
SPIN_LOSS_PER_S = 1.0
"""Air and felt: without it a die that stands on a corner may spin on for seconds."""
APART = 1.44
"""Least distance of two centres in edges: just over the diagonal of a face, so that lying dice don't overlap."""
PUSH = 30_000.0
REST_SPEED_MM_S = 12.0
REST_SPIN_RAD_S = 1.0
REST_S = 0.12
FLAT = 0.9995
"""Cosine between the upward axis and the vertical above which a die lies flat."""

CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


@dataclass(frozen=True, slots=True)
class Walls:
    """The box that dice roll in: x and y limits in mm."""

    x_mm: tuple[float, float]
    y_mm: tuple[float, float]


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


def laid_out(count: int) -> Bodies:
    """Dice at rest at the origin."""
    return Bodies(
        np.zeros((count, 3)),
        np.zeros((count, 3)),
        np.tile(np.eye(3), (count, 1, 1)),
        np.zeros((count, 3)),
        np.zeros(count),
    )


def random_turns(count: int, rng: np.random.Generator) -> Floats:
    """(count, 3, 3) rotations, uniform over all of them (from unit quaternions; Shoemake 1992)."""
    quaternions = rng.normal(size=(4, count))
    w, x, y, z = quaternions / np.linalg.norm(quaternions, axis=0)
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1),
            np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1),
            np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1),
        ],
        -2,
    )


def advance(bodies: Bodies, moving: NDArray[np.bool_], edge_mm: float, walls: Walls, seconds: float) -> None:
    """Move the dice that are `moving` on by that time; the others stand like rocks.

    A die at rest on a face is laid exactly flat and its `still_s` grows past `REST_S`; one at rest on an edge (leaning
    on a wall) is pushed until it falls, as a knock on the table would.
    """
    for _ in range(max(1, round(seconds / STEP_S))):
        _step(bodies, moving, edge_mm, walls)


def resting(bodies: Bodies) -> NDArray[np.bool_]:
    """(n,) which dice have come to rest."""
    return bodies.still_s >= REST_S


def _step(bodies: Bodies, moving: NDArray[np.bool_], edge_mm: float, walls: Walls) -> None:
    arms = np.einsum("nij,cj->nci", bodies.turn, CORNERS) * edge_mm
    corners = bodies.at_mm[:, None, :] + arms
    speeds = bodies.velocity[:, None, :] + np.cross(bodies.spin[:, None, :], arms)
    forces = _contact(corners, speeds, walls)
    force = forces.sum(1) + _push_apart(bodies.at_mm, edge_mm)
    force[:, 2] -= GRAVITY_MM_S2
    torque = np.cross(arms, forces).sum(1)
    bodies.velocity[moving] += force[moving] * STEP_S
    bodies.spin[moving] += torque[moving] * (6 / edge_mm**2 * STEP_S)
    bodies.spin[moving] *= 1 - SPIN_LOSS_PER_S * STEP_S
    bodies.at_mm[moving] += bodies.velocity[moving] * STEP_S
    bodies.turn[moving] = _turned(bodies.turn[moving], bodies.spin[moving] * STEP_S)
    _settle(bodies, moving, edge_mm)


def _contact(corners: Floats, speeds: Floats, walls: Walls) -> Floats:
    """(n, 8, 3) forces at the corners from the floor and the four walls."""
    forces = np.zeros_like(corners)
    planes = (
        (2, 1.0, 0.0),
        (0, 1.0, walls.x_mm[0]),
        (0, -1.0, -walls.x_mm[1]),
        (1, 1.0, walls.y_mm[0]),
        (1, -1.0, -walls.y_mm[1]),
    )
    for axis, sign, offset in planes:
        depth = offset - sign * corners[:, :, axis]
        if not (depth > 0).any():
            continue
        into = sign * speeds[:, :, axis]
        normal = np.where(depth > 0, np.maximum(STIFFNESS * depth - DAMPING * into, 0.0), 0.0)
        along = speeds.copy()
        along[:, :, axis] = 0.0
        # Dry friction, smoothed below 20 mm/s so that a die comes to rest instead of trembling.
        grip = FRICTION * normal / (np.linalg.norm(along, axis=-1) + 20.0)
        forces -= along * grip[:, :, None]
        forces[:, :, axis] += sign * normal
    return forces


def _push_apart(at_mm: Floats, edge_mm: float) -> Floats:
    apart = at_mm[:, None, :] - at_mm[None, :, :]
    distance = np.linalg.norm(apart, axis=-1) + np.eye(len(at_mm)) * 1e9
    overlap = np.maximum(APART * edge_mm - distance, 0.0)
    push: Floats = (apart * (PUSH / 10 * overlap / np.maximum(distance, 1.0))[:, :, None]).sum(1)
    push[:, 2] = np.maximum(push[:, 2], 0.0)
    return push


def _turned(turn: Floats, angle: Floats) -> Floats:
    """Rotations after a small turn (first order), made orthogonal again by one Gram-Schmidt pass."""
    turn = turn + np.cross(angle[:, None, :], turn.transpose(0, 2, 1)).transpose(0, 2, 1)
    x = turn[:, :, 0] / np.linalg.norm(turn[:, :, 0], axis=1, keepdims=True)
    y = turn[:, :, 1] - (turn[:, :, 1] * x).sum(1, keepdims=True) * x
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _settle(bodies: Bodies, moving: NDArray[np.bool_], edge_mm: float) -> None:
    slow = (np.linalg.norm(bodies.velocity, axis=1) < REST_SPEED_MM_S) & (
        np.linalg.norm(bodies.spin, axis=1) < REST_SPIN_RAD_S
    )
    low = bodies.at_mm[:, 2] < 0.9 * edge_mm
    bodies.still_s = np.where(moving & ~(slow & low), 0.0, bodies.still_s + STEP_S)
    done = moving & (bodies.still_s >= REST_S)
    for index in np.flatnonzero(done):
        _lay_flat_or_push(bodies, int(index), edge_mm)


def _lay_flat_or_push(bodies: Bodies, index: int, edge_mm: float) -> None:
    up = bodies.turn[index][2]
    axis = int(np.argmax(np.abs(up)))
    bodies.velocity[index] = bodies.spin[index] = 0.0
    if abs(up[axis]) < FLAT:
        bodies.spin[index] = np.cross([up[0] + 0.1, up[1], 0.0], [0.0, 0.0, 1.0]) * 12.0
        bodies.velocity[index] = [40.0 * (index % 3 - 1), 40.0 * (index % 2), 60.0]
        bodies.still_s[index] = 0.0
        return
    bodies.turn[index] = _flat(bodies.turn[index], axis)
    bodies.at_mm[index, 2] = edge_mm / 2


def _flat(turn: Floats, axis: int) -> Floats:
    """The nearest rotation with that axis of the die exactly vertical."""
    columns = turn.copy()
    vertical = np.array([0.0, 0.0, np.sign(columns[2, axis])])
    first = columns[:, (axis + 1) % 3]
    first = first - first[2] * np.array([0.0, 0.0, 1.0])
    first = first / np.linalg.norm(first)
    flat = np.empty((3, 3))
    flat[:, axis], flat[:, (axis + 1) % 3] = vertical, first
    flat[:, (axis + 2) % 3] = np.cross(vertical, first)
    return flat
