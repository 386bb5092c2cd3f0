"""Zips that people hand to the table: however one was packed, damage to it is reported with what to do."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from companion.appliance.releases import Source
from companion.backup.export import FORMAT
from companion.backup.restore import read_archive
from companion.errors import DeviceError
from companion.evidence.package import ThrowRecord, unpacked
from companion.evidence.sharing import read_export
from tests.zips import Parts
from vision.calibration.store import Stored, bytes_of_calibration, calibration_of_bytes
from vision.geometry.rig import Rig, Zone

DAMAGES = 300
"""Most bytes of a zip that are damaged, spread evenly, one a copy."""


def parts_of(content: bytes) -> Parts:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


PIXELS = np.zeros((4, 4, 3), np.uint8)
ZONE = Zone(0, 0, 50, 50)
CALIBRATION = bytes_of_calibration(Stored("virtual", "today", Rig(np.eye(3), ZONE, ZONE, 16, (0, 0, 400), PIXELS)))
NOTHING_READ = {"throw": 1, "photo": "", "camera": "virtual", "calibration": None, "expect": None, "networks": {}}
RECORD = msgspec.convert({**NOTHING_READ, "reader": "1", "doubt": None, "dice": []}, type=ThrowRecord)
REVIEW = b"{}"
LISTED = {"name": "data/review.json", "bytes": len(REVIEW), "sha256": hashlib.sha256(REVIEW).hexdigest()}
MANIFEST = {"program": "peg-and-pip", "format": FORMAT, "entries": 0, "files": [LISTED]}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of zip: its name, the least parts that it needs, and a function that reads a file of it."""

    name: str
    parts: Parts
    read: Callable[[Path], object]

    def __str__(self) -> str:
        return self.name


def imported(file: Path) -> object:
    """Import a backup into a new folder."""
    shutil.rmtree(file.parent / "data", ignore_errors=True)
    return read_archive(file, file.parent / "data", file.parent / "settings.toml", replace=False)


KINDS = [
    Kind("calibration", parts_of(CALIBRATION), lambda file: calibration_of_bytes(file.read_bytes(), "calibration.zip")),
    Kind(
        "package",
        {"throw.json": msgspec.json.encode(RECORD), "1.jpg": b"a picture"},
        lambda file: unpacked(file.read_bytes(), "1.zip"),
    ),
    Kind(
        "export",
        {
            "set/labels.jsonl": b'{"image": "1.jpg"}\n',
            "set/calibration.zip": CALIBRATION,
            "set/images/1.jpg": cv2.imencode(".png", PIXELS)[1].tobytes(),
        },
        lambda file: list(read_export(file)),
    ),
    Kind("backup", {"manifest.json": json.dumps(MANIFEST).encode(), "data/review.json": REVIEW}, imported),
    Kind(
        "release",
        {"peg_and_pip-1.dist-info/METADATA": b"Name: peg-and-pip\nVersion: 1\n"},
        lambda file: Source(file).age(),
    ),
]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_damage_to_a_zip_of_any_compression_raises_only_device_errors(kind: Kind, method: int, tmp_path: Path) -> None:
    """The undamaged zip is read, so that damage to each of its parts is tried; some damage does not matter."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, part in kind.parts.items():
            archive.writestr(name, part)
    whole, file, refused = content.getvalue(), tmp_path / "packed.whl", 0
    file.write_bytes(whole)
    assert kind.read(file)
    places = range(0, len(whole), 1 + len(whole) // DAMAGES)
    for at in places:
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            kind.read(file)
        except DeviceError:
            refused += 1
    assert refused > len(places) / 4


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_reading_a_zip_whose_entry_offset_is_beyond_its_end_raises_a_device_error(kind: Kind, tmp_path: Path) -> None:
    content, file = io.BytesIO(), tmp_path / "packed.whl"
    with zipfile.ZipFile(content, "w") as archive:
        for name, part in kind.parts.items():
            archive.writestr(name, part)
            archive.filelist[-1].header_offset = 2**64 - 1
    file.write_bytes(content.getvalue())
    with pytest.raises(DeviceError):
        kind.read(file)
