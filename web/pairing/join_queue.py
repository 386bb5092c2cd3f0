"""Phones that ask to be let in by the table's button or by the owner.

Each has a code of three dice, which is no secret. The phone shows its code. The screen and the board show the code of
the first phone in the queue.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from web.pairing.guesses import Guesses

ASKING_S = 60.0
"""How long a phone's code is shown for the button, in seconds. After that its request ends."""
SEEN_S = 2.0
"""Seconds that a code is shown before the button counts for it: an earlier press may be meant for another phone."""
MOST_ASKING = 6
"""Most phones in the queue; one more must wait."""
CODE_DICE = 3
"""Dice of a code: enough to tell six phones apart."""

Code = tuple[int, ...]
"""Three dice, 1 to 6."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A phone's request to be let in.

    Attributes:
        id: Number of the request.
        token_sha256: Hash of the token that the phone was given. The token has no role until the phone is let in.
        code: The dice that the phone shows.
        name: The phone's name for itself.
        address: The phone's IP address.
        screen: Whether it asks for the role of a screen.
        replaces: Hash of the phone's earlier token; None for a phone that was not paired.
        until_s: When its code is no longer shown, by the queue's clock; None while others are before it.
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
    """A queue of phones that ask to be let in. Not thread-safe.

    Args:
        clock: A monotonic clock, in seconds.
        show: Shows a code on the board for a number of seconds; an empty code takes it off.
    """

    clock: Callable[[], float]
    show: Callable[[Code, float], None]
    _queue: tuple[Asking, ...] = field(default=(), init=False)
    _in_vain: Guesses = field(init=False)
    _last_id: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._in_vain = Guesses(self.clock)

    def current(self) -> tuple[Asking, ...]:
        """Drop requests whose minute is over, and return the others; the code of the first is shown.

        A dropped request counts for its address as a wrong guess: too many, and the address must wait.
        """
        now_s = self.clock()
        while self._queue and (self._queue[0].until_s or now_s) < now_s:
            self._in_vain.missed(self._queue[0].address)
            self._replace(self._queue[1:])
        return self._queue

    def add(self, asking: Asking) -> Asking | float:
        """Queue a request. It replaces an earlier request from the same address.

        Args:
            asking: The request; its `id` and `code` are chosen here.

        Returns:
            The request as queued, or the seconds to wait if the queue is full or the address asks too often.
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
        """Remove and return the request whose code is shown; None if none has been shown for `SEEN_S` yet."""
        shown = next(iter(self.current()), None)
        if shown is None or (shown.until_s or 0.0) - self.clock() > ASKING_S - SEEN_S:
            return None
        return self.take(shown.id)

    def take(self, number: int) -> Asking | None:
        """Remove and return the request with that number; None if there is none."""
        found = next((each for each in self.current() if each.id == number), None)
        if found is not None:
            self._replace(tuple(each for each in self._queue if each is not found))
        return found

    def _replace(self, queue: tuple[Asking, ...]) -> None:
        """Set the queue. A request that becomes the first is shown on the board for a minute."""
        before = self._queue[:1]
        if queue and queue[0].until_s is None:
            queue = (replace(queue[0], until_s=self.clock() + ASKING_S), *queue[1:])
        self._queue = queue
        if queue[:1] != before:
            self.show(queue[0].code if queue else (), ASKING_S)


def new_code() -> Code:
    """Draw three dice from the system's source of randomness."""
    return tuple(1 + secrets.randbelow(6) for _ in range(CODE_DICE))
