"""`/api/odds`, `/api/chances`, `/api/story`: odds, best play and the review of the game on the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import flask

from companion.bots.adviser import Advisor
from companion.errors import RulesError
from web.pairing.roles import ANYONE
from web.responses import answer, refusal
from web.routes import Routes


def routes(advisor: Advisor) -> Routes:
    """Make the routes of odds, chances to win and the story of the game on the table, for anyone.

    `advisor` computes them at each request.
    """
    made = Routes("advice")

    @made.get("/api/odds", "The options now, and what each is worth", roles=ANYONE, refused=(409,))
    def odds() -> flask.Response:
        return answered(advisor.odds)

    @made.get("/api/chances", "Each side's chance to win after each line of the game", roles=ANYONE, refused=(409,))
    def chances() -> flask.Response:
        return answered(advisor.chances)

    @made.get("/api/story", "The finished game, split into luck and decisions", roles=ANYONE, refused=(409,))
    def story() -> flask.Response:
        return answered(advisor.story)

    return made


def answered(ask: Callable[[], Mapping[str, Any]]) -> flask.Response:
    """Answer with the JSON that `ask` returns, or with 409 if it raises RulesError."""
    try:
        return answer(dict(ask()))
    except RulesError as unknown:
        return refusal(409, "no_odds", str(unknown))
