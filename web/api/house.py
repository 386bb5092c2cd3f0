"""`/api/house/hold`: makes the computer player wait while a phone corrects something."""

from __future__ import annotations

from typing import Annotated

import flask
import msgspec

from companion.bots.player import MAX_HELD_S, BotPlayer
from web.pairing.roles import PLAYERS
from web.responses import answer
from web.routes import Routes


class HoldBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/house/hold`: for how many seconds from now the bot waits; 0 lets it go on."""

    seconds: Annotated[float, msgspec.Meta(ge=0.0, le=MAX_HELD_S)]


def routes(house: BotPlayer) -> Routes:
    """Make the group of one route, by which players make the bot wait; `house` is the bot."""
    made = Routes("house", HoldBody)

    @made.post("/api/house/hold", "Have the house wait", HoldBody, roles=PLAYERS)
    def hold(sent: HoldBody) -> flask.Response:
        house.hold(sent.seconds)
        return answer({"seconds": sent.seconds})

    return made
