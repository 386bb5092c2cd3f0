"""A clock that only a sleep moves on: simulated evenings run as fast as the machine can."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class SteppedClock:
    """A callable clock like `time.monotonic`, which advances only by `sleep`."""

    now_s: float = 0.0

    def __call__(self) -> float:
        """Return the simulated time in seconds; only `sleep` advances it."""
        return self.now_s

    def sleep(self, seconds: float) -> None:
        """Advance the simulated clock by a number of seconds, without waiting."""
        self.now_s += seconds
