"""Notices a change of light over dice that were read with doubt, so that they are read again."""

from __future__ import annotations

import math

from vision.watching.stillness import DIFFERENT_PX, Small, changed, same_light


class LightMonitor:
    """Compares the light in a camera's frames with that of a reading.

    Args:
        settle_s: Seconds, from the first frame after a reading, in which frames may still show lights that were dimmed
            for it. Then the first later frame is the one to compare with. 0 for no such lights.
    """

    def __init__(self, settle_s: float) -> None:
        self._settle_s = settle_s
        self._before: Small | None = None
        self._from_s: float | None = math.inf

    def begin(self, read: Small) -> None:
        """Begin to watch, after a reading in doubt. `read` is the picture that was read."""
        self._before, self._from_s = (None if self._settle_s else read), None

    def end(self) -> None:
        """Stop watching: `differs` returns False until `begin`."""
        self._before, self._from_s = None, math.inf

    def differs(self, now: Small, at_s: float, *, spots: bool) -> bool:
        """Return whether the light differs from that of the reading, in the whole picture or, with `spots`, in a part.

        To be called with every frame: `now` is its small picture and `at_s` its time in seconds. Returns False before
        `begin`, after `end`, and while lights that were dimmed for the reading settle. The first frame after that is
        then compared with instead of the picture that was read.
        """
        if self._before is not None:
            return not same_light(self._before, now) or (spots and changed(self._before, now) > DIFFERENT_PX)
        if self._from_s is None:
            self._from_s = at_s + self._settle_s
        if at_s >= self._from_s:
            self._before = now
        return False
