"""Scanning a code from a screen, as a phone does: again and again, until there is something to read.

By ZXing: OpenCV reads no text, at any size, from one code in about two hundred (5 of 1,200; ZXing read them all).
"""

from __future__ import annotations

import time
from typing import Any

import cv2
import numpy as np
import zxingcpp
from numpy.typing import NDArray

PATIENCE_S = 30.0


def text_of(picture: NDArray[np.uint8]) -> str:
    """What the code in a picture says; nothing where none can be read."""
    return next((code.text for code in zxingcpp.read_barcodes(picture, zxingcpp.BarcodeFormat.QRCode)), "")


def scanned(shown: Any) -> str:
    """What the code on a page (or locator) of Playwright's says, once it is drawn."""
    ends_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_s:
        picture = cv2.imdecode(np.frombuffer(shown.screenshot(), np.uint8), cv2.IMREAD_COLOR)
        if picture is not None and (text := text_of(picture.astype(np.uint8))):
            return text
    raise AssertionError("no code could be read from the screen")
