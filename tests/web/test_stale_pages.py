"""Pages whose dialogs, lists and requests are overtaken: by another phone, a second tap, or a slow network."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import cv2
import pytest

from companion.table.commands import NoteMotion, StartGame
from companion.table.projection import MAX_THROWS
from tests.waiting import until
from tests.web.every_part import everything
from tests.web.phones import MIDGAME, live, newest, phone, visit
from tests.web.pub import HEADER, JPEG, Pub, observation, opened, play, play_out, served
from web.serving.limits import Limits

pytestmark = pytest.mark.browser

SCENE_MS = 8500
"""Milliseconds after which the TV shows a finished game's luckiest throws; longer than its `SCENE_MS`."""
LATE_STREAM = """(() => {
  const fetched = window.fetch, waiting = [];
  window.letGo = () => { window.held = false; for (const go of waiting.splice(0)) go(); };
  window.fetch = async (path, options) => {
    const answer = await fetched(path, options);
    if (path !== "/api/events") return answer;
    const late = new TransformStream({ async transform(chunk, to) {
      if (window.held) await new Promise((go) => waiting.push(go));
      to.enqueue(chunk); } });
    return new Response(answer.body.pipeThrough(late), { headers: answer.headers });
  };
})();"""
"""JavaScript that holds back the event stream of a page while `held`, until `letGo()`."""
WATCH_NUMBER = """() => {
  const root = document.documentElement;
  window.numbers = [];
  const note = () => numbers.push(Number(root.dataset.number));
  new MutationObserver(note).observe(root, { attributeFilter: ["data-pulse"] });
}"""
"""JavaScript that notes the number of each snapshot that a page shows, in `numbers`."""
TAP_AT_ONCE = """() => new MutationObserver(() => {
  const face = document.querySelector("dialog[open] .faces button:last-child"), sent = window.fetch;
  if (!face || "answered" in window) return;
  window.answered = false;
  window.fetch = (path, options) => { window.answered ||= path === "/api/answers"; return sent(path, options); };
  face.click();
}).observe(document.body, { childList: true })"""
"""JavaScript that taps a face of the next dialog as soon as it is open, and notes in `answered` if that answers it."""
TWICE = "(button) => { button.click(); button.click(); }"


@pytest.fixture
def pub(past: Pub) -> Pub:
    return past


def posts(page: Any, path: str) -> list[str]:
    """Return the list in which a page's requests that change something at this path are noted from now on."""
    sent: list[str] = []
    page.on("request", lambda each: sent.append(each.url) if each.method == "POST" and path in each.url else None)
    return sent


def test_control_page_begins_one_game_when_begin_is_tapped_twice(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=HEADER))
    page = visiting("/control", paired=True)
    sent = posts(page, "/api/games")
    page.click("#more summary")
    page.click("[data-key='new-2']")
    page.locator("dialog button.main").evaluate(TWICE)
    page.wait_for_selector("dialog", state="detached")
    assert len(sent) == 1


def test_control_page_starts_one_match_when_start_is_tapped_twice(pub: Pub, visiting: Any) -> None:
    body = {"form": "knockout", "game": "crag", "players": ["Ann", "Ben"], "rules": {}, "number": 0}
    assert pub.host().post("/api/tournament", json=body).status_code == 200
    page = visiting("/control", paired=True)
    sent = posts(page, "/api/games")
    page.locator("[data-key='match']").evaluate(TWICE)
    page.wait_for_selector("[data-key='match']", state="detached")
    assert len(sent) == 1


@pytest.mark.parametrize(
    ("path", "opens", "does"),
    [
        ("/evening", ["[data-key='begin']"], "dialog button.main"),
        ("/control", ["#more summary", "[data-key='leave']"], "dialog button.danger"),
        ("/control", ["#throws-fold summary", "#throws .pick >> nth=0"], "dialog .faces button >> nth=5"),
    ],
)
def test_clicking_a_dialog_button_twice_sends_its_request_only_once(
    pub: Pub, visiting: Any, path: str, opens: list[str], does: str
) -> None:
    pub.table.submit(StartGame(header=HEADER))
    play(pub, MIDGAME[0])
    page = visiting(path, paired=True)
    sent = posts(page, "/api/")
    for each in opens:
        page.click(each)
    page.wait_for_function("() => document.getElementById('cup-names')?.value !== ''")  # the names come later
    page.locator(does).evaluate(TWICE)
    page.wait_for_selector("dialog", state="detached")
    assert len(sent) == 1


def test_evening_page_sends_a_refused_tournament_request_again_when_tapped_again(visiting: Any) -> None:
    page = visiting("/evening", paired=True)
    page.click("[data-key='begin']")
    page.fill("#cup-names", "Ann")
    for _ in range(2):
        with page.expect_response("**/api/tournament") as answered:
            page.click("dialog button.main")
        assert answered.value.status == 422
        page.wait_for_selector("dialog #toast")


def test_control_page_names_a_game_begun_on_another_device_before_replacing_it(pub: Pub, visiting: Any) -> None:
    page = visiting("/control", paired=True)
    page.click("[data-key='new']")
    for seat, name in enumerate(("Cid", "Dee")):
        page.fill(f"[data-key='seat-{seat}']", name)
    pub.table.submit(StartGame(header={**HEADER, "game": "crag"}))
    newest(page, pub)
    page.click("dialog button.main:has-text('Begin')")
    page.wait_for_selector("dialog .notice:has-text('Crag')")
    assert pub.table.snapshot().game == "crag"
    pub.table.submit(StartGame(header={**HEADER, "game": "crapola"}))
    newest(page, pub)
    page.click("dialog button.main:has-text('End that game')")
    page.wait_for_selector("dialog .notice:has-text('Crapola')")
    assert pub.table.snapshot().game == "crapola"
    page.click("dialog button.main:has-text('End that game')")
    page.wait_for_selector("dialog", state="detached")
    assert pub.state()["player"] == "Cid"


def test_control_page_shows_a_refused_throws_reason_inside_the_open_dialog(pub: Pub, visiting: Any) -> None:
    """A message behind a modal dialog is inert: screen readers skip it, and a tall dialog covers it."""
    pub.table.submit(StartGame(header=HEADER))
    page = visiting("/control", paired=True)
    page.click("[data-key='enter']")
    for _ in MIDGAME[0]["throw"]:
        page.click("dialog .faces button >> nth=5")
    page.route("**/api/lines", lambda route: route.fulfill(status=409, json={"error": "stale"}))
    page.click("dialog button.main")
    page.wait_for_selector("dialog[open] #toast:has-text('moved on')")
    page.click("dialog button:has-text('Close')")
    page.wait_for_selector("body > #toast:has-text('moved on')")


def test_doubt_dialog_and_its_dice_entry_close_once_the_throw_is_entered_elsewhere(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=HEADER))
    page = visiting("/control", paired=True)
    pub.table.submit(observation([5, 5, 2, 2, 1, 4, 6], doubt="disagree"))
    page.click("dialog button:has-text('Enter all the dice')")
    page.get_by_role("dialog", name="What was thrown?").wait_for()
    page.get_by_role("dialog", name="Ann's throw").wait_for()
    play(pub, MIDGAME[0])
    page.wait_for_selector("dialog", state="detached")


def test_control_page_closes_its_throw_dialog_if_the_throw_is_entered_elsewhere(pub: Pub, visiting: Any) -> None:
    """The dialog answers for the snapshot that it was opened on: the table would refuse it for ever."""
    pub.table.submit(StartGame(header=HEADER))
    page = visiting("/control", paired=True)
    page.click("[data-key='enter']")
    page.click("dialog [aria-label='Add a 5']")
    play(pub, MIDGAME[0])
    page.wait_for_selector("dialog", state="detached")
    page.wait_for_selector("#toast:has-text('moved on')")


def test_control_page_keeps_a_correction_dialog_after_a_failed_request(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *MIDGAME[:4])
    page = visiting("/control", paired=True)
    throw = pub.table.snapshot().throws[0].number
    body = {"number": pub.table.snapshot().number, "values": [1, 1, 3, 3, 4, 6, 6]}
    assert pub.host().post(f"/api/throws/{throw}", json=body).json["correction"]
    page.wait_for_selector("dialog[open] .log")
    page.route("**/api/corrections", lambda route: route.abort())
    page.click("dialog button.main")
    page.wait_for_selector("#toast:has-text('reach the table')")
    page.unroute("**/api/corrections")
    page.click("dialog button.main")
    page.wait_for_selector("dialog", state="detached")
    assert pub.table.snapshot().throws[0].values[:2] == (1, 1)


def test_a_stale_control_page_correction_does_not_overwrite_a_newer_one(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=HEADER))
    play(pub, MIDGAME[0])
    page = visiting("/control", paired=True)
    page.click("#throws-fold > summary")
    page.click('#throws button[aria-label^="Ann\'s 4"]')
    thrown = pub.table.snapshot().throws[0].number
    body = {"number": pub.table.snapshot().number, "values": [1, 2, 4, 5, 5, 5, 3]}
    assert pub.host().post(f"/api/throws/{thrown}", json=body).status_code == 200
    newest(page, pub)
    page.click('dialog button[aria-label="It is a 2"]')
    page.wait_for_selector("#toast")
    assert sorted(pub.table.snapshot().throws[0].values) == [1, 2, 3, 4, 5, 5, 5]
    assert "moved on" in page.inner_text("#toast")


def test_control_page_keeps_focus_on_an_older_throws_button_when_a_new_throw_arrives(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=HEADER))
    while len(pub.table.state().throws) <= MAX_THROWS:
        play(pub, MIDGAME[0], MIDGAME[1], MIDGAME[3])
    page = visiting("/control", paired=True)
    page.click("#throws-fold > summary")
    oldest = f"#throws li:nth-child({len(pub.table.state().throws)}) button >> nth=2"
    page.focus(oldest)
    key = page.get_attribute(oldest, "data-key")
    play(pub, MIDGAME[0])
    page.wait_for_selector(f"#throws li:nth-child({len(pub.table.state().throws)})")
    assert page.evaluate("document.activeElement.dataset.key") == key


def test_tv_page_drops_the_last_games_luckiest_throws_when_a_game_begins(chromium: Any, pub: Pub, address: str) -> None:
    pub.table.submit(StartGame(header={**HEADER, "game": "crapola", "rules": {"target": 1500, "entry": 0}}))
    play_out(pub, random.Random(7))
    move = {"player": "Ann", "action": {"throw": [1, 1, 1]}, "luck": 0.2, "photo": None}
    story = {"number": pub.table.snapshot().number, "goal": "win", "luckiest": [move]}
    page = phone(chromium, address, "1280x720")
    page.clock.install()
    page.route("**/api/story", lambda route: route.fulfill(json=story))
    live(page, address + "/tv")
    page.clock.fast_forward(SCENE_MS)
    page.wait_for_selector("#log.scene li")
    pub.table.submit(StartGame(header=HEADER))
    newest(page, pub)
    assert page.locator("#log.scene").count() == 0
    assert "1, 1, 1" not in page.inner_text("#log")


def test_past_game_page_downloads_its_picture_if_the_browser_refuses_a_late_share(chromium: Any, address: str) -> None:
    """A browser lets a page share for a few seconds after a tap; a slow table needs longer for the luckiest throw."""
    page = phone(chromium, address)
    page.add_init_script("navigator.canShare = () => true; navigator.share = () => Promise.reject(window.refusal);")
    live(page, address + "/games/1")
    page.evaluate("window.refusal = new DOMException('too late', 'NotAllowedError')")
    with page.expect_download() as saved:
        page.click("[data-key='share']")
    assert saved.value.suggested_filename == "peg-and-pip.png"


def test_past_game_page_downloads_a_picture_in_a_browser_without_canvas_round_rect(chromium: Any, address: str) -> None:
    """Safari draws rounded rectangles from version 16 on; iPhones 6s and 7 stay at 15."""
    page = phone(chromium, address)
    page.add_init_script("delete CanvasRenderingContext2D.prototype.roundRect")
    rare = {"player": "Ann", "values": [5, 5], "line": 99, "chance": 0.01, "throw": 1, "boxes": [[9, 9, 30, 30, 5]]}
    page.route("**/luckiest", lambda route: route.fulfill(json=rare))
    photo = "<svg xmlns='http://www.w3.org/2000/svg' width='640' height='480' style='background: red'/>"
    page.route("**/throws/*.jpg", lambda route: route.fulfill(body=photo, content_type="image/svg+xml"))
    live(page, address + "/games/1")
    with page.expect_download() as saved:
        page.click("[data-key='share']")
    assert saved.value.suggested_filename == "peg-and-pip.png"
    picture = cv2.imread(str(saved.value.path()))
    assert picture is not None
    assert picture[400, 540].tolist() == [0, 0, 255], "the photo is in the middle of it"
    assert page.errors == []


def test_control_page_ignores_an_older_snapshot_that_its_event_stream_brings_late(
    chromium: Any, pub: Pub, address: str
) -> None:
    """The answer to a tap overtakes the stream: going back would take its events back, and tell them twice."""
    pub.table.submit(StartGame(header=HEADER))
    play(pub, MIDGAME[0], MIDGAME[1])
    page = phone(chromium, address, paired=True)
    page.add_init_script(LATE_STREAM)
    live(page, address + "/control")
    newest(page, pub)
    page.evaluate("window.held = true")
    page.evaluate(WATCH_NUMBER)
    before = pub.table.snapshot().number
    pub.table.submit(NoteMotion())
    page.click("#big button:has-text('Bank 5')")
    page.wait_for_function("() => numbers.length")
    page.evaluate("letGo()")
    play(pub, MIDGAME[0])
    newest(page, pub)
    assert page.evaluate("numbers") == [before + 1, before + 2]


def test_scoreboard_back_online_reads_out_only_the_newest_game_event(chromium: Any, pub: Pub, address: str) -> None:
    """A phone that wakes would read out the whole game, and show each of its great moments for two seconds."""
    pub.table.submit(StartGame(header=HEADER))
    page = phone(chromium, address)
    page.add_init_script("localStorage.setItem('voice', 'spoken'); window.said = [];")
    page.add_init_script("speechSynthesis.speak = ({ text }) => said.push(text);")
    live(page, address + "/")
    page.route("**/api/**", lambda route: route.abort())
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_selector('#live[data-live="no"]')
    play(pub, *MIDGAME[:4], MIDGAME[0])
    page.unroute("**/api/**")
    newest(page, pub)
    assert page.evaluate("said") == ["Ben threw 1, 2, 4, 5, 5, 5, 6"]


def test_a_key_press_starts_page_sound_and_resumes_it_after_suspension(chromium: Any, address: str) -> None:
    """A call or the lock screen interrupts the sound of a phone; only an act of its user brings it back."""
    page = phone(chromium, address)
    page.add_init_script(
        "localStorage.setItem('voice', 'sounds'); const Made = AudioContext;"
        "window.AudioContext = class extends Made { constructor() { super(); window.audio = this; } };"
    )
    live(page, address + "/")
    page.focus("details.menu summary")
    page.keyboard.press("Enter")
    page.wait_for_function("() => window.audio?.state === 'running'")
    page.evaluate("audio.suspend()")
    page.keyboard.press("Enter")
    page.wait_for_function("() => audio.state === 'running'")


def test_a_control_page_dialog_opening_under_a_finger_ignores_that_tap(pub: Pub, visiting: Any) -> None:
    """The tap was aimed at what the dialog has covered; a moment later the same tap answers."""
    pub.table.submit(StartGame(header=HEADER))
    page = visiting("/control", paired=True)
    page.evaluate(TAP_AT_ONCE)
    pub.table.submit(observation([5, 5, 2, 2, 1, 4, 6], doubt="disagree"))
    page.wait_for_function("() => 'answered' in window")
    assert page.evaluate("answered") is False
    page.click('dialog button[aria-label="It is a 3"]')
    page.wait_for_selector("dialog", state="detached")
    assert pub.table.snapshot().throws[0].values.count(3) == 1


def test_control_page_keeps_the_bot_paused_until_the_last_correction_dialog_closes(pub: Pub, visiting: Any) -> None:
    terms = {"house": {"player": "Ben", "level": "steady"}}
    pub.table.submit(StartGame(header=HEADER, terms=terms))
    play(pub, MIDGAME[0])
    page = visiting("/control", paired=True)
    held: list[float] = []

    def hold(route: Any) -> None:
        held.append(route.request.post_data_json["seconds"])
        route.abort()

    page.route("**/api/house/hold", hold)
    page.click("#throws-fold > summary")
    page.click('#throws button[aria-label^="Ann\'s 6"]')
    page.click("dialog button:has-text('more than one')")
    page.wait_for_selector("dialog .keyed")
    page.click("dialog button:has-text('Close')")
    page.wait_for_selector("dialog", state="detached")
    assert held == [30, 30, 0]


def test_a_page_without_an_event_stream_ignores_a_late_older_snapshot(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, limits=Limits(streams=1, streams_spare=0)) as pub, served(pub) as address:
        pub.table.submit(StartGame(header=HEADER))
        play(pub, MIDGAME[0], MIDGAME[1])
        visit(chromium, address + "/")
        page = visit(chromium, address + "/control", paired=True)
        newest(page, pub)
        before = pub.table.snapshot().number
        late: list[tuple[Any, Any]] = []
        page.route("**/api/state", lambda route: late.append((route, route.fetch())))
        assert until(lambda: page.evaluate("true") and late)
        page.evaluate(WATCH_NUMBER)
        page.click("#big button:has-text('Bank 5')")
        page.wait_for_function("() => numbers.length")
        for route, answer in late:
            route.fulfill(response=answer)
        page.unroute("**/api/state")
        play(pub, MIDGAME[0])
        newest(page, pub)
        assert page.evaluate("numbers") == [before + 1, before + 2]


def test_calibrate_page_requests_a_second_picture_only_after_the_first_has_come(chromium: Any, tmp_path: Path) -> None:
    """On a slow network pictures that pile up take all connections: taps would wait behind them."""
    look = {"picture_wh": [4, 3], "markers": [], "zones": [], "advice": [], "says": "", "lens": None}
    with everything(tmp_path) as pub, served(pub) as address:
        page = phone(chromium, address, paired=True)
        pub.make_owners()
        pictures: list[Any] = []
        page.route("**/api/calibrate.jpg*", lambda route: pictures.append(route))
        page.route("**/api/calibrate", lambda route: route.fulfill(json=look))
        page.goto(address + "/calibrate")
        for _ in range(3):
            page.wait_for_event("response", lambda answer: answer.url.endswith("/api/calibrate"))
        assert len(pictures) == 1
        with page.expect_request("**/api/calibrate.jpg*"):
            pictures[0].fulfill(body=JPEG, content_type="image/jpeg")
