"""One clear next step: decisions where dice are thrown, gold on the sensible act, nothing sent twice or lost unsaid."""

from __future__ import annotations

from typing import Any

import pytest

from companion.table.commands import Abandon, CorrectThrow, NoteMotion, StartGame
from tests.games.crib_turns import bank
from tests.waiting import RETRIES
from tests.web.phases import Evening
from tests.web.phones import newest
from tests.web.pub import HEADER, PIN, Pub, observation, play

pytestmark = pytest.mark.browser
THROW = {"throw": [5, 5, 5, 2, 1, 4, 6]}


def begin(pub: Pub, game: str, *lines: dict[str, Any]) -> None:
    pub.table.submit(StartGame(header={**HEADER, "game": game}))
    play(pub, *lines)


def gold(page: Any) -> list[str]:
    """Return the texts of the buttons that are highlighted (gold) as the next thing to do."""
    return [each.inner_text() for each in page.query_selector_all("main .main:enabled") if each.is_visible()]


def test_scoreboard_names_no_winner_of_a_crag_game_left_by_the_only_player(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header={**HEADER, "game": "crag", "players": ["Ann"]}))
    play(pub, {"leave": "Ann"})
    page = visiting("/")
    text = page.inner_text("body")
    assert "Game over" in text
    assert "wins" not in text


def test_scoreboard_says_a_crag_player_who_kept_no_die_throws_all_again(pub: Pub, visiting: Any) -> None:
    begin(pub, "crag", {"throw": [1, 2, 4]}, {"do": "keep", "dice": []})
    page = visiting("/")
    assert "Ann throws all of them again" in page.text_content("body")


def test_scoreboard_marks_the_dice_of_every_choice_highlighted_on_the_control_page(pub: Pub, visiting: Any) -> None:
    begin(pub, "crib_dice", {"throw": [1, 1, 2, 3, 3, 4, 6]})
    assert gold(visiting("/control", paired=True)) == ["Set aside\n+2", "Set aside\n+2"]
    dice = visiting("/").locator(".group .dice > *").all()
    ringed = [at for at, die in enumerate(dice) if "ringed" in str(die.get_attribute("class"))]
    assert (len(dice), ringed) == (7, [0, 1, 3, 4])


def test_the_scoreboard_shows_no_turn_points_once_a_crib_dice_bomb_is_announced(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header={**HEADER, "rules": {"bomb": True}}))
    play(pub, *bank(5), {"throw": [1, 1, 1, 1, 1, 2, 3]}, {"do": "point", "value": 1})
    page = visiting("/")
    assert page.inner_text("#chance") == "Throw: 86 % to keep the 3"
    assert page.inner_text("#can") == "throw 2 dice (the piddle), bank 3 or bomb"
    play(pub, {"do": "bomb"})
    newest(page, pub)
    assert "+3" not in page.inner_text("#players")
    assert page.inner_text("#notice") == "A 1 makes you change places with the leader. Without one it is a wipe-out."
    assert page.inner_text("#chance") == "Throw: 31 % to succeed"
    assert page.inner_text("#points") == "0"
    assert "lost" not in page.inner_text("#notice")


def test_a_roll_off_says_what_the_two_dice_decide_and_shows_no_points(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header={**HEADER, "roll_off": True}))
    play(pub, {"throw": [4, 2]})
    page = visiting("/")
    assert page.inner_text("#can") == "throw 2 dice to see who starts"
    assert page.inner_text("#notice") == "The highest total starts. Those who tie throw again."
    assert page.inner_text("#last") == "Ann threw 2, 4. Ann's total is 6."
    assert page.is_hidden("#worth")


def test_pages_say_what_follows_the_crapola_dice_laid_in_the_keep_zone(pub: Pub, visiting: Any) -> None:
    evening = Evening(pub)
    evening.begin("crapola", ("Ann", "Ben"))
    evening.see([1, 1, 1, 5, 2, 3])
    page, phone = visiting("/tv", "1280x720"), visiting("/control", paired=True)
    assert page.inner_text("#can") == "set aside dice that score"
    evening.set_aside(1)
    for each in (page, phone):
        newest(each, pub)
        assert each.inner_text("#can") == "throw the other 3 dice or bank 1,000"
        assert each.inner_text("#points") == "+1,000"
    assert [len(row.query_selector_all(".die")) for row in page.query_selector_all("#felt .group")] == [3, 3]
    assert phone.inner_text("[data-key='keep']") == "Set aside 1, 1, 1 +1,000"


def test_pages_ask_for_a_throw_where_the_kept_crapola_dice_are_too_few_to_bank(pub: Pub, visiting: Any) -> None:
    evening = Evening(pub)
    evening.begin("crapola", ("Ann", "Ben"))
    evening.see([1, 2, 2, 3, 4, 6])
    evening.set_aside(1)
    page = visiting("/")
    assert page.inner_text("#can") == "throw the other 5 dice"
    assert page.inner_text("#notice").startswith("1 kept: worth 100. A first bank takes 1,000 or more, so throw on.")
    assert page.inner_text("#makes") == "Counts only once it is banked"


def test_the_tv_tells_how_to_bank_where_crib_dice_points_can_be_banked(pub: Pub, visiting: Any) -> None:
    begin(pub, "crib_dice", THROW, {"do": "point", "value": 5})
    page = visiting("/tv", "1280x720")
    page.wait_for_selector("#notice:has-text('Bank: lift all dice out, and the 5 are yours.')")


def test_the_tv_names_no_bank_while_crapola_dice_that_score_must_be_chosen(pub: Pub, visiting: Any) -> None:
    evening = Evening(pub)
    evening.begin("crapola", ("Ann", "Ben"))
    evening.see([1, 2, 2, 3, 4, 6])
    page = visiting("/tv", "1280x720")
    page.wait_for_selector("#notice:has-text('Put scoring dice in the keep zone, e.g. the 1, or tap them on a phone.')")


def test_a_fuchled_player_is_not_said_to_stay_where_the_peg_was(pub: Pub, visiting: Any) -> None:
    lost: list[dict[str, Any]] = [THROW, {"do": "point", "value": 5}, {"throw": [2, 3, 4, 6]}]
    begin(pub, "crib_dice", *bank(5), *bank(5), *lost, *bank(5), *lost, *bank(5), *lost)
    page = visiting("/")
    said = "Wipe-out! Ann loses the 5 points of this turn. Fuchled! Ann goes back to the start."
    assert page.inner_text("#last") == f"Ann threw 2, 3, 4, 6. {said}"
    assert "back at the start: fuchled" in page.inner_text("#players")


def test_the_bomb_button_on_the_control_page_shows_no_points(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header={**HEADER, "rules": {"bomb": True}}))
    play(pub, *bank(5), {"throw": [1, 1, 1, 1, 1, 2, 3]}, {"do": "point", "value": 1})
    page = visiting("/control", paired=True)
    assert page.locator("#pick button").all_inner_texts() == ["Bomb!"]


def test_tv_page_of_an_abandoned_game_shows_no_player_and_names_the_next_step(pub: Pub, visiting: Any) -> None:
    begin(pub, "crag", {"throw": [6, 6, 1]})
    pub.table.submit(Abandon(number=pub.table.snapshot().number))
    page = visiting("/tv")
    assert page.inner_text("#who") == "The game was abandoned"
    assert page.inner_text("#notice") == "Tap “Next game” on a phone."
    assert page.locator("#who .chip").count() == 0
    assert page.is_hidden("#last")
    assert page.inner_text("#felt") == ""
    assert page.locator(":is(.on, [aria-current]):not(nav *), .offer").count() == 0


def test_abandoning_a_crapola_turn_takes_its_points_off_the_scoreboard(pub: Pub, visiting: Any) -> None:
    begin(pub, "crapola", {"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]})
    page = visiting("/")
    assert "+1,000" in page.inner_text("#players")
    pub.table.submit(Abandon(number=pub.table.snapshot().number))
    newest(page, pub)
    assert "+" not in page.inner_text("#players")
    assert page.inner_text("#felt") == ""


def test_escape_closes_the_control_pages_more_menu_and_returns_the_focus_to_its_button(pub: Pub, visiting: Any) -> None:
    begin(pub, "crapola")
    page = visiting("/control", paired=True)
    page.click("#more > summary")
    page.focus("[data-key='phones']")
    page.keyboard.press("Escape")
    assert page.is_hidden("#rest")
    assert page.evaluate("document.activeElement.matches('#more > summary')")


def test_screen_readers_hear_once_who_has_won(pub: Pub, visiting: Any) -> None:
    begin(pub, "crapola")
    page = visiting("/")
    page.evaluate(
        "() => { window.heard = []; new MutationObserver((all) => "
        "heard.push(...all.flatMap((one) => [...one.addedNodes]).map((node) => node.textContent)))"
        ".observe(said, { childList: true, subtree: true }); }"
    )
    play(pub, {"leave": "Ben"})
    page.wait_for_function("() => heard.length")
    pub.table.submit(observation([1, 2, 2, 3, 4, 6]))  # news of the tray, none of the game
    newest(page, pub)
    assert page.evaluate("heard") == ["Ben leaves the game. Ann wins!"]


def test_the_scoreboard_calls_nobody_0_behind_after_a_crapola_tie(pub: Pub, visiting: Any) -> None:
    """Of equal totals the player who reached the target first wins alone."""
    header = {**HEADER, "game": "crapola", "players": ["Ann", "Ben", "Cat"], "rules": {"target": 1000}}
    pub.table.submit(StartGame(header=header))
    home: list[dict[str, Any]] = [{"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"}]
    play(pub, *home, *home, {"throw": [2, 2, 3, 3, 4, 6]})
    page = visiting("/")
    assert pub.state()["outcome"]["winners"] == ["Ann"]
    text = page.text_content("#players")
    assert "1,000 behind" in text
    assert "0 behind" not in text.replace("1,000 behind", "")


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


def test_tray_api_accepts_game_moves_from_localhost_but_not_from_an_unpaired_phone(pub: Pub) -> None:
    begin(pub, "crib_dice", THROW)
    body = {"number": pub.table.snapshot().number, "line": {"do": "point", "value": 5}}
    assert pub.stranger().post("/api/tray/lines", json=body).status_code == 401
    assert pub.stranger("127.0.0.1").post("/api/lines", json=body).status_code == 401
    assert pub.stranger("127.0.0.1").post("/api/tray/lines", json=body).status_code == 200


@pytest.mark.parametrize(
    ("game", "lines", "path", "wanted"),
    [
        ("crib_dice", [], "/control", []),
        ("crib_dice", [], "/tray", ["Throw 7 dice"]),
        ("crib_dice", [THROW, {"do": "point", "value": 5}], "/control", []),
        ("crag", [], "/tray", ["Throw 3 dice"]),
        ("crag", [{"throw": [6, 6, 1]}], "/control", ["Crag\n50"]),
        ("crag", [{"throw": [6, 6, 2]}], "/control", ["Throw 1 again"]),
        ("crapola", [{"throw": [1, 1, 1, 5, 2, 3]}], "/control", ["Set aside 1, 1, 1, 5 +1,050"]),
    ],
)
def test_control_and_tray_pages_highlight_at_most_the_one_button_to_press_next(
    pub: Pub, visiting: Any, game: str, lines: list[dict[str, Any]], path: str, wanted: list[str]
) -> None:
    begin(pub, game, *lines)
    page = visiting(path, paired=True)
    assert gold(page) == wanted


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


def test_control_page_sends_a_bank_tapped_offline_after_reconnecting(pub: Pub, visiting: Any) -> None:
    begin(pub, "crib_dice", THROW, {"do": "point", "value": 5})
    page = visiting("/control", paired=True)
    away(page)
    page.click("#big button:has-text('Bank 5')")
    page.wait_for_selector("#toast:has-text('once it is back')")
    before = pub.table.snapshot().number
    back(page)
    page.wait_for_selector("#toast:has-text('has been sent')")
    assert pub.table.snapshot().number == before + 1
    assert pub.state()["scores"] == {"Ann": 5, "Ben": 0}


def test_control_page_sends_a_bank_again_once_an_unresponsive_network_is_back(pub: Pub, visiting: Any) -> None:
    begin(pub, "crib_dice", THROW, {"do": "point", "value": 5})
    page = visiting("/control", paired=True)
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


@pytest.mark.parametrize("lost", ["no answer", "broken answer"])
def test_control_page_says_the_table_cannot_be_reached_if_pairing_gets_no_answer(visiting: Any, lost: str) -> None:
    page = visiting("/control")
    page.evaluate(
        "() => { const wait = AbortSignal.timeout; AbortSignal.timeout = () => wait.call(AbortSignal, 100); }"
    )
    page.route("**/api/pair", lambda route: route.fulfill(status=502, body="<") if lost[0] == "b" else None)
    page.fill("#pin", PIN)
    page.click("#pair-form button[type=submit]")
    page.wait_for_selector("#pair-problem:has-text('reach the table')")


def test_player_page_shows_a_message_when_stand_up_cannot_reach_the_server(visiting: Any, address: str) -> None:
    page = visiting("/control", paired=True)
    assert page.request.post(f"{address}/api/seats", data={"name": "Ann", "colour": 1}, max_retries=RETRIES).ok
    page.goto(f"{address}/me")
    page.route("**/api/seats/leave", lambda route: route.abort())
    page.click("#stand")
    page.wait_for_selector("#toast:has-text('reach the table')")


def test_control_page_drops_a_choice_made_offline_with_notice_if_game_moved_on(pub: Pub, visiting: Any) -> None:
    begin(pub, "crib_dice", THROW, {"do": "point", "value": 5})
    page = visiting("/control", paired=True)
    away(page)
    page.click("#big button:has-text('Bank 5')")
    page.wait_for_selector("#toast:has-text('once it is back')")
    play(pub, {"throw": [5, 1, 2, 3]})
    back(page)
    page.wait_for_selector("#toast:has-text('is back and has moved on')")
    assert pub.state()["turn_points"] == 10


def test_control_page_asks_to_check_an_action_whose_answer_was_lost(pub: Pub, visiting: Any) -> None:
    begin(pub, "crib_dice", THROW, {"do": "point", "value": 5})
    page = visiting("/control", paired=True)

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


def test_control_page_says_what_undo_and_a_crapola_spend_would_change(pub: Pub, visiting: Any) -> None:
    begin(pub, "crapola", {"throw": [1, 1, 1, 5, 2, 3]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"})
    play(pub, {"throw": [1, 1, 1, 5, 2, 3]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"})
    page = visiting("/control", paired=True)
    page.click("#more summary")
    assert "Ben banked 1,000" in page.inner_text(".undo")
    page.click("[data-key='spend']")
    page.fill("#spend-points", "300")
    assert page.inner_text("dialog [role='status']") == "Ann: 1,000 → 700 · Ben: 1,000 → 700"


def test_undo_button_names_the_move_it_takes_back_and_no_correction_or_undo(pub: Pub, visiting: Any) -> None:
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


@pytest.mark.parametrize(
    ("game", "kept", "told"), [("crib_dice", [2], "First throw."), ("crapola", [2], "What scores.")]
)
def test_scoreboard_notice_link_opens_its_paragraph_of_the_help_page(
    pub: Pub, visiting: Any, game: str, kept: list[int], told: str
) -> None:
    thrown = {"crib_dice": [5, 5, 5, 2, 1, 4, 6], "crapola": [1, 1, 1, 2, 2, 3]}[game]
    begin(pub, game, {"throw": thrown})
    thrown.remove(kept[0])
    pub.table.submit(observation(thrown, kept))
    page = visiting("/")
    page.click("#notice a")
    page.wait_for_selector("[data-why]:focus")
    assert page.evaluate("document.activeElement.textContent").startswith(told)
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


def test_the_scoreboard_names_no_leader_after_two_of_three_players_won_at_crib_dice(pub: Pub, visiting: Any) -> None:
    rules = {"find_a_loser": True}
    pub.table.submit(StartGame(header={**HEADER, "players": ["Ann", "Ben", "Cat"], "rules": rules}))
    play(pub, *bank(121), *bank(130))
    page = visiting("/")
    assert pub.state()["outcome"]["winners"] == ["Ann", "Ben"]
    assert "Ann and Ben share the win!" in page.inner_text("main")
    assert "leads" not in page.text_content("body")


def test_the_scoreboard_names_a_new_crapola_leader_after_the_leader_has_left(pub: Pub, visiting: Any) -> None:
    rules = {"target": 1000, "entry": 0}
    pub.table.submit(StartGame(header={**HEADER, "game": "crapola", "players": ["Ann", "Ben", "Cat"], "rules": rules}))
    play(pub, {"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"})
    play(pub, {"throw": [5, 2, 2, 3, 4, 6]}, {"do": "keep", "dice": [5]}, {"do": "stop"}, {"leave": "Ann"})
    page = visiting("/")
    newest(page, pub)
    assert page.inner_text("#lead") == "Ben leads by 50"
    assert page.inner_text("#notice") == "Your last turn: Ben is 50 ahead."
    ann, ben, cat = (line.inner_text().split("\n")[-1] for line in page.query_selector_all("#players > .player"))
    assert ("leads" in ann, ben, cat) == (False, "leads", "50 behind")


def test_scoreboard_of_a_crapola_last_round_says_so_once_and_names_no_target(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header={**HEADER, "game": "crapola", "rules": {"target": 1000, "entry": 0}}))
    play(pub, {"throw": [5, 2, 2, 3, 4, 6]}, {"do": "keep", "dice": [5]}, {"do": "stop"})
    play(pub, {"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"})
    page = visiting("/")
    assert page.inner_text("#match").split("\n") == ["Crapola", "Last round: most points wins"]
    assert page.inner_text("#notice") == "Your last turn: Ben is 950 ahead."
    assert page.inner_text("#panels") == ""
    assert "to go" not in page.inner_text("#players")


def test_the_tv_page_says_that_the_bots_dice_roll_and_addresses_nobody(pub: Pub, visiting: Any) -> None:
    house = {"player": "Ann", "level": "best"}
    pub.table.submit(StartGame(header=HEADER, terms={"house": house}))
    pub.table.submit(NoteMotion())
    page = visiting("/tv", "1920x1080")
    page.wait_for_selector('#phase[data-phase="settling"]', state="attached")
    assert page.inner_text("#who") == "Ann's dice are rolling …"
