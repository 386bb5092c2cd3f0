"""Odds and best play of the game on the table; the vote on its decisions; the puzzle of the day."""

from __future__ import annotations

from typing import Annotated

import flask
import msgspec

from companion.bots.adviser import Advisor
from companion.bots.daily_puzzle import DailyPuzzle
from companion.bots.vote import Vote
from companion.errors import IllegalAction, RulesError
from web.pairing.roles import ANYONE, PLAYERS
from web.routes import REFUSALS, Json, Routes

VOTER_LENGTH = 32
"""Most characters of the random name by which a phone votes: twice the 16 of the pages' own names, which must fit.
Higher: a guest's votes may take more memory."""
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

    Anyone may read and vote. Once enough phones have voted, the answer is shown; only players may show it earlier.
    An IllegalAction, as for an unknown option, is answered 422; any other RulesError, as for unknown odds, 409.

    Args:
        advisor: Computes odds, win chances and the story of the game on the table.
        vote: The questions about the finished game, and the votes.
        puzzle: The puzzle of the day.
    """
    made = Routes(
        "advice", VoteBody, ShowBody, refusals={RulesError: (409, "no_odds"), IllegalAction: REFUSALS[RulesError]}
    )
    told: Json = {"roles": ANYONE, "refused": (409,)}
    made.get("/api/odds", "The options now, and what each is worth", **told)(advisor.odds)
    made.get("/api/chances", "Each side's chance to win after each line of the game", **told)(advisor.chances)
    made.get("/api/story", "The finished game, split into luck and decisions", **told)(advisor.story)
    made.get("/api/puzzle", "The puzzle of the day, with its answer", **told)(puzzle.view)

    @made.get("/api/vote", "The costliest decisions to vote on", query=[VOTER_PARAMETER], **told)
    def questions() -> Json:
        return vote.view(flask.request.args.get("voter", "")[:VOTER_LENGTH])

    @made.post("/api/vote", "Vote on a decision", VoteBody, roles=ANYONE, refused=(409, 422))
    def cast(sent: VoteBody) -> Json:
        vote.cast(sent.question, sent.option, sent.voter)
        return vote.view(sent.voter)

    @made.post("/api/vote/show", "Show the answer to a question", ShowBody, roles=PLAYERS, refused=(409, 422))
    def show(sent: ShowBody) -> Json:
        vote.show(sent.question)
        return vote.view()

    return made
