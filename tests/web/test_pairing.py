"""Pairing: who becomes the owner, and how tokens end. Time is a clock that tests set."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path
from typing import Any

import pytest

from tests.web.pub import PIN, Clock, MemoryTokens
from web.guard import TOKEN_DAYS
from web.pairing.join_queue import MIN_SHOWN_S
from web.pairing.phones import DAY_S, MAX_PHONES, Pairing
from web.pairing.refused import FULL, Refused
from web.pairing.roles import Role
from web.pairing.tokens import FileTokens

ADDRESS = "192.168.4.20"


def roles(pairing: Pairing) -> list[str]:
    return [phone.role for phone in pairing.phones()]


def paired(pairing: Pairing, address: str = ADDRESS, token: str | None = None, **more: Any) -> str:
    fresh = pairing.pair(pairing.pin, "Ann", address, token, **more)
    assert isinstance(fresh, str)
    return fresh


def test_pairing_by_pin_makes_the_first_phone_owner_and_the_second_player() -> None:
    pairing = Pairing(PIN, MemoryTokens(), Clock())
    paired(pairing)
    paired(pairing, "192.168.4.21")
    assert roles(pairing) == ["owner", "player"]
    assert pairing.owner_code() is None


def test_a_screen_paired_by_the_pin_does_not_become_the_owner() -> None:
    pairing = Pairing(PIN, MemoryTokens(), Clock())
    paired(pairing, screen=True)
    assert pairing.owner_code() is not None
    paired(pairing, "192.168.4.21")
    assert roles(pairing) == ["screen", "owner"]


def test_once_every_phone_is_unpaired_only_the_owner_code_makes_a_phone_the_owner() -> None:
    pairing = Pairing(PIN, MemoryTokens(), Clock())
    paired(pairing)
    before = pairing.owner_code()
    assert pairing.unpair(1)
    assert before is None
    assert pairing.owner_code() is not None
    paired(pairing, "192.168.4.21")
    assert roles(pairing) == ["player"]
    code = pairing.owner_code()
    assert code is not None
    assert isinstance(pairing.pair_owner(code, "Ben", "192.168.4.22"), str)
    assert roles(pairing) == ["player", "owner"]


def test_pairing_button_admits_the_first_phone_as_owner_and_the_second_as_player() -> None:
    """A screen that asks to join becomes a screen."""
    clock = Clock()
    pairing = Pairing(PIN, MemoryTokens(), clock)
    for address in ("192.168.4.20", "192.168.4.21"):
        pairing.ask("", address)
        clock.now_s += 3
        assert pairing.let_in()
    pairing.ask("TV", "192.168.4.22", screen=True)
    clock.now_s += 3
    assert pairing.let_in()
    assert roles(pairing) == ["owner", "player", "screen"]


def test_pairing_by_pin_withdraws_the_same_phones_open_request_to_join() -> None:
    """The button would pair its discarded token: nobody would hold the role, here the owner's."""
    clock = Clock()
    pairing = Pairing(PIN, MemoryTokens(), clock)
    paired(pairing)
    pairing.unpair(1)
    asked = pairing.ask("Ann", ADDRESS)
    assert isinstance(asked, tuple)
    clock.now_s += 3
    token = paired(pairing, token=asked[0])
    assert pairing.shown() is None
    assert not pairing.let_in()
    assert [pairing.phone(token)] == list(pairing.phones())


def test_a_second_join_request_from_the_same_address_does_not_withdraw_the_first() -> None:
    """Phones behind one router share an address. A second request from it must not withdraw the first."""
    pairing = Pairing(PIN, MemoryTokens(), Clock())
    for name in ("Ann", "Ben"):
        pairing.ask(name, ADDRESS)
    assert [each.name for each in pairing.join_requests()] == ["Ann", "Ben"]


def test_a_phone_that_asks_to_join_twice_is_in_the_queue_once() -> None:
    pairing = Pairing(PIN, MemoryTokens(), Clock())
    first = pairing.ask("Ann", ADDRESS)
    assert isinstance(first, tuple)
    again = pairing.ask("Ann", ADDRESS, first[0])
    assert isinstance(again, tuple)
    assert [each.code for each in pairing.join_requests()] == [again[1]]


def test_a_phone_whose_second_join_request_is_refused_keeps_its_first_request() -> None:
    """Five requests of phones behind one router have expired, so the next from there is refused."""
    clock = Clock()
    pairing = Pairing(PIN, MemoryTokens(), clock)
    for _ in range(4):
        pairing.ask("Passer-by", ADDRESS)
        clock.now_s += 61
        assert pairing.shown() is None
    pairing.ask("Passer-by", ADDRESS)
    first = pairing.ask("Ann", ADDRESS)
    assert isinstance(first, tuple)
    clock.now_s += 61
    assert pairing.shown() == first[1]
    assert isinstance(pairing.ask("Ann", ADDRESS, first[0]), Refused)
    assert pairing.code_of(first[0]) == first[1] == pairing.shown()


def test_only_the_three_newest_requests_to_join_from_one_address_stay_in_the_queue() -> None:
    pairing = Pairing(PIN, MemoryTokens(), Clock())
    for name in "abcde":
        pairing.ask(name, ADDRESS)
    assert [each.name for each in pairing.join_requests()] == ["c", "d", "e"]


def test_a_paired_phone_keeps_its_role_while_its_new_join_request_is_pending() -> None:
    """Its request may expire: an owner without its token could be replaced only by deleting the file."""
    clock = Clock()
    pairing = Pairing(PIN, MemoryTokens(), clock)
    for screen, role in ((False, Role.OWNER), (True, Role.SCREEN)):
        before = paired(pairing, screen=screen)
        asked = pairing.ask("Ann", ADDRESS, before)
        assert isinstance(asked, tuple)
        known = pairing.phone(asked[0])
        assert known is not None
        assert known.role is role
        clock.now_s += 3
        assert pairing.let_in()
        known = pairing.phone(asked[0])
        assert known is not None
        assert known.role is (Role.OWNER if role is Role.OWNER else Role.PLAYER)
    assert roles(pairing) == ["owner", "player"]


def test_the_number_of_a_phone_that_unpaired_is_not_given_again() -> None:
    pairing = Pairing(PIN, MemoryTokens(), Clock())
    paired(pairing)
    paired(pairing, "192.168.4.21")
    assert pairing.unpair(2)
    paired(pairing, "192.168.4.22")
    assert [phone.id for phone in pairing.phones()] == [1, 3]


@pytest.mark.parametrize("bit", random.Random(5).sample(range(8 * 200), 40))
def test_after_a_flipped_bit_in_paired_json_a_phone_becomes_owner_only_by_pin(tmp_path: Path, bit: int) -> None:
    file = tmp_path / "paired.json"
    paired(Pairing(PIN, FileTokens(file), Clock()))
    body = bytearray(file.read_bytes())
    assert len(body) > 200
    body[bit // 8] ^= 1 << bit % 8
    file.write_bytes(bytes(body))
    clock = Clock()
    pairing = Pairing("314159", FileTokens(file), clock)
    assert (pairing.owner_code(), pairing.phones()) == (None, ())
    assert not pairing.health()[0]
    assert "PIN" in pairing.health()[1]
    pairing.ask("", "192.168.4.66")
    clock.now_s += 3
    assert pairing.let_in()
    assert roles(pairing) == ["player"], "a press of the button can't make an owner here"
    assert Pairing("314159", FileTokens(file), Clock()).owner_code() is None, "it stays so after a restart"
    paired(pairing)
    assert roles(pairing) == ["player", "owner"]
    assert pairing.health() == (True, "someone is hosting")
    assert Pairing("314159", FileTokens(file), Clock()).hosted()


def test_with_an_unreadable_paired_phones_file_only_the_pin_makes_an_owner(tmp_path: Path) -> None:
    (tmp_path / "paired.json").mkdir()
    clock = Clock()
    pairing = Pairing(PIN, FileTokens(tmp_path / "paired.json"), clock)
    assert pairing.owner_code() is None
    assert not pairing.health()[0]
    pairing.ask("", "192.168.4.66")
    clock.now_s += 3
    assert pairing.let_in()
    assert roles(pairing) == ["player"]
    paired(pairing)
    assert roles(pairing) == ["player", "owner"]
    well, words = pairing.health()
    assert not well
    assert "can't be saved" in words
    (tmp_path / "paired.json").rmdir()
    assert pairing.health()[0]


def test_a_phone_removal_unsaved_on_a_full_disk_fails_the_health_check_and_is_saved_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A restart would pair a removed phone again."""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    store = FileTokens(tmp_path / "paired.json")
    pairing = Pairing(PIN, store, Clock())
    paired(pairing)
    paired(pairing, "192.168.4.21")
    monkeypatch.setattr("web.pairing.tokens.write_file", full)
    assert pairing.unpair(2)
    well, words = pairing.health()
    assert not well
    assert os.strerror(errno.ENOSPC) in words
    assert roles(Pairing(PIN, store, Clock())) == ["owner", "player"]
    monkeypatch.undo()
    assert pairing.health() == (True, "someone is hosting")
    assert roles(Pairing(PIN, store, Clock())) == ["owner"]


def test_a_pairing_token_expires_only_after_a_set_number_of_days_without_use(tmp_path: Path) -> None:
    clock, wall, store = Clock(), Clock(), FileTokens(tmp_path / "paired.json")
    pairing = Pairing(PIN, store, clock, wall=wall)
    used, unused = paired(pairing), paired(pairing, "192.168.4.21")
    for _ in range(3):
        clock.now_s += TOKEN_DAYS / 2 * DAY_S
        wall.now_s += TOKEN_DAYS / 2 * DAY_S
        assert pairing.phone(used) is not None
    assert pairing.phone(unused) is None
    assert [phone.id for phone in pairing.phones()] == [1]
    wall.now_s += (TOKEN_DAYS - 1) * DAY_S
    assert Pairing(PIN, store, Clock(), wall=wall).knows(used)
    wall.now_s += 2 * DAY_S
    assert not Pairing(PIN, store, Clock(), wall=wall).knows(used)


@pytest.mark.parametrize("by_code", [True, False])
def test_a_table_accepts_a_new_owner_after_its_owners_token_expired(tmp_path: Path, by_code: bool) -> None:
    clock, wall = Clock(), Clock()
    pairing = Pairing(PIN, FileTokens(tmp_path / "paired.json"), clock, wall=wall)
    paired(pairing)
    assert pairing.owner_code() is None
    for each in (clock, wall):
        each.now_s += (TOKEN_DAYS + 1) * DAY_S
    assert not pairing.hosted()
    if by_code:
        assert isinstance(pairing.pair_owner(pairing.owner_code() or "", "Ben", "192.168.4.21"), str)
    else:
        pairing.ask("Ben", "192.168.4.21")
        clock.now_s += 3
        assert pairing.let_in()
    assert pairing.hosted()
    assert pairing.owner_code() is None


def test_pairing_token_survives_a_wall_clock_jump_of_three_years(tmp_path: Path) -> None:
    clock, wall = Clock(), Clock()
    pairing = Pairing(PIN, FileTokens(tmp_path / "paired.json"), clock, wall=wall)
    token = paired(pairing)
    wall.now_s += 3 * 365 * DAY_S
    clock.now_s += 60
    assert pairing.phone(token) is not None
    assert Pairing(PIN, FileTokens(tmp_path / "paired.json"), Clock(), wall=wall).knows(token)


def test_a_clock_corrected_by_years_after_the_start_unpairs_no_phone(tmp_path: Path) -> None:
    """A Pi without a network starts where its clock stopped; months later the network sets it right."""
    wall, store = Clock(), FileTokens(tmp_path / "paired.json")
    host, other = (paired(Pairing(PIN, store, Clock(), wall=wall), address) for address in (ADDRESS, "192.168.4.21"))
    wall.now_s += DAY_S / 2
    pairing = Pairing(PIN, store, Clock(), wall=wall)
    wall.now_s += 3 * 365 * DAY_S
    assert pairing.phone(host) is not None
    assert pairing.knows(other)
    assert Pairing(PIN, store, Clock(), wall=wall).knows(host)


def test_a_phone_that_pairs_again_replaces_its_own_token() -> None:
    pairing = Pairing(PIN, MemoryTokens(), Clock())
    tokens = [paired(pairing)]
    for _ in range(100):
        tokens.append(paired(pairing, token=tokens[-1]))
    assert [pairing.knows(token) for token in tokens] == [False] * 100 + [True]
    assert [(phone.id, phone.role) for phone in pairing.phones()] == [(1, Role.OWNER)]


def test_pairing_keeps_64_phones_including_the_owner_and_a_phone_in_use() -> None:
    clock = Clock()
    pairing = Pairing(PIN, MemoryTokens(), clock)
    owner, kept = paired(pairing), paired(pairing)
    for _ in range(200):
        clock.now_s += 1
        assert pairing.phone(kept) is not None
        paired(pairing)
    assert len(pairing.phones()) == MAX_PHONES
    assert pairing.knows(owner)
    assert pairing.knows(kept), "it was used all the time"


def test_a_new_phones_join_request_is_refused_if_owner_phones_fill_the_phone_limit() -> None:
    """Without an answer it would show its dice, and the press of the button would let nobody in."""
    pairing = Pairing(PIN, MemoryTokens(), Clock())
    for number in range(1, MAX_PHONES + 1):
        owner = paired(pairing)
        pairing.give_role(number, Role.OWNER)
    assert pairing.ask("Ben", "192.168.4.21") == FULL
    assert pairing.shown() is None
    assert isinstance(pairing.ask("Ann", ADDRESS, owner), tuple), "it has a place"


def test_a_waiting_phone_keeps_its_place_when_owners_take_all_places_before_it_is_let_in() -> None:
    clock = Clock()
    pairing = Pairing(PIN, MemoryTokens(), clock)
    asked = pairing.ask("Ben", "192.168.4.21")
    assert isinstance(asked, tuple)
    token, code = asked
    for number in range(1, MAX_PHONES + 1):
        paired(pairing)
        pairing.give_role(number, Role.OWNER)
    clock.now_s += MIN_SHOWN_S
    (request,) = pairing.join_requests()
    assert not pairing.let_in()
    assert not pairing.let_in_request(request.id)
    assert pairing.code_of(token) == code
    assert pairing.unpair(MAX_PHONES)
    assert pairing.let_in()
    assert pairing.knows(token)
    assert pairing.shown() is None
