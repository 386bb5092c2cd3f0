"""Where pegs are drawn while something moves them: a pure function of the view and the time."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.palette import ease
from hardware.view import BoardView, Moment, Peg

RUN_HOLE_S = 0.04
RUN_LONGEST_S = 1.2
DRAIN_S = 0.6
SLIDE_S = 1.2
SWAP_AT_S = 0.5
SWAP_S = 0.8
HOP_S = 0.6
COUNT_DOWN_S = 3.0
"""How long the shutdown button must be held."""

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


@dataclass(frozen=True, slots=True)
class Shown:
    """A peg as drawn: places in holes of the game, between two holes while it moves.

    Attributes:
        banked: Where the peg is.
        provisional: How far the light runs ahead of it.
        tail: Where the light begins that drains back or is being banked; usually `banked`.
    """

    banked: float
    provisional: float
    tail: float


def duration_s(moment: Moment) -> float:
    """How long a moment's animation takes."""
    way = abs(moment.to_hole - moment.from_hole)
    if moment.kind == "throw":
        return min(RUN_HOLE_S * way, RUN_LONGEST_S)
    if moment.kind == "banked":
        return min(0.025 * way, 0.8)
    return DURATIONS_S.get(moment.kind, 0.0)


def under_way(view: BoardView, time_s: float) -> list[Moment]:
    """The moments whose animations are on, oldest first."""
    return [m for m in view.moments if 0.0 <= time_s - m.at_s < duration_s(m)]


def shown(view: BoardView, time_s: float) -> list[Shown]:
    """All pegs as they are drawn now, in seat order."""
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
        # Falls back faster and faster, as water does.
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
    """The peg that now stands where the bomber stood."""
    hit = [k for k, peg in enumerate(view.pegs) if k != bomb.player and peg.banked == bomb.from_hole]
    return hit[0] if hit else None
