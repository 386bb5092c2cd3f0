"""How a game's scores went: each change of a side's score, in order."""

from __future__ import annotations

from typing import NamedTuple

from companion.games.game import State
from companion.games.transcript import Transcript


class Change(NamedTuple):
    """A change of a score: whose, to what, and the state before it."""

    side: int
    score: int
    before: State


def race_of(transcript: Transcript) -> tuple[Change, ...]:
    """Every change of a score since the game began, oldest first."""
    changes: list[Change] = []
    step = transcript
    while step.before is not None:
        was, now = step.before.state, step.state
        if was.scores is not now.scores and was.scores != now.scores:
            scores = enumerate(zip(was.scores, now.scores, strict=True))
            changes += reversed([Change(side, score, was) for side, (old, score) in scores if score != old])
        step = step.before
    return tuple(reversed(changes))
