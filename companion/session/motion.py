"""Whether dice were rolled between two sights of the tray, or only nudged, shifted between zones or picked up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from enum import Enum

from companion.session.sight import SeenDie, Sight

SAME_PLACE_MM = 4.0  # a reader's jitter; a die that was rolled and lands this close with its old value is a rarity
NUDGE_MM = 15.0  # a knock or a brushing hand moves a 16 mm die less than its width; a throw goes farther


class Motion(Enum):
    """What happened to the dice of the throw zone since the last sight."""

    NONE = "nothing was rolled"
    ROLLED = "rolled"
    PARTLY = "the values have changed, but some dice lie where they lay"
    UNSURE = "pushed about, or rolled to nearly the same"


def motion_of(thrown: Sequence[SeenDie], kept: Sequence[SeenDie], sight: Sight) -> Motion:
    """Tells a roll from a nudge, from the dice seen before (`thrown`, `kept`) and the sight now."""
    if not sight.thrown:
        return Motion.NONE
    if not elsewhere(thrown, sight.thrown):
        # Dice that were rolled lie elsewhere, whatever is read of them now; a single one may land where one lay.
        changed = stayed(thrown, sight.thrown) < len(sight.thrown)
        return Motion.UNSURE if sight.emptied and changed else Motion.NONE
    near = stayed(thrown, sight.thrown, NUDGE_MM)
    if _same_dice_otherwise_parted(thrown, kept, sight):
        if not sight.emptied:
            return Motion.NONE if near * 2 >= min(len(thrown), len(sight.thrown)) else Motion.UNSURE
        # Seen empty meanwhile, and not a die where it was: thrown. Out of the keep zone into an empty one: who knows.
        return Motion.ROLLED if thrown and not stayed(thrown, sight.thrown) else Motion.UNSURE
    if sight.emptied or not thrown:
        return Motion.ROLLED
    before, now = _counts(thrown), _counts(sight.thrown)
    if now < before:
        return Motion.NONE  # some were picked up
    still, dice = stayed(thrown, sight.thrown), len(sight.thrown)
    if now == before:
        return Motion.NONE if near == dice or still * 2 > dice else Motion.UNSURE
    if still:
        return Motion.PARTLY
    return Motion.UNSURE if near * 2 >= dice else Motion.ROLLED


def stayed(before: Sequence[SeenDie], now: Sequence[SeenDie], within_mm: float = SAME_PLACE_MM) -> int:
    """How many of the dice now lie where a die of the same value lay before."""
    return len(now) - len(moved(before, now, within_mm))


def moved(before: Sequence[SeenDie], now: Sequence[SeenDie], within_mm: float = SAME_PLACE_MM) -> tuple[SeenDie, ...]:
    """The dice now that lie where no die of their value lay before."""
    left, found = list(before), []
    for die in now:
        near = [old for old in left if old.value == die.value and _apart_mm(old, die) <= within_mm]
        if near:
            left.remove(min(near, key=lambda old: _apart_mm(old, die)))
        else:
            found.append(die)
    return tuple(found)


def elsewhere(before: Sequence[SeenDie], now: Sequence[SeenDie]) -> bool:
    """Whether some die now lies where none lay before, whatever its value."""
    left = list(before)
    for die in now:
        near = [old for old in left if _apart_mm(old, die) <= SAME_PLACE_MM]
        if not near:
            return True
        left.remove(min(near, key=lambda old: _apart_mm(old, die)))
    return False


def _same_dice_otherwise_parted(thrown: Sequence[SeenDie], kept: Sequence[SeenDie], sight: Sight) -> bool:
    """Whether the same values lie in the tray, only more or fewer of them in each zone: dice shifted across."""
    return len(thrown) != len(sight.thrown) and _counts([*thrown, *kept]) == _counts([*sight.thrown, *sight.kept])


def _counts(dice: Sequence[SeenDie]) -> Counter[int]:
    return Counter(die.value for die in dice)


def _apart_mm(one: SeenDie, other: SeenDie) -> float:
    return math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)
