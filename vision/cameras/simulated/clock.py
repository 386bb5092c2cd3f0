"""A clock that only a sleep moves on: simulated evenings run as fast as the machine can."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class SteppedClock:
    """Called, it tells its seconds, as `time.monotonic` does."""

    now_s: float = 0.0

    def __call__(self) -> float:
        """Seconds."""
        return self.now_s

    def sleep(self, seconds: float) -> None:
        """Be later."""
        self.now_s += seconds
