"""The packages of a data folder: `evidence/CAMERA-HASH/N.zip` is throw N, read with the calibration of that hash.

Each folder holds its calibration once, as `calibration.zip`. Its name ends in `none` for throws read without one.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from companion.errors import DeviceError, explained
from companion.evidence.package import Package, ThrowRecord, packed, unpacked
from companion.table.atomic import write_file
from companion.table.photos import digest_of
from vision.calibration.store import FILE_NAME as CALIBRATION
from vision.calibration.store import calibration_of_bytes
from vision.geometry.rig import Rig

EVIDENCE = "evidence"
"""Name of the folder of throw packages in a data folder."""


class PackageFolder:
    """The packages of a data folder, up to a total size of `cap_bytes`, which may change; with 0 none is kept."""

    def __init__(self, folder: Path, cap_bytes: int) -> None:
        self.path = folder / EVIDENCE
        self.cap_bytes = cap_bytes
        self._total: int | None = None

    def files(self) -> dict[int, Path]:
        """Return the files of all throw packages: number of the throw -> path, in ascending order of the numbers."""
        found = {int(file.stem): file for file in self.path.glob("*/*.zip") if file.stem.isdecimal()}
        return dict(sorted(found.items()))

    def cameras(self) -> dict[int, str]:
        """Return, for each throw that has a package, the kind of camera that read it: number of the throw -> kind."""
        return {throw: file.parent.name.rpartition("-")[0] for throw, file in self.files().items()}

    def keep(self, package: Package, calibration: bytes | None) -> bool:
        """Write a throw's package, and its calibration unless that file exists; prune if the total exceeds the cap.

        An existing package of the throw is replaced. Pruning deletes the oldest packages. Returns whether the package
        is stored at the end: False if it was pruned. Also False if package and calibration together exceed the cap:
        nothing is written then, and an existing package of the throw is deleted. Raises OSError.
        """
        content, record = packed(package), package.record
        folder = self.path / folder_name(record)
        file = folder / f"{record.throw}.zip"
        if len(content) + len(calibration or b"") > self.cap_bytes:
            file.unlink(missing_ok=True)
            self.prune()
            return False
        folder.mkdir(parents=True, exist_ok=True)
        if calibration is not None and not (folder / CALIBRATION).exists():
            write_file(folder / CALIBRATION, (calibration,))
            self._total = None
        before = file.stat().st_size if file.exists() else 0
        write_file(file, (content,))
        self._total = self._size() if self._total is None else self._total + len(content) - before
        if self._total > self.cap_bytes:
            self.prune()
        return file.exists()

    def prune(self) -> None:
        """Delete unfinished files, then the oldest packages until all take at most `cap_bytes`. Raises OSError.

        A folder that loses its last package is deleted with its calibration.
        """
        for unfinished in self.path.glob("*/*.part"):
            unfinished.unlink()
        self._total = self._size()
        for file in self.files().values():
            if self._total <= self.cap_bytes:
                return
            self._total -= file.stat().st_size
            file.unlink()
            if not any(each.stem.isdecimal() for each in file.parent.iterdir()):
                shutil.rmtree(file.parent)
                self._total = self._size()

    def _size(self) -> int:
        """Return the total size of all packages and calibrations in bytes."""
        return sum(file.stat().st_size for file in self.path.glob("*/*.zip"))


def folder_name(record: ThrowRecord) -> str:
    """Return the name of the folder for a throw's package: kind of camera and hash of the calibration, or `none`."""
    return f"{record.camera}-{record.calibration or 'none'}"


def read_package(file: Path) -> Package:
    """Return the content of a throw's package file.

    Raises DeviceError if the file can't be read, is damaged, of a newer format or in the wrong place. The right place
    follows from the package's record: the folder `folder_name`, and the throw's number as the file name.
    """
    with explained(f"The throw package {file} can't be read", "Check the disk."):
        content = file.read_bytes()
    package = unpacked(content, str(file))
    place = f"{folder_name(package.record)}/{package.record.throw}.zip"
    if place != f"{file.parent.name}/{file.name}":
        raise DeviceError(f"The throw package {file} belongs in {place}.", "Move it back there, or delete it.")
    return package


def read_calibration(folder: Path, expected: str | None) -> Rig | None:
    """Return the calibration in a folder of throw packages; None if the packages' records name none.

    `expected` is the hash of the calibration file in those records, or None. Raises DeviceError if the file is missing,
    damaged or has another hash.
    """
    if expected is None:
        return None
    file = folder / CALIBRATION
    with explained(f"The calibration of throw packages {file} can't be read", "Copy it again."):
        content = file.read_bytes()
    if digest_of(content) != expected:
        raise DeviceError(f"The calibration {file} is not that of its throw packages.", "Copy it again.")
    return calibration_of_bytes(content, str(file)).rig
