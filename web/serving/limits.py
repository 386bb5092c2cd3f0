"""Limits on what the clients of one IP address, and all together, may take of the server, and for how long."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


def is_loopback(address: str) -> bool:
    """Return whether a text is a loopback IP address, such as 127.0.0.1, ::1 or ::ffff:127.0.0.1.

    False for a text that is no IP address.
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    return ((ip.version == 6 and ip.ipv4_mapped) or ip).is_loopback


@dataclass(frozen=True, slots=True)
class Limits:
    """The server's limits.

    Attributes:
        streams: Most event streams; this machine and paired phones may have `streams_spare` more.
        streams_spare: Event streams beyond `streams` that only this machine and paired phones may open.
        streams_each: Most event streams of one IP address; those of paired phones are not counted. Other pages poll.
        connections_each: Most open connections of one IP address, which all phones behind a router may share.
        requests_each: Most requests of one IP address that are answered at the same time; others wait.
        headers_s: Longest time for the head of a request, in seconds from the connection or its first byte.
        body_s: Longest time for the body of a request, in seconds from the end of the head.
        stalled_s: Seconds that a client may leave unread what was sent to it; then Linux closes the connection.
        heartbeat_s: Seconds between two keep-alive messages of an event stream.
        is_own: Returns whether an IP address is this machine's. Such clients have only the limit on streams.
    """

    streams: int
    streams_spare: int = 64
    streams_each: int = 64
    connections_each: int = 256
    requests_each: int = 4
    headers_s: float = 10.0
    body_s: float = 10.0
    stalled_s: float = 20.0
    heartbeat_s: float = 2.0
    is_own: Callable[[str], bool] = is_loopback

    @property
    def connections(self) -> int:
        """Most open connections of other machines: one for each event stream, and 512 for short requests."""
        return self.streams + self.streams_spare + 512


@dataclass(slots=True)
class Taken:
    """Counts the places (event streams or connections) that each IP address has taken. Not thread-safe.

    Attributes:
        most: Most places of all addresses together.
        most_each: Most places of one address.
    """

    most: int
    most_each: int
    _each: Counter[str] = field(default_factory=Counter)

    def take(self, address: str) -> bool:
        """Take a place for an IP address; False if it already has `most_each` places, or all places are taken."""
        if self._each.total() >= self.most or self._each[address] >= self.most_each:
            return False
        self._each[address] += 1
        return True

    def give_back(self, address: str) -> None:
        """Give back one place that `take` has taken for this IP address."""
        self._each[address] -= 1
        if not self._each[address]:
            del self._each[address]
