"""One clear next step: decisions where dice are thrown, gold on the sensible act, nothing sent twice or lost unsaid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from companion.table.commands import CorrectThrow, StartGame
from tests.games.crib_turns import bank
from tests.waiting import RETRIES
from tests.web.phones import live, newest, phone
from tests.web.pub import HEADER, PIN, Pub, begin, observation, opened, play, served

pytestmark = pytest.mark.browser
THROW = {"throw": [5, 5, 5, 2, 1, 4, 6]}


@dataclass(frozen=True)
class Control:
    """A pub and the control page of one paired phone, for tests that begin a game of their own."""

    pub: Pub
    address: str
    page: Any

    def opened(self) -> Any:
        """Load the page anew, and return it."""
        live(self.page, f"{self.address}/control")
        return self.page


@pytest.fixture(scope="module")
def shared_control(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Control]:
    with opened(tmp_path_factory.mktemp("control")) as pub, served(pub) as address:
        page = phone(browser, address, paired=True)
        yield Control(pub, address, page)
        page.context.close()


@pytest.fixture
def control(shared_control: Control) -> Iterator[Control]:
    """Yield what tests share; what a test has routed on the page ends with it."""
    yield shared_control
    shared_control.page.unroute_all()


def gold(page: Any) -> list[str]:
    """Return the texts of the buttons that are highlighted (gold) as the next thing to do."""
    return [each.inner_text() for each in page.query_selector_all("main .main:enabled") if each.is_visible()]


def test_scoreboard_marks_the_dice_of_every_choice_highlighted_on_the_control_page(pub: Pub, visiting: Any) -> None:
    begin(pub, "crib_dice", {"throw": [1, 1, 2, 3, 3, 4, 6]})
    assert gold(visiting("/control", paired=True)) == ["Set aside\n+2", "Set aside\n+2"]
    dice = visiting("/").locator(".group .dice > *").all()
    ringed = [at for at, die in enumerate(dice) if "ringed" in str(die.get_attribute("class"))]
    assert (len(dice), ringed) == (7, [0, 1, 3, 4])


def test_the_bomb_button_on_the_control_page_shows_no_points(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header={**HEADER, "rules": {"bomb": True}}))
    play(pub, *bank(5), {"throw": [1, 1, 1, 1, 1, 2, 3]}, {"do": "point", "value": 1})
    page = visiting("/control", paired=True)
    assert page.locator("#pick button").all_inner_texts() == ["Bomb!"]


def test_escape_closes_the_control_pages_more_menu_and_returns_the_focus_to_its_button(control: Control) -> None:
    pub = control.pub
    begin(pub, "crapola")
    page = control.opened()
    page.click("#more > summary")
    page.focus("[data-key='phones']")
    page.keyboard.press("Escape")
    assert page.is_hidden("#rest")
    assert page.evaluate("document.activeElement.matches('#more > summary')")


def test_crib_dice_decisions_and_dice_questions_can_be_answered_on_the_tray_page(pub: Pub, visiting: Any) -> None:
    begin(pub, "crib_dice", THROW)
    page = visiting("/tray")
    assert page.is_disabled("#throw")
    assert gold(page) == ["Set aside\n+5"]
    page.click("#pick .main")
    page.wait_for_selector("#throw:enabled")
    assert pub.state()["turn_points"] == 5
    assert page.inner_text("#throw") == "Throw 4 dice"
    play(pub, {"throw": [5, 1, 2, 3]})
    newest(page, pub)
    page.click("#big button:has-text('Bank 10')")
    page.wait_for_function("() => document.querySelector('#who').textContent.includes('Ben')")
    pub.table.submit(observation([5, 5, 2, 2, 1, 4, 6], doubt="disagree"))
    page.click('dialog button[aria-label="It is a 3"]')
    page.wait_for_selector("dialog[open]", state="detached")
    assert pub.table.snapshot().throws[-1].values.count(3) == 1


def test_an_unpaired_client_can_post_moves_only_from_localhost_and_only_to_the_tray_api(pub: Pub) -> None:
    begin(pub, "crib_dice", THROW)
    body = {"number": pub.table.snapshot().number, "line": {"do": "point", "value": 5}}
    assert pub.stranger().post("/api/tray/lines", json=body).status_code == 401
    assert pub.stranger("127.0.0.1").post("/api/lines", json=body).status_code == 401
    assert pub.stranger("127.0.0.1").post("/api/tray/lines", json=body).status_code == 200


def test_control_and_tray_pages_highlight_no_button_but_the_one_to_press_next(pub: Pub, visiting: Any) -> None:
    pages = {path: visiting(path, paired=True) for path in ("/control", "/tray")}
    cases: list[tuple[str, list[dict[str, Any]], str, list[str]]] = [
        ("crib_dice", [], "/control", []),
        ("crib_dice", [], "/tray", ["Throw 7 dice"]),
        ("crib_dice", [THROW, {"do": "point", "value": 5}], "/control", []),
        ("crag", [], "/tray", ["Throw 3 dice"]),
        ("crag", [{"throw": [6, 6, 1]}], "/control", ["Crag\n50"]),
        ("crag", [{"throw": [6, 6, 2]}], "/control", ["Throw 1 again"]),
        ("crapola", [{"throw": [1, 1, 1, 5, 2, 3]}], "/control", ["Set aside 1, 1, 1, 5 +1,050"]),
    ]
    for game, lines, path, wanted in cases:
        begin(pub, game, *lines)
        newest(pages[path], pub)
        assert gold(pages[path]) == wanted, (game, lines, path)


def test_tray_page_offers_to_put_back_only_as_many_dice_as_the_game_uses(pub: Pub, visiting: Any) -> None:
    pub.tray.lift(None)
    begin(pub, "crag")
    page = visiting("/tray")
    spare = page.locator("#beside button")
    assert spare.all_inner_texts() == ["Put all 3 back"]
    page.click("#throw")
    page.wait_for_function("() => !document.querySelector('#beside button')")
    assert pub.tray.done[-1][:2] == ("throw", (0, 1, 2))
    begin(pub, "crib_dice")
    page.wait_for_function("() => document.querySelector('#beside button')?.textContent === 'Put all 4 back'")


def away(page: Any) -> None:
    """Cut a phone's page off from the table; `back` connects it again."""
    page.route("**/api/**", lambda route: route.abort())
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_selector('#live[data-live="no"]')


def back(page: Any) -> None:
    page.unroute("**/api/**")
    page.wait_for_selector('#live[data-live="yes"]')


def test_control_page_sends_a_bank_tapped_offline_after_reconnecting(control: Control) -> None:
    pub = control.pub
    begin(pub, "crib_dice", THROW, {"do": "point", "value": 5})
    page = control.opened()
    away(page)
    page.click("#big button:has-text('Bank 5')")
    page.wait_for_selector("#toast:has-text('once it is back')")
    before = pub.table.snapshot().number
    back(page)
    page.wait_for_selector("#toast:has-text('has been sent')")
    assert pub.table.snapshot().number == before + 1
    assert pub.state()["scores"] == {"Ann": 5, "Ben": 0}


def test_control_page_sends_a_bank_again_once_an_unresponsive_network_is_back(control: Control) -> None:
    pub = control.pub
    begin(pub, "crib_dice", THROW, {"do": "point", "value": 5})
    page = control.opened()
    page.evaluate(
        "() => { window.wait = AbortSignal.timeout; AbortSignal.timeout = () => wait.call(AbortSignal, 100); }"
    )
    page.route("**/api/lines", lambda _route: None)
    page.click("#big button:has-text('Bank 5')")
    page.wait_for_selector("#toast:has-text('once it is back')")
    page.evaluate("() => { AbortSignal.timeout = window.wait; }")
    page.unroute("**/api/lines")
    page.wait_for_selector("#toast:has-text('has been sent')")
    assert pub.state()["scores"] == {"Ann": 5, "Ben": 0}


def test_control_page_reports_an_unreachable_table_if_pairing_gets_no_valid_answer(visiting: Any) -> None:
    page = visiting("/control")
    page.evaluate(
        "() => { const wait = AbortSignal.timeout; AbortSignal.timeout = () => wait.call(AbortSignal, 100); }"
    )
    page.fill("#pin", PIN)
    answers: dict[str, Any] = {
        "no answer": lambda _route: None,
        "broken answer": lambda route: route.fulfill(status=502, body="<"),
    }
    for lost, answer in answers.items():
        page.evaluate("() => { document.getElementById('pair-problem').textContent = ''; }")
        page.route("**/api/pair", answer)
        page.click("#pair-form button[type=submit]")
        assert page.wait_for_selector("#pair-problem:has-text('reach the table')"), lost
        page.unroute("**/api/pair")


def test_player_page_shows_a_message_if_the_stand_up_button_gets_no_answer(visiting: Any, address: str) -> None:
    page = visiting("/control", paired=True)
    assert page.request.post(f"{address}/api/seats", data={"name": "Ann", "colour": 1}, max_retries=RETRIES).ok
    page.goto(f"{address}/me")
    page.route("**/api/seats/leave", lambda route: route.abort())
    page.click("#stand")
    page.wait_for_selector("#toast:has-text('reach the table')")


def test_control_page_drops_a_choice_made_offline_with_notice_if_game_moved_on(control: Control) -> None:
    pub = control.pub
    begin(pub, "crib_dice", THROW, {"do": "point", "value": 5})
    page = control.opened()
    away(page)
    page.click("#big button:has-text('Bank 5')")
    page.wait_for_selector("#toast:has-text('once it is back')")
    play(pub, {"throw": [5, 1, 2, 3]})
    back(page)
    page.wait_for_selector("#toast:has-text('is back and has moved on')")
    assert pub.state()["turn_points"] == 10


def test_control_page_asks_to_check_an_action_whose_answer_was_lost(control: Control) -> None:
    pub = control.pub
    begin(pub, "crib_dice", THROW, {"do": "point", "value": 5})
    page = control.opened()

    def answer_lost(route: Any) -> None:
        route.fetch()
        route.abort()

    away(page)
    page.route("**/api/lines", answer_lost)
    page.click("#big button:has-text('Bank 5')")
    page.wait_for_selector("#toast:has-text('once it is back')")
    assert pub.state()["scores"] == {"Ann": 5, "Ben": 0}
    back(page)
    page.wait_for_selector("#toast:has-text('See whether what you chose has counted')")


def test_control_page_says_what_an_undo_and_spending_crapola_points_would_change(control: Control) -> None:
    pub = control.pub
    begin(pub, "crapola", {"throw": [1, 1, 1, 5, 2, 3]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"})
    play(pub, {"throw": [1, 1, 1, 5, 2, 3]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"})
    page = control.opened()
    page.click("#more summary")
    assert "Ben banked 1,000" in page.inner_text(".undo")
    page.click("[data-key='spend']")
    page.fill("#spend-points", "300")
    assert page.inner_text("dialog [role='status']") == "Ann: 1,000 → 700 · Ben: 1,000 → 700"


def test_undo_button_names_the_move_it_takes_back_even_after_a_correction_or_undo(pub: Pub, visiting: Any) -> None:
    lines = {"throw": [5, 5, 2, 2, 1, 4, 6]}, {"do": "point", "value": 5}, {"throw": [5, 3, 3, 4, 6]}, {"do": "stop"}
    begin(pub, "crib_dice", *lines)
    pub.table.submit(CorrectThrow(number=pub.table.snapshot().number, throw=2, values=(5, 5, 3, 4, 6)))
    page = visiting("/control", paired=True)
    for _ in range(2):  # first the newest event is the correction, then the undo
        words = page.inner_text(".undo .unseen")
        assert not any(said in words for said in ("corrected", "Taken back"))
        page.click(".undo")
        page.wait_for_selector(f"#toast:has-text('Taken back: {words.strip()}')")


def test_control_page_keeps_the_photo_in_view_while_dice_are_entered(pub: Pub, visiting: Any) -> None:
    begin(pub, "crib_dice")
    page = visiting("/control", paired=True)
    pub.table.submit(observation([5, 5, 2, 2, 1, 4, 6], doubt="count"))
    page.click("dialog button:has-text('Enter all the dice')")
    page.wait_for_selector("dialog .photo.low")
    photo, keys = (page.locator(f"dialog:last-of-type {each}").bounding_box() for each in (".photo.low", ".faces"))
    assert photo["y"] >= 0
    assert photo["y"] + photo["height"] <= keys["y"]
    assert keys["y"] + keys["height"] <= 844


def test_scoreboard_notice_link_opens_its_paragraph_of_the_help_page(chromium: Any, pub: Pub, address: str) -> None:
    page = phone(chromium, address)
    for game, thrown, told in (
        ("crib_dice", [5, 5, 5, 1, 4, 6], "First throw."),
        ("crapola", [1, 1, 1, 2, 3], "What scores."),
    ):
        begin(pub, game, {"throw": [*thrown, 2]})
        pub.table.submit(observation(thrown, [2]))
        live(page, f"{address}/")
        page.click("#notice a")
        page.wait_for_selector("[data-why]:focus")
        assert page.evaluate("document.activeElement.textContent").startswith(told), game
        assert page.locator("[data-why]:focus").bounding_box()["y"] >= page.locator(".bar").bounding_box()["height"]


FOCUSED = """() => { const on = document.activeElement, { outlineStyle, outlineWidth } = getComputedStyle(on);
  return [on.ariaLabel ?? on.textContent, outlineStyle !== "none" && parseFloat(outlineWidth) >= 2]; }"""


def walk(page: Any, steps: int) -> list[str]:
    """Press Tab `steps` times; return the labels of what has the focus before and after each, visibly focused."""
    reached = []
    for _ in range(steps):
        words, ringed = page.evaluate(FOCUSED)
        assert ringed, words
        reached.append(words)
        page.keyboard.press("Tab")
    return reached


def test_control_page_die_question_lets_tab_and_enter_choose_a_face(pub: Pub, visiting: Any) -> None:
    begin(pub, "crib_dice")
    page = visiting("/control", paired=True)
    page.keyboard.press("Tab")
    pub.table.submit(observation([5, 5, 2, 2, 1, 4, 6], doubt="disagree"))
    page.wait_for_selector("dialog[open]")
    faces = [f"It is a {value}" for value in (5, 1, 2, 3, 4, 6)]
    assert walk(page, 7) == [*faces, "The whole tray"]
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.click("[data-key='ask']")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog", state="detached")
    assert pub.table.snapshot().throws[0].values.count(3) == 1
