"""Short animations on the track: primitives with parameters, which games combine to the light of their events."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hardware.canvas import Canvas, Way, comet, glow, stretch, ways
from hardware.motion import TRAIL_FADES_S, duration_s
from hardware.palette import ALARM, AMBER, COLOURS, Colour, ease, player_colour, swell
from hardware.view import BoardView, Moment

CODE_GAP_HOLES = 3
"""Dark holes between two dice of a code, so that they are counted apart."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """Input of an animation.

    Attributes:
        way: The player's lane.
        colour: Colour of the light.
        start: Position before the event, in holes of the lane.
        end: Position after it.
        holes: Length of its tail or radius of its glow, in holes.
        since_s: Seconds since the animation began.
        lasts_s: Duration of the animation in seconds.
    """

    way: Way
    colour: Colour
    start: float
    end: float
    holes: float
    since_s: float
    lasts_s: float

    @property
    def part(self) -> float:
        """Share of its duration that has passed, 0 to 1."""
        return self.since_s / max(1e-6, self.lasts_s)

    @property
    def at(self) -> float:
        """Position between start and end at a constant speed."""
        return self.start + (self.end - self.start) * self.part


Effect = Callable[[Canvas, Stroke], None]
"""Draws one frame of an animation on a canvas."""


def draw(canvas: Canvas, view: BoardView, moment: Moment, time_s: float) -> None:
    """Add the light of a moment to the canvas. A kind that is not in `EFFECTS` adds nothing."""
    player, since_s = moment.player, time_s - moment.at_s - moment.delay_s
    if moment.kind not in EFFECTS or player is None or not 0 <= player < len(view.pegs) or since_s < 0:
        return
    stroke = Stroke(
        way=canvas.way(player),
        colour=player_colour(view.pegs[player].colour) if moment.colour is None else COLOURS[moment.colour],
        start=canvas.step(moment.from_hole),
        end=canvas.step(moment.to_hole),
        holes=moment.holes,
        since_s=since_s,
        lasts_s=moment.lasts_s or duration_s(moment),
    )
    EFFECTS[moment.kind](canvas, stroke)


def acknowledge(canvas: Canvas, moment: Moment, time_s: float) -> None:
    """Add the flash of a button press to pockets and status, brightest in the first frame and then fading."""
    level = 0.85 * (1 - ease((time_s - moment.at_s) / duration_s(moment)))
    for lane in range(len(canvas.layout.lanes)):
        canvas.add(canvas.pockets(lane), AMBER, level)
    canvas.add(canvas.layout.status, AMBER, level)


def count_down(canvas: Canvas, moment: Moment, time_s: float) -> None:
    """Dim the board and add the countdown of the shutdown button: a red bar that shrinks to the start."""
    left = 1 - (time_s - moment.at_s) / duration_s(moment)
    canvas.look *= np.float32(0.3)
    for way in ways(canvas.layout):
        end = left * canvas.layout.holes + 1
        canvas.along(way, 0.5 * stretch(way, 0, end) + 0.5 * comet(way, end, 6.0) * stretch(way, 0, end), ALARM)
    status = canvas.layout.status
    canvas.add(status[: math.ceil(left * len(status))], ALARM, 0.6)


def spell(canvas: Canvas, dice: Sequence[int]) -> None:
    """Show a code of dice as lit holes on the first lane: every second hole, one for each pip.

    Each die has its own colour, and a gap of dark holes follows it.
    """
    lane = canvas.layout.lane_of(0)
    hole = 1
    for colour, die in enumerate(dice):
        for at in range(hole, hole + 2 * die, 2):
            canvas.add(lane[at % len(lane)], player_colour(colour), 0.8)
        hole += 2 * die + CODE_GAP_HOLES


def _run(canvas: Canvas, stroke: Stroke) -> None:
    """Add a comet that runs ahead of the peg to the turn's points."""
    canvas.along(stroke.way, 0.9 * comet(stroke.way, stroke.at, stroke.holes), stroke.colour)


def _fill(canvas: Canvas, stroke: Stroke) -> None:
    """Add a lit stretch from the moving position to the end; it shrinks as points are banked."""
    canvas.along(stroke.way, 0.7 * stretch(stroke.way, stroke.at, stroke.end), stroke.colour)


def _drain(canvas: Canvas, stroke: Stroke) -> None:
    """Add a comet that runs from start to end, faster and faster, and dims."""
    way, level = stroke.way, stroke.start + (stroke.end - stroke.start) * stroke.part**2
    lit = comet(way, level, -stroke.holes) * stretch(way, stroke.end, stroke.start)
    canvas.along(way, 0.75 * (1 - 0.5 * stroke.part) * lit, stroke.colour)


def _slide(canvas: Canvas, stroke: Stroke) -> None:
    """Add a fading trail behind a peg that slides; none if `holes` is 0."""
    if stroke.holes:
        head = stroke.start + (stroke.end - stroke.start) * ease(stroke.since_s / stroke.lasts_s)
        trail = comet(stroke.way, head, -stroke.holes if stroke.end <= stroke.start else stroke.holes)
        fading = 1 - ease((stroke.since_s - stroke.lasts_s) / TRAIL_FADES_S)
        canvas.along(stroke.way, 0.8 * trail * fading, stroke.colour)


def _spark(canvas: Canvas, stroke: Stroke) -> None:
    """Add a spark that runs from start to end; no peg moves."""
    tail = stroke.holes if stroke.end >= stroke.start else -stroke.holes
    canvas.along(stroke.way, comet(stroke.way, stroke.at, tail), stroke.colour)


def _burst(canvas: Canvas, stroke: Stroke) -> None:
    """Add a red glow that grows around the end, with a rim that runs outwards."""
    way, since_s = stroke.way, stroke.since_s
    ring = 3 + stroke.holes * ease(since_s / (0.9 / 1.3 * stroke.lasts_s))
    fading = min(1.0, since_s / 0.12) * (1 - ease(stroke.part))
    # Only outwards: two pegs change places on the near side, and more lights there would flicker.
    outwards = 1 if stroke.end >= stroke.start else -1
    canvas.along(way, fading * glow(way, stroke.end + outwards * ring, 4.0), stroke.colour)
    canvas.along(way, 0.6 * fading * glow(way, stroke.end, ring), ALARM)


def _ring(canvas: Canvas, stroke: Stroke) -> None:
    """Add a glow at the start that grows and fades."""
    ring = glow(stroke.way, stroke.start, 1 + stroke.holes * stroke.part)
    canvas.along(stroke.way, 0.8 * (1 - ease(stroke.part)) * ring, stroke.colour)


def _pulse(canvas: Canvas, stroke: Stroke) -> None:
    """Add a glow at the end that swells once."""
    canvas.along(stroke.way, 0.8 * swell(stroke.part) * glow(stroke.way, stroke.end, stroke.holes), stroke.colour)


def _stripes(canvas: Canvas, stroke: Stroke) -> None:
    """Add a haze from the start pocket to the peg, with dark stripes that move through it."""
    way, since_s = stroke.way, stroke.since_s
    fading = min(1.0, since_s / 0.3) * (1 - ease((since_s - (stroke.lasts_s - 0.6)) / 0.6))
    haze = 0.45 + 0.2 * np.sin(2 * np.pi * way.steps / 23.0 + since_s)
    stripes = np.clip(np.abs((way.steps / 9.0 - since_s * 0.9) % 1.0 - 0.5) * 6.0 - 0.6, 0.0, 1.0)
    lit = fading * stretch(way, 1, max(2.0, stroke.end)) * haze * stripes
    canvas.along(way, np.asarray(lit, np.float32), stroke.colour)


def _waves(canvas: Canvas, stroke: Stroke) -> None:
    """Add two waves that run over the turn's points and ten holes beyond."""
    for begin in (0.0, 0.4):
        part = (stroke.part - begin) / 0.6
        head = stroke.start - 2 + (stroke.end - stroke.start + 10) * ease(part)
        canvas.along(stroke.way, 0.9 * swell(0.15 + 0.85 * part) * comet(stroke.way, head, stroke.holes), stroke.colour)


def _flood(canvas: Canvas, stroke: Stroke) -> None:
    """Add a comet that runs over the whole lane and leaves it lit for a while."""
    way, lap = stroke.way, ease(stroke.part / 0.75) * (canvas.layout.holes + stroke.holes)
    behind = np.where(way.steps <= lap, 0.35, 0.0) * (1 - ease(3 * stroke.part - 2))
    canvas.along(way, np.asarray(behind, np.float32), stroke.colour)
    canvas.along(way, comet(way, lap, stroke.holes), stroke.colour)


EFFECTS: dict[str, Effect] = {
    "run": _run,
    "fill": _fill,
    "drain": _drain,
    "slide": _slide,
    "spark": _spark,
    "burst": _burst,
    "ring": _ring,
    "pulse": _pulse,
    "stripes": _stripes,
    "waves": _waves,
    "flood": _flood,
}
"""Primitives that draw light, by `Moment.kind`. `swap` only moves pegs (`hardware.motion`)."""
