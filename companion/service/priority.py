"""Thread priorities: the threads that watch the tray and write the journal go before all others of this program."""

from __future__ import annotations

import contextlib
import os
import sys
import threading

NICER = 10
"""Niceness added to threads that give way: about a tenth of the processor's time under contention (sched(7)). The unit
starts the service ten below the usual, so its pages are level with other programs."""
SWITCH_S = 0.001
"""Seconds after which Python passes its lock to a waiting thread; the default of 5 ms delays the tray's reader."""
# Niceness of the process when the program starts, to which NICER is added.
_NICENESS_AT_START = os.getpriority(os.PRIO_PROCESS, 0)


def give_way() -> None:
    """Give this thread, and each thread that it starts from now on, a lower priority than the rest of the program.

    On other systems than Linux niceness belongs to the process; there only Python's switch interval changes.
    """
    sys.setswitchinterval(SWITCH_S)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS_AT_START + NICER)
