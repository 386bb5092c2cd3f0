"""Pages on a weak network: a request, an answer or the event stream is lost on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.table.commands import StartGame
from tests.waiting import RETRIES
from tests.web.phones import MIDGAME, PastGames, live, phone, visit
from tests.web.pub import HEADER, Pub, opened, play, served
from web.serving.limits import Limits

pytestmark = pytest.mark.browser


@pytest.fixture
def pub(past: Pub) -> Pub:
    return past


def aborted_once(page: Any, lost: str) -> list[str]:
    """Abort a page's first request for a URL, and return a list that gets that request's URL."""
    aborted = list[str]()

    def lose(route: Any) -> None:
        aborted.append(route.request.url)
        route.abort()

    page.route(lost, lose, times=1)
    return aborted


def test_offline_control_page_promises_to_send_a_bank_but_no_new_game(pub: Pub, visiting: Any) -> None:
    """A start is not kept for later, nor an act without a snapshot's number, as a vote or the table's voice."""
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *MIDGAME[:2])
    page = visiting("/control", paired=True)
    page.route("**/api/**", lambda route: route.abort())
    page.click("#big button:has-text('Bank 5')")
    page.wait_for_selector("#toast:has-text('once it is back')")
    page.click("#more summary")
    page.click("[data-key='new-2']")
    page.click("dialog button.main")
    page.wait_for_selector("#toast:has-text('reach the table')")


def test_control_page_resends_a_lost_bank_request_while_its_event_stream_stays_open(pub: Pub, visiting: Any) -> None:
    """A weak network loses single requests, and the stream may be silent until somebody acts."""
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *MIDGAME[:2])
    page = visiting("/control", paired=True)
    page.route("**/api/lines", lambda route: route.abort(), times=1)
    page.click("#big button:has-text('Bank 5')")
    page.wait_for_selector("#toast:has-text('has been sent')")
    assert pub.state()["player"] == "Ben"


@pytest.mark.parametrize(
    ("path", "lost", "shown"),
    [
        ("/", "**/texts/**", "#who:has-text('Ready for a game')"),
        ("/games/1", "**/api/evening/1", "#won:has-text('Ann won')"),
    ],
)
def test_a_page_repeats_a_lost_request_for_its_texts_or_for_a_past_game(
    chromium: Any, address: str, path: str, lost: str, shown: str
) -> None:
    page = phone(chromium, address)
    aborted = aborted_once(page, lost)
    page.goto(address + path)
    page.wait_for_selector(shown)
    assert len(aborted) == 1


def test_a_page_with_a_refused_event_stream_shows_no_lost_connection_on_retries(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, limits=Limits(streams=1, streams_spare=0)) as pub, served(pub) as address:
        pub.start()
        visit(chromium, address + "/")
        page = phone(chromium, address)
        page.add_init_script(
            "const later = setTimeout; window.setTimeout = (go, ms) => later(go, ms === 1000 ? 5 : ms);"
            "window.signs = []; window.asked = 0; const sent = fetch;"
            "window.fetch = (path, ...rest) => { asked += path === '/api/events'; return sent(path, ...rest); };"
        )
        live(page, address + "/")
        page.evaluate(
            "() => new MutationObserver(() => signs.push(live.dataset.live)).observe(live, { attributes: true })"
        )
        page.wait_for_function("() => asked > 2")
        assert "no" not in page.evaluate("signs")


@pytest.mark.parametrize(("path", "lost"), [("/evening", "/api/evening/players"), ("/me", "/api/evening")])
def test_pages_about_past_games_repeat_a_data_request_that_the_network_lost_when_a_game_ended(
    chromium: Any, pub: Pub, address: str, monkeypatch: pytest.MonkeyPatch, path: str, lost: str
) -> None:
    pub.table.submit(StartGame(header={**HEADER, "game": "crag", "players": ["Ann"]}))
    page = phone(chromium, address, paired=True)
    assert page.request.post(f"{address}/api/seats", data={"name": "Ann", "colour": 2}, max_retries=RETRIES).ok
    live(page, address + path)
    aborted = aborted_once(page, f"**{lost}")
    later = [{**game, "title": "The game that ended"} for game in PastGames().games()]
    monkeypatch.setattr(PastGames, "games", lambda _: later)
    play(pub, {"leave": "Ann"})
    page.wait_for_selector("#games:has-text('The game that ended')")
    assert len(aborted) == 1
    assert page.errors == []


def test_control_page_says_that_it_cannot_reach_the_table_if_loading_the_phones_fails(visiting: Any) -> None:
    page = visiting("/control", paired=True)
    page.route("**/api/phones", lambda route: route.abort())
    page.click("#more summary")
    page.click("[data-key='phones']")
    page.wait_for_selector("dialog #toast:has-text('reach the table')")
