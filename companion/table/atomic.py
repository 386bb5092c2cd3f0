"""Replace files atomically: after a power cut the old content or the new content is there, never a part."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def replacing(path: Path, mode: int = 0o666, owner: tuple[int, int] | None = None) -> Iterator[BinaryIO]:
    """Context manager: yield a new file, open for writing, that replaces `path` at the end, atomically and on the disk.

    It is written beside `path` as a hidden file `.NAME.RANDOM.part`: of several writers the last to finish wins. A link
    is replaced, not followed. After an error the new file is deleted and `path` is unchanged, unless only the flush of
    the folder after the rename failed. A power cut may leave the new file under its hidden name. Raises OSError, also
    if `path` leads to a device or a pipe.

    Args:
        path: The file to replace or create.
        mode: Permissions, as far as the umask allows.
        owner: Numbers of the user and group that the file is to belong to; None for those of the process.
    """
    refuse_device(path)
    part = path.parent / f".{path.name}.{secrets.token_hex(4)}.part"
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except OSError as refused:  # people know the file by its own name
        raise OSError(refused.errno, refused.strerror, str(path)) from None
    try:
        with open(descriptor, "wb") as file:
            if owner is not None:
                os.fchown(file.fileno(), *owner)
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync(path.parent)


def write_file(path: Path, content: Iterable[bytes], mode: int = 0o666) -> None:
    """Replace or create a file atomically: write a hidden file beside it, flush it to the disk and rename it.

    `content` is written piece by piece. `mode` sets the permissions, as far as the umask allows. Raises OSError, also
    for a device or a pipe. The old file is then unchanged, unless only the flush of the folder after the rename failed.
    """
    with replacing(path, mode) as file:
        file.writelines(content)


def refuse_device(path: Path) -> None:
    """Raise OSError if a path leads to a device or a pipe, which no file may replace."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))


def free_path(folder: Path, stem: str, suffix: str = "") -> Path:
    """Return the first path of `stem`1, `stem`2, ..., each with `suffix`, that a folder lacks; a broken link counts."""
    return next(path for number in count(1) if not os.path.lexists(path := folder / f"{stem}{number}{suffix}"))


def sync(path: Path) -> None:
    """Flush a file, or a folder's directory entries, to the disk. Raises OSError.

    After a flush of the folder, renames in it survive a power cut.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
