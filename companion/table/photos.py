"""Photos of throws: one JPEG file a throw, written before the entry that names its hash, up to a total size."""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Collection, Mapping
from pathlib import Path

from companion.table.atomic import free_path, write_file

log = logging.getLogger(__name__)

FOLDER = "photos"
"""Name of the folder of photos in a data folder."""
MAX_TOTAL_BYTES = 500_000_000
"""Largest total size of all photos in bytes, unless the settings say otherwise; beyond it the oldest are deleted. The
default of `photos_mb`, for photos and throw packages together, is twice as much. More: the SD card fills
(docs/reference/hardware.md); fewer: older throws lose their photo."""


def digest_of(content: bytes) -> str:
    """Return the BLAKE2 hash of a file's content as 32 hex digits; a throw's entry names its photo by it."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


class Photos:
    """The photos of a data folder: `photos/N.jpg` is the photo of throw N; together at most `cap_bytes` bytes."""

    def __init__(self, folder: Path, cap_bytes: int = MAX_TOTAL_BYTES) -> None:
        self.folder = folder / FOLDER
        self.cap_bytes = cap_bytes

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of the throws that have a photo, in no order."""
        return tuple(int(file.stem) for file in self.folder.glob("*.jpg") if file.stem.isdecimal())

    def start(self, last_throw: int) -> None:
        """Create the folder, delete unfinished files, rename photos without a journal entry, and call `prune`.

        `prune` deletes the oldest photos beyond the space allowed. Photos numbered above `last_throw`, the journal's
        last throw, have no entry. Their new names `N.unclaimedM.jpg` keep them as evidence of lost entries, out of the
        way of new photos. A failing disk is only logged.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for leftover in self.folder.glob("*.part"):
                leftover.unlink()
            for number in self.numbers():
                if number > last_throw:
                    self._file(number).rename(free_path(self.folder, f"{number}.unclaimed", ".jpg"))
        except OSError as refused:
            self._log(refused)
        self.prune()

    def keep(self, throw: int, jpeg: bytes) -> bool:
        """Write the photo of a throw atomically. Return whether that worked; a failure is only logged."""
        try:
            write_file(self._file(throw), (jpeg,))
        except OSError as refused:
            self._log(refused)
            return False
        return True

    def put_right(self, wrong: Collection[int], owners: Mapping[str, int]) -> None:
        """Move each wrong photo to the throw that it belongs to; delete it if there is no such throw.

        `wrong` are the numbers of throws whose photo does not match the hash in their entry. `owners` maps each hash to
        the throw whose entry names it.

        - The photo's owner has none or a wrong one: it is moved there, and may replace the wrong one.
        - The owner has its own photo, or there is no owner: it is deleted, after all moves have worked.
        - The photo can't be read: it stays, unless a moved one replaces it.

        Raises OSError if a photo can't be written or deleted.
        """
        right, photos = set[int](), {throw: jpeg for throw in wrong if (jpeg := self.jpeg(throw)) is not None}
        for jpeg in photos.values():
            owner = owners.get(digest_of(jpeg))
            if owner is not None and (owner in wrong or not self._file(owner).exists()):
                write_file(self._file(owner), (jpeg,))
                right.add(owner)
        for throw in photos.keys() - right:
            self._file(throw).unlink(missing_ok=True)

    def discard(self, throw: int) -> None:
        """Delete the photo of a throw that did not reach the journal; where the disk refuses, the next replaces it."""
        with contextlib.suppress(OSError):
            self._file(throw).unlink(missing_ok=True)

    def jpeg(self, throw: int) -> bytes | None:
        """Return the photo of a throw as JPEG; None when it was entered by hand or its photo was deleted."""
        try:
            return self._file(throw).read_bytes()
        except OSError:
            return None

    def prune(self) -> None:
        """Delete the oldest photos until their total size is within `cap_bytes`. A failing disk is only logged."""
        try:
            sizes = {number: self._file(number).stat().st_size for number in self.numbers()}
            total = sum(sizes.values())
            for number in sorted(sizes):
                if total <= self.cap_bytes:
                    break
                self._file(number).unlink(missing_ok=True)
                total -= sizes[number]
        except OSError as refused:
            self._log(refused)

    def _file(self, throw: int) -> Path:
        return self.folder / f"{throw}.jpg"

    def _log(self, refused: OSError) -> None:
        """Log that photos can't be kept, and what to do."""
        cure = "Free some space or make the folder writable; the table plays on without photos."
        log.warning("Photos can't be kept in %s (%s). %s", self.folder, refused.strerror, cure)
