"""New PINs, and the limits on wrong ones: one for each IP address, and one for the whole table."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

FREE_GUESSES = 5
"""Wrong PINs, or expired requests to join, after which an IP address must wait. Higher: an attacker tries more PINs
before the first wait. Lower: guests who mistype wait sooner."""
FIRST_PAUSE_S = 60
"""First wait, in whole seconds, of an IP address that has typed `FREE_GUESSES` wrong PINs; each further one doubles it,
up to `MAX_PAUSE_S`. The join queue counts expired requests in the same way. Higher: guests who mistype wait longer."""
MAX_PAUSE_S = 3600.0
"""Longest wait of an IP address, in seconds. Higher: an attacker tries fewer PINs a day; an honest guest waits longer.
With an hour, a guest who has mistyped often can still try again the same evening."""
FORGET_AFTER_S = 4 * MAX_PAUSE_S
"""Seconds after an IP address's last wrong guess at which its guesses may be forgotten; more than MAX_PAUSE_S. Higher:
a guest who mistyped gets `FREE_GUESSES` again later. Below MAX_PAUSE_S: a wait may end too early."""
MAX_ADDRESSES = 4096
"""Most IP addresses whose wrong guesses are remembered. Higher: more memory; lower: an attacker is forgotten sooner.
The least recent are forgotten first."""

TABLE_GUESSES = 20
"""Wrong guesses at one PIN, of all IP addresses together, that block it for FIRST_BLOCK_S for all but owners. Each
further one blocks it for twice as long; the count never falls. Higher: an attacker tries more PINs. Lower: guests who
mistype block it sooner."""
FIRST_BLOCK_S = 600.0
"""Length of the PIN's first block in seconds, doubled by each further wrong guess. Higher: fewer guesses fit in a year.
With 600 s, at most 43 guesses fit in 100 years."""


def new_pin() -> str:
    """Return a random PIN of six digits from the system's source of randomness."""
    return f"{secrets.randbelow(1_000_000):06d}"


@dataclass(frozen=True, slots=True)
class WrongGuesses:
    """Wrong guesses of one IP address: their `count`, and the time of the last one, in seconds of a monotonic clock."""

    count: int = 0
    last_s: float = float("-inf")

    @property
    def pause_s(self) -> float:
        """Seconds that must pass after the last guess: 0 for up to 4 guesses, 60 for 5, then doubled up to 3600."""
        return 0.0 if self.count < FREE_GUESSES else min(FIRST_PAUSE_S << self.count - FREE_GUESSES, MAX_PAUSE_S)


@dataclass(slots=True)
class Guesses:
    """Rate limit of wrong guesses for each IP address: ten in the first hour, then one an hour. Not thread-safe.

    `clock` is a monotonic clock, in seconds.
    """

    clock: Callable[[], float]
    _wrong: dict[str, WrongGuesses] = field(default_factory=dict, init=False)

    def wait_s(self, address: str) -> float:
        """Return the seconds until an IP address may guess again; 0 if it may now."""
        wrong = self._wrong.get(address, WrongGuesses())
        return max(0.0, wrong.last_s + wrong.pause_s - self.clock())

    def count_wrong(self, address: str) -> None:
        """Record a wrong guess that came from an IP address just now.

        Forgets addresses whose last wrong guess is at least FORGET_AFTER_S old, and the oldest beyond MAX_ADDRESSES.
        """
        now_s = self.clock()
        wrong = self._wrong.pop(address, WrongGuesses())  # put back at the end: the first is the oldest
        self._wrong[address] = WrongGuesses(wrong.count + 1, now_s)
        for each in tuple(self._wrong):
            if len(self._wrong) <= MAX_ADDRESSES and self._wrong[each].last_s > now_s - FORGET_AFTER_S:
                break
            del self._wrong[each]


@dataclass(slots=True)
class Budget:
    """Limit of wrong guesses at one PIN by all IP addresses together: past it the PIN is blocked. Not thread-safe.

    `clock` is a monotonic clock, in seconds. `count` of wrong guesses never falls: a new PIN needs a new budget.
    """

    clock: Callable[[], float]
    count: int = field(default=0, init=False)
    _blocked_until_s: float = field(default=float("-inf"), init=False)

    def blocked_s(self) -> float:
        """Return the seconds until the PIN's block ends; 0 if it is not blocked."""
        return max(0.0, self._blocked_until_s - self.clock())

    def count_wrong(self) -> None:
        """Count a wrong guess at the table's PIN, from any IP address, and block the PIN if there are too many.

        Wrong guess number `TABLE_GUESSES` blocks it for `FIRST_BLOCK_S`; each later one blocks it twice as long as the
        one before.
        """
        self.count += 1
        if self.count >= TABLE_GUESSES:
            self._blocked_until_s = self.clock() + FIRST_BLOCK_S * 2.0 ** (self.count - TABLE_GUESSES)
