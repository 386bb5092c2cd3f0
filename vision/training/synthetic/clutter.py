"""Paints what lies on tables and looks a little like dice: keys, plugs, screws, number discs, buttons, chips, print.

Where nobody says how many dice there are, such things were taken for dice, or doubted: they have dots, or the outline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.synthetic.makes import Image

PIECE_PX = 128
"""Edge of a thing's texture."""
FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_SCRIPT_SIMPLEX,
)
GLYPHS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:;.,!?%&=+-*#@/<>()[]{}|'abcdefghijklmnopqrstuvwxyz"

Faces = list[tuple[float, float, float]]
"""Middles x, y and sizes of what may pass for faces, in edges of a texture."""
Piece = tuple[Image, Image, Faces]
"""Texture (128, 128, 3) in levels, how much it covers (128, 128), 0 to 1, and what may pass for faces in it."""


def litter(picture: Image, at_xy: tuple[float, float], size_px: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Lay some thing that is no die into a (h, w, 3) picture of levels; a face of it has about that size.

    Returns (n, 3) middles x, y and sizes of what may pass for faces, in pixels.
    """
    texture, alpha, faces = KINDS[int(rng.integers(len(KINDS)))](rng)
    texture *= rng.uniform(0.6, 1.15)
    scale = size_px / (PIECE_PX * faces[0][2])
    turn, squeeze = rng.uniform(0, 2 * np.pi), rng.uniform(0.6, 1.0)
    about = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ np.diag([scale, scale * squeeze])
    shift = np.array(at_xy) - about @ (np.array(faces[0][:2]) * PIECE_PX)
    matrix, size_wh = np.hstack([about, shift[:, None]]), picture.shape[1::-1]
    laid = cv2.warpAffine(texture, matrix, size_wh, flags=cv2.INTER_AREA)
    cover = cv2.warpAffine(alpha, matrix, size_wh, flags=cv2.INTER_AREA)
    shadow = cv2.warpAffine(alpha, matrix + np.array([0, 0, 0.08 * size_px]), size_wh)
    picture *= (1 - rng.uniform(0, 0.5) * cv2.GaussianBlur(shadow, (0, 0), max(0.5, 0.08 * size_px)))[:, :, None]
    picture += (laid - picture) * cover[:, :, None]
    middles = np.array([(x, y) for x, y, _ in faces]) * PIECE_PX @ about.T + shift
    sizes = np.array([size for _, _, size in faces]) * PIECE_PX * scale * squeeze**0.5
    return np.hstack([middles, sizes[:, None]]).astype(np.float32)


def _blank(colour: Sequence[float]) -> tuple[Image, Image]:
    texture = np.empty((PIECE_PX, PIECE_PX, 3), np.float32)
    texture[:] = np.array(colour, np.float32)
    return texture, np.zeros((PIECE_PX, PIECE_PX), np.float32)


def _two_colours(rng: np.random.Generator) -> tuple[list[float], list[float]]:
    """Dark on light, light on dark, or any two that differ."""
    dark, light = rng.uniform(0, 70, 3), rng.uniform(170, 255, 3)
    if rng.random() < 0.3:
        dark, light = rng.uniform(0, 120, 3), rng.uniform(100, 255, 3)
    one, other = (dark, light) if rng.random() < 0.5 else (light, dark)
    return one.tolist(), other.tolist()


def _px(*edges: float) -> tuple[int, ...]:
    return tuple(round(edge * PIECE_PX) for edge in edges)


def _disc(canvas: Image, x: float, y: float, radius: float, colour: Sequence[float] | float) -> None:
    at = (round(x * PIECE_PX * 8), round(y * PIECE_PX * 8))
    cv2.circle(canvas, at, round(radius * PIECE_PX * 8), colour, -1, cv2.LINE_AA, 3)


def _square(canvas: Image, box: tuple[float, float, float, float], colour: Sequence[float] | float) -> None:
    """With round corners; `box`: left, top, right, bottom."""
    x0, y0, x1, y1 = _px(*box)
    round_px = max(1, (x1 - x0) // 8)
    cv2.rectangle(canvas, (x0 + round_px, y0 + round_px), (x1 - round_px, y1 - round_px), colour, -1)
    cv2.rectangle(canvas, (x0 + round_px, y0 + round_px), (x1 - round_px, y1 - round_px), colour, 2 * round_px)


def written(
    canvas: Image, text: str, at: tuple[float, float], high: float, colour: Sequence[float], rng: np.random.Generator
) -> None:
    """Write a text round a middle; places and height in edges of the canvas."""
    edge, font, thick = len(canvas), FONTS[int(rng.integers(len(FONTS)))], int(rng.integers(1, 5))
    scale = high * edge / cv2.getTextSize("M", font, 1.0, thick)[0][1]
    (width, height), _ = cv2.getTextSize(text, font, scale, thick)
    corner = (round(at[0] * edge - width / 2), round(at[1] * edge + height / 2))
    cv2.putText(canvas, text, corner, font, scale, colour, thick, cv2.LINE_AA)


def some_text(rng: np.random.Generator, most: int) -> str:
    """One to so many characters."""
    return "".join(rng.choice(list(GLYPHS), int(rng.integers(1, most + 1))))


def _keys(rng: np.random.Generator) -> Piece:
    """Four keys of a keyboard."""
    body, print_on = _two_colours(rng)
    texture, alpha = _blank([0.6 * level for level in body])
    gap = rng.uniform(0.01, 0.06)
    if rng.random() < 0.5:
        alpha[:] = 1
    faces: Faces = []
    for x in (0.25, 0.75):
        for y in (0.25, 0.75):
            box = (x - 0.25 + gap, y - 0.25 + gap, x + 0.25 - gap, y + 0.25 - gap)
            _square(texture, box, body)
            _square(alpha, box, 1.0)
            way, at = rng.random(), (x + rng.uniform(-0.08, 0.08), y + rng.uniform(-0.08, 0.08))
            if way < 0.7:
                written(texture, some_text(rng, 3), at, rng.uniform(0.06, 0.2), print_on, rng)
            if 0.5 < way < 0.8:
                _disc(texture, x + rng.uniform(-0.12, 0.12), y + 0.12, rng.uniform(0.01, 0.03), print_on)
            if way > 0.8:
                spots = np.array([(x, y)]) + rng.uniform(-0.1, 0.1, (3, 2))
                cv2.fillPoly(texture, [(spots * PIECE_PX).astype(np.int32)], print_on, cv2.LINE_AA)
            faces.append((x, y, 0.5 - 2 * gap))
    return texture, alpha, faces


def _plug(rng: np.random.Generator) -> Piece:
    """The metal end of a cable or a stick, with two holes side by side."""
    body, hole = _two_colours(rng)
    texture, alpha = _blank(rng.uniform(0, 90, 3).tolist())
    end = (0.25, 0.1, 0.75, 0.1 + rng.uniform(0.4, 0.6))
    handle = (0.15, end[3] - 0.05, 0.85, 1.0)
    _square(alpha, end, 1.0)
    _square(alpha, handle, 1.0)
    x0, y0, x1, y1 = _px(*end)
    texture[y0:y1, x0:x1] = np.array(body, np.float32) * np.linspace(0.7, 1.1, x1 - x0, dtype=np.float32)[None, :, None]
    half, off, y = rng.uniform(0.03, 0.07), rng.uniform(0.09, 0.15), rng.uniform(0.2, 0.45)
    for x in (0.5 - off, 0.5 + off):
        cv2.rectangle(texture, _px(x - half, y - half), _px(x + half, y + half), hole, -1)
    return texture, alpha, [(0.5, (end[1] + end[3]) / 2, 0.5), (0.5, y, rng.uniform(0.3, 0.5))]


def _screw(rng: np.random.Generator) -> Piece:
    """The head of a screw or bolt."""
    body, slot = _two_colours(rng)
    texture, alpha = _blank(body)
    _disc(alpha, 0.5, 0.5, 0.42, 1.0)
    if rng.random() < 0.5:
        _disc(texture, 0.5, 0.5, rng.uniform(0.15, 0.3), slot)
    for angle in np.arange(int(rng.integers(1, 4))) * np.pi / 2 + rng.uniform(0, np.pi):
        along = 0.3 * np.array([np.cos(angle), np.sin(angle)])
        cv2.line(texture, _px(*(0.5 - along)), _px(*(0.5 + along)), slot, int(rng.integers(4, 14)), cv2.LINE_AA)
    _disc(texture, *rng.uniform(0.3, 0.7, 2), rng.uniform(0.02, 0.08), (255.0, 255.0, 255.0))
    return texture, alpha, [(0.5, 0.5, rng.uniform(0.6, 0.9))]


def _number(rng: np.random.Generator) -> Piece:
    """A disc or a tile with a number, or letters, and a row of dots below, as games have."""
    body, print_on = _two_colours(rng)
    texture, alpha = _blank(body)
    if rng.random() < 0.7:
        _disc(alpha, 0.5, 0.5, 0.45, 1.0)
    else:
        _square(alpha, (0.08, 0.08, 0.92, 0.92), 1.0)
    if rng.random() < 0.5:
        cv2.circle(texture, _px(0.5, 0.5), *_px(0.4), print_on, int(rng.integers(1, 5)), cv2.LINE_AA)
    written(texture, str(rng.integers(2, 13)), (0.5, rng.uniform(0.38, 0.5)), rng.uniform(0.15, 0.4), print_on, rng)
    dots, step = int(rng.integers(0, 6)), rng.uniform(0.07, 0.11)
    for at in range(dots):
        _disc(texture, 0.5 + (at - (dots - 1) / 2) * step, 0.75, rng.uniform(0.02, 0.035), print_on)
    return texture, alpha, [(0.5, 0.5, rng.uniform(0.6, 0.9)), (0.5, 0.7, rng.uniform(0.3, 0.5))]


def _button(rng: np.random.Generator) -> Piece:
    """A round button with a rim, and two or four holes near its middle."""
    body, hole = _two_colours(rng)
    texture, alpha = _blank(body)
    _disc(alpha, 0.5, 0.5, 0.44, 1.0)
    rim = [level * rng.uniform(0.6, 0.9) for level in body]
    cv2.circle(texture, _px(0.5, 0.5), *_px(rng.uniform(0.28, 0.4)), rim, int(rng.integers(2, 8)), cv2.LINE_AA)
    off, radius = rng.uniform(0.08, 0.13), rng.uniform(0.03, 0.06)
    for x, y in [(-off, -off), (off, off), (-off, off), (off, -off)][: 2 * int(rng.integers(1, 3))]:
        _disc(texture, 0.5 + x, 0.5 + y, radius, hole)
    return texture, alpha, [(0.5, 0.5, rng.uniform(0.7, 0.95))]


def _chip(rng: np.random.Generator) -> Piece:
    """A poker chip or a coin: stripes at the edge, a ring, some print."""
    body, stripe = _two_colours(rng)
    texture, alpha = _blank(body)
    _disc(alpha, 0.5, 0.5, 0.47, 1.0)
    stripes, off = int(rng.choice((0, 4, 6, 8))), rng.uniform(0, 2 * np.pi)
    for angle in np.arange(stripes) * 2 * np.pi / max(1, stripes) + off:
        out = np.array([np.cos(angle), np.sin(angle)])
        cv2.line(texture, _px(*(0.5 + 0.36 * out)), _px(*(0.5 + 0.47 * out)), stripe, int(rng.integers(6, 18)))
    cv2.circle(texture, _px(0.5, 0.5), *_px(rng.uniform(0.25, 0.34)), stripe, int(rng.integers(1, 5)), cv2.LINE_AA)
    if rng.random() < 0.7:
        written(texture, some_text(rng, 3), (0.5, 0.5), rng.uniform(0.12, 0.3), stripe, rng)
    return texture, alpha, [(0.5, 0.5, rng.uniform(0.5, 0.95))]


def _print(rng: np.random.Generator) -> Piece:
    """Lines of print, on a label or on the ground itself."""
    body, ink = _two_colours(rng)
    texture, alpha = _blank(body)
    high = rng.uniform(0.08, 0.3)
    for y in np.arange(0.15, 0.95, 1.6 * high):
        written(texture, some_text(rng, 8), (0.5, float(y)), high, ink, rng)
    alpha[:] = 1
    if rng.random() < 0.5:
        alpha = np.float32(np.abs(texture - np.array(body, np.float32)).max(2) > 20)
    return texture, alpha, [(0.5, 0.5, rng.uniform(0.4, 0.9)), (*rng.uniform(0.3, 0.7, 2), 2.2 * high)]


def _dotted(rng: np.random.Generator) -> Piece:
    """Dots in rows, which go on: cloth, a grid of holes, the studs of a brick."""
    body, dot = _two_colours(rng)
    texture, alpha = _blank(body)
    alpha[:] = 1
    step, radius = 1 / int(rng.integers(4, 9)), rng.uniform(0.15, 0.4)
    for row, y in enumerate(np.arange(step / 2, 1, step)):
        shift = step / 2 * (row % 2) * (rng.random() < 0.5)
        for x in np.arange(step / 2 + shift, 1, step):
            _disc(texture, float(x), float(y), radius * step, dot)
    return texture, alpha, [(*rng.uniform(0.35, 0.65, 2), step * rng.uniform(1, 3)) for _ in range(3)]


KINDS: tuple[Callable[[np.random.Generator], Piece], ...] = (
    _keys, _plug, _screw, _number, _button, _chip, _print, _dotted,
)  # fmt: skip
