"""View of a game for the track: its length and the pegs of each side."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from sys import float_info

from companion.games.engine.game import State

HOLES = 120
"""Number of holes of a cribbage track, without the start. A peg at hole 120 is on the last one. A game maps its scores
to these holes, unless it has a longer track. Higher: a longer track on page and board; a game with its own end at hole
120 then ends in the middle."""


@dataclass(frozen=True, slots=True)
class Peg:
    """Position of a side on the track, in holes. 0 is the start; a peg past `Track.holes` has finished.

    Attributes:
        banked: Hole of the peg.
        provisional: Hole that the peg would reach if the turn were banked now.
    """

    banked: int
    provisional: int


@dataclass(frozen=True, slots=True)
class Track:
    """The track as it is shown.

    Attributes:
        holes: Number of holes.
        pegs: Position of each side.
        points_per_hole: Points that a hole stands for.
    """

    holes: int
    pegs: tuple[Peg, ...]
    points_per_hole: float = 1


def track_of(state: State, holes: int = HOLES, points_per_hole: Fraction | int = 1) -> Track:
    """Return the track of a game whose pegs show scores, divided by `points_per_hole` and rounded down.

    Each `Peg` has two holes: that of the score, and that of the score if the turn points were banked now. Both may be
    beyond the number of `holes`. The track holds `points_per_hole` as a float, at most the largest finite one.
    """
    return Track(
        holes,
        tuple(
            Peg(score // points_per_hole, more // points_per_hole)
            for score, more in zip(state.standing.scores, scores_ahead(state), strict=True)
        ),
        float(min(points_per_hole, float_info.max)),
    )


def scores_ahead(state: State) -> tuple[int, ...]:
    """Return the score of each side if the turn points were banked now."""
    standing = state.standing
    return tuple(score + standing.turn_points * (side == standing.side) for side, score in enumerate(standing.scores))
