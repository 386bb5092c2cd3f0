"""Reads back what `archive` wrote: all of it is checked before anything is touched, and nothing older is deleted."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import re
import shutil
import tomllib
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.backup.export import (
    ASIDE,
    CHUNK_BYTES,
    DATA,
    FORMAT,
    INCOMING,
    MANIFEST,
    SECRETS,
    SETTINGS,
    belongs,
    holds_something,
)
from companion.errors import CompanionError, DeviceError, SetupError
from companion.settings.load import load
from companion.table.evening.archive import FILE_NAME as FILED
from companion.table.evolve import replayed
from companion.table.journal import FILE_NAME as JOURNAL
from companion.table.journal import entry_of, verified
from companion.table.journal.database import UNREADABLE, Damaged
from companion.table.journal.mirror import FILE_NAME as MIRROR
from companion.table.journal.mirror import Mirror
from vision.calibration.store import FILE_NAME as CALIBRATION
from vision.calibration.store import rig_of_bytes

MOST_MANIFEST_BYTES = 50_000_000
"""Some 400,000 files of 120 bytes each in the manifest: more throws than dice last for."""
SPARE_BYTES = 50_000_000
"""Left free on the disk beside what is unpacked."""
RUN_PROGRAMS = ("shutdown_command", "shutdown")
"""Keys of [buttons] that a backup does not bring along: whoever wrote it would say what this machine runs."""
_SETTING = re.compile(
    rf"^[ \t]*(?:buttons\.)?(?:{'|'.join(RUN_PROGRAMS)})[ \t]*=[ \t]*(?:\[[^\]\[]*\][^\n]*|[^\n\[]*)$\n?", re.MULTILINE
)
GET_ANOTHER = "Export it again, or copy the file again; nothing was changed."
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, TypeError, NotImplementedError, RuntimeError)
"""What the zip's reader and the manifest's let through when a file is damaged, encrypted or none of ours."""


def read_archive(file: Path, folder: Path, settings_to: Path, *, replace: bool) -> dict[str, Any]:
    """Unpack an archive into a data folder, and its settings to their place. Older data goes to `replaced-N`.

    Args:
        file: What `write_archive` wrote.
        folder: The data folder; made where there is none.
        settings_to: The settings file.
        replace: Whether older data and settings may be put aside.

    Returns:
        The archive's manifest, with `aside`: the folder that older data went to, or None, and `left_out`: keys of
        [buttons] that have a program run, commented out.

    Raises:
        DeviceError: The file is damaged or none of ours, a table is using the folder, the disk is full, or there are
            older data and `replace` was not said. Nothing was changed then.
        SetupError: Its settings are wrong. Nothing was changed then.
    """
    if file.exists() and not file.is_file():  # a pipe may never end
        raise DeviceError(f"{file} is no file.", "Name the one that `pegpip export` wrote.")
    with _as_device_error(file), zipfile.ZipFile(file) as archive:
        manifest = _manifest(archive)
        if not replace:
            _refuse_older(folder, settings_to, with_settings=SETTINGS in archive.namelist())
        with _alone(folder):
            incoming = folder / INCOMING
            shutil.rmtree(incoming, ignore_errors=True)
            try:
                _unpack(archive, manifest, incoming, folder)
                left_out = _check(incoming, manifest)
            except BaseException:
                shutil.rmtree(incoming, ignore_errors=True)
                raise
            aside = _moved_in(incoming, folder, settings_to)
    return {**manifest, "aside": aside, "left_out": left_out}


@contextlib.contextmanager
def _as_device_error(file: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as missing:
        raise DeviceError(f"There is no file {missing.filename or file}.", "Check its name.") from None
    except DAMAGE as wrong:
        raise DeviceError(f"{file} is damaged, or was not written by `pegpip export` ({wrong}).", GET_ANOTHER) from None
    except OSError as refused:
        reason = f"{refused.filename or file}: {refused.strerror or refused}."
        raise DeviceError(reason, "Check the disk and its rights, then import again.") from None


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    """The manifest, after comparing it with what the zip says it holds. Raises what `_as_device_error` turns."""
    if archive.getinfo(MANIFEST).file_size > MOST_MANIFEST_BYTES:
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


def _refuse_older(folder: Path, settings_to: Path, *, with_settings: bool) -> None:
    if holds_something(folder):
        cure = "With --replace it is put aside (not deleted); or name another folder with --data."
        raise DeviceError(f"{folder} holds a table already.", cure)
    if with_settings and settings_to.exists():
        cure = "With --replace it is put aside (not deleted); or name another file with --config."
        raise DeviceError(f"There is a settings file {settings_to} already.", cure)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock that a playing table holds. An empty folder that was made for it goes again on failure."""
    fresh = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    lock_file = (folder / JOURNAL).with_suffix(".lock")
    try:
        with lock_file.open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise DeviceError(f"A table is using {folder}.", "Stop it, then import again.") from None
            yield
    except BaseException:
        if fresh:
            lock_file.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _unpack(archive: zipfile.ZipFile, manifest: dict[str, Any], incoming: Path, folder: Path) -> None:
    """Write the files beside the older ones, each compared with the manifest's hash."""
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


def _check(incoming: Path, manifest: dict[str, Any]) -> list[str]:
    """Whether a table could start from it: the journal can be played, settings and calibration are valid.

    Returns the settings that are left out.
    """
    data = incoming / DATA
    for derived in (FILED, MIRROR):  # a table makes them of its journal, and would believe these
        (data / derived).unlink(missing_ok=True)
    if (data / JOURNAL).exists():
        _check_journal(data, int(manifest["entries"]))
    left_out: list[str] = []
    if (incoming / SETTINGS).exists():
        try:
            load(incoming / SETTINGS, {})
        except SetupError as wrong:
            raise SetupError([f"The settings in it: {problem}" for problem in wrong.problems]) from None
        left_out = _without_commands(incoming / SETTINGS)
    if (data / CALIBRATION).exists():
        rig_of_bytes((data / CALIBRATION).read_bytes(), "in it")
    return left_out


def _check_journal(data: Path, entries: int) -> None:
    """Whether a table would start from it, to the last entry; its second copy is made, as a table would have it."""
    try:
        found = verified(data)
        replayed(entry_of(row) for row in found)
    except (*UNREADABLE, Damaged, CompanionError) as wrong:
        raise ValueError(f"its journal can't be played: {wrong}") from None
    if len(found) != entries:
        raise ValueError(f"its journal has {len(found)} entries and not {entries}")
    if found and found[0].link:
        Mirror(data).write_anew(found)


def _without_commands(file: Path) -> list[str]:
    """Comment out the settings that have a program run; those that were. Raises SetupError where they can't be."""
    text = file.read_text(encoding="utf-8")
    left_out = [key for key in RUN_PROGRAMS if key in tomllib.loads(text).get("buttons", {})]
    if not left_out:
        return []
    kept = _SETTING.sub(lambda found: "".join(f"# {line}" for line in found[0].splitlines(keepends=True)), text)
    if any(key in tomllib.loads(kept).get("buttons", {}) for key in RUN_PROGRAMS):
        reason = f"The settings in it run a program ([buttons] {RUN_PROGRAMS[0]}) in a way that can't be left out."
        raise SetupError([f"{reason} Take that out by hand, then import again."])
    file.write_text(kept, encoding="utf-8")
    return left_out


def _moved_in(incoming: Path, folder: Path, settings_to: Path) -> Path | None:
    """Put older data aside and the new in its place: renames within one disk, the journal last.

    Should the power go meanwhile, everything is still there: older files in `replaced-N`, new ones in `import.part`.
    """
    older = [path for path in folder.iterdir() if _goes_aside(path)]
    aside = _free(folder, ASIDE) if older else None
    for path in sorted(older, key=lambda one: one.name.startswith(JOURNAL)):
        assert aside is not None
        aside.mkdir(exist_ok=True)
        path.rename(aside / path.name)
    if (incoming / SETTINGS).exists():
        settings_to.parent.mkdir(parents=True, exist_ok=True)
        if settings_to.exists():
            settings_to.rename(_free(settings_to.parent, f"{settings_to.name}.{ASIDE}"))
        # Perhaps on another disk: copied beside its place first, so that it is there whole or not at all.
        part = settings_to.with_name(f"{settings_to.name}.part")
        shutil.copyfile(incoming / SETTINGS, part)
        part.replace(settings_to)
    fresh = list((incoming / DATA).iterdir()) if (incoming / DATA).exists() else []
    for path in sorted(fresh, key=lambda one: one.name == JOURNAL):
        path.rename(folder / path.name)
    shutil.rmtree(incoming)
    return aside


def _goes_aside(path: Path) -> bool:
    """All but the lock, what is coming in, what was put aside before, and the phones that are paired here."""
    return (
        path.name != INCOMING
        and not path.name.startswith(ASIDE)
        and path.name not in SECRETS
        and path.suffix != ".lock"
    )


def _free(folder: Path, stem: str) -> Path:
    """The first of stem1, stem2, ... that is not there yet."""
    number = 1
    while (folder / f"{stem}{number}").exists():
        number += 1
    return folder / f"{stem}{number}"
