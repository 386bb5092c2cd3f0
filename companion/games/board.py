"""What the track shows of a game: how long it is, and where each side's pegs stand on it."""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.game import State, side_of

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
    """The track as a state has it.

    Attributes:
        holes: How many there are.
        pegs: By side.
        to_play: The side whose turn it is.
        winners: The sides that have won.
        skunked: The sides that lose more than one game by this one.
    """

    holes: int
    pegs: tuple[Peg, ...]
    to_play: int | None = None
    winners: tuple[int, ...] = ()
    skunked: tuple[int, ...] = ()


def track_of(state: State, holes: int = HOLES, points_per_hole: int = 1) -> Track:
    """The track of a game whose scores run along it, so many points a hole."""
    to_play = None if state.to_play is None else side_of(state, state.to_play)
    outcome = state.outcome
    return Track(
        holes,
        tuple(
            Peg(score // points_per_hole, (score + (state.turn_points if side == to_play else 0)) // points_per_hole)
            for side, score in enumerate(state.scores)
        ),
        to_play,
        outcome.winners if outcome else (),
        tuple(side for side, lost in enumerate(outcome.games_lost) if lost > 1) if outcome else (),
    )
