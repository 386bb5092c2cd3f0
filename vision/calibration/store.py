"""The calibration's file: the numbers and the empty tray's picture."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Annotated, Literal

import cv2
import msgspec
import numpy as np

from companion.errors import DeviceError, PictureError
from vision.geometry.rig import Rig, Zone
from vision.images.loading import picture_of_bytes

FILE_NAME = "calibration.zip"
FORMAT: Literal[1] = 1
"""Version of the calibration file's format. A file of another version is refused as damaged, so that after a change
every table must be calibrated anew."""
DAMAGE = (
    OSError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, LookupError, ValueError,
    RuntimeError, OverflowError,
)  # fmt: skip
"""Exceptions that reading a damaged or forged zip, or the JSON in it, may raise."""
_NUMBERS, _PICTURE = "calibration.json", "empty.png"
"""Names of the two parts of the zip archive: the numbers, and the picture of the empty tray."""
MAX_BYTES = 200_000_000
"""Largest calibration file, and largest part unpacked from it, in bytes; a larger one is refused, to bound memory.
Lower: a PNG picture of 60 megapixels no longer fits. Higher: a forged file may fill the memory."""
CURE = "Run `pegpip calibrate` again."
_Three = tuple[float, float, float]
_Four = tuple[float, float, float, float]


class _Numbers(msgspec.Struct, frozen=True):
    """The numbers of a calibration file, as its JSON holds them."""

    format: Literal[1]
    camera: str
    made: str
    size_wh: tuple[int, int]
    floor_to_px: tuple[_Three, _Three, _Three]
    throw_mm: _Four
    keep_mm: _Four
    die_mm: Annotated[float, msgspec.Meta(gt=1, lt=100)]
    camera_mm: _Three
    advice: tuple[str, ...]
    # Older files tell none of these.
    lens_deg: float | None = None
    lens_position: float | None = None
    sensor: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """A calibration as it is kept in a file.

    Attributes:
        camera: Setting of the camera that was calibrated, such as `picamera2` or `opencv:0`.
        made: Date and time of the calibration, for people; empty in a package of throws.
        rig: The calibrated rig.
        advice: Codes of the advice that was not followed.
        lens_deg: Measured horizontal angle of view of the lens; None if it was not measured.
        lens_position: Position in dioptres at which the lens was in focus on the sheet; None for a fixed lens.
        sensor: Model of the camera's sensor; None if the camera did not tell it.
    """

    camera: str
    made: str
    rig: Rig
    advice: tuple[str, ...] = ()
    lens_deg: float | None = None
    lens_position: float | None = None
    sensor: str | None = None

    @property
    def size_wh(self) -> tuple[int, int]:
        """Width and height, in pixels, of the pictures that the calibration is for."""
        height, width = self.rig.empty_bgr.shape[:2]
        return width, height


def bytes_of_calibration(stored: Stored) -> bytes:
    """Return a calibration as the bytes of a zip archive with its numbers (JSON) and the empty tray's picture (PNG).

    Equal calibrations give equal bytes.
    """
    rig = stored.rig
    numbers = _Numbers(
        FORMAT, stored.camera, stored.made, stored.size_wh,
        rig.floor_to_px.tolist(), astuple(rig.throw), astuple(rig.keep), rig.die_mm, rig.camera_mm,
        stored.advice, stored.lens_deg, stored.lens_position, stored.sensor,
    )  # fmt: skip
    done, picture = cv2.imencode(".png", rig.empty_bgr)
    assert done, "a picture from a camera can always be coded"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(zipfile.ZipInfo(_NUMBERS), msgspec.json.format(msgspec.json.encode(numbers), indent=1))
        archive.writestr(zipfile.ZipInfo(_PICTURE), picture.tobytes())
    return content.getvalue()


def load_calibration(path: Path) -> Stored | None:
    """Read a calibration from its file; return None if the file does not exist.

    `path` is the file, or a data folder that holds it as `calibration.zip`. Raises DeviceError if the file can't be
    read, is damaged or too large, or is no calibration.
    """
    try:
        file = path / FILE_NAME if path.is_dir() else path
        readable = file.stat().st_size <= MAX_BYTES and (file.is_file() or file.is_dir())  # a pipe may never end
        content = file.read_bytes() if readable else b""
    except FileNotFoundError:
        return None
    except OSError as refused:
        cure = "Make the file readable for the user of this program, or move it away and calibrate again."
        raise DeviceError(f"The calibration {path} can't be read ({refused.strerror}).", cure) from None
    return calibration_of_bytes(content, str(file))


def calibration_of_bytes(content: bytes, name: str) -> Stored:
    """Decode the content of a calibration file into a calibration; `name` is the file's name for error messages.

    Raises DeviceError if the content is damaged or impossible as a calibration, or if a part of the zip is larger than
    MAX_BYTES when unpacked.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(archive.getinfo(part).file_size > MAX_BYTES for part in (_NUMBERS, _PICTURE)):
                raise DeviceError(f"The calibration {name} is too large.", CURE)
            numbers = msgspec.json.decode(archive.read(_NUMBERS), type=_Numbers)
            empty_bgr = picture_of_bytes(archive.read(_PICTURE), name)
        floor_to_px = np.array(numbers.floor_to_px)
        if abs(np.linalg.det(floor_to_px)) < 1e-12:
            raise ValueError("floor_to_px")
        if numbers.size_wh != empty_bgr.shape[1::-1]:
            raise ValueError("size")
        throw, keep = Zone(*numbers.throw_mm), Zone(*numbers.keep_mm)
        rig = Rig(floor_to_px, throw, keep, numbers.die_mm, numbers.camera_mm, empty_bgr)
    except DAMAGE as wrong:
        raise DeviceError(f"The calibration {name} is damaged ({type(wrong).__name__}).", CURE) from None
    except PictureError as wrong:
        raise DeviceError(f"The calibration's picture is damaged ({wrong}).", CURE) from None
    seen = numbers.advice, numbers.lens_deg, numbers.lens_position, numbers.sensor
    return Stored(numbers.camera, numbers.made, rig, *seen)
