"""Gains and losses of a game's turns: each bank and each wipe-out, in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named

KINDS = {"banked": "best_turn", "wipe_out": "dearest_loss"}
"""Name of the highlight for each moment of an event that ends a turn with a gain or a loss."""


class TurnResult(NamedTuple):
    """Gain or loss of one turn.

    Attributes:
        kind: A value of `KINDS`.
        player: Player whose turn it was.
        side: Index of the side that gained or lost.
        points: Points gained or lost, above 0.
        line: Index of the line that ended the turn, from 0.
    """

    kind: str
    player: str
    side: int
    points: int
    line: int


def turn_results(transcript: Transcript) -> Iterator[TurnResult]:
    """Yield each gain or loss of a game's turns, oldest first."""
    rules = game_named(transcript.header.game)
    for turn in transcript.turns():
        end = turn.steps[-1]
        for event in end.state.events if turn.ended else ():
            kind, points = KINDS.get(rules.effect(event.code).moment or ""), int(event.args.get("points", 0))
            if kind and event.side is not None and points > 0:
                yield TurnResult(kind, turn.player, event.side, points, end.line_count - 1)
