"""What the track shows of a game: how long it is, and where each side's pegs stand on it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from companion.games.engine.game import State, side_of

HOLES = 120


@dataclass(frozen=True, slots=True)
class Peg:
    """A side's place on the track, in holes: 0 is the start, more than there are holes has left the far end.

    Attributes:
        banked: Where the peg stands.
        provisional: Where it would stand if the turn were banked now.
    """

    banked: int
    provisional: int


@dataclass(frozen=True, slots=True)
class Track:
    """The track as a state has it: how many holes, and the pegs by side."""

    holes: int
    pegs: tuple[Peg, ...]


def track_of(state: State, holes: int = HOLES, points_per_hole: Fraction | int = 1) -> Track:
    """The track of a game whose scores run along it, so many points a hole."""
    ahead = scores_ahead(state)
    return Track(
        holes,
        tuple(Peg(score // points_per_hole, ahead[side] // points_per_hole) for side, score in enumerate(state.scores)),
    )


def scores_ahead(state: State) -> tuple[int, ...]:
    """The scores as they would be if the turn were banked now, by side."""
    on = None if state.to_play is None else side_of(state, state.to_play)
    return tuple(score + state.turn_points * (side == on) for side, score in enumerate(state.scores))
