"""Thread priorities: the threads that watch the tray and write the journal go before all others of this program."""

from __future__ import annotations

import contextlib
import os
import sys
import threading

ADDED_NICENESS = 10
"""Niceness added to threads that give way: at 10 about a tenth of the processor's time under contention (sched(7)).
Higher: the pages wait longer while the tray is read."""
SWITCH_INTERVAL_S = 0.001
"""Seconds after which Python passes its lock to a waiting thread. Longer: the tray's reader waits (5 ms is the
default); shorter: more switches."""
# Niceness of the process when the program starts, to which ADDED_NICENESS is added.
_NICENESS_AT_START = os.getpriority(os.PRIO_PROCESS, 0)


def give_way() -> None:
    """Lower the priority of the calling thread, and of each thread that it starts from now on.

    It also sets Python's switch interval for the whole program. On systems other than Linux it sets only the interval:
    niceness belongs to the whole process there.
    """
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS_AT_START + ADDED_NICENESS)
