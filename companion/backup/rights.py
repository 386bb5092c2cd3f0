"""Root works on a table's folder with the rights of the folder's owner."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

MAX_LINKS = 40
"""Most symbolic links followed in one path: the kernel's own limit, path_resolution(7). Lower: the owner of a folder
behind a further link is overlooked, and root keeps its rights there. Higher: no effect, as the kernel refuses such a
path."""


@contextlib.contextmanager
def of_owner(folder: Path) -> Iterator[None]:
    """Context manager: replace root's rights by those of the user who controls a folder; cap new files at mode 0640.

    A symbolic link in the folder thus can't make root open a file that the user may not open. `owner` tells who
    controls the folder. If that is root alone, or the process is not root's, the rights stay and only the umask is set.
    At the end, rights and umask are restored.
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
    """Walk a path down from `/`, and return user and group id of the first component that root does not own.

    That user could replace everything below it. Returns (0, 0) if root owns all. Symbolic links, and the components
    that they lead through, count as well. Missing components are skipped, and a loop of links ends the walk.
    """
    for part in _parts(place):
        with contextlib.suppress(OSError):
            about = part.lstat()
            if about.st_uid != 0:
                return about.st_uid, about.st_gid
    return 0, 0


def _parts(place: Path) -> Iterator[Path]:
    """Yield every folder, link and file on the way to a path, `/` first, in the order in which the kernel passes them.

    Missing parts are yielded, too. After MAX_LINKS links nothing more is yielded, as the kernel then refuses the path.
    """
    here, links, names = Path("/"), 0, [*reversed(place.absolute().parts[1:])]
    yield here
    while names:
        name = names.pop()
        if name == "..":
            here = here.parent
            continue
        here /= name
        yield here
        try:
            target = here.readlink()
        except OSError:  # no link, or missing
            continue
        links += 1
        if links > MAX_LINKS:
            return
        here = Path("/") if target.is_absolute() else here.parent
        names += [part for part in reversed(target.parts) if part != target.anchor]
