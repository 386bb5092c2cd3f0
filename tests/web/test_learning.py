"""Learning over HTTP and in Chromium: votes on decisions, the puzzle of the day, ratings."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.table.commands import StartGame
from tests.waiting import RETRIES
from tests.web.phones import live, phone, visit
from tests.web.pub import HEADER, Pub, opened, play, play_out, served
from web.pairing.roles import Role

VOTERS = ("0123456789abcdef", "fedcba9876543210", "00112233445566ff")


@pytest.fixture(scope="module")
def learning(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Pub]]:
    """Yield the address of a served pub on whose table a game of two careless players is over, and the pub."""
    folder = tmp_path_factory.mktemp("learning")
    with opened(folder, evening=True, advice=True) as pub, served(pub) as address:
        whole_game(pub)
        yield address, pub


@pytest.fixture(scope="module")
def handset(browser: Any, learning: tuple[str, Pub]) -> Iterator[Any]:
    """Yield the page of a phone for `learner`."""
    page = phone(browser, learning[0])
    yield page
    page.context.close()


@pytest.fixture
def learner(handset: Any) -> Iterator[Any]:
    """Yield an unpaired phone's page that the tests share, without the routes and cookies that each has added."""
    yield handset
    handset.goto("about:blank")
    handset.unroute_all()
    handset.context.clear_cookies()


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    with opened(tmp_path, evening=True, advice=True) as place:
        yield place


def whole_game(pub: Pub, **terms: Any) -> None:
    """Play a game to its end between two careless players, with the same dice each time."""
    pub.table.submit(StartGame(header=HEADER, terms=terms))
    play_out(pub, random.Random(5))


def vote(client: Any, question: int, option: int, voter: str) -> Any:
    return client.post("/api/vote", json={"question": question, "option": option, "voter": voter})


def test_vote_api_hides_the_best_option_until_one_vote_per_player_is_cast(pub: Pub) -> None:
    whole_game(pub)
    guest = pub.stranger()
    told = guest.get("/api/vote").json
    assert told["wanted"] == 2
    assert 1 <= len(told["questions"]) <= 3
    assert all("best" not in each and "values" not in each for each in told["questions"])
    after = vote(guest, 0, 0, VOTERS[0]).json["questions"][0]
    assert (after["votes"], after["mine"], after["shown"]) == (1, 0, False)
    assert vote(guest, 0, 1, VOTERS[0]).json["questions"][0]["votes"] == 1, "a phone may change its mind"
    answer = vote(guest, 0, 0, VOTERS[1]).json["questions"][0]
    assert answer["shown"]
    assert answer["counts"][:2] == [1, 1]
    assert answer["values"][answer["best"]] == max(answer["values"])
    assert answer["values"][answer["taken"]] < answer["values"][answer["best"]]
    assert answer["reasons"]
    assert vote(guest, 0, 0, VOTERS[2]).status_code == 422, "the answer is shown"


def test_vote_api_lets_players_but_not_guests_reveal_a_questions_best_option(learning: tuple[str, Pub]) -> None:
    _, pub = learning
    asked = pub.stranger().get("/api/vote").json["questions"]
    question = len(asked) - 1
    assert {"best", "values"}.isdisjoint(asked[question])
    assert pub.stranger().post("/api/vote/show", json={"question": question}).status_code == 401
    shown = pub.paired(Role.PLAYER).post("/api/vote/show", json={"question": question})
    assert shown.json["questions"][question]["shown"]
    for client in (pub.stranger(), pub.paired(Role.PLAYER)):
        answer = client.get("/api/vote").json["questions"][question]
        assert answer["values"][answer["best"]] == max(answer["values"])


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"question": 99, "option": 0, "voter": VOTERS[0]}, 422),
        ({"question": 0, "option": 99, "voter": VOTERS[0]}, 422),
        ({"question": 0, "option": 0, "voter": "short"}, 400),
        ({"question": -1, "option": 0, "voter": VOTERS[0]}, 400),
        ({"question": 0, "option": 0}, 400),
    ],
)
def test_vote_api_refuses_an_unknown_question_or_option_or_a_bad_voter_id(
    body: dict[str, Any], status: int, learning: tuple[str, Pub]
) -> None:
    assert learning[1].stranger().post("/api/vote", json=body).status_code == status


def test_vote_api_answers_409_while_no_game_is_finished(pub: Pub) -> None:
    assert pub.stranger().get("/api/vote").status_code == 409
    pub.table.submit(StartGame(header=HEADER))
    assert pub.stranger().get("/api/vote").status_code == 409


def test_ratings_api_rates_decisions_but_none_of_games_marked_serious(pub: Pub) -> None:
    whole_game(pub, serious=True)
    assert pub.stranger().get("/api/evening/ratings").json == {"ratings": []}
    whole_game(pub)
    rated = pub.stranger().get("/api/evening/ratings").json["ratings"]
    assert {each["player"] for each in rated} == set(HEADER["players"])
    for each in rated:
        assert each["decisions"] > 0
        assert 0 <= each["low"] <= each["regret"] <= each["high"]


def test_the_puzzle_of_the_day_lists_the_best_option_first_and_a_reason(learning: tuple[str, Pub]) -> None:
    told = learning[1].stranger().get("/api/puzzle").json
    assert told["day"] == "2026-11-25"
    values = [option["value"] for option in told["options"]]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[1]
    assert told["reasons"]
    assert told["dice"] or told["kept"]


def test_vote_api_lists_the_amount_of_points_that_a_crapola_player_spent_as_an_option(pub: Pub) -> None:
    """Of all amounts only the least and the greatest are listed; the vote adds the amount that the player spent."""
    hot = ({"throw": [1, 2, 3, 4, 5, 6]}, {"do": "keep", "dice": [1, 2, 3, 4, 5, 6]}, {"do": "stop"})
    home = ({"throw": [1, 1, 2, 3, 4, 6]}, {"do": "keep", "dice": [1, 1]}, {"do": "stop"})
    spending = {"do": "spend", "on": "Ben", "points": 600}
    lines: list[Any] = [*hot, *hot, spending, *hot, *hot, *home, {"throw": [2, 2, 3, 3, 4, 6]}]
    pub.table.submit(StartGame(header={**HEADER, "game": "crapola", "rules": {"target": 1500, "entry": 0}}))
    play(pub, *lines)
    told = pub.stranger().get("/api/vote").json
    assert any(spending in each["options"] for each in told["questions"])


@pytest.mark.browser
def test_learn_page_reveals_the_best_answer_to_all_phones_after_two_votes(
    chromium: Any, learning: tuple[str, Pub]
) -> None:
    pages = [visit(chromium, f"{learning[0]}/learn") for _ in range(3)]
    for page in pages[:2]:
        first = page.locator("#vote article").first
        first.locator("button").first.wait_for()
        assert first.locator(".top").count() == 0
        first.locator("button").first.click()
    for page in pages:
        page.locator("#vote article").first.locator(".top").wait_for()


@pytest.mark.browser
def test_learn_page_shows_the_answer_of_the_puzzle_of_the_day_after_a_tap(
    learner: Any, learning: tuple[str, Pub]
) -> None:
    live(learner, f"{learning[0]}/learn")
    learner.locator("#puzzle button").first.click()
    learner.wait_for_selector("#puzzle .weighed .top")
    assert learner.locator("#puzzle button").count() == 0


@pytest.mark.browser
def test_german_learn_page_writes_a_decimal_comma_in_a_puzzle_reason(learner: Any, learning: tuple[str, Pub]) -> None:
    page, address = learner, learning[0]
    page.context.add_cookies([{"name": "lang", "value": "de", "url": address}])
    gap = {"code": "gap.win", "args": {"less": 1.5}}
    puzzle = {**page.request.get(f"{address}/api/puzzle", max_retries=RETRIES).json(), "reasons": [gap]}
    page.route("**/api/puzzle", lambda route: route.fulfill(json=puzzle))
    live(page, f"{address}/learn")
    page.locator("#puzzle button").first.click()
    page.wait_for_selector("#puzzle .weighed .top")
    assert "1,5" in page.inner_text("#puzzle")


@pytest.mark.browser
def test_learn_page_says_a_player_with_one_decision_has_too_few_to_compare(
    learner: Any, learning: tuple[str, Pub]
) -> None:
    page, address = learner, learning[0]
    told = {"decisions": 1, "regret": 3.5, "low": None, "high": None, "like": None, "goal": "points"}
    ratings = [{"player": "Ann", "game": "crib_dice", "title": "Crib Dice", **told}]
    page.route("**/api/evening/ratings", lambda route: route.fulfill(json={"ratings": ratings}))
    live(page, f"{address}/learn")
    page.wait_for_selector("#ratings b")
    assert page.inner_text("#ratings small") == "One decision · too few decisions to compare"
    assert page.inner_text("#ratings b") == "3.5"


@pytest.mark.browser
def test_tv_page_hides_a_quiz_answer_until_both_players_have_voted(chromium: Any, pub: Pub, address: str) -> None:
    whole_game(pub)
    guest = pub.stranger()
    first = 1 % len(guest.get("/api/vote").json["questions"])  # the question that the TV shows first
    tv = phone(chromium, address, size="1280x720")
    tv.clock.install()
    live(tv, f"{address}/tv")
    for voter, polls, answered in ((VOTERS[0], 2, 0), (VOTERS[1], 9, 1)):
        vote(guest, first, 0, voter)
        for _ in range(polls):
            tv.clock.run_for(2_000)
        tv.wait_for_selector("#quiz:not([hidden]) .weighed")
        assert tv.locator("#quiz .top").count() == answered


@pytest.mark.browser
def test_tv_page_without_a_game_shows_the_daily_puzzle_then_its_answer(chromium: Any, pub: Pub, address: str) -> None:
    tv = phone(chromium, address, size="1280x720")
    tv.clock.install()
    live(tv, f"{address}/tv")
    assert tv.locator("#quiz").is_hidden()
    for step, answered in ((20, 0), (20, 1)):
        for _ in range(step // 2):
            tv.clock.run_for(2_000)
        tv.wait_for_selector("#quiz:not([hidden]) .weighed")
        assert tv.locator("#quiz .top").count() == answered


@pytest.mark.browser
def test_tv_page_requests_the_daily_puzzle_anew_before_each_showing(chromium: Any, pub: Pub, address: str) -> None:
    """A screen that stays on overnight showed the puzzle of the day on which it was opened."""
    tv = phone(chromium, address, size="1280x720")
    puzzle = {**tv.request.get(f"{address}/api/puzzle", max_retries=RETRIES).json(), "title": "Of today"}
    tv.route("**/api/puzzle", lambda route: route.fulfill(json=puzzle))
    tv.clock.install()
    live(tv, f"{address}/tv")
    for title in ("Of today", "Of tomorrow"):
        puzzle["title"] = title
        for _ in range(9):
            tv.clock.run_for(2_000)
        tv.wait_for_selector("#quiz:not([hidden]) h2")
        assert tv.inner_text("#quiz h2").endswith(title)
        for _ in range(16):
            tv.clock.run_for(2_000)
        tv.wait_for_selector("#quiz", state="hidden")


@pytest.mark.browser
def test_learn_page_counts_one_vote_if_a_phone_without_localstorage_taps_two_options(
    chromium: Any, pub: Pub, address: str
) -> None:
    whole_game(pub)
    page = phone(chromium, address)
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('private'); } });")
    live(page, f"{address}/learn")
    for option in range(2):
        page.click(f"[data-key='0-{option}']")
        page.wait_for_selector(f"[data-key='0-{option}'][aria-pressed='true']")
    assert pub.stranger().get("/api/vote").json["questions"][0]["votes"] == 1


@pytest.mark.browser
def test_learn_page_polls_on_after_failed_requests_and_shows_the_vote_questions(
    learner: Any, learning: tuple[str, Pub]
) -> None:
    page = learner
    live(page, f"{learning[0]}/learn")
    page.wait_for_selector("#vote article")
    page.route("**/api/vote*", lambda route: route.abort())
    page.wait_for_event("requestfailed", lambda request: "/api/vote" in request.url)
    page.unroute("**/api/vote*")
    page.route("**/api/vote*", lambda route: route.fulfill(body='{"questions": ['))  # broken off
    page.wait_for_event("response", lambda answer: "/api/vote" in answer.url)
    page.unroute("**/api/vote*")
    page.wait_for_event("response", lambda answer: "/api/vote" in answer.url)
    page.wait_for_selector("#vote-box:not([hidden]) article")


@pytest.mark.browser
def test_learn_page_shows_a_question_without_image_if_its_photo_is_gone(
    learner: Any, learning: tuple[str, Pub]
) -> None:
    page, address = learner, learning[0]

    def with_photo(route: Any) -> None:
        told = route.fetch().json()
        route.fulfill(json={**told, "questions": [{**each, "photo": 99} for each in told["questions"]]})

    page.route("**/api/vote?*", with_photo)
    with page.expect_response("**/api/throws/99.jpg") as gone:
        live(page, f"{address}/learn")
    assert gone.value.status == 404
    page.wait_for_selector("#vote article")
    page.wait_for_function("() => !document.querySelector('#vote img')")


@pytest.mark.browser
def test_scoreboard_repeats_a_luck_story_request_that_the_network_lost(chromium: Any, pub: Pub, address: str) -> None:
    whole_game(pub)
    page = phone(chromium, address)
    page.clock.install()
    page.route("**/api/story", lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed", lambda request: "/api/story" in request.url):
        live(page, address)
    for _ in range(3):
        page.clock.fast_forward(5000)
    page.wait_for_selector("#story:not([hidden]) h2")
