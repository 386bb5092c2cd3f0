"""History of the scores of a game, for the chart of its race."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from companion.games.engine.game import State
from companion.games.engine.transcript import Transcript


class Change(NamedTuple):
    """A change of one score.

    Attributes:
        side: Side whose score changed.
        score: The new score, in points.
        before: State before the change.
    """

    side: int
    score: int
    before: State


def race_of(transcript: Transcript) -> tuple[Change, ...]:
    """Return every change of a side's banked score in a game, oldest first: side, new score, state before.

    Lines that change no score are left out. A line that changes two scores gives two changes, by side.
    """
    return tuple(
        Change(side, score, before.state)
        for before, after in pairwise(transcript.steps)
        for side, (old, score) in enumerate(zip(before.state.standing.scores, after.state.standing.scores, strict=True))
        if score != old
    )
