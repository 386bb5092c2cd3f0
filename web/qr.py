"""QR codes as SVG: for the page's URL, and for the Wi-Fi to join first."""

from __future__ import annotations

import functools
import io

import segno


@functools.lru_cache(maxsize=16)
def svg(text: str) -> bytes:
    """Return a QR code of `text` as SVG, dark on white with quiet zone. The last 16 are cached.

    The error correction is M or above. Raises ValueError if the text is too long for a QR code.
    """
    out = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        out, kind="svg", border=4, dark="#17110c", light="#ffffff", xmldecl=False
    )
    return out.getvalue()
