"""Tell a roll from a nudge: what happened to the dice between two observations of the tray."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from enum import Enum

from companion.table.tray.observation import Die, Observation

SAME_PLACE_MM = 4.0
"""Distance in mm up to which a die counts as unmoved. Too low: the reader's jitter looks like motion; too high: a throw
that lands close to the old places is missed."""
NUDGE_MM = 15.0
"""Distance, in mm, within which a die of unchanged value may only have been pushed. Smaller: the table asks about
pushed dice, or counts them as rolled if one turned over; an open question is replaced after a push. Larger: rolls to
nearby places are missed or asked about."""


class Motion(Enum):
    """Motion of the dice in the throw zone since the last observation."""

    NONE = "nothing was rolled"
    ROLLED = "rolled"
    PARTLY = "some dice changed, others did not move"
    UNSURE = "pushed about, or rolled to nearly the same"


def motion_of(thrown: Sequence[Die], kept: Sequence[Die], observation: Observation) -> Motion:
    """Return how the dice in the throw zone moved between two observations, as one `Motion` for all of them.

    Values and places are compared with the dice seen before: `thrown` in the throw zone, `kept` in the keep zone.

    - `NONE`: the throw zone is empty, or its dice lie in old places. Or dice were only pushed a little, picked up, or
      moved from one zone to the other.
    - `ROLLED`: the values changed, and no die kept its place. If the throw zone was empty before, or was seen empty in
      between (`observation.emptied`), one die in a new place is enough; not if dice may come from the keep zone.
    - `PARTLY`: some dice did not move, and the values of others changed.
    - `UNSURE`: a roll and a push are both possible, or dice in old places changed after the throw zone was seen empty.
    """
    if not observation.thrown:
        return Motion.NONE
    if not any_in_new_place(thrown, observation.thrown):
        # Rolled dice are in new places, whatever their values; only a single one may land in an old place.
        changed = stayed(thrown, observation.thrown) < len(observation.thrown)
        return Motion.UNSURE if observation.emptied and changed else Motion.NONE
    near = stayed(thrown, observation.thrown, NUDGE_MM)
    if _moved_between_zones(thrown, kept, observation):
        if not observation.emptied:
            return Motion.NONE if near * 2 >= min(len(thrown), len(observation.thrown)) else Motion.UNSURE
        # The zone was empty in between and no die is where it was: rolled. Without dice before: unclear.
        return Motion.ROLLED if thrown and not stayed(thrown, observation.thrown) else Motion.UNSURE
    if observation.emptied or not thrown:
        return Motion.ROLLED
    still, dice = stayed(thrown, observation.thrown), len(observation.thrown)
    if _counts(observation.thrown) <= _counts(thrown):  # some may have been picked up; or a throw shows old values
        return Motion.NONE if near == dice or still * 2 > dice else Motion.UNSURE
    if still:
        return Motion.PARTLY
    return Motion.UNSURE if near * 2 >= dice else Motion.ROLLED


def stayed(before: Sequence[Die], now: Sequence[Die], within_mm: float = SAME_PLACE_MM) -> int:
    """Count the dice of `now` that lie within `within_mm` of a die of the same value in `before`."""
    return len(now) - len(moved(before, now, within_mm))


def moved(before: Sequence[Die], now: Sequence[Die], within_mm: float = SAME_PLACE_MM) -> tuple[Die, ...]:
    """Return the dice of `now` without a match in `before`: a die of the same value at most `within_mm` away.

    Matching is one to one. Each die of `now`, in order, takes the nearest match that no earlier die took.
    """
    left, found = list(before), []
    for die in now:
        near = [old for old in left if old.value == die.value and _apart_mm(old, die) <= within_mm]
        if near:
            left.remove(min(near, key=lambda old: _apart_mm(old, die)))
        else:
            found.append(die)
    return tuple(found)


def any_in_new_place(before: Sequence[Die], now: Sequence[Die]) -> bool:
    """Return whether a die of `now` lies in a new place: farther than SAME_PLACE_MM from every free place of `before`.

    Each die of `now` in turn takes the nearest free place within that distance. With more dice than before, one finds
    no place, so the answer is True. Values do not matter.
    """
    left = list(before)
    for die in now:
        near = [old for old in left if _apart_mm(old, die) <= SAME_PLACE_MM]
        if not near:
            return True
        left.remove(min(near, key=lambda old: _apart_mm(old, die)))
    return False


def _moved_between_zones(thrown: Sequence[Die], kept: Sequence[Die], observation: Observation) -> bool:
    """Return whether the tray holds the values of `thrown` and `kept`, but another number of dice in the throw zone."""
    return len(thrown) != len(observation.thrown) and _counts([*thrown, *kept]) == _counts(
        [*observation.thrown, *observation.kept]
    )


def _counts(dice: Sequence[Die]) -> Counter[int]:
    return Counter(die.value for die in dice)


def _apart_mm(one: Die, other: Die) -> float:
    return math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)
