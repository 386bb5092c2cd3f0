"""Sitting down with a phone: a name and a peg for the next game, a buzz on the own turn, and no way in for anybody."""

from __future__ import annotations

from typing import Any

import pytest

from companion.table.commands import StartGame
from tests.waiting import RETRIES, until
from tests.web.phones import live, newest, phone
from tests.web.pub import HEADER, PIN, Clock, MemoryTokens, Pub, play
from web.pairing.phones import DAY_S, MAX_SEAT_SILENCE_S, Pairing
from web.pairing.roles import Role
from web.pairing.tokens import Seat

THROW = {"throw": [5, 5, 5, 2, 1, 4, 6]}
BUZZED = "window.buzzed = []; navigator.vibrate = (pattern) => { window.buzzed.push(pattern); return true; };"


def sit(client: Any, name: str, colour: int) -> int:
    """Ask for a seat in the next game; return the answer's status."""
    return int(client.post("/api/seats", json={"name": name, "colour": colour}).status_code)


def names(pub: Pub) -> list[str]:
    """Return the names on the seats of the next game, as a guest gets them."""
    return [seat["name"] for seat in pub.stranger().get("/api/seats").json["seats"]]


def test_the_seats_api_lets_only_phones_paired_as_players_join_the_next_game(pub: Pub) -> None:
    assert sit(pub.stranger(), "Mallory", 1) == 401
    assert sit(pub.paired(Role.SCREEN), "Screen", 1) == 403
    asking = pub.stranger("192.168.4.33")
    assert asking.post("/api/pair/ask", json={"name": "Ann"}).status_code == 200
    assert sit(asking, "Ann", 1) == 401
    assert names(pub) == []
    pub.host()
    (request,) = pub.pairing.join_requests()
    assert pub.pairing.let_in_request(request.id)
    assert sit(asking, "Ann", 1) == 200
    assert names(pub) == ["Ann"]
    assert asking.get("/api/phones").json["role"] == "player"


def test_seats_api_refuses_a_name_or_peg_colour_that_another_phone_took(pub: Pub) -> None:
    ann, ben = pub.paired(Role.PLAYER, "Ann"), pub.paired(Role.PLAYER, "Ben", "192.168.4.11")
    assert sit(ann, "Ann", 3) == 200
    assert sit(ben, "ann", 4) == 409
    assert sit(ben, "Ben", 3) == 409
    assert sit(ben, "Ben", 4) == 200
    assert sit(ann, "Anna", 5) == 200, "a phone may change its own seat"
    assert ann.post("/api/seats/leave", json={}).status_code == 200
    assert names(pub) == ["Ben"]


@pytest.mark.parametrize("name", ["", "   ", "\u202eAnn", "\x07"])
def test_seats_api_refuses_a_player_name_that_is_empty_or_has_invisible_characters(pub: Pub, name: str) -> None:
    assert sit(pub.paired(Role.PLAYER), name, 1) in (400, 422)
    assert names(pub) == []


def test_seats_api_hides_the_player_of_a_phone_that_sent_no_request_for_hours(pub: Pub) -> None:
    """The seat survives pairing again, returns with the phone's next request, and is not given to a screen."""
    phone = pub.paired(Role.PLAYER, "Ann")
    assert sit(phone, "Ann", 2) == 200
    assert phone.post("/api/pair", json={"pin": PIN, "name": "Ann"}).status_code == 200
    assert names(pub) == ["Ann"]
    pub.clock.now_s += MAX_SEAT_SILENCE_S + 1
    assert names(pub) == []
    phone.get("/api/phones")
    assert names(pub) == ["Ann"], "it is back"
    (paired,) = pub.pairing.phones()
    pub.pairing.give_role(paired.id, Role.SCREEN)
    assert names(pub) == []


def test_a_phone_silent_for_hours_loses_its_seat_if_another_takes_its_peg(pub: Pub) -> None:
    """The silent phone has no seat when it comes back: two players of one name or peg could not begin a game."""
    ann, ben = pub.paired(Role.PLAYER, "Ann"), pub.paired(Role.PLAYER, "Ben", "192.168.4.11")
    assert sit(ann, "Ann", 2) == 200
    pub.clock.now_s += MAX_SEAT_SILENCE_S + 1
    assert sit(ben, "Ben", 2) == 200
    ann.get("/api/phones")
    assert names(pub) == ["Ben"]
    assert sit(ann, "Ann", 2) == 409


def test_after_a_restart_a_phone_seen_in_the_day_before_keeps_its_player_for_three_hours_of_silence() -> None:
    """The time of the last request is stored only to a day; a week later nobody shall find the last evening's seats."""
    store, wall = MemoryTokens(), Clock()
    token = Pairing(PIN, store, Clock(), wall=wall).pair(PIN, "Ann", "192.168.4.10")
    assert Pairing(PIN, store, Clock(), wall=wall).sit(1, Seat("Ann", 2))
    wall.now_s += DAY_S
    clock = Clock()
    restarted = Pairing(PIN, store, clock, wall=wall)
    restarted.pair(PIN, "Ben", "192.168.4.11")
    assert [phone.id for phone in restarted.seats()] == [1]
    assert not restarted.sit(2, Seat("Ben", 2))
    clock.now_s += MAX_SEAT_SILENCE_S
    assert restarted.seats() == ()
    assert restarted.phone(str(token))
    assert [phone.id for phone in restarted.seats()] == [1]
    wall.now_s += 7 * DAY_S
    assert Pairing(PIN, store, Clock(), wall=wall).seats() == ()


@pytest.mark.browser
def test_control_page_starts_a_game_for_four_players_who_joined_by_phone(pub: Pub, visiting: Any, address: str) -> None:
    tv, host = visiting("/tv", "1280x720"), visiting("/me", paired=True)
    pub.make_owners()
    for name in ("Ann", "Ben", "Cid", "Dee"):
        page = host if name == "Ann" else visiting("/me")
        page.fill("#seat-name", name)
        page.click("#sit-form button")
        if page is not host:
            page.wait_for_selector("#seat-dice .dice")
            (request,) = pub.pairing.join_requests()
            assert pub.pairing.let_in_request(request.id)
        page.wait_for_selector("#mine:not([hidden])")
    tv.wait_for_selector("#seated li:nth-child(4)")
    host.goto(f"{address}/control")
    host.click("[data-key='new']")
    host.wait_for_function("() => document.querySelector('[data-key=\"seat-3\"]')?.value === 'Dee'")
    host.click("dialog button.main:has-text('Begin')")
    assert until(lambda: pub.table.snapshot().state is not None)
    snapshot = pub.table.snapshot()
    assert [side.name for side in snapshot.sides] == ["Ann", "Ben", "Cid", "Dee"]
    assert len({side.colour for side in snapshot.sides}) == 4


@pytest.mark.browser
def test_scoreboard_vibrates_a_players_phone_once_when_their_turn_begins(chromium: Any, pub: Pub, address: str) -> None:
    page = phone(chromium, address, paired=True)
    assert page.request.post(f"{address}/api/seats", data={"name": "Ben", "colour": 1}, max_retries=RETRIES).ok
    pub.table.submit(StartGame(header=HEADER))
    page.add_init_script(BUZZED)
    live(page, address)
    assert page.inner_text("#you") == "You are Ben · 0"
    play(pub, THROW, {"do": "point", "value": 5}, {"do": "stop"})
    page.wait_for_selector("#you.turn")
    assert page.inner_text("#you") == "Ben, it's your turn"
    assert page.title().startswith("●")
    play(pub, THROW)
    newest(page, pub)
    assert page.evaluate("window.buzzed.length") == 1


@pytest.mark.browser
def test_a_phone_admitted_with_a_taken_player_name_enters_another_without_readmission(pub: Pub, visiting: Any) -> None:
    assert sit(pub.paired(Role.PLAYER, "Ann"), "Ann", 1) == 200
    page = visiting("/me")
    page.fill("#seat-name", "Ann")
    page.click("#sit-form button")
    page.wait_for_selector("#seat-dice .dice")
    (request,) = pub.pairing.join_requests()
    assert pub.pairing.let_in_request(request.id)
    page.wait_for_selector("#seat-problem:not([hidden])")
    assert not page.is_visible("#seat-code")
    page.fill("#seat-name", "Anna")
    page.click("#sit-form button")
    page.wait_for_selector("#mine:not([hidden])")
    assert names(pub) == ["Ann", "Anna"]


@pytest.mark.browser
def test_changing_a_name_on_the_player_page_keeps_the_peg_colour(chromium: Any, pub: Pub, address: str) -> None:
    """Also on a phone that stores nothing (private browsing): its wish was peg 0."""
    page = phone(chromium, address, paired=True)
    assert page.request.post(f"{address}/api/seats", data={"name": "Ann", "colour": 3}, max_retries=RETRIES).ok
    live(page, f"{address}/me")
    page.click("#change")
    page.fill("#seat-name", "Anna")
    page.click("#sit-form button")
    page.wait_for_selector("#me-name:has-text('Anna')")
    assert pub.stranger().get("/api/seats").json["seats"] == [{"name": "Anna", "colour": 3}]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("path", "ask", "problem"),
    [("/me", "#sit-form button", "#seat-problem"), ("/control", "#pair-button", "#pair-problem")],
)
def test_page_tells_a_phone_that_its_join_request_expired(visiting: Any, path: str, ask: str, problem: str) -> None:
    page = visiting(path)
    if path == "/me":
        page.fill("#seat-name", "Ann")
    page.click(ask)
    page.wait_for_selector("[role='status'] .dice")
    page.route("**/api/phones", lambda route: route.fulfill(json={"code": None, "paired": False}))
    page.wait_for_selector(f"{problem}:has-text('Nobody let you in.')")
    assert not page.is_visible("[role='status'] .dice")
