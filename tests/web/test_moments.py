"""Great moments are shown on the stage for two seconds, beside the track, and removed at once if they are undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.games.engine.game import Action, Bomb, Enter, Header, Keep, NamePoint, Stop, Throw
from companion.games.registry import GAMES
from companion.table.projection import snapshot_of
from companion.table.snapshot import Snapshot
from companion.table.state import TableState
from companion.table.tray.memory import Memory
from tests.web.injecting import FedPage, staged, stop_clock, watch_stage
from tests.web.measuring import PHONE, SCREEN
from tests.web.scenes import begun, with_line

pytestmark = pytest.mark.browser
HELD_MS = 2000


@pytest.fixture(scope="module")
def stopped(fed_page: Callable[..., FedPage]) -> Callable[..., FedPage]:
    """Return a function like `fed_page` whose pages have stopped timers (`stop_clock`)."""
    pages: list[FedPage] = []

    def stopped_page(*key: Any) -> FedPage:
        fed = fed_page(*key)
        if fed not in pages:
            stop_clock(fed.page)
            pages.append(fed)
        return fed

    return stopped_page


def told(game: str, *actions: Action, players: tuple[str, ...] = ("Ann", "Ben"), **changed: int) -> list[Snapshot]:
    """Return the snapshots of a new game and after each of these actions; `changed`: its house rules."""
    rules = {**{each.key: each.default for each in GAMES[game].switches}, **changed}
    records = [begun(Header(game, players, rules))]
    for action in actions:
        records.append(with_line(records[-1], action))
    return [snapshot_of(TableState(record, Memory())) for record in records]


FIVES, ONES = (Throw((5, 5, 5, 2, 1, 4, 6)), NamePoint(5)), (Throw((1, 1, 1, 1, 1, 1, 2)), NamePoint(1))
CRIED = {
    "Wipe-out: 5\u00a0lost": ((*FIVES, Throw((2, 3, 4, 6))), "Dice: 2, 3, 4, 6"),
    "Bomb!": ((*FIVES, Stop(), *ONES, Bomb()), "Dice: 1, 1, 1, 1, 1, 1, 2"),
}
"""Actions of a game that end in a moment, and its dice, by the words on the stage."""
IN_FRONT = """() => ["cried", "dice"].every((part) => {
  const { left, right, top, bottom } = document.querySelector(`#moment .${part}`).getBoundingClientRect();
  return document.elementFromPoint((left + right) / 2, (top + bottom) / 2).closest("#moment"); })"""
"""Script that returns whether nothing covers the words and the dice of a moment."""


@pytest.mark.parametrize("cried", CRIED)
@pytest.mark.parametrize("path", ["/tv", "/"])
def test_scoreboard_and_tv_page_announce_a_crib_dice_event_for_two_seconds(
    stopped: Callable[..., FedPage], path: str, cried: str
) -> None:
    actions, dice = CRIED[cried]
    before, after = told("crib_dice", *actions, bomb=True)[-2:]
    fed = stopped(path, SCREEN if path == "/tv" else PHONE)
    fed.show(before)
    watch_stage(fed.page)
    fed.show(after, happens=True)
    seen = staged(fed.page)
    assert (seen["cried"], seen["dice"]) == (cried, dice)
    track, moment = sorted(seen["boxes"], key=lambda box: box["top"])[:: 1 if path == "/tv" else -1]
    assert track["bottom"] <= moment["top"] or moment["bottom"] <= track["top"]
    fed.page.clock.run_for(HELD_MS - 1)
    assert fed.page.evaluate(IN_FRONT)
    fed.page.clock.run_for(1)
    assert fed.page.is_hidden("#moment")


HOME = (Throw((1, 1, 1, 2, 3, 4)), Keep((1, 1, 1)), Stop())
CRAPOLA_OVER = (*HOME, *HOME[:2], Throw((2, 3, 4)))
WHOLE = """() => {
  const box = (part) => document.querySelector(part).getBoundingClientRect();
  return [box("#match").bottom <= box("#moment .whose").top, box("#moment .cried").bottom <= box(".stage").bottom]; }"""
"""Script that returns whether a moment lies below the game's name, and its words inside the stage."""


@pytest.mark.parametrize("path", ["/tv", "/"])
def test_the_announcement_of_a_game_ending_crapola_throw_is_not_cut_off(
    stopped: Callable[..., FedPage], path: str
) -> None:
    *_, before, after = told("crapola", *CRAPOLA_OVER, target=1000)
    fed = stopped(path, SCREEN if path == "/tv" else PHONE)
    fed.show(before)
    fed.show(after, happens=True)
    assert fed.page.inner_text("#moment .cried") == "Crapola! 1,000\u00a0lost"
    assert fed.page.evaluate(WHOLE) == [True, True]


TURNED, THREE = Throw((2, 2, 3, 3, 4, 6)), ("Ann", "Ben", "Cat")  # two take turns either way
LINES = """() => {
  const words = document.createRange();
  words.selectNodeContents(document.querySelector("#moment .cried"));
  return new Set([...words.getClientRects()].map(({ top }) => top)).size; }"""
"""Script that returns the number of lines that the words of a moment take."""


def test_tv_page_drops_queued_announcements_of_the_last_turn_at_the_next_throw(stopped: Callable[..., FedPage]) -> None:
    """A player who threw at once saw how the turn before had ended, not the dice."""
    before, turned, thrown = told("crapola", TURNED, Throw((1, 1, 1, 2, 3, 4)), players=THREE)
    fed = stopped("/tv", SCREEN)
    fed.show(before)
    fed.show(turned, happens=True)
    assert fed.page.inner_text("#moment .cried") == "Crapola!"
    fed.show(thrown, happens=True)
    fed.page.clock.run_for(HELD_MS)
    assert fed.page.is_hidden("#moment")


def test_the_tv_page_writes_a_german_word_about_reversed_play_in_one_line(stopped: Callable[..., FedPage]) -> None:
    before, turned = told("crapola", TURNED, players=THREE)
    fed = stopped("/tv", SCREEN, "de")
    fed.show(before)
    fed.show(turned, happens=True)
    fed.page.clock.run_for(HELD_MS)
    assert fed.page.inner_text("#moment .cried") == "Andersrum!"
    assert fed.page.evaluate(LINES) == 1


def test_tv_page_of_a_finished_game_captions_photos_as_best_turn_and_biggest_loss(
    stopped: Callable[..., FedPage],
) -> None:
    over = told("crapola", *CRAPOLA_OVER, target=1000)[-1]
    fed = stopped("/tv", SCREEN)
    fed.show(over)
    named = fed.page.locator("#photos figcaption")
    assert named.all_inner_texts() == ["Best turn: Ann, 1,000", "Biggest loss: Ben, 1,000"]
    assert fed.page.is_hidden("#last"), "a line about another throw stood beside them"
    assert not fed.page.locator("#log li").first.is_visible(), "the list said the same"


def test_tv_player_rows_of_a_finished_game_do_not_say_that_nothing_was_banked(stopped: Callable[..., FedPage]) -> None:
    """The TV cut off how many games the player has lost, which stands behind it."""
    fed = stopped("/tv", SCREEN, "de")
    fed.show(told("crapola", *CRAPOLA_OVER, target=1000)[-1])
    assert fed.page.locator("#players small").all_inner_texts() == ["gewonnen", "verlor 1 Spiel"]


def test_the_tv_page_celebrates_a_crag_of_50_until_the_entry_is_undone(stopped: Callable[..., FedPage]) -> None:
    """All its dice are shown, also those that were not thrown again."""
    *_, thrown, entered = told("crag", Throw((6, 6, 2)), Keep((6, 6)), Throw((1,)), Enter("crag"))
    fed = stopped("/tv", SCREEN)
    fed.show(thrown)
    watch_stage(fed.page)
    fed.show(entered, happens=True)
    assert (staged(fed.page)["cried"], staged(fed.page)["dice"]) == ("Crag! 50", "Dice: 1, 6, 6")
    fed.show(thrown)  # undone
    fed.page.wait_for_selector("#moment", state="hidden")


def test_the_event_of_a_crib_dice_skunk_at_the_end_of_a_game_counts_two_games_lost_by_the_loser() -> None:
    """The last snapshot also has the best turn and where each side's back peg stands."""
    rules = {**{each.key: each.default for each in GAMES["crib_dice"].switches}, "skunk": True}
    record = begun(Header("crib_dice", ("Ann", "Ben"), rules))
    board = 0
    while not record.game.transcript.state.standing.over:  # type: ignore[union-attr]
        if board % 2 == 0:  # Ann throws seven sixes and banks 30; Ben a pair
            lines: tuple[Action, ...] = (Throw((6,) * 7), NamePoint(6), Stop())
        else:
            lines = (Throw((1, 1, 2, 3, 4, 5, 6)), NamePoint(1), Stop())
        for action in lines:
            record = with_line(record, action)
        board += 1
    last = snapshot_of(TableState(record, Memory()))
    assert [event.code for event in last.events[-2:]] == ["skunked", "game_over"]
    assert (last.events[-2].side, last.events[-2].args["games"]) == (1, 2)
    assert [(each.kind, each.side, each.points) for each in last.highlights] == [("best_turn", 0, 30)]
    assert [side.back for side in last.sides] == [120, 8]
