"""Whole games in real Chromium, from the scan to the end with the tutorial on: tapping what is gold, or by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error

from tests.system.running import Running
from tests.system.test_first_evening import Host, code_on_screen
from tests.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.evening]
GAMES = {"crib_dice": 600, "crag": 200, "crapola": 600}
"""With so many acts at most: far more than a game takes, so that one that never ends is found."""
FIRST_SCORE_TAPS = {"crib_dice": 3}
"""Most taps from the page that the code opens to the first score, in games whose first throw always scores."""
GOLD = "main button.main:enabled:not([aria-disabled])"
ANSWERS = "dialog .likely, dialog .main, dialog button:text-matches('no throw')"
"""To a question: as the table takes it to be; what it makes nothing of was no throw, and is thrown again."""
LEAST_LESSONS = 6
"""Different lessons that a whole game tells at least."""
MOST_TABS = 150
"""Presses of Tab until a gold button has the focus, at most: about twice round the page."""
MOST_LOOKS = 20
"""Times that a gold button is looked for again, at most, because the page replaced it before it was pressed."""
OUT = Path(__file__).resolve().parents[2] / "out" / "evening"
Press = Callable[[Any], None]


def tap(button: Any) -> None:
    """Tap a button as a finger does."""
    button.tap()


def by_keyboard(button: Any) -> None:
    """Move the focus to a button by Tab alone, then press Enter."""
    page = button.owner_frame().page
    for _ in range(MOST_TABS):
        if button.evaluate("(each) => each === document.activeElement"):
            page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never reaches {button.inner_text()!r}")


class Guest:
    """Somebody at the tray who reads nothing but what is gold."""

    def __init__(self, page: Any, table: Running, press: Press) -> None:
        self.page, self.table, self.press = page, table, press
        self.acts: list[str] = []
        self.answers = 0
        self.lessons: set[str] = set()

    def state(self) -> dict[str, Any]:
        return self.table.state()

    def play(self, most_acts: int) -> dict[str, Any]:
        while not (snapshot := self.state())["state"]["over"]:
            assert len(self.acts) < most_acts, self.acts[-20:]
            self.act()
        return snapshot

    def score(self) -> None:
        """Act until the first throw has scored."""
        while not (state := self.state()["state"])["turn_points"] and not any(state["scores"].values()):
            self.act()

    def act(self) -> None:
        """Press a gold button and wait until the table has answered."""
        words, answering, before = self.press_gold()
        self.acts.append(words)
        self.answers += answering
        throws = words.startswith("Throw")

        def changed() -> bool:
            now = self.state()
            new = now["number"] > before["number"] or (now["question"] or {}) != (before["question"] or {})
            unclear = now["pulse"] > before["pulse"] and (now["notice"] or {}).get("code") == "unclear"
            return (new or unclear) and not (throws and now["phase"] == "settling")

        if not until(changed):
            raise self.stuck(f"nothing came of {words!r}")
        self.shown()
        taught = self.page.query_selector("#notice.taught")
        if taught is not None:
            self.lessons.add(taught.inner_text())

    def press_gold(self) -> tuple[str, bool, dict[str, Any]]:
        """Press a gold button. If the page was drawn anew meanwhile, look for one again.

        Returns:
            The button's words, whether it answers a question, and the snapshot that the button was pressed on.
        """
        for _ in range(MOST_LOOKS):
            before = self.shown()
            gold = self.gold()
            try:
                words = " ".join(gold.inner_text().split())
                answering = gold.evaluate("button => button.closest('dialog') !== null")
                if self.state()["pulse"] != before["pulse"]:
                    continue  # the table has moved on since that button was drawn
                self.press(gold)
            except Error as error:
                if "not attached" not in str(error):
                    raise
            else:
                return words, answering, before
        raise self.stuck("the page is drawn anew before a gold button can be pressed")

    def shown(self) -> dict[str, Any]:
        """Return the newest snapshot, once the page shows it."""
        snapshot = self.state()
        self.page.wait_for_function("pulse => document.documentElement.dataset.pulse >= pulse", arg=snapshot["pulse"])
        return snapshot

    def gold(self) -> Any:
        """Wait for a gold button, in the dialog where one is open, else on the page, and return it."""
        shown = list[Any]()

        def marked() -> bool:
            asked = self.page.query_selector("dialog[open]") is not None
            found = self.page.query_selector_all(ANSWERS if asked else GOLD)
            shown[:] = [one for one in found if one.is_visible()]
            return bool(shown)

        if not until(marked):
            raise self.stuck("nothing is marked gold")
        return shown[0]

    def stuck(self, why: str) -> AssertionError:
        OUT.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(OUT / "stuck.png"), full_page=True)
        now = self.state()
        seen = {key: now[key] for key in ("phase", "notice", "question", "options", "thrown", "kept", "state")}
        return AssertionError(f"{why} after {self.acts[-6:]}: {seen}")


def begun(chromium: Any, table: Running, game: str, press: Press) -> Guest:
    """Scan the code of a new table, name two players, choose the game, begin it, and stand at the tray."""
    host = Host(chromium)
    host.scan(code_on_screen(chromium, table))
    host.page.wait_for_url("**/setup")
    host.type("[data-key='seat-0']", "Ann, Ben")
    host.page.check(f"[name='new-game'][value='{game}']")
    guest = Guest(host.page, table, press)
    guest.acts.append("Begin")
    press(host.page.wait_for_selector("#begin"))
    host.page.wait_for_url("**/tray")
    host.page.wait_for_selector("#throw:enabled")
    return guest


@pytest.mark.parametrize(
    ("game", "press"),
    [*((game, tap) for game in GAMES), ("crag", by_keyboard)],
    ids=lambda each: getattr(each, "__name__", each),
)
def test_highlighted_page_buttons_alone_play_a_game_from_qr_scan_to_end(
    chromium: Any, tmp_path: Path, game: str, press: Press
) -> None:
    """The tutorial tells its lessons; at the end the TV page shows the winner, and a next game is offered."""
    with Running(tmp_path) as table:
        guest = begun(chromium, table, game, press)
        screen = chromium.new_page(viewport={"width": 1280, "height": 720})
        screen.goto(table.page + "tv")
        assert table.state()["terms"]["lessons"] is True, "a first game explains itself"
        guest.score()
        assert len(guest.acts) - guest.answers <= FIRST_SCORE_TAPS.get(game, GAMES[game]), guest.acts
        over = guest.play(GAMES[game])
        print(f"{game} by {press.__name__}: {len(guest.acts)} acts, {len(guest.lessons)} lessons")
        assert len(guest.lessons) >= LEAST_LESSONS, guest.lessons
        screen.wait_for_selector(".stage.won")
        assert over["state"]["outcome"]["winners"][0] in screen.inner_text("#who")
        OUT.mkdir(parents=True, exist_ok=True)
        screen.screenshot(path=str(OUT / f"{game}-over.png"))
        assert re.sub(r"\s+", " ", guest.gold().inner_text()).strip() == "Next game"
        guest.page.context.close()
        screen.close()
