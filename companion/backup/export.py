"""Everything a table has, as one file: the data folder (journal, photos, calibration), the settings, and a manifest.

A zip; `manifest.json` lists each file with its size and SHA-256. Left out are the paired phones (their
tokens hold for one address only, and are secrets), locks and files half written; and what somebody else has put there
by a name that the table gives to nothing, which is told.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.errors import DeviceError
from companion.table.atomic import sync
from companion.table.evening.archive import FILE_NAME as FILED
from companion.table.journal import FILE_NAME as JOURNAL
from companion.table.journal import Entry, read_entries
from companion.table.journal.mirror import FILE_NAME as MIRROR
from companion.table.journal.salvage import ASIDE as DAMAGED
from companion.table.journal.salvage import PHOTOS

FORMAT = 1
MANIFEST = "manifest.json"
DATA, SETTINGS = "data/", "settings.toml"
SECRETS = ("paired.json",)
UNFINISHED = (".part", ".new", ".lock", "-wal", "-shm", "-journal")
ASIDE = "replaced-"
"""Folders that an import has put older data into; they stay where they are."""
INCOMING = "import.part"
CHUNK_BYTES = 1 << 20
_NAME = re.compile(r"(data/(?:[\w-][\w.-]*/)*[\w-][\w.-]*|settings\.toml)", re.ASCII)


def write_archive(folder: Path, settings_file: Path | None, to: Path, *, version: str, made: str) -> dict[str, Any]:
    """Write everything of a data folder to a file, whole or not at all; a table may be playing meanwhile.

    Args:
        folder: The data folder.
        settings_file: The settings file in use, if there is one.
        to: The file to write; the caller has made sure that it may be.
        version: Of this program.
        made: Date and time, for people.

    Returns:
        The manifest, with `foreign`: files that are none of the table's, and are not in the archive.

    Raises:
        DeviceError: There is nothing to export, a file can't be read, the disk is full.
    """
    if not holds_something(folder):
        raise DeviceError(f"There is nothing to export in {folder}.", "Name the table's data folder with --data DIR.")
    try:
        with tempfile.TemporaryDirectory(prefix=".export-", dir=to.parent) as scratch:
            manifest = _written(folder, settings_file, to, Path(scratch), {"version": version, "made": made})
    except OSError as refused:
        reason = f"{to} can't be written ({refused.strerror or refused})."
        raise DeviceError(reason, "Free some space, or name another place.") from None
    return {**manifest, "foreign": _foreign(folder)}


def belongs(name: str) -> bool:
    """Whether an export may write that name: never a path outside, a lock, or a phone that would be paired."""
    inside = name.removeprefix(DATA)
    if _NAME.fullmatch(name) is None or name.endswith(UNFINISHED) or INCOMING in name.split("/"):
        return False
    return name.rpartition("/")[2] not in SECRETS and not inside.startswith(ASIDE)


def _written(folder: Path, settings: Path | None, to: Path, scratch: Path, about: dict[str, str]) -> dict[str, Any]:
    copied: tuple[Entry, ...] = ()
    sources: dict[str, Path] = {}
    if (folder / JOURNAL).exists():
        sources[DATA + JOURNAL] = _journal_copy(folder / JOURNAL, scratch / JOURNAL)
        copied = read_entries(scratch)
    last_throw = max((entry.throw or 0 for entry in copied), default=0)
    for path in _kept(folder):
        # What was thrown since the journal was copied is not in it, so its photo is of no throw there.
        if path.name != JOURNAL and not (path.parent.name == PHOTOS and _throw_of(path) > last_throw):
            sources[DATA + path.relative_to(folder).as_posix()] = path
    if settings is not None and settings.is_file():
        sources[SETTINGS] = settings
    part = scratch / "archive"
    listed = []
    with zipfile.ZipFile(part, "w") as archive:
        for name, source in sorted(sources.items()):
            with contextlib.suppress(FileNotFoundError):  # the oldest photos may be cleared away meanwhile
                listed.append(_packed(archive, name, source))
        manifest = {"format": FORMAT, "program": "peg-and-pip", **about, "entries": len(copied), "files": listed}
        archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.replace(to)
    sync(to.parent)
    return manifest


def _throw_of(photo: Path) -> int:
    return int(photo.stem) if photo.stem.isdecimal() else 0


def _packed(archive: zipfile.ZipFile, name: str, source: Path) -> dict[str, Any]:
    """Put one file in and tell of it. Photos are packed already; the rest shrinks."""
    member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_STORED if source.suffix in (".jpg", ".zip") else zipfile.ZIP_DEFLATED
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as file, archive.open(member, "w", force_zip64=True) as packed:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
            packed.write(chunk)
    return {"name": name, "bytes": size, "sha256": digest.hexdigest()}


def _journal_copy(journal: Path, to: Path) -> Path:
    """The journal as it stands between two entries, in one file, while a table may be writing (SQLite's backup)."""
    try:
        with contextlib.closing(sqlite3.connect(journal, timeout=5.0)) as source:
            source.execute("PRAGMA query_only = ON")
            with contextlib.closing(sqlite3.connect(to)) as copy:
                source.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as wrong:
        cure = "Check that the disk is well; nothing was changed."
        raise DeviceError(f"The journal {journal} can't be copied ({wrong}).", cure) from None
    return to


def _kept(folder: Path) -> Iterator[Path]:
    """The files of a data folder that belong to the table's memory; no links, nothing hidden."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        ours = belongs(DATA + name) and not name.startswith(DAMAGED) and path.name not in (MIRROR, FILED)
        if ours and path.is_file() and not path.is_symlink():
            yield path


def _foreign(folder: Path) -> list[str]:
    """Files whose names the table gives to nothing."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("[!.]*") if path.is_file())
    return [name for name in names if _NAME.fullmatch(DATA + name) is None]


def holds_something(folder: Path) -> bool:
    """Whether there is anything to export, and an import would meet older data."""
    return folder.is_dir() and any(_kept(folder))
