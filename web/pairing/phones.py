"""Which phones are paired, and as what: a PIN, the owner's code, the button or the owner gives a token.

A table without an owner has an owner's code. The code is shown only where people stand at the table; the phone that
brings it becomes the owner. The PIN makes players, and the first owner of a table that started without one.
"""

from __future__ import annotations

import hashlib
import logging
import math
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from web.guard import TOKEN_DAYS
from web.pairing.guesses import Budget, Guesses
from web.pairing.join_queue import Asking, Code, JoinQueue
from web.pairing.roles import Role
from web.pairing.tokens import FileTokens, Paired

log = logging.getLogger(__name__)

NAME_LENGTH = 24
DAY_S = 86_400.0
MOST_PHONES = 64
"""Most paired phones and screens. One more takes the place of the player or screen that was away longest."""
DAMAGED = "The list of paired phones is damaged. Enter the PIN from the terminal: the first phone becomes the owner."


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a phone was not paired, and how long it must wait before the next try, in seconds (0: not at all)."""

    words: str
    wait_s: float = 0.0
    code: str = "wrong_pin"


WRONG_PIN = Refused("That's not the PIN. The terminal shows it; or pair with the table's button.")
HOSTED = Refused("Someone is already hosting, or that code is an old one. Enter the PIN instead.", code="hosted")
FULL = Refused("Too many phones are paired. Ask the host to remove one.", code="full")


@dataclass(slots=True)
class Pairing:
    """Gives tokens to phones and takes them away. Thread-safe.

    Args:
        pin: Six digits.
        store: Where paired phones are remembered.
        clock: Seconds that only grow.
        show: Puts a code on the board for so many seconds; an empty code takes it off.
        wall: Seconds since 1970.
    """

    pin: str
    store: FileTokens
    clock: Callable[[], float]
    show: Callable[[Code, float], None] = lambda _code, _for_s: None
    wall: Callable[[], float] = time.time
    started_by: int | None = field(default=None, init=False)
    """Number of the phone that started the game on the table; None after a restart."""
    _phones: dict[str, Paired] = field(default_factory=dict, init=False)
    _seen_s: dict[str, float] = field(default_factory=dict, init=False)
    _queue: JoinQueue = field(init=False)
    _guesses: Guesses = field(init=False)
    _budget: Budget = field(init=False)
    _first: str = field(default="", init=False)
    _damaged: bool = field(default=False, init=False)
    _unclaimed: bool = field(default=False, init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False)

    def __post_init__(self) -> None:
        self._queue = JoinQueue(self.clock, self.show)
        self._guesses, self._budget = Guesses(self.clock), Budget(self.clock)
        known = self.store.load()
        self._damaged = known is None
        self._phones = {phone.token_sha256: phone for phone in known or () if not self._expired(phone)}
        self._unclaimed = not self.hosted()
        self._renew_first()

    def hosted(self) -> bool:
        """Whether the table has an owner."""
        return any(phone.role is Role.OWNER for phone in self._phones.values())

    def first(self) -> str | None:
        """The owner's code; None where there is an owner, or where a damaged list of phones leaves only the PIN."""
        return self._first or None

    def let_first(self, code: str, name: str, address: str, token: str | None = None) -> str | Refused:
        """A new owner's token for the phone that brings the owner's code; `token` is the one it used before."""
        with self._lock:
            if not self._first or not secrets.compare_digest(code.encode(), self._first.encode()):
                return HOSTED
            return self._new_token(name, address, Role.OWNER, token)

    def pair(
        self, pin: str, name: str, address: str, token: str | None = None, *, screen: bool = False
    ) -> str | Refused:
        """A new token (128 bits, hexadecimal) for the right PIN.

        Args:
            pin: What was typed.
            name: What the phone calls itself.
            address: Where it is; wrong guesses are counted there, and for the whole table.
            token: The one that the phone used before; the new one replaces it. Guesses never hold up the owner's.
            screen: Whether it pairs as a screen.
        """
        with self._lock:
            known = self.phone(token)
            owner = known is not None and known.role is Role.OWNER
            wait_s = 0.0 if owner else max(self._guesses.wait_s(address), self._budget.rest_s())
            if wait_s > 0:
                log.warning("too many PINs: refused %s for %.0f s", address, wait_s)
                return Refused("Too many wrong PINs. Wait a little, or pair with the table's button.", wait_s)
            if not secrets.compare_digest(pin.encode(), self.pin.encode()):
                log.warning("wrong PIN from %s", address)
                if not owner:
                    self._guesses.missed(address)
                    self._budget.missed()
                return WRONG_PIN
            role = Role.SCREEN if screen else Role.OWNER if self._unclaimed and not self.hosted() else Role.PLAYER
            return self._new_token(name, address, role, token)

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

    def renew_pin(self) -> None:
        """Make a new PIN, which may be tried at once. The old one no longer counts."""
        with self._lock:
            self.pin, self._budget = new_pin(), Budget(self.clock)
        log.info("the owner made a new PIN")

    def pin_rests_s(self) -> float:
        """Seconds for which no PIN is accepted, after too many wrong ones; 0 when it is accepted now."""
        return self._budget.rest_s()

    def health(self) -> tuple[bool, str]:
        """Whether pairing works as it should, and a sentence for the page."""
        rest_s = self.pin_rests_s()
        if rest_s > 0:
            wrong = f"{self._budget.count} wrong PINs: someone may be guessing."
            rests = f"The PIN rests for {math.ceil(rest_s / 60)} min."
            return (
                False,
                f"{wrong} {rests} The button and the host's phone still let phones in; the host can make a new PIN.",
            )
        if self._damaged:
            return False, DAMAGED
        return True, "someone is hosting" if self.hosted() else "no host yet: `pegpip join` shows the host's code"

    def ask(
        self, name: str, address: str, token: str | None = None, *, screen: bool = False
    ) -> tuple[str, Code] | Refused:
        """Ask to be let in by the button or the owner.

        Returns: A token that is worth nothing until then, and the code that the phone is to show.
        """
        fresh = secrets.token_hex(16)
        with self._lock:
            known = self.phone(token)
            before = known.token_sha256 if known else None
            asked = self._queue.add(Asking(0, _sha256(fresh), (), name, address, screen, before))
        if isinstance(asked, float):
            return Refused("Too many phones are asking, or this one too often. Wait, or enter the PIN.", asked)
        log.info("a phone at %s asks to be let in", address)
        return fresh, asked.code

    def let_in(self) -> bool:
        """Let in the phone whose code is shown, for the table's button was pressed; False when there is none.

        It becomes the owner where there is none, unless the list of phones is damaged.
        """
        with self._lock:
            owner = not self.hosted() and not self._damaged
            return self._let_in_asking(self._queue.take_shown(), Role.OWNER if owner else Role.PLAYER)

    def let_in_asking(self, number: int) -> bool:
        """Let in the phone with the request of that number, for the owner said so; False when there is none."""
        with self._lock:
            return self._let_in_asking(self._queue.take(number), Role.PLAYER)

    def asking(self) -> tuple[Asking, ...]:
        """The phones that ask to be let in, the one that is shown first."""
        with self._lock:
            return self._queue.current()

    def shown(self) -> Code | None:
        """The code that the screen and the board show now: that of the phone that asked first."""
        return next((each.code for each in self.asking()), None)

    def code_of(self, token: str | None) -> Code | None:
        """The code of the phone that was given this token and still asks."""
        return next((each.code for each in self.asking() if token and each.token_sha256 == _sha256(token)), None)

    def phone(self, token: str | None) -> Paired | None:
        """The phone that this token was given to, noted as used now; None for an unknown or expired token."""
        key = _sha256(token) if token else ""
        if key not in self._phones:
            return None
        with self._lock:
            found = self._phones.get(key)
            if found is None or self._expired(found):
                self._keep({each: phone for each, phone in self._phones.items() if each != key})
                return None
            self._seen_s[key] = self.clock()
            if self.wall() - found.used_s > DAY_S:
                found = msgspec.structs.replace(found, used_s=self.wall())
                self._keep({**self._phones, key: found})
            return found

    def knows(self, token: str | None) -> bool:
        """Whether that token is a paired phone's."""
        found = self._phones.get(_sha256(token)) if token else None
        return found is not None and not self._expired(found)

    def phones(self) -> tuple[Paired, ...]:
        """All paired phones and screens, by number."""
        return tuple(sorted(self._phones.values(), key=lambda phone: phone.id))

    def take_away(self, number: int) -> bool:
        """Forget a phone; False when there is none of that number."""
        with self._lock:
            kept = {key: phone for key, phone in self._phones.items() if phone.id != number}
            gone = len(kept) < len(self._phones)
            self._keep(kept)
        if gone:
            log.info("phone %d is no longer paired", number)
        return gone

    def give_role(self, number: int, role: Role) -> bool:
        """Make a paired phone owner, player or screen; False when there is none of that number."""
        with self._lock:
            changed = {
                key: msgspec.structs.replace(phone, role=role)
                for key, phone in self._phones.items()
                if phone.id == number
            }
            self._keep({**self._phones, **changed})
        log.info("phone %d is now %s", number, role)
        return bool(changed)

    def _new_token(self, name: str, address: str, role: Role, before: str | None) -> str | Refused:
        fresh = secrets.token_hex(16)
        known = self.phone(before)
        paired = self._add(_sha256(fresh), name, address, role, known.token_sha256 if known else None)
        return fresh if paired else FULL

    def _let_in_asking(self, asking: Asking | None, role: Role) -> bool:
        if asking is None:
            return False
        given = Role.SCREEN if asking.screen else role
        return self._add(asking.token_sha256, asking.name, asking.address, given, asking.replaces)

    def _add(self, token_sha256: str, name: str, address: str, role: Role, replaces: str | None) -> bool:
        """Remember a phone, in place of its own earlier token. False when all places are taken by owners."""
        others = dict(self._phones)
        before = others.pop(replaces, None) if replaces else None
        if len(others) >= MOST_PHONES:
            away = [key for key, phone in others.items() if phone.role is not Role.OWNER]
            if not away:
                return False
            del others[min(away, key=lambda key: (self._seen_s.get(key, float("-inf")), others[key].used_s))]
        if before is not None and before.role is Role.OWNER:
            role = Role.OWNER  # who pairs again loses nothing
        number = before.id if before else 1 + max((phone.id for phone in others.values()), default=0)
        paired = Paired(number, name[:NAME_LENGTH], token_sha256, role, self.wall())
        self._seen_s[token_sha256] = self.clock()
        self._keep({**others, token_sha256: paired})
        log.info("paired %s %d (%r) at %s", role, number, name, address)
        return True

    def _keep(self, phones: dict[str, Paired]) -> None:
        """Make these the paired phones. A damaged file is replaced only once there is an owner again."""
        self._phones = phones
        self._seen_s = {key: seen_s for key, seen_s in self._seen_s.items() if key in phones}
        if self.hosted():
            self._damaged = self._unclaimed = False
        if not self._damaged:
            self.store.save(tuple(phones.values()))
        self._renew_first()

    def _renew_first(self) -> None:
        if self.hosted() or self._damaged:
            self._first = ""
        elif not self._first:
            self._first = secrets.token_hex(16)

    def _expired(self, phone: Paired) -> bool:
        """Whether a token went unused too long. The wall clock may jump, so use since the start counts by the other."""
        unused_s = min(self.wall() - phone.used_s, self.clock() - self._seen_s.get(phone.token_sha256, float("-inf")))
        return unused_s > TOKEN_DAYS * DAY_S


def new_pin() -> str:
    """Six digits from the system's source of randomness."""
    return f"{secrets.randbelow(1_000_000):06d}"


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
