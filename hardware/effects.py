"""Short animations on the track: primitives with parameters, which games combine to the light of their events."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hardware.canvas import Canvas, LanePath, comet, glow, lane_paths, stretch
from hardware.motion import TRAIL_FADES_S, duration_s
from hardware.palette import ALARM, AMBER, COLOURS, Colour, ease, player_colour, swell
from hardware.view import BoardView, Moment

CODE_GAP_HOLES = 3
"""Extra dark holes between two dice of a `Code`, which people compare with their phone's by counting lit holes. Fewer:
dice run together. More: on a short lane the code's end covers its beginning."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """Input of an animation.

    Attributes:
        path: The LEDs of the player's lane.
        colour: Colour of the light.
        start: Position before the event, in holes of the lane.
        end: Position after it.
        holes: Length of the light's tail or radius of its glow, in holes.
        since_s: Seconds since the animation began.
        lasts_s: Duration of the animation in seconds.
    """

    path: LanePath
    colour: Colour
    start: float
    end: float
    holes: float
    since_s: float
    lasts_s: float

    @property
    def part(self) -> float:
        """Share of the animation's duration that has passed; above 1 while the trail of a `slide` fades."""
        return self.since_s / max(1e-6, self.lasts_s)

    @property
    def position(self) -> float:
        """Position in holes of the lane, moving from start to end at a constant speed."""
        return self.start + (self.end - self.start) * self.part


Effect = Callable[[Canvas, Stroke], None]
"""Draws one frame of an animation on a canvas."""


def draw(canvas: Canvas, view: BoardView, moment: Moment, time_s: float) -> None:
    """Add the light of a moment's animation to the canvas, as at `time_s` on the board's clock.

    The player's peg in the `view` gives the colour if the moment has none. Nothing is added before the animation
    begins, or for a kind that is not in `EFFECTS`. Nor is anything added if the moment has no player, or a player
    without a peg in the `view`. The caller leaves out animations that have ended.
    """
    player, since_s = moment.player, time_s - moment.at_s - moment.delay_s
    if moment.kind not in EFFECTS or player is None or not 0 <= player < len(view.pegs) or since_s < 0:
        return
    stroke = Stroke(
        path=canvas.path(player),
        colour=player_colour(view.pegs[player].colour) if moment.colour is None else COLOURS[moment.colour],
        start=canvas.lane_position(moment.from_hole),
        end=canvas.lane_position(moment.to_hole),
        holes=moment.holes,
        since_s=since_s,
        lasts_s=duration_s(moment) if moment.kind in ("run", "fill") else moment.lasts_s,
    )
    EFFECTS[moment.kind](canvas, stroke)


def acknowledge(canvas: Canvas, moment: Moment, time_s: float) -> None:
    """Add the amber flash of a button press to all pockets and the status segment: bright at first, then fading."""
    level = 0.85 * (1 - ease((time_s - moment.at_s) / duration_s(moment)))
    for lane in range(len(canvas.layout.lanes)):
        canvas.add(canvas.pockets(lane), AMBER, level)
    canvas.add(canvas.layout.status, AMBER, level)


def count_down(canvas: Canvas, moment: Moment, time_s: float) -> None:
    """Dim the frame to 30 %, and add the countdown of the held shutdown button to every lane and the status segment.

    `moment` is the countdown: it began when the button was pressed. A red bar covers the whole lane at first, and
    shrinks to the lane's start as time runs out.
    """
    left = 1 - (time_s - moment.at_s) / duration_s(moment)
    canvas.look *= np.float32(0.3)
    for path in lane_paths(canvas.layout):
        end = left * canvas.layout.holes + 1
        canvas.along(path, 0.5 * stretch(path, 0, end) + 0.5 * comet(path, end, 6.0) * stretch(path, 0, end), ALARM)
    status = canvas.layout.status
    canvas.add(status[: math.ceil(left * len(status))], ALARM, 0.6)


def spell(canvas: Canvas, dice: Sequence[int]) -> None:
    """Add a code of dice (values 1 to 6) to the first lane, for people to compare with the code on a phone.

    The code starts at hole 1. A die is one lit hole for each pip, and a dark hole follows each lit one.
    `CODE_GAP_HOLES` more dark holes separate two dice. Die i, from 0, has `player_colour(i)`. A code that is too long
    for the holes goes on in the finish pocket, then in the start pocket, then from hole 1.
    """
    start, *further = canvas.layout.lane_of(0)
    places = [leds for leds in (*further, start) if leds]  # a pocket may have no LEDs
    first = 0
    for colour, die in enumerate(dice):
        for at in range(first, first + 2 * die, 2):
            canvas.add(places[at % len(places)], player_colour(colour), 0.8)
        first += 2 * die + CODE_GAP_HOLES


def _run(canvas: Canvas, stroke: Stroke) -> None:
    """Add a light with a tail that runs from the stroke's start to its end at a constant speed."""
    canvas.along(stroke.path, 0.9 * comet(stroke.path, stroke.position, stroke.holes), stroke.colour)


def _fill(canvas: Canvas, stroke: Stroke) -> None:
    """Add a lit stretch from the moving position to the stroke's end, which shrinks from full length to nothing."""
    canvas.along(stroke.path, 0.7 * stretch(stroke.path, stroke.position, stroke.end), stroke.colour)


def _drain(canvas: Canvas, stroke: Stroke) -> None:
    """Add a light with a tail that runs from the stroke's start to its end, faster and faster, and dims to half."""
    path, level = stroke.path, stroke.start + (stroke.end - stroke.start) * stroke.part**2
    lit = comet(path, level, -stroke.holes) * stretch(path, stroke.end, stroke.start)
    canvas.along(path, 0.75 * (1 - 0.5 * stroke.part) * lit, stroke.colour)


def _slide(canvas: Canvas, stroke: Stroke) -> None:
    """Add the trail of a peg that slides from the stroke's start to its end; the peg itself is not drawn here.

    The trail is `stroke.holes` holes long, 0 for none. After the end of the slide it fades out within TRAIL_FADES_S.
    """
    if stroke.holes:
        head = stroke.start + (stroke.end - stroke.start) * ease(stroke.since_s / stroke.lasts_s)
        trail = comet(stroke.path, head, -stroke.holes if stroke.end <= stroke.start else stroke.holes)
        fading = 1 - ease((stroke.since_s - stroke.lasts_s) / TRAIL_FADES_S)
        canvas.along(stroke.path, 0.8 * trail * fading, stroke.colour)


def _spark(canvas: Canvas, stroke: Stroke) -> None:
    """Add a spark with a tail that runs from the stroke's start to its end at a constant speed; no peg moves."""
    tail = stroke.holes if stroke.end >= stroke.start else -stroke.holes
    canvas.along(stroke.path, comet(stroke.path, stroke.position, tail), stroke.colour)


def _burst(canvas: Canvas, stroke: Stroke) -> None:
    """Draw a burst on the canvas: a red glow around the position `stroke.end` that grows and fades.

    A spot in the stroke's colour moves with the edge of the glow, on the side away from `stroke.start`. LEDs are only
    brightened, never dimmed.
    """
    path, since_s = stroke.path, stroke.since_s
    ring = 3 + stroke.holes * ease(since_s / (0.9 / 1.3 * stroke.lasts_s))
    fading = min(1.0, since_s / 0.12) * (1 - ease(stroke.part))
    # Only outwards: two pegs change places on the near side, and more lights there would flicker.
    outwards = 1 if stroke.end >= stroke.start else -1
    canvas.along(path, fading * glow(path, stroke.end + outwards * ring, 4.0), stroke.colour)
    canvas.along(path, 0.6 * fading * glow(path, stroke.end, ring), ALARM)


def _ring(canvas: Canvas, stroke: Stroke) -> None:
    """Add a glow around the stroke's start that grows to `stroke.holes` and fades meanwhile."""
    ring = glow(stroke.path, stroke.start, 1 + stroke.holes * stroke.part)
    canvas.along(stroke.path, 0.8 * (1 - ease(stroke.part)) * ring, stroke.colour)


def _pulse(canvas: Canvas, stroke: Stroke) -> None:
    """Add a glow of radius `stroke.holes` at the stroke's end that brightens and fades once."""
    canvas.along(stroke.path, 0.8 * swell(stroke.part) * glow(stroke.path, stroke.end, stroke.holes), stroke.colour)


def _stripes(canvas: Canvas, stroke: Stroke) -> None:
    """Add a soft light with dark stripes that move along it, from the lane's first hole to `stroke.end`.

    The light fades in over 0.3 s, and out in the last 0.6 s of the animation.
    """
    path, since_s = stroke.path, stroke.since_s
    fading = min(1.0, since_s / 0.3) * (1 - ease((since_s - (stroke.lasts_s - 0.6)) / 0.6))
    haze = 0.45 + 0.2 * np.sin(2 * np.pi * path.steps / 23.0 + since_s)
    stripes = np.clip(np.abs((path.steps / 9.0 - since_s * 0.9) % 1.0 - 0.5) * 6.0 - 0.6, 0.0, 1.0)
    lit = fading * stretch(path, 1, max(2.0, stroke.end)) * haze * stripes
    canvas.along(path, np.asarray(lit, np.float32), stroke.colour)


def _waves(canvas: Canvas, stroke: Stroke) -> None:
    """Add two waves of light, the second later, that run over the stroke and a little beyond its ends.

    The first moves in the first 60 % of the animation, the second in the last 60 %. Both begin two holes before the
    stroke's start and end eight holes beyond its end. Each has a tail of `stroke.holes` holes.
    """
    for begin in (0.0, 0.4):
        part = (stroke.part - begin) / 0.6
        head = stroke.start - 2 + (stroke.end - stroke.start + 10) * ease(part)
        wave = 0.9 * swell(0.15 + 0.85 * part) * comet(stroke.path, head, stroke.holes)
        canvas.along(stroke.path, wave, stroke.colour)


def _flood(canvas: Canvas, stroke: Stroke) -> None:
    """Add a light with a tail that runs over the whole lane; holes behind it stay dimly lit and fade at the end."""
    path, lap = stroke.path, ease(stroke.part / 0.75) * (canvas.layout.holes + stroke.holes)
    behind = np.where(path.steps <= lap, 0.35, 0.0) * (1 - ease(3 * stroke.part - 2))
    canvas.along(path, np.asarray(behind, np.float32), stroke.colour)
    canvas.along(path, comet(path, lap, stroke.holes), stroke.colour)


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
