"""Files that are replaced whole: content and name are on the disk, or the file before is still there."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO


def write_file(path: Path, content: Iterable[bytes], mode: int = 0o666) -> None:
    """Replace a file, or make it. Raises OSError, and the file before is unchanged.

    Args:
        path: The file; while it is written its suffix is `.part`.
        content: Pieces of the content.
        mode: Permissions, as far as the umask allows.
    """
    part = path.with_suffix(".part")
    try:
        part.unlink(missing_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.writelines(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    sync(path.parent)


def sync(folder: Path) -> None:
    """Put the names in a folder on the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def locked(path: Path) -> IO[bytes]:
    """Return an exclusive lock on a file, held until it is closed or the process ends. Its folder is made.

    Raises BlockingIOError when another holds it, OSError when the file can't be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise
    return lock
