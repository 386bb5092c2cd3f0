"""Crag and Crapola played in the tray: kept dice, rethrown dice, legal and illegal holds."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from companion.errors import Doubt, IllegalAction
from companion.table.commands import Answer, Observe, PlayLine, PressButton, Tick
from companion.table.snapshot import Snapshot
from companion.table.tray.observation import Die, Observation
from companion.table.writer import Table
from tests.known import known
from tests.table.acting import Clock, Evening, Tray, started

CRAG: dict[str, Any] = {"transcript": 1, "game": "crag", "players": ["Ann", "Ben"]}
CRAPOLA: dict[str, Any] = {"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"], "rules": {"entry": 0}}


@pytest.fixture
def tray(clock: Clock) -> Tray:
    return Tray(clock=clock)


def lines_after(table: Table, snapshot: Snapshot) -> int:
    return table.snapshot().number - snapshot.number


def test_two_crag_dice_in_the_keep_zone_count_as_kept_when_the_third_is_rethrown(table: Table, tray: Tray) -> None:
    started(table, CRAG)
    first = table.submit(Observe(tray.throw(6, 6, 2)))
    held = table.submit(Observe(tray.keep(6, 6)))
    assert (known(held.notice).code, known(held.notice).args["again"]) == ("choose_entry", 1)
    after = table.submit(Observe(tray.throw(1)))
    assert lines_after(table, first) == 2
    assert (known(after.state)["dice"], known(after.state)["rethrown"]) == ([1, 6, 6], True)
    scored = table.submit(PlayLine(number=after.number, line={"do": "score", "category": "crag"}))
    assert known(scored.state)["scores"] == {"Ann": 50, "Ben": 0}
    assert known(scored.state)["player"] == "Ben"


def test_crag_throw_seen_before_the_previous_players_category_choice_counts_after_it(table: Table, tray: Tray) -> None:
    started(table, CRAG)
    table.submit(Observe(tray.throw(6, 6, 2)))
    tray.keep(6, 6)
    entered = table.submit(Observe(tray.throw(1)))
    tray.lift()
    early = table.submit(Observe(tray.throw(4, 4, 4)))
    assert (early.number, known(early.notice).code) == (entered.number, "decide_first")
    after = table.submit(PlayLine(number=early.number, line={"do": "score", "category": "sixes"}))
    assert [(thrown.player, thrown.values) for thrown in after.throws[2:]] == [("Ben", (4, 4, 4))]


def lifted(table: Table, tray: Tray) -> Die:
    """Throw 6 6 2 in a game of Crag, keep the sixes, and lift the 2 out of the tray. Return the 2 as it lay."""
    started(table, CRAG)
    table.submit(Observe(tray.throw(6, 6, 2)))
    table.submit(Observe(tray.keep(6, 6)))
    (lay,) = tray.thrown
    tray.lift("thrown")
    table.submit(Observe(tray.observation()))
    return lay


def test_the_table_asks_about_a_rethrown_crag_die_that_lands_where_it_lay_before(table: Table, tray: Tray) -> None:
    lay = lifted(table, tray)
    tray.thrown = [lay]
    assert table.submit(Observe(tray.observation())).question is None, "it was covered"
    tray.lift("thrown")
    table.submit(Observe(tray.observation()))
    tray.thrown = [msgspec.structs.replace(lay, value=5, x_mm=lay.x_mm + 1.0)]
    assert known(table.submit(Observe(tray.observation())).question).code == Doubt.MOVED


def test_a_crag_die_that_was_pushed_and_misread_is_no_second_throw(table: Table, tray: Tray) -> None:
    started(table, CRAG)
    table.submit(Observe(tray.throw(6, 6, 2)))
    tray.keep_one(6)
    tray.keep_one(6)
    (lay,) = tray.thrown
    tray.thrown = [msgspec.structs.replace(lay, value=3, x_mm=lay.x_mm + 6.0)]
    asked = table.submit(Observe(tray.observation(Doubt.COCKED)))
    tray.thrown = [msgspec.structs.replace(lay, x_mm=lay.x_mm + 6.0)]
    after = table.submit(Observe(tray.observation()))
    assert known(asked.question).code == "cocked"
    assert (after.number, after.question) == (asked.number, None)


def test_a_doubtful_readings_question_stays_open_if_an_earlier_reading_comes_again(table: Table, tray: Tray) -> None:
    lay = lifted(table, tray)
    turned = [msgspec.structs.replace(lay, value=5)]
    tray.thrown = turned
    assert known(table.submit(Observe(tray.observation())).question).code == Doubt.MOVED
    tray.thrown = [tray.die(3)]
    assert known(table.submit(Observe(tray.observation(Doubt.UNREAD))).question).code == Doubt.UNREAD
    tray.thrown = turned
    assert known(table.submit(Observe(tray.observation())).question).code == Doubt.UNREAD


@pytest.mark.parametrize("pushed_mm", [0.0, 20.0])
def test_crag_dice_that_a_resting_hand_hid_are_no_second_throw(table: Table, tray: Tray, pushed_mm: float) -> None:
    """Only one die is seen under the hand, in doubt and 20 mm from its place: it was misread there, or pushed."""
    started(table, CRAG)
    before = table.submit(Observe(tray.throw(6, 4, 2)))
    first, *others = tray.thrown
    tray.thrown = [msgspec.structs.replace(first, x_mm=first.x_mm + 20.0)]
    table.submit(Observe(tray.observation(Doubt.UNREAD)))
    tray.thrown = [msgspec.structs.replace(first, x_mm=first.x_mm + pushed_mm), *others]
    after = table.submit(Observe(tray.observation()))
    assert (after.number, after.question) == (before.number, None)


def test_next_button_steps_through_crag_categories_and_bank_enters_the_chosen_one(table: Table, tray: Tray) -> None:
    started(table, CRAG)
    thrown = table.submit(Observe(tray.throw(6, 6, 1)))
    assert thrown.choice == {"do": "score", "category": "crag"}
    assert known(table.submit(PressButton(button="next")).choice)["category"] == "thirteen"
    assert known(table.submit(PressButton(button="next")).choice)["category"] == "sixes"
    assert known(table.submit(PressButton(button="next")).choice)["category"] == "ones"
    assert known(table.submit(PressButton(button="next")).choice)["category"] == "crag"
    table.submit(PressButton(button="next"))
    after = table.submit(PressButton(button="bank"))
    assert (known(after.state)["sheets"]["Ann"], after.choice) == ({"thirteen": 26}, None)


def test_a_notice_shows_the_points_of_crapola_dice_as_soon_as_they_are_set_aside(table: Table, tray: Tray) -> None:
    started(table, CRAPOLA)
    thrown = table.submit(Observe(tray.throw(1, 1, 5, 2, 3, 6)))
    held = table.submit(Observe(tray.keep(1)))
    assert (known(held.notice).code, known(held.notice).args["points"]) == ("hold", 100)
    held = table.submit(Observe(tray.keep(1, 5)))
    assert (known(held.notice).args["points"], known(held.notice).args["sizes"]) == (250, [3])
    assert lines_after(table, thrown) == 0
    after = table.submit(Observe(tray.throw(4, 4, 1)))
    assert known(after.state)["kept"] == [[1, 1, 5]]
    assert known(after.state)["turn_points"] == 250


def test_kept_crapola_dice_that_score_nothing_get_a_notice_and_block_the_next_throw(table: Table, tray: Tray) -> None:
    started(table, CRAPOLA)
    table.submit(Observe(tray.throw(1, 1, 5, 2, 3, 6)))
    assert known(table.submit(Observe(tray.keep(2))).notice).args["reason"] == "does_not_score"
    before = table.snapshot().number
    assert known(table.submit(Observe(tray.throw(1, 1, 5, 3, 6))).notice).code == "decide_first"
    assert table.snapshot().number == before


def test_lifting_crapola_dice_out_of_the_tray_banks_those_set_aside(table: Table, tray: Tray, clock: Clock) -> None:
    started(table, CRAPOLA)
    table.submit(Observe(tray.throw(1, 1, 5, 2, 3, 6)))
    table.submit(Observe(tray.keep(1, 1)))
    tray.kept.pop()
    table.submit(Observe(tray.observation()))  # half of them lifted already
    tray.lift()
    table.submit(Observe(tray.observation()))
    clock.now_s += 2.5
    assert known(table.submit(Tick()).state)["scores"] == {"Ann": 200, "Ben": 0}


def test_crapola_bank_button_banks_dice_set_aside_and_is_refused_if_none(table: Table, tray: Tray) -> None:
    started(table, CRAPOLA)
    table.submit(Observe(tray.throw(1, 1, 5, 2, 3, 6)))
    with pytest.raises(IllegalAction, match="nothing that could be banked"):
        table.submit(PressButton(button="bank"))
    table.submit(Observe(tray.keep(5)))
    assert known(table.submit(PressButton(button="bank")).state)["scores"] == {"Ann": 50, "Ben": 0}


def test_after_a_restart_crapola_dice_kept_by_earlier_throws_stay_kept(evening: Evening) -> None:
    started(evening.table, CRAPOLA)
    evening.throw(5, 2, 2, 3, 4, 6)
    evening.keep(5)
    evening.throw(1, 2, 3, 3, 4)
    held = evening.keep(1)
    evening.restart()
    assert (evening.see().notice, known(held.notice).code) == (held.notice, "hold")
    assert known(evening.throw(2, 5, 3, 4).state)["kept"] == [[5], [1]]


def test_lifting_six_scoring_crapola_dice_out_of_the_tray_banks_nothing(table: Table, tray: Tray, clock: Clock) -> None:
    started(table, CRAPOLA)
    table.submit(Observe(tray.throw(1, 2, 3, 4, 5, 6)))
    held = table.submit(Observe(tray.keep(1, 2, 3, 4, 5, 6)))
    assert known(held.notice).code == "hold_all", "the button banks, lifting does not: that must be said beforehand"
    tray.lift()
    assert known(table.submit(Observe(tray.observation())).notice).code == "throw_or_bank"
    clock.now_s += 60
    assert table.submit(Tick()).number == held.number
    after = table.submit(Observe(tray.throw(1, 1, 2, 3, 4, 6)))
    assert (known(after.state)["kept"], known(after.state)["turn_points"]) == ([[1, 2, 3, 4, 5, 6]], 1000)


def test_a_crapola_keep_observed_together_with_the_next_throw_counts_only_once(table: Table, tray: Tray) -> None:
    started(table, CRAPOLA)
    table.submit(Observe(tray.throw(5, 5, 1, 5, 3, 5)))
    tray.keep_one(1)
    thrown = table.submit(Observe(tray.throw(5, 2, 1, 3, 2)))  # the hold and the throw in one observation
    assert (known(thrown.state)["kept"], known(thrown.notice).code) == ([[1]], "choose_keep")
    assert known(table.submit(Observe(tray.keep(1))).notice).args["dice"] == [1]


def test_after_hot_dice_in_crapola_the_notice_names_only_kept_dice_of_the_new_throw(table: Table, tray: Tray) -> None:
    started(table, CRAPOLA)
    table.submit(Observe(tray.throw(1, 2, 3, 4, 5, 6)))
    table.submit(Observe(tray.keep(1, 2, 3, 4, 5, 6)))
    tray.lift()
    tray.throw_in(1, 1, 2, 3, 4, 6)
    asked = table.submit(Observe(tray.observation(Doubt.UNREAD)))
    table.submit(Answer(question=known(asked.question).id, values=(1, 1, 2, 3, 4, 6)))
    assert known(table.submit(Observe(tray.keep(1))).notice).args["dice"] == [1]


def test_players_are_asked_which_crapola_dice_were_thrown_if_that_is_ambiguous(table: Table, tray: Tray) -> None:
    started(table, CRAPOLA)
    table.submit(Observe(tray.throw(1, 5, 2, 3, 4, 6)))
    table.submit(Observe(tray.keep(1)))
    tray.keep_one(5)
    tray.throw_in(4, 6, 3, 4)  # four thrown and the five held, or five thrown and a five moved aside?
    asked = table.submit(Observe(tray.observation()))
    assert (known(asked.question).code, known(asked.question).wanted) == ("unsure", (4, 5))
    after = table.submit(Answer(question=known(asked.question).id, values=(3, 4, 4, 6)))
    assert known(after.state)["player"] == "Ben", "the four that were thrown score nothing"
    assert [event.args["dice"] for event in after.events if event.code == "kept"] == [[1, 5]]


def test_kept_crag_dice_stay_when_a_player_not_on_turn_leaves_the_game(table: Table, tray: Tray) -> None:
    started(table, {**CRAG, "players": ["Ann", "Ben", "Cat"]})
    table.submit(Observe(tray.throw(6, 6, 2)))
    held = table.submit(Observe(tray.keep(6, 6)))
    left = table.submit(PlayLine(number=held.number, line={"leave": "Ben"}))
    assert (left.notice, known(left.state)["dice"], left.events[-1].code) == (held.notice, [2, 6, 6], "left")
    after = table.submit(Observe(tray.throw(1)))
    assert known(after.state)["dice"] == [1, 6, 6], "what lay in the keep zone stays"


def test_a_tray_question_stays_open_when_a_player_not_on_turn_leaves(table: Table, tray: Tray) -> None:
    started(table, {**CRAG, "players": ["Ann", "Ben", "Cat"]})
    tray.throw_in(6, 6, 2)
    asked = table.submit(Observe(tray.observation(Doubt.DISAGREE)))
    assert asked.phase == "asking"
    left = table.submit(PlayLine(number=asked.number, line={"leave": "Cat"}))
    assert left.question == asked.question
    answered = table.submit(Answer(question=known(left.question).id, values=(6, 6, 2)))
    assert known(answered.state)["dice"] == [2, 6, 6]


def test_crapola_dice_kept_by_a_player_who_leaves_during_their_turn_are_not_banked(
    table: Table, tray: Tray, clock: Clock
) -> None:
    """The next throw is the next player's; an undo brings back the player who left."""
    started(table, {**CRAPOLA, "players": ["Ann", "Ben", "Cat"]})
    table.submit(Observe(tray.throw(1, 1, 5, 2, 3, 4)))
    kept = table.submit(Observe(tray.keep(1, 1)))
    left = table.submit(PlayLine(number=kept.number, line={"leave": "Ann"}))
    assert (known(left.state)["player"], known(left.state)["kept"]) == ("Ben", [])
    tray.lift()
    table.submit(Observe(tray.observation()))
    clock.now_s += 5
    waits = table.submit(Tick())
    assert (waits.number, known(waits.state)["player"]) == (left.number, "Ben"), "lifting them out banks nothing"
    thrown = table.submit(Observe(tray.throw(1, 2, 2, 3, 3, 4)))
    assert (thrown.throws[-1].player, known(thrown.state)["decisions"]) == ("Ben", ["keep"])
    back = table.submit(PlayLine(number=thrown.number, line={"undo": 2}))
    assert (known(back.state)["player"], "left" in known(back.state)) == ("Ann", False)


def test_the_only_player_left_in_a_game_wins_and_starts_the_next_game(table: Table) -> None:
    started(table, {**CRAG, "players": ["Ann", "Ben", "Cat"]})
    for name in ("Ann", "Cat"):
        over = table.submit(PlayLine(number=table.snapshot().number, line={"leave": name}))
    assert (known(over.state)["outcome"]["winners"], over.next_starter) == (["Ben"], "Ben")


def rolled_beside(tray: Tray, stays: tuple[int, ...], *values: int) -> Observation:
    """Throw all dice but `stays`, which stay untouched in the throw zone, and observe the tray."""
    lying = list[Die]()
    for value in stays:
        lying.append(next(die for die in tray.thrown if die.value == value and die not in lying))
    tray.lay = list(tray.thrown)
    tray.thrown = [*lying, *(tray.die(value) for value in values)]
    return tray.observation()


@pytest.mark.parametrize(
    ("header", "first", "kept", "then"),
    [(CRAG, (6, 6, 2), (6, 6), (1,)), (CRAG, (6, 5, 2), (5,), (1, 1)),
     (CRAPOLA, (1, 1, 5, 2, 3, 6), (1, 5), (2, 2, 4, 6)),
     (CRAPOLA, (1, 1, 5, 2, 3, 6), (1, 1, 5), (1, 2, 4))],
)  # fmt: skip
def test_dice_chosen_on_a_phone_and_left_in_the_throw_zone_are_not_part_of_the_next_throw(
    table: Table, tray: Tray, header: dict[str, Any], first: tuple[int, ...], kept: tuple[int, ...], then: tuple[int]
) -> None:
    started(table, header)
    seen = table.submit(Observe(tray.throw(*first)))
    chosen = table.submit(PlayLine(number=seen.number, line={"do": "keep", "dice": list(kept)}))
    after = table.submit(Observe(rolled_beside(tray, kept, *then)))
    assert after.question is None
    assert [thrown.values for thrown in after.throws] == [tuple(sorted(first)), then]
    assert lines_after(table, chosen) == 1


def test_a_crag_throw_of_more_dice_than_are_left_raises_a_count_question(table: Table, tray: Tray) -> None:
    started(table, CRAG)
    seen = table.submit(Observe(tray.throw(6, 5, 2)))
    table.submit(PlayLine(number=seen.number, line={"do": "keep", "dice": [6]}))
    after = table.submit(Observe(rolled_beside(tray, (5,), 1, 3)))
    assert after.question is not None
    assert (known(after.notice).code, known(after.notice).args) == ("count", {"wanted": [2], "seen": 3, "kept": 0})
