"""Who goes first on a busy machine: the thread that watches the tray and the one that writes; all others give way."""

from __future__ import annotations

import contextlib
import os
import sys
import threading

LATER = 10
"""By so much nicer is who gives way: a tenth of the processor's time where both want it (sched(7)). The service begins
ten below the usual, so that its pages are level with other programs: who holds Python's lock must not wait for them."""
SWITCH_S = 0.001
"""So long Python code runs before a thread that has waited may go on; 5 ms unless told otherwise, and whoever looks at
the tray waits a hundred times a second."""
_BEGUN_WITH = os.getpriority(os.PRIO_PROCESS, 0)


def give_way() -> None:
    """From now on this thread, and every one that it starts, gives way to the others of this program.

    On Linux alone a thread has a niceness of its own.
    """
    sys.setswitchinterval(SWITCH_S)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _BEGUN_WITH + LATER)
