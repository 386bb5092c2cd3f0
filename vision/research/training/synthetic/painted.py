"""Paints dice into pictures: a cube in perspective, with faces, pips and light of every kind the photos lack.

Not a photograph: some milliseconds a die, so that a network sees more materials in a minute than there are photos.
What it must learn is what all dice share: the layouts of the pips on the upper face, and that side faces do not count.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cameras.simulated.appearance import PIPS_AT
from vision.research.training.synthetic.makes import Floats, Image, Make

TEXTURE_PX = 64
"""Width and height of a painted face's texture, in pixels, before it is drawn in perspective. More shows finer detail
and takes longer."""
OVERSAMPLING = 2
"""Factor by which a die is painted larger and then shrunk, to smooth its edges. Twice as much takes four times as
long."""
MIN_FACING_COSINE = 0.08
"""Least cosine of the angle between a face's normal and the line of sight at which the face is painted. Faces seen at a
flatter angle are left out; the pips of those and of hidden faces shine through clear dice. A higher limit paints fewer
faces."""
CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
"""(8, 3) corners of a cube with half edge 1."""


def painted(
    picture: Image, at_xy: tuple[float, float], size_px: float, make: Make, lean: float, rng: np.random.Generator
) -> tuple[float, float, float, int]:
    """Paint a die with a random value into a picture, in place.

    Args:
        picture: (h, w, 3) the picture.
        at_xy: Where the middle of its upper face is painted, in pixels.
        size_px: Edge of the die, before perspective.
        make: Look of the die.
        lean: Angle of the camera to the vertical, in radians.
        rng: Random generator.

    Returns:
        Centre x and y of its upper face and the labelled size, in pixels, and its value. The size is 1.1 times the
        square root of the upper face's area.
    """
    value = int(rng.integers(1, 7))
    corners, facing = _posed(lean, rng)
    scale = size_px / 2 * OVERSAMPLING
    half = int(size_px * 1.6) + 4
    origin = np.array([int(at_xy[0]) - half, int(at_xy[1]) - half])
    middle = (np.array(at_xy) - origin) * OVERSAMPLING
    spots = corners * scale + middle
    edge = 2 * half * OVERSAMPLING
    ground = _window(picture, origin, 2 * half)
    canvas = cv2.resize(ground, (edge, edge), interpolation=cv2.INTER_LINEAR)
    shaded = _shadowed(canvas, spots, size_px * OVERSAMPLING, rng)
    _lay_body(shaded, spots, facing, scale, make, value, rng)
    small = cv2.resize(shaded, (2 * half, 2 * half), interpolation=cv2.INTER_AREA)
    _put_back(picture, small, origin)
    top = spots[_face_corners(2, 1)]
    area = float(cv2.contourArea(top.astype(np.float32)))
    centre = (top.mean(0) / OVERSAMPLING) + origin
    return float(centre[0]), float(centre[1]), 1.1 * area**0.5 / OVERSAMPLING, value


def _posed(lean: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw a cube with half edge 1, turned at random, seen from a random distance at `lean` radians to the vertical.

    Returns (8, 2) corners in the picture, relative to the upper face's centre, and (3, 2) cosines of the angle between
    each face's normal and the view: by axis, then the lower and the upper side.
    """
    spin, turn = rng.uniform(0, 2 * np.pi, 2)
    about = _about_z(turn) @ _about_x(lean) @ _about_z(spin)
    seen = CUBE @ about.T
    far = rng.uniform(7, 30)
    flat = seen[:, :2] * (far / (far - seen[:, 2]))[:, None]
    top = flat[_face_corners(2, 1)].mean(0)
    towards = np.array([[(about @ _axis(axis, side))[2] for side in (-1, 1)] for axis in range(3)])
    return flat - top, towards


def _about_z(angle: float) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])


def _about_x(angle: float) -> Floats:
    return np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])


def _axis(axis: int, side: int) -> Floats:
    direction = np.zeros(3)
    direction[axis] = side
    return direction


def _face_corners(axis: int, side: int) -> list[int]:
    """Return the indexes into `CUBE` of the corners, in order, of the face at `side` (-1, 1) of `axis` (0 to 2)."""
    one, other = (a for a in range(3) if a != axis)
    around = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    places = []
    for a, b in around:
        corner = np.zeros(3)
        corner[axis], corner[one], corner[other] = side, a, b
        places.append(int(np.flatnonzero((corner == CUBE).all(1))[0]))
    return places


def _lay_body(
    canvas: Image, spots: Floats, facing: Floats, scale: float, make: Make, value: int, rng: np.random.Generator
) -> None:
    """Paint a die's body and its visible faces onto a canvas, in place.

    Args:
        canvas: (h, w, 3) the ground.
        spots: (8, 2) corners of the die on the canvas, in the order of `CUBE`.
        facing: (3, 2) cosines of the faces, as `_posed` returns them.
        scale: Half the die's edge, in pixels of the canvas.
        make: Look of the die.
        value: Value of its upper face.
        rng: Random generator.
    """
    edge = 2 * scale
    mask = _silhouette(canvas.shape, spots, make.corner * edge)
    ambient = rng.uniform(0.45, 0.85)
    dull = make.body * ambient
    through = 1 - make.clear
    side = int(rng.choice([v for v in range(1, 7) if v not in (value, 7 - value)]))
    other = int(rng.choice([v for v in range(1, 7) if v not in (value, 7 - value, side, 7 - side)]))
    shown = {(0, -1): side, (0, 1): 7 - side, (1, -1): other, (1, 1): 7 - other, (2, -1): 7 - value, (2, 1): value}
    if make.clear:
        blurred, strength = rng.uniform(0.005, 0.06), rng.uniform(0.3, 1)
        for (axis, end), hidden in shown.items():
            if facing[axis, (end + 1) // 2] < MIN_FACING_COSINE:
                _shine_through(canvas, mask, spots[_face_corners(axis, end)], hidden, make, blurred, strength)
    canvas += (dull - canvas) * (mask * through)[:, :, None]
    if make.clear:
        _light_edges(canvas, mask, spots, edge, make, rng)
    for (axis, end), shows in shown.items():
        if facing[axis, (end + 1) // 2] < MIN_FACING_COSINE:
            continue
        light = rng.uniform(0.9, 1.1) if axis == 2 else rng.uniform(0.4, 1.05)
        texture, alpha = _face(shows, through, make, rng)
        if axis == 2:
            _glare(texture, rng)
        if rng.random() < make.gloss:
            _bright_line(texture, rng)
        square = np.array([(0, 0), (TEXTURE_PX, 0), (TEXTURE_PX, TEXTURE_PX), (0, TEXTURE_PX)], np.float32)
        matrix = cv2.getPerspectiveTransform(square, spots[_face_corners(axis, end)].astype(np.float32))
        shape = (canvas.shape[1], canvas.shape[0])
        laid = cv2.warpPerspective(texture * light, matrix, shape, flags=cv2.INTER_LINEAR)
        cover = cv2.warpPerspective(alpha, matrix, shape, flags=cv2.INTER_LINEAR) * mask
        canvas += (laid - canvas) * cover[:, :, None]


def _shine_through(
    canvas: Image, mask: Image, corners: Floats, value: int, make: Make, blurred: float, strength: float
) -> None:
    """Paint the pips of a hidden face that shine through a clear die, in place.

    Args:
        canvas: (h, w, 3) the picture.
        mask: (h, w) silhouette of the die, 0 to 1.
        corners: (4, 2) corners of the hidden face, in pixels.
        value: Value of the hidden face.
        make: Look of the die.
        blurred: Standard deviation of the blur, in edges of the face.
        strength: Opacity of the pips, 0 to 1.
    """
    along, across, middle = (corners[1] - corners[0]) / 2, (corners[3] - corners[0]) / 2, corners.mean(0)
    edge_px = 2 * float(np.sqrt(abs(along[0] * across[1] - along[1] * across[0])))
    spot = np.zeros(canvas.shape[:2], np.float32)
    for x, y in PIPS_AT[value]:
        at = middle + 2 * make.spacing * (x * along + y * across)
        cv2.circle(spot, (int(at[0] * 8), int(at[1] * 8)), int(make.radius * edge_px * 8), 1.0, -1, cv2.LINE_AA, 3)
    spot = cv2.GaussianBlur(spot, (0, 0), max(0.3, blurred * edge_px))
    canvas += (make.pip - canvas) * (spot * mask)[:, :, None] * strength


def _light_edges(
    canvas: Image, mask: Image, spots: Floats, edge_px: float, make: Make, rng: np.random.Generator
) -> None:
    """Paint the light that a clear die gathers in some of its edges, in place.

    Args:
        canvas: (h, w, 3) the picture.
        mask: (h, w) silhouette of the die, 0 to 1.
        spots: (8, 2) corners of the die, in pixels.
        edge_px: Edge of the die.
        make: Look of the die.
        rng: Random generator.
    """
    glow = np.zeros(canvas.shape[:2], np.float32)
    for one in range(len(CUBE)):
        for other in range(one):
            if np.abs(CUBE[one] - CUBE[other]).sum() == 2 and rng.random() < 0.4:
                begin, end = ((spots[at] * 8).astype(int).tolist() for at in (one, other))
                cv2.line(glow, begin, end, 1.0, max(1, int(rng.uniform(0.03, 0.14) * edge_px)), cv2.LINE_AA, 3)
    glow = cv2.GaussianBlur(glow, (0, 0), max(0.5, rng.uniform(0.02, 0.06) * edge_px))
    bright = make.body + (255 - make.body) * np.float32(rng.uniform(0, 0.6))
    canvas += (bright - canvas) * (glow * mask)[:, :, None] * make.clear * rng.uniform(0, 1)


def _silhouette(shape: tuple[int, ...], spots: Floats, rounding_px: float) -> Image:
    """Return the (h, w) silhouette of a die with corners rounded by `rounding_px`, 0 to 1.

    `shape` begins with h and w; `spots` are the (8, 2) corners of the die, in pixels.
    """
    centre = spots.mean(0)
    inner = centre + (spots - centre) * (1 - min(0.45, 1.2 * rounding_px / max(1.0, float(np.ptp(spots)) / 2)))
    mask = np.zeros(shape[:2], np.uint8)
    hull = cv2.convexHull(inner.astype(np.float32)).astype(np.int32)
    cv2.fillConvexPoly(mask, hull, 255, cv2.LINE_AA)
    cv2.polylines(mask, [hull], True, 255, max(1, int(rounding_px * 1.3)), cv2.LINE_AA)
    return mask.astype(np.float32) / np.float32(255)


def _face(value: int, through: float, make: Make, rng: np.random.Generator) -> tuple[Image, Image]:
    """Paint a face: texture (64, 64, 3) and its opacity (64, 64).

    `through` is the opacity of the body, 0 to 1; the pips are opaque.
    """
    texture = np.empty((TEXTURE_PX, TEXTURE_PX, 3), np.float32)
    pattern = _veins(make.speck_px, rng) if make.veined else _marbled(make.speck_px, rng)
    texture[:] = make.body + (make.marbling - make.body) * pattern
    if make.glitter:
        sparks = (rng.random((TEXTURE_PX, TEXTURE_PX, 1)) < make.glitter) * rng.normal(
            0, 120, (TEXTURE_PX, TEXTURE_PX, 3)
        )
        texture += cv2.GaussianBlur(sparks.astype(np.float32), (0, 0), rng.uniform(0.4, 1.0)) * 2
    if make.grain:
        shape = (TEXTURE_PX // 8, TEXTURE_PX) if make.streaky else (TEXTURE_PX // 2, TEXTURE_PX // 2)
        noise = rng.normal(0, make.grain, shape).astype(np.float32)
        texture += cv2.resize(noise, (TEXTURE_PX, TEXTURE_PX), interpolation=cv2.INTER_CUBIC)[:, :, None]
    slope = rng.normal(0, make.sheen, 2)
    across = np.linspace(-1, 1, TEXTURE_PX, dtype=np.float32)
    texture += (slope[0] * across[None] + slope[1] * across[:, None])[:, :, None].astype(np.float32)
    turned, lit = rng.random() < 0.5, rng.uniform(0, 2 * np.pi)
    light = np.array([np.cos(lit), np.sin(lit)])
    painted = np.zeros((TEXTURE_PX, TEXTURE_PX), np.float32)
    for x, y in PIPS_AT[value]:
        painted += _pip(texture, (y, x) if turned else (x, y), value, light, make, rng)
    alpha = np.zeros((TEXTURE_PX, TEXTURE_PX), np.float32)
    rim = max(1, int(make.corner * TEXTURE_PX * 0.5))
    cv2.rectangle(alpha, (rim, rim), (TEXTURE_PX - 1 - rim, TEXTURE_PX - 1 - rim), 1.0, -1)
    return texture, cv2.blur(alpha, (2 * rim + 1, 2 * rim + 1)) * (through + (1 - through) * np.clip(painted, 0, 1))


def _marbled(speck_px: int, rng: np.random.Generator) -> Image:
    """Return (64, 64, 1) the share of the second colour, 0 to 1, in patches of about `speck_px` pixels."""
    patches = rng.normal(0.5, 0.6, (max(2, TEXTURE_PX // speck_px),) * 2).astype(np.float32)
    return np.clip(cv2.resize(patches, (TEXTURE_PX, TEXTURE_PX), interpolation=cv2.INTER_CUBIC), 0, 1)[:, :, None]


def _veins(speck_px: int, rng: np.random.Generator) -> Image:
    """Return (64, 64, 1) the share of the second colour, 0 to 1, in winding veins about `speck_px` pixels wide."""
    rows, columns = np.mgrid[:TEXTURE_PX, :TEXTURE_PX].astype(np.float32)
    bent = cv2.resize(
        rng.normal(0, 1, (4, 4)).astype(np.float32), (TEXTURE_PX, TEXTURE_PX), interpolation=cv2.INTER_CUBIC
    )
    angle = rng.uniform(0, np.pi)
    wave = np.sin((rows * np.sin(angle) + columns * np.cos(angle)) / speck_px + rng.uniform(1, 4) * bent)
    return np.clip(0.5 + rng.uniform(0.4, 1.5) * wave, 0, 1)[:, :, None]


def _pip(
    texture: Image, at: tuple[float, float], value: int, light: Floats, make: Make, rng: np.random.Generator
) -> Image:
    """Paint one pip into a face's texture, in place, and return where its paint is, (64, 64), 0 to 1.

    Args:
        texture: (64, 64, 3) the face.
        at: Column and row of the pip, in pip spacings from the centre.
        value: Value of the face.
        light: (2,) direction from which hollows are lit.
        make: Look of the die.
        rng: Random generator.
    """
    colour = make.one if value == 1 else make.pip
    radius = make.radius * TEXTURE_PX * (make.one_larger if value == 1 else 1.0) * rng.uniform(0.95, 1.05)
    x, y = (TEXTURE_PX * (0.5 + place * make.spacing + rng.normal(0, make.uneven)) for place in at)
    rows, columns = np.mgrid[:TEXTURE_PX, :TEXTURE_PX].astype(np.float32)
    # Lengths in radii of the pip: from its middle, and along the light.
    away = np.hypot(columns - x, rows - y) / radius
    along = ((columns - x) * light[0] + (rows - y) * light[1]) / radius
    hollow = _within(away, 1.0, radius)
    paint = hollow
    if make.ringed:
        dot = _within(away, 0.25, radius) if make.dotted else 0.0
        paint = hollow - _within(away, 0.6, radius) + dot
    if rng.random() < make.worn:
        paint = paint * _paint_left(away, along, rng)
    texture += (colour - texture) * paint[:, :, None]
    if make.drilled:
        shade = hollow * np.clip(along, -1, 1) * make.drilled * rng.uniform(35, 60)
        glint = np.exp(-(((away - 0.4) / 0.3) ** 2)) * (along > 0) * hollow * make.gloss * rng.uniform(0, 90)
        texture += (shade + glint)[:, :, None]
    return paint


def _within(away: Image, radii: float, radius_px: float) -> Image:
    """Return 1 within `radii` radii of a pip's centre and 0 outside, with an edge one pixel wide.

    Args:
        away: Distance of each pixel from the centre, in radii of the pip.
        radii: Radius of the disc, in radii of the pip.
        radius_px: Radius of the pip in pixels.
    """
    return np.clip((radii - away) * radius_px + 0.5, 0, 1)


def _paint_left(away: Image, along: Image, rng: np.random.Generator) -> Image | float:
    """Draw how much paint is left in a worn pip, 0 to 1: a thin coat, one side, the rim, or none.

    Returns a value for each pixel, or one number if all have the same. A coat has at least 0.5: a thinner one would
    look like pips that shine through a clear die.

    Args:
        away: Distance of each pixel from the pip's centre, in its radii.
        along: Position of each pixel along the light, in radii.
        rng: Random generator.
    """
    way = rng.random()
    if way < 0.2:
        return float(rng.uniform(0.5, 0.8))
    if way < 0.6:
        return np.clip(4 * (rng.choice((-1, 1)) * along - rng.uniform(-0.4, 0.7)), 0, 1)
    if way < 0.7:
        return np.clip(6 * (away - rng.uniform(0.5, 0.8)), 0, 1)
    return 0.0


def _glare(texture: Image, rng: np.random.Generator) -> None:
    """Add the reflection of a lamp to a face's texture, in place, in about a third of the calls."""
    if rng.random() < 0.35:
        rows, columns = np.mgrid[:TEXTURE_PX, :TEXTURE_PX].astype(np.float32) / TEXTURE_PX
        x, y = rng.uniform(-0.1, 1.1, 2)
        width, height = rng.uniform(0.05, 0.5, 2)
        shine = np.exp(-(((columns - x) / width) ** 2) - ((rows - y) / height) ** 2)
        texture += (rng.uniform(30, 200) * shine)[:, :, None]


def _bright_line(texture: Image, rng: np.random.Generator) -> None:
    """Add the reflection of a window in a rounded edge or in hollows, in place: a bent bright line."""
    spots = rng.uniform(0, TEXTURE_PX, 2) + np.cumsum(rng.normal(0, TEXTURE_PX / 5, (int(rng.integers(2, 6)), 2)), 0)
    line = np.zeros(texture.shape[:2], np.float32)
    cv2.polylines(line, [(spots * 8).astype(np.int32)], False, 1.0, int(rng.integers(1, 5)), cv2.LINE_AA, 3)
    line = cv2.GaussianBlur(line, (0, 0), rng.uniform(0.4, 1.6))
    texture += (rng.uniform(60, 220) * line)[:, :, None]


def _shadowed(canvas: Image, spots: Floats, edge_px: float, rng: np.random.Generator) -> Image:
    """Return the canvas (h, w, 3) darkened by a die's shadow; `spots`: its (8, 2) corners, `edge_px`: its edge."""
    mask = np.zeros(canvas.shape[:2], np.float32)
    moved = spots + rng.normal(0, 0.18, 2) * edge_px
    cv2.fillConvexPoly(mask, cv2.convexHull(moved.astype(np.float32)).astype(np.int32), 1.0)
    width = int(rng.uniform(0.05, 0.5) * edge_px) * 2 + 1
    mask = cv2.blur(cv2.blur(mask, (width, width)), (width, width))
    return canvas * (1 - rng.uniform(0, 0.75) * mask[:, :, None])


def _window(picture: Image, origin: NDArray[np.int64], edge: int) -> Image:
    """Return the square of the picture at `origin` (x, y) with `edge` pixels; border pixels repeat outside."""
    rows = np.clip(np.arange(origin[1], origin[1] + edge), 0, picture.shape[0] - 1)
    columns = np.clip(np.arange(origin[0], origin[0] + edge), 0, picture.shape[1] - 1)
    return picture[rows[:, None], columns[None]]


def _put_back(picture: Image, window: Image, origin: NDArray[np.int64]) -> None:
    edge = window.shape[0]
    x0, y0 = np.maximum(origin, 0)
    x1, y1 = np.minimum(origin + edge, (picture.shape[1], picture.shape[0]))
    if x0 < x1 and y0 < y1:
        picture[y0:y1, x0:x1] = window[y0 - origin[1] : y1 - origin[1], x0 - origin[0] : x1 - origin[0]]
