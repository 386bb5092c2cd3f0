"""A new table from its first start to its first scored throw: one code to scan, one page to fill in, one throw."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.scanning import scanned
from tests.system.running import Running
from tests.waiting import until

PHONE = {"width": 390, "height": 844}
MOST_ACTS = 5


class Host:
    """Somebody with a phone who has never seen the table; counts what must be done."""

    def __init__(self, chromium: Any) -> None:
        self.page = chromium.new_context(viewport=PHONE, has_touch=True).new_page()
        self.acts: list[str] = []

    def scan(self, address: str) -> None:
        self.acts.append("scan the code")
        self.page.goto(address)

    def type(self, where: str, words: str) -> None:
        self.acts.append(f"type {words}")
        self.page.fill(where, words)
        self.page.press(where, "Tab")

    def tap(self, what: str) -> None:
        self.acts.append(f"tap {what}")
        self.page.click(what)


def code_on_screen(chromium: Any, table: Running) -> str:
    """What the code on the screen of that table says."""
    screen = chromium.new_page(viewport={"width": 1280, "height": 720})
    screen.goto(table.page + "tv")
    screen.wait_for_selector("#host")
    code = scanned(screen.locator("#host img"))
    screen.close()
    return code


def first_throw(chromium: Any, table: Running) -> Host:
    """Scan, say who plays, begin, throw, and score what was thrown."""
    host = Host(chromium)
    host.scan(code_on_screen(chromium, table))
    host.page.wait_for_url("**/setup")
    host.type("[data-key='seat-0']", "Zoë, Max")
    host.tap("#begin")
    host.page.wait_for_url("**/tray")
    host.tap("#throw")
    assert until(lambda: table.state()["phase"] == "asking" or table.state()["throws"])
    if table.state()["phase"] == "asking":  # a die that leans: which is nobody's doing
        table.pair()
        table.ask("/api/answers", {"question": table.state()["question"]["id"], "values": [6, 6, 6, 2, 1, 4, 3]})
    host.tap("#pick .main")
    host.page.wait_for_selector("#points:has-text('+')")
    return host


@pytest.mark.browser
def test_a_new_tables_owner_needs_at_most_5_actions_to_a_scored_throw(chromium: Any, tmp_path: Path) -> None:
    """After them the /setup page changes name, language, layout and volume at once."""
    with Running(tmp_path) as table:
        host = first_throw(chromium, table)
        assert len(host.acts) <= MOST_ACTS, host.acts
        assert table.state()["header"]["players"] == ["Zoë", "Max"]
        assert table.state()["state"]["turn_points"] > 0
        set_up(host.page, table, tmp_path / "no-settings" / "pegpip" / "pegpip.toml")
        host.page.context.close()


def set_up(page: Any, table: Running, settings: Path) -> None:
    """What else is asked there, each answered at once."""
    page.goto(table.page + "setup")
    page.fill("#table-name", "The Plough")
    page.press("#table-name", "Tab")
    page.wait_for_selector("#table-name-says:text-matches('Saved')")
    page.select_option("#table-language", "de")
    page.wait_for_selector("#table-language-says:text-matches('Saved')")
    page.wait_for_function("() => document.querySelectorAll('#lights circle').length === 122")
    page.select_option("#strip-layout", "board3x121")
    page.wait_for_function("() => document.querySelectorAll('#lights circle').length === 363")
    assert len(table.ask("/api/board")[1]["leds"]) == 363
    page.fill("#sound-volume", "0.8")
    page.wait_for_selector("#sound-volume-says:text-matches('Saved')")
    page.wait_for_function("() => document.querySelector('#picture').naturalWidth === 1280")
    kept = tomllib.loads(settings.read_text(encoding="utf-8"))
    assert kept == {
        "table": {"name": "The Plough", "language": "de"},
        "strip": {"layout": "board3x121"},
        "sound": {"volume": 0.8},
    }
    assert "Die Bahn" in str(table.ask("/tv")[1]) or 'lang="de"' in table.ask("/tv")[1].decode()
