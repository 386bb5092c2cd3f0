"""Routes of play: lines, corrections, answers and ends of games become commands to the table."""

from __future__ import annotations

from functools import partial

import flask
import msgspec

from companion.table.commands import (
    Abandon,
    Answer,
    BeginTournament,
    ConfirmCorrection,
    CorrectThrow,
    EndSitting,
    EndTournament,
    LeaveTournament,
    NextGame,
    Number,
    PlayLine,
    Values,
)
from companion.table.read_only import AnyTable
from companion.table.snapshot import Snapshot
from web.names import problem_of
from web.pairing.phones import Pairing
from web.pairing.roles import OWNERS, PLAYERS
from web.requests import OF_A_COMMAND, refuse_unless_own_game, start_game
from web.responses import refusal
from web.routes import Json, Routes, ref


class CorrectionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/throws/N`: corrects the values of throw N.

    Attributes:
        number: `Snapshot.number` of the snapshot that the phone shows; the table refuses the command if it is stale.
        values: The values that the dice really showed, one for each die.
    """

    number: Number
    values: Values


COMMANDS = (
    ("lines", "Play a transcript line", PlayLine, PLAYERS),
    ("answers", "Answer a question", Answer, PLAYERS),
    ("corrections", "Confirm a correction that drops lines", ConfirmCorrection, PLAYERS),
    ("next", "Start the next game", NextGame, PLAYERS),
    ("evening/end", "End the evening", EndSitting, OWNERS),
    ("tournament/left", "Note that a player has left the tournament, or is back", LeaveTournament, OWNERS),
    ("tournament/end", "End the tournament", EndTournament, OWNERS),
)
"""Routes whose body is a command of the table: last part of the address, OpenAPI summary, type of command, roles."""


def routes(table: AnyTable, pairing: Pairing) -> Routes:
    """Make the group of routes that send commands of play to the table.

    Players play lines, answer questions, correct throws, start the next game and abandon a game. Between a game's
    first throw and its end, only the phone that started it and the owner may abandon it; 403 for others. Only the
    owner ends the evening, and begins, ends or changes a tournament.

    Args:
        table: Executes the commands.
        pairing: The paired phones; a phone that starts a game is recorded there.
    """
    made = Routes("play", CorrectionBody, *(command for _, _, command, _ in COMMANDS), BeginTournament, Abandon)
    of_each: Json = {"schema": ref("Snapshot"), "refused": OF_A_COMMAND}
    for place, summary, command, roles in COMMANDS:
        act = partial(start_game, table, pairing) if command is NextGame else table.submit
        made.post(f"/api/{place}", summary, command, roles=roles, **of_each)(act)

    @made.post("/api/tournament", "Begin a tournament", BeginTournament, roles=OWNERS, **of_each)
    def begin(sent: BeginTournament) -> Snapshot | flask.Response:
        wrong = problem_of(sent.players)
        return table.submit(sent) if wrong is None else refusal(422, "name", wrong)

    @made.post(
        "/api/abandon", "Abandon the game, if this phone started it or is the host's", Abandon, roles=PLAYERS, **of_each
    )
    def abandon(sent: Abandon) -> Snapshot:
        refuse_unless_own_game(table, pairing)
        return table.submit(sent)

    @made.post("/api/throws/<int:throw>", "Correct a throw", CorrectionBody, roles=PLAYERS, **of_each)
    def correct(sent: CorrectionBody, throw: int) -> Snapshot:
        return table.submit(CorrectThrow(throw=throw, number=sent.number, values=sent.values))

    return made
