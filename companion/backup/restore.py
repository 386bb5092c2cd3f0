"""Imports an exported table: everything is checked before anything changes, and older data is kept aside."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tomlkit

from companion.appliance.releases import DAMAGED_ZIP, numbers
from companion.backup import rights
from companion.backup.export import (
    ASIDE,
    CHUNK_BYTES,
    DATA,
    FORMAT,
    INCOMING,
    MANIFEST,
    SECRETS,
    SETTINGS,
    SETTINGS_SUFFIX,
    belongs,
    own_and_foreign_files,
)
from companion.errors import CompanionError, DeviceError, SetupError
from companion.settings.load import load
from companion.table.atomic import free_path, write_file
from companion.table.evening.archive import FILE_NAME as FILED
from companion.table.evolve import replayed
from companion.table.journal import FIRST as JOURNAL
from companion.table.journal import SECOND as JOURNAL_COPY
from companion.table.journal import examined, read_entries
from companion.table.journal.anchor import RESTORED
from companion.table.lock import FILE_NAME as LOCK
from companion.table.lock import locked

MAX_MANIFEST_BYTES = 50_000_000
"""Largest manifest in bytes, enough for 300,000 files. Higher: a hostile file can fill the memory. Lower: an export
with many photos can't be imported."""
SPARE_BYTES = 50_000_000
"""Bytes that must stay free on the disk after unpacking, for later games. Higher: imports fail on small cards."""
RUN_PROGRAMS = ("shutdown_command", "shutdown")
"""Keys of [buttons] that an import comments out, because they make this machine run a program."""
GET_ANOTHER = "Export it again, or copy the file again; nothing was changed."
"""Advice for an archive that can't be read."""
LAST_IN = (JOURNAL_COPY, RESTORED, JOURNAL)
"""Files that an import moves in last, in this order. After a power cut between them a table recovers the new journal
from its second copy, or reports the older one as lost. With the mark and no copy it would start empty, without a word.
"""


def read_archive(file: Path, folder: Path, settings_to: Path, *, replace: bool) -> dict[str, Any]:
    """Import an archive made by `write_archive` into a data folder and a settings file; return its manifest.

    Older data is moved to a folder `replaced-N`, and an older settings file is renamed; without `replace` either is an
    error. Root writes with the rights of the folder's owner; new files have mode 0640 at most.

    Returns:
        The manifest with three more keys. `aside`: folder of the older data, or None. `earlier`: names of
        older such folders if the last import was cut off, else empty. `left_out`: keys of [buttons] commented out, as
        they run a program.

    Raises:
        DeviceError: The file is damaged or foreign, a table is using the folder, the disk is full, or older data or
            settings are in the way. Nothing was changed; only if the disk fails at the very end, older data may be in
            `replaced-N`.
        SetupError: The settings in the archive are wrong; nothing was changed.
    """
    if file.exists() and not file.is_file():  # a pipe may never end
        raise DeviceError(f"{file} is no file.", "Name the one that `pegpip export` wrote.")
    with _as_device_error(file), file.open("rb") as packed, rights.of_owner(folder), zipfile.ZipFile(packed) as archive:
        _refuse_unwritable(settings_to)
        manifest = _manifest(archive)
        if not replace:
            _refuse_existing(folder, settings_to, with_settings=SETTINGS in archive.namelist())
        with _alone(folder):
            incoming = folder / INCOMING
            cut_off = os.path.lexists(incoming)
            earlier = sorted(path.name for path in folder.glob(f"{ASIDE}*")) if cut_off else []
            if incoming.is_symlink():
                incoming.unlink()
            shutil.rmtree(incoming, ignore_errors=True)
            try:
                _unpack(archive, manifest, incoming, folder)
                left_out = _check(incoming, manifest)
                aside = _moved_in(incoming, folder, settings_to)
            finally:
                shutil.rmtree(incoming, ignore_errors=True)
    return {**manifest, "aside": aside, "earlier": earlier, "left_out": left_out}


@contextlib.contextmanager
def _as_device_error(file: Path) -> Iterator[None]:
    """Context manager: turn disk errors, and errors in reading the zip `file`, into a DeviceError with a cure."""
    try:
        yield
    except FileNotFoundError as missing:
        raise DeviceError(f"There is no file {missing.filename or file}.", "Check its name.") from None
    except (*DAMAGED_ZIP, KeyError, TypeError) as wrong:
        raise DeviceError(f"{file} is damaged, or was not written by `pegpip export` ({wrong}).", GET_ANOTHER) from None
    except OSError as refused:
        reason = f"{refused.filename or file}: {refused.strerror or refused}."
        raise DeviceError(reason, "Check the disk and its rights, then import again.") from None


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    """Return the manifest of an exported archive, after checking it against the archive's list of files.

    Names and sizes must be equal in both, and every name must be one that an export writes: none leads out of the
    folder. Raises DeviceError for another version of the format. A foreign or damaged archive raises errors that
    `_as_device_error` turns into a DeviceError.
    """
    if archive.getinfo(MANIFEST).file_size > MAX_MANIFEST_BYTES:
        raise ValueError("its manifest is too large")
    manifest: dict[str, Any] = json.loads(archive.read(MANIFEST))
    if manifest["program"] != "peg-and-pip":
        raise ValueError("it is of another program")
    if manifest["format"] != FORMAT:
        made = f"It is of format {manifest['format']}, this version reads {FORMAT}."
        raise DeviceError(made, "Update pegpip; nothing was changed.")
    listed = {str(one["name"]): int(one["bytes"]) for one in manifest["files"]}
    held = [info for info in archive.infolist() if info.filename != MANIFEST]
    if len(listed) != len(manifest["files"]) or sorted(listed) != sorted(info.filename for info in held):
        raise ValueError("its manifest lists other files than it holds")
    for info in held:
        if not belongs(info.filename) or listed[info.filename] != info.file_size:
            raise ValueError(f"{info.filename!r} does not belong there")
    return manifest


def _refuse_unwritable(settings_to: Path) -> None:
    """Raise DeviceError if the settings file's folder can't be written."""
    there = next(path for path in (settings_to.parent, *settings_to.absolute().parents) if path.is_dir())
    if not os.access(there, os.W_OK | os.X_OK, effective_ids=True):
        cure = "Name a settings file in a folder of the table's user with --config."
        raise DeviceError(f"The owner of the data folder can't write {settings_to}.", cure)


def _refuse_existing(folder: Path, settings_to: Path, *, with_settings: bool) -> None:
    """Raise DeviceError if `folder` holds a table's files or, with `with_settings`, the file `settings_to` exists.

    The error tells the user to import with --replace or to name another place.
    """
    if own_and_foreign_files(folder)[0]:
        cure = "With --replace it is put aside (not deleted); or name another folder with --data."
        raise DeviceError(f"{folder} holds a table already.", cure)
    if with_settings and settings_to.exists():
        cure = "With --replace it is put aside (not deleted); or name another file with --config."
        raise DeviceError(f"There is a settings file {settings_to} already.", cure)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Context manager: create the data folder if needed, and hold its lock. Raises DeviceError if it is in use.

    After an error a folder that was created here is deleted, if it is empty but for the lock.
    """
    fresh = not folder.exists()
    try:
        with locked(folder):
            try:
                yield
            except BaseException:
                if fresh:  # while it is held: unheld it may be another process's
                    (folder / LOCK).unlink(missing_ok=True)
                raise
    except BaseException:
        if fresh:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _unpack(archive: zipfile.ZipFile, manifest: dict[str, Any], incoming: Path, folder: Path) -> None:
    """Unpack the files of the zip into the folder `incoming`, and compare each with its hash in the manifest.

    Names of files are not checked here but in `_manifest`. Private keys (`.pem`) get mode 0600. A damaged zip raises
    one of the errors in DAMAGED_ZIP.

    Raises:
        DeviceError: The disk of `folder` would keep less than SPARE_BYTES free.
        ValueError: A hash differs.
        KeyError: The manifest lacks a hash.
        OSError: The disk refuses.
    """
    needed = sum(int(one["bytes"]) for one in manifest["files"]) + SPARE_BYTES
    if shutil.disk_usage(folder).free < needed:
        raise DeviceError(f"{folder} has too little room: {needed // 1_000_000} MB are needed.", "Free some space.")
    for one in manifest["files"]:
        to = incoming / str(one["name"])
        to.parent.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256()
        with archive.open(str(one["name"])) as packed, to.open("wb") as file:
            while chunk := packed.read(CHUNK_BYTES):
                digest.update(chunk)
                file.write(chunk)
        if digest.hexdigest() != one["sha256"]:
            raise ValueError(f"{one['name']} is not what was exported")
        if to.suffix == ".pem":  # the league's private key
            to.chmod(0o600)


def _check(incoming: Path, manifest: dict[str, Any]) -> list[str]:
    """Check that a table could start from the files unpacked into `incoming`; return the settings keys commented out.

    These are keys that run a program. Derived files are deleted, and the data is marked as restored. A damaged
    calibration is accepted: the table reports it. Raises ValueError for a wrong journal, and SetupError for wrong
    settings; the message says if a newer version made the backup.
    """
    data = incoming / DATA
    for derived in (FILED, JOURNAL_COPY):  # a table makes them from its journal, and would trust these
        (data / derived).unlink(missing_ok=True)
    data.mkdir(exist_ok=True)
    (data / RESTORED).touch()  # an archive without a journal replaces the older one, too
    if (data / JOURNAL).exists():
        _check_journal(data, int(manifest["entries"]))
    left_out: list[str] = []
    if (incoming / SETTINGS).exists():
        try:
            load(incoming / SETTINGS, {})
        except SetupError as wrong:
            problems = [f"The settings in it: {problem}" for problem in wrong.problems]
            made, ours = str(manifest.get("version", "")), version("peg-and-pip")
            if numbers(made) > numbers(ours):
                problems.append(f"It is of version {made}, this is {ours}. Update first: pegpip update.")
            raise SetupError(problems) from None
        left_out = _without_commands(incoming / SETTINGS)
    return left_out


def _check_journal(data: Path, entries: int) -> None:
    """Write the second copy of the journal in the folder `data` anew, verify both copies, and replay the journal.

    Raises ValueError if it is damaged, can't be replayed or has another number of entries than `entries`.
    """
    shutil.copyfile(data / JOURNAL, data / JOURNAL_COPY)
    try:
        _, wrong = examined(data)
        if wrong is not None:
            raise ValueError(f"its journal is damaged: {wrong}")
        found = read_entries(data)
        replayed(found)
    except CompanionError as refused:
        raise ValueError(f"its journal can't be played: {refused}") from None
    if len(found) != entries:
        raise ValueError(f"its journal has {len(found)} entries and not {entries}")


def _without_commands(file: Path) -> list[str]:
    """Move the keys of [buttons] that run programs (RUN_PROGRAMS) to the end of a settings file, as comments.

    Return the keys that were moved; without any, the file is not written. Raises SetupError, and leaves the file as it
    is, if a key would still be in force.
    """
    text = file.read_text(encoding="utf-8-sig")
    left_out = [key for key in RUN_PROGRAMS if key in tomllib.loads(text).get("buttons", {})]
    if not left_out:
        return []
    tree = tomlkit.parse(text)
    moved = tomlkit.dumps({"buttons": {key: tree["buttons"].pop(key) for key in left_out}})
    kept = "\n".join([tomlkit.dumps(tree), *(f"# {line}" for line in moved.splitlines()), ""])
    if any(key in tomllib.loads(kept).get("buttons", {}) for key in RUN_PROGRAMS):
        reason = f"The settings in it run a program ([buttons] {RUN_PROGRAMS[0]}) in a way that can't be left out."
        raise SetupError([f"{reason} Take that out by hand, then import again."])
    file.write_text(kept, encoding="utf-8")
    return left_out


def _moved_in(incoming: Path, folder: Path, settings_to: Path) -> Path | None:
    """Move older data to a new folder `replaced-N`, then the unpacked files in `incoming` to their places.

    Return `replaced-N`, or None if there was no older data.

    - Data: every move is a rename within one disk; of the new files, those in LAST_IN are moved last.
    - Settings: written to `settings_to`; an older file is first renamed to `NAME.replaced-N`.
    - Power cut: nothing is lost. Older files are in their place or in `replaced-N`, new ones in theirs or in
      `incoming`.
    - Error: all moves are undone before the OSError is raised.
    """
    os.sync()  # the content must be on the disk before the names that a table reads
    older = [path for path in folder.iterdir() if _goes_aside(path)]
    aside = free_path(folder, ASIDE) if older else None
    with contextlib.ExitStack() as back:

        def move(path: Path, to: Path) -> None:
            """Rename a file or folder; after an error it is renamed back."""
            path.rename(to)
            back.callback(to.rename, path)

        for path in sorted(older, key=lambda one: one.name.startswith(JOURNAL)):
            assert aside is not None
            if not aside.exists():
                aside.mkdir()
                back.callback(aside.rmdir)
            move(path, aside / path.name)
        if (incoming / SETTINGS).exists():
            settings_to.parent.mkdir(parents=True, exist_ok=True)
            if os.path.lexists(settings_to):
                move(settings_to, free_path(settings_to.parent, f"{settings_to.name}.{ASIDE}"))
            back.callback(settings_to.unlink, missing_ok=True)
            write_file(settings_to, ((incoming / SETTINGS).read_bytes(),), mode=0o640)
        fresh = list((incoming / DATA).iterdir()) if (incoming / DATA).exists() else []
        for path in sorted(fresh, key=lambda one: LAST_IN.index(one.name) if one.name in LAST_IN else -1):
            move(path, folder / path.name)
        back.pop_all()
    os.sync()
    return aside


def _goes_aside(path: Path) -> bool:
    """Return whether an import moves this path of the data folder aside.

    Settings, SECRETS, locks, `lost+found`, the unpacked import and the folders of earlier imports stay.
    """
    return (
        path.name != INCOMING
        and not path.name.startswith(ASIDE)
        and path.name not in SECRETS
        and path.suffix != ".lock"
        and SETTINGS_SUFFIX not in path.name
        and path.name != "lost+found"  # root's, at the top of a disk
    )
