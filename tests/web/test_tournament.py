"""A tournament night in Chromium: the host begins it, phones start the matches, the TV says who plays next."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.table.commands import Abandon, StartGame
from companion.table.snapshot import TournamentView
from tests.known import known
from tests.waiting import RETRIES, until
from tests.web.accessibility import SMALL, in_each_look
from tests.web.injecting import stop_clock
from tests.web.phones import live, newest
from tests.web.phones import phone as new_phone
from tests.web.pub import Pub, opened, play_out
from web.pairing.roles import Role

OUT = Path(__file__).resolve().parents[2] / "out" / "tournament"
FIVE = ["Ann", "Ben", "Cid", "Dörte Ångström", "Eve"]
BODY: dict[str, Any] = {"form": "knockout", "game": "crapola", "players": FIVE, "rules": {"target": 1500, "entry": 0}}
WINNER_MS = 8500
"""Milliseconds after which the TV says who plays next; longer than its `WINNER_MS`."""
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"

COUNT_POSTS = """() => {
  const sent = window.fetch;
  window.posts = 0;
  window.fetch = (path, options) => { posts += options?.method === "POST"; return sent(path, options); };
}"""
"""JavaScript that counts the requests of a page that change something, in `posts`."""


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    with opened(tmp_path, evening=True) as place:
        yield place


def begin(client: Any, pub: Pub, **changed: Any) -> Any:
    return client.post("/api/tournament", json={**BODY, "number": pub.table.snapshot().number, **changed})


def is_on(pub: Pub, header: dict[str, Any]) -> bool:
    return bool(known(pub.table.snapshot().header)["players"] == header["players"])


def on(pub: Pub) -> TournamentView:
    return known(pub.table.snapshot().tournament)


def test_only_the_owner_may_start_change_or_end_a_tournament(pub: Pub) -> None:
    host, player = pub.host(), pub.paired(Role.PLAYER, "Ann", "192.168.4.11")
    assert begin(pub.stranger(), pub).status_code == 401
    assert begin(player, pub).status_code == 403
    assert begin(host, pub).status_code == 200
    for path, body in (("left", {"player": "Ben"}), ("end", {})):
        number = pub.table.snapshot().number
        assert player.post(f"/api/tournament/{path}", json={"number": number, **body}).status_code == 403
    assert player.post("/api/games", json=known(on(pub).next)).status_code == 200
    number = pub.table.snapshot().number
    assert host.post("/api/tournament/left", json={"number": number, "player": "Ben"}).status_code == 200
    assert host.post("/api/tournament/end", json={"number": number}).status_code == 409, "made from an old snapshot"
    assert host.post("/api/tournament/end", json={"number": number + 1}).status_code == 200
    assert pub.table.snapshot().tournament is None


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"players": ["Ann", "\u202eBen"]}, 422),
        ({"players": ["Ann"]}, 422),
        ({"form": "swiss"}, 400),
        ({"handicaps": {"Zoe": 4}}, 422),
        ({"game": "chess"}, 422),
        ({"players": [f"p{number}" for number in range(65)]}, 400),
        ({"more": 1}, 400),
    ],
)
def test_tournament_api_refuses_invalid_players_formats_games_and_handicaps(
    pub: Pub, changed: dict[str, Any], status: int
) -> None:
    answer = begin(pub.host(), pub, **changed)
    assert answer.status_code == status
    assert answer.json["message"]
    assert pub.table.snapshot().number == 0


@pytest.mark.browser
def test_a_knockout_tournament_of_five_players_is_played_to_a_winner(chromium: Any, pub: Pub, address: str) -> None:
    chance = random.Random(7)
    tv, phone = new_phone(chromium, address, "1280x720"), new_phone(chromium, address, paired=True)
    tv.clock.install()
    live(tv, f"{address}/tv")
    pub.make_owners()
    live(phone, f"{address}/evening")
    # The house rules are those of the last game, so that the night is short.
    quick = {"transcript": 1, "game": BODY["game"], "players": FIVE[:2], "rules": BODY["rules"]}
    pub.table.submit(StartGame(header=quick))
    newest(phone, pub)
    phone.click("[data-key='begin']")
    # The page fills the last players in, once they have come.
    phone.wait_for_function("() => document.querySelector('#cup-names').value === 'Ann\\nBen'")
    phone.fill("#cup-names", "\n".join([*FIVE[:4], f"{FIVE[4]} +200"]))
    assert phone.evaluate(SMALL) == []
    assert in_each_look(phone) == []
    phone.screenshot(path=OUT / "begin.png")
    phone.click("dialog button.main")
    phone.wait_for_selector(".next-match")
    assert on(pub).handicaps == {"Eve": 200}
    assert on(pub).next == {"transcript": 1, "game": "crapola", "players": FIVE[3:], "rules": BODY["rules"]}
    matches = 0
    while (header := on(pub).next) is not None:
        one, other = header["players"]
        if matches:
            control = phone.context.new_page()
            control.goto(f"{address}/control")
            control.wait_for_selector("[data-key='match']")
            newest(tv, pub)
            tv.clock.fast_forward(WINNER_MS)
            tv.wait_for_selector(f"#quiz:not([hidden]) h2:has-text('{one}')")
            assert other in tv.inner_text("#quiz h2")
            control.click("[data-key='match']")
            assert until(functools.partial(is_on, pub, header))
            control.close()
        else:
            pub.table.submit(StartGame(header=header))
            assert is_on(pub, header)
        play_out(pub, chance)
        matches += 1
        newest(phone, pub)
    assert (matches, on(pub).over) == (4, True)
    winner = on(pub).standings[0].player
    assert winner in phone.inner_text(".next-match")
    assert phone.locator(".match-line").count() == 4
    assert phone.evaluate(WIDER) == 0
    assert in_each_look(phone) == []
    assert phone.evaluate(SMALL) == []
    newest(tv, pub)
    tv.clock.fast_forward(WINNER_MS)
    tv.wait_for_selector(f"#quiz:not([hidden]) h2:has-text('{winner}')")
    assert in_each_look(tv) == []
    tv.screenshot(path=OUT / "tv-over.png")
    phone.click("#tournament details summary")
    phone.click("[data-key='end']")
    phone.wait_for_selector(".next-match", state="detached")
    assert pub.table.snapshot().tournament is None


@pytest.mark.browser
def test_tournament_section_stays_open_as_players_leave_the_tournament(chromium: Any, pub: Pub, address: str) -> None:
    page = new_phone(chromium, address, paired=True)
    pub.make_owners()
    assert page.request.post(f"{address}/api/tournament", data={**BODY, "number": 0}, max_retries=RETRIES).ok
    page.goto(f"{address}/evening")
    page.click("#tournament details summary")
    for name in BODY["players"][:2]:
        page.wait_for_selector(f"[data-key='left-{name}']:not([aria-disabled])")  # the list settles after a change
        page.focus(f"[data-key='left-{name}']")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"[data-key='left-{name}']:has-text('is back')")
        assert page.evaluate("document.activeElement.dataset.key") == f"left-{name}"


@pytest.mark.browser
def test_a_double_tap_on_tournament_leave_does_not_bring_the_player_back(chromium: Any, pub: Pub, address: str) -> None:
    assert begin(pub.host(), pub).status_code == 200
    page = new_phone(chromium, address, paired=True)
    pub.make_owners()
    live(page, address + "/evening")
    stop_clock(page)
    page.evaluate(COUNT_POSTS)
    page.click("#tournament summary")
    page.locator("[data-key='left-Ben']").scroll_into_view_if_needed()
    box = page.locator("[data-key='left-Ben']").bounding_box()
    place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for _ in range(2):
        page.mouse.click(*place)
        page.wait_for_selector("[data-key='left-Ben']:has-text('is back')")
    assert page.evaluate("posts") == 1


@pytest.mark.browser
def test_pages_say_who_plays_the_next_tournament_match_and_how_to_start_it(pub: Pub, visiting: Any) -> None:
    """The phones asked to sit down and pick a game, and highlighted a new game as well."""
    how = "Tap “Start the match” on a phone."
    assert begin(pub.host(), pub, players=FIVE[:2]).status_code == 200
    page, phone, tv = visiting("/"), visiting("/control", paired=True), visiting("/tv", "1280x720")
    for each in (page, phone):
        assert (each.inner_text("#who"), each.inner_text("#notice")) == ("Next match: Ann – Ben", how)
    assert phone.locator("#big .main").all_inner_texts() == ["Start the match"]
    tv.wait_for_selector("#quiz:not([hidden])")
    assert how in tv.inner_text("#quiz")
    pub.table.submit(StartGame(header=known(on(pub).next)))
    pub.table.submit(Abandon(number=pub.table.snapshot().number))
    newest(page, pub)
    assert page.inner_text("#notice") == how


@pytest.mark.browser
def test_the_scoreboard_says_after_a_tournament_match_how_to_start_the_next(pub: Pub, visiting: Any) -> None:
    assert begin(pub.host(), pub, form="round_robin", players=FIVE[:3]).status_code == 200
    pub.table.submit(StartGame(header=known(on(pub).next)))
    play_out(pub, random.Random(1))
    assert visiting("/").inner_text("#notice").endswith(". Tap “Start the match” on a phone.")


@pytest.mark.browser
def test_scoreboard_says_if_a_seated_phones_player_is_in_the_next_match(chromium: Any, pub: Pub, address: str) -> None:
    assert begin(pub.host(), pub, form="round_robin", players=FIVE[:3]).status_code == 200
    page = new_phone(chromium, address, paired=True)
    next_pair = known(on(pub).next)["players"]
    (other,) = set(FIVE[:3]) - set(next_pair)
    for name, told in ((other, f"Next match: {next_pair[0]} – {next_pair[1]}"), (next_pair[0], "in the next game")):
        assert page.request.post(f"{address}/api/seats", data={"name": name, "colour": 3}, max_retries=RETRIES).ok
        live(page, address)
        assert page.inner_text("#you") == f"You are {name} · {told}"
    assert page.request.post(f"{address}/api/seats", data={"name": other, "colour": 3}, max_retries=RETRIES).ok
    pub.table.submit(StartGame(header=known(on(pub).next)))
    live(page, address)
    assert page.inner_text("#you") == f"You are {other}"
