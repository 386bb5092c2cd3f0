"""Ray caster for dice: each ray of the camera is followed to the rounded cube that it hits, and shaded there.

The rounded cube is a signed distance, followed by sphere tracing (Hart 1996); shading is Lambert's law and Blinn's
half-vector highlight (1977) in linear light. Dice hide each other by distance. Millimetres, z up.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cameras.simulated.appearance import PIPS_AT
from vision.cameras.simulated.contact import CORNERS
from vision.cameras.simulated.rendering import FACE_AXES, Pinhole
from vision.research.evaluation.kinds import Material, Texture

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

RAYS_PER_PX = 2
"""Rays per pixel along each side, which smooth edges. Twice as many take four times as long."""
MAX_STEPS = 18
"""Number of steps of the sphere tracing along each ray. Fewer leave holes at faces seen at a flat angle; more take
longer."""
HIT_MM = 0.03
"""Distance from a die's surface, in mm, below which a ray counts as a hit. Larger makes dice thicker and edges coarser;
smaller leaves holes."""
FLOOR_LIGHT = 0.30
"""Share of the ambient light, 0 to 1, that the ground reflects upwards. A face that looks sideways gets half of it, as
it sees as much ground as sky. More brightens the sides of dice."""
SEEN_THROUGH = 0.30
"""Strength, 0 to 1, with which the pips of the lower face shine through a fully clear die. More makes clear dice harder
to read."""


@dataclass(frozen=True, slots=True, eq=False)
class Lamp:
    """A distant lamp.

    Attributes:
        towards: (3,) unit vector towards the lamp.
        colour_bgr: (3,) linear light; 1 is full.
        soft_mm: Blur of a shadow's edge on the floor.
    """

    towards: Doubles
    colour_bgr: Doubles
    soft_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class LyingDie:
    """A die in a scene.

    Attributes:
        at_mm: (3,) centre.
        turn: (3, 3) rotation.
        edge_mm: Edge.
        made: Look and material.
        seed: Seed of its own speckles and worn pips.
    """

    at_mm: Doubles
    turn: Doubles
    edge_mm: float
    made: Material
    seed: int


def linear(levels: object) -> Doubles:
    """Convert levels, 0 to 255, to linear light, 0 to 1 (gamma 2.2)."""
    return (np.asarray(levels, np.float64) / 255) ** 2.2


def corners_of(die: LyingDie) -> Doubles:
    """Return the (8, 3) corners of the die, in mm, without rounding."""
    return die.at_mm + CORNERS @ die.turn.T * die.edge_mm


def draw(light: Floats, camera: Pinhole, dice: list[LyingDie], lamps: list[Lamp], sky_bgr: Doubles) -> None:
    """Draw all dice over a picture, (h, w, 3) linear light, in place; `sky_bgr` is the ambient light's (3,) colour."""
    for die in sorted(dice, key=lambda one: camera.nearness(one.at_mm)):
        _draw_one(light, camera, die, lamps, sky_bgr)


def _draw_one(light: Floats, camera: Pinhole, die: LyingDie, lamps: list[Lamp], sky_bgr: Doubles) -> None:
    seen = camera.project(corners_of(die))
    x0, y0 = np.maximum(np.floor(seen.min(0)) - 1, 0).astype(int)
    x1, y1 = np.minimum(np.ceil(seen.max(0)) + 2, (light.shape[1], light.shape[0])).astype(int)
    if x1 <= x0 or y1 <= y0:
        return
    xs = x0 + (np.arange((x1 - x0) * RAYS_PER_PX) + 0.5) / RAYS_PER_PX
    ys = y0 + (np.arange((y1 - y0) * RAYS_PER_PX) + 0.5) / RAYS_PER_PX
    ray = np.empty((len(ys), len(xs), 3), np.float32)
    ray[:, :, 0] = (xs - camera.size_wh[0] / 2) / camera.focal_px
    ray[:, :, 1] = ((ys - camera.size_wh[1] / 2) / camera.focal_px)[:, None]
    ray[:, :, 2] = -1
    ray /= np.linalg.norm(ray, axis=2, keepdims=True)
    origin = np.array([*camera.middle_mm, camera.height_mm])
    rays = ray.reshape(-1, 3) @ die.turn.astype(np.float32)
    hit, at = _met(((origin - die.at_mm) @ die.turn).astype(np.float32), rays, die)
    behind = cv2.resize(light[y0:y1, x0:x1], (len(xs), len(ys)), interpolation=cv2.INTER_LINEAR).reshape(-1, 3)
    behind[hit] = _shaded(at, rays[hit], behind[hit], die, lamps, sky_bgr)
    size = (int(x1 - x0), int(y1 - y0))
    drawn = cv2.resize(behind.reshape(len(ys), len(xs), 3), size, interpolation=cv2.INTER_AREA)
    alpha = cv2.resize(hit.reshape(len(ys), len(xs)).astype(np.float32), size, interpolation=cv2.INTER_AREA) > 0
    light[y0:y1, x0:x1][alpha] = drawn[alpha]


def _met(origin: Floats, rays: Floats, die: LyingDie) -> tuple[NDArray[np.bool_], Floats]:
    """Return an (n,) mask of the rays from the lens at `origin` that hit the die, and the (hits, 3) points hit.

    `rays` are (n, 3) unit vectors; they are followed by sphere tracing. Rays and positions are in the die's own axes,
    in mm.
    """
    radius = die.made.kind.corner * die.edge_mm
    inner = die.edge_mm / 2 - radius
    # From where the sharp cube is met: steps that begin at the eye die away along a side that is nearly edge-on.
    safe = np.where(np.abs(rays) < 1e-6, np.float32(1e-6), rays)
    near, far = (-die.edge_mm / 2 - origin) / safe, (die.edge_mm / 2 - origin) / safe
    along = np.minimum(near, far).max(1)
    through = along <= np.maximum(near, far).min(1)
    away = np.full(len(rays), np.inf, np.float32)
    for _ in range(MAX_STEPS):
        outside = np.abs(origin + along[through, None] * rays[through]) - inner
        away[through] = np.linalg.norm(np.maximum(outside, 0), axis=1) + np.minimum(outside.max(1), 0) - radius
        along[through] += away[through]
    hit = away < HIT_MM
    return hit, (origin + along[hit, None] * rays[hit]).astype(np.float32)


def _shaded(at: Floats, rays: Floats, behind: Floats, die: LyingDie, lamps: list[Lamp], sky_bgr: Doubles) -> Floats:
    """Return the (n, 3) linear light that points on a die's surface send to the camera.

    Args:
        at: (n, 3) the points, in mm in the die's own axes.
        rays: (n, 3) unit vectors from the camera to the points, in the same axes.
        behind: (n, 3) linear light of the ground behind each point, which shows through a clear die.
        die: The die.
        lamps: Lamps, in the axes of the scene.
        sky_bgr: (3,) linear colour of the ambient light.
    """
    made, kind, turn = die.made, die.made.kind, die.turn.astype(np.float32)
    outside = np.abs(at) - (0.5 - kind.corner) * die.edge_mm
    normal = np.sign(at) * np.maximum(outside, 1e-4)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    colour = _body(at, die)
    paint, dish = _pips(at, die, 0.0)
    through = made.clear * SEEN_THROUGH
    if through > 0:
        # The pips of the far side, moved towards the eye by refraction (plastic: 1.5) and blurred by the body.
        deeper = at + rays * (die.edge_mm * 0.92)
        far, _ = _pips(np.clip(deeper, -die.edge_mm / 2, die.edge_mm / 2), die, 0.5)
        colour += (linear(kind.pip_bgr) * 0.8 - colour) * (through * far)[:, None]
        # Light that went through: more of it near the edges, where the way through is short.
        colour += (0.35 * made.clear) * (behind - colour) + made.clear * 0.10 * linear(kind.body_bgr)
    colour += (linear(kind.pip_bgr) - colour) * paint[:, None]
    normal = normal - dish
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    world = normal @ turn.T
    height = np.clip((at @ turn.T)[:, 2] + die.at_mm[2], 0, die.edge_mm) / die.edge_mm
    # A face that looks sideways sees half the sky, and less of it near the floor; some light comes from the floor.
    open_sky = (0.5 + 0.5 * world[:, 2]) * (0.55 + 0.45 * height) + FLOOR_LIGHT * (1 - world[:, 2]) * 0.5
    glow = colour * (open_sky[:, None] * sky_bgr)
    for lamp in lamps:
        facing = np.clip(world @ lamp.towards, 0, 1)
        lit = facing + made.clear * 0.25 * (1 - facing)
        glow = glow + colour * (lit[:, None] * lamp.colour_bgr)
        half = lamp.towards - rays @ turn.T
        half = half / np.linalg.norm(half, axis=1, keepdims=True)
        shine = np.clip((world * half).sum(1), 0, 1) ** 90
        glow = glow + (made.gloss * 7 * shine)[:, None] * lamp.colour_bgr
    # Fresnel: what is seen at a flat angle mirrors the room.
    flat = (1 - np.clip(-(rays * normal).sum(1), 0, 1)) ** 4
    glow = glow + ((made.gloss * 0.5 + 0.35 * flat) * made.gloss * 4)[:, None] * sky_bgr
    return glow.astype(np.float32)


def _pips(at: Floats, die: LyingDie, blur: float) -> tuple[Floats, Floats]:
    """Return the share of paint, (n,), and the slope of drilled pips, (n, 3), at points on a die.

    The (n, 3) points and the slopes are in the die's own axes; the points are in mm. `blur` is the width of a pip's
    soft edge, in radii of the pip; at least 0.08 is used.
    """
    made, kind, edge = die.made, die.made.kind, die.edge_mm
    paint, dish = np.zeros(len(at), np.float32), np.zeros_like(at)
    axis = np.abs(at).argmax(1)
    above = np.take_along_axis(at, axis[:, None], 1)[:, 0] > 0
    bare = np.random.default_rng(die.seed).random((7, 6))
    for value, (own, sign) in FACE_AXES.items():
        here = np.flatnonzero((axis == own) & (above == (sign > 0)))
        if not len(here):
            continue
        u, v = (own + 1) % 3, (own + 2) % 3
        radius = kind.pip_radius * edge * (kind.one_scale if value == 1 else 1.0)
        for number, (column, row) in enumerate(PIPS_AT[value]):
            du, dv = at[here, u] - column * kind.spacing * edge, at[here, v] - row * kind.spacing * edge
            off = np.hypot(du, dv) / radius
            cover = np.clip((1 - off) / max(blur, 0.08) + 0.5, 0, 1)
            if bare[value, number] < made.bare:
                cover = cover * _rest_of_paint(du / radius, dv / radius, float(bare[value, number]) / made.bare)
            paint[here] = np.maximum(paint[here], cover)
            inside = off < 1
            dish[here[inside], u] += made.drilled * 0.9 * du[inside] / radius
            dish[here[inside], v] += made.drilled * 0.9 * dv[inside] / radius
    return paint, dish


def _rest_of_paint(du: Floats, dv: Floats, luck: float) -> Floats:
    """Return the share of paint left, 0 to 0.9, at n points of a worn pip: paint on one side of it, or none.

    `du` and `dv` are the points' distances from the pip's centre along two axes, in radii of the pip. `luck`, 0 to 1,
    decides the side; the larger, the more paint is left.
    """
    turn = 40.0 * luck
    return np.clip((du * np.cos(turn) + dv * np.sin(turn) + 1.6 * luck - 1.0) * 4, 0, 1) * 0.9


def _body(at: Floats, die: LyingDie) -> Floats:
    """Return the (n, 3) linear colour of a die's body at the (n, 3) points `at`, in its own axes, in mm."""
    made = die.made
    one, other = linear(made.kind.body_bgr), linear(made.other_bgr)
    rng = np.random.default_rng(die.seed)
    p = at / die.edge_mm
    part: Floats | Doubles
    if made.texture is Texture.SPECKLED:
        part = _speckles(p, rng)
    elif made.texture is Texture.MARBLED:
        part = 1 / (1 + np.exp(-6 * _clouds(p, 2.2, rng)))
    elif made.texture is Texture.WOODEN:
        middle = rng.uniform(1, 2, 2)
        rings = np.hypot(p[:, 0] + middle[0], p[:, 1] + middle[1]) * rng.uniform(14, 26)
        part = (0.5 + 0.5 * np.sin(2 * np.pi * rings * 0.5 + 1.5 * _clouds(p, 1.5, rng))) ** 2
    else:
        part = 0.0 * p[:, 0]
    shade = 1 + 0.03 * _clouds(p, 6.0, rng)
    return ((one + (other - one) * part[:, None]) * shade[:, None]).astype(np.float32)


def _clouds(p: Floats, per_edge: float, rng: np.random.Generator) -> Floats:
    """Return (n,) smooth noise of about -1 to 1, with about `per_edge` waves an edge, at (n, 3) points in edges."""
    ways = rng.normal(0, 2 * np.pi * per_edge / 1.7, (5, 3))
    return (np.sin(p @ ways.T + rng.uniform(0, 6.28, 5)).sum(1) / 2.5).astype(np.float32)


def _speckles(p: Floats, rng: np.random.Generator) -> Floats:
    """Return (n,) 1 inside a speckle, 0 outside and values between at its soft edge, at (n, 3) points of a die.

    The unit of the points is the die's edge. The speckles lie in a grid with 11 cells along an edge; about half of the
    cells hold one.
    """
    cell = np.floor((p + 1) * 11).astype(int)
    within = (p + 1) * 11 - cell
    table = rng.random((997, 4))
    luck = table[(cell @ np.array([73, 179, 283])) % 997]
    off = np.linalg.norm(within - (0.3 + 0.4 * luck[:, :3]), axis=1)
    return np.clip((0.15 + 0.3 * luck[:, 3] - off) * 8, 0, 1) * (luck[:, 3] > 0.45)
