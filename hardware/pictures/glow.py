"""Renders lit boards: frames of light on dark wood, as still and animated pictures."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from companion.errors import explained
from hardware.pictures.plans import HOLE_MM
from hardware.settings import GAMMA
from hardware.strips import FrameRGB
from hardware.track import Layout

PictureBGR = NDArray[np.uint8]
"""(height, width, 3) uint8."""

_WOOD_BGR = np.array([14, 24, 38], np.float32)
"""Colour of the LED board's wood in its pictures: blue, green, red, 0 to 255. Grain and darker edges are applied to it.
Higher: brighter wood, from which the brass rings stand out less."""
_BRASS_BGR = np.array([30, 62, 84], np.float32)
"""Colour of the brass ring round the hole of each LED in use, in pictures of the board: blue, green, red, 0 to 255.
Higher: the rings stand out more from the wood."""
_HOLE_BGR = np.array([6, 8, 11], np.float32)
"""Colour of an unlit LED's hole in pictures: blue, green, red, 0 to 255. Higher: it stands out less from the wood."""
MAX_WIDTH_PX = 1680
"""Largest width, in pixels, of a picture of the lit board: a screen's width. Wider: larger files.
Narrower: the LEDs of long boards lie closer together than asked for."""
_CORE_BRIGHTNESS = 1.35
"""Brightest core that a drawn LED can have, a multiple of the picture's white. Cores are divided by it to fit 8 bits,
then multiplied again. Lower: bright cores are clipped and look duller. Higher: no visible change."""


class Scenery:
    """The unlit board of a layout, drawn once; frames are lit on top of it.

    Args:
        layout: Places of the LEDs.
        width_px: Width of the pictures; the height follows from the layout and is at least 96.
    """

    def __init__(self, layout: Layout, width_px: int = 960) -> None:
        places = np.array(layout.places_mm, np.float32)
        span_mm = np.ptp(places, axis=0)
        pitch_mm = _nearest_mm(places)
        margin_mm = max(2.5 * pitch_mm, 0.04 * float(span_mm[0]))
        px_per_mm = width_px / float(span_mm[0] + 2 * margin_mm)
        height_px = max(96, round((float(span_mm[1]) + 2 * margin_mm) * px_per_mm))
        top_px = (height_px - float(span_mm[1]) * px_per_mm) / 2
        left_px = margin_mm * px_per_mm
        self.size_wh = (width_px, height_px + height_px % 2)
        self._xy = (places - places.min(axis=0)) * px_per_mm + np.array([left_px, top_px], np.float32)
        self._hole_px = float(np.clip(0.36 * pitch_mm * px_per_mm, 2.2, 9.5))
        # Rings of brass must not overlap where LEDs are close.
        ring_px = min(1.3 * self._hole_px, 0.46 * pitch_mm * px_per_mm)
        used = {led for lane in layout.lanes for hole in lane for led in hole} | set(layout.status)
        ground = np.clip(_wood(*self.size_wh), 0, 255).astype(np.uint8)
        for led, (x, y) in enumerate(self._xy):
            if led in used:
                _disc(ground, x, y, ring_px, _BRASS_BGR)
            _disc(ground, x, y, min(self._hole_px, 0.77 * ring_px), _HOLE_BGR)
        self._ground = ground.astype(np.float32)

    def lit(self, frame_rgb: FrameRGB) -> PictureBGR:
        """Return a picture of the board in a dim room, its LEDs lit, (height, width, 3) uint8 BGR.

        `frame_rgb` has the colours as sent to the strip, one row for each LED of the layout, (leds, 3) uint8. Raises
        ValueError for another number of rows.
        """
        width_px, height_px = self.size_wh
        seen = (frame_rgb[:, ::-1] / 255.0) ** (1 / GAMMA)
        halo = np.zeros((height_px, width_px, 3), np.uint8)
        core = np.zeros_like(halo)
        for (x, y), colour in zip(self._xy, seen, strict=True):
            if colour.any():
                _disc(halo, x, y, self._hole_px, 255 * colour**1.3)
                _disc(core, x, y, self._hole_px, 255 / _CORE_BRIGHTNESS * (0.25 * colour.max() ** 3 + 1.1 * colour))
        light = halo.astype(np.float32) / np.float32(255)
        wide, near = _spread(light, 6.5 * self._hole_px), _spread(light, 1.9 * self._hole_px)
        picture = self._ground * (1.0 + 9.0 * wide) + 255.0 * (0.9 * wide + 0.75 * near)
        cores = cv2.GaussianBlur(core.astype(np.float32), (0, 0), max(0.6, 0.16 * self._hole_px))
        picture = np.maximum(picture, _CORE_BRIGHTNESS * cores)
        return np.clip(picture, 0, 255).astype(np.uint8)

    def numbered(self, layout: Layout) -> PictureBGR:
        """Return a brightened picture of the unlit board with numbers beside hole 1 and every fifth hole."""
        picture = np.clip(self._ground * 2.0, 0, 255).astype(np.uint8)
        for lane in layout.lanes:
            for number in (1, *range(5, layout.holes + 1, 5)):
                x, y = self._xy[lane[number][0]]
                place = (round(float(x) - 4 * len(str(number))), round(float(y) + 2.4 * self._hole_px + 6))
                font, colour = cv2.FONT_HERSHEY_SIMPLEX, (214, 234, 244)
                cv2.putText(picture, str(number), place, font, 0.36, colour, 1, cv2.LINE_AA)
        return picture


scenery = lru_cache(maxsize=8)(Scenery)
"""Returns the unlit board of a layout, drawn a number of pixels wide; cached."""


def wide_enough(layout: Layout, least_px: int, pitch_px: float) -> int:
    """Return the width of a board's picture with neighbouring LEDs `pitch_px` apart: `least_px` to MAX_WIDTH_PX."""
    places = np.array(layout.places_mm, np.float32)
    span = float(np.ptp(places[:, 0])) / _nearest_mm(places)
    return round(min(MAX_WIDTH_PX, max(least_px, (span + 6) * pitch_px)))


def save_still(path: Path, picture_bgr: PictureBGR) -> None:
    """Write a picture as PNG. Raises DeviceError if that fails."""
    _save(path, [picture_bgr], format="PNG", compress_level=4)


def save_moving(path: Path, pictures_bgr: list[PictureBGR], frame_ms: int) -> None:
    """Write an animated WebP that shows each picture for `frame_ms` milliseconds. Raises DeviceError if that fails."""
    # With less quality, dark wood shows blocks where a light has passed.
    _save(path, pictures_bgr, format="WEBP", save_all=True, duration=frame_ms, quality=85, kmax=0)


def _save(path: Path, pictures_bgr: list[PictureBGR], **options: Any) -> None:
    """Write one picture, or an animation of several, with Pillow's `options`. Raises DeviceError if that fails."""
    first, *rest = (Image.fromarray(picture[:, :, ::-1]) for picture in pictures_bgr)
    with explained(f"{path} can't be written", "Name another with --out."):
        first.save(path, append_images=rest, **options)


def _nearest_mm(places: NDArray[np.float32]) -> float:
    """Return the distance from the first LED to the nearest other, in mm; HOLE_MM for a strip of one LED."""
    if len(places) == 1:
        return HOLE_MM
    away = np.linalg.norm(places[:1] - places[1:], axis=1)
    return float(away[away > 0].min())


def _disc(picture: NDArray[np.uint8], x: float, y: float, radius_px: float, colour: NDArray[np.floating[Any]]) -> None:
    """Draw a filled, antialiased disc around (x, y), in pixels, on a picture in place. `colour` is BGR, 0 to 255."""
    # cv2 takes coordinates in sixteenths of a pixel here, and antialiases only 8-bit pictures.
    sub = 16
    centre = (round(float(x) * sub), round(float(y) * sub))
    cv2.circle(picture, centre, round(radius_px * sub), colour.tolist(), -1, cv2.LINE_AA, 4)


def _spread(light: NDArray[np.float32], sigma_px: float) -> NDArray[np.float32]:
    """Return `light`, (height, width, 3) float32, with a Gaussian blur, made on a smaller picture to be faster."""
    part = min(1.0, 3.0 / sigma_px)
    small = cv2.resize(light, None, fx=part, fy=part, interpolation=cv2.INTER_AREA)
    size_wh = (light.shape[1], light.shape[0])
    return np.asarray(cv2.resize(cv2.GaussianBlur(small, (0, 0), sigma_px * part), size_wh), np.float32)


def _wood(width_px: int, height_px: int) -> NDArray[np.float32]:
    """Return a picture of dark wood, (height, width, 3) float32 BGR from 0 to 255; always the same one for a size."""
    rng = np.random.default_rng(122)
    fine = cv2.resize(rng.random((height_px, max(8, width_px // 40)), np.float32), (width_px, height_px))
    few = (max(4, height_px // 24), max(4, width_px // 160))
    broad = cv2.resize(rng.random(few, np.float32), (width_px, height_px))
    y = np.linspace(0, height_px / 14, height_px, dtype=np.float32)[:, None]
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (0.35 * y + 2.2 * broad))
    grain = 0.72 + 0.28 * rings * (0.55 + 0.45 * fine) + 0.12 * (fine - 0.5)
    across = np.linspace(-1, 1, width_px, dtype=np.float32)[None, :] ** 2
    down = np.linspace(-1, 1, height_px, dtype=np.float32)[:, None] ** 2
    return np.asarray((grain * (1 - 0.28 * across - 0.22 * down))[:, :, None] * _WOOD_BGR, np.float32)
