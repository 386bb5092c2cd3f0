"""Whether dice were rolled between two observations of the tray, or only nudged, shifted between zones or picked up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from enum import Enum

from companion.table.tray.observation import Die, Observation

SAME_PLACE_MM = 4.0  # a reader's jitter; a die that was rolled and lands this close with its old value is a rarity
NUDGE_MM = 15.0  # a knock or a brushing hand moves a 16 mm die less than its width; a throw goes farther


class Motion(Enum):
    """What happened to the dice of the throw zone since the last observation."""

    NONE = "nothing was rolled"
    ROLLED = "rolled"
    PARTLY = "the values have changed, but some dice lie where they lay"
    UNSURE = "pushed about, or rolled to nearly the same"


def motion_of(thrown: Sequence[Die], kept: Sequence[Die], observation: Observation) -> Motion:
    """Tells a roll from a nudge, from the dice seen before (`thrown`, `kept`) and the observation now."""
    if not observation.thrown:
        return Motion.NONE
    if not elsewhere(thrown, observation.thrown):
        # Dice that were rolled lie elsewhere, whatever is read of them now; a single one may land where one lay.
        changed = stayed(thrown, observation.thrown) < len(observation.thrown)
        return Motion.UNSURE if observation.emptied and changed else Motion.NONE
    near = stayed(thrown, observation.thrown, NUDGE_MM)
    if _same_dice_otherwise_parted(thrown, kept, observation):
        if not observation.emptied:
            return Motion.NONE if near * 2 >= min(len(thrown), len(observation.thrown)) else Motion.UNSURE
        # Seen empty meanwhile, and not a die where it was: thrown. Out of the keep zone into an empty one: who knows.
        return Motion.ROLLED if thrown and not stayed(thrown, observation.thrown) else Motion.UNSURE
    if observation.emptied or not thrown:
        return Motion.ROLLED
    before, now = _counts(thrown), _counts(observation.thrown)
    if now < before:
        return Motion.NONE  # some were picked up
    still, dice = stayed(thrown, observation.thrown), len(observation.thrown)
    if now == before:
        return Motion.NONE if near == dice or still * 2 > dice else Motion.UNSURE
    if still:
        return Motion.PARTLY
    return Motion.UNSURE if near * 2 >= dice else Motion.ROLLED


def stayed(before: Sequence[Die], now: Sequence[Die], within_mm: float = SAME_PLACE_MM) -> int:
    """How many of the dice now lie where a die of the same value lay before."""
    return len(now) - len(moved(before, now, within_mm))


def moved(before: Sequence[Die], now: Sequence[Die], within_mm: float = SAME_PLACE_MM) -> tuple[Die, ...]:
    """The dice now that lie where no die of their value lay before."""
    left, found = list(before), []
    for die in now:
        near = [old for old in left if old.value == die.value and _apart_mm(old, die) <= within_mm]
        if near:
            left.remove(min(near, key=lambda old: _apart_mm(old, die)))
        else:
            found.append(die)
    return tuple(found)


def elsewhere(before: Sequence[Die], now: Sequence[Die]) -> bool:
    """Whether some die now lies where none lay before, whatever its value."""
    left = list(before)
    for die in now:
        near = [old for old in left if _apart_mm(old, die) <= SAME_PLACE_MM]
        if not near:
            return True
        left.remove(min(near, key=lambda old: _apart_mm(old, die)))
    return False


def _same_dice_otherwise_parted(thrown: Sequence[Die], kept: Sequence[Die], observation: Observation) -> bool:
    """Whether the same values lie in the tray, only more or fewer of them in each zone: dice shifted across."""
    return len(thrown) != len(observation.thrown) and _counts([*thrown, *kept]) == _counts(
        [*observation.thrown, *observation.kept]
    )


def _counts(dice: Sequence[Die]) -> Counter[int]:
    return Counter(die.value for die in dice)


def _apart_mm(one: Die, other: Die) -> float:
    return math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)
