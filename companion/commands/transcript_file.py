"""A transcript that is named on the command line, read whole; never more than a game can be, and never waited for."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from companion.errors import DeviceError, RulesError
from companion.games.engine.replay import transcript_of
from companion.games.engine.transcript import Transcript

MOST_BYTES = 16 << 20
"""Some 400,000 lines: no game is as long."""


def transcript_in(name: str) -> Transcript:
    """The transcript in that file, or on standard input. Raises as `read_transcript`; RulesError names the file."""
    content = read_transcript(name)
    with naming(name):
        return transcript_of(content)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """What the rules refuse meanwhile is told of that file."""
    try:
        yield
    except RulesError as refused:
        raise type(refused)(f"{name}: {refused}") from None


def read_transcript(name: str) -> bytes:
    """The content of that file; of standard input for `-`.

    Raises:
        DeviceError: It can't be read, is larger than any game, or is no file: a pipe with a name would be waited for.
    """
    try:
        return _content(name)
    except OSError as refused:
        cure = "Name a transcript's file, or write '-' and pipe it in."
        raise DeviceError(f"{name} can't be read: {refused.strerror}.", cure) from None


def _content(name: str) -> bytes:
    if name == "-":
        content = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "it is no file", name)
            content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it has more than {MOST_BYTES >> 20} MB, and no game is as long", name)
    return content
