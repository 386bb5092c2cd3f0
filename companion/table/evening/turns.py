"""What the turns of a game brought and lost: each bank and each wipe-out, in order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named

KINDS = {"banked": "best_turn", "wipe_out": "dearest_loss"}
"""By the moment that an event makes what the greatest of them is."""


class TurnResult(NamedTuple):
    """What a turn brought or lost.

    Attributes:
        kind: One of `KINDS`.
        player: Whose turn it was.
        side: The side that it is about.
        points: Above 0.
        line: The line that ended it, counted from 0.
    """

    kind: str
    player: str
    side: int
    points: int
    line: int


def turn_results(transcript: Transcript) -> Iterator[TurnResult]:
    """Each of a game's, oldest first."""
    rules = game_named(transcript.header.game)
    for line, (before, after) in enumerate(pairwise(step.state for step in transcript.steps)):
        for event in after.events:
            kind, points = KINDS.get(rules.effect(event.code).moment or ""), int(event.args.get("points", 0))
            if kind and event.side is not None and before.player is not None and points > 0:
                yield TurnResult(kind, before.player, event.side, points, line)
