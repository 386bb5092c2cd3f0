"""Two phones act at once: a tap does what its button said when it was aimed at, or nothing at all."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from companion.errors import CompanionError
from companion.table.commands import StartGame
from tests.waiting import until
from tests.web.injecting import stop_clock
from tests.web.phones import newest, visit
from tests.web.pub import HEADER, Pub, play
from web.pairing.roles import Role

pytestmark = pytest.mark.browser
INTERLEAVINGS = 50
SEEN_MS = 250
"""Longest time from a look at a button to the tap: less than the shortest pause of changed buttons."""
PAUSE_MS = 900
"""Longest time between two rounds: past every pause, so that some taps act."""
SETTLED_MS = 700
"""Milliseconds after a change made on another phone until buttons act again."""
NAMED: list[dict[str, Any]] = [{"throw": [5, 5, 5, 2, 1, 4, 6]}, {"do": "point", "value": 5}]

WATCH = """() => {
  window.acts = [];
  const sent = window.fetch;
  window.fetch = (path, options) => {
    if (options?.method === "POST" && !String(path).includes("hold"))
      window.acts.push({ path: String(path), body: JSON.parse(options.body), meant: window.meant });
    return sent(path, options); };
}"""


def wanted(key: str) -> tuple[str, dict[str, Any]]:
    """Return what the button with this key must send: the end of the path, and a part of the body."""
    if key == "undo":
        return "/api/lines", {"line": {"undo": 1}}
    if key == "next":
        return "/api/next", {}
    return "/api/lines", {"line": json.loads(key)}


@pytest.mark.slow
def test_control_page_tap_does_only_what_its_button_said_when_aimed_at(chromium: Any, pub: Pub, address: str) -> None:
    """Two phones act at once, in 50 random interleavings."""
    dice = random.Random(37)
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *NAMED)
    phones = [phone(chromium, address) for _ in range(2)]
    places = [spot(phones[0], at) for at in range(3)]
    for _ in range(INTERLEAVINGS):
        for each in phones:
            each.keyboard.press("Escape")  # close what a tap has opened
        assert until(lambda: prepared(pub, dice))
        aiming, other = dice.sample(phones, 2)
        aim(aiming, place := dice.choice(places))
        aim(other, elsewhere := dice.choice(places))
        other.mouse.click(*elsewhere)
        pass_time(phones, dice.randint(0, SEEN_MS))
        aiming.mouse.click(*place)
        pass_time(phones, dice.randint(0, PAUSE_MS))
    done = [act for each in phones for act in each.evaluate("acts")]
    assert len(done) > INTERLEAVINGS / 4, "taps do something"
    for act in done:
        assert act.get("meant"), act
        path, body = wanted(act["meant"])
        assert act["path"].endswith(path), act
        assert body.items() <= act["body"].items(), act


def phone(chromium: Any, address: str) -> Any:
    """Return the control page of a paired phone with stopped timers; it records what it sends and what was aimed at."""
    page = visit(chromium, address + "/control", paired=True)
    stop_clock(page)
    page.evaluate(WATCH)
    return page


def pass_time(phones: list[Any], passing_ms: int) -> None:
    """Move the timers of all phones on by some milliseconds."""
    for each in phones:
        each.clock.run_for(passing_ms)


def aim(page: Any, place: tuple[float, float]) -> None:
    """Record which button a person aims at: the one at this place now."""
    page.evaluate("(at) => { window.meant = document.elementFromPoint(...at)?.closest('button')?.dataset.key }", place)


def spot(page: Any, place: int) -> tuple[float, float]:
    """Return the centre (x, y) of one of the three large buttons in pixels; `place` is 0 to 2."""
    box = page.locator("#big > *").nth(place).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def prepared(pub: Pub, dice: random.Random) -> bool:
    """Bring the game to a state in which something can be banked; False if a tap came between."""
    try:
        snapshot = pub.table.snapshot()
        if snapshot.abandoned or snapshot.state is None or snapshot.state["over"]:
            snapshot = pub.table.submit(StartGame(header=HEADER))
        words = {line["do"] for line in snapshot.options}
        if "point" in words:
            play(pub, next(line for line in snapshot.options if line["do"] == "point"))
        elif "stop" not in words and snapshot.state is not None and snapshot.state["throw_sizes"] == [7]:
            value = dice.randint(2, 6)
            rest = [each for each in range(1, 7) if each != value][:4]
            play(pub, {"throw": [value] * 3 + rest}, {"do": "point", "value": value})
    except CompanionError:
        return False
    return True


def test_control_page_ignores_a_tap_just_after_another_phones_change(chromium: Any, pub: Pub, address: str) -> None:
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *NAMED)
    page = phone(chromium, address)
    box = page.locator("#big [data-key='undo']").bounding_box()
    play(pub, {"throw": [5, 1, 2, 3]})
    newest(page, pub)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.evaluate("acts") == []
    page.clock.run_for(SETTLED_MS)
    page.click("#big [data-key='undo']")
    page.wait_for_function("() => acts.length === 1")


def test_tapping_remove_twice_unpairs_one_phone_but_spares_the_next(chromium: Any, pub: Pub, address: str) -> None:
    host = phone(chromium, address)
    names = [f"Phone {at}" for at in range(10)]  # more than a screen shows: the dialog keeps its height
    for name in names:
        pub.paired(Role.PLAYER, name)
    host.click("#more summary")
    host.click("[data-key='phones']")
    tap_again(host, "dialog li:has-text('Phone 3') button:has-text('Remove')")
    assert [each.name for each in pub.pairing.phones()] == ["Host", *names[:3], *names[4:]]


def test_a_double_tap_on_let_in_admits_only_the_first_waiting_phone(chromium: Any, pub: Pub, address: str) -> None:
    for name, other in (("Cat", "192.168.4.21"), ("Dov", "192.168.4.22")):
        assert pub.stranger(other).post("/api/pair/ask", json={"name": name}).status_code == 200
    host = phone(chromium, address)
    tap_again(host, ".asks:has-text('Cat') button")
    assert [each.name for each in pub.pairing.phones()] == ["Host", "Cat"]


def tap_again(page: Any, button: str) -> None:
    """Tap a button, and its place once more as soon as the button is gone; the timers of the page stand still."""
    page.wait_for_selector(button)
    page.clock.run_for(SETTLED_MS)
    page.wait_for_selector(f"{button}:not([aria-disabled])")
    page.locator(button).scroll_into_view_if_needed()
    box = page.locator(button).bounding_box()
    place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.click(*place)
    page.wait_for_selector(button, state="detached")
    page.mouse.click(*place)
    assert len(page.evaluate("acts")) == 1


def test_confirming_an_old_abandon_dialog_does_not_abandon_a_new_game(chromium: Any, pub: Pub, address: str) -> None:
    pub.table.submit(StartGame(header=HEADER))
    page = phone(chromium, address)
    page.click("#more summary")
    page.click("[data-key='abandon']")
    number = pub.table.submit(StartGame(header=HEADER)).number
    page.wait_for_function("number => document.documentElement.dataset.number == number", arg=number)
    with page.expect_response("**/api/abandon") as answered:
        page.click("dialog[open] button.danger")
    assert answered.value.status == 409
    assert not pub.table.snapshot().abandoned
