"""Nothing clipped, covered, outside or too small: the pages measured with the longest names at every size.

In short and whole: see `measuring.py`.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec
import pytest

from companion.evidence.lesson import Teacher
from companion.evidence.taught import TaughtSets
from companion.games.engine.game import Header
from companion.games.engine.notation import header_line
from companion.games.registry import GAMES
from companion.table.commands import Answer, StartGame
from tests.web.accessibility import in_each_look
from tests.web.injecting import PHOTO, FedPage
from tests.web.measuring import (
    ADDRESSES,
    FOLLOWING,
    FORM,
    PHONE,
    SCREEN,
    SIZES,
    SPOKEN,
    TABLE_NAME,
    WHOLE,
    faults_of,
    measured,
    photograph,
    resize,
    smallest_px,
    tell,
)
from tests.web.pub import Pub, observation, opened, play_out, served
from tests.web.scenes import NAMES, scenes, seated
from vision.teaching.witness import MIN_THROWS
from web.pages import LOOKS

pytestmark = pytest.mark.browser
MOST_PICTURES = 3  # of what is wrong with one page at one size


class Beside(NamedTuple):
    """A page that does not follow the game, or a state of a page that takes some steps to reach.

    Attributes:
        path: Path of the page.
        there: Selector of an element that is there once the state is reached.
        press: Selector of an element to click first; "" for none.
        asks: Whether another phone has a request to join.
        paired: Whether the page's phone is the owner's.
        always: Whether the short form takes it too.
    """

    path: str
    there: str
    press: str = ""
    asks: bool = False
    paired: bool = True
    always: bool = False


BESIDE = {
    "evening": Beside("/evening", "#standings table", always=True),
    "game": Beside("/evening", "#luck:not([hidden]) table", "#games a >> nth=0", always=True),
    "story": Beside("/", "#story:not([hidden])", always=True),
    "sit": Beside("/me", "#pegs .chip", paired=False, always=True),
    "dice": Beside("/dice", "#course svg", always=True),
    "learn": Beside("/learn", "#puzzle button", always=True),
    "help": Beside("/help", "#health li", always=True),
    "review": Beside("/review", "#proof:not([hidden]) ~ #reviewed .cropped", always=True),
    "teach": Beside("/teach", "#sets li", always=True),
    "settings": Beside("/settings", "#fields .setting", always=True),
    "setup": Beside("/setup", "#strip-fields .setting", always=True),
    "camera": Beside("/camera", "#seen", always=True),
    "calibrate": Beside("/calibrate", "#advice [data-code]", always=True),
    "no-review": Beside("/review", "#unpaired:not([hidden])", paired=False),
    "no-settings": Beside("/settings", "#unpaired:not([hidden])", paired=False),
    "no-camera": Beside("/camera", "#unpaired:not([hidden])", paired=False),
    "no-calibrate": Beside("/calibrate", "#unpaired:not([hidden])", paired=False),
    "pairing": Beside("/control", "#pair:not([hidden])", paired=False),
    "menu": Beside("/", ".menu[open] nav", ".menu > summary"),
    "asking-in": Beside("/control", "#pair-dice .dice", "#pair-button", paired=False, always=True),
    "code": Beside("/tv", "#code .dice", asks=True, always=True),
}
UNFOLD = "() => { for (const each of document.querySelectorAll('details:not(.menu)')) each.open = true; }"


class Doubtful:
    """Fake of `web.api.calibrate.Calibration` with many pieces of advice."""

    def look(self) -> dict[str, Any]:
        advice = ("few_markers", "aslant", "lens", "outside", "uneven")
        marker, throw = [[80, 60], [180, 70], [170, 160], [70, 150]], [[200, 150], [900, 160], [890, 700], [210, 690]]
        keep = [[920, 160], [1100, 160], [1090, 700], [910, 700]]
        lens = {"views": 2, "of": 4, "degrees": 62.2, "measured": False}
        return {
            "picture_wh": [1280, 960], "markers": [marker], "zones": [throw, keep], "sheet": True, "empty": True,
            "advice": [{"code": code, "says": code} for code in advice], "calibrated": "2030-01-31 20:00",
            "says": "Calibrated 2030-01-31 20:00 with the camera picamera2.", "virtual": True, "lens": lens,
        }  # fmt: skip

    def picture_jpeg(self) -> bytes:
        return PHOTO.read_bytes()


class Taught(TaughtSets):
    """Two sets that were taught, one of them with the longest name: stands in for their files."""

    def sets(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "throws": throws, "faces": [throws] * 6, "usable": throws >= MIN_THROWS}
            for name, throws in (("", 2), ("W" * 24, 12))
        ]


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Pub]]:
    """Yield the address of a served pub after games between players with the longest names, and the pub."""
    folder = tmp_path_factory.mktemp("evening")
    usual = dict.fromkeys(("evening", "review", "advice", "settings"), True)
    having: dict[str, Any] = {**usual, "teach": Teacher(Taught(folder)), "calibrate": Doubtful()}
    with opened(folder, addresses=ADDRESSES, name=TABLE_NAME, **having) as pub, served(pub) as address:
        quick = Header("crapola", NAMES[:6], {"entry": 0, "target": 1})
        for place, header in enumerate((*(list(seated(game))[-1] for game in GAMES.values() if WHOLE), quick)):
            play_doubted(pub, header, at_s=100.0 + 7 * place)
        yield address, pub


@pytest.fixture(scope="module")
def owners(browser: Any, evening: tuple[str, Pub]) -> Iterator[Callable[[str], FedPage]]:
    """Return a function that returns the page of an owner's phone at `evening` in a language; it opens each once."""
    address, pub = evening
    pages: dict[str, FedPage] = {}

    def opened_page(language: str) -> FedPage:
        if language not in pages:
            pages[language] = FedPage(browser, address, "/help", language, paired=True, owner_of=pub)
        return pages[language]

    yield opened_page
    for each in pages.values():
        each.close()


def play_doubted(pub: Pub, header: Header, at_s: float) -> None:
    """Play a whole game with careless decisions and random dice; its first throw is doubted and answered."""
    table, dice = pub.table, random.Random(5)
    sizes = (table.submit(StartGame(header=header_line(header))).state or {})["throw_sizes"]
    table.submit(observation([], at_s=at_s - 1))
    seen = dice.choices(range(1, 7), k=max(sizes))
    table.submit(observation(seen, doubt="disagree", at_s=at_s))
    question = table.snapshot().question
    assert question is not None
    table.submit(Answer(question=question.id, values=question.values))
    play_out(pub, dice)


@functools.cache
def snapshots(game: str) -> dict[str, Any]:
    """Return snapshots of a game as JSON values, by `PLAYERS-SITUATION` such as `2-over`."""
    headers = list(seated(GAMES[game]))
    return {
        f"{len(header.players)}-{moment}": msgspec.to_builtins(snapshot)
        for header in (headers if WHOLE else headers[-1:])
        for moment, snapshot in scenes(header).items()
    }


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize("name", FOLLOWING)
def test_game_pages_have_no_content_cut_off_covered_or_outside_the_window(
    fed_page: Callable[..., FedPage], name: str, language: str
) -> None:
    shown = FOLLOWING[name]
    looks = LOOKS if WHOLE and language == "en" else ("dark",)  # a look is colours: that it is no more is told once
    fed = fed_page(shown.path, PHONE, language, shown.paired)
    every: dict[str, Any] = {}
    for game in GAMES:
        taken = {key: each for key, each in snapshots(game).items() if WHOLE or key.split("-")[1] in shown.moments}
        wrong: dict[str, Any] = {}
        for size in SIZES if WHOLE else shown.sizes:
            resize(fed, size)
            each = "([snapshots, looks, smallest_px]) => faultsOfEach(snapshots, looks, smallest_px)"
            found = fed.page.evaluate(each, [taken, looks, smallest_px(fed, size)])
            for key, look, faults in found:
                wrong[f"{name}-{game}-{key}-{look}-{language}-{size[0]}x{size[1]}"] = faults[:4]
            all_of_them = itertools.product(taken, looks)
            some = [(key, look) for key, look, _ in found[:MOST_PICTURES]]
            for key, look in all_of_them if FORM == "pictures" else some:
                fed.page.evaluate("([told, happens]) => show(told, happens)", [taken[key], key.endswith("cheered")])
                fed.page.evaluate("(look) => { document.documentElement.dataset.look = look }", look)
                photograph(fed, f"{name}-{game}-{key}-{look}-{language}", size)
        assert fed.problems == [], game
        tell(f"{name}-{game}-{language}", wrong)
        every |= wrong
    assert every == {}


FULL: tuple[tuple[str, int, str, list[bool]], ...] = (
    ("crapola", 10, "begun", []),
    ("crapola", 9, "deciding", [False]),
    ("crib_dice", 5, "deciding", [False]),
    ("crib_dice", 3, "deciding", [True]),
)
"""Game, number of players, situation, and whether the chart, if there is one, is drawn."""


def test_the_tv_page_cuts_off_no_distance_to_go_and_draws_a_chart_only_where_it_is_readable(
    fed_page: Callable[..., FedPage],
) -> None:
    fed = fed_page("/tv", SCREEN, "de")
    every = "[...document.querySelectorAll('.player small')].filter((each) => each.checkVisibility())"
    cut = f"{every}.filter((each) => each.scrollWidth > each.clientWidth)"
    drawn = "[...document.querySelectorAll('.race')].map((each) => each.checkVisibility())"
    for game, count, moment, charts in FULL:
        case = (game, count, moment)
        fed.show(scenes(next(each for each in seated(GAMES[game]) if len(each.players) == count))[moment])
        assert len(fed.page.evaluate(f"{every}.map((each) => each.textContent)")) >= count, case
        assert fed.page.evaluate(f"{cut}.map((each) => each.textContent)") == [], case
        assert fed.page.evaluate(drawn) == charts, case


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize("name", BESIDE if WHOLE else [name for name, beside in BESIDE.items() if beside.always])
def test_pages_other_than_the_game_pages_have_no_content_cut_off_or_covered(
    browser: Any, evening: tuple[str, Pub], owners: Callable[[str], FedPage], name: str, language: str
) -> None:
    beside, (address, pub) = BESIDE[name], evening
    if beside.asks:
        assert pub.stranger().post("/api/pair/ask", json={}).status_code == 200
    if beside.paired:
        fed = owners(language)
        resize(fed, PHONE)
        fed.go(address + beside.path)
    else:
        fed = FedPage(browser, address, beside.path, language)
    reach(fed, beside)
    found = measured(fed, f"{name}-{language}", SIZES if WHOLE else (PHONE,))
    ill = in_each_look(fed.page) if WHOLE and language == "en" else []
    assert fed.problems == []
    assert found == {}
    assert ill == []
    if not beside.paired:
        fed.close()


def reach(fed: FedPage, beside: Beside) -> None:
    """Bring a page into a state: unfold everything, press, and wait for what it fetches."""
    fed.page.evaluate(UNFOLD)
    if beside.press:
        fed.page.click(beside.press)
    fed.page.wait_for_selector(beside.there)


@pytest.mark.parametrize("language", SPOKEN)
def test_no_content_is_cut_off_in_a_dialog_of_the_control_page(fed_page: Callable[..., FedPage], language: str) -> None:
    fed = fed_page("/control", PHONE, language, paired=True)
    wrong = {}
    for game, moment, key in DIALOGS if WHOLE else DIALOGS[:1]:
        header = list(seated(GAMES[game]))[-1]
        fed.show(scenes(header)[moment])
        fed.page.evaluate(UNFOLD)
        fed.page.click(f"[data-key='{key}']" if key != "first throw" else "#throws .pick >> nth=0")
        fed.page.wait_for_selector("dialog[open]")
        fed.page.evaluate(UNFOLD)
        if found := measured(fed, f"dialog-{game}-{key}-{language}", SIZES if WHOLE else (PHONE,)):
            wrong[game, key] = found
        assert not (WHOLE and language == "en" and in_each_look(fed.page)), key
        fed.page.keyboard.press("Escape")
        fed.page.wait_for_selector("dialog", state="detached")
    fed.go(fed.page.url)  # folded again
    assert fed.problems == []
    assert wrong == {}


DIALOGS = (
    ("crag", "deciding", "new-2"),
    ("crag", "deciding", "leave"),
    ("crag", "deciding", "abandon"),
    ("crag", "deciding", "phones"),
    ("crag", "throwing", "first throw"),
    ("crib_dice", "throwing", "enter"),
)


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize("name", ["tv", "scoreboard", "control", "tray"])
def test_no_game_page_that_lost_its_connection_cuts_off_or_covers_content(
    fed_page: Callable[..., FedPage], name: str, language: str
) -> None:
    shown = FOLLOWING[name]
    fed = fed_page(shown.path, PHONE, language, shown.paired)
    fed.show(scenes(list(seated(GAMES["crag"]))[-1])["deciding"])
    fed.lose()
    found = measured(fed, f"lost-{name}-{language}", SIZES if WHOLE else (SCREEN if name == "tv" else PHONE,))
    fed.find()
    assert found == {}


def test_the_web_page_layout_check_finds_each_planted_fault(fed_page: Callable[..., FedPage]) -> None:
    for path, harms in HARMS.items():
        fed = fed_page(path, PHONE, "de", paired=path == "/control")
        fed.show(scenes(list(seated(GAMES["crag"]))[-1])["deciding"])
        for harm, kind in harms.items():
            fed.page.evaluate(HARM, harm)
            found = faults_of(fed, SCREEN if path == "/tv" else PHONE)
            assert kind in {fault[0] for fault in found}, harm
        fed.page.evaluate(HARM, "")


HARM = """(harm) => { const sheet = new CSSStyleSheet();
sheet.replaceSync(harm); document.adoptedStyleSheets = [sheet] }"""
HARMS = {
    "/tv": {
        ".join { position: relative; left: 300px }": "outside",
        ".who { height: 12px; min-height: 0 !important; overflow: hidden }": "cut off",
        "#notice { position: relative; top: -50px }": "overlap",
        ".address .live { font-size: 9px !important }": "too small",
    },
    "/control": {
        ".sheets { width: 700px !important }": "cut off",
        ".sheet { position: fixed !important; height: 400px }": "covered",
        "button { white-space: nowrap; overflow-wrap: normal !important; width: 30px }": "sticks out",
    },
}
