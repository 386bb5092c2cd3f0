"""Decodes picture files to BGR arrays, and encodes arrays as JPEG. Bad files raise PictureError with a cure."""

from __future__ import annotations

import io
import os
import stat
import struct
import warnings
import zlib
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, UnidentifiedImageError

from companion.errors import PictureError
from vision.reading.reading import FrameBGR

FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF")
"""Pillow formats that are decoded. Others are refused: decoders of rare formats are less tested against attacks."""
KINDS = "JPEG, PNG, WebP, TIFF, BMP or GIF"
"""FORMATS as error messages name them."""
Image.MAX_IMAGE_PIXELS = None  # `_must_fit` checks the size before anything is decoded

MAX_PIXELS = 60_000_000
"""Largest picture, width times height in pixels, to bound memory; larger ones are refused. A phone's 50 MP fit."""
MAX_WEBP_PIXELS = 30_000_000
"""Largest WebP picture, width times height in pixels; larger ones are refused. It is lower than MAX_PIXELS, because the
decoder holds four copies of the picture in memory."""
BAND_ROWS = 256
"""Number of rows of a picture that are converted to BGR at a time. More: copies take more memory. Fewer: conversion
takes more time."""
ORIENTATION_TAG = 274
"""Number of the EXIF tag that holds a picture's orientation, fixed by the EXIF standard."""
SAVED_QUALITY = 92
"""JPEG quality, 0 to 100, of pictures that commands such as `read` write. Higher: larger files; lower: blurred pips."""
MAX_FILE_BYTES = 400_000_000
"""Largest picture file in bytes; larger ones are refused. Higher: a hostile file takes more memory. MAX_PIXELS of
uncompressed 16-bit colour fit in it."""
_TILE_WIDTH, _TILE_HEIGHT = 322, 323
"""Numbers of the TIFF tags for the width and height of a tile. MAX_PIXELS also limits tiles: a hostile file may declare
tiles larger than its picture, which would fill the memory."""
_CUT_OFF = "{!r} is cut off, its end is missing: copy it again from where it came from."
_DAMAGED = (
    OSError, SyntaxError, ValueError, EOFError, LookupError, TypeError, AttributeError, ArithmeticError, MemoryError,
    RuntimeError, AssertionError, struct.error, zlib.error,
)  # fmt: skip
"""Exceptions that Pillow's decoders raise for damaged or hostile files."""


def quiet_opencv() -> None:
    """Silence the messages that OpenCV and FFmpeg print to standard error, for the whole process.

    FFmpeg keeps a log level that the environment variable OPENCV_FFMPEG_LOGLEVEL has set already.
    """
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    log_of_opencv = getattr(getattr(cv2, "utils", None), "logging", None)  # OpenCV 4.6 has it in another place
    set_level = getattr(log_of_opencv, "setLogLevel", None) or getattr(cv2, "setLogLevel", None)
    if set_level is not None:
        set_level(0)  # LOG_LEVEL_SILENT


def picture_in(path: Path) -> FrameBGR:
    """Read a picture file as (h, w, 3) uint8 BGR, rotated according to its EXIF orientation.

    Raises PictureError if the file is missing, unreadable, of an unknown format, damaged, truncated or too large.
    """
    return picture_of_bytes(_content(path), str(path))


def picture_of_bytes(content: bytes, name: str) -> FrameBGR:
    """Decode the content of a picture file to (h, w, 3) uint8 BGR, rotated according to its EXIF orientation.

    Grey is copied to three channels, 16 bits are reduced to 8 and transparency is dropped. An animation gives its first
    frame. `name` is the file's name for messages. Raises PictureError if the content is of an unknown format, damaged,
    truncated or too large.
    """
    if content[8:12] == b"WEBP" and len(content) < 8 + int.from_bytes(content[4:8], "little"):
        raise PictureError(_CUT_OFF.format(name))  # its decoder reports truncation as plain damage
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(content), formats=FORMATS) as picture:
            _must_fit(picture, name)
            image_bgr, orientation = _bgr(picture), picture.getexif().get(ORIENTATION_TAG)
    except UnidentifiedImageError:
        raise PictureError(f"{name!r} is no picture that can be read: save it as {KINDS}.") from None
    except _DAMAGED as damage:
        if "truncated" in str(damage).lower() or isinstance(damage, EOFError | struct.error):
            raise PictureError(_CUT_OFF.format(name)) from None
        raise PictureError(f"{name!r} is damaged: copy it again, or save it anew as JPEG.") from None
    return _upright(image_bgr, orientation)


def _must_fit(picture: Image.Image, name: str) -> None:
    """Raise PictureError if the size in a picture's header, or of a TIFF's tile, exceeds the limit of its format."""
    width, height = picture.size
    tags = getattr(picture, "tag_v2", {})
    tile_px = int(tags.get(_TILE_WIDTH, 0)) * int(tags.get(_TILE_HEIGHT, 0))
    most = MAX_WEBP_PIXELS if picture.format == "WEBP" else MAX_PIXELS
    if max(width * height, tile_px) > most:
        said = f"{name!r} is too large ({width} x {height} pixels)"
        raise PictureError(f"{said}: make it smaller than {most // 1_000_000} MP.")


def _bgr(picture: Image.Image) -> FrameBGR:
    """Convert an opened Pillow picture to (h, w, 3) uint8 BGR, BAND_ROWS rows at a time to bound the memory.

    Raises an exception of `_DAMAGED` if the picture can't be decoded.
    """
    width, height = picture.size
    image_bgr = np.empty((height, width, 3), np.uint8)
    for top in range(0, height, BAND_ROWS):
        band = picture.crop((0, top, width, min(height, top + BAND_ROWS)))
        image_bgr[top : top + BAND_ROWS] = _rgb(band)[:, :, ::-1]
    return image_bgr


def _rgb(band: Image.Image) -> FrameBGR:
    """Convert a band of any Pillow mode to (h, w, 3) uint8 RGB."""
    if band.mode.startswith(("I", "F")):  # grey of more than 8 bits
        grey = np.clip(np.asarray(band, np.float32) / 257, 0, 255).round().astype(np.uint8)
        return np.repeat(grey[:, :, None], 3, axis=2)
    return np.asarray(band.convert("RGB"))


def _upright(image_bgr: FrameBGR, orientation: object) -> FrameBGR:
    """Return a picture rotated and mirrored to upright.

    `orientation` is its EXIF orientation, 1 to 8; for any other value the picture is returned as it is.
    """
    if orientation in (5, 6, 7, 8):
        image_bgr = image_bgr.transpose(1, 0, 2)
    if orientation in (2, 3, 6, 7):
        image_bgr = image_bgr[:, ::-1]
    if orientation in (3, 4, 7, 8):
        image_bgr = image_bgr[::-1]
    return np.ascontiguousarray(image_bgr)


def _content(path: Path) -> bytes:
    """Return a file's bytes. Raises PictureError for a folder, a device, or a missing, unreadable or too large file."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise PictureError(f"{str(path)!r} is a folder: name the pictures in it, as in '{path}/*.jpg'.")
        if not stat.S_ISREG(found.st_mode):
            raise PictureError(f"{str(path)!r} is no file: name a picture.")
        if found.st_size > MAX_FILE_BYTES:
            raise PictureError(f"{str(path)!r} is too large ({found.st_size // 1_000_000} MB): make it smaller.")
        return path.read_bytes()
    except FileNotFoundError:
        raise PictureError(f"There is no file {str(path)!r}: check its name.") from None
    except PermissionError:
        raise PictureError(
            f"{str(path)!r} may not be read: allow it (chmod +r), or copy it to your own folder."
        ) from None
    except (OSError, ValueError) as refused:  # ValueError: a name with a null byte
        raise PictureError(f"{str(path)!r} can't be read ({refused}): check its name and its disk.") from None


def jpeg(
    image_bgr: FrameBGR, quality: int, sampling: int = cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420, name: str = "The frame"
) -> bytes:
    """Encode a picture as JPEG of a `quality` of 0 to 100; `sampling` is OpenCV's number of the chroma sampling.

    Raises PictureError, which calls the picture `name`, if it is too wide or too high for JPEG.
    """
    flags = [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, sampling]
    done, coded = cv2.imencode(".jpg", image_bgr, flags)
    if not done:
        raise PictureError(f"{name} can't be coded as JPEG: its picture is too wide or too high.")
    return coded.tobytes()


def save_jpeg(image_bgr: FrameBGR, to: Path) -> None:
    """Write a picture as JPEG. Raises PictureError if it can't be encoded or the file can't be written."""
    content = jpeg(image_bgr, SAVED_QUALITY, name=repr(str(to)))
    try:
        to.write_bytes(content)
    except OSError as refused:
        raise PictureError(f"{str(to)!r} can't be written ({refused.strerror}): free its place or its disk.") from None
