"""Ports and addresses, with real sockets on this machine only."""

from __future__ import annotations

import pytest

from companion.adapters.addresses import listening_socket, page_address, wifi_code
from companion.errors import SetupError


def test_a_taken_port_falls_back_to_the_next_free_one() -> None:
    with listening_socket("127.0.0.1", 0) as first:
        taken = first.getsockname()[1]
        with listening_socket("127.0.0.1", taken) as second:
            assert taken < second.getsockname()[1] <= taken + 20


def test_an_address_that_is_not_ours_is_told_with_the_next_step() -> None:
    with pytest.raises(SetupError, match="--host"):
        listening_socket("192.0.2.7", 8000)


def test_the_page_address_names_the_host_that_was_asked_for() -> None:
    assert page_address("127.0.0.1", 8000) == "http://127.0.0.1:8000/"
    assert page_address("::1", 8000) == "http://[::1]:8000/"


def test_a_server_on_every_address_prints_one_that_phones_can_reach() -> None:
    assert "0.0.0.0" not in page_address("0.0.0.0", 8000)


@pytest.mark.parametrize(
    ("network", "password", "code"),
    [
        ("Plough Dice", "six of one", "WIFI:T:WPA;S:Plough Dice;P:six of one;;"),
        ("Garden", "", "WIFI:T:nopass;S:Garden;;"),
        ('a;b:"c"', "p\\,w", 'WIFI:T:WPA;S:a\\;b\\:\\"c\\";P:p\\\\\\,w;;'),
        ("", "unused", None),
    ],
)
def test_a_wifi_becomes_the_text_that_phones_join_by(network: str, password: str, code: str | None) -> None:
    assert wifi_code(network, password) == code
