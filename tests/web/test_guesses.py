"""Guessing the PIN: how many guesses are compared, and whom a block hits. Time is a clock that tests set."""

from __future__ import annotations

import random

import pytest

from tests.web.pub import PIN, Clock, MemoryTokens, Pub
from web.pairing.guesses import Budget
from web.pairing.phones import DAY_S, Pairing
from web.pairing.refused import Refused
from web.pairing.roles import Role

ADDRESS = "192.168.4.20"


@pytest.mark.parametrize("mean_gap_s", [0.03, 1.0, 60.0, 3600.0, DAY_S])
def test_pairing_compares_at_most_43_of_10000_pins_from_2000_addresses(pub: Pub, mean_gap_s: float) -> None:
    chance, tried = random.Random(8), 0
    for guess in range(10_000):
        pub.clock.now_s += chance.uniform(0, 2 * mean_gap_s)
        address = f"10.0.{guess % 2000 >> 8}.{guess % 2000 & 255}"
        refused = pub.pairing.pair(_another_than(pub.pairing.pin, guess), "", address)
        assert isinstance(refused, Refused)
        tried += refused.wait_s == 0
    assert 20 <= tried <= 43


def test_pair_api_answers_429_after_20_wrong_pins_from_any_addresses(pub: Pub) -> None:
    answers = [
        pub.stranger(f"10.0.0.{guess}").post("/api/pair", json={"pin": _another_than(pub.pairing.pin, guess)})
        for guess in range(100)
    ]
    codes = [(answer.status_code, answer.json["error"]) for answer in answers]
    assert codes == [(401, "wrong_pin")] * 20 + [(429, "too_many_pins")] * 80


def _another_than(pin: str, guess: int) -> str:
    return f"{(int(pin) + 1 + guess) % 1_000_000:06d}"


def test_the_pin_budget_allows_at_most_43_wrong_guesses_in_100_years() -> None:
    clock = Clock()
    budget = Budget(clock)
    while clock.now_s < 100 * 365.25 * DAY_S:
        clock.now_s += budget.blocked_s() + 0.001
        budget.count_wrong()
    assert budget.count <= 43


def test_a_pin_blocked_by_20_wrong_guesses_pairs_only_the_owners_phone(pub: Pub) -> None:
    """Others still pair by the button or the owner's consent, and by a new PIN once the owner has made one."""
    owner, player = pub.host(), pub.paired(Role.PLAYER, "Ann")
    assert owner.get("/api/phones").json["pin_rests_s"] == 0
    for at in range(20):
        pub.stranger(f"192.168.4.{at + 100}").post("/api/pair", json={"pin": "000000"})
    assert owner.get("/api/phones").json["pin_rests_s"] == 600
    well, says = pub.pairing.health()
    assert not well
    assert "20 wrong PINs" in says
    assert pub.stranger("192.168.4.67").post("/api/pair", json={"pin": PIN}).status_code == 429
    assert player.post("/api/pair", json={"pin": PIN}).status_code == 429
    assert owner.post("/api/pair", json={"pin": PIN}).status_code == 200, "the owner's phone may at any moment"
    guesser, asker = pub.stranger("192.168.4.100"), pub.stranger("192.168.4.68")
    for client in (guesser, asker):  # by the button, even from an address that guessed
        assert client.post("/api/pair/ask", json={}).status_code == 200
        pub.clock.now_s += 3
        assert pub.pairing.let_in()
        assert client.get("/api/phones").json["role"] == "player"
    guest = pub.stranger("192.168.4.69")
    guest.post("/api/pair/ask", json={})
    asks = owner.get("/api/phones").json["asking"]
    assert owner.post("/api/phones/let_in", json={"id": asks[0]["id"]}).status_code == 200
    pin = owner.post("/api/phones/pin", json={}).json["pin"]
    assert pub.stranger("192.168.4.67").post("/api/pair", json={"pin": pin}).status_code == 200
    assert pub.pairing.health()[0]


def test_a_pin_blocked_by_20_wrong_guesses_pairs_any_phone_again_after_ten_minutes(pub: Pub) -> None:
    for at in range(20):
        pub.stranger(f"192.168.4.{at + 100}").post("/api/pair", json={"pin": "000000"})
    guest, codes = pub.stranger("192.168.4.67"), []
    for pause_s in (0, 599, 1):
        pub.clock.now_s += pause_s
        codes.append(guest.post("/api/pair", json={"pin": PIN}).status_code)
    assert codes == [429, 429, 200]


def test_an_address_blocked_after_wrong_pins_pairs_at_once_with_a_new_pin(pub: Pub) -> None:
    """All phones behind one router share an address."""
    owner, guest = pub.host(), pub.stranger("192.168.4.100")
    codes = [guest.post("/api/pair", json={"pin": "000000"}).status_code for _ in range(6)]
    assert codes == [401] * 5 + [429]
    pin = owner.post("/api/phones/pin", json={}).json["pin"]
    assert guest.post("/api/pair", json={"pin": pin}).status_code == 200


def test_a_players_token_does_not_lift_the_limit_on_pin_guesses() -> None:
    pairing = Pairing(PIN, MemoryTokens(), Clock())
    assert isinstance(pairing.pair(PIN, "Ann", ADDRESS), str)
    token = pairing.pair(PIN, "Ben", ADDRESS)
    assert isinstance(token, str)
    pairing.unpair(1)
    tried = [pairing.pair(f"{guess:06d}", "", ADDRESS, token) for guess in range(100)]
    assert sum(isinstance(each, Refused) and each.wait_s == 0 for each in tried) == 5
