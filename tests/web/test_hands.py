"""Actions on the pages in a real Chromium: pairing, answering, correcting, seating, moving dice, coming back."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from companion.table.commands import Command, NextGame, PlayLine, StartGame
from tests.web.accessibility import violations
from tests.web.phones import MIDGAME, newest, tap_twice, visit
from tests.web.pub import ALONE, HEADER, Pub, observation, opened, play, play_out, served
from web.pairing.roles import PLAYERS
from web.serving.limits import Limits

pytestmark = pytest.mark.browser


@pytest.fixture
def pub(past: Pub) -> Pub:
    return past


def test_scoreboard_page_shows_a_lost_connection_and_reconnects_by_itself(chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with opened(tmp_path / "a") as pub:
        with served(pub, ALONE) as address:
            page = visit(chromium, address + "/")
        page.wait_for_selector('#live[data-live="no"]')
        assert "no connection" in page.inner_text("#live")
        assert "grayscale" in page.evaluate("getComputedStyle(document.querySelector('.stage')).filter")
    (tmp_path / "b").mkdir()
    with opened(tmp_path / "b") as again, served(again, (ALONE[0], int(address.rsplit(":", 1)[1]))):
        page.wait_for_selector('#live[data-live="yes"]')


def test_a_page_refused_an_event_stream_still_shows_the_next_snapshot(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, limits=Limits(streams=1, streams_spare=0)) as pub, served(pub) as address:
        pub.start()
        pages = [visit(chromium, address + "/") for _ in range(2)]
        assert len(pub.site.stream) == 1
        play(pub, MIDGAME[0])
        for page in pages:
            newest(page, pub)


def test_tv_page_shows_a_joining_phones_dice_code_until_the_phone_is_admitted(pub: Pub, visiting: Any) -> None:
    asker, screen = visiting("/control"), visiting("/tv", "1920x1080")
    asker.fill("#phone-name", "Ann's phone")
    asker.click("#pair-button")
    label = asker.get_attribute("#pair-dice .dice", "aria-label")
    assert violations(asker) == []
    screen.wait_for_selector("#code:not([hidden])")
    assert screen.get_attribute("#code .dice", "aria-label") == label
    assert violations(screen) == []
    pub.clock.now_s += 3
    assert pub.pairing.let_in()
    asker.wait_for_selector("#sheet:not([hidden])")
    screen.wait_for_selector("#code", state="hidden")
    assert [each.name for each in pub.pairing.phones()] == ["Ann's phone"]
    assert asker.problems == screen.problems == []


def test_control_page_question_about_a_die_is_answered_with_one_tap(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=HEADER))
    page = visiting("/control", paired=True)
    pub.table.submit(observation([5, 5, 2, 2, 1, 4, 6], doubt="disagree"))
    page.wait_for_selector("dialog[open]")
    page.click('dialog button[aria-label="It is a 3"]')
    page.wait_for_selector("dialog[open]", state="detached")
    assert pub.table.snapshot().throws[0].values.count(3) == 1


def test_control_page_corrects_a_die_of_a_past_throw_to_the_tapped_face(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header=HEADER))
    play(pub, MIDGAME[0])
    page = visiting("/control", paired=True)
    page.click("#throws-fold > summary")
    page.click('#throws button[aria-label^="Ann\'s 6"]')
    page.click('dialog button[aria-label="It is a 3"]')
    page.wait_for_selector("#toast")
    assert sorted(pub.table.snapshot().throws[0].values) == [1, 2, 3, 4, 5, 5, 5]


def test_the_correction_dialog_says_whether_a_die_was_entered_or_read(pub: Pub, visiting: Any) -> None:
    page = visiting("/control", paired=True)
    number = pub.table.submit(StartGame(header=HEADER)).number
    by_hand: list[Command] = [PlayLine(number=number, line=MIDGAME[0])]
    by_camera: list[Command] = [
        StartGame(header=HEADER), observation([], at_s=93.0), observation(MIDGAME[0]["throw"]),
    ]  # fmt: skip
    for thrown, asks in (
        (by_hand, "This was entered as 6. What is it?"),
        (by_camera, "This was read as 6. What is it?"),
    ):
        for command in thrown:
            pub.table.submit(command)
        assert pub.table.snapshot().throws, asks
        newest(page, pub)
        page.evaluate("document.getElementById('throws-fold').open = true")
        page.click('#throws button[aria-label^="Ann\'s 6"]')
        assert page.inner_text("dialog .can") == asks
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")


def test_control_page_shows_a_player_as_left_after_leaving_is_confirmed(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header={**HEADER, "players": ["Ann", "Ben & Co", "Cid"]}))
    page = visiting("/control", paired=True)
    page.click("#more summary")
    page.click("[data-key='leave']")
    page.select_option("#leave-who", "Ben & Co")
    page.click("dialog button.danger")
    page.wait_for_selector("dialog", state="detached")
    page.wait_for_selector("#players li:has-text('has left')")
    assert page.locator("#players li:has-text('has left')").all_inner_texts()[0].startswith("Ben & Co")
    state = pub.table.snapshot().state
    assert state is not None
    assert state["left"] == ["Ben & Co"]
    page.click("#more summary")
    page.click("[data-key='leave']")
    assert page.locator("#leave-who option").all_inner_texts() == ["Ann", "Cid"]


def test_a_leave_dialog_opened_in_one_game_removes_nobody_from_the_next_game(pub: Pub, visiting: Any) -> None:
    pub.table.submit(StartGame(header={**HEADER, "game": "crapola", "rules": {"target": 1500, "entry": 0}}))
    page = visiting("/control", paired=True)
    page.click("#more summary")
    page.click("[data-key='leave']")
    play_out(pub, random.Random(7))
    pub.table.submit(NextGame(number=pub.table.snapshot().number))
    newest(page, pub)
    page.click("dialog button.danger")
    page.wait_for_selector("#toast:has-text('moved on')")
    page.wait_for_selector("dialog", state="detached")
    assert not pub.state().get("left")


def test_control_page_tap_adds_a_known_player_to_a_new_game_in_their_old_colour(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, evening=True) as pub, served(pub) as address:
        pub.table.submit(StartGame(header={**HEADER, "players": ["Ann", "Ben", "Cid"]}))
        play(pub, MIDGAME[0])
        pub.table.submit(StartGame(header={**HEADER, "players": ["Cid", "Dot"]}))
        page = visit(chromium, address + "/control", paired=True)
        page.click("#more summary")
        page.click("[data-key='new-2']")
        page.click("[data-key='known-Ben']")
        page.click("dialog button:text-is('End that game and begin')")
        page.wait_for_selector("dialog", state="detached")
        page.wait_for_selector("#players li >> nth=2")
        assert page.locator("#players .name > bdi").all_inner_texts() == ["Cid", "Dot", "Ben"]
        assert list(pub.table.snapshot().sitting.colours.items()) == [("Cid", 2), ("Dot", 0), ("Ben", 1)]
        shown = page.locator("#players li").evaluate_all(
            "all => all.map((each) => each.style.getPropertyValue('--colour'))"
        )
        assert shown == ["var(--p2)", "var(--p0)", "var(--p1)"]


def test_control_page_puts_a_tapped_known_player_into_the_edited_name_field(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, evening=True) as pub, served(pub) as address:
        pub.table.submit(StartGame(header={**HEADER, "players": ["Ann", "Ben"]}))
        play(pub, MIDGAME[0])
        pub.table.submit(StartGame(header={**HEADER, "players": ["Cid", "Dot"]}))
        page = visit(chromium, address + "/control", paired=True)
        page.click("#more summary")
        page.click("[data-key='new-2']")
        page.wait_for_selector("[data-key='known-Ben']")
        page.click("[data-key='seat-1']")
        page.keyboard.press("Control+A")
        page.keyboard.press("Delete")
        page.click("[data-key='known-Ben']")
        assert page.input_value("[data-key='seat-1']") == "Ben"


def test_tray_page_dice_move_by_keyboard_drag_and_double_tap(pub: Pub, visiting: Any) -> None:
    page = visiting("/tray", "820x1180")
    grip = page.wait_for_selector('.grip[data-id="2"]')
    grip.focus()
    with page.expect_response("**/api/tray/move"):
        page.keyboard.press("ArrowRight")
    with page.expect_response("**/api/tray/move"):
        page.keyboard.press("k")
    box, tray = page.locator('.grip[data-id="0"]').bounding_box(), page.locator("#tray").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(tray["x"] + tray["width"] / 2, tray["y"] + tray["height"] * 0.9, steps=5)
    with page.expect_response("**/api/tray/move"):
        page.mouse.up()
    for die in (4, 5):
        with page.expect_response("**/api/tray/move"):
            tap_twice(page, f'.grip[data-id="{die}"]')
    moves = [done for done in pub.tray.done if done[0] == "move"]
    assert {move[1] for move in moves[3:]} == {4, 5}
    assert all(move[3] > 180 for move in moves[3:])
    assert moves[0][1:] == (2, 116.0, 60.0)
    assert moves[1][1] == 2
    assert moves[1][3] > 180
    assert moves[2][1] == 0
    assert moves[2][2:] == pytest.approx((160, 216), abs=3)


def test_tray_page_still_updates_after_the_delete_key_removes_a_die_being_dragged(pub: Pub, visiting: Any) -> None:
    page = visiting("/tray", "820x1180")
    box = page.wait_for_selector('.grip[data-id="0"]').bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 90, steps=3)
    page.keyboard.press("Delete")
    page.wait_for_selector('.grip[data-id="0"]', state="detached")
    page.mouse.up()
    pub.tray.lift([3])
    page.wait_for_selector('.grip[data-id="3"]', state="detached")


def test_tray_page_does_not_take_a_drag_for_a_shake_after_a_cancelled_touch(pub: Pub, visiting: Any) -> None:
    page = visiting("/tray", "820x1180")
    box, tray = page.wait_for_selector('.grip[data-id="0"]').bounding_box(), page.locator("#tray").bounding_box()
    session = page.context.new_cdp_session(page)
    touch = [{"x": tray["x"] + tray["width"] / 2, "y": tray["y"] + tray["height"] * 0.9}]
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": touch})
    session.send("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    for at in (0.9, 0.1, 0.9, 0.5):
        page.mouse.move(tray["x"] + tray["width"] * at, tray["y"] + tray["height"] / 2, steps=5)
    with page.expect_response("**/api/tray/move"):
        page.mouse.up()
    assert ("shake",) not in pub.tray.done


def test_the_dice_page_keeps_the_chosen_set_selected_when_an_older_answer_is_late(pub: Pub, visiting: Any) -> None:
    page = visiting("/dice")
    late: list[Any] = []
    page.route("**/api/evening/dice", lambda route: late.append(route))
    pub.table.submit(StartGame(header=HEADER))  # asks anew for the set used last
    while not late:  # expect_request misses what the browser sends before it has heard of the listener
        page.wait_for_timeout(20)
    with page.expect_response("**/api/evening/dice?set=Blue"):
        page.select_option("#set", "Blue")
    with page.expect_response("**/api/evening/dice"):
        late[0].continue_()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.input_value("#set") == "Blue"


def test_an_unpaired_phone_at_the_tray_page_sees_a_link_to_play_and_no_buttons(
    visiting: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.pages.HANDS", PLAYERS)  # without this machine, on which the browser runs
    guest = visiting("/tray")
    assert guest.is_hidden("#hands")
    assert guest.is_visible("#watching a[href='/control']")
    player = visiting("/tray", paired=True)
    assert player.is_enabled("#throw")
    assert player.is_hidden("#watching")
