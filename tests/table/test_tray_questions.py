"""Questions about unclear throws in Crib Dice: what is asked, and what settles it."""

from __future__ import annotations

import msgspec
import pytest

from companion.errors import Doubt, IllegalAction, StaleAction
from companion.table.commands import Answer, PressButton, StartGame
from tests.known import known
from tests.table.acting import FIRST, HEADER, Evening, frozen


def test_the_table_asks_about_a_push_that_moves_all_dice_and_turns_a_die(evening: Evening) -> None:
    frozen(evening)
    number = evening.throw(1, 3, 3, 4, 6).number
    turned, *others = evening.tray.thrown
    pushed = [msgspec.structs.replace(die, x_mm=die.x_mm + 9.0) for die in others]
    evening.tray.thrown = [msgspec.structs.replace(turned, value=2, x_mm=turned.x_mm + 9.0), *pushed]
    asked = evening.see()
    assert (known(asked.question).code, asked.number) == ("moved", number)


def test_a_question_about_a_throw_with_too_few_dice_ends_when_the_missing_die_appears(evening: Evening) -> None:
    frozen(evening)
    short = evening.throw(5, 3, 3, 4)
    assert (short.phase, known(short.question).code, known(short.question).wanted) == ("asking", "count", (5,))
    assert known(short.notice).args == {"wanted": [5], "seen": 4, "kept": 2}
    evening.tray.thrown.append(evening.tray.die(6))
    after = evening.see()
    assert after.question is None
    assert after.throws[-1].values == (3, 3, 4, 5, 6)


def test_a_complete_throw_replaces_one_with_a_missing_die_and_withdraws_the_question_about_it(evening: Evening) -> None:
    frozen(evening)
    evening.throw(5, 3, 3, 4)
    after = evening.throw(1, 3, 3, 4, 6)
    assert (after.question, after.throws[-1].values) == (None, (1, 3, 3, 4, 6))


def test_a_confident_reading_of_a_once_doubtful_throw_records_it_and_withdraws_the_question(evening: Evening) -> None:
    frozen(evening)
    first = evening.throw(5, 3, 3, 4, 6, doubt=Doubt.COCKED)
    assert known(first.question).code == "cocked"
    evening.tray.knock()
    after = evening.see()
    assert (after.phase, after.throws[-1].values) == ("read", (3, 3, 4, 5, 6))
    with pytest.raises(StaleAction):
        evening.table.submit(Answer(question=known(first.question).id, values=(3, 3, 4, 5, 6)))


def test_reading_the_same_dice_again_with_the_same_doubt_asks_no_second_question(evening: Evening) -> None:
    frozen(evening)
    question = evening.throw(5, 3, 3, 4, 6, doubt=Doubt.COCKED).question
    evening.tray.knock()
    assert evening.see(Doubt.COCKED).question == question
    evening.tray.thrown[0] = msgspec.structs.replace(evening.tray.thrown[0], value=1)
    other = evening.see(Doubt.COCKED).question
    assert known(other).id != known(question).id, "other values are another question"
    again = evening.throw(1, 3, 3, 4, 6, doubt=Doubt.COCKED).question
    assert known(again).id != known(other).id, "dice thrown again are another question"


def test_a_question_stays_open_after_lifting_the_dice_and_a_new_throw_waits_for_its_answer(evening: Evening) -> None:
    """A throw seen while the question is open is played after its answer."""
    frozen(evening)
    question = evening.throw(5, 3, 3, 4, 6, doubt=Doubt.UNREAD).question
    evening.tray.lift()
    assert evening.see().question == question
    assert evening.wait(5.0).question == question, "a doubtful throw is not banked away"
    evening.tray.throw_in(1, 1, 2, 3, 4, 6, 6)
    assert evening.see().question == question
    after = evening.table.submit(Answer(question=known(question).id, values=(2, 3, 3, 4, 6)))
    assert [thrown.values for thrown in after.throws[-2:]] == [(2, 3, 3, 4, 6), (1, 1, 2, 3, 4, 6, 6)]
    assert known(after.state)["player"] == "Ben"


def test_an_empty_tray_does_not_bank_while_a_question_is_open(evening: Evening) -> None:
    number = frozen(evening).number
    question = evening.throw(5, 3, 3, 4, 6, doubt=Doubt.UNREAD).question
    evening.tray.lift()
    evening.see()
    evening.clock.now_s += 3.0
    after = evening.see()
    assert (after.number, after.question) == (number, question)
    answered = evening.table.submit(Answer(question=known(question).id, values=(5, 3, 3, 4, 6)))
    assert known(answered.state)["frozen"] == 3
    assert known(evening.wait(0.1).state)["scores"]["Ann"] == 5, "the tray has been empty all the while"


def test_the_answer_no_throw_to_a_question_about_dice_leaves_the_game_unchanged(evening: Evening) -> None:
    before = frozen(evening)
    question = evening.throw(5, 3, 3, 4, 6, doubt=Doubt.DISAGREE).question
    after = evening.table.submit(Answer(question=known(question).id, values=None))
    assert (after.number, after.question, after.state) == (before.number, None, before.state)
    evening.tray.knock()
    assert evening.see().number == before.number


def test_an_illegal_answer_about_doubtful_dice_is_refused_and_the_question_stays_open(evening: Evening) -> None:
    frozen(evening)
    question = evening.throw(5, 3, 3, 4, 6, doubt=Doubt.DISAGREE).question
    with pytest.raises(IllegalAction):
        evening.table.submit(Answer(question=known(question).id, values=(5, 5, 5)))
    assert evening.table.snapshot().question == question


def test_seven_crib_dice_thrown_in_mid_turn_raise_a_question_that_pressing_bank_answers(evening: Evening) -> None:
    """The seven dice then are the next player's throw."""
    frozen(evening)
    evening.tray.lift()
    asked = evening.throw(1, 1, 2, 3, 4, 6, 6)
    assert (known(asked.question).code, known(asked.notice).args["seen"]) == ("count", 7)
    after = evening.table.submit(PressButton(button="bank"))
    assert known(after.state)["scores"] == {"Ann": 2, "Ben": 0}
    assert (known(after.state)["player"], after.throws[-1].values) == ("Ben", (1, 1, 2, 3, 4, 6, 6))


def test_the_hardware_bank_button_is_refused_while_a_die_value_is_doubted(evening: Evening) -> None:
    frozen(evening)
    evening.throw(2, 3, 3, 4, 6, doubt=Doubt.DISAGREE)
    with pytest.raises(IllegalAction, match="in question"):
        evening.table.submit(PressButton(button="bank"))


def test_a_crib_dice_throw_is_not_entered_if_a_die_that_had_to_be_thrown_did_not_move(evening: Evening) -> None:
    frozen(evening)
    number = evening.throw(5, 3, 3, 4, 6).number
    three = next(die for die in evening.tray.thrown if die.value == 3)
    evening.tray.thrown = [three, *(evening.tray.die(value) for value in (1, 2, 6, 6))]
    seen = evening.see()
    assert (seen.number, known(seen.question).code) == (number, Doubt.COUNT)


def test_the_table_asks_whether_dice_that_moved_but_show_the_same_values_were_thrown_again(evening: Evening) -> None:
    frozen(evening)
    number = evening.throw(1, 3, 3, 4, 6).number
    evening.tray.thrown = [evening.tray.die(value) for value in (1, 3, 3, 4, 6)]
    asked = evening.see()
    assert (asked.number, known(asked.question).code) == (number, "moved")
    after = evening.table.submit(Answer(question=known(asked.question).id, values=(1, 3, 3, 4, 6)))
    assert after.number == number + 1


def test_the_table_asks_about_a_throw_in_which_some_dice_lie_unmoved(evening: Evening) -> None:
    frozen(evening)
    number = evening.throw(1, 3, 3, 4, 6).number
    evening.tray.thrown[2:] = [evening.tray.die(value) for value in (2, 2, 5)]
    asked = evening.see()
    assert (asked.number, known(asked.question).code, known(asked.question).wanted) == (number, "moved", (5,))


def test_the_table_asks_nothing_about_an_unsure_dice_count_while_dice_are_lifted(evening: Evening) -> None:
    frozen(evening)
    evening.tray.lift("thrown")
    lifted = evening.see(doubt=Doubt.COUNT)
    assert (lifted.question, known(lifted.notice).code) == (None, "throw")
    assert evening.throw(1, 3, 3, 4, 6).number == 4


def test_the_table_asks_when_dice_thrown_again_unseen_show_the_same_values(evening: Evening) -> None:
    """A five is kept and the last two dice are thrown before the next look: they show 2 and 6 again."""
    evening.throw(5, 5, 5, 5, 1, 2, 3)
    evening.keep(5, 5, 5, 5)
    number = evening.throw(5, 2, 6).number
    evening.tray.keep_one(5)
    evening.tray.thrown = [evening.tray.die(2), evening.tray.die(6)]  # the piddle, thrown before anyone looked
    asked = evening.see()
    assert (asked.number, known(asked.question).code, known(asked.question).wanted) == (number, "moved", (2,))


def test_the_table_asks_about_dice_found_at_a_restart_if_a_die_is_missing(evening: Evening) -> None:
    """The first picture that a table sees may show a throw; a camera that plays files shows the throw repeatedly."""
    evening.restart()
    evening.tray.keep_zone = False
    evening.tray.throw_in(5, 5, 2, 2, 1, 4)
    asked = evening.see(doubt=Doubt.COUNT)
    assert (known(asked.question).code, known(asked.question).wanted, known(asked.question).values) == (
        "count",
        (7,),
        (5, 5, 2, 2, 1, 4),
    )
    evening.tray.lift()
    evening.see(doubt=Doubt.COUNT)
    evening.tray.thrown = list(evening.tray.lay)
    assert evening.see(doubt=Doubt.COUNT).question == asked.question, "the same dice are no second question"
    after = evening.table.submit(Answer(question=known(asked.question).id, values=(5, 5, 2, 2, 1, 4, 6)))
    assert (after.throws[-1].values, after.question) == ((1, 2, 2, 4, 5, 5, 6), None)


def test_questions_about_thrown_dice_get_unused_numbers_after_a_table_restart(evening: Evening) -> None:
    asked = set[int]()
    for _ in range(3):
        evening.restart()
        asked.add(known(evening.throw(*FIRST, doubt=Doubt.COCKED).question).id)
    assert len(asked) == 3, "phones keep the photo of a question by its number"


def test_dice_found_at_a_restart_raise_no_question_if_no_throw_is_legal(evening: Evening) -> None:
    evening.throw(5, 5, 2, 2, 1, 4, 6)
    evening.restart()
    evening.tray.throw_in(3, 3, 3, 4)
    seen = evening.see(doubt=Doubt.COUNT)
    assert (seen.question, known(seen.state)["decisions"]) == (None, ["point"])


def test_dice_that_are_read_with_doubt_after_a_restart_are_not_counted_as_a_new_throw(evening: Evening) -> None:
    evening.table.submit(StartGame(header={**HEADER, "roll_off": True}))
    number = evening.throw(3, 4).number
    evening.restart()
    evening.see(doubt=Doubt.COCKED)
    for die in range(2):
        evening.tray.thrown[die] = msgspec.structs.replace(evening.tray.thrown[die], x_mm=10.0 + 100 * die)
    assert evening.see().number == number


def test_the_table_asks_about_a_throw_made_during_its_restart(evening: Evening) -> None:
    before = frozen(evening)
    evening.restart()
    evening.tray.throw_in(5, 3, 3, 4, 6)
    asked = evening.see()
    assert (asked.number, known(asked.question).code) == (before.number, "found")
    after = evening.table.submit(Answer(question=known(asked.question).id, values=(5, 3, 3, 4, 6)))
    assert known(after.state)["frozen"] == 3
