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
_PLAY = BoardView(pegs=_PEGS, to_play=0, mood="ready")


def _at(seat: int, banked: int, provisional: int | None = None, view: BoardView = _PLAY) -> BoardView:
    there = Peg(seat, banked, banked if provisional is None else provisional)
    return replace(view, pegs=(*view.pegs[:seat], there, *view.pegs[seat + 1 :]))


def _with(view: BoardView, kind: str, player: int | None, from_hole: int = 0, to_hole: int = 0) -> BoardView:
    return replace(view, moments=(Moment(kind, 0.0, player, from_hole, to_hole),))


_OVER = replace(_at(0, 121), mood="over", winners=(0,), to_play=None)

SCENES: tuple[Scene, ...] = (
    Scene("idle", BoardView(), 6.0, 1.0),
    Scene("idle-night", BoardView(night=True), 6.0, 1.0),
    Scene("start", replace(_PLAY, pegs=tuple(Peg(k, 0, 0) for k in range(5))), 5.0, 0.5),
    Scene("ready", _PLAY, 4.8, 0.5),
    Scene("settling", replace(_at(0, 43, 49), mood="settling"), 2.8, 0.4),
    Scene("read", replace(_at(0, 43, 58), mood="read"), 4.8, 0.5),
    Scene("throw", _with(replace(_at(0, 43, 61), mood="read"), "throw", 0, 43, 61), 1.6, 0.4),
    Scene("banked", _with(_at(0, 61), "banked", 0, 43, 61), 1.6, 0.15),
    Scene("shared-hole", _at(1, 43, view=_at(2, 43)), 4.8, 0.4),
    Scene("asking", replace(_at(0, 43, 49), mood="asking"), 4.0, 1.0),
    Scene("illegal-hold", replace(_at(0, 43, 49), mood="illegal_hold"), 4.0, 0.3),
    Scene("wipe-out", _with(replace(_PLAY, to_play=1), "wipe_out", 0, 66, 43), 1.4, 0.3),
    Scene("fuchle", _with(replace(_at(0, 0), to_play=1), "fuchle", 0, 43, 0), 2.8, 0.6),
    Scene("bomb", _with(_at(0, 71, view=_at(1, 43)), "bomb", 0, 43, 71), 2.6, 0.85),
    Scene("bump", _with(_at(3, 53, view=_at(0, 58)), "bump", 3, 58, 53), 1.4, 0.25),
    Scene("skunk", _with(_OVER, "skunk", 2, 27, 27), 3.2, 1.0),
    Scene("rollover", _with(replace(_at(0, 43, 61), mood="read"), "rollover", 0, 43, 61), 2.0, 0.35),
    Scene("finish", _with(_OVER, "finish", 0, 100, 121), 3.2, 1.0),
    Scene("over", _OVER, 5.0, 1.0),
    Scene("press", _with(_PLAY, "press", 0), 1.2, 0.02),
    Scene("shutdown", replace(_PLAY, moments=(Moment("countdown", 0.0),)), 4.0, 1.0),
    Scene("night", replace(_at(0, 43, 58), mood="read", night=True), 4.8, 0.5),
    Scene("capturing", replace(_at(0, 43, 49), mood="settling", capturing=True), 1.0, 0.1),
)
