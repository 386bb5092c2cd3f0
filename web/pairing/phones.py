"""Pairing: a phone gets a token by the PIN, the owner's code, the table's button, or the owner.

A table without an owner has an owner's code, which is shown only at the table itself. The phone that sends this code
becomes the owner. The PIN makes players. On a table that started without an owner, the first phone with the PIN becomes
the owner.
"""

from __future__ import annotations

import itertools
import logging
import math
import secrets
import threading
import time
from collections.abc import Callable

import msgspec

from companion.errors import DeviceError
from web.guard import TOKEN_DAYS
from web.pairing.guesses import Budget, Guesses, new_pin
from web.pairing.join_queue import Code, JoinQueue, JoinRequest
from web.pairing.refused import FULL, HOSTED, OLD_CODE, WRONG_PIN, Refused
from web.pairing.roles import Role
from web.pairing.tokens import DAMAGED, FileTokens, Paired, Seat, sha256

log = logging.getLogger(__name__)

NAME_LENGTH = 24
"""Most characters of a phone's or seat's name; the API refuses more. A seat's name becomes a player's, and games allow
24. Higher: long names fill the owner's list, and a seat with one can't play."""
DAY_S = 86_400.0
"""Length of a day, in seconds."""
MAX_PHONES = 64
"""Most paired phones and screens. One more removes the player or screen unseen for longest; if all are owners, it is
refused. Higher: the owner's list gets longer; lower: guests who were removed must pair again."""
MAX_SEAT_SILENCE_S = 3 * 3600.0
"""Seconds without a request until a phone's seat is free. Longer: left seats stay taken; shorter: a break loses one."""


class Pairing:
    """The paired phones, their roles, tokens and seats, and the requests to join. Thread-safe.

    Args:
        pin: The PIN, six digits.
        store: The file of paired phones.
        clock: A monotonic clock, in seconds.
        show: Shows a join code on the board for a number of seconds; an empty code clears it.
        wall: The wall clock, in seconds since 1970.

    Attributes:
        starters: Numbers of the paired phones that started games since the program's start, by number of the game.
    """

    def __init__(
        self,
        pin: str,
        store: FileTokens,
        clock: Callable[[], float],
        show: Callable[[Code, float], None] = lambda _code, _for_s: None,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.pin, self.store, self.clock, self.wall = pin, store, clock, wall
        self.starters: dict[int, int] = {}
        self._queue, self._guesses, self._budget = JoinQueue(clock, show), Guesses(clock), Budget(clock)
        self._lock = threading.RLock()
        self._owner_code = ""
        known = store.load()
        self._damaged = known is None
        self._unsaved = ""  # why the present list is not on the disk
        lately_s = wall() - DAY_S - MAX_SEAT_SILENCE_S  # what is stored may be a day older than the last use
        self._seen_s = {
            each.token_sha256: clock() if each.used_s > lately_s else clock() - wall() + each.used_s
            for each in known or ()
        }
        self._phones = {phone.token_sha256: phone for phone in known or () if not self._expired(phone)}
        self._numbers = itertools.count(1 + max((phone.id for phone in self._phones.values()), default=0))
        self._unclaimed = not self.hosted()

    def hosted(self) -> bool:
        """Return whether the table has an owner whose token has not expired."""
        return any(phone.role is Role.OWNER and not self._expired(phone) for phone in self._phones.values())

    def owner_code(self) -> str | None:
        """Return the code that makes a phone the owner; None if an owner's token is valid, or the file is damaged."""
        with self._lock:
            if self.hosted() or self._damaged:
                return None
            self._owner_code = self._owner_code or secrets.token_hex(16)
            return self._owner_code

    def pair_owner(self, code: str, name: str, address: str, token: str | None = None) -> str | Refused:
        """Pair a phone as the owner by the owner's code; return its new token, or the refusal.

        The refusal is `HOSTED` if the table has an owner, `OLD_CODE` if the code is wrong or the phones' file damaged,
        `FULL` if owners long away hold all places. If others hold some, the player or screen away longest is unpaired.
        `address` is the phone's IP address. The new token replaces `token`, its earlier one.
        """
        with self._lock:
            if self.hosted():
                return HOSTED
            right = self.owner_code()
            if right is None or not secrets.compare_digest(code.encode(), right.encode()):
                return OLD_CODE
            return self._new_token(name, address, Role.OWNER, token)

    def pair(
        self, pin: str, name: str, address: str, token: str | None = None, *, screen: bool = False
    ) -> str | Refused:
        """Pair a phone by the PIN, and return its new token (128 bits, hexadecimal) or the refusal.

        Refused are a wrong PIN, any PIN after too many wrong ones, and a new phone while owners hold all places. An
        owner stays owner. Another phone becomes a screen if it asks to, else the owner if there has been none since the
        program's start, else a player. If all places are taken, the player or screen away longest is unpaired.

        Args:
            pin: The PIN as typed.
            name: The name that the phone gives itself.
            address: The phone's IP address. Wrong PINs, except an owner's, are limited per address and in total.
            token: The phone's earlier token, which the new one replaces; None without.
            screen: Whether the phone pairs as a screen.
        """
        with self._lock:
            known = self.phone(token)
            owner = known is not None and known.role is Role.OWNER
            wait_s = 0.0 if owner else max(self._guesses.wait_s(address), self._budget.blocked_s())
            if wait_s > 0:
                log.warning("too many PINs: refused %s for %.0f s", address, wait_s)
                return Refused("Too many wrong PINs. Wait, or pair with the table's button.", "too_many_pins", wait_s)
            if not secrets.compare_digest(pin.encode(), self.pin.encode()):
                log.warning("wrong PIN from %s", address)
                if not owner:
                    self._guesses.count_wrong(address)
                    self._budget.count_wrong()
                return WRONG_PIN
            role = Role.SCREEN if screen else Role.OWNER if self._unclaimed and not self.hosted() else Role.PLAYER
            return self._new_token(name, address, role, token)

    def check_pin(self, pin: str, address: str) -> Refused | None:
        """Check the PIN that the owner types again to confirm a change; return the refusal, or None if it is right.

        A wrong PIN counts against the IP `address` only. After too many, any PIN from there is refused for a while.
        """
        with self._lock:
            wait_s = self._guesses.wait_s(address)
            if wait_s > 0:
                return Refused("Too many wrong PINs. Wait a little, then type it again.", "too_many_pins", wait_s)
            if not secrets.compare_digest(pin.strip().encode(), self.pin.encode()):
                self._guesses.count_wrong(address)
                return WRONG_PIN
        return None

    def renew_pin(self) -> None:
        """Replace the PIN by a new random one, and forget all wrong PINs: guesses at the old one are worthless."""
        with self._lock:
            self.pin, self._guesses, self._budget = new_pin(), Guesses(self.clock), Budget(self.clock)
        log.info("the owner made a new PIN")

    def pin_blocked_s(self) -> float:
        """Return the seconds until a PIN is accepted again after too many wrong ones; 0 if it is not blocked."""
        return self._budget.blocked_s()

    def health(self) -> tuple[bool, str]:
        """Return whether pairing is healthy, and a sentence: the fault and its cure, or whether there is an owner.

        Faults are a blocked PIN, a damaged file, or a failed save, which is tried again if nothing else is wrong.
        """
        rest_min = math.ceil(self.pin_blocked_s() / 60)
        if rest_min > 0:
            wrong = f"{self._budget.count} wrong PINs: someone may be guessing. The PIN rests for {rest_min} min."
            return False, f"{wrong} The button and the host's phone still let phones in; the host can make a new PIN."
        if self._damaged:
            return False, DAMAGED
        with self._lock:
            if self._unsaved:
                self._save()
        if self._unsaved:
            return False, self._unsaved
        return True, "someone is hosting" if self.hosted() else "no host yet: `pegpip join` shows the host's code"

    def ask(
        self, name: str, address: str, token: str | None = None, *, screen: bool = False
    ) -> tuple[str, Code] | Refused:
        """Queue a phone's request to join, replacing any with the same token; meanwhile a paired phone keeps its role.

        A refused request replaces none. If too many others from the address wait, the oldest of them is dropped, too.

        Args:
            name: The name that the phone gives itself.
            address: The phone's IP address.
            token: The phone's token; None without.
            screen: Whether it asks for the role of a screen.

        Returns:
            Its token, new if it was not paired, and the join code for it to show; or the refusal: a full queue, too
                many expired requests from the address, or a new phone while owners hold all places.
        """
        with self._lock:
            known = self.phone(token)
            if known is None and sum(phone.role is Role.OWNER for phone in self._phones.values()) >= MAX_PHONES:
                return FULL
            own = token if known and token else secrets.token_hex(16)
            before = known.token_sha256 if known else None
            request = JoinRequest(0, sha256(own), (), name, address, screen, before)
            asked = self._queue.add(request, instead_of=sha256(token or ""))
        if isinstance(asked, float):
            words = "Too many phones are asking, or this one too often. Wait, or enter the PIN."
            return Refused(words, "too_many_asking", asked)
        log.info("a phone at %s asks to be let in", address)
        return own, asked.code

    def let_in(self) -> bool:
        """Pair the phone whose join code is shown, after a press of the button; return whether it was paired.

        False if no request waits, the code was shown for less than `MIN_SHOWN_S`, or the phone is new and owners hold
        all places. An owner stays owner. Another phone becomes a screen if it asked to, else the owner if there is none
        and the phones' file is intact; else a player. In a full list the player or screen away longest is unpaired.
        """
        with self._lock:
            owner = not self.hosted() and not self._damaged
            return self._pair_request(self._queue.shown(), Role.OWNER if owner else Role.PLAYER)

    def let_in_request(self, number: int) -> bool:
        """Pair the phone whose request has this number, as a player or screen; return whether it was paired."""
        with self._lock:
            return any(self._pair_request(each, Role.PLAYER) for each in self.join_requests() if each.id == number)

    def join_requests(self) -> tuple[JoinRequest, ...]:
        """Return the requests to join in the order of the queue; the first one's code is shown."""
        with self._lock:
            return self._queue.drop_expired()

    def shown(self) -> Code | None:
        """Return the join code that the screen and the board show, the first request's; None if the queue is empty."""
        return next((each.code for each in self.join_requests()), None)

    def code_of(self, token: str | None) -> Code | None:
        """Return the join code of the request made with this token; None if no such request is in the queue."""
        return next((each.code for each in self.join_requests() if token and each.token_sha256 == sha256(token)), None)

    def phone(self, token: str | None) -> Paired | None:
        """Return the paired phone with this token, and note its use; None if the token is unknown or expired.

        A phone whose token has expired is unpaired. The use is saved at most once a day.
        """
        key = sha256(token) if token else ""
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
                self._put(found)
            return found

    def knows(self, token: str | None) -> bool:
        """Return whether this token belongs to a paired phone and has not expired. The use is not recorded."""
        found = self._phones.get(sha256(token)) if token else None
        return found is not None and not self._expired(found)

    def phones(self) -> tuple[Paired, ...]:
        """Return all paired phones and screens, by number."""
        return tuple(sorted(self._phones.values(), key=lambda phone: phone.id))

    def seats(self) -> tuple[Paired, ...]:
        """Return the phones that hold a seat, in `phones` order; no screens, and none silent for MAX_SEAT_SILENCE_S.

        A restart counts as seeing a phone whose stored last use is at most a day plus MAX_SEAT_SILENCE_S old.
        """
        since_s = self.clock() - MAX_SEAT_SILENCE_S
        seated = (phone for phone in self.phones() if phone.seat and phone.role is not Role.SCREEN)
        return tuple(phone for phone in seated if self._last_seen_s(phone) > since_s)

    def sit(self, number: int, seat: Seat | None) -> bool:
        """Give the phone with this number a seat in the next game, or take its seat away if `seat` is None; save it.

        Returns False and changes nothing if there is no such phone, or another one in `seats` has the seat's name or
        colour. A phone outside `seats`, such as a screen or one silent too long, loses a seat with that name or colour.
        """
        with self._lock:
            alike = [phone for phone in self.phones() if phone.id != number and seat and seat.is_like(phone.seat)]
            found = self._numbered(number)
            if found is None or set(alike) & set(self.seats()):
                return False
            given = [msgspec.structs.replace(each, seat=None) for each in alike]
            self._put(msgspec.structs.replace(found, seat=seat), *given)
        return True

    def unpair(self, number: int) -> bool:
        """Unpair the phone with this number; False if there is none. If no owner is left, `owner_code` gives a code."""
        with self._lock:
            if self._numbered(number) is None:
                return False
            self._keep({key: phone for key, phone in self._phones.items() if phone.id != number})
        log.info("phone %d is no longer paired", number)
        return True

    def give_role(self, number: int, role: Role) -> bool:
        """Save a phone's new role; False if no phone has this number. Without owners, `owner_code` gives a code."""
        with self._lock:
            if (found := self._numbered(number)) is None:
                return False
            self._put(msgspec.structs.replace(found, role=role))
        log.info("phone %d is now %s", number, role)
        return True

    def _numbered(self, number: int) -> Paired | None:
        """Return the paired phone with this number; None if there is none."""
        return next((phone for phone in self._phones.values() if phone.id == number), None)

    def _put(self, *changed: Paired) -> None:
        """Replace paired phones by their changed ones, and save them."""
        self._keep(self._phones | {phone.token_sha256: phone for phone in changed})

    def _new_token(self, name: str, address: str, role: Role, before: str | None) -> str | Refused:
        """Pair a phone and return its new token; `FULL` if owners hold all places.

        The new token replaces `before`, the phone's earlier one or None, whose request to join is withdrawn. An owner
        stays owner, whatever `role` is. If all places are taken, the player or screen away longest is unpaired.
        """
        fresh = secrets.token_hex(16)
        known = self.phone(before)
        paired = self._add(sha256(fresh), name, address, role, known.token_sha256 if known else None)
        if paired and before:  # the phone drops that token: nobody would hold what the button gave it
            self._queue.withdraw(sha256(before))
        return fresh if paired else FULL

    def _pair_request(self, request: JoinRequest | None, role: Role) -> bool:
        """Pair the phone of a request, in `role` or as the screen it asked for. False without a request or a place."""
        if request is None:
            return False
        given = Role.SCREEN if request.screen else role
        return self._add(request.token_sha256, request.name, request.address, given, request.replaces)

    def _add(self, token_sha256: str, name: str, address: str, role: Role, replaces: str | None) -> bool:
        """Add a phone to the paired ones, and save them. False if all `MAX_PHONES` places are taken by owners.

        If all are taken, the player or screen that was away longest is removed. A phone that pairs again keeps its
        number, an owner its role, and a seat is kept unless the phone becomes a screen. Its join request is withdrawn.

        Args:
            token_sha256: SHA-256 of the phone's token.
            name: The name that the phone gives itself; cut to `NAME_LENGTH`.
            address: The phone's IP address, for the log.
            role: The role that it gets.
            replaces: SHA-256 of its earlier token, which is valid no more; None for a phone that was not paired.
        """
        others = dict(self._phones)
        before = others.pop(replaces, None) if replaces else None
        if len(others) >= MAX_PHONES:
            away = [key for key, phone in others.items() if phone.role is not Role.OWNER]
            if not away:
                return False
            del others[min(away, key=lambda key: (self._last_seen_s(others[key]), others[key].used_s))]
        if before is not None and before.role is Role.OWNER:
            role = Role.OWNER  # pairing again takes no role away
        number = before.id if before else next(self._numbers)  # none is given twice: `starters` names it
        seat = before.seat if before and role is not Role.SCREEN else None
        paired = Paired(number, name[:NAME_LENGTH], token_sha256, role, self.wall(), seat)
        self._seen_s[token_sha256] = self.clock()
        self._keep({**others, token_sha256: paired})
        self._queue.withdraw(token_sha256)
        log.info("paired %s %d (%r) at %s", role, number, name, address)
        return True

    def _keep(self, phones: dict[str, Paired]) -> None:
        """Replace the paired phones by `phones`, keyed by the SHA-256 of their tokens, and save them.

        With an owner among them, the owner code is void and the PIN makes no owner. Without one, nothing is saved while
        the file on the disk is damaged, so that it stays as it is. A failed save is not raised: `health` reports it.
        """
        self._phones = phones
        self._seen_s = {key: seen_s for key, seen_s in self._seen_s.items() if key in phones}
        if self.hosted():
            self._damaged, self._unclaimed, self._owner_code = False, False, ""
        if not self._damaged:
            self._save()

    def _save(self) -> None:
        """Save the paired phones. A failure is not raised: `health` reports it, and the first in a row is logged."""
        try:
            self.store.save(tuple(self._phones.values()))
            self._unsaved = ""
        except DeviceError as refused:
            if not self._unsaved:
                log.warning("%s", refused)
            self._unsaved = str(refused)

    def _expired(self, phone: Paired) -> bool:
        """Return whether a phone was last seen more than `TOKEN_DAYS` ago. A jump of the wall clock changes nothing."""
        return self.clock() - self._last_seen_s(phone) > TOKEN_DAYS * DAY_S

    def _last_seen_s(self, phone: Paired) -> float:
        """Return when a phone was last seen, in seconds of the monotonic clock; long ago for one unpaired just now."""
        return self._seen_s.get(phone.token_sha256, float("-inf"))
