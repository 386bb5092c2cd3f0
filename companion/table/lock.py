"""Locks on files: one table or import at a time uses a data folder."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

from companion.errors import DeviceError

FILE_NAME = "journal.lock"
"""File in the data folder that is locked. It stays when the lock is released."""


class InUse(DeviceError):
    """Another table or an import uses the data folder."""


def locked(folder: Path) -> IO[bytes]:
    """Lock a data folder, created if missing, until the returned file is closed or the process ends.

    Raises InUse if it is locked already, even by this process; OSError if it can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = lock_of(folder / FILE_NAME)
    if lock is None:
        raise InUse(f"Another table uses the data folder {folder}.", "Stop it, or name another with --data.")
    return lock


def lock_of(file: Path) -> IO[bytes] | None:
    """Lock a file, created if missing, until the returned file is closed or the process ends.

    Returns None at once if the file is locked already, even by this process. Raises OSError if it can't be written.
    """
    lock = file.open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    return lock
