"""Guesses at the PIN: each address has a few, then waits longer after each; nobody waits for another's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

FREE = 5
FIRST_PAUSE_S = 60.0
LONGEST_PAUSE_S = 3600.0
FORGOTTEN_S = 4 * LONGEST_PAUSE_S
ADDRESSES_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Wrong:
    """What an address has guessed wrong: how often, and when last."""

    count: int = 0
    last_s: float = float("-inf")

    @property
    def pause_s(self) -> float:
        """How long it must wait after the last: a minute after the fifth, twice as long after each that follows."""
        return 0.0 if self.count < FREE else min(FIRST_PAUSE_S * 2.0 ** (self.count - FREE), LONGEST_PAUSE_S)


@dataclass(slots=True)
class Guesses:
    """Counts wrong guesses an address: ten in its first hour, then one an hour. Not for several threads at once."""

    clock: Callable[[], float]
    _wrong: dict[str, Wrong] = field(default_factory=dict, init=False)

    def wait_s(self, address: str) -> float:
        """How long that address must wait before it may guess; 0: not at all."""
        wrong = self._wrong.get(address, Wrong())
        return max(0.0, wrong.last_s + wrong.pause_s - self.clock())

    def missed(self, address: str) -> None:
        """That address has guessed wrong."""
        now_s = self.clock()
        wrong = self._wrong.pop(address, Wrong())  # the newest is kept last
        self._wrong[address] = Wrong(wrong.count + 1, now_s)
        for each in tuple(self._wrong):
            if len(self._wrong) <= ADDRESSES_KEPT and self._wrong[each].last_s > now_s - FORGOTTEN_S:
                break
            del self._wrong[each]
