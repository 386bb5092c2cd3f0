"""Scanning a code from a screen, as a phone does: again and again, from nearer and farther."""

from __future__ import annotations

import time
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

SIZES = (1.0, 0.75, 1.5, 2.0)
"""OpenCV can't read one code in some hundreds at one size, and can at another."""
PATIENCE_S = 30.0


def text_of(picture: NDArray[np.uint8]) -> str:
    """What the code in a picture says; nothing where none can be read."""
    detector = cv2.QRCodeDetector()
    for size in SIZES:
        way = cv2.INTER_AREA if size < 1 else cv2.INTER_CUBIC
        text, _, _ = detector.detectAndDecode(cv2.resize(picture, None, fx=size, fy=size, interpolation=way))
        if text:
            return text
    return ""


def scanned(shown: Any) -> str:
    """What the code on a page (or locator) of Playwright's says, once it is drawn."""
    ends_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_s:
        picture = cv2.imdecode(np.frombuffer(shown.screenshot(), np.uint8), cv2.IMREAD_COLOR)
        if picture is not None and (text := text_of(picture.astype(np.uint8))):
            return text
    return ""
