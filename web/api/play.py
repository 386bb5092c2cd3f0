"""The API's playing half: lines, games, corrections and answers become commands to the table. Paired phones only."""

from __future__ import annotations

from typing import Annotated, Any

import flask
import msgspec

from companion.session.commands import (
    Abandon,
    Answer,
    ConfirmCorrection,
    CorrectThrow,
    EndSitting,
    NextGame,
    PlayLine,
)
from web.api.routes import Json, Routes, ref
from web.pairing.phones import Pairing
from web.requests import Table, do

Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Values = Annotated[tuple[Annotated[int, msgspec.Meta(ge=1, le=6)], ...], msgspec.Meta(max_length=20)]


class LineBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/lines`: a transcript line, for the snapshot of that number."""

    number: Number
    line: Any


class CorrectionBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/throws/N`: what the dice of a throw really showed."""

    number: Number
    values: Values


class AnswerBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/answers`: what the dice show that a question is about; null: it was no throw."""

    question: Number
    values: Values | None


class OfferBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/corrections`: carry out the correction on offer, with the loss of the lines it lists, or drop it."""

    offer: Number
    accept: bool


class NumberBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/abandon`, `/api/next` and `/api/evening/end`: nothing but the snapshot's number."""

    number: Number


def routes(table: Table, pairing: Pairing) -> Routes:
    """The routes that play."""
    made = Routes("play", LineBody, CorrectionBody, AnswerBody, OfferBody, NumberBody, pairing=pairing)
    of_each: Json = {"schema": ref("Snapshot"), "refused": (401, 409, 422), "paired": True}

    @made.post("/api/lines", "Play a transcript line", LineBody, **of_each)
    def play_line(sent: LineBody) -> flask.Response:
        return do(table, PlayLine(number=sent.number, line=sent.line))

    @made.post(
        "/api/throws/<int:throw>", "Correct a throw", CorrectionBody, **{**of_each, "refused": (404, 401, 409, 422)}
    )
    def correct(sent: CorrectionBody, throw: int) -> flask.Response:
        return do(table, CorrectThrow(throw=throw, number=sent.number, values=sent.values))

    @made.post("/api/answers", "Answer a question", AnswerBody, **of_each)
    def settle_question(sent: AnswerBody) -> flask.Response:
        return do(table, Answer(question=sent.question, values=sent.values))

    @made.post("/api/corrections", "Confirm a correction that drops lines", OfferBody, **of_each)
    def confirm(sent: OfferBody) -> flask.Response:
        return do(table, ConfirmCorrection(offer=sent.offer, accept=sent.accept))

    @made.post("/api/evening/end", "End the evening", NumberBody, **of_each)
    def end_sitting(sent: NumberBody) -> flask.Response:
        return do(table, EndSitting(number=sent.number))

    @made.post("/api/abandon", "Abandon the game", NumberBody, **of_each)
    def abandon(sent: NumberBody) -> flask.Response:
        return do(table, Abandon(number=sent.number))

    @made.post("/api/next", "Start the next game", NumberBody, **of_each)
    def next_game(sent: NumberBody) -> flask.Response:
        return do(table, NextGame(number=sent.number))

    return made
