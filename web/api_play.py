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
    StartGame,
)
from web.asking import body, do, must_be_paired
from web.names import problem_of
from web.parts import Parts
from web.refusals import refusal

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


def playing(parts: Parts) -> flask.Blueprint:
    """The routes that play."""
    routes = flask.Blueprint("play", __name__)

    @routes.post("/api/lines")
    def play_line() -> flask.Response:
        must_be_paired(parts.pairing)
        sent = body(LineBody)
        return do(parts.table, PlayLine(number=sent.number, line=sent.line))

    @routes.post("/api/games")
    def start_game() -> flask.Response:
        must_be_paired(parts.pairing)
        header = body(dict[str, Any])
        players = header.get("players")
        wrong = problem_of(name for name in players if isinstance(name, str)) if isinstance(players, list) else None
        if wrong is not None:
            return refusal(422, "name", wrong)
        return do(parts.table, StartGame(header=header))

    @routes.post("/api/throws/<int:throw>")
    def correct(throw: int) -> flask.Response:
        must_be_paired(parts.pairing)
        sent = body(CorrectionBody)
        return do(parts.table, CorrectThrow(throw=throw, number=sent.number, values=sent.values))

    @routes.post("/api/corrections")
    def confirm() -> flask.Response:
        must_be_paired(parts.pairing)
        sent = body(OfferBody)
        return do(parts.table, ConfirmCorrection(offer=sent.offer, accept=sent.accept))

    @routes.post("/api/answers")
    def settle_question() -> flask.Response:
        must_be_paired(parts.pairing)
        sent = body(AnswerBody)
        return do(parts.table, Answer(question=sent.question, values=sent.values))

    @routes.post("/api/abandon")
    def abandon() -> flask.Response:
        must_be_paired(parts.pairing)
        return do(parts.table, Abandon(number=body(NumberBody).number))

    @routes.post("/api/next")
    def next_game() -> flask.Response:
        must_be_paired(parts.pairing)
        return do(parts.table, NextGame(number=body(NumberBody).number))

    @routes.post("/api/evening/end")
    def end_sitting() -> flask.Response:
        must_be_paired(parts.pairing)
        return do(parts.table, EndSitting(number=body(NumberBody).number))

    return routes
