"""Phones that ask to be let in by the table's button or by the owner, one shown at a time.

A code of three dice tells the phones apart: the phone, the screen and the board show the same. A code is no secret.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from web.pairing.guesses import Guesses

ASKING_S = 60.0
"""How long a phone's code is shown for the button."""
SEEN_S = 2.0
"""A press of the button counts only for a code shown this long: an earlier press may be meant for the phone before."""
MOST_ASKING = 6
CODE_DICE = 3

Code = tuple[int, ...]
"""Three dice, 1 to 6."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A phone that asks to be let in.

    Attributes:
        id: Number of the request.
        token_sha256: Hash of the token that it was given; the token is worth nothing until the phone is let in.
        code: The dice that it shows.
        name: What it calls itself.
        address: Where it is.
        screen: Whether it asks as a screen.
        replaces: Hash of the token that the phone used before, where it was paired.
        until_s: When its turn to be shown ends, by the queue's clock; None while others are before it.
    """

    id: int
    token_sha256: str
    code: Code
    name: str
    address: str
    screen: bool = False
    replaces: str | None = None
    until_s: float | None = None


@dataclass(slots=True)
class JoinQueue:
    """The phones that ask, in order. Not thread-safe.

    Args:
        clock: Seconds that only grow.
        show: Puts a code on the board for so many seconds; an empty code takes it off.
    """

    clock: Callable[[], float]
    show: Callable[[Code, float], None]
    _queue: tuple[Asking, ...] = field(default=(), init=False)
    _in_vain: Guesses = field(init=False)
    _last_id: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._in_vain = Guesses(self.clock)

    def current(self) -> tuple[Asking, ...]:
        """The phones that ask now, the shown one first. A phone whose minute has passed goes, and its address waits."""
        now_s = self.clock()
        while self._queue and (self._queue[0].until_s or now_s) < now_s:
            self._in_vain.missed(self._queue[0].address)
            self._replace(self._queue[1:])
        return self._queue

    def add(self, asking: Asking) -> Asking | float:
        """Queue a phone, in place of an earlier request from its address; its `id` and `code` are chosen here.

        Returns: The request as queued, or the seconds to wait where the queue is full or the address asks too often.
        """
        self._replace(tuple(each for each in self.current() if each.address != asking.address))
        wait_s = self._in_vain.wait_s(asking.address)
        if wait_s > 0 or len(self._queue) >= MOST_ASKING:
            return wait_s or ASKING_S
        self._last_id += 1
        code = new_code()
        while code in {each.code for each in self._queue}:
            code = new_code()
        self._replace((*self._queue, replace(asking, id=self._last_id, code=code)))
        return self._queue[-1]

    def take_shown(self) -> Asking | None:
        """Take out the phone that is shown, when its code has been seen long enough."""
        shown = next(iter(self.current()), None)
        if shown is None or (shown.until_s or 0.0) - self.clock() > ASKING_S - SEEN_S:
            return None
        return self.take(shown.id)

    def take(self, number: int) -> Asking | None:
        """Take out the request of that number; None when there is none."""
        found = next((each for each in self.current() if each.id == number), None)
        if found is not None:
            self._replace(tuple(each for each in self._queue if each is not found))
        return found

    def _replace(self, queue: tuple[Asking, ...]) -> None:
        """Make this the queue; its first phone is shown for a minute from the moment it becomes the first."""
        before = self._queue[:1]
        if queue and queue[0].until_s is None:
            queue = (replace(queue[0], until_s=self.clock() + ASKING_S), *queue[1:])
        self._queue = queue
        if queue[:1] != before:
            self.show(queue[0].code if queue else (), ASKING_S)


def new_code() -> Code:
    """Three dice from the system's source of randomness."""
    return tuple(1 + secrets.randbelow(6) for _ in range(CODE_DICE))
