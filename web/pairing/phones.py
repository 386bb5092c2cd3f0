"""Pairing: a phone gets a token by the PIN, the owner's code, the table's button, or the owner.

A table without an owner has an owner's code, which is shown only at the table itself. The phone that sends this code
becomes the owner. The PIN makes players. On a table that started without an owner, the first phone with the PIN becomes
the owner.
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
from web.pairing.tokens import FileTokens, Paired, Seat

log = logging.getLogger(__name__)

NAME_LENGTH = 24
"""Most characters of a phone's name; the rest is cut."""
DAY_S = 86_400.0
"""Length of a day, in seconds."""
MOST_PHONES = 64
"""Most paired phones and screens. One more replaces the player or screen that was away longest."""
SEAT_S = 3 * 3600.0
"""Time in seconds that a phone may be silent before its seat is free: longer than a game, shorter than a day."""
DAMAGED = "The list of paired phones is damaged. Enter the PIN from the terminal: the first phone becomes the owner."
"""What the page says while the file of paired phones can't be read."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused pairing: the reason in `words` and as `code`, and the seconds to wait before the next try."""

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
        store: The file of paired phones.
        clock: A monotonic clock, in seconds.
        show: Shows a code on the board for a number of seconds; an empty code takes it off.
        wall: The wall clock, in seconds since 1970.
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
    _owner_code: str = field(default="", init=False)
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
        self._renew_owner_code()

    def hosted(self) -> bool:
        """Return whether the table has an owner."""
        return any(phone.role is Role.OWNER for phone in self._phones.values())

    def owner_code(self) -> str | None:
        """Return the code that makes a phone the owner; None if there is an owner, or the list of phones is damaged.

        With a damaged list only the PIN makes an owner.
        """
        return self._owner_code or None

    def pair_owner(self, code: str, name: str, address: str, token: str | None = None) -> str | Refused:
        """Make the phone that sends the owner's code the owner, and return its new token; refuse a wrong code.

        Args:
            code: The owner's code.
            name: The phone's name for itself.
            address: The phone's IP address.
            token: The phone's earlier token, which the new one replaces.
        """
        with self._lock:
            if not self._owner_code or not secrets.compare_digest(code.encode(), self._owner_code.encode()):
                return HOSTED
            return self._new_token(name, address, Role.OWNER, token)

    def pair(
        self, pin: str, name: str, address: str, token: str | None = None, *, screen: bool = False
    ) -> str | Refused:
        """Pair a phone by PIN, and return its new token (128 bits, hexadecimal) or the refusal.

        Args:
            pin: The PIN as typed.
            name: The phone's name for itself.
            address: The phone's IP address. Wrong guesses are limited for it, and for the whole table.
            token: The phone's earlier token, which the new one replaces. The owner's phone has no limit on guesses.
            screen: Whether the phone pairs as a screen.
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
        """Check a PIN that a paired phone types again to confirm; return the refusal, or None if it is right.

        A wrong PIN counts as a guess of the IP `address`, and too many make it wait.
        """
        with self._lock:
            wait_s = self._guesses.wait_s(address)
            if wait_s > 0:
                return Refused("Too many wrong PINs. Wait a little, then type it again.", wait_s)
            if not secrets.compare_digest(pin.strip().encode(), self.pin.encode()):
                self._guesses.missed(address)
                return WRONG_PIN
        return None

    def renew_pin(self) -> None:
        """Replace the PIN by a new one and clear the table's count of wrong guesses."""
        with self._lock:
            self.pin, self._budget = new_pin(), Budget(self.clock)
        log.info("the owner made a new PIN")

    def pin_rests_s(self) -> float:
        """Return for how many seconds no PIN is accepted, after too many wrong ones; 0 if it is accepted now."""
        return self._budget.rest_s()

    def health(self) -> tuple[bool, str]:
        """Return whether phones can pair by the PIN, and a sentence for the page: why not, or who hosts."""
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
        """Queue a phone to be let in by the button or the owner.

        Args:
            name: The phone's name for itself.
            address: The phone's IP address.
            token: The phone's earlier token, which the new one replaces.
            screen: Whether it asks for the role of a screen.

        Returns:
            A token that has no role until the phone is let in, and the code for the phone to show; or the refusal.
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
        """Let in the phone whose code is shown: the table's button was pressed. False if no code is shown.

        The phone becomes the owner if there is none, unless the list of phones is damaged.
        """
        with self._lock:
            owner = not self.hosted() and not self._damaged
            return self._let_in_asking(self._queue.take_shown(), Role.OWNER if owner else Role.PLAYER)

    def let_in_asking(self, number: int) -> bool:
        """Let in the phone with that request's number, as the owner decided; False if there is no such request."""
        with self._lock:
            return self._let_in_asking(self._queue.take(number), Role.PLAYER)

    def asking(self) -> tuple[Asking, ...]:
        """Return the phones that ask to be let in; the first one's code is shown."""
        with self._lock:
            return self._queue.current()

    def shown(self) -> Code | None:
        """Return the code that the screen and the board show: the first phone's in the queue; None if it is empty."""
        return next((each.code for each in self.asking()), None)

    def code_of(self, token: str | None) -> Code | None:
        """Return the code of the phone with this token while it waits to be let in; None if it does not wait."""
        return next((each.code for each in self.asking() if token and each.token_sha256 == _sha256(token)), None)

    def phone(self, token: str | None) -> Paired | None:
        """Return the phone with this token and record that it was used now; None for an unknown or expired token.

        An expired token is forgotten.
        """
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
        """Return whether this token belongs to a paired phone. The time of use is not recorded."""
        found = self._phones.get(_sha256(token)) if token else None
        return found is not None and not self._expired(found)

    def phones(self) -> tuple[Paired, ...]:
        """Return all paired phones and screens, by number."""
        return tuple(sorted(self._phones.values(), key=lambda phone: phone.id))

    def seats(self) -> tuple[Paired, ...]:
        """Return the phones that are seated for the next game and were seen in the last `SEAT_S`, by number."""
        now_s = self.clock()
        return tuple(
            phone
            for phone in self.phones()
            if phone.seat
            and phone.role is not Role.SCREEN
            and now_s - self._seen_s.get(phone.token_sha256, float("-inf")) < SEAT_S
        )

    def sit(self, number: int, seat: Seat | None) -> bool:
        """Seat the phone with that number in the next game, or with None let it stand up.

        Returns: False if another phone has that name or that colour, or there is no such phone.
        """
        with self._lock:
            others = [phone.seat for phone in self.seats() if phone.id != number and phone.seat]
            taken = seat is not None and any(
                other.colour == seat.colour or other.name.casefold() == seat.name.casefold() for other in others
            )
            found = next((key for key, phone in self._phones.items() if phone.id == number), None)
            if taken or found is None:
                return False
            self._keep({**self._phones, found: msgspec.structs.replace(self._phones[found], seat=seat)})
        return True

    def take_away(self, number: int) -> bool:
        """Forget the phone with that number, so that its token has no role; False if there is none."""
        with self._lock:
            kept = {key: phone for key, phone in self._phones.items() if phone.id != number}
            gone = len(kept) < len(self._phones)
            self._keep(kept)
        if gone:
            log.info("phone %d is no longer paired", number)
        return gone

    def give_role(self, number: int, role: Role) -> bool:
        """Make the phone with that number owner, player or screen; False if there is none."""
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
        """Pair a phone and return its new token, which replaces `before`; refuse if all places are taken by owners."""
        fresh = secrets.token_hex(16)
        known = self.phone(before)
        paired = self._add(_sha256(fresh), name, address, role, known.token_sha256 if known else None)
        return fresh if paired else FULL

    def _let_in_asking(self, asking: Asking | None, role: Role) -> bool:
        """Pair the phone that made a request, a screen as a screen; False if there is no request or no place."""
        if asking is None:
            return False
        given = Role.SCREEN if asking.screen else role
        return self._add(asking.token_sha256, asking.name, asking.address, given, asking.replaces)

    def _add(self, token_sha256: str, name: str, address: str, role: Role, replaces: str | None) -> bool:
        """Pair a phone, and save the list. False if all places are taken by owners.

        If there are `MOST_PHONES`, the player or screen that was away longest is dropped. An owner that pairs again
        stays the owner.

        Args:
            token_sha256: Hash of the phone's token.
            name: The phone's name for itself; cut to `NAME_LENGTH`.
            address: The phone's IP address, for the log.
            role: The role that it gets.
            replaces: Hash of its earlier token, which loses its role; None for a phone that was not paired.
        """
        others = dict(self._phones)
        before = others.pop(replaces, None) if replaces else None
        if len(others) >= MOST_PHONES:
            away = [key for key, phone in others.items() if phone.role is not Role.OWNER]
            if not away:
                return False
            del others[min(away, key=lambda key: (self._seen_s.get(key, float("-inf")), others[key].used_s))]
        if before is not None and before.role is Role.OWNER:
            role = Role.OWNER  # pairing again takes no role away
        number = before.id if before else 1 + max((phone.id for phone in others.values()), default=0)
        seat = before.seat if before and role is not Role.SCREEN else None
        paired = Paired(number, name[:NAME_LENGTH], token_sha256, role, self.wall(), seat)
        self._seen_s[token_sha256] = self.clock()
        self._keep({**others, token_sha256: paired})
        log.info("paired %s %d (%r) at %s", role, number, name, address)
        return True

    def _keep(self, phones: dict[str, Paired]) -> None:
        """Replace the list of paired phones, by hash of the token, and save it.

        A damaged file is overwritten only once there is an owner again.
        """
        self._phones = phones
        self._seen_s = {key: seen_s for key, seen_s in self._seen_s.items() if key in phones}
        if self.hosted():
            self._damaged = self._unclaimed = False
        if not self._damaged:
            self.store.save(tuple(phones.values()))
        self._renew_owner_code()

    def _renew_owner_code(self) -> None:
        if self.hosted() or self._damaged:
            self._owner_code = ""
        elif not self._owner_code:
            self._owner_code = secrets.token_hex(16)

    def _expired(self, phone: Paired) -> bool:
        """Return whether a phone's token was unused for `TOKEN_DAYS` by both the wall clock and the monotonic clock.

        The wall clock alone may jump. A token that was not used since the start counts as unused by the monotonic one.
        """
        unused_s = min(self.wall() - phone.used_s, self.clock() - self._seen_s.get(phone.token_sha256, float("-inf")))
        return unused_s > TOKEN_DAYS * DAY_S


def new_pin() -> str:
    """Draw six digits from the system's source of randomness."""
    return f"{secrets.randbelow(1_000_000):06d}"


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
