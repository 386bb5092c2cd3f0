"""The queue of requests to join: phones that the table's button or the owner lets in.

Each request has a join code of three dice, which is no secret. The phone shows its code. The screen and the board show
the code of the first request in the queue, so the person who presses the button sees which phone it lets in.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace

from web.pairing.guesses import Guesses

CODE_SHOWN_S = 60.0
"""Seconds for which the code of the first phone in the join queue is shown; then its request expires. The answer
to a phone that finds the queue full asks it to wait as long. Higher: phones behind the first wait longer. Lower: people
do not reach the button in time."""
MIN_SHOWN_S = 2.0
"""Seconds that a phone's join code must be shown before a button's long press lets that phone in. An earlier press may
be meant for the previous phone. Higher: more presses are ignored; lower: the wrong phone may get in."""
MAX_REQUESTS = 6
"""Most phones' join requests in the queue; one more is refused until there is room. Higher: the last waits longer."""
MAX_REQUESTS_EACH = 3
"""Most join requests of one IP address in the queue; one more takes the place of its oldest. Phones behind one router
may share an address. Higher: one visitor fills the queue; lower: such phones push each other out."""
CODE_DICE = 3
"""Dice of a join code. More: codes are longer to compare; fewer: too few codes to tell phones in the queue apart."""

Code = tuple[int, ...]
"""A join code: the values of `CODE_DICE` dice, 1 to 6. Empty for no code."""


@dataclass(frozen=True, slots=True)
class JoinRequest:
    """A phone's request to join.

    Attributes:
        id: Number of the request.
        token_sha256: SHA-256 of the phone's token. That of a phone that was not paired has no role until it is let in.
        code: The join code.
        name: The name that the phone gives itself.
        address: The phone's IP address.
        screen: Whether it asks for the role of a screen.
        replaces: SHA-256 of the token by which the phone is paired already; None for one that is not.
        until_s: When the request expires, by the queue's clock; None while other requests are before it.
    """

    id: int
    token_sha256: str
    code: Code
    name: str
    address: str
    screen: bool = False
    replaces: str | None = None
    until_s: float | None = None


class JoinQueue:
    """The queue of requests to join. Not thread-safe.

    Args:
        clock: A monotonic clock, in seconds.
        show: Shows a join code on the board for a number of seconds; an empty code clears it.
    """

    def __init__(self, clock: Callable[[], float], show: Callable[[Code, float], None]) -> None:
        self.clock, self.show = clock, show
        self._queue: tuple[JoinRequest, ...] = ()
        self._expired = Guesses(clock)
        self._last_id = 0

    def drop_expired(self) -> tuple[JoinRequest, ...]:
        """Drop the first request if it has expired, and return the queue that is left, in order of arrival.

        Only the first request can expire, because only its code is shown. If it is dropped, the board shows the next
        one's code. A dropped request counts as a wrong guess from its IP address. After too many, the address must wait
        before it may ask again (`Guesses`).
        """
        now_s = self.clock()
        while self._queue and (self._queue[0].until_s or now_s) < now_s:
            self._expired.count_wrong(self._queue[0].address)
            self._replace(self._queue[1:])
        return self._queue

    def add(self, request: JoinRequest, instead_of: str) -> JoinRequest | float:
        """Put a request to join at the end of the queue, or refuse it; expired requests are dropped in any case.

        An accepted request replaces the phone's earlier one. If MAX_REQUESTS_EACH others from the same address wait, it
        also replaces the oldest of them. A refused request replaces none.

        Args:
            request: The request; its `id` and `code` are ignored and chosen here.
            instead_of: SHA-256 of the token of the phone's earlier request, which may be in the queue.

        Returns:
            The request as queued, or the seconds to wait if the queue is full or too many requests of the address
                expired.
        """
        others = [each for each in self.drop_expired() if each.token_sha256 != instead_of]
        alike = [each for each in others if each.address == request.address]
        if len(alike) >= MAX_REQUESTS_EACH:
            others.remove(alike[0])
        wait_s = self._expired.wait_s(request.address)
        if wait_s > 0 or len(others) >= MAX_REQUESTS:
            return wait_s or CODE_SHOWN_S
        self._last_id += 1
        code = new_code()
        while code in {each.code for each in others}:
            code = new_code()
        self._replace((*others, replace(request, id=self._last_id, code=code)))
        return self._queue[-1]

    def shown(self) -> JoinRequest | None:
        """Return the request to join whose code is shown, for a press of the table's button.

        Expired requests are dropped first and count as wrong guesses; the board then shows the next request's code.
        Returns None if the queue is empty, or if the code has been shown for less than `MIN_SHOWN_S`.
        """
        shown = next(iter(self.drop_expired()), None)
        if shown is None or (shown.until_s or 0.0) - self.clock() > CODE_SHOWN_S - MIN_SHOWN_S:
            return None
        return shown

    def withdraw(self, token_sha256: str) -> None:
        """Remove the request whose token has this SHA-256, if it is in the queue."""
        self._replace(tuple(each for each in self.drop_expired() if each.token_sha256 != token_sha256))

    def _replace(self, queue: tuple[JoinRequest, ...]) -> None:
        """Set the queue of join requests to `queue`. If another request is first now, show its code on the LED board.

        A request that becomes first expires `CODE_SHOWN_S` from now. When the queue becomes empty, the code on the
        board is cleared.
        """
        before = self._queue[:1]
        if queue and queue[0].until_s is None:
            queue = (replace(queue[0], until_s=self.clock() + CODE_SHOWN_S), *queue[1:])
        self._queue = queue
        if queue[:1] != before:
            self.show(queue[0].code if queue else (), CODE_SHOWN_S)


def new_code() -> Code:
    """Return a random join code from the system's source of randomness."""
    return tuple(1 + secrets.randbelow(6) for _ in range(CODE_DICE))
