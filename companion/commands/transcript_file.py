"""Reads a transcript that is named on the command line."""

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

MAX_BYTES = 16 << 20
"""Largest transcript in bytes: about 400,000 lines, more than any game. Higher: a wrong file fills the memory."""


def transcript_in(name: str) -> Transcript:
    """Return the transcript in a file, or on standard input for `-`. Raises DeviceError; RulesError names the file."""
    content = read_transcript(name)
    with naming(name):
        return transcript_of(content)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Context manager: put the file's name before the message of a RulesError."""
    try:
        yield
    except RulesError as refused:
        raise type(refused)(f"{name}: {refused}") from None


def read_transcript(name: str) -> bytes:
    """Return the content of a file, or of standard input for `-`.

    Raises DeviceError if it can't be read or is larger than MAX_BYTES, or if a named file is no regular file: a named
    pipe could block for ever.
    """
    try:
        if name == "-":
            content = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise OSError(errno.EINVAL, "it is no file", name)
                content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise OSError(errno.EFBIG, f"it has more than {MAX_BYTES >> 20} MB, and no game is as long", name)
    except OSError as refused:
        cure = "Name a transcript's file, or write '-' and pipe it in."
        raise DeviceError(f"{name} can't be read: {refused.strerror}.", cure) from None
    return content
