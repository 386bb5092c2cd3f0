"""The judge: replays a message's transcript by the rules. What counts is recomputed, never taken from the table."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from companion.errors import RulesError
from companion.games.engine.replay import transcript_of
from companion.league.message import Message
from web.names import flaw

SHARE = Decimal("0.000001")
"""Decimal with the places that a share of a win is rounded to, so that PostgreSQL adds and subtracts it exactly."""


class JudgedSide(msgspec.Struct, frozen=True):
    """A player or team of a finished game, with the names of its players and its final score.

    `won` is its share of the win, 1/n of one that n sides share; `lost` counts lost games. `left`: all its players left
    before the end.
    """

    name: str
    players: tuple[str, ...]
    score: int
    won: Decimal
    lost: int
    left: bool = False


class Judged(msgspec.Struct, frozen=True):
    """Result of a replayed transcript: the game's kind, its sides, and its players by seat.

    A seat plays for the side whose index is the seat's number modulo the number of sides.
    """

    kind: str
    sides: tuple[JudgedSide, ...]
    players: tuple[str, ...]


def judged(message: Message) -> Judged | None:
    """Return the result of a game that a table sent to the league, by replaying it; None unless the message is final.

    Raises RulesError if the rules refuse the transcript, its game is not finished, a name is not allowed, or a message
    that is not final has a transcript.
    """
    if message.state != "final":
        if message.transcript:
            raise RulesError(f"A game that is {message.state!r} has no transcript.")
        return None
    transcript = transcript_of(message.transcript.encode())
    standing, header = transcript.state.standing, transcript.header
    if standing.outcome is None:
        raise RulesError("The game is not finished.")
    for name in header.players:
        if wrong := flaw(name):
            raise RulesError(f"The name {name!r} {wrong}.")
    count = len(standing.sides)
    share = (1 / Decimal(len(standing.outcome.winners))).quantize(SHARE) if standing.outcome.winners else Decimal(0)
    sides = tuple(
        JudgedSide(
            name=name,
            players=header.players[side::count],
            score=standing.scores[side],
            won=share if side in standing.outcome.winners else Decimal(0),
            lost=standing.outcome.games_lost[side],
            left=side in standing.sides_left,
        )
        for side, name in enumerate(standing.sides)
    )
    return Judged(header.game, sides, header.players)
