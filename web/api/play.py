"""The API's playing half: lines, games, corrections and answers become commands to the table. Paired phones only."""

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
from web.requests import do
from web.routes import Json, Routes, ref


class CorrectionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/throws/N`: what the dice of a throw really showed."""

    number: Number
    values: Values


COMMANDS = (
    ("lines", "Play a transcript line", PlayLine),
    ("answers", "Answer a question", Answer),
    ("corrections", "Confirm a correction that drops lines", ConfirmCorrection),
    ("evening/end", "End the evening", EndSitting),
    ("abandon", "Abandon the game", Abandon),
    ("next", "Start the next game", NextGame),
)
"""What a phone sends as the command that it is."""


def routes(table: AnyTable, pairing: Pairing) -> Routes:
    """The routes that play."""
    made = Routes("play", CorrectionBody, *(command for _, _, command in COMMANDS), pairing=pairing)
    of_each: Json = {"schema": ref("Snapshot"), "refused": (401, 409, 422), "paired": True}
    for place, summary, command in COMMANDS:
        made.post(f"/api/{place}", summary, command, **of_each)(partial(do, table))

    @made.post(
        "/api/throws/<int:throw>", "Correct a throw", CorrectionBody, **{**of_each, "refused": (404, 401, 409, 422)}
    )
    def correct(sent: CorrectionBody, throw: int) -> flask.Response:
        return do(table, CorrectThrow(throw=throw, number=sent.number, values=sent.values))

    return made
