"""Motion of dice: rolled, nudged, moved or picked up, from their places alone."""

from __future__ import annotations

import msgspec

from companion.table.tray.motion import Motion, motion_of
from companion.table.tray.observation import Die, Observation
from tests.table.acting import Tray


def dice(*values: int, seed: int = 1) -> tuple[Die, ...]:
    tray = Tray(seed)
    return tuple(tray.die(value) for value in values)


def pushed(lying: tuple[Die, ...], by_mm: float) -> tuple[Die, ...]:
    return tuple(msgspec.structs.replace(die, x_mm=die.x_mm + by_mm) for die in lying)


def seen(thrown: tuple[Die, ...], kept: tuple[Die, ...] = (), emptied: bool = False) -> Observation:
    return Observation(thrown=thrown, kept=kept, doubt=None, photo_jpeg=None, at_s=0.0, emptied=emptied)


def test_dice_shifted_by_2_mm_count_as_not_moved_even_if_the_throw_zone_was_empty_meanwhile() -> None:
    lying = dice(1, 2, 3)
    assert motion_of(lying, (), seen(pushed(lying, 2.0), emptied=True)) is Motion.NONE


def test_a_new_die_value_in_the_same_place_is_possible_motion_only_if_the_zone_was_empty_between() -> None:
    lying = dice(4)
    turned = (msgspec.structs.replace(lying[0], value=2),)
    assert motion_of(lying, (), seen(turned)) is Motion.NONE
    assert motion_of(lying, (), seen(turned, emptied=True)) is Motion.UNSURE


def test_dice_in_new_places_after_an_empty_throw_zone_are_a_roll_motion() -> None:
    assert motion_of(dice(1, 2, 3), (), seen(dice(1, 2, 3, seed=2), emptied=True)) is Motion.ROLLED
    assert motion_of((), (), seen(dice(1, 2, 3))) is Motion.ROLLED


def test_dice_in_new_places_count_as_rolled_if_a_value_changed_else_as_possibly_rolled() -> None:
    assert motion_of(dice(1, 2, 3), (), seen(dice(1, 2, 3, seed=2))) is Motion.UNSURE
    assert motion_of(dice(1, 2, 3), (), seen(dice(1, 2, 4, seed=2))) is Motion.ROLLED


def test_tray_dice_pushed_12_mm_count_as_no_motion_and_pushed_17_mm_as_unsure_motion() -> None:
    lying = dice(1, 2, 3)
    assert motion_of(lying, (), seen(pushed(lying, 12.0))) is Motion.NONE
    assert motion_of(lying, (), seen(pushed(lying, 17.0))) is Motion.UNSURE


def test_moving_a_die_to_the_keep_zone_is_no_roll_but_a_possible_roll_if_other_dice_moved_too() -> None:
    lying = dice(5, 2, 6)
    assert motion_of(lying, (), seen(lying[1:], kept=dice(5, seed=3))) is Motion.NONE
    assert motion_of(lying, (), seen(pushed(lying[1:], 60.0), kept=dice(5, seed=3))) is Motion.UNSURE


def test_a_kept_die_that_moves_into_the_emptied_throw_zone_makes_the_tray_motion_unsure() -> None:
    kept = dice(5, 5)
    assert motion_of((), kept, seen(dice(5, seed=2), kept=kept[:1], emptied=True)) is Motion.UNSURE


def test_picking_up_some_or_all_thrown_dice_counts_as_no_motion_in_the_tray() -> None:
    lying = dice(5, 2, 6)
    assert motion_of(lying, (), seen(lying[:2])) is Motion.NONE
    assert motion_of(lying, (), seen(pushed(lying[:2], 12.0))) is Motion.NONE
    assert motion_of(lying, (), seen(())) is Motion.NONE


def test_motion_detection_is_unsure_of_a_roll_if_one_die_is_missing_and_the_others_moved() -> None:
    lying = dice(5, 2, 6)
    assert motion_of(lying, (), seen(dice(5, 2, seed=2))) is Motion.UNSURE
    beside = (*pushed(lying[:1], 10.0), *dice(2, seed=2))
    assert motion_of(lying, (), seen(beside)) is Motion.UNSURE, "one has only landed beside its old place"
