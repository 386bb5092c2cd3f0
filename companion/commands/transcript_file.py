"""A transcript that is named on the command line, read whole; never more than a game can be, and never waited for."""

from __future__ import annotations

import errno
import os
import stat
import sys

MOST_BYTES = 16 << 20
"""Some 400,000 lines: no game is as long."""


def read_transcript(name: str) -> bytes:
    """The content of that file; of standard input for `-`.

    Raises OSError: it can't be read, is larger than any game, or is no file (a pipe with a name would be waited for).
    """
    if name == "-":
        content = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "it is no file; write '-' and pipe it in", name)
            content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it has more than {MOST_BYTES >> 20} MB, and no game is as long", name)
    return content
