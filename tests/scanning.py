"""Reads QR codes from pictures and screens by ZXing. OpenCV fails on about one code in two hundred."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import zxingcpp
from numpy.typing import NDArray

from tests.waiting import until


def text_of(picture: NDArray[np.uint8]) -> str:
    """Return the text of the first QR code in a picture; "" if none can be read."""
    qr_codes = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    return next((code.text for code in zxingcpp.read_barcodes(picture, qr_codes)), "")


def scanned(shown: Any) -> str:
    """Wait until a Playwright page or locator shows a readable QR code, and return its text."""
    texts = [""]

    def read() -> bool:
        picture = cv2.imdecode(np.frombuffer(shown.screenshot(), np.uint8), cv2.IMREAD_COLOR)
        texts[0] = "" if picture is None else text_of(picture.astype(np.uint8))
        return texts[0] != ""

    assert until(read), "no code could be read from the screen"
    return texts[0]
