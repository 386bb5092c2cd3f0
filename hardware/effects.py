"""Short animations on the track for moments such as a wipe-out, a bomb or a finish."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hardware.canvas import Canvas, Way, comet, glow, stretch, ways
from hardware.motion import SLIDE_S, SWAP_AT_S, duration_s
from hardware.palette import ALARM, AMBER, FIRE, SKUNK, Colour, ease, player_colour, swell
from hardware.view import BoardView, Moment

CODE_GAP_HOLES = 3
"""Dark holes between two dice of a code, so that they are counted apart."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """Input of an animation.

    Attributes:
        way: The player's lane.
        colour: The player's colour.
        start: Position before the moment, in holes of the lane.
        end: Position after it.
        since_s: Seconds since the moment.
        part: Share of the animation's duration that has passed, 0 to 1.
    """

    way: Way
    colour: Colour
    start: float
    end: float
    since_s: float
    part: float

    @property
    def at(self) -> float:
        """Position between start and end at a constant speed."""
        return self.start + (self.end - self.start) * self.part


Effect = Callable[[Canvas, Stroke], None]
"""Draws one frame of an animation on a canvas."""


def draw(canvas: Canvas, view: BoardView, moment: Moment, time_s: float) -> None:
    """Add the light of a moment to the canvas. A kind that is not in `EFFECTS` adds nothing."""
    player = moment.player
    if moment.kind not in EFFECTS or player is None or not 0 <= player < len(view.pegs):
        return
    since_s = time_s - moment.at_s
    stroke = Stroke(
        way=canvas.way(player),
        colour=player_colour(view.pegs[player].colour),
        start=canvas.step(moment.from_hole),
        end=canvas.step(moment.to_hole),
        since_s=since_s,
        part=since_s / max(1e-6, duration_s(moment)),
    )
    EFFECTS[moment.kind](canvas, stroke)


def acknowledge(canvas: Canvas, moment: Moment, time_s: float) -> None:
    """Add the flash of a button press: full brightness in the first frame, so that the press is seen at once."""
    level = 0.85 * (1 - ease((time_s - moment.at_s) / duration_s(moment)))
    for lane in range(len(canvas.layout.lanes)):
        canvas.add(canvas.pockets(lane), AMBER, level)
    canvas.add(canvas.layout.status, AMBER, level)


def count_down(canvas: Canvas, moment: Moment, time_s: float) -> None:
    """Add the countdown of the shutdown button: a red bar shrinks from the finish to the start; all else is dimmed."""
    left = 1 - (time_s - moment.at_s) / duration_s(moment)
    canvas.look *= np.float32(0.3)
    for way in ways(canvas.layout):
        end = left * canvas.layout.holes + 1
        canvas.along(way, 0.5 * stretch(way, 0, end) + 0.5 * comet(way, end, 6.0) * stretch(way, 0, end), ALARM)
    status = canvas.layout.status
    canvas.add(status[: math.ceil(left * len(status))], ALARM, 0.6)


def spell(canvas: Canvas, dice: Sequence[int]) -> None:
    """Add a code of dice: as many lit holes as pips, every second hole, each die in a colour of its own."""
    lane = canvas.layout.lane_of(0)
    hole = 1
    for colour, die in enumerate(dice):
        for at in range(hole, hole + 2 * die, 2):
            canvas.add(lane[at % len(lane)], player_colour(colour), 0.8)
        hole += 2 * die + CODE_GAP_HOLES


def _throw(canvas: Canvas, stroke: Stroke) -> None:
    canvas.along(stroke.way, 0.9 * comet(stroke.way, stroke.at, 6.0), stroke.colour)


def _banked(canvas: Canvas, stroke: Stroke) -> None:
    canvas.along(stroke.way, 0.7 * stretch(stroke.way, stroke.at, stroke.end), stroke.colour)


def _wipe_out(canvas: Canvas, stroke: Stroke) -> None:
    way, level = stroke.way, stroke.start + (stroke.end - stroke.start) * stroke.part**2
    lit = comet(way, level, -9.0) * stretch(way, stroke.end, stroke.start)
    canvas.along(way, 0.75 * (1 - 0.5 * stroke.part) * lit, ALARM)


def _fuchle(canvas: Canvas, stroke: Stroke) -> None:
    way, after_s = stroke.way, stroke.since_s - SLIDE_S
    head = stroke.start + (stroke.end - stroke.start) * ease(stroke.since_s / SLIDE_S)
    canvas.along(way, 0.8 * comet(way, head, -18.0) * (1 - ease(after_s / 0.4)), ALARM)
    canvas.along(way, 0.8 * swell((after_s + 0.1) / 0.9) * glow(way, stroke.end, 10.0), ALARM)


def _bomb(canvas: Canvas, stroke: Stroke) -> None:
    way, fuse = stroke.way, stroke.since_s / SWAP_AT_S
    if fuse < 1.0:
        spark = stroke.start + (stroke.end - stroke.start) * fuse
        canvas.along(way, comet(way, spark, 5.0 if stroke.end >= stroke.start else -5.0), FIRE)
        return
    blast_s = stroke.since_s - SWAP_AT_S
    ring = 3 + 26 * ease(blast_s / 0.9)
    fading = min(1.0, blast_s / 0.12) * (1 - ease(blast_s / 1.3))
    # Only outwards: two pegs change places on the near side, and more lights there would flicker.
    outwards = 1 if stroke.end >= stroke.start else -1
    canvas.along(way, fading * glow(way, stroke.end + outwards * ring, 4.0), FIRE)
    canvas.along(way, 0.6 * fading * glow(way, stroke.end, ring), ALARM)


def _bump(canvas: Canvas, stroke: Stroke) -> None:
    ring = glow(stroke.way, stroke.start, 1 + 5 * stroke.part)
    canvas.along(stroke.way, 0.8 * (1 - ease(stroke.part)) * ring, AMBER)


def _skunk(canvas: Canvas, stroke: Stroke) -> None:
    # A haze over the holes that the skunked player covered, with dark stripes moving through it.
    way, since_s = stroke.way, stroke.since_s
    fading = min(1.0, since_s / 0.3) * (1 - ease((since_s - 1.8) / 0.6))
    haze = 0.45 + 0.2 * np.sin(2 * np.pi * way.steps / 23.0 + since_s)
    stripes = np.clip(np.abs((way.steps / 9.0 - since_s * 0.9) % 1.0 - 0.5) * 6.0 - 0.6, 0.0, 1.0)
    lit = fading * stretch(way, 1, max(2.0, stroke.start)) * haze * stripes
    canvas.along(way, np.asarray(lit, np.float32), SKUNK)


def _rollover(canvas: Canvas, stroke: Stroke) -> None:
    # Two waves run over the turn's points and beyond: seven fresh dice.
    for start_s in (0.0, 0.4):
        part = (stroke.since_s - start_s) / 0.6
        head = stroke.start - 2 + (stroke.end - stroke.start + 10) * ease(part)
        canvas.along(stroke.way, 0.9 * swell(0.15 + 0.85 * part) * comet(stroke.way, head, 8.0), AMBER)


def _finish(canvas: Canvas, stroke: Stroke) -> None:
    way, lap = stroke.way, ease(stroke.since_s / 1.8) * (canvas.layout.holes + 20)
    behind = np.where(way.steps <= lap, 0.35, 0.0) * (1 - ease((stroke.since_s - 1.6) / 0.8))
    canvas.along(way, np.asarray(behind, np.float32), stroke.colour)
    canvas.along(way, comet(way, lap, 20.0), stroke.colour)


def _illegal_hold(canvas: Canvas, stroke: Stroke) -> None:
    level = max(swell(stroke.since_s / 0.5), swell((stroke.since_s - 0.55) / 0.5))
    canvas.along(stroke.way, 0.9 * level * glow(stroke.way, stroke.start, 5.0), ALARM)


EFFECTS: dict[str, Effect] = {  # by `Moment.kind`
    "throw": _throw,
    "banked": _banked,
    "wipe_out": _wipe_out,
    "fuchle": _fuchle,
    "bomb": _bomb,
    "bump": _bump,
    "skunk": _skunk,
    "rollover": _rollover,
    "finish": _finish,
    "illegal_hold": _illegal_hold,
}
