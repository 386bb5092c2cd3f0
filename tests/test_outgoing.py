"""Requests that the table sends: nothing goes over the internet in the clear, and pauses spread the tables out."""

from __future__ import annotations

import pytest

from companion.errors import DeviceError
from companion.outgoing import LONGEST_PAUSE_S, check_address, pause_s


def test_pauses_between_retries_are_random_and_at_most_the_longest() -> None:
    assert all(pause_s(failures) <= LONGEST_PAUSE_S for failures in range(1, 60))
    assert len({pause_s(20) for _ in range(20)}) > 10


@pytest.mark.parametrize(
    "good", ["https://league.example", "http://192.168.1.4:8080", "http://localhost:1", "http://pi.local"]
)
def test_an_address_of_the_local_network_needs_no_tls(good: str) -> None:
    check_address("[league] server", good)


@pytest.mark.parametrize(
    "bad", ["http://league.example", "ftp://x", "league.example", "https://", "file:///etc/passwd"]
)
def test_nothing_is_sent_over_the_internet_in_the_clear(bad: str) -> None:
    with pytest.raises(DeviceError, match=r"\[league\] server .* is no address"):
        check_address("[league] server", bad)
