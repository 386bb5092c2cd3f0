"""Odds and best play of the game on the table; the vote on its decisions; the puzzle of the day."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import flask
import msgspec

from companion.bots.adviser import Advisor
from companion.bots.daily_puzzle import DailyPuzzle
from companion.bots.vote import Vote
from companion.errors import IllegalAction, RulesError
from web.pairing.roles import ANYONE, PLAYERS
from web.responses import answer, refusal
from web.routes import Json, Routes

VOTER_LENGTH = 32
"""Most characters of the random name by which a phone votes. Higher: a guest's votes may take more memory.
Below 16 the pages' own names do not fit."""
VOTER_PARAMETER: Json = {"name": "voter", "in": "query", "schema": {"type": "string", "maxLength": VOTER_LENGTH}}
"""OpenAPI description of the query parameter `voter`: the name under which the phone has voted."""


class VoteBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/vote`: a phone's vote on one decision of the finished game.

    Attributes:
        question: Index of the question in `GET /api/vote`.
        option: Index of the chosen option of that question.
        voter: Random name that the page has drawn for the phone: a later vote under it replaces the earlier one.
    """

    question: Annotated[int, msgspec.Meta(ge=0, le=99)]
    option: Annotated[int, msgspec.Meta(ge=0, le=99)]
    voter: Annotated[str, msgspec.Meta(min_length=8, max_length=VOTER_LENGTH)]


class ShowBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/vote/show`: index of the question whose answer is shown before everyone has voted."""

    question: Annotated[int, msgspec.Meta(ge=0, le=99)]


def routes(advisor: Advisor, vote: Vote, puzzle: DailyPuzzle) -> Routes:
    """Make the group of routes for advice on play, the vote on past decisions, and the puzzle of the day.

    Anyone may read and vote. Only players may show an answer before all have voted.

    Args:
        advisor: Computes odds, win chances and the story of the game on the table.
        vote: The questions about the finished game, and the votes.
        puzzle: The puzzle of the day.
    """
    made = Routes("advice", VoteBody, ShowBody)

    @made.get("/api/odds", "The options now, and what each is worth", roles=ANYONE, refused=(409,))
    def odds() -> flask.Response:
        return answered(advisor.odds)

    @made.get("/api/chances", "Each side's chance to win after each line of the game", roles=ANYONE, refused=(409,))
    def chances() -> flask.Response:
        return answered(advisor.chances)

    @made.get("/api/story", "The finished game, split into luck and decisions", roles=ANYONE, refused=(409,))
    def story() -> flask.Response:
        return answered(advisor.story)

    @made.get("/api/puzzle", "The puzzle of the day, with its answer", roles=ANYONE, refused=(409,))
    def daily() -> flask.Response:
        return answered(puzzle.view)

    @made.get("/api/vote", "The costliest decisions to vote on", roles=ANYONE, query=[VOTER_PARAMETER], refused=(409,))
    def questions() -> flask.Response:
        return answered(lambda: vote.view(flask.request.args.get("voter", "")[:VOTER_LENGTH]))

    @made.post("/api/vote", "Vote on a decision", VoteBody, roles=ANYONE, refused=(409, 422))
    def cast(sent: VoteBody) -> flask.Response:
        def counted() -> Mapping[str, Any]:
            vote.cast(sent.question, sent.option, sent.voter)
            return vote.view(sent.voter)

        return answered(counted)

    @made.post("/api/vote/show", "Show the answer to a question", ShowBody, roles=PLAYERS, refused=(409, 422))
    def show(sent: ShowBody) -> flask.Response:
        def shown() -> Mapping[str, Any]:
            vote.show(sent.question)
            return vote.view()

        return answered(shown)

    return made


def answered(ask: Callable[[], Mapping[str, Any]]) -> flask.Response:
    """Call `ask` and answer with the JSON object that it returns; 422 for IllegalAction, 409 for other RulesErrors."""
    try:
        return answer(dict(ask()))
    except IllegalAction as refused:
        return refusal(422, refused.code, str(refused))
    except RulesError as unknown:
        return refusal(409, "no_odds", str(unknown))
