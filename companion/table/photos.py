"""Photos of throws: one JPEG a throw, on disk before the entry that names its hash, under a cap of bytes."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path

from companion.errors import DeviceError
from companion.table.atomic import write_file

log = logging.getLogger(__name__)

CAP_BYTES = 500_000_000  # docs/reference/hardware.md, the machine: SD cards are small


def digest_of(jpeg: bytes) -> str:
    """Return the hash by which an entry names its photo."""
    return hashlib.blake2b(jpeg, digest_size=16).hexdigest()


class Photos:
    """The photos of a data folder; `photos/N.jpg` is of throw N."""

    def __init__(self, folder: Path, cap_bytes: int = CAP_BYTES) -> None:
        self.folder = folder / "photos"
        self.cap_bytes = cap_bytes

    def numbers(self) -> tuple[int, ...]:
        """Return the throws that have a photo."""
        return tuple(int(file.stem) for file in self.folder.glob("*.jpg") if file.stem.isdecimal())

    def start(self, last_throw: int) -> None:
        """Make the folder, and rename photos whose throws never reached the journal. Raises DeviceError."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for leftover in self.folder.glob("*.part"):
                leftover.unlink()
            for number in self.numbers():
                if number > last_throw:
                    self._file(number).rename(self._unclaimed(number))
        except OSError as refused:
            raise _ill(self.folder, refused) from refused

    def keep(self, throw: int, jpeg: bytes) -> str | None:
        """Put the photo of a throw on the disk, whole or not at all.

        Returns:
            Its hash for the throw's entry; None when it can't be written: the throw counts all the same.
        """
        try:
            write_file(self._file(throw), (jpeg,))
        except OSError as refused:
            log.warning("%s", _ill(self.folder, refused))
            return None
        return digest_of(jpeg)

    def put_right(self, wrong: Iterable[int], owners: Mapping[str, int]) -> None:
        """Take photos away that are not of their throws, and give each to its own throw. Raises OSError.

        Args:
            wrong: Throws whose photo is another one.
            owners: Throw of each photo, by its hash.
        """
        held = [self._file(throw).read_bytes() for throw in wrong]
        for throw in wrong:
            self._file(throw).unlink()
        for jpeg in held:
            owner = owners.get(digest_of(jpeg))
            if owner is not None and not self._file(owner).exists():
                write_file(self._file(owner), (jpeg,))

    def discard(self, throw: int) -> None:
        """Delete a photo whose throw did not reach the journal: its number goes to another throw."""
        self._file(throw).unlink(missing_ok=True)

    def jpeg(self, throw: int) -> bytes | None:
        """Return the photo of a throw; None when it was entered by hand, or the photo has been cleared."""
        try:
            return self._file(throw).read_bytes()
        except OSError:
            return None

    def prune(self, first_kept: int) -> None:
        """Delete the oldest photos until the cap holds, never one of throw `first_kept` or later."""
        sizes = {number: self._file(number).stat().st_size for number in self.numbers()}
        total = sum(sizes.values())
        for number in sorted(sizes):
            if total <= self.cap_bytes or number >= first_kept:
                break
            self._file(number).unlink(missing_ok=True)
            total -= sizes[number]

    def _file(self, throw: int) -> Path:
        return self.folder / f"{throw}.jpg"

    def _unclaimed(self, throw: int) -> Path:
        """Return a free name for a photo that no entry names. It is kept: it may prove that an entry was lost."""
        count = sum(1 for _ in self.folder.glob(f"{throw}.unclaimed*.jpg"))
        return self.folder / f"{throw}.unclaimed{count + 1}.jpg"


def _ill(folder: Path, refused: OSError) -> DeviceError:
    return DeviceError(
        f"Photos can't be kept in {folder} ({refused.strerror}).",
        "Free some space or make the folder writable; the table plays on without photos.",
    )
