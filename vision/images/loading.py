"""Pictures from files: whatever a phone, a scanner or a mishap has made of them becomes plain BGR, or a clear error."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import cv2
import numpy as np

from companion.errors import PictureError
from vision.images.header import KINDS, cut_off, header_of
from vision.reading import FrameBGR

MOST_PIXELS = 60_000_000
"""A 50-megapixel phone's photo fits; decoding and turning 60 takes 0.7 GB at worst (a progressive JPEG)."""
MOST_PIECE_BYTES = 400_000_000
"""A TIFF's decoder holds one strip or tile in its raw form beside the picture."""
MOST_FILE_BYTES = 400_000_000
"""60 megapixels of raw 16-bit colour."""


def quiet_opencv() -> None:
    """No warnings of OpenCV's and FFmpeg's own on standard error: what is wrong is told by our errors, with a cure."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    log_of_opencv = getattr(getattr(cv2, "utils", None), "logging", None)  # OpenCV 4.6 has it in another place
    set_level = getattr(log_of_opencv, "setLogLevel", None) or getattr(cv2, "setLogLevel", None)
    if set_level is not None:
        set_level(0)  # LOG_LEVEL_SILENT


def picture_in(path: Path) -> FrameBGR:
    """The picture in a file, (h, w, 3) uint8 BGR, turned as its EXIF orientation says; the first one of an animation.

    Grey becomes three equal colours, 16 bits become 8, transparency is dropped.

    Raises:
        PictureError: The file is missing, can't be read, is no picture of a known kind, is cut off or too large.
    """
    return picture_of_bytes(_content(path), str(path))


def picture_of_bytes(content: bytes, name: str) -> FrameBGR:
    """The picture that a file's content holds; see `picture_in`. `name` is for the error. Raises PictureError."""
    header = header_of(content)
    if header is None:
        raise PictureError(f"{name!r} is no picture that can be read: save it as {KINDS}.")
    pixels = header.width_px * header.height_px
    if pixels > MOST_PIXELS or header.piece_bytes > MOST_PIECE_BYTES:
        size = f"{header.width_px} x {header.height_px}"
        raise PictureError(
            f"{name!r} is too large ({size} pixels): make it smaller than {MOST_PIXELS // 1_000_000} MP."
        )
    if cut_off(content, header):
        raise PictureError(f"{name!r} is cut off, its end is missing: copy it again from where it came from.")
    quiet_opencv()
    try:
        image_bgr = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        image_bgr = None
    if image_bgr is None or image_bgr.size == 0:
        raise PictureError(f"{name!r} is a damaged {header.kind} file: copy it again, or save it anew as JPEG.")
    return image_bgr.astype(np.uint8, copy=False)


def _content(path: Path) -> bytes:
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise PictureError(f"{str(path)!r} is a folder: name the pictures in it, as in '{path}/*.jpg'.")
        if not stat.S_ISREG(found.st_mode):
            raise PictureError(f"{str(path)!r} is no file: name a picture.")
        if found.st_size > MOST_FILE_BYTES:
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


def save_jpeg(image_bgr: FrameBGR, to: Path, quality: int = 92) -> None:
    """Write a picture as JPEG. Raises PictureError when it can't be written there."""
    done, coded = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise PictureError(f"{str(to)!r} can't be coded as JPEG: its picture is too wide or too high.")
    try:
        to.write_bytes(coded.tobytes())
    except OSError as refused:
        raise PictureError(f"{str(to)!r} can't be written ({refused.strerror}): free its place or its disk.") from None
