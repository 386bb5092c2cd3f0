"""Where simulated dice touch the floor, the walls and each other, and how hard: stiff springs, damping, friction.

Penalty method (Witkin & Baraff, Physically Based Modeling, 1997). Two cubes touch along the axis on which they overlap
least, of the fifteen that could part them (Gottschalk, Lin, Manocha 1996, "OBBTree", section 5).
Lengths in millimetres, time in seconds, a die's mass is 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.reading.reading import Floats

STIFFNESS = 60_000.0
"""Spring constant of a contact, for dice of mass 1: force per mm by which a corner sinks in. Larger: corners sink in
less, and the simulation needs shorter time steps."""
DAMPING = 60.0
"""Damping of a contact, for dice of mass 1: force per mm/s of approach. It is about an eighth of critical: a die
bounces two or three times, as on felt. With a larger one dice bounce less."""
FRICTION = 0.45
"""Friction coefficient of a die on floor and walls, as on felt. With a larger one dice stop sooner."""
DICE_FRICTION = 0.2
"""Friction coefficient between two dice. With a larger one more dice stay on or against each other."""
SMOOTHING_MM_S = 2.0
"""Speed, in mm/s, at which dry friction has half its force. Friction falls to 0 with the speed, so that a die comes to
rest instead of trembling. Larger: weaker friction at low speeds. Under a die's own weight MAX_GRIP_PER_S is the tighter
limit below about 7 mm/s."""
MAX_GRIP_PER_S = 120.0
"""Largest ratio of friction force to sliding speed, in 1/s. Larger would reverse a corner's motion in one step."""
MAX_SQUARED_DISTANCE = 3.0
"""Square of the distance of two cubes' centres, in squared edges, from which they can't touch: two half diagonals.
Larger only takes time; smaller lets dice overlap."""

CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
"""(8, 3) corners of a cube with edge 1 around its centre."""
_GRID = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 5)] * 3), -1).reshape(-1, 3)
"""(125, 3) points in a cube with edge 1, five along each side. The 44 on its edges, POINTS, are tested for contact with
another cube. More: finer, but slower."""
POINTS = _GRID[(np.abs(_GRID) == 0.5).sum(1) >= 2]  # the corners, and three points of each of the twelve edges
"""Points on the edges of a cube with edge 1, which are tested for contact with another cube."""


def cross(one: Floats, other: Floats) -> Floats:
    """Return the cross products of vectors along the last axis. Faster than NumPy's for a few vectors."""
    x, y, z = one[..., 0], one[..., 1], one[..., 2]
    u, v, w = other[..., 0], other[..., 1], other[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


@dataclass(frozen=True, slots=True)
class Walls:
    """The box that dice roll in: x and y limits in mm."""

    x_mm: tuple[float, float]
    y_mm: tuple[float, float]

    @property
    def planes(self) -> tuple[tuple[int, float, float], ...]:
        """Floor and four walls as (axis, sign, offset): a point p is inside where sign * p[axis] >= offset, in mm."""
        (left, right), (top, bottom) = self.x_mm, self.y_mm
        return (2, 1.0, 0.0), (0, 1.0, left), (0, -1.0, -right), (1, 1.0, top), (1, -1.0, -bottom)


def plane_forces(corners: Floats, velocities: Floats, walls: Walls) -> Floats:
    """Return the forces of floor and walls on the corners of n dice of mass 1, in mm/s2: (n, 8, 3), 0 without contact.

    `corners` are positions in mm, `velocities` those of the corners in mm/s, both of the same shape.
    """
    forces = np.zeros_like(corners)
    for axis, sign, offset in walls.planes:
        depth = offset - sign * corners[:, :, axis]
        if not (depth > 0).any():
            continue
        into = sign * velocities[:, :, axis]
        normal = np.where(depth > 0, np.maximum(STIFFNESS * depth - DAMPING * into, 0.0), 0.0)
        along = velocities.copy()
        along[:, :, axis] = 0.0
        forces -= along * _grip(FRICTION * normal, along)[:, :, None]
        forces[:, :, axis] += sign * normal
    return forces


def _grip(most: Floats, along: Floats) -> Floats:
    """Return the ratio of dry friction, at most `most` (...), to the speed `along` (..., 3) a surface, in 1/s."""
    return np.minimum(most / (np.sqrt(np.einsum("...i,...i", along, along)) + SMOOTHING_MM_S), MAX_GRIP_PER_S)


def neighbours(at_mm: Floats, edge_mm: float) -> list[tuple[int, int]]:
    """Return the index pairs of cubes that are near enough to touch. `at_mm`: (n, 3) centres."""
    apart = at_mm[:, None, :] - at_mm[None, :, :]
    near = np.einsum("ijk,ijk->ij", apart, apart) < MAX_SQUARED_DISTANCE * edge_mm**2
    return [(int(a), int(b)) for a, b in np.argwhere(np.triu(near, 1))]


@dataclass(frozen=True, slots=True, eq=False)
class ContactPoint:
    """Contact of two overlapping cubes: (3,) unit normal from first to second, (m, 3) points and (m,) depths in mm."""

    normal: Floats
    at_mm: Floats
    depth_mm: Floats


def touch(at_mm: tuple[Floats, Floats], rotations: tuple[Floats, Floats], edge_mm: float) -> ContactPoint | None:
    """Return the contact of two cubes with (3,) centres and (3, 3) rotations; None if they do not overlap.

    The contact's normal points from the first to the second, along the axis of least overlap (separating axis test). A
    face is preferred to a pair of edges with about the same overlap.
    """
    (one, other), (rotation, other_rotation), half = at_mm, rotations, edge_mm / 2
    apart = other - one
    crossed = cross(rotation.T[:, None], other_rotation.T[None]).reshape(9, 3)
    length = np.sqrt(np.einsum("ij,ij->i", crossed, crossed))
    axes = np.concatenate([rotation.T, other_rotation.T, crossed / np.maximum(length, 1e-9)[:, None]])
    reach, reach_other = half * np.abs(axes @ rotation).sum(1), half * np.abs(axes @ other_rotation).sum(1)
    along = axes @ apart
    overlap = reach + reach_other - np.abs(along)
    overlap[6:][length < 1e-3] = np.inf  # parallel edges part nothing that faces do not
    if overlap.min() <= 0:
        return None
    overlap[6:] = overlap[6:] * 1.05 + 0.02  # faces where they tell as much: their contact has a surface
    best = int(overlap.argmin())
    normal = axes[best] * (1.0 if along[best] >= 0 else -1.0)
    ends = POINTS @ rotation.T * edge_mm + one, POINTS @ other_rotation.T * edge_mm + other
    inside = _in_cube(ends[0], other, other_rotation, half), _in_cube(ends[1], one, rotation, half)
    points = np.concatenate([ends[0][inside[0]], ends[1][inside[1]]])
    if not len(points):  # two edges cross between their points
        deepest = ends[0][(ends[0] @ normal).argmax()], ends[1][(ends[1] @ normal).argmin()]
        return ContactPoint(normal, np.mean(deepest, axis=0)[None], overlap[best : best + 1])
    front, back = one @ normal + reach[best], other @ normal - reach_other[best]
    far = points @ normal
    depth = np.concatenate([far[: inside[0].sum()] - back, front - far[inside[0].sum() :]])
    return ContactPoint(normal, points, depth)


def _in_cube(points: Floats, at_mm: Floats, rotation: Floats, half: float) -> NDArray[np.bool_]:
    """Return (n,) whether each of the (n, 3) points is inside a cube with half edge `half`."""
    return np.abs((points - at_mm) @ rotation).max(axis=1) <= half


def contact_forces(touched: ContactPoint, velocities: Floats) -> Floats:
    """Return the (m, 3) forces, in mm/s2 for mass 1, on the second of two touching cubes.

    Each force is a damped spring along the normal, which never pulls, plus dry friction across it. `velocities`, (m, 3)
    in mm/s, are those of the second cube relative to the first at the m points of contact. With more than four points
    the forces are scaled down to the stiffness of four. The opposite forces act on the first cube.
    """
    share = 4 / max(4, len(touched.at_mm))  # as stiff as four corners, however many points there are
    into = velocities @ touched.normal
    normal = share * np.maximum(STIFFNESS * touched.depth_mm - DAMPING * into, 0.0)
    along = velocities - into[:, None] * touched.normal
    return normal[:, None] * touched.normal - along * (share * _grip(DICE_FRICTION * normal / share, along))[:, None]
