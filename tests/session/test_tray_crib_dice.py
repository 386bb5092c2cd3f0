"""Crib Dice with the tray as people use it: nudges, short counts, doubts, changes of mind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from acting import HEADER, Clock, Tray, played, started, table_in

from companion.errors import IllegalAction, StaleAction
from companion.session.commands import Answer, Moving, PlayLine, Press, See, StartGame, Tick
from companion.session.interpret import BANK_AFTER_S
from companion.session.snapshot import Snapshot
from companion.session.table import Table

FIRST = (5, 5, 2, 2, 1, 4, 6)


class Evening:
    """A table, a tray and a clock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = Clock()
        self.tray = Tray(clock=self.clock)
        self.table = table_in(folder, self.clock)
        self.table.start()
        started(self.table, HEADER)

    def see(self, doubt: str | None = None) -> Snapshot:
        return self.table.submit(See(self.tray.sight(doubt)))

    def throw(self, *values: int, doubt: str | None = None) -> Snapshot:
        self.tray.throw_in(*values)
        return self.see(doubt)

    def keep(self, *values: int) -> Snapshot:
        return self.table.submit(See(self.tray.keep(*values)))

    def wait(self, seconds: float) -> Snapshot:
        self.clock.now_s += seconds
        return self.table.submit(Tick())

    def restart(self) -> Snapshot:
        self.table.stop()
        self.table = table_in(self.folder, self.clock)
        self.table.start()
        return self.table.snapshot()


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    evening = Evening(tmp_path)
    yield evening
    evening.table.stop()


def frozen(evening: Evening, *values: int) -> Snapshot:
    """A first throw of FIRST with the fives frozen."""
    evening.throw(*FIRST)
    return evening.keep(5, 5)


def test_the_same_dice_seen_again_are_no_throw(evening: Evening) -> None:
    number = evening.throw(*FIRST).number
    evening.tray.knock()
    evening.see()
    evening.tray.emptied = True  # a sleeve hid the dice for a moment
    assert evening.see().number == number


def test_a_knock_while_a_throw_is_awaited_is_neither_a_throw_nor_a_question(evening: Evening) -> None:
    number = frozen(evening).number
    evening.tray.knock()
    assert evening.see().question is None
    evening.tray.emptied = True
    after = evening.see()
    assert (after.question, after.number) == (None, number)


def test_dice_picked_up_one_by_one_while_others_are_pushed_aside_are_no_throw(evening: Evening) -> None:
    number = frozen(evening).number
    evening.tray.thrown = [evening.tray.die(die.value) for die in evening.tray.thrown[:3]]
    after = evening.see()
    assert (after.question, after.number) == (None, number)


def test_a_knock_that_also_turns_a_die_is_asked_about(evening: Evening) -> None:
    frozen(evening)
    number = evening.throw(1, 3, 3, 4, 6).number
    turned, *others = evening.tray.thrown
    pushed = [msgspec.structs.replace(die, x_mm=die.x_mm + 9.0) for die in others]
    evening.tray.thrown = [msgspec.structs.replace(turned, value=2, x_mm=turned.x_mm + 9.0), *pushed]
    asked = evening.see()
    assert (asked.question.code, asked.number) == ("moved", number)


def test_dice_moved_between_the_zones_are_no_throw(evening: Evening) -> None:
    number = frozen(evening).number
    assert evening.keep(6).notice.args["reason"] == "not_the_point"
    evening.tray.thrown.append(evening.tray.kept.pop())
    after = evening.see()
    assert (after.number, after.notice.code) == (number, "throw")


def test_a_hold_that_the_rules_forbid_says_why(evening: Evening) -> None:
    evening.throw(*FIRST)
    assert evening.keep(1).notice.args["reason"] == "pair_needed"
    assert evening.keep(5).notice.args["reason"] == "one_value"
    assert evening.table.snapshot().number == 2
    assert evening.table.snapshot().notice.args["values"] == [5, 2]


def test_who_changes_his_mind_before_throwing_names_another_point(evening: Evening) -> None:
    frozen(evening)
    evening.tray.thrown += evening.tray.kept
    evening.tray.kept = []
    after = evening.keep(2, 2)
    assert after.state["point"] == 2
    evening.throw(2, 3, 3, 4, 6)
    evening.tray.thrown += evening.tray.kept
    evening.tray.kept = []
    assert evening.see().state["point"] == 2, "after a throw the point stands"


def test_after_an_undo_the_keep_zone_says_nothing_until_it_changes(evening: Evening) -> None:
    number = frozen(evening).number
    undone = evening.table.submit(Press(button="undo"))
    assert (undone.number, undone.state["decisions"]) == (number + 1, ["point"])
    assert evening.see().state["decisions"] == ["point"]
    evening.tray.thrown += evening.tray.kept
    evening.tray.kept = []
    evening.see()
    assert evening.keep(2, 2).state["point"] == 2


def test_a_throw_with_a_die_too_few_is_asked_and_completed_by_the_die(evening: Evening) -> None:
    frozen(evening)
    short = evening.throw(5, 3, 3, 4)
    assert (short.phase, short.question.code, short.question.wanted) == ("asking", "count", (5,))
    assert short.notice.args == {"wanted": [5], "seen": 4, "kept": 2}
    evening.tray.thrown.append(evening.tray.die(6))
    after = evening.see()
    assert after.question is None
    assert after.throws[-1].values == (3, 3, 4, 5, 6)


def test_a_short_throw_is_superseded_by_throwing_again(evening: Evening) -> None:
    frozen(evening)
    evening.throw(5, 3, 3, 4)
    after = evening.throw(1, 3, 3, 4, 6)
    assert (after.question, after.throws[-1].values) == (None, (1, 3, 3, 4, 6))


def test_a_doubtful_throw_settles_itself_when_it_reads_clearly(evening: Evening) -> None:
    frozen(evening)
    first = evening.throw(5, 3, 3, 4, 6, doubt="cocked")
    assert first.question.code == "cocked"
    evening.tray.knock()
    after = evening.see()
    assert (after.phase, after.throws[-1].values) == ("read", (3, 3, 4, 5, 6))
    with pytest.raises(StaleAction):
        evening.table.submit(Answer(question=first.question.id, values=(3, 3, 4, 5, 6)))


def test_a_question_outlives_the_dice_and_the_next_throw_waits_for_it(evening: Evening) -> None:
    frozen(evening)
    question = evening.throw(5, 3, 3, 4, 6, doubt="glare").question
    evening.tray.lift()
    assert evening.see().question == question
    assert evening.wait(5.0).question == question, "a doubtful throw is not banked away"
    evening.tray.throw_in(1, 1, 2, 3, 4, 6, 6)
    assert evening.see().question == question
    after = evening.table.submit(Answer(question=question.id, values=(2, 3, 3, 4, 6)))
    assert [thrown.values for thrown in after.throws[-2:]] == [(2, 3, 3, 4, 6), (1, 1, 2, 3, 4, 6, 6)]
    assert after.state["player"] == "Ben"


def test_an_empty_tray_seen_twice_does_not_bank_away_a_question(evening: Evening) -> None:
    number = frozen(evening).number
    question = evening.throw(5, 3, 3, 4, 6, doubt="glare").question
    evening.tray.lift()
    evening.see()
    evening.clock.now_s += 3.0
    after = evening.see()
    assert (after.number, after.question) == (number, question)
    answered = evening.table.submit(Answer(question=question.id, values=(5, 3, 3, 4, 6)))
    assert answered.state["frozen"] == 3
    assert evening.wait(0.1).state["scores"]["Ann"] == 5, "the tray has been empty all the while"


def test_the_writer_wakes_once_for_an_empty_tray_and_not_for_a_hand(evening: Evening) -> None:
    def due() -> float | None:
        return evening.table._play.deadline_s()

    evening.throw(*[3] * 7)
    evening.keep(*[3] * 7)
    assert due() is None
    evening.tray.lift()
    evening.see()
    assert due() == BANK_AFTER_S
    evening.table.submit(Moving())
    assert due() is None
    evening.see()
    assert due() == BANK_AFTER_S
    evening.wait(5.0)
    assert due() is None, "it has looked; an empty tray says no more here"


def test_an_answer_of_no_throw_leaves_the_game_and_waits(evening: Evening) -> None:
    before = frozen(evening)
    question = evening.throw(5, 3, 3, 4, 6, doubt="blur").question
    after = evening.table.submit(Answer(question=question.id, values=None))
    assert (after.number, after.question, after.state) == (before.number, None, before.state)
    evening.tray.knock()
    assert evening.see().number == before.number


def test_an_answer_that_the_rules_refuse_leaves_the_question_open(evening: Evening) -> None:
    frozen(evening)
    question = evening.throw(5, 3, 3, 4, 6, doubt="blur").question
    with pytest.raises(IllegalAction):
        evening.table.submit(Answer(question=question.id, values=(5, 5, 5)))
    assert evening.table.snapshot().question == question


def test_who_throws_all_seven_in_the_middle_is_asked_and_a_bank_settles_it(evening: Evening) -> None:
    frozen(evening)
    evening.tray.lift()
    asked = evening.throw(1, 1, 2, 3, 4, 6, 6)
    assert (asked.question.code, asked.notice.args["seen"]) == ("count", 7)
    after = evening.table.submit(Press(button="bank"))
    assert after.state["scores"] == {"Ann": 2, "Ben": 0}
    assert (after.state["player"], after.throws[-1].values) == ("Ben", (1, 1, 2, 3, 4, 6, 6))


def test_the_bank_button_does_not_pass_over_a_doubtful_throw(evening: Evening) -> None:
    frozen(evening)
    evening.throw(2, 3, 3, 4, 6, doubt="disagree")
    with pytest.raises(IllegalAction, match="in question"):
        evening.table.submit(Press(button="bank"))


def test_an_empty_tray_banks_only_after_two_seconds_and_not_while_a_hand_is_there(evening: Evening) -> None:
    frozen(evening)
    evening.tray.lift()
    assert evening.see().notice.code == "banking"
    assert evening.wait(1.9).state["turn_points"] == 2
    evening.table.submit(Moving())
    assert evening.wait(5.0).state["turn_points"] == 2
    after = evening.see()
    assert after.state["scores"]["Ann"] == 2
    assert after.notice.args["player"] == "Ben"


def test_dice_put_back_in_time_do_not_bank(evening: Evening) -> None:
    number = frozen(evening).number
    thrown, kept = evening.tray.thrown, evening.tray.kept
    evening.tray.lift()
    evening.see()
    evening.clock.now_s += 1.0
    evening.tray.thrown, evening.tray.kept, evening.tray.emptied = thrown, kept, True
    evening.see()
    assert evening.wait(5.0).number == number


def test_after_an_automatic_rollover_an_empty_tray_may_be_a_hand_full_of_dice(evening: Evening) -> None:
    evening.throw(*[3] * 7)
    before = evening.keep(*[3] * 7)
    assert (before.state["frozen"], before.state["decisions"]) == (7, ["stop"])
    assert (before.notice.code, before.notice.args) == ("again_or_bank", {"player": "Ann", "sizes": [7]})
    evening.tray.lift()
    assert evening.see().notice.code == "throw_or_bank"
    assert evening.wait(60.0).number == before.number
    assert evening.throw(*FIRST).state["turn_points"] == 15


def test_a_piddle_may_borrow_a_frozen_die(evening: Evening) -> None:
    evening.throw(3, 3, 3, 3, 3, 3, 1)
    evening.keep(*[3] * 6)
    evening.tray.kept.pop()
    after = evening.throw(3, 4)
    assert (after.state["turn_points"], after.state["throw_sizes"]) == (12, [7])


def test_a_frozen_die_left_untouched_in_the_throw_zone_is_not_thrown(evening: Evening) -> None:
    frozen(evening)
    evening.throw(5, 3, 3, 4, 6)
    five = next(die for die in evening.tray.thrown if die.value == 5)
    evening.tray.thrown = [five, *(evening.tray.die(value) for value in (1, 2, 6, 6))]
    assert evening.see().throws[-1].values == (1, 2, 6, 6)


def test_an_unfrozen_die_left_untouched_makes_the_throw_incomplete(evening: Evening) -> None:
    frozen(evening)
    number = evening.throw(5, 3, 3, 4, 6).number
    three = next(die for die in evening.tray.thrown if die.value == 3)
    evening.tray.thrown = [three, *(evening.tray.die(value) for value in (1, 2, 6, 6))]
    assert evening.see().number == number


def test_dice_shaken_without_being_seen_to_leave_are_a_throw_when_their_values_change(evening: Evening) -> None:
    frozen(evening)
    evening.throw(1, 3, 3, 4, 6)
    evening.tray.thrown = [evening.tray.die(value) for value in (1, 2, 2, 5, 6)]
    assert evening.see().throws[-1].values == (1, 2, 2, 5, 6)


def test_dice_pushed_about_that_show_the_same_are_asked_about(evening: Evening) -> None:
    frozen(evening)
    number = evening.throw(1, 3, 3, 4, 6).number
    evening.tray.thrown = [evening.tray.die(value) for value in (1, 3, 3, 4, 6)]
    asked = evening.see()
    assert (asked.number, asked.question.code) == (number, "moved")
    after = evening.table.submit(Answer(question=asked.question.id, values=(1, 3, 3, 4, 6)))
    assert after.number == number + 1


def test_a_throw_that_leaves_some_dice_where_they_lay_is_asked_about(evening: Evening) -> None:
    frozen(evening)
    number = evening.throw(1, 3, 3, 4, 6).number
    evening.tray.thrown[2:] = [evening.tray.die(value) for value in (2, 2, 5)]
    asked = evening.see()
    assert (asked.number, asked.question.code, asked.question.wanted) == (number, "moved", (5,))


def test_dice_in_the_hand_are_not_an_unclear_tray(evening: Evening) -> None:
    frozen(evening)
    evening.tray.lift("thrown")
    assert evening.see(doubt="count").notice.code == "throw"
    assert evening.throw(1, 3, 3, 4, 6).number == 4


def test_a_die_tipped_over_changes_nothing(evening: Evening) -> None:
    frozen(evening)
    number = evening.throw(1, 3, 3, 4, 6).number
    die = evening.tray.thrown[0]
    evening.tray.thrown[0] = evening.tray.slid(evening.tray.die(2))
    assert die.value == 1
    after = evening.see()
    assert (after.question, after.number) == (None, number)


def test_after_a_wipe_out_the_old_dice_wait_to_be_cleared(evening: Evening) -> None:
    frozen(evening)
    after = evening.throw(2, 3, 3, 4, 6)
    assert (after.state["player"], after.notice.code) == ("Ben", "clear_tray")
    evening.tray.thrown.pop()
    assert evening.see().notice.code == "clear_tray"
    evening.tray.lift()
    assert evening.throw(*FIRST).throws[-1].player == "Ben"


def test_a_throw_before_the_point_is_named_waits_for_the_point(evening: Evening) -> None:
    evening.throw(*FIRST)
    early = evening.throw(1, 2, 3, 4, 6)  # the fives were put beside the tray
    assert (early.notice.code, early.number) == ("decide_first", 2)
    after = evening.table.submit(PlayLine(number=2, line={"do": "point", "value": 5}))
    assert [thrown.values for thrown in after.throws] == [tuple(sorted(FIRST)), (1, 2, 3, 4, 6)]


def test_a_table_played_by_hand_is_never_banked_by_an_empty_tray(evening: Evening) -> None:
    evening.see()
    played(evening.table, [{"throw": list(FIRST)}, {"do": "point", "value": 5}])
    evening.see()
    assert evening.wait(60.0).number == 3


def test_the_old_throw_that_lies_there_after_a_restart_is_not_thrown_again(evening: Evening) -> None:
    before = frozen(evening)
    assert evening.restart().notice.code == "restored"
    evening.tray.emptied = True  # a watcher that has just begun has seen no dice before
    assert evening.see().number == before.number
    assert evening.throw(5, 3, 3, 4, 6).number == before.number + 1


def test_dice_read_wrongly_where_they_lie_are_no_throw(evening: Evening) -> None:
    evening.throw(3, 3, 3, 3, 3, 1, 2)
    number = evening.keep(*[3] * 5).number
    lying = evening.tray.thrown
    evening.tray.thrown = [msgspec.structs.replace(die, value=6) for die in lying]
    assert evening.see(doubt="blur").question is None
    evening.tray.thrown = lying
    after = evening.see()
    assert (after.question, after.number) == (None, number)


def test_in_the_dark_nothing_is_banked(evening: Evening) -> None:
    number = frozen(evening).number
    thrown, kept = evening.tray.thrown, evening.tray.kept
    evening.tray.thrown, evening.tray.kept = [], []
    assert evening.see(doubt="dark").notice.code == "unclear"
    assert evening.wait(60.0).number == number
    evening.tray.thrown, evening.tray.kept = thrown, kept
    assert evening.see().number == number


def test_a_quick_throw_that_repeats_the_values_is_asked_about_not_lost(evening: Evening) -> None:
    evening.throw(5, 5, 5, 5, 1, 2, 3)
    evening.keep(5, 5, 5, 5)
    number = evening.throw(5, 2, 6).number
    evening.tray.keep_one(5)
    evening.tray.thrown = [evening.tray.die(2), evening.tray.die(6)]  # the piddle, thrown before anyone looked
    asked = evening.see()
    assert (asked.number, asked.question.code, asked.question.wanted) == (number, "moved", (2,))


def test_a_throw_made_while_the_table_slept_is_asked_about(evening: Evening) -> None:
    before = frozen(evening)
    evening.restart()
    evening.tray.throw_in(5, 3, 3, 4, 6)
    asked = evening.see()
    assert (asked.number, asked.question.code) == (before.number, "found")
    after = evening.table.submit(Answer(question=asked.question.id, values=(5, 3, 3, 4, 6)))
    assert after.state["frozen"] == 3


def test_dice_that_lie_there_before_the_game_are_not_its_first_throw(tmp_path: Path) -> None:
    table, tray = table_in(tmp_path), Tray()
    table.start()
    tray.throw_in(*FIRST)
    table.submit(See(tray.sight()))
    started = table.submit(StartGame(header=HEADER))
    assert table.submit(See(tray.sight())).number == started.number
    assert table.submit(See(tray.throw(*FIRST))).number == started.number + 1
    table.stop()


def test_the_roll_off_is_thrown_with_two_dice(tmp_path: Path) -> None:
    table, tray = table_in(tmp_path), Tray()
    table.start()
    started(table, {**HEADER, "roll_off": True})
    table.submit(See(tray.throw(2, 3)))
    after = table.submit(See(tray.throw(6, 3)))
    assert (after.state["player"], after.state["throw_sizes"]) == ("Ben", [7])
    assert [event.args.get("total") for event in after.events if event.code == "rolled_off"] == [5, 9]
    table.stop()


def test_a_tray_without_a_keep_zone_names_no_holds(tmp_path: Path) -> None:
    from companion.session.journal import Journal
    from companion.session.photos import Photos

    table = Table(Journal(tmp_path), Photos(tmp_path), clock=Clock(), keep_zone=False)
    table.start()
    started(table, HEADER)
    tray = Tray()
    table.submit(See(tray.throw(*FIRST)))
    named = table.submit(PlayLine(number=2, line={"do": "point", "value": 5}))
    assert named.notice.code == "throw"
    five: list[Any] = [die for die in tray.thrown if die.value == 5]
    tray.thrown = [*five, *(tray.die(value) for value in (1, 2, 3, 3, 6))]  # the fives stay where they lie
    assert table.submit(See(tray.sight())).throws[-1].values == (1, 2, 3, 3, 6)
    table.stop()
