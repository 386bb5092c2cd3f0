"""Pictures of solids: triangles drawn with a depth buffer, shaded by two lights and outlined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Triangles = NDArray[np.float32]
"""(n, 3, 3): corners of each triangle, in millimetres."""
RGB = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""
_PAPER = (250, 247, 240)
"""Background of the rendered pictures: red, green and blue, 0 to 255."""
_INK = 60.0
"""Amount, of 255, subtracted from each colour channel on the outlines of a drawn solid. Higher: darker outlines; lower:
edges are harder to see."""
_LIGHTS = (((-0.4, -0.6, 0.75), 0.75), ((0.7, -0.2, 0.3), 0.25))
"""Lights that shade the solids: for each the direction towards it (x right, y back, z up; any length) and its strength.
Higher strength: faces turned to the light are brighter, and burn out above 255."""
_OVERSAMPLING = 2
"""Pictures of solids are drawn this many times as wide and high, then reduced. More: smoother edges; the time grows by
the square."""


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """Direction from which solids are drawn, in parallel projection.

    Attributes:
        azimuth_degrees: Angle about the vertical; 0 looks from the front, 90 from the right.
        elevation_degrees: Angle above the horizontal.
        size_wh: Width and height of the picture, in pixels.
    """

    azimuth_degrees: float = 30.0
    elevation_degrees: float = 28.0
    size_wh: tuple[int, int] = (800, 560)

    def axes(self) -> NDArray[np.float64]:
        """Return three unit vectors as rows: right and up in the picture, and towards the viewer."""
        turn, lift = np.radians([self.azimuth_degrees, self.elevation_degrees])
        right = np.array([np.cos(turn), np.sin(turn), 0.0])
        towards = np.array([np.sin(turn) * np.cos(lift), -np.cos(turn) * np.cos(lift), np.sin(lift)])
        return np.stack([right, np.cross(towards, right), towards])


def picture(solids: Sequence[tuple[Triangles, RGB]], view: Viewpoint) -> Image.Image:
    """Return a picture of coloured solids seen from a viewpoint, shaded and outlined, on a light background.

    The solids are scaled to fill the picture.

    Args:
        solids: Triangles of each solid, in mm, with its colour.
        view: The viewpoint, with the picture's size.
    """
    width, height = (_OVERSAMPLING * side for side in view.size_wh)
    axes = view.axes()
    corners = np.concatenate([triangles for triangles, _ in solids]).astype(np.float64)
    colours = np.concatenate([np.tile(np.array(rgb, np.float64), (len(triangles), 1)) for triangles, rgb in solids])
    seen = corners @ axes.T
    low, high = seen.reshape(-1, 3).min(axis=0), seen.reshape(-1, 3).max(axis=0)
    scale = 0.94 * min(width / (high[0] - low[0]), height / (high[1] - low[1]))
    middle = (low + high) / 2
    seen = (seen - middle) * [scale, -scale, scale] + [width / 2, height / 2, 0]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals /= np.where(lengths > 0, lengths, 1.0)
    depth, index = _rasterised(seen, normals @ axes[2] > 0, width, height)
    shade = np.full(len(normals), 0.45)
    for direction, strength in _LIGHTS:
        unit = np.array(direction) / np.linalg.norm(direction)
        shade += 0.6 * strength * np.clip(normals @ unit, 0, None)
    painted = np.vstack([np.clip(colours * shade[:, None], 0, 255), _PAPER])[index]
    painted -= _INK * _outlines(depth, np.vstack([normals, np.zeros(3)])[index], scale)[..., None]
    image = Image.fromarray(np.clip(painted, 0, 255).astype(np.uint8))
    return image.resize(view.size_wh, Image.Resampling.LANCZOS)


def _rasterised(
    seen: NDArray[np.float64], facing: NDArray[np.bool_], width: int, height: int
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Rasterise triangles with a depth buffer: find the triangle that is visible at each pixel.

    Args:
        seen: Corners (n, 3, 3): x and y in pixels, and depth, larger nearer to the viewer.
        facing: (n,) whether each triangle faces the viewer; others are skipped.
        width: Width of the picture in pixels.
        height: Height of the picture in pixels.

    Returns:
        Two (height, width) arrays: depth and index of the visible triangle; where there is none, -1e9 and -1.
    """
    depth = np.full((height, width), -1e9)
    index = np.full((height, width), -1, np.intp)
    for number in np.flatnonzero(facing):
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = seen[number]
        left, right = max(0, int(min(ax, bx, cx))), min(width, int(max(ax, bx, cx)) + 2)
        top, bottom = max(0, int(min(ay, by, cy))), min(height, int(max(ay, by, cy)) + 2)
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if abs(area) < 1e-9 or left >= right or top >= bottom:
            continue
        x, y = np.arange(left, right) + 0.5, (np.arange(top, bottom) + 0.5)[:, None]
        b = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
        c = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
        z = az + b * (bz - az) + c * (cz - az)
        patch, numbers = depth[top:bottom, left:right], index[top:bottom, left:right]
        nearer = (b >= -1e-6) & (c >= -1e-6) & (b + c <= 1 + 1e-6) & (z > patch)
        patch[nearer], numbers[nearer] = z[nearer], number
    return depth, index


def _outlines(depth: NDArray[np.float64], normals: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Return an array with 1 at pixels beside an edge, where the surface bends sharply or its depth jumps; else 0.

    Args:
        depth: (height, width) depth towards the viewer, in pixels.
        normals: (height, width, 3) unit normal of the surface; 0 where there is none.
        scale: Pixels for a millimetre.
    """
    lines = np.zeros(depth.shape)
    for axis in (0, 1):
        bend = (np.diff(normals, axis=axis) ** 2).sum(axis=-1) > 0.35
        # A depth step of 6 mm, or 6 pixels if that is more, between neighbours that face the same way is an edge too.
        edge = (bend | (np.abs(np.diff(depth, axis=axis)) > 6 * max(1.0, scale))).astype(float)
        for side in ((0, 1), (1, 0)):
            lines = np.maximum(lines, np.pad(edge, [side, (0, 0)] if axis == 0 else [(0, 0), side]))
    return lines
