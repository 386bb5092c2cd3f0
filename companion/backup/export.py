"""Exports a table as one zip: its data folder (journal, photos, calibration), its settings and a manifest.

`manifest.json` lists each file with its size and SHA-256. Left out are paired phones, whose tokens are secrets and hold
for one address only; locks and unfinished files; and, which is reported, older exports and names that no table uses.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import zipfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from companion.backup import rights
from companion.errors import DeviceError
from companion.settings.last_good import FILE_NAME as LAST_GOOD
from companion.table.atomic import replacing
from companion.table.evening.archive import FILE_NAME as FILED
from companion.table.journal import FIRST as JOURNAL
from companion.table.journal import SECOND as JOURNAL_COPY
from companion.table.journal import entries_in
from companion.table.journal.chain import row_of
from companion.table.journal.copies import lines
from companion.table.journal.recovery import ASIDE as DAMAGED
from companion.table.photos import FOLDER as PHOTOS

FORMAT = 1
"""Version of the archive's format, in its manifest; an import refuses every other. Raise it when the format changes."""
MANIFEST = "manifest.json"
"""JSON file in an export's zip that names its format and its files. Renamed: older exports can't be imported."""
DATA, SETTINGS = "data/", "settings.toml"
"""Names in the archive: the folder for the data folder's files, and the settings file."""
SECRETS = ("paired.json", LAST_GOOD)
"""Names of files that an export leaves out and an import leaves in place: paired phones and last good settings."""
SETTINGS_SUFFIX = ".toml"
"""Text in the names of settings files and their older copies, which are not exported as data."""
UNFINISHED = (".part", ".lock")
"""Endings of the names of unfinished files and locks, which are not exported."""
ASIDE = "replaced-"
"""Start of the names of folders into which imports move older data; exports leave them out. Older settings files get
it, too: `settings.toml.replaced-1`."""
INCOMING = "import.part"
"""Folder in the data folder that an import unpacks into; an export leaves it out."""
CHUNK_BYTES = 1 << 20
"""Bytes that are copied at a time, 1 MiB: bounds the memory for a large file."""
UNREADABLE = (errno.EACCES, errno.EPERM, errno.ELOOP)
"""Error numbers of a file of the table that is not this user's to read, or lies in a loop of links."""
_NAME = re.compile(r"(data/(?:[\w-][\w.-]*/)*[\w-][\w.-]*|settings\.toml)", re.ASCII)
"""Pattern of the paths that an export's zip may hold besides its manifest. It bars paths out of the data folder and
hidden files; `belongs` excludes more."""


def write_archive(folder: Path, settings_file: Path | None, to: Path, *, version: str, made: str) -> dict[str, Any]:
    """Write a data folder and the settings to a zip with mode 0600, atomically; return its manifest.

    The table may be running. Root reads with the rights of the data folder's owner, and gives the zip to the owner of
    the zip's folder. The manifest gets `version`, that of this program, and `made`, a date for people. Only the
    returned manifest has `foreign`: names of files left out because they are older exports or have names that no table
    uses. Raises DeviceError if there is nothing to export, the journal is damaged, or a file can't be read or written.
    """
    try:
        with rights.of_owner(folder):
            ours, foreign = own_and_foreign_files(folder)
            if not ours:
                cure = "Name the table's data folder with --data DIR."
                raise DeviceError(f"There is nothing to export in {folder}.", cure)
        with (
            replacing(to, 0o600, rights.owner(to.parent) if os.geteuid() == 0 else None) as file,
            rights.of_owner(folder),
        ):
            manifest = _written(folder, settings_file, file, {"version": version, "made": made})
    except OSError as refused:
        why = refused.strerror or refused
        if refused.errno in UNREADABLE and refused.filename not in (None, str(to)):
            cure = "Name the table's own --data and --config, and run it as its user, who must be able to read them."
            raise DeviceError(f"{refused.filename} can't be read ({why}).", cure) from None
        cure = "Free some space, name another place, or run it as the table's user."
        raise DeviceError(f"{to} can't be written ({why}).", cure) from None
    return {**manifest, "foreign": [name for name in foreign if folder.absolute() / name != to]}


def belongs(name: str) -> bool:
    """Return whether a file may be in an export's zip, by its path there: `settings.toml` or one below `data/`.

    Paths that lead outside, hidden files, and names with characters other than ASCII letters, digits, `.`, `_` and `-`
    are refused. So are unfinished files, locks, secrets, data put aside by imports, and settings among the data.
    """
    inside = name.removeprefix(DATA)
    if _NAME.fullmatch(name) is None or name.endswith(UNFINISHED) or INCOMING in name.split("/"):
        return False
    base = name.rpartition("/")[2]
    return name == SETTINGS or not (base in SECRETS or SETTINGS_SUFFIX in base or inside.startswith(ASIDE))


def _written(folder: Path, settings: Path | None, to: BinaryIO, about: dict[str, str]) -> dict[str, Any]:
    """Write a table's files and a manifest with the fields `about` to the zip `to`, and return the manifest.

    The settings file `settings` is added if it is given and exists. Of the journal's two copies, the one with more
    intact entries is written. A table may be playing: an unfinished entry, photos of throws after the last entry, and
    files deleted meanwhile are left out. Raises OSError, or DeviceError if the journal is damaged.
    """
    sources: dict[str, Path] = {}
    first, second = folder / JOURNAL, folder / JOURNAL_COPY
    journal = second if _intact(second) > _intact(first) else first  # a table writes each entry to first first
    copied = tuple(lines(journal)) if journal.exists() else ()  # whole entries only: a table may be writing
    throws = [entry.throw or 0 for entry in entries_in(copied, journal)]
    last_throw = max(throws, default=0)
    for path in own_and_foreign_files(folder)[0]:  # after the journal, so that each throw in the copy has its photo
        # A photo of a throw since the journal was copied has no entry in the copy.
        newer = path.parent.name == PHOTOS and path.stem.isdecimal() and int(path.stem) > last_throw
        if path.name not in (JOURNAL, JOURNAL_COPY) and not newer:
            sources[DATA + path.relative_to(folder).as_posix()] = path
    if settings is not None and settings.is_file():
        sources[SETTINGS] = settings
    listed = []
    with zipfile.ZipFile(to, "w") as archive:
        if journal.exists():
            listed.append(_packed(archive, DATA + JOURNAL, copied))
        for name, source in sorted(sources.items()):
            # The oldest photos may be cleared away meanwhile.
            with contextlib.suppress(FileNotFoundError), source.open("rb") as file:
                listed.append(_packed(archive, name, iter(partial(file.read, CHUNK_BYTES), b"")))
        manifest = {"format": FORMAT, "program": "peg-and-pip", **about, "entries": len(throws), "files": listed}
        archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
    return manifest


def _intact(journal: Path) -> tuple[int, int]:
    """Return the numbers of intact lines and of lines in a copy of the journal; (0, 0) if the file is missing."""
    intact = [row_of(line) is not None for line in lines(journal)] if journal.exists() else []
    return sum(intact), len(intact)


def _packed(archive: zipfile.ZipFile, name: str, content: Iterable[bytes]) -> dict[str, Any]:
    """Add a file to the zip as `name`; return `name`, `bytes` and `sha256` for the manifest. Raises OSError.

    `content` is written piece by piece. Photos and zips are not compressed again.
    """
    member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    member.compress_type = zipfile.ZIP_STORED if name.endswith((".jpg", ".zip")) else zipfile.ZIP_DEFLATED
    digest, size = hashlib.sha256(), 0
    with archive.open(member, "w", force_zip64=True) as packed:
        for chunk in content:
            digest.update(chunk)
            size += len(chunk)
            packed.write(chunk)
    return {"name": name, "bytes": size, "sha256": digest.hexdigest()}


def own_and_foreign_files(folder: Path) -> tuple[list[Path], list[str]]:
    """Return the paths of a data folder's own files, and the relative paths of foreign ones; both sorted.

    - Foreign: older exports, and names with characters that no table writes, such as spaces.
    - Own: files that an export takes.
    - In neither list: links, hidden files, files that `belongs` refuses for another reason (such as secrets and locks),
      folders of recoveries, and the archive of games, which is derived.

    A missing folder gives two empty lists. Raises OSError if a folder that may hold own files can't be listed.
    """
    ours, foreign = list[Path](), list[str]()

    def unlisted(refused: OSError) -> None:
        """Raise the error unless the folder is missing or its files would be no own ones, as in `lost+found`."""
        within = (Path(refused.filename) / "any").relative_to(folder).as_posix()
        if not isinstance(refused, FileNotFoundError | NotADirectoryError) and _is_own(within):
            raise refused

    found = (Path(place, name) for place, _, names in os.walk(folder, onerror=unlisted) for name in names)
    for path in sorted(found):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not path.is_file() or any(part.startswith(".") for part in name.split("/")):
            continue
        if _NAME.fullmatch(DATA + name) is None or _is_export(path):
            foreign.append(name)
        elif _is_own(name):
            ours.append(path)
    return ours, foreign


def _is_own(name: str) -> bool:
    """Return whether a path in a data folder is that of an own file, as `own_and_foreign_files` defines it."""
    return belongs(DATA + name) and not name.startswith(DAMAGED) and name.rpartition("/")[2] != FILED


def _is_export(path: Path) -> bool:
    """Return whether a file is a `.zip` that lists the manifest and data of an export; False if it can't be read."""
    if path.suffix == ".zip":
        with contextlib.suppress(OSError, ValueError, NotImplementedError, zipfile.BadZipFile):
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
            return MANIFEST in names and any(name.startswith(DATA) for name in names)
    return False
