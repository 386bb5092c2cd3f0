"""Makes odd and damaged picture files from a seed: rare formats, odd sizes, decompression bombs, animations."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable

import cv2
import numpy as np
from PIL import Image

from vision.cameras.simulated.camera import VirtualCamera

Make = Callable[[np.ndarray, np.random.Generator], bytes]


def scenes(count: int = 4) -> list[np.ndarray]:
    """Return `count` rendered trays (640, 840, 3) with two to five dice each."""
    film = VirtualCamera(5, sleep=lambda _s: None, seed=7)
    pictures = []
    for index in range(count):
        film.tray.lift()
        for die in range(2 + index % 4):
            film.tray.move(die, 40 + 36 * die, 60 + 20 * index)
        pictures.append(film.frame().image_bgr[60:700, 60:900])
    return pictures


def coded(image: np.ndarray, suffix: str, *params: int) -> bytes:
    if suffix == ".gif":  # not every OpenCV that a table may have was built to write it
        return moving([image], "GIF")
    done, content = cv2.imencode(suffix, image, list(params))
    assert done
    return content.tobytes()


def _sized(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    width = int(rng.choice([160, 240, 320]))
    return cv2.resize(image, (width, width * image.shape[0] // image.shape[1]), interpolation=cv2.INTER_AREA)


def _plain(suffix: str, *params: int) -> Make:
    return lambda image, rng: coded(_sized(image, rng), suffix, *params)


def _grey(suffix: str) -> Make:
    return lambda image, rng: coded(cv2.cvtColor(_sized(image, rng), cv2.COLOR_BGR2GRAY), suffix)


def _sixteen(suffix: str) -> Make:
    return lambda image, rng: coded(_sized(image, rng).astype(np.uint16) * 257, suffix)


def _clear(image: np.ndarray, rng: np.random.Generator) -> bytes:
    small = _sized(image, rng)
    return coded(np.dstack([small, rng.integers(0, 256, small.shape[:2], np.uint8)]), ".png")


def moving(frames: list[np.ndarray], kind: str) -> bytes:
    """Return an animation of BGR frames as a file of Pillow's format `kind`."""
    content = io.BytesIO()
    first, *others = (Image.fromarray(np.ascontiguousarray(frame[:, :, ::-1])) for frame in frames)
    first.save(content, kind, save_all=True, append_images=others, duration=40)
    return content.getvalue()


def _animated(kind: str) -> Make:
    def make(image: np.ndarray, rng: np.random.Generator) -> bytes:
        small = _sized(image, rng)
        return moving([np.roll(small, shift, 1) for shift in (0, 9, 31)], kind)

    return make


def oriented(jpeg: bytes, orientation: int) -> bytes:
    """Return a JPEG with that EXIF orientation."""
    exif = b"Exif\0\0II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:]


def _with_exif(image: np.ndarray, rng: np.random.Generator) -> bytes:
    """Return a JPEG with a random EXIF orientation, sometimes one that does not exist."""
    jpeg = coded(_sized(image, rng), ".jpg")
    return oriented(jpeg, int(rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 65535])))


def cmyk_jpeg(image: np.ndarray, rng: np.random.Generator) -> bytes:
    """Return a CMYK JPEG: four grey scans with the same tables, one after the other (ITU T.81)."""
    small = _sized(image, rng)
    black = small.max(2)
    planes = [small[:, :, 2], small[:, :, 1], small[:, :, 0], black]
    parts = [coded(plane, ".jpg", cv2.IMWRITE_JPEG_QUALITY, 90) for plane in planes]
    start = parts[0].index(b"\xff\xc0")
    scan = parts[0].index(b"\xff\xda")
    frame = parts[0][start + 4 : start + 9] + b"\4" + b"".join(bytes([number, 0x11, 0]) for number in (1, 2, 3, 4))
    tables = parts[0][2:start] + parts[0][start + 2 + struct.unpack_from(">H", parts[0], start + 2)[0] : scan]
    adobe = b"\xff\xee" + struct.pack(">H", 14) + b"Adobe" + struct.pack(">HHHB", 100, 0, 0, 0)
    scans = b"".join(
        b"\xff\xda" + struct.pack(">HBBBBBB", 8, 1, number, 0, 0, 63, 0) + part[part.index(b"\xff\xda") + 10 : -2]
        for number, part in enumerate(parts, 1)
    )
    return b"\xff\xd8" + adobe + tables + b"\xff\xc0" + struct.pack(">H", len(frame) + 2) + frame + scans + b"\xff\xd9"


def tiff(width: int, height: int, samples: int, photometric: int, pixels: bytes, rows: int | None = None) -> bytes:
    """Return an uncompressed TIFF (TIFF 6.0) with one strip of `pixels`, whatever size its header states."""
    tags = [
        (256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, photometric),
        (273, 4, 1, 8), (277, 3, 1, samples), (278, 4, 1, rows or height), (279, 4, 1, len(pixels)),
    ]  # fmt: skip
    pixels += b"\0" * (len(pixels) % 2)
    entries = b"".join(struct.pack("<HHII", *tag) for tag in tags)
    return b"II*\0" + struct.pack("<I", 8 + len(pixels)) + pixels + struct.pack("<H", len(tags)) + entries + bytes(4)


def _cmyk_tiff(image: np.ndarray, rng: np.random.Generator) -> bytes:
    small = _sized(image, rng)
    inks = np.dstack([255 - small[:, :, ::-1], np.zeros(small.shape[:2], np.uint8)])
    return tiff(small.shape[1], small.shape[0], 4, 5, inks.tobytes())


def _png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int, height: int, rows: bytes, colour: int = 0) -> bytes:
    """Return an 8-bit PNG whose header states that size, whatever `rows` holds."""
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    body = _png_chunk(b"IHDR", head) + _png_chunk(b"IDAT", zlib.compress(rows, 9)) + _png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def _bomb(_image: np.ndarray, rng: np.random.Generator) -> bytes:
    """Return a small file of a random format whose header states a huge size."""
    side = int(rng.choice([16_000, 40_000, 65_000, 2**31 - 1, 2**32 - 1]))
    little = min(side, 65_500)
    jpeg = coded(np.zeros((16, 16, 3), np.uint8), ".jpg")
    frame = jpeg.index(b"\xff\xc0") + 5
    bmp = coded(np.zeros((4, 4, 3), np.uint8), ".bmp")
    gif = b"GIF89a" + struct.pack("<HHBBB", little, little, 0, 0, 0) + b","
    gif += struct.pack("<HHHHB", 0, 0, little, little, 0) + b"\2\1\0\0;"
    webp = coded(np.zeros((8, 8, 3), np.uint8), ".webp", cv2.IMWRITE_WEBP_QUALITY, 101)
    vp8x = b"VP8X" + struct.pack("<I", 10) + bytes(4) + (2**24 - 1).to_bytes(3, "little") * 2
    made = [
        png(side, side, bytes(1000)),
        jpeg[:frame] + struct.pack(">HH", little, little) + jpeg[frame + 4 :],
        bmp[:18] + struct.pack("<ii", min(side, 2**31 - 1), min(side, 2**31 - 1)) + bmp[26:],
        gif,
        b"RIFF" + struct.pack("<I", len(webp) + 10) + b"WEBP" + vp8x + webp[12:],
        tiff(side, side, 3, 2, bytes(300)),
        tiff(200, 200, 3, 2, bytes(300), rows=200) if side < 2**31 else tiff(side, 1, 4, 5, bytes(300)),
    ]
    return made[int(rng.integers(len(made)))]


def _large(_image: np.ndarray, rng: np.random.Generator) -> bytes:
    """Return a large PNG whose size is as stated: just below the limit of the reader, or just above it."""
    width, height = [(9_000, 6_000), (60_000, 900), (7_900, 7_900), (300, 60_000)][int(rng.integers(4))]
    colour = int(rng.choice([0, 2]))
    return png(width, height, bytes(height * (1 + width * (3 if colour else 1))), colour)


def _tiny(image: np.ndarray, rng: np.random.Generator) -> bytes:
    height, width = (int(side) for side in rng.choice([1, 2, 3, 5, 9, 17], 2))
    suffix = str(rng.choice([".png", ".jpg", ".bmp", ".webp", ".tiff", ".gif"]))
    return coded(np.ascontiguousarray(image[:height, :width]), suffix)


def _thin(image: np.ndarray, rng: np.random.Generator) -> bytes:
    long = cv2.resize(image, (4000, 1) if rng.random() < 0.5 else (2, 3000))
    return coded(long, str(rng.choice([".png", ".jpg"])))


def _magic_only(_image: np.ndarray, rng: np.random.Generator) -> bytes:
    heads = [
        b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"BM", b"GIF89a", b"RIFF\xff\xff\xff\x7fWEBPVP8 ", b"II*\0", b"",
        b"\0\0\0 ftypavif",
    ]  # fmt: skip
    return heads[int(rng.integers(len(heads)))] + rng.bytes(int(rng.integers(0, 3000)))


KINDS: dict[str, Make] = {
    "jpg": _plain(".jpg"),
    "progressive": _plain(".jpg", cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
    "png": _plain(".png"),
    "webp": _plain(".webp", cv2.IMWRITE_WEBP_QUALITY, 70),
    "lossless": _plain(".webp", cv2.IMWRITE_WEBP_QUALITY, 101),
    "tiff": _plain(".tiff"),
    "bmp": _plain(".bmp"),
    "gif": _plain(".gif"),
    "grey-jpg": _grey(".jpg"),
    "grey-png": _grey(".png"),
    "grey-tiff": _grey(".tiff"),
    "16-png": _sixteen(".png"),
    "16-tiff": _sixteen(".tiff"),
    "clear": _clear,
    "exif": _with_exif,
    "cmyk-jpg": cmyk_jpeg,
    "cmyk-tiff": _cmyk_tiff,
    "moving-gif": _animated("GIF"),
    "moving-webp": _animated("WEBP"),
    "moving-png": _animated("PNG"),
    "bomb": _bomb,
    "large": _large,
    "tiny": _tiny,
    "thin": _thin,
    "magic": _magic_only,
}


def _flipped(content: bytes, rng: np.random.Generator) -> bytes:
    harmed = bytearray(content)
    for at in rng.integers(0, max(1, len(harmed)), int(rng.choice([1, 3, 30]))):
        if harmed:
            harmed[at] ^= 1 << int(rng.integers(8))
    return bytes(harmed)


def _head_flipped(content: bytes, rng: np.random.Generator) -> bytes:
    head = bytearray(content[:64])
    for at in rng.integers(0, max(1, len(head)), 3):
        if head:
            head[at] = int(rng.choice([0, 1, 127, 128, 255]))
    return bytes(head) + content[64:]


def _blanked(content: bytes, rng: np.random.Generator) -> bytes:
    at, length = int(rng.integers(0, len(content) + 1)), int(rng.integers(1, 2000))
    return content[:at] + bytes(min(length, len(content) - at)) + content[at + length :]


def _spliced(content: bytes, rng: np.random.Generator) -> bytes:
    cut, other = sorted(int(at) for at in rng.integers(0, len(content) + 1, 2))
    return content[:other] + content[cut:]


HARMS: dict[str, Callable[[bytes, np.random.Generator], bytes]] = {
    "whole": lambda content, rng: content,
    "truncated": lambda content, rng: content[: int(len(content) * rng.random())],
    "flipped": _flipped,
    "head": _head_flipped,
    "blanked": _blanked,
    "spliced": _spliced,
    "longer": lambda content, rng: content + rng.bytes(int(rng.integers(1, 5000))),
}


def plan(count: int) -> list[tuple[str, str]]:
    """Return kind and harm of `count` files, so that every pair of them occurs before one repeats."""
    kinds, harms = list(KINDS), list(HARMS)
    return [(kinds[n % len(kinds)], harms[(n // len(kinds) + n) % len(harms)]) for n in range(count)]


def harmed(count: int, seed: int = 11) -> list[tuple[str, bytes]]:
    """Return `count` files as name and content; the name holds number, kind and harm."""
    rng = np.random.default_rng(seed)
    pictures = scenes()
    files = []
    for number, (kind, harm) in enumerate(plan(count)):
        content = HARMS[harm](KINDS[kind](pictures[number % len(pictures)], rng), rng)
        files.append((f"{number:04}-{kind}-{harm}", content))
    return files
