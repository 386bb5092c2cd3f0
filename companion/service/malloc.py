"""Memory of this process: one heap for all threads."""

from __future__ import annotations

import contextlib
import ctypes

_M_ARENA_MAX = -8
"""`M_ARENA_MAX` of glibc's malloc.h: `mallopt`'s option for the largest number of heaps."""


def share_one_heap() -> None:
    """Make all threads allocate from one glibc heap, because each further heap keeps some MB unused.

    With another C library nothing happens.
    """
    with contextlib.suppress(OSError, AttributeError):  # another C library's malloc has no such limit
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
