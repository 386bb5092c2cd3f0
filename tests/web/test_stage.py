"""Words of the stage, on the scoreboard and the TV: whose turn, what to do, who leads, what happened last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.table.commands import Abandon, NoteMotion, StartGame
from tests.games.crib_turns import bank
from tests.web.injecting import FedPage
from tests.web.measuring import PHONE, SCREEN
from tests.web.phases import Evening
from tests.web.phones import newest
from tests.web.pub import HEADER, Pub, begin, observation, play

pytestmark = pytest.mark.browser
THROW = {"throw": [5, 5, 5, 2, 1, 4, 6]}


@pytest.fixture
def showing(pub: Pub, fed_page: Callable[..., FedPage]) -> Callable[..., Any]:
    """Return a function that returns the module's page of a path, which shows the newest snapshot of `pub`."""

    def page_of(path: str, size: tuple[int, int] = PHONE, paired: bool = False) -> Any:
        fed = fed_page(path, size, paired=paired)
        fed.show(pub.table.snapshot())
        return fed.page

    return page_of


def test_scoreboard_names_no_winner_of_a_crag_game_left_by_the_only_player(
    pub: Pub, showing: Callable[..., Any]
) -> None:
    pub.table.submit(StartGame(header={**HEADER, "game": "crag", "players": ["Ann"]}))
    play(pub, {"leave": "Ann"})
    page = showing("/")
    text = page.inner_text("body")
    assert "Game over" in text
    assert "wins" not in text


def test_scoreboard_says_a_crag_player_who_kept_no_die_throws_all_again(pub: Pub, showing: Callable[..., Any]) -> None:
    begin(pub, "crag", {"throw": [1, 2, 4]}, {"do": "keep", "dice": []})
    page = showing("/")
    assert "Ann throws all of them again." in page.inner_text("main")


def test_the_scoreboard_shows_no_turn_points_once_a_crib_dice_bomb_is_announced(
    pub: Pub, showing: Callable[..., Any]
) -> None:
    pub.table.submit(StartGame(header={**HEADER, "rules": {"bomb": True}}))
    play(pub, *bank(5), {"throw": [1, 1, 1, 1, 1, 2, 3]}, {"do": "point", "value": 1})
    page = showing("/")
    assert page.inner_text("#chance") == "Throw: 86 % to keep the 3"
    assert page.inner_text("#can") == "throw 2 dice (the piddle), bank 3 or bomb"
    play(pub, {"do": "bomb"})
    showing("/")
    assert "+3" not in page.inner_text("#players")
    assert page.inner_text("#notice") == "A 1 makes you change places with the leader. Without one it is a wipe-out."
    assert page.inner_text("#chance") == "Throw: 31 % to succeed"
    assert page.inner_text("#points") == "0"
    assert "lost" not in page.inner_text("#notice")


def test_scoreboard_in_a_roll_off_says_the_highest_total_starts_and_shows_no_points(
    pub: Pub, showing: Callable[..., Any]
) -> None:
    pub.table.submit(StartGame(header={**HEADER, "roll_off": True}))
    play(pub, {"throw": [4, 2]})
    page = showing("/")
    assert page.inner_text("#can") == "throw 2 dice to see who starts"
    assert page.inner_text("#notice") == "So far: Ann 6. The highest total starts. Those who tie throw again."
    assert page.inner_text("#last") == "Ann threw 2, 4. Ann's total is 6."
    assert page.is_hidden("#worth")


def test_tv_and_control_offer_throw_or_bank_once_crapola_dice_lie_in_the_keep_zone(
    pub: Pub, showing: Callable[..., Any]
) -> None:
    evening = Evening(pub)
    evening.begin("crapola", ("Ann", "Ben"))
    evening.see([1, 1, 1, 5, 2, 3])
    page, phone = showing("/tv", SCREEN), showing("/control", paired=True)
    assert page.inner_text("#can") == "set aside dice that score"
    evening.set_aside(1)
    for each in (showing("/tv", SCREEN), showing("/control", paired=True)):
        assert each.inner_text("#can") == "throw the other 3 dice or bank 1,000"
        assert each.inner_text("#points") == "+1,000"
    assert [len(row.query_selector_all(".die")) for row in page.query_selector_all("#felt .group")] == [3, 3]
    assert phone.inner_text("[data-key='keep']") == "Set aside 1, 1, 1 +1,000"


def test_scoreboard_asks_for_a_throw_while_kept_crapola_dice_score_too_little_to_bank(
    pub: Pub, showing: Callable[..., Any]
) -> None:
    evening = Evening(pub)
    evening.begin("crapola", ("Ann", "Ben"))
    evening.see([1, 2, 2, 3, 4, 6])
    evening.set_aside(1)
    page = showing("/")
    assert page.inner_text("#can") == "throw the other 5 dice"
    assert page.inner_text("#notice").startswith("1 kept: worth 100. A first bank takes 1,000 or more, so throw on.")
    assert page.inner_text("#makes") == "Counts only once it is banked"


def test_the_tv_tells_how_to_bank_where_crib_dice_points_can_be_banked(pub: Pub, showing: Callable[..., Any]) -> None:
    begin(pub, "crib_dice", THROW, {"do": "point", "value": 5})
    page = showing("/tv", SCREEN)
    page.wait_for_selector("#notice:has-text('Bank')")
    assert page.inner_text("#notice").startswith("Bank: lift all dice out, and the 5 are yours.")


def test_the_tv_does_not_mention_banking_before_scoring_crapola_dice_are_chosen(
    pub: Pub, showing: Callable[..., Any]
) -> None:
    evening = Evening(pub)
    evening.begin("crapola", ("Ann", "Ben"))
    evening.see([1, 2, 2, 3, 4, 6])
    page = showing("/tv", SCREEN)
    page.wait_for_selector("#notice:has-text('Put scoring dice')")
    said = page.inner_text("#notice")
    assert said == "Put scoring dice in the keep zone, e.g. the 1, or tap them on a phone."


def test_the_scoreboard_says_that_a_fuchled_players_peg_goes_back_to_the_start(
    pub: Pub, showing: Callable[..., Any]
) -> None:
    lost: list[dict[str, Any]] = [THROW, {"do": "point", "value": 5}, {"throw": [2, 3, 4, 6]}]
    begin(pub, "crib_dice", *bank(5), *bank(5), *lost, *bank(5), *lost, *bank(5), *lost)
    page = showing("/")
    said = "Wipe-out! Ann loses the 5 points of this turn. Fuchled! Ann goes back to the start."
    assert page.inner_text("#last") == f"Ann threw 2, 3, 4, 6. {said}"
    assert "back at the start: fuchled" in page.inner_text("#players")


def test_tv_page_of_an_abandoned_game_shows_no_player_and_names_the_next_step(
    pub: Pub, showing: Callable[..., Any]
) -> None:
    begin(pub, "crag", {"throw": [6, 6, 1]})
    pub.table.submit(Abandon(number=pub.table.snapshot().number))
    page = showing("/tv")
    assert page.inner_text("#who") == "The game was abandoned"
    assert page.inner_text("#notice") == "Tap “Next game” on a phone."
    assert page.locator("#who .chip").count() == 0
    assert page.is_hidden("#last")
    assert page.inner_text("#felt") == ""
    assert page.locator(":is(.on, [aria-current]):not(nav *), .offer").count() == 0


def test_abandoning_a_crapola_game_takes_the_turns_unbanked_points_off_the_scoreboard(
    pub: Pub, showing: Callable[..., Any]
) -> None:
    begin(pub, "crapola", {"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]})
    page = showing("/")
    assert "+1,000" in page.inner_text("#players")
    pub.table.submit(Abandon(number=pub.table.snapshot().number))
    showing("/")
    assert "+" not in page.inner_text("#players")
    assert page.inner_text("#felt") == ""


def test_screen_readers_hear_once_who_has_won(pub: Pub, visiting: Any) -> None:
    begin(pub, "crapola")
    page = visiting("/")
    page.evaluate(
        "() => { window.heard = []; new MutationObserver((all) => "
        "heard.push(...all.flatMap((one) => [...one.addedNodes]).map((node) => node.textContent)))"
        ".observe(said, { childList: true, subtree: true }); }"
    )
    play(pub, {"leave": "Ben"})
    page.wait_for_function("() => heard.length")
    pub.table.submit(observation([1, 2, 2, 3, 4, 6]))  # news of the tray, none of the game
    newest(page, pub)
    assert page.evaluate("heard") == ["Ben leaves the game. Ann wins!"]


def test_the_scoreboard_does_not_say_0_behind_after_a_crapola_tie(pub: Pub, showing: Callable[..., Any]) -> None:
    """Of equal totals the player who reached the target first wins alone."""
    header = {**HEADER, "game": "crapola", "players": ["Ann", "Ben", "Cat"], "rules": {"target": 1000}}
    pub.table.submit(StartGame(header=header))
    home: list[dict[str, Any]] = [{"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"}]
    play(pub, *home, *home, {"throw": [2, 2, 3, 3, 4, 6]})
    page = showing("/")
    assert pub.state()["outcome"]["winners"] == ["Ann"]
    text = page.text_content("#players")
    assert "1,000 behind" in text
    assert "0 behind" not in text.replace("1,000 behind", "")


def test_the_scoreboard_names_no_leader_after_two_of_three_players_won_at_crib_dice(
    pub: Pub, showing: Callable[..., Any]
) -> None:
    rules = {"find_a_loser": True}
    pub.table.submit(StartGame(header={**HEADER, "players": ["Ann", "Ben", "Cat"], "rules": rules}))
    play(pub, *bank(121), *bank(130))
    page = showing("/")
    assert pub.state()["outcome"]["winners"] == ["Ann", "Ben"]
    assert "Ann and Ben share the win!" in page.inner_text("main")
    assert "leads" not in page.text_content("body")


def test_the_scoreboard_names_a_new_crapola_leader_after_the_leader_has_left(
    pub: Pub, showing: Callable[..., Any]
) -> None:
    rules = {"target": 1000, "entry": 0}
    pub.table.submit(StartGame(header={**HEADER, "game": "crapola", "players": ["Ann", "Ben", "Cat"], "rules": rules}))
    play(pub, {"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"})
    play(pub, {"throw": [5, 2, 2, 3, 4, 6]}, {"do": "keep", "dice": [5]}, {"do": "stop"}, {"leave": "Ann"})
    page = showing("/")
    assert page.inner_text("#lead") == "Ben leads by 50"
    assert page.inner_text("#notice") == "Your last turn: Ben is 50 ahead."
    ann, ben, cat = (line.inner_text().split("\n")[-1] for line in page.query_selector_all("#players > .player"))
    assert ("leads" in ann, ben, cat) == (False, "leads", "50 behind")


def test_scoreboard_of_a_crapola_last_round_says_so_once_and_names_no_target(
    pub: Pub, showing: Callable[..., Any]
) -> None:
    pub.table.submit(StartGame(header={**HEADER, "game": "crapola", "rules": {"target": 1000, "entry": 0}}))
    play(pub, {"throw": [5, 2, 2, 3, 4, 6]}, {"do": "keep", "dice": [5]}, {"do": "stop"})
    play(pub, {"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"})
    page = showing("/")
    assert page.inner_text("#match").split("\n") == ["Crapola", "Last round: most points wins"]
    assert page.inner_text("#notice") == "Your last turn: Ben is 950 ahead."
    assert page.inner_text("#panels") == ""
    assert "to go" not in page.inner_text("#players")


def test_tv_page_says_in_the_third_person_that_the_bots_dice_are_rolling(pub: Pub, showing: Callable[..., Any]) -> None:
    house = {"player": "Ann", "level": "best"}
    pub.table.submit(StartGame(header=HEADER, terms={"house": house}))
    pub.table.submit(NoteMotion())
    page = showing("/tv", (1920, 1080))
    page.wait_for_selector('#phase[data-phase="settling"]', state="attached")
    assert page.inner_text("#who") == "Ann's dice are rolling …"
