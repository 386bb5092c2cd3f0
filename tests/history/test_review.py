"""Throws to look over: labels that follow from the throw, and labels that a person gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.errors import IllegalAction
from companion.history.review import Review, matched_values
from companion.table.commands import Answer, CorrectThrow, Observe, PlayLine, StartGame
from companion.table.writer import Table
from tests.table.acting import HEADER, Tray, table_in

READ = (5, 5, 2, 2, 1, 4, 6)


@pytest.mark.parametrize(
    ("read", "truth", "apart"),
    [
        ((1, 4, 6), (1, 4, 6), (1, 4, 6)),
        ((1, 4, 6), (1, 4, 3), (1, 4, 3)),
        ((1, 4, 6), (3, 3, 1), (1, 3, 3)),
        ((1, 4, 6), (2, 3, 1), (1, None, None)),  # which of the two is the 2?
        ((5, 5, 2), (5, 2, 2), (None, None, 2)),  # which 5 was a 2?
        ((5, 5, 2), (1, 1, 2), (1, 1, 2)),
        ((1, 4, 6), (1, 4), (1, 4, 0)),  # a coin was read as a 6
        ((4, 4, 6), (4, 6), (None, None, 6)),
        ((1, 4), (1, 4, 6), (None, None)),  # a die was not seen at all
        ((), (), ()),
    ],
)
def test_correcting_a_throw_labels_a_misread_die_only_if_its_true_value_is_unambiguous(
    read: tuple[int, ...], truth: tuple[int, ...], apart: tuple[int | None, ...]
) -> None:
    assert matched_values(read, truth) == apart


@pytest.fixture
def table(tmp_path: Path) -> Any:
    table = table_in(tmp_path)
    table.start()
    table.submit(StartGame(header=HEADER))
    yield table
    table.stop()


def answered(table: Table, values: tuple[int, ...]) -> int:
    """Observe a doubted throw, answer it with these values and return its number."""
    observation = Tray().throw(*READ)
    question = table.submit(
        Observe(type(observation)(**{**_fields(observation), "doubt": "disagree", "photo_jpeg": b"jpeg"}))
    ).question
    assert question is not None
    return table.submit(Answer(question=question.id, values=values)).throws[-1].number


def _fields(observation: Any) -> dict[str, Any]:
    return {name: getattr(observation, name) for name in observation.__struct_fields__}


def test_review_lists_dice_boxes_of_a_doubted_throw_whose_values_a_player_gave(table: Table, tmp_path: Path) -> None:
    number = answered(table, (5, 5, 2, 3, 1, 4, 6))
    (throw,) = Review(tmp_path).throws()
    assert (throw.throw, throw.player, throw.source, throw.doubt) == (number, "Ann", "answered", "disagree")
    assert sorted(die.read for die in throw.dice) == sorted(READ)
    assert all(die.box_xywh[2] > 0 for die in throw.dice)
    assert [die.value for die in throw.dice if die.read == 2] == [None, None]
    assert not throw.settled


def test_the_throw_review_takes_a_reading_that_a_player_confirmed_as_true_values(table: Table, tmp_path: Path) -> None:
    answered(table, READ)
    (throw,) = Review(tmp_path).throws()
    assert throw.settled
    assert all(die.value == die.read for die in throw.dice)


def test_the_review_of_misread_throws_lists_a_corrected_throw_until_its_undo(table: Table, tmp_path: Path) -> None:
    review, number = Review(tmp_path), answered(table, READ)
    table.submit(CorrectThrow(number=table.snapshot().number, throw=number, values=(5, 5, 2, 2, 3, 4, 6)))
    (throw,) = review.throws()
    assert throw.source == "corrected"
    assert [(die.read, die.value) for die in throw.dice if die.read != die.value] == [(1, 3)]
    table.submit(PlayLine(number=table.snapshot().number, line={"undo": 1}))
    assert review.throws() == []


def test_labels_entered_in_the_throw_review_settle_a_throw_and_are_stored(table: Table, tmp_path: Path) -> None:
    number = answered(table, (5, 5, 2, 3, 1, 4, 6))
    reads = [die.read for die in Review(tmp_path).throws()[0].dice]
    said = [3 if at == reads.index(2) else value for at, value in enumerate(reads)]
    Review(tmp_path).label(number, said)
    (throw,) = Review(tmp_path).throws()
    assert throw.settled
    assert throw.by_hand
    assert [die.value for die in throw.dice] == said


def test_review_labels_without_a_photo_or_a_value_per_die_are_refused(table: Table, tmp_path: Path) -> None:
    number = answered(table, READ)
    with pytest.raises(IllegalAction, match="7 dice"):
        Review(tmp_path).label(number, [1, 2])
    with pytest.raises(IllegalAction, match="no photo"):
        Review(tmp_path).label(number + 1, list(READ))


def test_the_throw_review_omits_a_throw_that_was_entered_by_hand(table: Table, tmp_path: Path) -> None:
    table.submit(PlayLine(number=table.snapshot().number, line={"throw": list(READ)}))
    assert Review(tmp_path).throws() == []


def test_throw_review_reads_a_damaged_label_file_as_no_labels(table: Table, tmp_path: Path) -> None:
    """A label file that is not JSON counts as empty: the labels are lost, the throws are not."""
    number = answered(table, (5, 5, 2, 3, 1, 4, 6))
    review = Review(tmp_path)
    (unlabelled,) = review.throws()
    labels = [die.value or 2 for die in unlabelled.dice]
    review.label(number, labels)
    assert (review.throws()[0].by_hand, review.throws()[0].settled) == (True, True)
    (tmp_path / "review.json").write_bytes(b"{")
    for each in (review, Review(tmp_path)):
        assert each.throws() == [unlabelled]
    review.label(number, labels)
    assert [die.value for die in review.throws()[0].dice] == labels


@pytest.mark.parametrize("damage", [b'{"1":[1,2', b'{"\xff":[1]}', b""])
def test_a_damaged_label_file_is_set_aside_and_the_health_check_says_so(
    table: Table, tmp_path: Path, damage: bytes
) -> None:
    """The fault: the next label replaced the file, and all earlier ones were lost."""
    number, review = answered(table, (5, 5, 2, 3, 1, 4, 6)), Review(tmp_path)
    assert review.health()[0]
    (tmp_path / "review.json").write_bytes(damage)
    review.label(number, READ)
    (aside,) = tmp_path.glob("review.damaged-*.json")
    assert aside.read_bytes() == damage
    assert review.health()[0] is False
    assert aside.name in review.health()[1]
    aside.unlink()
    assert review.health()[0]
    assert review.throws()[0].by_hand
