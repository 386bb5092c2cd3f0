"""Draws a reading over a copy of its picture: a box and a value for each die, and the reason for doubt, if any."""

from __future__ import annotations

import cv2
import numpy as np

from vision.reading.reading import Die, FrameBGR, Reading

Colour = tuple[int, int, int]

CONFIDENT_BGR: Colour = (110, 200, 70)
"""Green (blue, green, red, 0 to 255) of the box of a die read with high confidence, and of the plate behind its value.
The banner's plate has it, too, if the reading is trusted."""
UNCERTAIN_BGR: Colour = (40, 150, 255)
"""Orange (blue, green, red, 0 to 255) of the box of a die read with low confidence, and of the plate behind its value.
The banner's plate has it, too, if the reading is in doubt."""
INK_BGR: Colour = (24, 22, 20)
"""Colour of text and of the dark edges of the dice's boxes: blue, green, red from 0 to 255."""
PAPER_BGR: Colour = (240, 244, 246)
"""Nearly white plate behind a die's confidence: blue, green, red from 0 to 255."""
CONFIDENT_FROM = 0.9
"""Confidence, 0 to 1, from which a die's box is drawn in CONFIDENT_BGR (green) instead of UNCERTAIN_BGR (orange). A
higher one draws more boxes in orange; the reading does not change."""
FONT = cv2.FONT_HERSHEY_DUPLEX
"""OpenCV's number of the font in which values, confidences and the banner are drawn."""
_FONT_PX = 22
"""Height of FONT's capitals at font scale 1, in pixels, a property of the font. A wanted height divided by it is
OpenCV's font scale, so twice as much would halve all text."""


def annotated(image_bgr: FrameBGR, reading: Reading) -> FrameBGR:
    """Return a copy of a picture (h, w, 3) with a reading drawn on it: each die's box, value and confidence.

    A banner in the upper left corner lists all values, with `?` for an unread die, or says `no dice`. It names the
    reading's doubt, if it has one.
    """
    drawn = image_bgr.copy()
    # Line thickness in pixels: 2 for a picture of 600 pixels, 10 for one of 4,000.
    unit = max(1, round(min(image_bgr.shape[:2]) / 400))
    for die in reading.dice:
        _draw_die(drawn, die, unit)
    _draw_banner(drawn, reading, unit)
    return drawn


def _draw_die(drawn: FrameBGR, die: Die, unit: int) -> None:
    """Draw a die's box, value (`?` for None) and confidence in place; `unit` is a thin line's width in pixels.

    The box and the plate of the value are green from a confidence of CONFIDENT_FROM, else orange.
    """
    x, y, w, h = die.box_xywh
    colour = CONFIDENT_BGR if die.confidence >= CONFIDENT_FROM else UNCERTAIN_BGR
    cv2.rectangle(drawn, (x, y), (x + w, y + h), INK_BGR, 3 * unit, cv2.LINE_AA)
    cv2.rectangle(drawn, (x, y), (x + w, y + h), colour, unit, cv2.LINE_AA)
    height_px = max(12, min(round(0.42 * h), 26 * unit))
    _label(drawn, "?" if die.value is None else str(die.value), (x, y), height_px, colour)
    small_px = max(9, round(0.5 * height_px))
    _label(drawn, f"{100 * die.confidence:.0f}%", (x, y + h - small_px - small_px // 2), small_px, PAPER_BGR)


def _draw_banner(drawn: FrameBGR, reading: Reading, unit: int) -> None:
    """Draw a label with all values, and the reading's doubt if any, in the picture's upper left corner, in place.

    An unread die is a `?` at the end; without dice the label says `no dice`. `unit` is the width of a thin line in
    pixels. Text that is too wide is made smaller, down to capitals of 8 px. Text that still does not fit is cut off.
    """
    unread = ["?" for die in reading.dice if die.value is None]
    values = " ".join([*map(str, reading.values), *unread]) or "no dice"
    text, colour = values, CONFIDENT_BGR
    if reading.doubt is not None:
        text, colour = f"{values}?  in doubt: {reading.doubt.replace('_', ' ')}", UNCERTAIN_BGR
    height_px = max(10, 9 * unit)
    fits = (drawn.shape[1] - height_px) / _width_px(text, height_px)
    height_px = max(8, int(height_px * min(1.0, fits)))
    _label(drawn, text, (0, 0), height_px, colour)


def _label(drawn: FrameBGR, text: str, at_xy: tuple[int, int], height_px: int, colour: Colour) -> None:
    """Draw text, its capitals `height_px` high, on a plate of `colour` into the picture `drawn`, in place.

    The plate's upper left corner is at `at_xy`, or at the nearest place where the plate is inside the picture.
    """
    pad = max(2, height_px // 3)
    width, height = _width_px(text, height_px) + 2 * pad, height_px + 2 * pad
    x = int(np.clip(at_xy[0], 0, max(0, drawn.shape[1] - width)))
    y = int(np.clip(at_xy[1], 0, max(0, drawn.shape[0] - height)))
    cv2.rectangle(drawn, (x, y), (x + width, y + height), colour, cv2.FILLED)
    thickness = max(1, height_px // 12)
    cv2.putText(
        drawn, text, (x + pad, y + pad + height_px), FONT, height_px / _FONT_PX, INK_BGR, thickness, cv2.LINE_AA
    )


def _width_px(text: str, height_px: int) -> int:
    """Return the width of a text in pixels, if its capitals are `height_px` high."""
    (width, _), _ = cv2.getTextSize(text, FONT, height_px / _FONT_PX, max(1, height_px // 12))
    return int(width)
