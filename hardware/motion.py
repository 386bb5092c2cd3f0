"""Positions of pegs while they move: a pure function of the view and the time."""

from __future__ import annotations

from dataclasses import replace

from hardware.palette import ease
from hardware.view import BoardView, Moment, Peg

RUN_HOLE_S, RUN_LONGEST_S = 0.04, 1.2
"""Duration of the animation `run`, in seconds: for each hole on the way, and the upper limit of the whole. Longer: the
light runs slower; a higher limit slows long ways alone."""
FILL_HOLE_S, FILL_LONGEST_S = 0.025, 0.8
"""Duration of the animation `fill`, in seconds: for each hole on the way, and the upper limit of the whole. Longer: the
track fills slower; a higher limit slows long ways alone."""
TRAIL_FADES_S = 0.4
"""Seconds in which the trail of a `slide` fades once the peg has arrived. The animation lasts longer by this."""
PRESS_FLASH_S = 0.35
"""Seconds that pockets and status flash after a button press. Longer covers pegs there; shorter may go unseen."""
SHUTDOWN_PRESS_S = 3.0
"""Seconds for which the shutdown button must be held, and duration of the countdown on the board. Shorter, a touch by
mistake could shut the table down; longer is a nuisance."""


def duration_s(moment: Moment) -> float:
    """Return the duration of a moment's animation in seconds, without the delay before it starts.

    - `run` and `fill`: longer for a longer distance, up to a limit; 0 for a move backward.
    - `press` and `countdown`: fixed.
    - `slide`: `moment.lasts_s`, and TRAIL_FADES_S more if a tail of light follows the peg.
    - Other kinds: `moment.lasts_s`.
    """
    holes = max(0, moment.to_hole - moment.from_hole)
    match moment.kind:
        case "run":
            return min(RUN_HOLE_S * holes, RUN_LONGEST_S)
        case "fill":
            return min(FILL_HOLE_S * holes, FILL_LONGEST_S)
        case "slide":
            return moment.lasts_s + (TRAIL_FADES_S if moment.holes else 0.0)
        case "press":
            return PRESS_FLASH_S
        case "countdown":
            return SHUTDOWN_PRESS_S
        case _:
            return moment.lasts_s


def under_way(view: BoardView, time_s: float) -> list[Moment]:
    """Return the moments of a view, in its order, that have happened and whose animation is not over at a time."""
    return [m for m in view.moments if 0.0 <= time_s - m.at_s < m.delay_s + duration_s(m)]


def shown(view: BoardView, time_s: float) -> list[Peg]:
    """Return all pegs, in seat order, with the positions to draw at `time_s`, in seconds on the board's clock.

    A peg is where the view puts it, or on its way while an animation of the view moves it.
    """
    pegs = list(view.pegs)
    for moment in under_way(view, time_s):
        if moment.player is not None and 0 <= moment.player < len(pegs):
            pegs[moment.player] = _moved(pegs[moment.player], moment, time_s - moment.at_s)
    return pegs


def _moved(peg: Peg, moment: Moment, since_s: float) -> Peg:
    """Return a peg where an animation under way has moved it; unchanged for a kind of animation that moves no peg.

    `run` and `drain` move only the peg's provisional hole; `slide` and `swap` move the banked hole, too. Until
    `moment.delay_s` has passed, the peg stands where the animation starts. `since_s` counts from the event; the caller
    leaves out ended animations.
    """
    start, end, since_s = moment.from_hole, moment.to_hole, max(0.0, since_s - moment.delay_s)
    match moment.kind:
        case "run":
            return replace(peg, provisional=start + (end - start) * since_s / max(1e-6, duration_s(moment)))
        case "drain":
            # Accelerates, as water drains.
            return replace(peg, provisional=end + (start - end) * (1 - (since_s / moment.lasts_s) ** 2))
        case "slide" | "swap":
            at = start + (end - start) * ease(since_s / moment.lasts_s)
            return replace(peg, banked=at, provisional=at)
        case _:
            return peg
