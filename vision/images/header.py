"""What the first bytes of a picture file tell: its kind, its size in pixels, and whether its end is missing.

A few bytes are enough to refuse a picture that would fill the memory, before a decoder is asked for it. Only the kinds
named here are decoded at all.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

KINDS = "JPEG, PNG, WebP, TIFF, BMP or GIF"


@dataclass(frozen=True, slots=True)
class Header:
    """Kind, width and height in pixels, and the bytes that a decoder needs at once for a piece of the picture."""

    kind: str
    width_px: int
    height_px: int
    piece_bytes: int = 0


def header_of(content: bytes) -> Header | None:
    """The header of a picture file, or None if it is none of the known kinds or its header is not whole."""
    try:
        return _header(content)
    except (struct.error, IndexError):  # the file ends in the middle of its header
        return None


def cut_off(content: bytes, header: Header) -> bool:
    """Whether the end of the file is missing, where the kind lets that be told.

    Decoders fill what is missing with grey and say nothing; dice that should be there would be missed silently.
    """
    if header.kind == "JPEG":
        # In the compressed part each 255 is followed by 0, so an end marker there is a real one (ITU T.81, B.1.1.5).
        scan = next((at for marker, at in _jpeg_segments(content) if marker == 0xDA), 0)
        return content.find(b"\xff\xd9", scan) < 0
    if header.kind == "PNG":
        return content.rfind(b"IEND") < 0
    if header.kind == "WebP":
        return len(content) < 8 + struct.unpack_from("<I", content, 4)[0]
    return False


def _header(content: bytes) -> Header | None:
    if content.startswith(b"\xff\xd8\xff"):
        return _jpeg(content)
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return Header("PNG", *struct.unpack_from(">II", content, 16))
    if content.startswith((b"GIF87a", b"GIF89a")):
        return Header("GIF", *struct.unpack_from("<HH", content, 6))
    if content.startswith(b"BM"):
        return _bmp(content)
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return _webp(content)
    if content.startswith((b"II*\0", b"MM\0*")):
        return _tiff(content)
    return None


def _jpeg_segments(content: bytes) -> Iterator[tuple[int, int]]:
    """Each marker and where its segment begins (behind the length), up to the first compressed part."""
    at = 2
    while at + 4 <= len(content):
        if content[at] != 0xFF:
            at += 1
            continue
        marker = content[at + 1]
        if marker in (0x00, 0x01, 0xFF) or 0xD0 <= marker <= 0xD8:
            at += 1 if marker == 0xFF else 2
            continue
        yield marker, at + 4
        if marker == 0xDA:
            return
        at += 2 + struct.unpack_from(">H", content, at + 2)[0]


def _jpeg(content: bytes) -> Header | None:
    for marker, at in _jpeg_segments(content):
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):  # start of frame
            height, width = struct.unpack_from(">HH", content, at + 1)
            return Header("JPEG", width, height)
    return None


def _bmp(content: bytes) -> Header:
    if struct.unpack_from("<I", content, 14)[0] == 12:  # OS/2
        return Header("BMP", *struct.unpack_from("<HH", content, 18))
    width, height = struct.unpack_from("<ii", content, 18)
    return Header("BMP", abs(width), abs(height))


def _webp(content: bytes) -> Header | None:
    form = content[12:16]
    if form == b"VP8 ":
        width, height = struct.unpack_from("<HH", content, 26)
        return Header("WebP", width & 0x3FFF, height & 0x3FFF)
    if form == b"VP8L":
        bits = struct.unpack_from("<I", content, 21)[0]
        return Header("WebP", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if form == b"VP8X":
        width, height = (int.from_bytes(content[at : at + 3], "little") + 1 for at in (24, 27))
        return Header("WebP", width, height)
    return None


_TIFF_SIZES = {1: "B", 3: "H", 4: "I"}
_WIDTH, _HEIGHT, _BITS, _SAMPLES, _ROWS, _TILE_WIDTH, _TILE_HEIGHT = 256, 257, 258, 277, 278, 322, 323


def _tiff(content: bytes) -> Header | None:
    """TIFF 6.0, first directory. It is decoded in strips or tiles, which may be as large as the picture or larger."""
    order = "<" if content[:2] == b"II" else ">"
    tags = dict(_tiff_tags(content, order))
    if _WIDTH not in tags or _HEIGHT not in tags:
        return None
    width, height = tags[_WIDTH], tags[_HEIGHT]
    rows = min(tags.get(_ROWS, height), height)
    piece_px = tags.get(_TILE_WIDTH, width) * tags.get(_TILE_HEIGHT, rows)
    return Header("TIFF", width, height, piece_px * tags.get(_SAMPLES, 1) * max(8, tags.get(_BITS, 8)) // 8)


def _tiff_tags(content: bytes, order: str) -> Iterator[tuple[int, int]]:
    at = struct.unpack_from(order + "I", content, 4)[0]
    for entry in range(struct.unpack_from(order + "H", content, at)[0]):
        where = at + 2 + 12 * entry
        tag, form, count = struct.unpack_from(order + "HHI", content, where)
        size = _TIFF_SIZES.get(form)
        if size is None:
            continue
        if count * struct.calcsize(size) > 4:  # the values lie elsewhere; the first of them speaks for all
            where = struct.unpack_from(order + "I", content, where + 8)[0] - 8
        yield tag, struct.unpack_from(order + size, content, where + 8)[0]
