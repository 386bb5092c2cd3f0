"""The calibration on disk: one file with the numbers and the empty tray's picture, written whole or not at all."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import zipfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.errors import DeviceError, PictureError
from vision.geometry.rig import Rig, Zone
from vision.images.loading import picture_of_bytes

FILE_NAME = "calibration.zip"
FORMAT = 1
_NUMBERS, _PICTURE = "calibration.json", "empty.png"
MOST_BYTES = 200_000_000
"""A picture of 60 megapixels as PNG; more is no calibration of ours."""
CURE = "Run `pegpip calibrate` again."


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """A calibration.

    Attributes:
        camera: The camera's setting that it was made with, as `picamera2` or `opencv:0`.
        made: Date and time of day, for people.
        rig: What was found.
        advice: Codes of what was left to better.
        lens_deg: The lens's angle of view across as it was measured; None: it was not.
    """

    camera: str
    made: str
    rig: Rig
    advice: tuple[str, ...] = ()
    lens_deg: float | None = None

    @property
    def size_wh(self) -> tuple[int, int]:
        """Size of the pictures that it holds for."""
        height, width = self.rig.empty_bgr.shape[:2]
        return width, height


def save_rig(folder: Path, stored: Stored) -> Path:
    """Put it into the data folder, in the place of an older one. Raises DeviceError."""
    done, picture = cv2.imencode(".png", stored.rig.empty_bgr)
    assert done, "a picture from a camera can always be coded"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(_NUMBERS, json.dumps(_numbers(stored), indent=1))
        archive.writestr(_PICTURE, picture.tobytes())
    to = folder / FILE_NAME
    part = to.with_suffix(".part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            file.write(content.getvalue())
            file.flush()
            os.fsync(file.fileno())
        part.replace(to)
    except OSError as refused:
        with contextlib.suppress(OSError):
            part.unlink()
        reason = f"The calibration can't be kept in {folder} ({refused.strerror})."
        raise DeviceError(reason, "Make the folder writable, or give another with --data DIR.") from None
    return to


def load_rig(folder: Path) -> Stored | None:
    """The calibration of a data folder; None where there is none. Raises DeviceError: damaged or foreign."""
    try:
        return load_rig_file(folder / FILE_NAME)
    except FileNotFoundError:
        return None


def load_rig_file(file: Path) -> Stored:
    """The calibration in a file. Raises DeviceError (damaged or foreign), FileNotFoundError."""
    try:
        readable = file.stat().st_size <= MOST_BYTES and (file.is_file() or file.is_dir())  # a pipe may never end
        content = file.read_bytes() if readable else b""
    except FileNotFoundError:
        raise
    except OSError as refused:
        raise DeviceError(f"The calibration {file} can't be read ({refused.strerror}).", CURE) from None
    return rig_of_bytes(content, str(file))


def rig_of_bytes(content: bytes, name: str) -> Stored:
    """The calibration that a file's content holds; `name` is for the error. Raises DeviceError."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(archive.getinfo(part).file_size > MOST_BYTES for part in (_NUMBERS, _PICTURE)):
                raise DeviceError(f"The calibration {name} is too large.", CURE)
            numbers = json.loads(archive.read(_NUMBERS))
            picture = archive.read(_PICTURE)
        return _stored(numbers, lambda: picture_of_bytes(picture, name))
    except (OSError, EOFError, zipfile.BadZipFile, KeyError, ValueError, TypeError, NotImplementedError) as wrong:
        raise DeviceError(f"The calibration {name} is damaged ({type(wrong).__name__}).", CURE) from None
    except (PictureError, RuntimeError) as wrong:  # RuntimeError: an encrypted archive
        raise DeviceError(f"The calibration's picture is damaged ({wrong}).", CURE) from None


def _numbers(stored: Stored) -> dict[str, Any]:
    rig = stored.rig
    return {
        "format": FORMAT,
        "camera": stored.camera,
        "made": stored.made,
        "size_wh": list(stored.size_wh),
        "floor_to_px": rig.floor_to_px.tolist(),
        "throw_mm": list(asdict(rig.throw).values()),
        "keep_mm": list(asdict(rig.keep).values()),
        "die_mm": rig.die_mm,
        "camera_mm": list(rig.camera_mm),
        "advice": list(stored.advice),
        "lens_deg": stored.lens_deg,
    }


def _stored(numbers: dict[str, Any], picture: Callable[[], Any]) -> Stored:
    """Checked number by number: what is computed from it later must not break. Raises ValueError, KeyError."""
    if numbers["format"] != FORMAT:
        raise ValueError(f"format {numbers['format']}")
    floor_to_px = np.array(numbers["floor_to_px"], np.float64)
    die_mm, (x, y, height) = float(numbers["die_mm"]), _finite(numbers["camera_mm"], 3)
    empty_bgr = picture()
    if floor_to_px.shape != (3, 3) or not np.isfinite(floor_to_px).all() or abs(np.linalg.det(floor_to_px)) < 1e-12:
        raise ValueError("floor_to_px")
    if not 1 < die_mm < 100 or height <= 2 * die_mm or list(numbers["size_wh"]) != list(empty_bgr.shape[1::-1]):
        raise ValueError("size")
    zones = [Zone(*_finite(numbers[name], 4)) for name in ("throw_mm", "keep_mm")]
    rig = Rig(floor_to_px, zones[0], zones[1], die_mm, (x, y, height), empty_bgr)
    lens_deg = numbers.get("lens_deg")  # older files tell none
    advice = tuple(str(code) for code in numbers["advice"])
    return Stored(
        str(numbers["camera"]), str(numbers["made"]), rig, advice, None if lens_deg is None else float(lens_deg)
    )


def _finite(several: list[Any], count: int) -> tuple[float, ...]:
    values = tuple(float(number) for number in several)
    if len(values) != count or not all(math.isfinite(value) for value in values):
        raise ValueError("numbers")
    return values
