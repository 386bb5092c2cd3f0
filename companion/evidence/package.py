"""The throw package: one zip with the pictures of a throw, its reading and the versions of the reader.

The format is in docs/reference/throw-packages.md. A package names its calibration by hash, and holds no names and no
times: those are in the journal, whose entry it is bound to by the hash of the throw's photo.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, replace

import cv2
import msgspec
import numpy as np

from companion.errors import DeviceError, Doubt, PictureError
from vision.calibration.store import DAMAGE, Stored, bytes_of_calibration
from vision.geometry.floor import Floor
from vision.geometry.rig import Rig
from vision.images.loading import picture_of_bytes
from vision.reading.reading import Die, FrameBGR, Reading, Scored

FORMAT = 1
"""Version number of the throw package's format, written into each package; one with a larger number is refused. Raise
it when the format changes: older programs then refuse the packages instead of misreading them."""
RECORD = "throw.json"
"""File name of the throw's description (`ThrowRecord`) in the zip."""
MAX_UNPACKED_BYTES = 60_000_000
"""Largest throw package or taught set of dice, unpacked, in bytes; a larger one is refused.
Higher: a forged zip may fill the memory. Lower: a sound package with many frames is refused."""
NEAR_LOSSLESS = (97, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444)
"""JPEG quality, 0 to 100, and chroma sampling of doubted and corrected throws (docs/lab/throw-packages.md). Higher:
larger packages; lower: reading them again may give another value."""
COMPRESSED = (85, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420)
"""JPEG quality, 0 to 100, and chroma sampling of throws neither doubted nor corrected, and of a lesson's pictures. A
lower quality saves space, but changes readings near a threshold (docs/lab/throw-packages.md)."""


class ThrowRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The description of a throw in its package: what was read in the pictures, with which reader, and what stands.

    Attributes:
        format: Version of the format.
        throw: Number of the throw.
        photo: Hash of the throw's photo, as its journal entry names it; empty in an anonymous package.
        camera: Kind of camera.
        calibration: Hash of the calibration; None without one.
        expect: Number of dice that the reader was given; None if the number was unknown.
        networks: Hash of each network's file, by name.
        reader: Version of the program.
        doubt: The doubt, or None.
        dice: The dice that were read, with boxes in pixels of the package's pictures.
        candidates: What they were chosen from, with the scores of both networks.
        stands: Values that stand now; None in a data folder, where the journal says so.
        source: Who said so: `camera`, `answered` or `corrected`; None in a data folder.
    """

    throw: int
    photo: str
    camera: str
    calibration: str | None
    expect: int | None
    networks: dict[str, str]
    reader: str
    doubt: Doubt | None
    dice: tuple[Die, ...]
    candidates: tuple[Scored, ...] = ()
    stands: tuple[int, ...] | None = None
    source: str | None = None
    format: int = FORMAT

    @property
    def reading(self) -> Reading:
        """Reading of the throw at the table, with boxes in pixels of the package's pictures."""
        return Reading(self.dice, self.doubt, self.candidates)


@dataclass(frozen=True, slots=True, eq=False)
class Package:
    """A record and its pictures, as JPEG; more than one if the reading was in doubt, oldest first."""

    record: ThrowRecord
    jpegs: tuple[bytes, ...]

    def pictures(self) -> list[FrameBGR]:
        """Return the decoded pictures of the throw, oldest first. Raises DeviceError if one is damaged."""
        try:
            return [picture_of_bytes(jpeg, f"throw {self.record.throw}") for jpeg in self.jpegs]
        except PictureError as damaged:
            raise _refused(f"of throw {self.record.throw}", str(damaged)) from None


def packed(package: Package) -> bytes:
    """Return a package as the bytes of a zip file: its record as `throw.json`, its pictures as `1.jpg` and so on."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:  # stored: JPEG is compressed already
        archive.writestr(zipfile.ZipInfo(RECORD), msgspec.json.encode(package.record))
        for number, jpeg in enumerate(package.jpegs, 1):
            archive.writestr(zipfile.ZipInfo(f"{number}.jpg"), jpeg)
    return content.getvalue()


def unpacked(content: bytes, name: str) -> Package:
    """Decode the bytes of a package's zip file; `name` names the package in error messages.

    Raises DeviceError if it is cut off, damaged, not a package, unpacks to more than `MAX_UNPACKED_BYTES`, has no
    picture, or is of a newer format.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(part.file_size for part in archive.infolist()) > MAX_UNPACKED_BYTES:
                raise _refused(name, "it is too large")
            text = archive.read(RECORD)
            found = msgspec.json.decode(text, type=dict[str, msgspec.Raw]).get("format", msgspec.Raw(b"0"))
            version = msgspec.json.decode(found, type=int)
            if version > FORMAT:
                newer = f"The throw package {name} has format {version}, newer than {FORMAT}."
                raise DeviceError(newer, "Update pegpip.")
            record = msgspec.json.decode(text, type=ThrowRecord)
            pictures = (each for each in archive.namelist() if each != RECORD)
            names = sorted(pictures, key=lambda name: int(name.removesuffix(".jpg")))
            if not names:
                raise _refused(name, "it has no picture")
            return Package(record, tuple(archive.read(each) for each in names))
    except DAMAGE as wrong:
        raise _refused(name, str(wrong) or type(wrong).__name__) from None


def calibration_bytes(camera: str, rig: Rig) -> bytes:
    """Return the calibration file of packages of a kind of camera: `rig` cropped to the tray, as their pictures."""
    left, top, right, bottom = Floor.of(rig).box
    shift = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]], np.float64)
    cut = replace(rig, floor_to_px=shift @ rig.floor_to_px, empty_bgr=rig.empty_bgr[top:bottom, left:right].copy())
    return bytes_of_calibration(Stored(camera, "", cut))


def _refused(name: str, why: str) -> DeviceError:
    return DeviceError(f"The throw package {name} can't be read ({why}).", "Copy it again, or delete it.")
