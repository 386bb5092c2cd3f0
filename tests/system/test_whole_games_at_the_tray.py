"""Whole games in real Chromium on the virtual tray, without pairing: pressing the gold buttons ends the game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.system.running import Running
from tests.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.evening]
PHONE = {"width": 390, "height": 844}
GAMES = {"crib_dice": 600, "crag": 200, "crapola": 600}
"""With so many acts at most: far more than a game takes, so that one that never ends is found."""
ANSWERS = "dialog .likely, dialog .main:text-matches('All right'), dialog button:text-matches('no throw')"
"""To a question: as the table takes it to be; what it makes nothing of was no throw, and is thrown again."""
OUT = Path(__file__).resolve().parents[2] / "out" / "evening"


class Guest:
    """Somebody at the tray who reads nothing but what is gold."""

    def __init__(self, page: Any, table: Running, out: Path) -> None:
        self.page, self.table, self.out = page, table, out
        self.acts: list[str] = []

    def state(self) -> dict[str, Any]:
        return self.table.state()

    def play(self, most_acts: int) -> dict[str, Any]:
        while not (snapshot := self.state())["state"]["over"]:
            assert len(self.acts) < most_acts, self.acts[-20:]
            self.act(snapshot)
        return snapshot

    def act(self, before: dict[str, Any]) -> None:
        """One act, and until something has come of it."""
        gold = self.gold()
        words = " ".join(gold.inner_text().split())
        self.acts.append(words)
        gold.click()
        throws = words.startswith("Throw")

        def changed() -> bool:
            now = self.state()
            new = now["number"] > before["number"] or (now["question"] or {}) != (before["question"] or {})
            return new and not (throws and now["phase"] == "settling")

        if not until(changed):
            raise self.stuck(f"nothing came of {words!r}")
        number = self.state()["number"]
        self.page.wait_for_function("number => document.documentElement.dataset.number >= number", arg=number)

    def gold(self) -> Any:
        """Wait for a gold button, in the dialog where one is open, else on the page, and return it."""
        shown = list[Any]()

        def marked() -> bool:
            asked = self.page.query_selector("dialog[open]") is not None
            found = self.page.query_selector_all(ANSWERS if asked else "main .main:enabled")
            shown[:] = [one for one in found if one.is_visible()]
            return bool(shown)

        if not until(marked):
            raise self.stuck("nothing is marked gold")
        return shown[0]

    def stuck(self, why: str) -> AssertionError:
        self.out.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=str(self.out / "stuck.png"), full_page=True)
        now = self.state()
        seen = {key: now[key] for key in ("phase", "notice", "question", "options", "thrown", "kept", "state")}
        return AssertionError(f"{why} after {self.acts[-6:]}: {seen}")


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_by_pressing_the_gold_buttons(chromium: Any, tmp_path: Path, game: str) -> None:
    with Running(tmp_path, "--game", game, "--players", "Ann,Ben") as table:
        tray = chromium.new_context(viewport=PHONE).new_page()
        screen = chromium.new_page(viewport={"width": 1280, "height": 720})
        tray.goto(table.page + "tray")
        screen.goto(table.page + "tv")
        tray.wait_for_selector("#throw:enabled")
        guest = Guest(tray, table, OUT)
        over = guest.play(GAMES[game])
        print(f"{game}: {len(guest.acts)} acts")
        screen.wait_for_selector("#felt .winner")
        assert over["state"]["outcome"]["winners"][0] in screen.inner_text("#felt")
        OUT.mkdir(parents=True, exist_ok=True)
        screen.screenshot(path=str(OUT / f"{game}-over.png"))
        assert guest.gold().inner_text() == "Next game"
        tray.context.close()
        screen.close()
