"""Crib Dice played in the tray: nudges, kept and borrowed dice, changes of mind, an empty tray."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from companion.adapters.tray_observer import command_of, kept_out
from companion.errors import DeviceError, Doubt
from companion.table.commands import NoteMotion, Observe, OverlookTray, PlayLine, PressButton, StartGame
from companion.table.tray.interpret import BANK_AFTER_S
from companion.table.tray.observation import Observation, empty_tray
from companion.table.writer import Table
from tests.known import known
from tests.table.acting import FIRST, HEADER, Evening, Tray, frozen, full_disk, played, started
from vision.watching.watcher import Ill


def test_tray_dice_moved_slightly_by_a_knock_cause_no_throw_or_question(evening: Evening) -> None:
    number = frozen(evening).number
    evening.tray.knock()
    assert evening.see().question is None
    evening.tray.emptied = True  # a sleeve hid the dice for a moment
    after = evening.see()
    assert (after.question, after.number) == (None, number)


def test_picking_up_unfrozen_crib_dice_one_by_one_causes_no_throw_and_no_question(evening: Evening) -> None:
    number = frozen(evening).number
    while evening.tray.thrown:
        evening.tray.thrown.pop()
        after = evening.see()
        assert (after.question, after.number) == (None, number)


def test_crib_dice_table_sees_no_throw_in_a_die_put_back_from_keep_zone(evening: Evening) -> None:
    number = frozen(evening).number
    assert known(evening.keep(6).notice).args["reason"] == "not_the_point"
    evening.tray.thrown.append(evening.tray.kept.pop())
    after = evening.see()
    assert (after.number, known(after.notice).code) == (number, "throw")


def test_keeping_other_crib_dice_changes_the_point_only_before_the_next_throw(evening: Evening) -> None:
    frozen(evening)
    evening.tray.put_back()
    after = evening.keep(2, 2)
    assert known(after.state)["point"] == 2
    evening.throw(2, 3, 3, 4, 6)
    evening.tray.put_back()
    assert known(evening.see().state)["point"] == 2, "after a throw the point stands"


def test_swapping_kept_crib_dice_after_a_player_left_is_refused_and_the_player_stays_out(evening: Evening) -> None:
    started(evening.table, {**HEADER, "players": ["Ann", "Ben", "Cat"]})
    frozen(evening)
    played(evening.table, [{"leave": "Cat"}])
    evening.tray.put_back()
    after = evening.keep(2, 2)
    assert (known(after.state)["point"], known(after.state)["left"]) == (5, ["Cat"])
    assert known(after.notice).args["reason"] == "not_the_point"


def test_crib_dice_still_in_the_keep_zone_after_an_undo_do_not_name_the_point_again(evening: Evening) -> None:
    number = frozen(evening).number
    undone = evening.table.submit(PressButton(button="undo"))
    assert (undone.number, known(undone.state)["decisions"]) == (number + 1, ["point"])
    assert known(evening.see().state)["decisions"] == ["point"]
    evening.tray.put_back()
    evening.see()
    assert known(evening.keep(2, 2).state)["point"] == 2


def test_an_emptied_tray_starts_the_banking_timer_and_motion_stops_it(evening: Evening) -> None:
    """A tick reports that the time has passed after which an empty tray banks; motion puts it off."""

    def due() -> float | None:
        return evening.table.tick_due_s()

    evening.throw(*[3] * 7)
    evening.keep(*[3] * 7)
    assert due() is None
    evening.tray.lift()
    evening.see()
    assert due() == BANK_AFTER_S
    evening.table.submit(NoteMotion())
    assert due() is None
    evening.see()
    assert due() == BANK_AFTER_S
    evening.wait(5.0)
    assert due() is None, "it has looked; an empty tray says no more here"


def test_motion_over_an_empty_crib_dice_tray_postpones_the_bank(evening: Evening) -> None:
    frozen(evening)
    evening.tray.lift()
    assert known(evening.see().notice).code == "banking"
    assert known(evening.wait(1.9).state)["turn_points"] == 2
    evening.table.submit(NoteMotion())
    assert known(evening.wait(5.0).state)["turn_points"] == 2
    after = evening.see()
    assert known(after.state)["scores"]["Ann"] == 2
    assert known(after.notice).args["player"] == "Ben"


def test_a_camera_failure_ends_the_wait_for_dice_to_settle_and_the_banking_countdown(evening: Evening) -> None:
    frozen(evening)
    evening.tray.lift()
    evening.see()
    assert evening.table.submit(NoteMotion()).phase == "settling"
    failed = evening.table.submit(command_of(Ill(DeviceError("The camera is gone.", "Plug it in."))))
    assert (failed.phase, known(failed.notice).code) == ("ready", "throw")
    assert known(evening.wait(5.0).state)["turn_points"] == 2
    assert known(evening.see().notice).code == "banking", "the camera works again, and the tray is still empty"
    assert known(evening.wait(2.1).state)["scores"]["Ann"] == 2


def test_an_automatic_bank_refused_by_a_full_disk_is_retried_when_there_is_room_again(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = frozen(evening)
    evening.tray.lift()
    evening.see()
    full_disk(monkeypatch)
    with pytest.raises(DeviceError):
        evening.wait(3.0)
    assert known(evening.table.snapshot().notice).code == "ill"
    full_disk(monkeypatch, full=False)
    assert evening.table.tick_due_s() == evening.clock() + BANK_AFTER_S
    after = evening.wait(3.0)
    assert (after.number > before.number, known(after.notice).code == "ill") == (True, False)


def test_dice_lifted_and_put_back_within_two_seconds_do_not_bank(evening: Evening) -> None:
    number = frozen(evening).number
    thrown, kept = evening.tray.thrown, evening.tray.kept
    evening.tray.lift()
    evening.see()
    evening.clock.now_s += 1.0
    evening.tray.thrown, evening.tray.kept, evening.tray.emptied = thrown, kept, True
    evening.see()
    assert evening.wait(5.0).number == number


def test_lifting_all_seven_frozen_crib_dice_off_the_tray_does_not_bank(evening: Evening) -> None:
    evening.throw(*[3] * 7)
    before = evening.keep(*[3] * 7)
    assert (known(before.state)["frozen"], known(before.state)["decisions"]) == (7, ["stop"])
    assert (known(before.notice).code, known(before.notice).args) == ("again_or_bank", {"player": "Ann", "sizes": [7]})
    evening.tray.lift()
    assert known(evening.see().notice).code == "throw_or_bank"
    assert evening.wait(60.0).number == before.number
    assert known(evening.throw(*FIRST).state)["turn_points"] == 15


def test_a_crib_dice_piddle_is_thrown_with_the_last_die_and_one_die_from_the_keep_zone(evening: Evening) -> None:
    """With six frozen, two dice are thrown (a piddle): the last die and one frozen die from the keep zone."""
    evening.throw(3, 3, 3, 3, 3, 3, 1)
    evening.keep(*[3] * 6)
    evening.tray.kept.pop()
    after = evening.throw(3, 4)
    assert (known(after.state)["turn_points"], known(after.state)["throw_sizes"]) == (12, [7])


def test_a_frozen_crib_dice_die_left_in_the_throw_zone_is_not_counted_in_the_next_throw(evening: Evening) -> None:
    frozen(evening)
    evening.throw(5, 3, 3, 4, 6)
    five = next(die for die in evening.tray.thrown if die.value == 5)
    evening.tray.thrown = [five, *(evening.tray.die(value) for value in (1, 2, 6, 6))]
    assert evening.see().throws[-1].values == (1, 2, 6, 6)


def test_tray_dice_with_new_values_in_new_places_are_a_throw(evening: Evening) -> None:
    frozen(evening)
    evening.throw(1, 3, 3, 4, 6)
    evening.tray.thrown = [evening.tray.die(value) for value in (1, 2, 2, 5, 6)]
    assert evening.see().throws[-1].values == (1, 2, 2, 5, 6)


def test_turning_one_tray_die_to_another_face_by_hand_is_no_throw_and_raises_no_question(evening: Evening) -> None:
    frozen(evening)
    number = evening.throw(1, 3, 3, 4, 6).number
    die = evening.tray.thrown[0]
    evening.tray.thrown[0] = evening.tray.slid(evening.tray.die(2))
    assert die.value == 1
    after = evening.see()
    assert (after.question, after.number) == (None, number)


def test_after_a_crib_dice_wipe_out_a_notice_asks_to_clear_the_tray(evening: Evening) -> None:
    frozen(evening)
    after = evening.throw(2, 3, 3, 4, 6)
    assert (known(after.state)["player"], known(after.notice).code) == ("Ben", "clear_tray")
    evening.tray.thrown.pop()
    assert known(evening.see().notice).code == "clear_tray"
    evening.tray.lift()
    assert evening.throw(*FIRST).throws[-1].player == "Ben"


def test_a_crib_dice_throw_seen_too_early_is_recorded_once_the_point_is_named(evening: Evening) -> None:
    evening.throw(*FIRST)
    early = evening.throw(1, 2, 3, 4, 6)  # the fives were put beside the tray
    assert (known(early.notice).code, early.number) == ("decide_first", 2)
    after = evening.table.submit(PlayLine(number=2, line={"do": "point", "value": 5}))
    assert [thrown.values for thrown in after.throws] == [tuple(sorted(FIRST)), (1, 2, 3, 4, 6)]


def test_an_empty_tray_does_not_bank_points_entered_by_phone(evening: Evening) -> None:
    evening.see()
    played(evening.table, [{"throw": list(FIRST)}, {"do": "point", "value": 5}])
    evening.see()
    assert evening.wait(60.0).number == 3


def test_a_throw_still_in_the_tray_after_a_restart_is_not_counted_again(evening: Evening) -> None:
    before = frozen(evening)
    assert known(evening.restart().notice).code == "restored"
    evening.tray.emptied = True  # a watcher that has just begun has seen no dice before
    assert evening.see().number == before.number
    assert evening.throw(5, 3, 3, 4, 6).number == before.number + 1


def test_lifting_the_dice_out_of_the_tray_after_a_restart_banks_the_turns_points(evening: Evening) -> None:
    frozen(evening)
    evening.restart()
    evening.see()
    evening.tray.lift()
    assert known(evening.see().notice).code == "banking"
    assert known(evening.wait(2.1).state)["scores"]["Ann"] == 2


def test_a_doubtful_misreading_of_unmoved_dice_records_no_throw_and_asks_no_question(evening: Evening) -> None:
    evening.throw(3, 3, 3, 3, 3, 1, 2)
    number = evening.keep(*[3] * 5).number
    lying = evening.tray.thrown
    evening.tray.thrown = [msgspec.structs.replace(die, value=6) for die in lying]
    assert evening.see(doubt=Doubt.DISAGREE).question is None
    evening.tray.thrown = lying
    after = evening.see()
    assert (after.question, after.number) == (None, number)


def test_dice_misread_then_hidden_and_then_read_right_again_raise_no_question(evening: Evening) -> None:
    frozen(evening)
    evening.throw(5, 2, 3, 4, 6)
    number, dice = evening.keep(5).number, evening.tray.thrown
    evening.tray.thrown = [msgspec.structs.replace(dice[0], value=1), *dice[1:]]
    evening.see(doubt=Doubt.COCKED)
    evening.tray.lift("thrown")
    evening.see()
    evening.tray.thrown = dice
    after = evening.see()
    assert (after.number, after.question) == (number, None)


def test_a_tray_that_seems_empty_in_a_doubtful_reading_does_not_bank_the_points(evening: Evening) -> None:
    number = frozen(evening).number
    thrown, kept = evening.tray.thrown, evening.tray.kept
    evening.tray.thrown, evening.tray.kept = [], []
    assert known(evening.see(doubt=Doubt.UNREAD).notice).code == "unclear"
    assert evening.wait(60.0).number == number
    evening.tray.thrown, evening.tray.kept = thrown, kept
    assert evening.see().number == number


def test_a_hand_that_hides_an_emptied_tray_resets_the_banking_timer(evening: Evening) -> None:
    """The fault: the tray was seen empty, then a hand rested in it, and two seconds later the turn was over."""
    number = frozen(evening).number
    evening.tray.lift()
    assert known(evening.see().notice).code == "banking"
    evening.clock.now_s += 1.0
    evening.table.submit(NoteMotion())
    assert known(evening.see(doubt=Doubt.UNREAD).notice).code == "unclear"
    assert evening.wait(5.0).number == number
    assert known(evening.see().notice).code == "banking", "the time begins anew once the tray is seen empty"
    assert known(evening.wait(1.9).state)["scores"]["Ann"] == 0
    assert known(evening.wait(0.2).state)["scores"]["Ann"] == 2


def test_dice_in_the_tray_before_the_game_are_not_its_first_throw(table: Table) -> None:
    tray = Tray()
    tray.throw_in(*FIRST)
    table.submit(Observe(tray.observation()))
    started = table.submit(StartGame(header=HEADER))
    assert table.submit(Observe(tray.observation())).number == started.number
    assert table.submit(Observe(tray.throw(*FIRST))).number == started.number + 1


def test_dice_that_lay_in_the_tray_before_the_game_are_no_throw_when_seen_again(table: Table) -> None:
    tray = Tray()
    lying = tray.throw(*FIRST)
    table.submit(Observe(lying))
    number = table.submit(StartGame(header=HEADER)).number
    tray.lift()
    table.submit(Observe(tray.observation()))
    tray.thrown = list(lying.thrown)
    assert table.submit(Observe(tray.observation())).number == number


def test_dice_thrown_to_teach_a_dice_set_do_not_count_in_the_game_that_follows(evening: Evening) -> None:
    evening.table.submit(kept_out(Observe(evening.tray.throw(*FIRST))))
    evening.table.submit(NoteMotion())
    assert evening.see().throws == ()
    assert [len(evening.throw(*FIRST).throws)] == [1]


@pytest.mark.parametrize("calibrated", [False, True])
def test_clearing_the_tray_after_teaching_dice_or_calibrating_does_not_bank(evening: Evening, calibrated: bool) -> None:
    before = frozen(evening)
    evening.table.submit(OverlookTray() if calibrated else kept_out(Observe(evening.tray.throw(6, 6, 6))))
    evening.tray.lift()
    evening.see()
    after = evening.wait(3.0)
    assert (after.number, after.question, after.state) == (before.number, None, before.state)


def test_the_first_throw_after_a_calibration_is_recorded_without_a_question(evening: Evening) -> None:
    evening.table.submit(OverlookTray(empty_tray(0.0)))
    after = evening.throw(*FIRST)
    assert (len(after.throws), after.question) == (1, None)


@pytest.mark.parametrize("seen", [None, empty_tray(0.0)])
def test_crib_dice_put_back_after_calibration_are_no_new_throw_and_lifting_them_banks(
    evening: Evening, seen: Observation | None
) -> None:
    before = frozen(evening)
    evening.table.submit(OverlookTray(seen))
    assert evening.see().throws == before.throws
    evening.tray.lift()
    evening.see()
    state = known(evening.wait(3.0).state)
    assert (state["player"], state["scores"]["Ann"] > 0) == ("Ben", True)


def test_crib_dice_roll_off_reads_two_dice_per_player_and_the_higher_total_begins(table: Table) -> None:
    tray = Tray()
    started(table, {**HEADER, "roll_off": True})
    table.submit(Observe(tray.throw(2, 3)))
    after = table.submit(Observe(tray.throw(6, 3)))
    assert (known(after.state)["player"], known(after.state)["throw_sizes"]) == ("Ben", [7])
    assert [event.args.get("total") for event in after.events if event.code == "rolled_off"] == [5, 9]


def test_without_a_keep_zone_point_dice_left_in_the_tray_are_not_part_of_the_next_throw(table: Table) -> None:
    started(table, HEADER)
    tray = Tray(keep_zone=False)
    table.submit(Observe(tray.throw(*FIRST)))
    named = table.submit(PlayLine(number=2, line={"do": "point", "value": 5}))
    assert known(named.notice).code == "throw"
    five: list[Any] = [die for die in tray.thrown if die.value == 5]
    tray.thrown = [*five, *(tray.die(value) for value in (1, 2, 3, 3, 6))]  # the fives stay where they lie
    assert table.submit(Observe(tray.observation())).throws[-1].values == (1, 2, 3, 3, 6)
