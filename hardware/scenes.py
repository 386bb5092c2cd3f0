"""Scenes of the board: a pure function of the view of the table, the layout and the time.

The player to play has a bright peg, from which a glimmer runs ahead. The turn's points are a lit stretch ahead of the
peg with a second peg at its head. Pegs that share a hole take turns in it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hardware import effects
from hardware.canvas import Canvas, comet, glow, lane_paths, stretch
from hardware.motion import duration_s, shown, under_way
from hardware.palette import ALARM, AMBER, Colour, is_steady, pattern, player_colour, swell
from hardware.power import Look
from hardware.track import Layout
from hardware.view import BoardView, Moment, Peg

SLOW_FRAME_S = 1 / 30
"""Time between two frames of a slow change such as a breath, in seconds. Longer: jerky; shorter: more computing."""
PEG_TURN_S = 0.8
"""Seconds for which each of several pegs in one hole is shown, in turn, if the hole has fewer LEDs than pegs. Longer
makes a peg disappear for longer; shorter flickers."""
GLIMMER_EVERY_S, GLIMMER_S = 2.4, 0.9
"""Period and duration, in seconds, of the glimmer that runs ahead of the peg whose turn it is. A longer period makes it
rarer, a longer duration slower; longer than the period, it is cut off."""
NIGHT_LEVEL = 0.55
"""Factor of the board's perceived brightness with the setting `night`, 0 to 1. Larger dims less; 1 does not dim."""
CAPTURE_LEVEL = 0.35
"""Factor of the board's perceived brightness while a photo is taken, 0 to 1. Larger dims less, so the coloured light
disturbs the reading; smaller hides the pegs for a moment."""


def compose(view: BoardView, layout: Layout, time_s: float) -> Look:
    """Return the look of the LED board for a view of the table, (leds, 3) from 0 to 1, before gamma and current limit.

    `time_s` is the time on the board's clock, in seconds. The first case that applies is drawn:

    - A photo is taken: pegs at rest, and the flash of a pressed button, all dimmed to CAPTURE_LEVEL.
    - A join code is shown: the code alone.
    - No game is on (`idle`): slow waves, with button flashes and countdowns.
    - Else: pegs, hole marks, mood, status and animations.

    If the view has `night`, the look is dimmed to NIGHT_LEVEL, except for a photo or a join code.

    >>> from hardware.track import preset
    >>> compose(BoardView(), preset("strip122"), 0.0).shape
    (122, 3)
    """
    canvas, moments = Canvas(layout, view.holes), under_way(view, time_s)
    if view.capturing:
        _pegs(canvas, view, view.pegs, None)
        for moment in _presses(view, time_s):
            effects.acknowledge(canvas, moment, moment.at_s)
        return canvas.look * np.float32(CAPTURE_LEVEL)
    if view.code is not None and time_s < view.code.until_s:
        effects.spell(canvas, view.code.dice)
        return canvas.look
    if view.mood == "idle":
        _flow(canvas, time_s)
    else:
        pegs = shown(view, time_s)
        _marks(canvas)
        _mood(canvas, view, pegs, time_s)
        for moment in moments:
            effects.draw(canvas, view, moment, time_s)
        _pegs(canvas, view, pegs, time_s)
        _status(canvas, view, time_s)
    for moment in moments:
        if moment.kind == "press":
            effects.acknowledge(canvas, moment, time_s)
        elif moment.kind == "countdown":
            effects.count_down(canvas, moment, time_s)
    return canvas.look * np.float32(NIGHT_LEVEL) if view.night else canvas.look


def next_change_s(view: BoardView, layout: Layout, time_s: float) -> float:
    """Return when `compose` must be called next for the same view, in seconds on the board's clock.

    The first case that applies decides:

    - A photo is being taken: the end of the first button flash; infinity if none is lit.
    - A join code is shown: the end of its display.
    - An animation runs: `time_s`, that is, at once.
    - Some light changes (not `_at_rest`): SLOW_FRAME_S after `time_s`.
    - Otherwise: the start of the next animation; infinity if there is none.
    """
    if view.capturing:
        return min((moment.at_s + duration_s(moment) for moment in _presses(view, time_s)), default=math.inf)
    if view.code is not None and time_s < view.code.until_s:
        return view.code.until_s
    if under_way(view, time_s):
        return time_s
    if not _at_rest(view, layout):
        return time_s + SLOW_FRAME_S
    return min((moment.at_s for moment in view.moments if moment.at_s > time_s), default=math.inf)


def _presses(view: BoardView, time_s: float) -> list[Moment]:
    """Return the moments of button presses whose flash is visible at a time on the board's clock."""
    return [moment for moment in under_way(view, time_s) if moment.kind == "press"]


def _at_rest(view: BoardView, layout: Layout) -> bool:
    """Return whether the lights of a view change only through animations.

    True if the mood has no moving light, no peg's colour pulses, all points of the pegs are banked, and no two pegs
    share a place on a lane.
    """
    calm = view.mood == "read" or (view.mood == "ready" and view.to_play is None)
    # The layout may have fewer holes than the game.
    places = {(k % len(layout.lanes), layout.lane_index(peg.banked, view.holes)) for k, peg in enumerate(view.pegs)}
    steady = all(is_steady(peg.colour) and peg.provisional <= peg.banked for peg in view.pegs)
    return calm and steady and len(places) == len(view.pegs)


def _flow(canvas: Canvas, time_s: float) -> None:
    """Add the light of a board without a game: slow waves of amber on all lanes and the status segment.

    The waves reach at most 0.4 of full brightness.
    """
    for path in lane_paths(canvas.layout):
        wave = np.sin(2 * np.pi * (path.steps / 40 - time_s / 14)) + 0.5 * np.sin(
            2 * np.pi * (path.steps / 27 + time_s / 23)
        )
        canvas.along(path, np.asarray(0.25 + 0.1 * wave, np.float32), AMBER)
    canvas.add(canvas.layout.status, AMBER, 0.25 + 0.08 * math.sin(2 * math.pi * time_s / 9))


def _marks(canvas: Canvas) -> None:
    """Add a faint amber light at every tenth hole of the lanes, so that holes can be counted."""
    for path in lane_paths(canvas.layout):
        on = (np.rint(path.steps) % 10 == 0) & (path.steps > 1) & (path.steps < canvas.layout.holes)
        canvas.along(path, np.where(on, 0.18, 0.0).astype(np.float32), AMBER)


def _mood(canvas: Canvas, view: BoardView, pegs: Sequence[Peg], time_s: float) -> None:
    """Add the light of the view's mood, near the peg of the player to play. Without one, only `over` has light.

    - `ready`: a glimmer runs ahead of the peg from time to time. It pauses during animations, except a button press.
    - `settling`: an amber glow swings ahead of the peg.
    - `asking`, `illegal_hold`: a glow pulses at the peg (`_call_light`); `asking` lights the lane's pockets, too.
    - `over`: waves on the winners' lanes.
    - Others: no light.

    `pegs` are those shown at `time_s`.
    """
    if view.mood == "over":
        _add_finish_light(canvas, view, time_s)
    if view.to_play is None or view.to_play >= len(pegs):
        return
    path, peg = canvas.path(view.to_play), pegs[view.to_play]
    ahead = canvas.lane_position(peg.provisional)
    if view.mood == "ready":
        if any(moment.kind != "press" for moment in under_way(view, time_s)):
            return  # the glimmer waits for the end of other animations
        part = (time_s % GLIMMER_EVERY_S) / GLIMMER_S
        if part < 1.0:
            glimmer = 0.7 * swell(part) * comet(path, ahead + 1 + 9 * part, 5.0)
            canvas.along(path, glimmer, player_colour(peg.colour))
    elif view.mood == "settling":
        swing = 5 + 4 * math.sin(2 * math.pi * time_s / 1.4)
        canvas.along(path, 0.55 * glow(path, ahead + swing, 3.0), AMBER)
    elif (call := _call_light(view, time_s)) is not None:
        colour, level = call
        canvas.along(path, level * glow(path, ahead, 6.0), colour)
        if view.mood == "asking":
            canvas.add(canvas.pockets(view.to_play), colour, level)


def _call_light(view: BoardView, time_s: float) -> tuple[Colour, float] | None:
    """Return colour and brightness (0 to 1) of the light that asks people to act, or None if nobody has to.

    The mood `asking` (an open question) breathes in amber. `illegal_hold` (the rules refuse the kept dice) flashes
    twice in `ALARM`, then stays dim. Both repeat every 2 s.
    """
    at_s = time_s % 2.0
    if view.mood == "asking":
        return AMBER, 0.25 + 0.6 * swell(at_s / 2.0)
    if view.mood == "illegal_hold":
        return ALARM, 0.25 + 0.65 * max(swell(at_s / 0.5), swell((at_s - 0.55) / 0.5))
    return None


def _add_finish_light(canvas: Canvas, view: BoardView, time_s: float) -> None:
    """Add the light of a finished game at time `time_s`: waves in each winner's colour that drift along the lane."""
    for rank, winner in enumerate(w for w in view.winners if w < len(view.pegs)):
        path, share = canvas.path(winner), len(view.winners)
        wave = np.sin(2 * np.pi * (path.steps / 15 - time_s / 5 + rank / share))
        lit = np.asarray(0.14 + 0.26 * np.maximum(wave, 0), np.float32)
        canvas.along(path, lit, player_colour(view.pegs[winner].colour))


def _pegs(canvas: Canvas, view: BoardView, pegs: Sequence[Peg], time_s: float | None) -> None:
    """Draw each player's peg on the LED track, at the hole of the banked score, flashing in its colour's rhythm.

    Points that are not banked yet dimly light the stretch by which they would advance the peg. A second peg of the same
    colour, which swells and fades, marks the end of that stretch. Pegs of the player to play, or of the winners, are
    brightest. Pegs in one hole share it (`_hole`). `pegs` are those shown at `time_s`. If `time_s` is None, everything
    is drawn without motion.
    """
    on_top: dict[tuple[int, ...], list[tuple[int, float]]] = {}
    for k, peg in enumerate(pegs):
        mine = view.to_play == k or (view.mood == "over" and k in view.winners)
        if peg.provisional > peg.banked:
            path = canvas.path(k)
            lit = 0.42 * stretch(path, canvas.lane_position(peg.banked), canvas.lane_position(peg.provisional))
            canvas.along(path, lit, player_colour(peg.colour))
            leads = 1.0 if time_s is None else 0.7 + 0.3 * swell((time_s % 1.2) / 1.2)
            on_top.setdefault(canvas.hole(k, peg.provisional), []).append((peg.colour, leads))
        rhythm = 1.0 if time_s is None else pattern(peg.colour, time_s)
        level = rhythm * (1.0 if mine else 0.8)
        on_top.setdefault(canvas.hole(k, peg.banked), []).append((peg.colour, level))
    for leds, holders in on_top.items():
        _hole(canvas, leds, holders, time_s)


def _hole(canvas: Canvas, leds: tuple[int, ...], holders: list[tuple[int, float]], time_s: float | None) -> None:
    """Draw the pegs of one hole: each gets a part of its LEDs, or all in turn if there are fewer LEDs than pegs.

    Pegs shown in turn fade in and out; the brightness in `holders` is then ignored. `time_s` decides which peg is
    shown; None shows the first. `holders` has the colour and the brightness, 0 to 1, of each peg.
    """
    if len(holders) == 1 or len(leds) >= len(holders):
        for k, (colour, level) in enumerate(holders):
            first, last = k * len(leds) // len(holders), (k + 1) * len(leds) // len(holders)
            canvas.cover(leds[first:last], player_colour(colour), level)
        return
    # One fades out before the next fades in: a mixture of two colours would be nobody's.
    turn = 0.0 if time_s is None else time_s / PEG_TURN_S
    fade = max(0.0, (turn % 1.0 - 0.7) / 0.3)
    colour, _ = holders[(int(turn) + (fade >= 0.5)) % len(holders)]
    canvas.cover(leds, player_colour(colour), 0.9 * (0.25 + 0.75 * abs(1 - 2 * fade)))


def _status(canvas: Canvas, view: BoardView, time_s: float) -> None:
    """Add the light of the status segment, as at `time_s`: a part for each player in the player's colour.

    The part of the player to play, or of a winner, is bright and pulses in the colour's rhythm (`pattern`). With fewer
    LEDs than players, only these bright parts are shown. For an open question, or kept dice that the rules refuse, the
    whole segment is lit instead (`_call_light`).
    """
    leds = canvas.layout.status
    if (call := _call_light(view, time_s)) is not None:
        canvas.add(leds, *call)
        return
    parts = [(peg, view.to_play == k or k in view.winners) for k, peg in enumerate(view.pegs)]
    if len(leds) < len(parts):
        parts = [part for part in parts if part[1]][: len(leds)]
    each = len(leds) // max(1, len(parts))
    for at, (peg, mine) in enumerate(parts):
        segment = leds[at * each : (at + 1) * each - (each > 2)]
        canvas.add(segment, player_colour(peg.colour), pattern(peg.colour, time_s) if mine else 0.3)
