"""Root works on a table's folder with the rights of the folder's owner."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def of_owner(folder: Path) -> Iterator[None]:
    """Context manager: act as the user who controls a folder (`owner`), not as root; new files get at most mode 0640.

    So a symbolic link in the folder can't make root open what the user may not. If the process is not root's, or root
    alone controls the folder, only the mode changes.
    """
    user, group = owner(folder)
    mask, groups = os.umask(0o027), os.getgroups()
    lowered = os.geteuid() == 0 and user != 0
    try:
        if lowered:
            os.setgroups([group])
            os.setegid(group)
            os.seteuid(user)
        yield
    finally:
        if lowered:
            os.seteuid(0)
            os.setegid(0)
            os.setgroups(groups)
        os.umask(mask)


def owner(place: Path) -> tuple[int, int]:
    """Return user and group id of the user who controls a path, or (0, 0) if root alone does.

    Going from `/` down to the path, the first file or folder that root does not own decides: its owner could replace
    everything below. The path is searched as written, then with its links followed. Missing parts are skipped.
    """
    for path in (place.absolute(), place.resolve()):
        for part in (*reversed(path.parents), path):
            with contextlib.suppress(OSError):
                about = part.lstat()
                if about.st_uid != 0:
                    return about.st_uid, about.st_gid
    return 0, 0
