"""Positions of pegs while they move: a pure function of the view and the time."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.palette import ease
from hardware.view import BoardView, Moment, Peg

RUN_HOLE_S, RUN_LONGEST_S = 0.04, 1.2
"""Seconds for each hole that a throw's light runs ahead, and at most for the whole run."""
BANK_HOLE_S, BANK_LONGEST_S = 0.025, 0.8
"""Seconds for each hole that is banked, and at most for all of them."""
DRAIN_S = 0.6
"""Seconds in which the light of a wiped-out turn runs back."""
SLIDE_S = 1.2
"""Seconds in which a peg slides back to the start after a fuchle."""
SWAP_AT_S, SWAP_S = 0.5, 0.8
"""Seconds of a bomb's fuse, and in which the two pegs then change places."""
HOP_S = 0.6
"""Seconds in which a bumped peg hops back."""
COUNT_DOWN_S = 3.0
"""Seconds that the shutdown button must be held."""

DURATIONS_S = {
    "wipe_out": DRAIN_S,
    "fuchle": 2.0,
    "bomb": 1.8,
    "bump": HOP_S,
    "skunk": 2.4,
    "rollover": 1.0,
    "finish": 2.4,
    "press": 0.35,
    "illegal_hold": 1.2,
    "countdown": COUNT_DOWN_S,
}
"""Duration of each animation of fixed length, by `Moment.kind`."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Position of a drawn peg in holes of the game; fractional while it moves.

    Attributes:
        banked: The peg.
        provisional: Head of the light that runs ahead of it.
        tail: Beginning of light that drains back or is being banked; usually equal to `banked`.
    """

    banked: float
    provisional: float
    tail: float


def duration_s(moment: Moment) -> float:
    """Return the duration of a moment's animation, 0 for a kind without one."""
    way = abs(moment.to_hole - moment.from_hole)
    if moment.kind == "throw":
        return min(RUN_HOLE_S * way, RUN_LONGEST_S)
    if moment.kind == "banked":
        return min(BANK_HOLE_S * way, BANK_LONGEST_S)
    return DURATIONS_S.get(moment.kind, 0.0)


def under_way(view: BoardView, time_s: float) -> list[Moment]:
    """Return the moments whose animations run at that time, oldest first."""
    return [m for m in view.moments if 0.0 <= time_s - m.at_s < duration_s(m)]


def shown(view: BoardView, time_s: float) -> list[Shown]:
    """Return the positions of all pegs at that time, in seat order."""
    pegs = [_standing(peg) for peg in view.pegs]
    for moment in under_way(view, time_s):
        player = moment.player
        if player is None or not 0 <= player < len(pegs):
            continue
        pegs[player] = _moved(pegs[player], moment, time_s - moment.at_s)
        if moment.kind == "bomb":
            victim = _victim(view, moment)
            if victim is not None:
                pegs[victim] = _slid(moment.to_hole, moment.from_hole, time_s - moment.at_s - SWAP_AT_S, SWAP_S)
    return pegs


def _standing(peg: Peg) -> Shown:
    return Shown(peg.banked, peg.provisional, peg.banked)


def _moved(peg: Shown, moment: Moment, since_s: float) -> Shown:
    start, end = moment.from_hole, moment.to_hole
    if moment.kind == "throw":
        return Shown(peg.banked, start + (end - start) * since_s / duration_s(moment), peg.banked)
    if moment.kind == "wipe_out":
        # Accelerates, as water drains.
        return Shown(peg.banked, end + (start - end) * (1 - (since_s / DRAIN_S) ** 2), peg.banked)
    if moment.kind == "banked":
        return Shown(end, end, start + (end - start) * since_s / duration_s(moment))
    if moment.kind == "fuchle":
        return _slid(start, end, since_s, SLIDE_S)
    if moment.kind == "bomb":
        return _slid(start, end, since_s - SWAP_AT_S, SWAP_S)
    if moment.kind == "bump":
        return _slid(start, end, since_s, HOP_S)
    return peg


def _slid(start: float, end: float, since_s: float, takes_s: float) -> Shown:
    at = start + (end - start) * ease(since_s / takes_s)
    return Shown(at, at, at)


def _victim(view: BoardView, bomb: Moment) -> int | None:
    """Return the peg that stands now where the bomber stood, or None."""
    hit = [k for k, peg in enumerate(view.pegs) if k != bomb.player and peg.banked == bomb.from_hole]
    return hit[0] if hit else None
