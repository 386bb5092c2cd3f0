"""Zips that people hand to the table: however one was packed, damage to it is reported with what to do."""

from __future__ import annotations

import contextlib
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.appliance.releases import Source
from companion.backup.restore import read_archive
from companion.errors import DeviceError
from companion.evidence.package import unpacked
from companion.evidence.sharing import read_export
from vision.calibration.store import calibration_of_bytes


def calibration(file: Path) -> object:
    return calibration_of_bytes(file.read_bytes(), "calibration.zip")


def package(file: Path) -> object:
    return unpacked(file.read_bytes(), "1.zip")


def export(file: Path) -> object:
    return list(read_export(file))


def backup(file: Path) -> object:
    return read_archive(file, file.parent / "data", file.parent / "settings.toml", replace=True)


def release(file: Path) -> object:
    return Source(file).age()


READERS = [
    (calibration, "calibration.json"),
    (package, "throw.json"),
    (export, "set/labels.jsonl"),
    (backup, "manifest.json"),
    (release, "peg_and_pip-1.dist-info/METADATA"),
]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize(("read", "part"), READERS)
def test_damage_to_a_zip_of_any_method_raises_only_device_errors(
    read: Callable[[Path], object], part: str, method: int, tmp_path: Path
) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.writestr(part, "{}" * 20)
        archive.writestr("empty.png", b"no picture")
    whole, file = content.getvalue(), tmp_path / "packed.whl"
    for at in range(len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with contextlib.suppress(DeviceError):  # or the damage does not matter
            read(file)


@pytest.mark.parametrize(("read", "part"), READERS)
def test_a_zip_that_points_beyond_any_file_raises_only_device_errors(
    read: Callable[[Path], object], part: str, tmp_path: Path
) -> None:
    content, file = io.BytesIO(), tmp_path / "packed.whl"
    with zipfile.ZipFile(content, "w") as archive:
        for name in (part, "empty.png"):
            archive.writestr(name, "{}")
            archive.filelist[-1].header_offset = 2**64 - 1
    file.write_bytes(content.getvalue())
    with pytest.raises(DeviceError):
        read(file)
