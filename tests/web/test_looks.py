"""How the pages look in a real Chromium: accessible, narrow and wide, quick to load. Screenshots go to out/web."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageStat

from companion.table.commands import StartGame
from tests.web.accessibility import SMALL, in_each_look, violations
from tests.web.injecting import FedPage
from tests.web.phones import MIDGAME, SIZES, live, phone, visit, with_a_past
from tests.web.pub import HEADER, Pub, observation, play, served
from tests.web.scenes import among, scenes

pytestmark = pytest.mark.browser
OUT = Path(__file__).resolve().parents[2] / "out" / "web"
GAME, SEAT = "/games/1", "/me"
PAGES = (
    "/", "/control", "/tray", "/tv", "/help", "/evening", GAME, SEAT, "/dice", "/learn", "/review", "/settings",
    "/setup",
)  # fmt: skip
HOSTS_ONLY = {"/control", "/review", "/settings", "/setup"}


@pytest.fixture
def midgame(past: Pub) -> Iterator[tuple[str, Pub]]:
    """Yield the address of a served pub in the middle of a game, and the pub."""
    past.table.submit(StartGame(header=HEADER))
    play(past, *MIDGAME)
    with served(past) as address:
        yield address, past


@dataclass(frozen=True)
class Visit:
    """A page that a phone has just opened, in the middle of a game between players with long names.

    Attributes:
        page: Playwright's page.
        sizes: Name and size in bytes of each file loaded until the page was ready.
        shifts: Layout shifts while it was loading.
    """

    page: Any
    sizes: list[tuple[str, int]]
    shifts: list[Any]


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Pub]]:
    """Yield the address of a pub in the middle of a game between players with long names, which no test changes."""
    with with_a_past(tmp_path_factory.mktemp("club")) as pub, served(pub) as address:
        pub.table.submit(StartGame(header={**HEADER, "players": ["A" * 24, "Wwwwwwww Wwwwwwww Wwwwwww"[:24]]}))
        play(pub, *MIDGAME)
        yield address, pub


@pytest.fixture(scope="module")
def handsets(browser: Any, club: tuple[str, Pub]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield empty pages of an unpaired phone and of two owners' phones; `visited` uses the first two."""
    address, pub = club
    pages = tuple(phone(browser, address, paired=paired) for paired in (False, True, True))
    pub.make_owners()
    for page in pages:
        page.add_init_script(SHIFTS)
    yield pages
    for page in pages:
        page.context.close()


def emptied(page: Any, size: str = "390x844") -> Any:
    """Return the page of a phone, now empty and of that size; its browser has forgotten all files."""
    page.goto("about:blank")
    page.context.new_cdp_session(page).send("Network.clearBrowserCache")
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.problems.clear()
    return page


@pytest.fixture
def spare(handsets: tuple[Any, Any, Any]) -> Any:
    """Return an empty page of an owner's phone that other tests have used before."""
    return emptied(handsets[2])


@pytest.fixture(scope="module", params=PAGES)
def visited(request: pytest.FixtureRequest, handsets: tuple[Any, Any, Any], club: tuple[str, Pub]) -> Visit:
    path, address = request.param, club[0]
    page = emptied(handsets[path in HOSTS_ONLY])
    live(page, address + path)
    sizes = page.evaluate(TRANSFERRED)
    page.wait_for_selector(LOADED.get(path, "main"))
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return Visit(page, sizes, page.evaluate("shifts"))


def test_first_load_of_a_web_page_is_at_most_110_kb_without_layout_shift(visited: Visit) -> None:
    assert sum(size for _, size in visited.sizes) <= FIRST_LOAD_BYTES, visited.sizes
    assert visited.shifts == []


def test_axe_finds_no_violation_on_a_page_even_at_double_text_size(visited: Visit) -> None:
    assert in_each_look(visited.page, ("light", "dark")) == []
    visited.page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert violations(visited.page) == []
    bar = "document.querySelector('.bar')?.scrollWidth ?? 0"
    assert visited.page.evaluate(bar) <= visited.page.viewport_size["width"]
    visited.page.evaluate("document.documentElement.style.fontSize = ''")
    assert visited.page.problems == []


def test_tab_key_reaches_every_control_of_a_page_and_shows_a_focus_ring(visited: Visit) -> None:
    page = visited.page
    wanted = set(page.evaluate(FOCUSABLE))
    reached: dict[str, bool] = {}
    page.evaluate("document.activeElement.blur()")
    for _ in range(len(wanted) + 8):
        page.keyboard.press("Tab")
        element, ringed = page.evaluate(FOCUSED)
        reached[element] = ringed
    assert wanted - set(reached) == set()
    assert [element for element, ringed in reached.items() if not ringed and element in wanted] == []


def test_at_320_px_no_page_scrolls_sideways_or_has_a_small_tap_target(visited: Visit) -> None:
    visited.page.set_viewport_size({"width": 320, "height": 640})
    visited.page.evaluate("() => { for (const each of document.querySelectorAll('details')) each.open = true; }")
    assert visited.page.evaluate("document.documentElement.scrollWidth") <= 320
    assert visited.page.evaluate(SMALL) == []


def test_pages_at_200_percent_zoom_fit_the_width_and_cut_no_turn_text(visited: Visit) -> None:
    visited.page.set_viewport_size({"width": 195, "height": 422})
    visited.page.evaluate("() => { for (const each of document.querySelectorAll('details')) each.open = false; }")
    assert visited.page.evaluate("document.documentElement.scrollWidth") <= 195
    cut = "[...document.querySelectorAll('.stage')].some((each) => each.scrollWidth > each.clientWidth)"
    assert not visited.page.evaluate(cut)


def test_page_bar_and_winner_keep_a_background_without_css_color_mix(spare: Any, club: tuple[str, Pub]) -> None:
    def unmixed(route: Any) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("color-mix", "not-known"))

    spare.route("**/look.css", unmixed)
    live(spare, club[0] + "/")
    spare.unroute("**/look.css")
    spare.evaluate("document.documentElement.dataset.look = 'light'")
    spare.evaluate("document.querySelector('.stage').classList.add('won')")
    grounds = spare.evaluate(
        "['.bar', '.stage'].map((each) => getComputedStyle(document.querySelector(each)).backgroundColor)"
    )
    assert "rgba(0, 0, 0, 0)" not in grounds


def test_axe_finds_no_violation_in_7_dialogs_of_the_control_page(chromium: Any, midgame: Any) -> None:
    address, pub = midgame
    page = visit(chromium, address + "/control", paired=True)
    page.click("#more summary")
    page.click("#throws-fold > summary")
    for opener in ("enter", "new-2", "leave", "abandon", "phones", f"{pub.table.snapshot().throws[0].number}-0"):
        if not page.is_visible(f"[data-key='{opener}']"):
            page.click("#more summary")
        page.click(f"[data-key='{opener}']")
        page.wait_for_selector("dialog[open]")
        assert in_each_look(page, ("light", "dark")) == [], opener
        assert page.evaluate(SMALL) == [], opener
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
    play(pub, {"do": "stop"})
    pub.table.submit(observation([5, 5, 2, 2, 1, 4, 6], doubt="disagree"))
    page.wait_for_selector("dialog[open] .crop")
    assert in_each_look(page, ("light", "dark")) == []


@pytest.mark.pictures
@pytest.mark.parametrize("path", PAGES)
def test_page_screenshots_are_dark_or_light_as_the_colour_scheme_says(chromium: Any, midgame: Any, path: str) -> None:
    address, tones = midgame[0], dict[str, float]()
    page = visit(chromium, address + path, paired=path in HOSTS_ONLY)
    for look in ("dark", "light"):
        page.evaluate(f"document.documentElement.dataset.look = '{look}'")
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            picture = OUT / f"{path.strip('/') or 'scoreboard'}-{size}-{look}.png"
            page.screenshot(path=picture)
            with Image.open(picture) as image:
                assert image.size == (width, height)
                tones[look] = ImageStat.Stat(image.convert("L")).median[0]
            assert picture.stat().st_size > 8000
    assert tones["dark"] < 100 < tones["light"], "of the largest size"
    assert page.problems == []


FOCUSABLE = """() => [...document.querySelectorAll('button, a[href], input, select, summary, [tabindex="0"]')]
  .filter((each) => each.checkVisibility() && !each.disabled && (each.type !== 'radio' || each.checked))
  .map((each) => each.outerHTML.slice(0, 160))"""
RADIOS = "() => [...document.querySelectorAll('[type=radio]')].map((each) => each.value).sort()"
FOCUSED = """() => { const on = document.activeElement, look = getComputedStyle(on);
  return [on.outerHTML.slice(0, 160), look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 2]; }"""


def test_setup_page_arrow_keys_reach_every_game_card_with_a_focus_ring(spare: Any, club: tuple[str, Pub]) -> None:
    live(spare, club[0] + "/setup")
    spare.focus("[type=radio]:checked")
    games = spare.evaluate(RADIOS)
    reached = set()
    for _ in games:
        spare.keyboard.press("ArrowDown")
        reached.add(spare.evaluate("document.activeElement.value"))
        assert spare.evaluate(FOCUSED)[1]
    assert sorted(reached) == games
    assert len(games) == 3


TRANSFERRED = """performance.getEntries()
  .filter((each) => each.transferSize && each.startTime <= document.documentElement.dataset.readyMs)
  .map((each) => [each.name, each.transferSize])"""
"""Script that returns name and bytes of each file loaded until the page was ready; later ones are polled pictures."""
LOADED = {
    "/help": "#health li",
    "/evening": "#sitting > *",
    "/games/1": "#result",
    "/me": "#sit:not([hidden])",
    "/dice": "#course svg",
    "/learn": "#puzzle button",
    "/review": "#count:not(:empty)",
    "/settings": ".setting",
}
"""Selector of the element that a page draws last, by its path."""
SHIFTS = """window.shifts = []; new PerformanceObserver((list) => { for (const { value, sources } of list.getEntries())
  shifts.push([value, ...sources.map(({ node }) => (node?.outerHTML ?? String(node)).slice(0, 100))]); })
  .observe({ type: "layout-shift", buffered: true });"""
FIRST_LOAD_BYTES = 110_000


@pytest.mark.parametrize(("path", "drawn"), [("/tv", '[data-faces="own"]'), ("/", ":not([data-faces])")])
def test_web_fonts_that_arrive_late_cause_no_layout_shift(
    spare: Any, club: tuple[str, Pub], path: str, drawn: str
) -> None:
    page, address, held = emptied(spare, "1280x720"), club[0], list[Any]()
    page.route("**/*.woff2", lambda route: held.append(route))
    page.goto(address + path, wait_until="commit")  # the faces are part of what "load" waits for
    page.wait_for_selector('#live[data-live="yes"]')
    assert page.query_selector("html:not([data-faces])") is not None
    assert len(held) == 2
    for each in held:
        each.continue_()
    page.evaluate("document.fonts.ready.then(() => true)")
    page.wait_for_selector(f"html{drawn}")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("shifts") == []
    page.unroute("**/*.woff2")


def test_page_menu_stays_hidden_until_its_links_have_arrived(visited: Visit) -> None:
    """On a slow network the menu's icon arrives before its label, and would jump to make room for it."""
    on_the_tv = visited.page.url.endswith("/tv")  # it has no menu
    assert visited.page.evaluate(SHOWN_WITHOUT_THE_REST) == ([] if on_the_tv else [True, False, True])


SHOWN_WITHOUT_THE_REST = """() => { const menu = document.querySelector(".menu"), rest = menu?.querySelector("nav");
  if (!menu) return [];
  const shown = () => getComputedStyle(menu.querySelector("summary")).visibility === "visible", seen = [shown()];
  rest.remove(); seen.push(shown()); menu.append(rest); return [...seen, shown()]; }"""
"""Script that returns whether the menu is shown: whole, without what follows its summary, and whole again.

Empty on a page without a menu."""


def test_an_unknown_address_shows_that_nothing_is_here_and_a_link_back(spare: Any, club: tuple[str, Pub]) -> None:
    spare.goto(club[0] + "/nowhere")
    assert "There is nothing here." in spare.inner_text("main")
    spare.click("main a")
    spare.wait_for_selector('#live[data-live="yes"]')


def test_in_forced_colours_the_player_to_play_is_still_marked(chromium: Any, site: tuple[str, Pub]) -> None:
    fed = FedPage(chromium, site[0], "/tv")
    fed.page.emulate_media(forced_colors="active")
    fed.show(scenes(among("crib_dice", ("Ann", "Ben", "Cleo")))["begun"])
    marks = "[...document.querySelectorAll('.player')].map((each) => getComputedStyle(each).outlineStyle)"
    assert fed.page.evaluate(marks) == ["solid", "none", "none"]
