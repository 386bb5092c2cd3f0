"""Limits on wrong PINs: a few for each address, and a budget for the whole table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

FREE = 5
"""Wrong guesses after which an address must wait. Doubled, it can try twice as many PINs at first."""
FIRST_PAUSE_S = 60.0
"""First wait of an address, in seconds. Each later wrong guess doubles it."""
LONGEST_PAUSE_S = 3600.0
"""Longest wait of an address, in seconds, so that a guest who mistypes can try again the same evening."""
FORGOTTEN_S = 4 * LONGEST_PAUSE_S
"""Age at which an address's wrong guesses are forgotten, in seconds."""
ADDRESSES_KEPT = 4096
"""Most addresses with wrong guesses that are remembered: bounds the memory. The oldest are forgotten first."""

TABLE_FREE = 20
"""Wrong guesses of all addresses together after which the PIN is blocked."""
FIRST_REST_S = 600.0
"""How long the PIN is blocked first, in seconds. Each later wrong guess doubles it: 100 years allow 43 guesses."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """Wrong guesses of one address: `count`, and when the last one came, in seconds of the caller's clock."""

    count: int = 0
    last_s: float = float("-inf")

    @property
    def pause_s(self) -> float:
        """Seconds to wait after the last guess: none for four, a minute for five, then doubled up to an hour."""
        return 0.0 if self.count < FREE else min(FIRST_PAUSE_S * 2.0 ** (self.count - FREE), LONGEST_PAUSE_S)


@dataclass(slots=True)
class Guesses:
    """Rate limit of guesses for each address: ten in its first hour, then one an hour. Not thread-safe."""

    clock: Callable[[], float]
    _wrong: dict[str, Wrong] = field(default_factory=dict, init=False)

    def wait_s(self, address: str) -> float:
        """Return the seconds until an IP address may guess again; 0 if it may now."""
        wrong = self._wrong.get(address, Wrong())
        return max(0.0, wrong.last_s + wrong.pause_s - self.clock())

    def missed(self, address: str) -> None:
        """Count a wrong guess of an IP address; forget addresses that are old or too many."""
        now_s = self.clock()
        wrong = self._wrong.pop(address, Wrong())  # put back at the end: the first is the oldest
        self._wrong[address] = Wrong(wrong.count + 1, now_s)
        for each in tuple(self._wrong):
            if len(self._wrong) <= ADDRESSES_KEPT and self._wrong[each].last_s > now_s - FORGOTTEN_S:
                break
            del self._wrong[each]


@dataclass(slots=True)
class Budget:
    """Limit of wrong guesses at one PIN from all addresses. When it is reached the PIN is blocked. Not thread-safe.

    The count never falls: a new PIN needs a new budget.
    """

    clock: Callable[[], float]
    count: int = field(default=0, init=False)
    _rests_until_s: float = field(default=float("-inf"), init=False)

    def rest_s(self) -> float:
        """Return the seconds until the PIN may be tried again; 0 if it may now."""
        return max(0.0, self._rests_until_s - self.clock())

    def missed(self) -> None:
        """Count a wrong guess; from the twentieth on, block the PIN."""
        self.count += 1
        if self.count >= TABLE_FREE:
            self._rests_until_s = self.clock() + FIRST_REST_S * 2.0 ** (self.count - TABLE_FREE)
