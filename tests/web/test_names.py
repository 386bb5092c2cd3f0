"""Any name works: numbers, dollar signs, braces, right-to-left, emoji; what can't be seen is refused with a word."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.table.commands import PlayLine, StartGame
from tests.web.injecting import FedPage
from tests.web.pub import HEADER, Pub
from tests.web.scenes import among, scenes
from web.catalogue import say
from web.names import cleaned, problem_of

FIRST_THROW = {"throw": [5, 5, 5, 2, 1, 4, 6]}
POINT = {"do": "point", "value": 5}
MOTHER_AND_CHILD = "\U0001f469\u200d\U0001f467"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
GOOD = [
    *("Ann & Ben", "1", "$&", "{points}", "constructor", "__proto__", "O’Brien", "Zoë", "Zoe\u0308", "<b>"),
    *("שלום", PERSIAN, MOTHER_AND_CHILD, ENGLAND),
]
BAD = [
    *("Ann\u202e", "\u2066Ben", "A\x00", "Tab\tby", "Line\nbreak", "\u200b", " ", "\u200d", "Soft\u00adhyphen"),
    *("\u2028", "\ufeffAnn", "\u3164", "\u2800", "\uffa0\u1160", "Ann\u115f"),
]


@pytest.mark.parametrize("name", BAD, ids=ascii)
def test_games_api_refuses_a_player_name_with_invisible_characters(pub: Pub, name: str) -> None:
    answer = pub.host().post("/api/games", json={**HEADER, "players": [name, "Ben"]})
    assert (answer.status_code, answer.json["error"]) == (422, "name")
    assert "Write" in answer.json["message"]
    assert answer.json["message"].isascii()
    assert pub.table.snapshot().game is None


def test_a_player_name_that_ends_with_a_space_is_refused_for_a_game_and_a_tournament(pub: Pub) -> None:
    host = pub.host()
    game = {**HEADER, "players": ["Ann", "Ann "]}
    cup = {"number": 0, "form": "knockout", "game": "crag", "players": ["Ann", "Ann "]}
    for answer in (host.post("/api/games", json=game), host.post("/api/tournament", json=cup)):
        assert (answer.status_code, answer.json["error"]) == (422, "name")
        assert "'Ann ' begins or ends with a space" in answer.json["message"]


@pytest.mark.parametrize("name", GOOD, ids=ascii)
def test_games_api_accepts_player_names_with_symbols_emoji_and_non_latin_letters(pub: Pub, name: str) -> None:
    answer = pub.host().post("/api/games", json={**HEADER, "players": [name, "Someone else"]})
    assert answer.status_code == 200, answer.text
    assert answer.json["header"]["players"][0] == name


@given(st.text(max_size=24))
def test_a_cleaned_player_name_is_valid_unless_nothing_visible_is_left(name: str) -> None:
    left = cleaned(name)
    assert left == left.strip()
    assert problem_of([left]) is None or not any(unicodedata.category(sign)[0] in "LNPS" for sign in left)
    assert problem_of([name]) is not None or left == name.strip()


def test_pairing_strips_control_characters_and_outer_space_of_phone_name(pub: Pub) -> None:
    client = pub.stranger()
    client.post("/api/pair", json={"pin": "271828", "name": " Ann\u202e\x07's phone "})
    assert client.get("/api/phones").json["phones"][0]["name"] == "Ann's phone"


@pytest.mark.parametrize("dice", ["\u202eBlue", "\x1b[2J", "  "])
def test_games_api_refuses_a_dice_set_name_with_invisible_characters(pub: Pub, dice: str) -> None:
    """The pages list it for everyone: it could not be told from the usual set, or would turn the text beside it."""
    host = pub.host()
    refused = host.post("/api/games", json={**HEADER, "terms": {"dice": dice}})
    assert (refused.status_code, refused.json["error"]) == (422, "name")
    assert host.post("/api/games", json={**HEADER, "terms": {"dice": "Blue"}}).status_code == 200


def test_text_catalogue_inserts_a_player_name_with_braces_unchanged() -> None:
    assert say("en", "event.banked", player="{points}", points=7, on="$&").startswith("{points}")


@pytest.fixture
def page(pub: Pub, visiting: Any) -> tuple[Pub, Any]:
    return pub, visiting("/")


NAMES = st.lists(
    st.one_of(
        st.sampled_from([name for name in GOOD if name != "<b>"]),
        st.integers(0, 99).map(str),
        st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=24),
    ).filter(lambda name: problem_of([name]) is None),
    min_size=2,
    max_size=4,
    unique=True,
)


@pytest.mark.browser
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NAMES)
def test_scoreboard_lists_any_player_names_in_order_and_marks_the_turn(page: tuple[Pub, Any], names: list[str]) -> None:
    pub, shown = page
    if len(names) == 4:
        names = names[:3]  # four would be two teams
    begun = pub.table.submit(StartGame(header={**HEADER, "players": names}))
    thrown = pub.table.submit(PlayLine(number=begun.number, line=FIRST_THROW))
    done = pub.table.submit(PlayLine(number=thrown.number, line=POINT))
    shown.wait_for_selector(f'html[data-number="{done.number}"]', state="attached")
    assert shown.locator("#players .name > bdi").all_text_contents() == names
    assert shown.locator("#players li").evaluate_all("all => all.map((each) => each.ariaCurrent)") == [
        "true",
        *[None] * (len(names) - 1),
    ]
    heading = shown.text_content("#who > span")
    assert names[0] in heading, heading


@pytest.mark.browser
def test_scoreboard_log_wraps_a_right_to_left_name_in_isolation_marks(page: tuple[Pub, Any]) -> None:
    pub, shown = page
    begun = pub.table.submit(StartGame(header={**HEADER, "players": ["שלום", "Ben"]}))
    pub.table.submit(PlayLine(number=begun.number, line=FIRST_THROW))
    shown.wait_for_selector("#log li", state="attached")
    words = shown.locator("#log li > span").first.text_content()
    assert "\u2068שלום\u2069" in words


@pytest.mark.browser
@pytest.mark.parametrize(("path", "size"), [("/tv", (1280, 720)), ("/", (844, 390))])
def test_a_right_to_left_player_name_is_left_aligned_with_the_other_names(
    chromium: Any, site: tuple[str, Pub], path: str, size: tuple[int, int]
) -> None:
    fed = FedPage(chromium, site[0], path)
    fed.page.set_viewport_size({"width": size[0], "height": size[1]})
    lefts = """[...document.querySelectorAll(".player .name bdi")].map((name) => {
      const words = document.createRange(); words.selectNodeContents(name);
      return words.getBoundingClientRect().left; })"""
    for players in (("Ann", "דנה", "Ben"), ("Ann", "דנה", "Ben", "Cleo", "Dev")):
        fed.show(scenes(among("crib_dice", players))["begun"])
        assert len(set(fed.page.evaluate(lefts))) == 1
