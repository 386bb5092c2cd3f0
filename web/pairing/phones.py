"""Which phones may control the table: a PIN or the table's button gives a token, kept only as its hash.

The button lets in a phone that has asked, and no other: it gets a code of three dice, the screen and the board show the
same, and whoever holds the button sees whether it is theirs. A code is no secret, and there is no open door to find.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from web.pairing.guesses import Guesses
from web.pairing.tokens import FileTokens, Paired

log = logging.getLogger(__name__)

ASKING_S = 60.0
SEEN_S = 2.0
"""A code must have been shown so long before the button counts for it: the press may have been meant for another."""
MOST_ASKING = 6
CODE_DICE = 3
NAME_LENGTH = 24

Code = tuple[int, ...]
"""Three dice, 1 to 6."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a phone was not paired, and how long it must wait before the next try (0: not at all)."""

    words: str
    wait_s: float = 0.0
    code: str = "wrong_pin"


@dataclass(frozen=True, slots=True)
class Asking:
    """A phone that asks to be let in by the button.

    Attributes:
        token_sha256: Of the token that it was given and that is worth nothing yet.
        code: What it shows.
        name: What it calls itself.
        address: Where it is.
        until_s: When it has asked long enough, by the pairing's clock; None while others are before it.
    """

    token_sha256: str
    code: Code
    name: str
    address: str
    until_s: float | None = None


WRONG_PIN = Refused("That is not the PIN. It stands on the table's screen; or let the table's button do it.")
HOSTED = Refused("The table has a host by now, or that code is an old one. Type the PIN.", code="hosted")
CROWDED = Refused("Other phones are asking. Try again in a minute, or type the PIN.", ASKING_S)


@dataclass(slots=True)
class Pairing:
    """Gives tokens to phones and takes them away. Safe to call from any thread; time comes from `clock`.

    Args:
        pin: Six figures.
        store: Where paired phones are remembered.
        clock: Seconds that only grow.
        show: Puts a code on the board for so many seconds; no dice: takes it off.
    """

    pin: str
    store: FileTokens
    clock: Callable[[], float]
    show: Callable[[Code, float], None] = lambda _code, _for_s: None
    _phones: dict[str, Paired] = field(default_factory=dict, init=False)
    _asking: tuple[Asking, ...] = field(default=(), init=False)
    _guesses: Guesses = field(init=False)
    _first: str = field(default="", init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False)

    def __post_init__(self) -> None:
        self._guesses = Guesses(self.clock)
        self._phones = {phone.token_sha256: phone for phone in self.store.load()}
        self._first = "" if self._phones else secrets.token_hex(16)

    def first(self) -> str | None:
        """The code by which the first phone of a new table gets control; None once there was one."""
        return self._first or None

    def let_first(self, code: str, name: str, address: str) -> str | Refused:
        """A new token for the first phone, which scanned that code on the screen or the terminal."""
        with self._lock:
            if not self._first or not secrets.compare_digest(code.encode(), self._first.encode()):
                return HOSTED
            fresh = secrets.token_hex(16)
            self._let_in(_sha256(fresh), name, address)
        return fresh

    def pair(self, pin: str, name: str, address: str, token: str | None = None) -> str | Refused:
        """A new token (128 bits, hexadecimal) for the right PIN.

        Args:
            pin: What the phone says it is.
            name: What it calls itself.
            address: Where it is; wrong guesses are counted there.
            token: What it got when it was paired before: with one that counts, its guesses are not counted.
        """
        with self._lock:
            known = self.knows(token)
            wait_s = 0.0 if known else self._guesses.wait_s(address)
            if wait_s > 0:
                log.warning("too many PINs: refused %s for %.0f s", address, wait_s)
                return Refused("Too many wrong PINs. Wait a little, or let the table's button do it.", wait_s)
            if not secrets.compare_digest(pin.encode(), self.pin.encode()):
                log.warning("wrong PIN from %s", address)
                if not known:
                    self._guesses.missed(address)
                return WRONG_PIN
            fresh = secrets.token_hex(16)
            self._let_in(_sha256(fresh), name, address)
        return fresh

    def wrong_pin(self, pin: str, address: str) -> Refused | None:
        """Return why a PIN that was typed again is refused, None when it is right. Wrong ones count for the address."""
        with self._lock:
            wait_s = self._guesses.wait_s(address)
            if wait_s > 0:
                return Refused("Too many wrong PINs. Wait a little, then type it again.", wait_s)
            if not secrets.compare_digest(pin.strip().encode(), self.pin.encode()):
                self._guesses.missed(address)
                return WRONG_PIN
        return None

    def ask(self, name: str, address: str) -> tuple[str, Code] | Refused:
        """A token that is worth nothing until the button is pressed, and the code that the phone is to show."""
        with self._lock:
            self._go_on(tuple(each for each in self._current() if each.address != address))
            wait_s = self._guesses.wait_s(address)
            if wait_s > 0:
                return Refused("That was asked too often. Wait a little, or type the PIN at another phone.", wait_s)
            if len(self._asking) >= MOST_ASKING:
                return CROWDED
            token, code = secrets.token_hex(16), new_code()
            while code in {each.code for each in self._asking}:
                code = new_code()
            self._go_on((*self._asking, Asking(_sha256(token), code, name, address)))
        log.info("a phone at %s asks to be let in", address)
        return token, code

    def let_in(self) -> bool:
        """The button was pressed: the phone whose code is shown may control. False when none asks."""
        with self._lock:
            shown, *others = self._current() or (None,)
            if shown is None or (shown.until_s or 0.0) - self.clock() > ASKING_S - SEEN_S:
                return False
            self._let_in(shown.token_sha256, shown.name, shown.address)
            self._go_on(tuple(others))
        return True

    def shown(self) -> Code | None:
        """The code that the screen and the board show now: of the phone that asked first."""
        with self._lock:
            asking = self._current()
        return asking[0].code if asking else None

    def code_of(self, token: str | None) -> Code | None:
        """The code of the phone that was given this token and still asks."""
        if not token:
            return None
        with self._lock:
            asking = self._current()
        return next((each.code for each in asking if each.token_sha256 == _sha256(token)), None)

    def phone(self, token: str | None) -> Paired | None:
        """The phone that this token was given to, or None."""
        return self._phones.get(_sha256(token)) if token else None

    def knows(self, token: str | None) -> bool:
        """Whether that token is a paired phone's."""
        return self.phone(token) is not None

    def phones(self) -> tuple[Paired, ...]:
        """All phones that may control, by number."""
        return tuple(sorted(self._phones.values(), key=lambda phone: phone.id))

    def take_away(self, number: int) -> bool:
        """A phone may no longer control; False when there is none of that number."""
        with self._lock:
            kept = {key: phone for key, phone in self._phones.items() if phone.id != number}
            gone = len(kept) < len(self._phones)
            self._phones = kept
            self.store.save(tuple(kept.values()))
        if gone:
            log.info("took control away from phone %d", number)
        return gone

    def _let_in(self, token_sha256: str, name: str, address: str) -> None:
        number = 1 + max((phone.id for phone in self._phones.values()), default=0)
        self._first = ""
        self._phones = {**self._phones, token_sha256: Paired(number, name[:NAME_LENGTH], token_sha256)}
        self.store.save(tuple(self._phones.values()))
        log.info("paired phone %d (%r) at %s", number, name, address)

    def _current(self) -> tuple[Asking, ...]:
        """Those who ask; who was shown for a minute has asked in vain, which counts as a wrong guess of its address."""
        now_s = self.clock()
        while self._asking and (self._asking[0].until_s or now_s) < now_s:
            self._guesses.missed(self._asking[0].address)
            self._go_on(self._asking[1:])
        return self._asking

    def _go_on(self, asking: tuple[Asking, ...]) -> None:
        """These ask now; the first of them is shown for a minute from when it becomes the first."""
        before = self._asking[:1]
        if asking and asking[0].until_s is None:
            asking = (replace(asking[0], until_s=self.clock() + ASKING_S), *asking[1:])
        self._asking = asking
        if asking[:1] != before:
            self.show(asking[0].code if asking else (), ASKING_S)


def new_pin() -> str:
    """Six figures from the system's source of randomness."""
    return f"{secrets.randbelow(1_000_000):06d}"


def new_code() -> Code:
    """Three dice from the system's source of randomness."""
    return tuple(1 + secrets.randbelow(6) for _ in range(CODE_DICE))


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
