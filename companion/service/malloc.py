"""Memory of this process: one heap for all threads, and no garbage collection of objects loaded at the start."""

from __future__ import annotations

import contextlib
import ctypes
import gc

_M_ARENA_MAX = -8
"""`M_ARENA_MAX` of glibc's malloc.h: `mallopt`'s option for the largest number of heaps."""


def share_one_heap() -> None:
    """Make all threads allocate from one glibc heap, because each further heap keeps some MB unused.

    With another C library nothing happens.
    """
    with contextlib.suppress(OSError, AttributeError):  # another C library's malloc has no such limit
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def keep_what_is_loaded() -> None:
    """Exempt all existing objects from Python's cyclic garbage collection.

    Call it after the start. A collection stops all threads, and is short when it skips code, tables and routes.
    """
    gc.freeze()
