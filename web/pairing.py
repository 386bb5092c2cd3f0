"""Which phones may control the table: a PIN or the table's button gives a token, kept only as its hash.

A guesser is slowed by address and in all; the table's button opens pairing without a PIN for half a minute.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

log = logging.getLogger(__name__)

OPEN_S = 30.0
TRIES_EACH, TRIES_EACH_S = 5, 60.0
TRIES_ALL, TRIES_ALL_S = 30, 600.0


class Paired(msgspec.Struct, frozen=True):
    """A phone that may control: its number, the name it gave, and the SHA-256 of its token in hexadecimal."""

    id: int
    name: str
    token_sha256: str


class TokenStore(Protocol):
    """Where paired phones are remembered over a restart."""

    def load(self) -> tuple[Paired, ...]:
        """All of them."""

    def save(self, phones: tuple[Paired, ...]) -> None:
        """Keep exactly these."""


@dataclass(slots=True)
class MemoryTokens:
    """Paired phones kept in memory only: gone with the program."""

    phones: tuple[Paired, ...] = ()

    def load(self) -> tuple[Paired, ...]:
        """All of them."""
        return self.phones

    def save(self, phones: tuple[Paired, ...]) -> None:
        """Keep exactly these."""
        self.phones = phones


@dataclass(frozen=True, slots=True)
class FileTokens:
    """Paired phones in a JSON file, readable by its owner only, replaced whole."""

    path: Path

    def load(self) -> tuple[Paired, ...]:
        """All of them; none when there is no file yet or it is spoilt (phones then pair again)."""
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=tuple[Paired, ...])
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.MsgspecError) as spoilt:
            log.warning("paired phones can't be read (%s): they must pair again", spoilt)
            return ()

    def save(self, phones: tuple[Paired, ...]) -> None:
        """Keep exactly these. A full disk is logged: the phones then pair again after a restart."""
        fresh = self.path.with_suffix(".new")
        try:
            fresh.touch(mode=0o600)
            fresh.write_bytes(msgspec.json.encode(phones))
            fresh.replace(self.path)
        except OSError as full:
            log.warning("paired phones can't be kept (%s): they must pair again after a restart", full)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a phone was not paired, and how long it must wait before the next try (0: not at all)."""

    words: str
    wait_s: float = 0.0


WRONG_PIN = Refused("That is not the PIN. It stands on the table's screen; or press the table's button.")


@dataclass(slots=True)
class Pairing:
    """Gives tokens to phones and takes them away. Safe to call from any thread; time comes from `clock`."""

    pin: str
    store: TokenStore
    clock: Callable[[], float]
    _phones: dict[str, Paired] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _open_until_s: float = field(default=float("-inf"), init=False)
    _wrong: deque[tuple[float, str]] = field(default_factory=deque, init=False)

    def __post_init__(self) -> None:
        self._phones = {phone.token_sha256: phone for phone in self.store.load()}

    def open(self) -> None:
        """Let the next phone pair without a PIN within 30 s: the table's button was pressed."""
        with self._lock:
            self._open_until_s = self.clock() + OPEN_S

    def opened(self) -> bool:
        """Whether a phone may pair without a PIN now."""
        return self.clock() < self._open_until_s

    def pair(self, pin: str, name: str, address: str) -> str | Refused:
        """A new token (128 bits, hexadecimal) for the right PIN, or for any while pairing is open."""
        with self._lock:
            refused = self._refused(pin, address)
            if refused is not None:
                return refused
            token = secrets.token_hex(16)
            number = 1 + max((phone.id for phone in self._phones.values()), default=0)
            phone = Paired(number, name[:24], _sha256(token))
            self._phones = {**self._phones, phone.token_sha256: phone}
            self.store.save(tuple(self._phones.values()))
        log.info("paired phone %d (%r) at %s", number, name, address)
        return token

    def _refused(self, pin: str, address: str) -> Refused | None:
        now_s = self.clock()
        if now_s < self._open_until_s:
            self._open_until_s = float("-inf")
            return None
        while self._wrong and self._wrong[0][0] <= now_s - TRIES_ALL_S:
            self._wrong.popleft()
        wait_s = self._wait_s(now_s, address)
        if wait_s > 0:
            log.warning("too many PINs: refused %s for %.0f s", address, wait_s)
            return Refused("Too many wrong PINs. Wait a little, or press the table's button.", wait_s)
        if secrets.compare_digest(pin.encode(), self.pin.encode()):
            return None
        self._wrong.append((now_s, address))
        log.warning("wrong PIN from %s", address)
        return WRONG_PIN

    def _wait_s(self, now_s: float, address: str) -> float:
        mine = [at_s for at_s, whose in self._wrong if whose == address and at_s > now_s - TRIES_EACH_S]
        wait_s = 0.0
        if len(mine) >= TRIES_EACH:
            wait_s = mine[0] + TRIES_EACH_S - now_s
        if len(self._wrong) >= TRIES_ALL:
            wait_s = max(wait_s, self._wrong[0][0] + TRIES_ALL_S - now_s)
        return wait_s

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


def new_pin() -> str:
    """Six figures from the system's source of randomness."""
    return f"{secrets.randbelow(1_000_000):06d}"


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
