"""Routes of play: lines, corrections, answers and ends of games become commands to the table."""

from __future__ import annotations

from functools import partial

import flask
import msgspec

from companion.table.commands import (
    Abandon,
    Answer,
    ConfirmCorrection,
    CorrectThrow,
    EndSitting,
    NextGame,
    Number,
    PlayLine,
    Values,
)
from companion.table.read_only import AnyTable
from web.pairing.phones import Pairing
from web.pairing.roles import OWNERS, PLAYERS
from web.requests import do, refuse_others_game
from web.routes import Json, Routes, ref


class CorrectionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/throws/N`: the values that the dice of throw N really showed.

    Attributes:
        number: Number of the last journal entry that the phone saw (`Snapshot.number`).
        values: The true values.
    """

    number: Number
    values: Values


COMMANDS = (
    ("lines", "Play a transcript line", PlayLine),
    ("answers", "Answer a question", Answer),
    ("corrections", "Confirm a correction that drops lines", ConfirmCorrection),
    ("next", "Start the next game", NextGame),
)
"""Routes whose body is the command itself: address under /api, summary, command."""


def routes(table: AnyTable, pairing: Pairing) -> Routes:
    """Make the routes of play, for players; only the owner ends the evening.

    Args:
        table: Takes the commands.
        pairing: Knows which phone started the game: only that one and the owner may abandon it.
    """
    made = Routes("play", CorrectionBody, *(command for _, _, command in COMMANDS), EndSitting, Abandon)
    of_each: Json = {"schema": ref("Snapshot"), "refused": (404, 409, 422)}
    for place, summary, command in COMMANDS:
        made.post(f"/api/{place}", summary, command, roles=PLAYERS, **of_each)(partial(do, table))
    made.post("/api/evening/end", "End the evening", EndSitting, roles=OWNERS, **of_each)(partial(do, table))

    @made.post(
        "/api/abandon", "Abandon the game, if this phone started it or is the host's", Abandon, roles=PLAYERS, **of_each
    )
    def abandon(sent: Abandon) -> flask.Response:
        refuse_others_game(table, pairing)
        return do(table, sent)

    @made.post("/api/throws/<int:throw>", "Correct a throw", CorrectionBody, roles=PLAYERS, **of_each)
    def correct(sent: CorrectionBody, throw: int) -> flask.Response:
        return do(table, CorrectThrow(throw=throw, number=sent.number, values=sent.values))

    return made
