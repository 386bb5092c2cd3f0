"""How a new table gets its owner, and what the owner may set, in real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.table.commands import Abandon, StartGame
from tests.scanning import scanned
from tests.web.phones import live, newest, phone
from tests.web.pub import ADDRESSES, HEADER, PIN, Pub, opened
from web.pairing.roles import Role

pytestmark = pytest.mark.browser

ROLE_MS = 15_500
"""Milliseconds after which each page has asked again what its phone is; longer than its `PLAYER_MS`."""


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    with opened(tmp_path, settings=True) as place:
        yield place


def test_only_the_first_phone_to_scan_the_tv_page_qr_code_becomes_owner(
    chromium: Any, pub: Pub, visiting: Any, address: str
) -> None:
    screen = visiting("/tv", "1920x1080")
    code = scanned(screen)
    assert code.startswith(f"{ADDRESSES.page}control#first=")
    first = code.replace(ADDRESSES.page, f"{address}/")
    host, late = phone(chromium, address), phone(chromium, address)
    host.goto(first)
    host.wait_for_url("**/setup")
    host.wait_for_selector("#begin")
    screen.wait_for_selector("#page")  # the screen loads itself anew
    assert not screen.is_visible("#host")
    late.goto(first)
    late.wait_for_selector("#pair-problem:not([hidden])")
    assert [(each.name, each.role) for each in pub.pairing.phones()] == [("", Role.OWNER)]


def test_settings_page_confirms_each_saved_field_and_marks_an_invalid_one(pub: Pub, visiting: Any) -> None:
    page = visiting("/settings", paired=True)
    page.fill("#strip-brightness", "0.3")
    page.press("#strip-brightness", "Tab")
    page.wait_for_selector("#strip-brightness-says:text-is('Saved.')")
    page.fill("#strip-limit_ma", "3")
    page.press("#strip-limit_ma", "Tab")
    page.wait_for_selector("#strip-limit_ma[aria-invalid='true']")
    assert "limit_ma" in page.text_content("#strip-limit_ma-says")
    page.fill("#web-port", "9000")
    page.press("#web-port", "Tab")
    page.wait_for_selector("#web-port-says:has-text('Saved.')")
    assert "after a restart" in page.text_content("#web-port-says")
    assert (pub.folder / "pegpip.toml").read_text() == "[strip]\nbrightness = 0.3\n\n[web]\nport = 9000\n"
    page.reload()
    page.wait_for_selector("#strip-brightness")
    assert page.input_value("#strip-brightness") == "0.3"


def test_menu_volume_slider_is_disabled_until_sounds_are_on_and_keeps_its_value_on_reload(visiting: Any) -> None:
    page = visiting("/settings", paired=True)
    page.wait_for_selector("#strip-brightness")
    page.click(".menu summary")
    assert page.is_disabled("#volume"), "a phone is quiet until it is told otherwise"
    page.select_option("#voice", "sounds")
    page.fill("#volume", "0.8")
    page.reload()
    page.wait_for_selector("#strip-brightness")
    page.click(".menu summary")
    assert (page.input_value("#volume"), page.is_disabled("#volume")) == ("0.8", False)


def test_setup_page_starts_a_game_with_pasted_names_and_chosen_colours(pub: Pub, visiting: Any) -> None:
    page = visiting("/setup", paired=True)
    page.fill("[data-key='seat-0']", "Zoë, Max, Fay")
    page.press("[data-key='seat-0']", "Tab")
    page.wait_for_selector("[data-key='seat-2']")
    page.click("[data-key='colour-1']")  # from 1 to 3: 2 is Fay's
    page.click("[data-key='away-0']")
    page.click("[data-key='colour-1']")  # Fay's goes from the first that is free to the next
    page.click("#begin")
    page.wait_for_url("**/tray")
    assert (pub.table.snapshot().header or {})["players"] == ["Max", "Fay"]
    assert pub.table.snapshot().sitting.colours == {"Max": 3, "Fay": 1}


def test_setup_page_does_not_repeat_pasted_names_that_the_fields_already_suggest(pub: Pub, visiting: Any) -> None:
    page = visiting("/setup", paired=True)
    players = pub.table.submit(StartGame(header=HEADER)).sides
    page.reload()
    page.fill("[data-key='seat-0']", ", ".join(side.name for side in players))
    page.press("[data-key='seat-0']", "Tab")
    seats = page.locator("[data-key^='seat-']")
    assert [seat.input_value() for seat in seats.all()] == [side.name for side in players]


def test_setup_page_inserts_pasted_names_before_a_player_already_in_the_next_field(pub: Pub, visiting: Any) -> None:
    page = visiting("/setup", paired=True)
    page.fill("[data-key='seat-1']", "Eve")
    page.press("[data-key='seat-1']", "Tab")
    page.fill("[data-key='seat-0']", "Zoë, Max")
    page.press("[data-key='seat-0']", "Tab")
    page.click("#begin")
    page.wait_for_url("**/tray")
    assert (pub.table.snapshot().header or {})["players"] == ["Zoë", "Max", "Eve"]


def test_setup_page_refuses_to_begin_a_game_with_more_players_than_it_allows(pub: Pub, visiting: Any) -> None:
    page = visiting("/setup", paired=True)
    before = pub.table.snapshot().number
    page.fill("[data-key='seat-0']", "Ann, Bob, Cat, Dan, Eve, Fay, Gus")
    page.press("[data-key='seat-0']", "Tab")
    assert page.input_value("[data-key='seat-6']") == "Gus"
    page.click("#begin")
    page.wait_for_selector("text=2 to 6 players")
    assert pub.table.snapshot().number == before


def test_setup_page_names_the_running_game_that_it_would_end(pub: Pub, visiting: Any) -> None:
    page = visiting("/setup", paired=True)
    page.fill("[data-key='seat-0']", "Cid, Dee")
    page.press("[data-key='seat-0']", "Tab")
    assert page.inner_text("#begin") == "Begin the game"
    pub.start()
    newest(page, pub)
    before = pub.table.snapshot().number
    page.click("#begin")
    page.wait_for_selector("#game-fields .notice:has-text('Crib Dice')")
    assert pub.table.snapshot().number == before
    page.click("#begin:has-text('End that game and begin')")
    page.wait_for_url("**/tray")


def test_control_page_says_when_a_phone_cannot_reach_the_table_to_pair(pub: Pub, visiting: Any) -> None:
    page = visiting("/control")
    page.route("**/api/pair**", lambda route: route.abort())
    for tap in ("#pair-form button[type=submit]", "#pair-button"):
        page.fill("#pin", PIN)
        page.click(tap)
        page.wait_for_selector("#pair-problem:not([hidden])")
        assert page.inner_text("#pair-problem") == "Can't reach the table. Retrying …"
        page.evaluate("document.getElementById('pair-problem').hidden = true")
    page.unroute("**/api/pair**")
    page.click("#pair-form button[type=submit]")
    page.wait_for_selector("#pair", state="hidden")
    assert len(pub.pairing.phones()) == 1


def test_phone_pages_neither_reload_nor_hide_a_join_code_on_a_503_answer(chromium: Any, address: str) -> None:
    """A table that stops refuses with 503: a host's page would be lost by a reload, a guest's join code be hidden."""
    host, guest = phone(chromium, address, paired=True), phone(chromium, address)
    for page in (host, guest):
        page.clock.install()
        live(page, address + "/control")
        page.evaluate("window.kept = true")
        page.route("**/api/phones", lambda route: route.fulfill(status=503, json={}))
    guest.click("#pair-button")
    for page in (guest, host):
        for _ in range(2):
            with page.expect_response(lambda response: response.status == 503):
                page.clock.fast_forward(ROLE_MS)
    assert guest.is_visible("#pair-dice .dice")
    assert host.evaluate("window.kept") is True


def test_ending_the_evening_on_the_control_page_shows_that_the_evening_is_over(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=HEADER))
    pub.table.submit(Abandon(number=pub.table.snapshot().number))
    page = visiting("/control", paired=True)
    page.click("#more > summary")
    page.click("[data-key='end']")
    page.wait_for_selector("#toast:has-text('The evening is over.')")
    assert page.problems == []
