"""QR codes as SVG: the page's address, and the Wi-Fi to join first."""

from __future__ import annotations

import functools
import io

import segno


@functools.lru_cache(maxsize=16)
def svg(text: str) -> bytes:
    """Draw a QR code as SVG, dark on white with quiet zone, with error correction M. Keeps the last 16."""
    out = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        out, kind="svg", border=4, dark="#17110c", light="#ffffff", xmldecl=False
    )
    return out.getvalue()
