"""The gallery: an example view for every scene that the board can show, for pictures, tests and `pegpip leds`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hardware.view import BoardView, Moment, Peg


@dataclass(frozen=True, slots=True)
class Scene:
    """An example view.

    Attributes:
        name: Name, fit for a file.
        view: The view of the table.
        lasts_s: Duration of the animated picture, in seconds.
        still_s: Time of the still picture, in seconds.
    """

    name: str
    view: BoardView
    lasts_s: float
    still_s: float


_PEGS = (Peg(0, 43, 43), Peg(1, 71, 71), Peg(2, 27, 27), Peg(3, 58, 58), Peg(4, 12, 12))
"""Pegs of the five players in the example scenes: index of the colour, hole, and hole if the turn were banked now."""
_PLAY = BoardView(pegs=_PEGS, to_play=0, mood="ready")
"""View of a game of five players, the first to play. All example scenes but the idle ones are made from it."""


def _at(seat: int, banked: int, provisional: int | None = None, view: BoardView = _PLAY) -> BoardView:
    """Return a copy of a view with a seat's peg at `banked`, whose turn's points, if any, would take it further."""
    there = Peg(seat, banked, banked if provisional is None else provisional)
    return replace(view, pegs=(*view.pegs[:seat], there, *view.pegs[seat + 1 :]))


def _with(view: BoardView, *moments: Moment) -> BoardView:
    """Return a copy of a view with `moments` as its animations."""
    return replace(view, moments=moments)


_OVER = replace(_at(0, 121), mood="over", winners=(0,), to_play=None)
"""View after a game that the first player has won: that peg is past the last hole, 120."""
_READ = replace(_at(0, 43, 61), mood="read")
"""View of a throw that was read: the first player's peg is at hole 43, and would be at 61 if banked now."""
_TO_THE_START = (
    Moment("slide", 0.0, 0, 43, 0, "red", 18, 1.2),
    Moment("pulse", 0.0, 0, 43, 0, "red", 10, 0.9, delay_s=1.1),
)
"""A peg falls from hole 43 to the start, where the light swells. The numbers are the fields of `Moment`: lengths in
holes, times in seconds. Larger: a longer, slower light; a scene in SCENES cuts off what lasts longer."""
_CHANGE_PLACES = (
    Moment("spark", 0.0, 0, 43, 71, "fire", 5, 0.5),
    Moment("swap", 0.0, 0, 43, 71, None, 0, 0.8, delay_s=0.5),
    Moment("swap", 0.0, 1, 71, 43, None, 0, 0.8, delay_s=0.5),
    Moment("burst", 0.0, 0, 43, 71, "fire", 26, 1.3, delay_s=0.5),
)
"""Pegs at holes 43 and 71 change places after a spark. The numbers are those of `Moment`: holes, lengths in holes,
times in seconds. Longer lengths reach farther; longer times take longer."""
_HOP_BACK = (Moment("ring", 0.0, 3, 58, 53, "amber", 5, 0.6), Moment("slide", 0.0, 3, 58, 53, None, 0, 0.6))
"""A peg is pushed back from hole 58 to 53, with a ring of light. The numbers are the fields of `Moment`, among them the
ring's radius in holes and the durations in seconds. Larger: a wider, slower ring; a scene in SCENES cuts off what lasts
longer."""

SCENES: tuple[Scene, ...] = (
    Scene("idle", BoardView(), 6.0, 1.0),
    Scene("idle-night", BoardView(night=True), 6.0, 1.0),
    Scene("start", replace(_PLAY, pegs=tuple(Peg(k, 0, 0) for k in range(5))), 5.0, 0.5),
    Scene("ready", _PLAY, 4.8, 0.5),
    Scene("settling", replace(_at(0, 43, 49), mood="settling"), 2.8, 0.4),
    Scene("read", replace(_at(0, 43, 58), mood="read"), 4.8, 0.5),
    Scene("run", _with(_READ, Moment("run", 0.0, 0, 43, 61, holes=6)), 1.6, 0.4),
    Scene("fill", _with(_at(0, 61), Moment("fill", 0.0, 0, 43, 61)), 1.6, 0.15),
    Scene("shared-hole", _at(1, 43, view=_at(2, 43)), 4.8, 0.4),
    Scene("asking", replace(_at(0, 43, 49), mood="asking"), 4.0, 1.0),
    Scene("illegal-hold", replace(_at(0, 43, 49), mood="illegal_hold"), 4.0, 0.3),
    Scene("drain", _with(replace(_PLAY, to_play=1), Moment("drain", 0.0, 0, 66, 43, "red", 9, 0.6)), 1.4, 0.3),
    Scene("slide", _with(replace(_at(0, 0), to_play=1), *_TO_THE_START), 2.8, 0.6),
    Scene("swap", _with(_at(0, 71, view=_at(1, 43)), *_CHANGE_PLACES), 2.6, 0.85),
    Scene("ring", _with(_at(3, 53, view=_at(0, 58)), *_HOP_BACK), 1.4, 0.25),
    Scene("stripes", _with(_OVER, Moment("stripes", 0.0, 2, 27, 27, "sulphur", 0, 2.4)), 3.2, 1.0),
    Scene("waves", _with(_READ, Moment("waves", 0.0, 0, 43, 61, "amber", 8, 1.0)), 2.0, 0.35),
    Scene("flood", _with(_OVER, Moment("flood", 0.0, 0, 100, 121, None, 20, 2.4)), 3.2, 1.0),
    Scene("over", _OVER, 5.0, 1.0),
    Scene("press", _with(_PLAY, Moment("press", 0.0)), 1.2, 0.02),
    Scene("shutdown", _with(_PLAY, Moment("countdown", 0.0)), 4.0, 1.0),
    Scene("night", replace(_at(0, 43, 58), mood="read", night=True), 4.8, 0.5),
    Scene("capturing", replace(_at(0, 43, 49), mood="settling", capturing=True), 1.0, 0.1),
)
"""Example views that `pegpip leds scenes` draws and tests check: every mood and every kind of moment. The two numbers
are the duration of the animated picture and the time of the still one, in seconds. Longer or more: slower to draw."""
