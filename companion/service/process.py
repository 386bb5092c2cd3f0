"""Requests of the process to the system: one heap for all threads, and threads that give way to tray and journal."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading

ADDED_NICENESS = 10
"""Niceness added to the threads of the web server and of the package keeper, which give way to tray and journal. At 10
they get about a tenth of the processor's time under contention (sched(7)). Higher: the pages wait longer while the tray
is read."""
SWITCH_INTERVAL_S = 0.001
"""Seconds after which a running thread passes Python's global interpreter lock to a waiting one. Longer: the tray's
reader waits (5 ms is Python's default); shorter: more time is lost in switches."""
_NICENESS_AT_START = os.getpriority(os.PRIO_PROCESS, 0)
"""Niceness of the process when the program starts. `give_way` adds ADDED_NICENESS to it, however often it is called."""
_M_ARENA_MAX = -8
"""`M_ARENA_MAX` of glibc's malloc.h: `mallopt`'s option for the largest number of heaps. glibc fixes the number; any
other sets a different option or none."""


def share_one_heap() -> None:
    """Make all threads allocate from one glibc heap, because each further heap keeps some MB unused.

    With another C library nothing happens.
    """
    with contextlib.suppress(OSError, AttributeError):  # another C library's malloc has no such limit
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def give_way() -> None:
    """Lower the priority of the calling thread, and of each thread that it starts from now on, by ADDED_NICENESS.

    Python's switch interval is set, too, for the whole program. On systems other than Linux only the interval is set:
    niceness belongs to the whole process there. A repeated call changes nothing; a refusal by the system is ignored.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS_AT_START + ADDED_NICENESS)
