"""Replace files atomically: after a power cut the old content or the new content is there, never a part."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from itertools import count
from pathlib import Path


def write_file(path: Path, content: Iterable[bytes], mode: int = 0o666) -> None:
    """Replace or create a file atomically: write a file beside it (`.part`), flush it to the disk and rename it.

    `content` is written piece by piece. `mode` are the permissions, as far as the umask allows. Raises OSError, also
    for a device or a pipe, which must not be replaced. The old file is then unchanged, unless only the flush of the
    folder after the rename failed.
    """
    refuse_device(path)
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


def refuse_device(path: Path) -> None:
    """Raise OSError if a path leads to a device or a pipe, which no file may replace."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))


def free_path(folder: Path, stem: str, suffix: str = "") -> Path:
    """Return the first path of `stem`1, `stem`2, ..., each with `suffix`, that a folder lacks; a broken link counts."""
    return next(path for number in count(1) if not os.path.lexists(path := folder / f"{stem}{number}{suffix}"))


def sync(folder: Path) -> None:
    """Flush a folder's directory entries to the disk, so that renames in it outlast a power cut. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
