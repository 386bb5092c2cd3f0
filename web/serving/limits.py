"""How much of the server one address may take, and how long it may take over it."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


def is_loopback(address: str) -> bool:
    """Whether that is this machine's own loopback, also written as IPv4 in IPv6; False for what is no address."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    return ((ip.version == 6 and ip.ipv4_mapped) or ip).is_loopback


@dataclass(frozen=True, slots=True)
class Limits:
    """What the server allows.

    Attributes:
        streams: Event streams in all; this machine and paired phones may have `streams_spare` more.
        streams_each: Event streams of one address; a paired phone's are not counted.
        connections_each: Open connections of one address.
        requests_each: Requests of one address that are worked on at a time; its others wait their turn.
        headers_s: From a connection's first moment, or a request's first byte, to the end of the request's head.
        body_s: From there to the end of its body.
        stalled_s: How long a phone may leave what was written to it unread.
        heartbeat_s: From one keep-alive of an event stream to the next.
        is_own: Whether an address is this machine's, for which nothing is limited but the number of streams.
    """

    streams: int
    streams_spare: int = 64
    streams_each: int = 16
    connections_each: int = 64
    requests_each: int = 4
    headers_s: float = 10.0
    body_s: float = 10.0
    stalled_s: float = 20.0
    heartbeat_s: float = 2.0
    is_own: Callable[[str], bool] = is_loopback

    @property
    def connections(self) -> int:
        """Open connections of all guests: each stream has one, and pages, pictures and moves need theirs."""
        return self.streams + self.streams_spare + 512


@dataclass(slots=True)
class Taken:
    """What each address has taken of something that is shared. Not for several threads."""

    most: int
    most_each: int
    _each: Counter[str] = field(default_factory=Counter)
    _all: int = 0

    def has_room(self, address: str) -> bool:
        """Whether that address may take one more."""
        return self._all < self.most and self._each[address] < self.most_each

    def take(self, address: str) -> None:
        """One more for that address."""
        self._each[address] += 1
        self._all += 1

    def give_back(self, address: str) -> None:
        """One less."""
        self._all -= 1
        self._each[address] -= 1
        if not self._each[address]:
            del self._each[address]
