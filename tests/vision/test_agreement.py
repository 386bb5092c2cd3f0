"""Two readings agree if each die of one has its own twin in the other."""

from __future__ import annotations

from vision.reading.reading import Die, Reading
from vision.watching.agreement import same_dice


def reading(*dice: tuple[int, int]) -> Reading:
    """Return a reading of dice 40 px wide in one row; each is (value, x of the centre)."""
    return Reading(tuple(Die(value, (x - 20, 80, 40, 40), 1.0) for value, x in dice), None)


def test_readings_differ_if_two_dice_of_one_lie_near_a_single_die_of_the_other() -> None:
    two_fives, a_five_between = reading((5, 100), (5, 124)), reading((5, 112), (3, 900))
    assert not same_dice(two_fives, a_five_between)
    assert not same_dice(a_five_between, two_fives)


def test_readings_agree_if_a_die_moved_by_less_than_half_its_width_and_differ_beyond() -> None:
    assert same_dice(reading((5, 100), (2, 300)), reading((2, 300), (5, 119)))
    assert not same_dice(reading((5, 100), (2, 300)), reading((2, 300), (5, 121)))
