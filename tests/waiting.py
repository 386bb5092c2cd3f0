"""Waiting for a condition: the only place where a test lets time pass."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 120.0
"""Longest wait for a condition, in seconds. Only a defect takes this long, however busy the machine is."""
LOOK_S = 0.05
"""Seconds between two checks of the condition."""
RETRIES = 3
"""How often Playwright sends a request again whose idle connection the server has just closed, as on a busy machine."""


def until(met: Callable[[], object], patience_s: float = PATIENCE_S) -> bool:
    """Call `met` repeatedly, and return whether it returned a true value within `patience_s` seconds.

    OSError, such as a refused connection, counts as false: a server may still be starting.
    """
    ends_s = time.monotonic() + patience_s
    while time.monotonic() < ends_s:
        try:
            if met():
                return True
        except OSError:
            pass
        time.sleep(LOOK_S)
    return False
