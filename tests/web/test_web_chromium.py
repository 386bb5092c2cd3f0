"""The pages in a real Chromium: accessible, narrow and wide, alive, and quick to load. Screenshots go to out/web."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from accessibility import violations
from pub import ALONE, HEADER, PIN, Pub, observation, opened, play, served

from companion.config import Origin, Settings
from companion.session.commands import StartGame
from companion.session.house.advice import Advisor
from companion.session.past.export import PastGames as Journaled
from companion.session.past.fairness import course_of, watched
from companion.session.past.review import Review
from companion.session.past.statistics import Tally
from companion.settings_file import SettingsFile
from web.serving.limits import Limits

pytestmark = pytest.mark.browser
OUT = Path(__file__).resolve().parents[2] / "out" / "web"
PAGES = ("/", "/control", "/tray", "/tv", "/help", "/evening", "/dice", "/review", "/settings", "/setup")
HOSTS_ONLY = {"/control", "/review", "/settings", "/setup"}
PATIENCE_MS = 60_000
"""Far more than a busy machine needs: these tests say what happens, not how fast."""
SIZES = {"360x640": (360, 640), "390x844": (390, 844), "820x1180": (820, 1180), "1920x1080": (1920, 1080)}
MIDGAME: list[dict[str, Any]] = [
    {"throw": [5, 5, 5, 2, 1, 4, 6]},
    {"do": "point", "value": 5},
    {"throw": [5, 5, 1, 3]},
    {"do": "stop"},
    {"throw": [5, 5, 2, 2, 1, 4, 6]},
    {"do": "point", "value": 5},
    {"throw": [3, 3, 2, 4, 6]},
    {"throw": [4, 4, 4, 2, 1, 3, 6]},
    {"do": "point", "value": 4},
    {"throw": [4, 1, 2, 6]},
]


class PastGames:
    """Two games of an evening, one finished: stands in for the journal's."""

    def games(self) -> list[dict[str, Any]]:
        return [{"id": 1, "game": "crib_dice", "title": "Crib Dice",
                 "players": ["Ann", "Ben"], "colours": [2, 0], "winners": ["Ann"], "games_lost": {"Ben": 1},
                 "over": True, "throws": 2, "dice": "", "started": "2026-01-02 20:15",
                 "bests": {name: {"score": 9, "turn": 5, "loss": 3} for name in ("Ann", "Ben")}}]  # fmt: skip

    def transcript(self, game: int) -> list[dict[str, Any]] | None:
        return [HEADER, MIDGAME[0], MIDGAME[1]] if game == 1 else None

    def moves(self, game: int) -> list[dict[str, Any]] | None:
        states = [{"player": "Ann", "scores": {"Ann": at, "Ben": 0}, "turn_points": 5, "dice": [5, 5]} for at in (0, 9)]
        peg = {"banked": 0, "provisional": 5}
        beside = {"track": {"holes": 120, "pegs": [peg, peg]}, "throw": None}
        return [{"line": line, "state": state, **beside} for line, state in zip(MIDGAME, states, strict=False)]

    def tallies(self, game: int) -> dict[str, Tally]:
        return {"Ann": Tally(1, 1, 0, 2, 3, 2, 24, (1, 1, 0, 1, 3, 1)), "Ben": Tally(throws=1)}

    def players(self) -> dict[str, Tally]:
        return self.tallies(1)

    def fairness(self, dice: str | None) -> dict[str, Any]:
        throws = [(1, 2, 3, 4, 6, 6)] * 30
        return {"dice": dice or "", "sets": ["", "Blue"], **watched(throws).view(), "course": course_of(throws)}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[str, Pub]]:
    advisor = Advisor(lambda: pub.table.standing())
    file = SettingsFile(Origin(tmp_path / "pegpip.toml"), Settings(), lambda settings: [], lambda settings: None)
    having = {"evening": PastGames(), "review": Review(tmp_path), "advice": advisor, "settings": file}
    with opened(tmp_path, **having) as pub, served(pub) as address:
        yield address, pub


def phone(chromium: Any, address: str, size: str = "390x844", look: str = "dark", paired: bool = False) -> Any:
    width, height = SIZES[size]
    context = chromium.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    context.add_cookies([{"name": "look", "value": look, "url": address}])
    if paired:
        answer = context.request.post(f"{address}/api/pair", data={"pin": PIN, "name": "Host"})
        assert answer.ok
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda told: page.problems.append(told.text) if told.type == "error" else None)
    return page


def live(page: Any, address: str) -> None:
    page.goto(address)
    page.wait_for_selector('#live[data-live="yes"]')


@pytest.mark.parametrize("look", ["dark", "light"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_no_violation_also_at_twice_the_text_size(chromium: Any, site: Any, path: str, look: str) -> None:
    address, pub = site
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *MIDGAME)
    page = phone(chromium, address, look=look, paired=path in HOSTS_ONLY)
    live(page, address + path)
    assert violations(page) == []
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert violations(page) == []
    assert page.problems == []
    page.context.close()


@pytest.mark.parametrize("look", ["dark", "light"])
def test_axe_finds_no_violation_in_any_dialog(chromium: Any, site: Any, look: str) -> None:
    address, pub = site
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *MIDGAME)
    page = phone(chromium, address, look=look, paired=True)
    live(page, address + "/control")
    page.click("#more summary")
    page.click("#throws-fold > summary")
    for opener in ("enter", "new-2", "leave", "abandon", "phones", f"{pub.table.snapshot().throws[0].number}-0"):
        page.click(f"[data-key='{opener}']")
        page.wait_for_selector("dialog[open]")
        assert violations(page) == [], opener
        assert page.evaluate(SMALL) == [], opener
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
    play(pub, {"do": "stop"})
    pub.table.submit(observation([5, 5, 2, 2, 1, 4, 6], doubt="disagree"))
    page.wait_for_selector("dialog[open] .crop")
    assert violations(page) == []
    page.context.close()


SMALL = """() => [...document.querySelectorAll('button, a, input, select, summary')].filter((each) => {
  const box = each.getBoundingClientRect();
  if (!each.checkVisibility() || !box.width || each.classList.contains('skip')) return false;
  if (each.matches('input[type=checkbox]') || (each.matches('a:not([class])') && each.closest('p'))) return false;
  return box.width < 43.5 || box.height < 43.5;
}).map((each) => each.outerHTML.slice(0, 140))"""


@pytest.mark.parametrize("path", PAGES)
def test_a_narrow_phone_scrolls_only_down_and_every_target_is_large(chromium: Any, site: Any, path: str) -> None:
    address, pub = site
    pub.table.submit(StartGame(header={**HEADER, "players": ["A" * 24, "Wwwwwwww Wwwwwwww Wwwwwww"[:24]]}))
    play(pub, *MIDGAME)
    page = phone(chromium, address, paired=path in HOSTS_ONLY)
    page.set_viewport_size({"width": 320, "height": 640})
    live(page, address + path)
    page.evaluate("() => { for (const each of document.querySelectorAll('details')) each.open = true; }")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert page.evaluate(SMALL) == []
    page.context.close()


@pytest.mark.pictures
@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_photographed_at_every_size(chromium: Any, site: Any, path: str) -> None:
    address, pub = site
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *MIDGAME)
    OUT.mkdir(parents=True, exist_ok=True)
    page = phone(chromium, address, paired=path in HOSTS_ONLY)
    live(page, address + path)
    for look in ("dark", "light"):
        page.evaluate(f"document.documentElement.dataset.look = '{look}'")
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            picture = OUT / f"{path.strip('/') or 'scoreboard'}-{size}-{look}.png"
            page.screenshot(path=picture)
            assert picture.stat().st_size > 8000
    assert page.problems == []
    page.context.close()


FOCUSABLE = """() => [...document.querySelectorAll('button, a[href], input, select, summary, [tabindex="0"]')]
  .filter((each) => each.checkVisibility() && !each.disabled).map((each) => each.outerHTML.slice(0, 160))"""
FOCUSED = """() => { const on = document.activeElement, look = getComputedStyle(on);
  return [on.outerHTML.slice(0, 160), look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 2]; }"""


@pytest.mark.parametrize("path", PAGES)
def test_every_control_is_reached_by_tab_and_shows_it(chromium: Any, site: Any, path: str) -> None:
    address, pub = site
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *MIDGAME)
    page = phone(chromium, address, paired=path in HOSTS_ONLY)
    live(page, address + path)
    wanted = set(page.evaluate(FOCUSABLE))
    reached: dict[str, bool] = {}
    page.evaluate("document.activeElement.blur()")
    for _ in range(len(wanted) + 8):
        page.keyboard.press("Tab")
        element, ringed = page.evaluate(FOCUSED)
        reached[element] = ringed
    assert wanted - set(reached) == set()
    assert [element for element, ringed in reached.items() if not ringed and element in wanted] == []
    page.context.close()


@pytest.mark.parametrize("path", PAGES)
def test_a_first_load_is_small_and_shifts_nothing(chromium: Any, site: Any, path: str) -> None:
    address, pub = site
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *MIDGAME)
    page = phone(chromium, address, paired=path in HOSTS_ONLY)
    page.add_init_script(SHIFTS)
    live(page, address + path)
    sizes = page.evaluate(TRANSFERRED)
    assert sum(size for _, size in sizes) <= FIRST_LOAD_BYTES.get(path, 50_000), sizes
    page.wait_for_selector(LOADED.get(path, "main"))
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("shifts") == []
    page.context.close()


TRANSFERRED = """performance.getEntries().filter((each) => each.transferSize)
  .map((each) => [each.name, each.transferSize])"""
LOADED = {
    "/help": "#health li",
    "/evening": "#game table",
    "/dice": "#course svg",
    "/review": "#count:not(:empty)",
    "/settings": ".setting",
}
"""What a page draws last."""
SHIFTS = """window.shifts = []; new PerformanceObserver((list) => { for (const { value, sources } of list.getEntries())
  shifts.push([value, ...sources.map(({ node }) => (node?.outerHTML ?? String(node)).slice(0, 100))]); })
  .observe({ type: "layout-shift", buffered: true });"""
FIRST_LOAD_BYTES = {"/": 40_000, "/tv": 40_000}


def test_a_page_that_arrives_tag_by_tag_shifts_nothing(chromium: Any, site: Any) -> None:
    address, _ = site
    page = phone(chromium, address)
    page.add_init_script(SHIFTS)
    page.goto(address + "/help")
    written = page.request.get(address + "/").text()
    assert "<details" in written.partition("</header>")[0]
    page.evaluate(TAG_BY_TAG, re.sub(r"<script.*?</script>", "", written, flags=re.DOTALL))
    assert page.inner_text(".menu > summary") == "Menu"
    assert page.evaluate("shifts") == []
    page.context.close()


TAG_BY_TAG = """async (written) => {
  const [head, bar] = written.split("<body"), frame = () => new Promise((done) => requestAnimationFrame(done));
  document.open(); document.write(head); await frame(); window.shifts.length = 0;
  for (const tag of ("<body" + bar.split("</header>")[0]).split(/(?=<)/)) {
    document.write(tag); await frame(); await frame(); }
  document.write("</header>"); document.close(); await frame(); await frame(); }"""
"""A slow connection: the bar drawn after every tag."""


def test_a_phone_says_when_the_table_is_gone_and_comes_back_by_itself(chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with opened(tmp_path / "a") as pub:
        with served(pub, ALONE) as address:
            page = phone(chromium, address)
            live(page, address + "/")
        page.wait_for_selector('#live[data-live="no"]')
        assert "not live" in page.inner_text("#live")
    (tmp_path / "b").mkdir()
    with opened(tmp_path / "b") as again, served(again, (ALONE[0], int(address.rsplit(":", 1)[1]))):
        page.wait_for_selector('#live[data-live="yes"]')
    page.context.close()


def test_a_phone_past_the_limit_of_streams_asks_instead_and_sees_each_change(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, limits=Limits(streams=1, streams_spare=0)) as pub, served(pub) as address:
        number = pub.start()
        first, second = phone(chromium, address), phone(chromium, address)
        live(first, address + "/")
        live(second, address + "/")
        assert len(pub.site.stream) == 1
        play(pub, MIDGAME[0])
        for page in (first, second):
            page.wait_for_selector(f'html[data-number="{number + 1}"]', state="attached")
            page.context.close()


def test_the_button_lets_in_the_phone_whose_dice_the_screen_shows(chromium: Any, site: Any) -> None:
    address, pub = site
    asker, screen = phone(chromium, address), phone(chromium, address, "1920x1080")
    live(asker, address + "/control")
    live(screen, address + "/tv")
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
    asker.context.close()
    screen.context.close()


def test_a_question_is_answered_with_one_tap_on_the_right_face(chromium: Any, site: Any) -> None:
    address, pub = site
    pub.table.submit(StartGame(header=HEADER))
    page = phone(chromium, address, paired=True)
    live(page, address + "/control")
    pub.table.submit(observation([5, 5, 2, 2, 1, 4, 6], doubt="disagree"))
    page.wait_for_selector("dialog[open]")
    page.click('dialog button[aria-label="It is a 3"]')
    page.wait_for_selector("dialog[open]", state="detached")
    assert pub.table.snapshot().throws[0].values.count(3) == 1
    page.context.close()


def test_a_throw_is_corrected_in_two_taps(chromium: Any, site: Any) -> None:
    address, pub = site
    pub.table.submit(StartGame(header=HEADER))
    play(pub, MIDGAME[0])
    page = phone(chromium, address, paired=True)
    live(page, address + "/control")
    page.click("#throws-fold > summary")
    page.click('#throws button[aria-label^="Ann\'s 6"]')
    page.click('dialog button[aria-label="It is a 3"]')
    page.wait_for_selector("#toast")
    assert sorted(pub.table.snapshot().throws[0].values) == [1, 2, 3, 4, 5, 5, 5]
    page.context.close()


def test_who_leaves_is_chosen_and_confirmed_and_then_marked(chromium: Any, site: Any) -> None:
    address, pub = site
    pub.table.submit(StartGame(header={**HEADER, "players": ["Ann", "Ben & Co", "Cid"]}))
    page = phone(chromium, address, paired=True)
    live(page, address + "/control")
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
    page.click("[data-key='leave']")
    assert page.locator("#leave-who option").all_inner_texts() == ["Ann", "Cid"]
    page.context.close()


def test_who_played_here_before_is_seated_by_a_tap_and_keeps_the_colour(chromium: Any, tmp_path: Path) -> None:
    with opened(tmp_path, evening=Journaled(tmp_path)) as pub, served(pub) as address:
        pub.table.submit(StartGame(header={**HEADER, "players": ["Ann", "Ben", "Cid"]}))
        play(pub, MIDGAME[0])
        pub.table.submit(StartGame(header={**HEADER, "players": ["Cid", "Dot"]}))
        page = phone(chromium, address, paired=True)
        live(page, address + "/control")
        page.click("#more summary")
        page.click("[data-key='new-2']")
        page.click("[data-key='known-Ben']")
        page.click("dialog button:text-is('Begin')")
        page.wait_for_selector("dialog", state="detached")
        page.wait_for_selector("#players li >> nth=2")
        assert page.locator("#players .name").all_inner_texts() == ["Cid", "Dot", "Ben"]
        assert list(pub.table.snapshot().sitting.colours.items()) == [("Cid", 2), ("Dot", 0), ("Ben", 1)]
        shown = page.locator("#players li").evaluate_all(
            "all => all.map((each) => each.style.getPropertyValue('--colour'))"
        )
        assert shown == ["var(--p2)", "var(--p0)", "var(--p1)"]
        page.context.close()


def test_dice_are_moved_by_keyboard_and_by_drag(chromium: Any, site: Any) -> None:
    address, pub = site
    page = phone(chromium, address, "820x1180")
    live(page, address + "/tray")
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
    moved: list[Any] = []
    page.on("response", lambda answer: moved.append(answer) if answer.url.endswith("/move") else None)
    for die in (4, 5):  # one after the other, as fast as a hand can
        page.locator(f'.grip[data-id="{die}"]').dblclick()
    while len(moved) < 2:
        page.wait_for_event("response")
    moves = [done for done in pub.tray.done if done[0] == "move"]
    assert {move[1] for move in moves[3:]} == {4, 5}
    assert all(move[3] > 180 for move in moves[3:])
    assert moves[0][1:] == (2, 116.0, 60.0)
    assert moves[1][1] == 2
    assert moves[1][3] > 180
    assert moves[2][1] == 0
    assert moves[2][2:] == pytest.approx((160, 216), abs=3)
    page.context.close()
